"""Values of hands of one suit, worked out card by card in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

ACE = 12


def suited_key(
    row: Sequence[int], *, wild: frozenset[int], counts_as: str, natural_in_own_suit: bool
) -> tuple[int, bool, tuple[int, ...]]:
    """Return the best suited hand in a row of codes: its cards, whether all are natural, its ranks in descending order.

    A longer hand is better, then a natural one, then the one of the higher ranks.
    """
    hands = []
    for suit in range(4):
        natural, jokers = [], []
        for code in row:
            rank, own = code // 4, code % 4 == suit
            if rank in wild and not (own and natural_in_own_suit):
                jokers.append(rank)
            elif own:
                natural.append(rank)
        ranks = list(natural)
        for rank in jokers:
            if counts_as == "highest-missing":
                ranks.append(next(number for number in range(ACE, -1, -1) if number not in ranks))
            else:
                ranks.append(ACE if counts_as == "ace" else rank)
        if ranks:
            hands.append((len(ranks), not jokers, tuple(sorted(ranks, reverse=True))))
    return max(hands)
