"""Draws by seed: whole numbers only, so that every machine draws the same."""

from __future__ import annotations

import numpy as np

from validator.arrays import Flags, Ints, Ints32


def stream(seed: int, *key: int) -> np.random.Generator:
    """The draws for one purpose: streams of one seed that differ in their key know nothing of each other."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def happens(rng: np.random.Generator, count: int, per_mille: int) -> Flags:
    """bool[count]: what happens so many times in a thousand."""
    return rng.integers(0, 1000, count) < per_mille


def one_of_each(rng: np.random.Generator, candidates: Ints, owner: Ints32) -> Ints:
    """int64[m]: one of the candidates for each owner that has any, in the order of owners.

    `owner` is int32[candidates], whose each candidate is.
    """
    shuffled = rng.permutation(len(candidates))
    _, first = np.unique(owner[shuffled], return_index=True)
    return candidates[shuffled[first]]
