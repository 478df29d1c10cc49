"""Random numbers by seed, the same on every machine."""

from __future__ import annotations

from random import Random


class Luck(Random):
    """Random numbers for one purpose."""

    def happens(self, per_mille: int) -> bool:
        """Return whether an event of this chance in a thousand happens."""
        return self.random() * 1000 < per_mille


def stream(seed: int, *key: int | str) -> Luck:
    """Return random numbers that are independent of those with another key."""
    return Luck("/".join(map(str, (seed, *key))))
