"""Luck by seed, the same on every machine."""

from __future__ import annotations

from random import Random


def stream(seed: int, *key: int | str) -> Random:
    """The luck for one purpose: streams of one seed that differ in their key know nothing of each other."""
    return Random("/".join(map(str, (seed, *key))))


def happens(rng: Random, per_mille: int) -> bool:
    """What happens so many times in a thousand."""
    return rng.random() * 1000 < per_mille
