"""Bands: named ranges of the order of hands."""

from collections.abc import Mapping, Sequence

from validator.cards.names import RANKS, Name
from validator.text.models.model import Closed

Marks = Mapping[str, tuple[str, Sequence[str]]]
"""Category and leading ranks of each mark, by name."""

_ABOVE_ALL = len(RANKS)


class Band(Closed):
    """Hands from one category or mark up to another, both included in full."""

    from_: Name
    """The lowest hands: a category, or a mark."""
    to: Name
    """The highest hands: a category, or a mark. `from: pair-of-tens, to: pair` is every pair of tens or better."""


def check_bands(bands: Mapping[str, Band], categories: Sequence[str], marks: Marks, *, ranks: str = RANKS) -> None:
    """Check that every band has a name of its own and known bounds, the lower first. Raises ValueError.

    `categories` are listed from the highest down, `ranks` from the lowest up.
    """

    def place(name: str, bound: str) -> tuple[int, ...]:
        if bound in categories:
            return (-categories.index(bound),)
        if bound not in marks:
            raise ValueError(f"the band {name} names {bound}, which is neither a category nor a mark")
        category, leading = marks[bound]
        return (-categories.index(category), *map(ranks.index, leading))

    for name, band in bands.items():
        if name in categories or name in marks:
            kind = "category" if name in categories else "mark"
            raise ValueError(f"{name} is a {kind} and cannot name a band as well")
        if place(name, band.from_) >= (*place(name, band.to), _ABOVE_ALL):
            raise ValueError(f"the band {name} must go from the lower to the higher: {band.from_} is above {band.to}")


def with_bands(spans: Mapping[str, tuple[int, int]], bands: Mapping[str, Band]) -> dict[str, tuple[int, int]]:
    """Return the ranges of categories and marks, together with those of the bands. The end of a range is exclusive."""
    return {**spans, **{name: (spans[band.from_][0], spans[band.to][1]) for name, band in bands.items()}}
