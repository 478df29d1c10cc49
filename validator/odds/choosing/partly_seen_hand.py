"""Exact odds where players see part of a hand when they decide for the last time, and the rest of it comes afterwards.

An up card of a dealer with five cards is an example. Every other hand is then seen whole. The deals of the rest are
counted by inclusion and exclusion: the hands that contain the seen cards of the hand and none of the other cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import comb, lcm

import numpy as np

from fairdeal.validator.arrays import Codes, Ints, Ints32
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.odds.choosing.staged_choices import Decisions, StateWorth, TooManyStates
from fairdeal.validator.odds.choosing.staged_decisions import StagedDecisions
from fairdeal.validator.odds.counting.card_sets import complete_hands, count_below
from fairdeal.validator.odds.counting.hand_counts import HandCounts
from fairdeal.validator.odds.rounds import deal_settlement
from fairdeal.validator.odds.rounds.player_options import Alternative, OddsTable
from fairdeal.validator.odds.rounds.sample_rounds import DecidingHands

_MOST_STATES = 1 << 23
"""Largest number of sets of cards that players may see."""
_AT_ONCE = 1 << 18
"""Number of states that are counted at a time."""


class PartlySeenHand(StagedDecisions):
    """Decisions of a player who has seen every hand whole but one, and of that one some cards or none."""

    def __init__(
        self,
        table: OddsTable,
        looks: DecidingHands,
        alternatives: list[Alternative],
        meters: Mapping[str, int],
        counts: HandCounts,
    ) -> None:
        self.counts = counts
        super().__init__(table, looks, alternatives, meters)

    def _refuse_too_many(self) -> None:
        """Find the hand that is seen in part. Raises `TooManyStates` if there is not exactly one of such a form."""
        sizes = [pool.size for pool in self.pools]
        unseen = [at for at, (seen, size) in enumerate(zip(self.seen[-1], sizes, strict=True)) if seen < size]
        places = {place for at in unseen for place in self.pools[at].places}
        hidden = [name for name in self.looks.hands if places & {*self.prepared.hands[name].places}]
        compared = {name for pair in self.looks.compared if {*pair} & {*hidden} for name in pair} - {*hidden}
        if len(unseen) != 1 or len(hidden) != 1 or {*self.prepared.hands[hidden[0]].places} != places:
            raise TooManyStates("several hands have cards that players do not see")
        if self.prepared.hands[hidden[0]].cards != "dealt" or len(compared) > 1:
            raise TooManyStates("the unseen cards are exchanged, or compared with several hands")
        if comb(CARDS, sum(self.seen[-1])) > _MOST_STATES * 24:
            raise TooManyStates("there are too many sets of cards that players may see when they decide")
        self.pool, self.hidden, self.versus = unseen[0], hidden[0], next(iter(compared), None)
        ends = tuple(sorted(self.looks.bounds[self.hidden]))
        self.completions = self.counts.count_completions(self.hidden, None if self.versus else ends)
        strengths = self.completions.spread.strengths
        inner = ends if self.versus else tuple(range(1, len(ends) + 1))
        self.bounds: Ints = np.searchsorted(strengths, inner, "left").astype(np.int64)

    @cached_property
    def cell_of(self) -> Ints:
        """Return the cell of each state of the last point, int64[n]; settlement does not distinguish states of one."""
        known = self.states[-1].cards
        strengths = {name: self._rank_hand(name, known) for name in self.looks.hands if name != self.hidden}
        code = np.zeros(len(known[0]), np.int64)
        for name, ends in sorted(self.looks.bounds.items()):
            if name in strengths:
                cell = np.searchsorted(np.array(sorted(ends), np.int64), strengths[name], "right")
                code = code * (len(ends) + 1) + cell
        for hand, other in sorted(self.looks.compared):
            if hand in strengths and other in strengths:
                code = code * 3 + np.sign(strengths[hand] - strengths[other]) + 1
        cells: Ints = np.unique(code, return_inverse=True)[1].reshape(-1)
        return cells

    @cached_property
    def deals(self) -> Ints32:
        """Return the number of deals after each state of the last point, int32[n, signatures].

        A signature is a stretch between bounds of the hidden hand and, if it is compared with a seen hand, the result.
        """
        known, parts = self.states[-1].cards, list[Ints32]()
        for start in range(0, len(known[0]), _AT_ONCE):
            parts.append(self._count_part(tuple(pool[start : start + _AT_ONCE] for pool in known)))
        return np.concatenate(parts)

    def _count_part(self, known: tuple[Codes, ...]) -> Ints32:
        held, count = known[self.pool], len(known[0])
        out = np.concatenate([pool for at, pool in enumerate(known) if at != self.pool], axis=1)
        places = np.repeat(self.bounds[None, :], count, axis=0)
        if self.versus is not None:
            strengths, own = self.completions.spread.strengths, self._rank_hand(self.versus, known)
            sides = [np.searchsorted(strengths, own, side) for side in ("left", "right")]
            places = np.concatenate([places, np.stack(sides, axis=1)], axis=1)
        below = count_below(self.completions, held, out, places)
        nothing = np.zeros((count, 1), np.int64)
        all_ = np.full((count, 1), comb(CARDS - held.shape[1] - out.shape[1], self.completions.size - held.shape[1]))
        ends = np.concatenate([nothing, below[:, : len(self.bounds)], all_], axis=1)
        sides_below = np.concatenate([nothing, below[:, len(self.bounds) :], all_], axis=1)
        # Counts below a strength rise with it, so that stretches intersect as counts do.
        first = np.maximum(ends[:, :-1, None], sides_below[:, None, :-1])
        last = np.maximum(np.minimum(ends[:, 1:, None], sides_below[:, None, 1:]), first)
        return (last - first).reshape(count, -1).astype(np.int32)

    @cached_property
    def examples(self) -> tuple[Ints, tuple[Codes, ...]]:
        """Return the index of a deal for each cell and signature, -1 for none, and the cards of these deals by pool.

        Returns:
            int64[cells, signatures], and uint8[deals, k] for each pool.
        """
        known, cells = self.states[-1].cards, int(self.cell_of.max()) + 1
        row = np.full((cells, self.deals.shape[1]), -1, np.int64)
        found: list[tuple[Codes, ...]] = []
        for cell in range(cells):
            of_cell = np.flatnonzero(self.cell_of == cell)
            # The state with most deals of a signature gives an example soonest.
            likely = of_cell[self.deals[of_cell].argmax(axis=0)]
            for signature, at in enumerate(likely.tolist()):
                if row[cell, signature] < 0 and self.deals[at, signature]:
                    for other, hand in self._find_deals_after(tuple(pool[at : at + 1] for pool in known)):
                        if row[cell, other] < 0:
                            row[cell, other] = len(found)
                            cards = [pool[at] for pool in known]
                            found.append((*cards[: self.pool], hand, *cards[self.pool + 1 :]))
        return row, tuple(np.stack([deal[at] for deal in found]) for at in range(len(self.pools)))

    def _find_deals_after(self, known: tuple[Codes, ...]) -> Iterator[tuple[int, Codes]]:
        """Yield each signature that follows a state, with an example of the hidden hand."""
        out = np.concatenate([pool for at, pool in enumerate(known) if at != self.pool], axis=1)
        hands = complete_hands(known[self.pool], self.completions.size, out)[0]
        spots = np.searchsorted(self.completions.spread.strengths, self.completions.strength(hands))
        signature = np.searchsorted(self.bounds, spots, "right")
        if self.versus is not None:
            own = int(self._rank_hand(self.versus, known)[0])
            sides = [np.searchsorted(self.completions.spread.strengths, own, side) for side in ("left", "right")]
            signature = signature * 3 + np.searchsorted(np.array(sides), spots, "right")
        kinds, first = np.unique(signature, return_index=True)
        yield from zip(kinds.tolist(), hands[first], strict=True)

    @cached_property
    def results(self) -> list[deal_settlement.SettledDeals]:
        """Return the settlement of one deal of each cell and signature, by alternative."""
        return self._settle_examples(self.examples[1])

    def _list_shares(self, reached: Mapping[Decisions, Ints]) -> Iterator[deal_settlement.OutcomeShare]:
        row = self.examples[0]
        for at, (alternative, result) in enumerate(zip(self.alternatives, self.results, strict=True)):
            weight = reached.get(alternative.decisions)
            if weight is None:
                continue
            number = np.zeros(row.shape, np.int64)
            for start in range(0, len(weight), _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                np.add.at(number, self.cell_of[part], self.deals[part].astype(np.int64) * weight[part, None])
            counted = np.zeros(len(result.net), np.int64)
            np.add.at(counted, row[row >= 0], number[row >= 0])
            yield from deal_settlement.count_shares(at, result, counted)

    def _find_last_worth(self, before: Decisions) -> StateWorth:
        at, row = self.number[before], self.examples[0]
        result, per = self.results[at], lcm(*(result.denominator for result in self.results))
        net_of_cell = np.append(result.net * (per // result.denominator), 0)[row]
        net = np.concatenate(
            [
                (self.deals[start : start + _AT_ONCE] * net_of_cell[self.cell_of[start : start + _AT_ONCE]]).sum(axis=1)
                for start in range(0, len(self.deals), _AT_ONCE)
            ]
        )
        staked = self.deals.sum(axis=1, dtype=np.int64) * self.alternatives[at].at_risk
        return StateWorth(net=net, staked=staked, best=np.zeros(0, np.int64))
