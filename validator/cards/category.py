"""Category of a ranking: the order in which the cards of a hand count in it, and a description of the hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from validator.cards.cards import RANK_WORDS


class Rule(Struct, frozen=True, kw_only=True):
    """Compiled category of hands of `size` cards. Ranks are numbers 0 to 12."""

    name: str
    """Name of the category."""
    size: int
    """Number of cards of a hand."""
    suited: bool
    """True if all cards must have one suit."""
    consecutive: bool
    """True if the ranks must form a run."""
    groups: tuple[int, ...]
    """Sizes of the groups of equal rank, largest first."""
    ranks: frozenset[int]
    """Permitted ranks, all if the category names none."""
    conditional: bool
    """False for the category that every hand fits."""
    wins: Literal["highest", "lowest"]
    """Best hands of the ranking, which determine the description."""

    def in_order(self, falling: Sequence[int]) -> list[int] | None:
        """Return the ranks of the groups, then of the other cards; None if groups or ranks do not fit.

        `falling` are the ranks of the hand from the highest down, in the order of the ranking. Every group takes the
        highest remaining rank.
        """
        if not self.groups:
            return list(falling) if self.ranks.issuperset(falling) else None
        heads: list[int] = []
        others = list(falling)
        for size in self.groups:
            for rank in falling:
                if rank in self.ranks and rank not in heads and falling.count(rank) >= size:
                    break
            else:
                return None
            heads.append(rank)
            for _ in range(size):
                others.remove(rank)
        return heads + others

    def spread(self, order: Sequence[int]) -> tuple[int, ...]:
        """Return the rank of every card, from ranks as returned by `arrange_ranks`."""
        heads = zip(order, self.groups, strict=False)
        grouped = [rank for rank, size in heads for _ in range(size)]
        return (*grouped, *order[len(self.groups) :])

    def describe(self, order: Sequence[int]) -> str:
        """Describe a hand of this category. `order` is the top rank for a run, otherwise as returned by
        `arrange_ranks`."""
        name = self.name.replace("-", " ")
        ranks = [RANK_WORDS[rank] for rank in order]
        if self.groups:
            return self._describe_groups(name, ranks)
        if self.consecutive:
            return name if len(self.ranks) == self.size else f"{name} to the {ranks[0]}"
        if not self.conditional:
            name = f"{ranks[0]} high" if self.wins == "highest" else f"{'-'.join(ranks[:2])} low"
        return f"{name}: {', '.join(ranks)}"

    def _describe_groups(self, name: str, ranks: list[str]) -> str:
        heads, others = ranks[: len(self.groups)], ranks[len(self.groups) :]
        plurals = " and ".join(f"{rank}es" if rank == "six" else f"{rank}s" for rank in heads)
        if len(self.ranks) > len(heads):
            name += f" of {plurals}" if len(heads) == 1 and " of " not in name else f": {plurals}"
        if not others:
            return name
        return f"{name}, {'kicker' if len(others) == 1 else 'kickers'} {', '.join(others)}"
