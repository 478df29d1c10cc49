"""A category of a ranking: the order in which the cards of a hand count in it, and the hand in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from validator.cards.cards import RANK_WORDS


class Rule(Struct, frozen=True, kw_only=True):
    """A category of hands of `size` cards, ready for use. Ranks are numbers 0 to 12.

    `ranks` are those allowed, all of them where the category names none. `conditional` is false for the
    category that every hand fits; `wins` says which hands are the best, and so what such a hand is called.
    """

    name: str
    size: int
    suited: bool
    consecutive: bool
    groups: tuple[int, ...]
    ranks: frozenset[int]
    conditional: bool
    wins: Literal["highest", "lowest"]

    def in_order(self, falling: Sequence[int]) -> list[int] | None:
        """The ranks of the groups, then of the other cards; `None` if groups or ranks do not fit.

        `falling` are the ranks of the hand from the highest down, as they stand in the ranking. Every group takes the
        highest rank left.
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
        """The rank of every card, from ranks in the form that `in_order` gives them."""
        heads = zip(order, self.groups, strict=False)
        grouped = [rank for rank, size in heads for _ in range(size)]
        return (*grouped, *order[len(self.groups) :])

    def describe(self, order: Sequence[int]) -> str:
        """A hand of this category in words. `order` is the top alone for a run, else as from `in_order`."""
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
