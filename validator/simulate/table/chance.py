"""Luck by seed, the same on every machine."""

from __future__ import annotations

from random import Random


class Luck(Random):
    """The luck for one purpose."""

    def happens(self, per_mille: int) -> bool:
        """What happens so many times in a thousand."""
        return self.random() * 1000 < per_mille


def stream(seed: int, *key: int | str) -> Luck:
    """The luck for one purpose: streams of one seed that differ in their key know nothing of each other."""
    return Luck("/".join(map(str, (seed, *key))))
