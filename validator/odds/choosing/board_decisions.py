"""Exact odds of games in which a board that hands share, or the rest of a hand, is turned up in stages.

There are too many deals to rank each of them. So every board is taken once for each class of suits. For each pair of
own cards, the other hands are counted by what settlement distinguishes (`board_hands`). The best last decision follows
for each board and pair; earlier points have sums over all boards that contain the cards seen there.

An up card of a dealer with five cards is an example. Every other hand is then seen whole. The deals of the rest are
counted by inclusion and exclusion: the hands that contain the seen cards of the hand and none of the other cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import comb, lcm

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds import deal_settlement
from fairdeal.validator.odds.board_hands import PAIRS, BoardClasses, PairCounts, SharedBoard
from fairdeal.validator.odds.card_sets import complete_hands, count_below
from fairdeal.validator.odds.choosing import staged_decisions
from fairdeal.validator.odds.hand_counts import HandCounts
from fairdeal.validator.odds.player_options import Alternative, DecisionOption, NoOdds, OddsTable, TooManyDeals
from fairdeal.validator.odds.sample_rounds import DecidingHands, SampleRounds, complete_deals

_AT_ONCE = 512
"""Number of boards that are counted at a time."""
_MOST_BOARDS = 1 << 18
"""Largest number of classes of boards."""
_LARGEST = 1 << 62
_RENAMINGS = 24
_PAIR = 2


class SharedHands(Struct, frozen=True, kw_only=True):
    """Two hands that share a board."""

    own: str
    other: str
    other_place: Place
    board: Place


class _SettledKinds(Struct, frozen=True, kw_only=True, eq=False):
    """Settlement of deals of some kinds."""

    kinds: Ints
    """Kinds of the deals, int64[n]."""
    results: list[deal_settlement.SettledDeals]
    """Settlement by alternative."""


class BoardDecisions(staged_decisions.StagedChoices):
    """Decisions by the own pair and the part of a shared board that is seen. States are classes of boards by pair."""

    def __init__(
        self,
        table: OddsTable,
        looks: DecidingHands,
        hands: SharedHands,
        alternatives: list[Alternative],
        meters: Mapping[str, int],
        report_progress: Callable[[str], object],
    ) -> None:
        """Prepare the decisions. Raises `TooManyDeals` if settlement or the player looks at more than the two hands."""
        sizes = table.prepared.game.deal.cards
        self.hands, self.report_progress, self.size = hands, report_progress, sizes[hands.board]
        if sizes["player"] != _PAIR or sizes[hands.other_place] != _PAIR:
            raise TooManyDeals(f"{hands.own} and {hands.other} are not hands of two own cards each")
        if looks.lengths or not looks.compared <= {(hands.own, hands.other), (hands.other, hands.own)}:
            raise TooManyDeals("settlement depends on more than the order of hands that share cards")
        seen = [dict(point.seen) for point in table.points]
        boards = [cards.pop(hands.board, 0) for cards in seen]
        if any(cards != {"player": _PAIR} for cards in seen):
            raise TooManyDeals("players see other cards than their own two and the board when they decide")
        is_whole = boards[-1] == self.size
        if self.size in boards[:-1] or len(boards) == is_whole:
            raise TooManyDeals("players decide once, or several times by the whole board")
        super().__init__(table, alternatives, table.points[: len(boards) - is_whole], meters)
        self.last_point = table.points[-1] if is_whole else None
        self.levels = [BoardClasses(cards) for cards in boards[: len(self.points)]]
        self.boards = BoardClasses(self.size)
        if len(self.boards.classes.cards) > _MOST_BOARDS:
            raise TooManyDeals(f"boards of {self.size} cards are too many to be counted")
        own_ends, other_ends = (sorted(looks.bounds[name]) for name in (hands.own, hands.other))
        self.shared = SharedBoard(
            self.prepared.hands[hands.own], self.prepared.hands[hands.other], own_ends, other_ends
        )
        self.kinds = (len(own_ends) + 1) * self.shared.kinds
        self.settled: list[_SettledKinds] = []
        self.denominator = 1
        self.net = np.zeros((len(alternatives), self.kinds), np.int64)
        self.is_settled = np.zeros(self.kinds, np.bool_)
        self.last_choices: dict[staged_decisions.Decisions, Ints] = {}

    # Boards, with the number of deals of each kind

    def _count_boards(self, purpose: str) -> Iterator[tuple[Codes, Ints, PairCounts]]:
        """Yield boards with their weights and counts, and settle every kind of deal that is new."""
        cards, weight = self.boards.classes.cards, self.boards.classes.weight
        for start in range(0, len(cards), _AT_ONCE):
            boards = cards[start : start + _AT_ONCE]
            counted = self.shared.count(boards)
            self._settle_new_kinds(boards, counted)
            yield boards, weight[start : start + _AT_ONCE], counted
            if start % (_AT_ONCE << 6) == 0:
                self.report_progress(f"{purpose}: {start:,} of {len(cards):,} boards")

    def _settle_new_kinds(self, boards: Codes, counted: PairCounts) -> None:
        found = dict[int, tuple[int, int, int]]()
        for kind in range(self.shared.kinds):
            board, column = np.nonzero(counted.counts[..., kind])
            whole = counted.cell[board, column] * self.shared.kinds + kind
            for new, first in zip(*np.unique(whole, return_index=True), strict=True):
                if not self.is_settled[new]:
                    pair = int(counted.pairs[board[first], column[first]])
                    found[int(new)] = int(board[first]), pair, kind
        if not found:
            return
        deals = complete_deals(
            self.prepared,
            {
                "player": np.stack([PAIRS[pair] for _, pair, _ in found.values()]),
                self.hands.board: np.stack([boards[board] for board, _, _ in found.values()]),
                self.hands.other_place: np.stack(
                    [self.shared.find_other_pair(boards[board], pair, kind) for board, pair, kind in found.values()]
                ),
            },
        )
        results = [
            deal_settlement.settle_deals(
                self.table,
                SampleRounds(dealt=deals, stakes=way.stakes, decisions=way.decisions, meters=self.meters),
            )
            for way in self.alternatives
        ]
        kinds = np.array([*found], np.int64)
        per = lcm(self.denominator, *(result.denominator for result in results))
        self._rescale(per // self.denominator)
        self.denominator = per
        for at, result in enumerate(results):
            self.net[at, kinds] = result.net * (per // result.denominator)
        self.is_settled[kinds] = True
        self.settled.append(_SettledKinds(kinds=kinds, results=results))
        # A board is turned up in stages in fewer ways than it is divided twice at its middle.
        deals_in_all = comb(CARDS - _PAIR, self.size) * comb(self.size, self.size // 2) ** 2
        others_in_all = comb(CARDS - _PAIR - self.size, _PAIR)
        if int(np.abs(self.net).max()) * deals_in_all * others_in_all * _RENAMINGS >= _LARGEST:
            raise NoOdds("the sums over all deals are too large to be exact")

    def _rescale(self, factor: int) -> None:
        self.net *= factor
        for worth in self._sums.values():
            worth.net[...] *= factor

    def _value_alternatives(self, counted: PairCounts) -> Ints:
        """Return the balance of each alternative with each pair on each board, over all other hands, int64[a, n, p]."""
        values = np.zeros((len(self.alternatives), *counted.cell.shape), np.int64)
        net = self.net.reshape(len(self.alternatives), -1, self.shared.kinds)
        for kind in range(self.shared.kinds):
            others = counted.counts[..., kind].astype(np.int64)
            for at in range(len(self.alternatives)):
                of_cell = net[at, :, kind]
                values[at] += others * (of_cell[0] if (of_cell == of_cell[0]).all() else of_cell.take(counted.cell))
        return values

    def _choose_last(
        self, before: staged_decisions.Decisions, stakes: Mapping[str, int], values: Ints
    ) -> staged_decisions.StateWorth:
        """Return the worth of each pair on each board after some decisions, with the best last one, int64[n, p]."""
        others = comb(CARDS - _PAIR - self.size, _PAIR)
        ways = [
            self.number[staged_decisions.append_decision(before, option)]
            for option in self._list_last_options(before, stakes)
        ]
        worths = [
            staged_decisions.StateWorth(
                net=values[at],
                staked=np.full(values.shape[1:], others * self.alternatives[at].at_risk),
                best=np.zeros(values.shape[1:], np.int64),
            )
            for at in ways
        ]
        return (
            worths[0]
            if len(ways) == 1
            else staged_decisions.choose_best(worths, [np.ones(values.shape[1:], np.bool_)] * len(ways))
        )

    def _list_last_options(self, before: staged_decisions.Decisions, stakes: Mapping[str, int]) -> list[DecisionOption]:
        if self.last_point is None:
            return [DecisionOption(decision=None, stakes=stakes, open_to=None)]
        options = self.table.list_options(self.last_point, before, stakes)
        if any(option.open_to is not None or option.is_fallback for option in options):
            raise NoOdds("the decisions that are open depend on a board that players share")
        return options

    @cached_property
    def _sums(self) -> dict[staged_decisions.Decisions, staged_decisions.StateWorth]:
        """Return the worth of the states of the last weighed point, by the decisions before, while boards are added."""
        shape = self.levels[-1].shape
        return {
            before: staged_decisions.StateWorth(
                net=np.zeros(shape, np.int64), staked=np.zeros(shape, np.int64), best=np.zeros(0, int)
            )
            for before in self._stakes_before
        }

    @cached_property
    def _stakes_before(self) -> dict[staged_decisions.Decisions, Mapping[str, int]]:
        """Return the stakes by the decisions at the points before the last one."""
        reached: dict[staged_decisions.Decisions, Mapping[str, int]] = {(): self.table.opening_stakes}
        for at in range(len(self.points)):
            reached = {
                staged_decisions.append_decision(before, option): option.stakes
                for before, stakes in reached.items()
                for option in self._find_options(at, before, stakes).options
            }
        return reached

    @cached_property
    def last_worths(self) -> dict[staged_decisions.Decisions, staged_decisions.StateWorth]:
        """Return the worth of the states of the last weighed point, by the decisions taken until then."""
        level, sums = self.levels[-1], self._sums
        for boards, weight, counted in self._count_boards("what hands are worth"):
            values = self._value_alternatives(counted)
            for before, stakes in self._stakes_before.items():
                worth = self._choose_last(before, stakes, values)
                for each, into in ((worth.net, sums[before].net), (worth.staked, sums[before].staked)):
                    level.collect(boards, _by_pair(counted, each * weight[:, None]), into)
        return {
            before: staged_decisions.StateWorth(
                net=level.average(worth.net).reshape(-1),
                staked=level.average(worth.staked).reshape(-1),
                best=np.zeros(0, np.int64),
            )
            for before, worth in sums.items()
        }

    # Steps between points, and results

    @cached_property
    def first_weight(self) -> Ints:
        """Return 1 for each pair that shares no card with a board of the first point, int64[classes * 1326]."""
        return self.levels[0].is_free.astype(np.int64).reshape(-1)

    def _find_last_worth(self, before: staged_decisions.Decisions) -> staged_decisions.StateWorth:
        return self.last_worths[before]

    def _step_back(self, at: int, later: staged_decisions.StateWorth) -> staged_decisions.StateWorth:
        here, there = self.levels[at], self.levels[at + 1]
        if here.size == there.size:
            return later
        net, staked = (self._collect(here, there, values) for values in (later.net, later.staked))
        return staged_decisions.StateWorth(net=net, staked=staked, best=later.best)

    @staticmethod
    def _collect(here: BoardClasses, there: BoardClasses, values: Ints) -> Ints:
        weighted = values.reshape(there.shape) * there.classes.weight[:, None] * there.is_free
        into = np.zeros(here.shape, np.int64)
        here.collect(there.classes.cards, weighted, into)
        return here.average(into).reshape(-1)

    def _move_weights(self, at: int, weight: Ints) -> Ints:
        here, there = self.levels[at], self.levels[at + 1]
        if here.size == there.size:
            return weight
        return (here.spread(weight.reshape(here.shape), there.classes.cards) * there.is_free).reshape(-1)

    def _is_open(
        self, at: int, before: staged_decisions.Decisions, stakes: Mapping[str, int], option: DecisionOption
    ) -> Flags:
        answer = YES
        if option.open_to is not None:
            answer = int(self.table.open_unknown_round(stakes, before).evaluate(option.open_to, "seat")[0])
        if answer == UNKNOWN:
            raise NoOdds("the decisions that are open depend on a board that players share")
        return np.full(self.levels[at].shape[0] * len(PAIRS), answer == YES)

    def _list_shares(
        self, reached: Mapping[staged_decisions.Decisions, Ints]
    ) -> Iterator[deal_settlement.OutcomeShare]:
        counts = np.zeros((len(self.alternatives), self.kinds))
        level = self.levels[-1]
        for before in reached:
            options = self._list_last_options(before, self._stakes_before[before])
            self.last_choices[before] = np.zeros(len(options), np.int64)
        for boards, board_weight, counted in self._count_boards("how often deals come"):
            values = self._value_alternatives(counted)
            for before, weight in reached.items():
                stakes = self._stakes_before[before]
                ways = level.spread(weight.reshape(level.shape), boards) * board_weight[:, None]
                deals = np.take_along_axis(ways, counted.pairs, axis=1)
                best = self._choose_last(before, stakes, values).best
                for number, option in enumerate(self._list_last_options(before, stakes)):
                    at = self.number[staged_decisions.append_decision(before, option)]
                    chosen = np.nonzero((best == number) & (deals > 0))
                    self.last_choices[before][number] += deals[chosen].sum()
                    number_of_deals = counted.counts[chosen] * deals[chosen][:, None]
                    key = counted.cell[chosen][:, None] * self.shared.kinds + np.arange(self.shared.kinds)
                    counts[at] += np.bincount(key.reshape(-1), number_of_deals.reshape(-1), minlength=self.kinds)
        if counts.sum() >= staged_decisions.EXACT:
            raise NoOdds("the deals are too many to be counted exactly")
        for at in range(len(self.alternatives)):
            for part in self.settled:
                yield from deal_settlement.count_shares(at, part.results[at], counts[at, part.kinds].astype(np.int64))

    def _prove(self) -> deal_settlement.SettlementProof:
        return deal_settlement.merge_proofs(result.proof() for part in self.settled for result in part.results)

    def _list_choices(
        self, reached: Mapping[tuple[int, staged_decisions.Decisions], Ints]
    ) -> Iterator[deal_settlement.PointChoices]:
        yield from super()._list_choices(reached)
        for before, weight in sorted(self.last_choices.items()):
            yield _sum_up(before, self._list_last_options(before, self._stakes_before[before]), weight)

    def _describe_choices(
        self, at: int, before: staged_decisions.Decisions, weight: Ints
    ) -> deal_settlement.PointChoices:
        level, options = self.levels[at], self._options[at, before].options
        best = self._worths[at, before].best
        deals = (weight.reshape(level.shape) * level.classes.weight[:, None]).reshape(-1)
        if level.size:
            return _sum_up(before, options, np.array([deals[best == number].sum() for number in range(len(options))]))
        rows = np.flatnonzero(deals)
        return deal_settlement.PointChoices(
            after=before,
            decisions=tuple(option.decision for option in options),
            cards={"player": PAIRS[rows]},
            weight=deals[rows],
            best=best[rows],
        )


def _sum_up(
    before: staged_decisions.Decisions, options: Sequence[DecisionOption], weight: Ints
) -> deal_settlement.PointChoices:
    """Return the number of deals for which each option is best, without the cards: there are too many."""
    return deal_settlement.PointChoices(
        after=before,
        decisions=tuple(option.decision for option in options),
        cards={},
        weight=weight,
        best=np.arange(len(options)),
    )


def _by_pair(counted: PairCounts, values: Ints) -> Ints:
    """Return values of pairs as rows by pair, int64[n, 1326]."""
    result = np.zeros((len(values), len(PAIRS)), np.int64)
    np.put_along_axis(result, counted.pairs, values, axis=1)
    return result


_MOST_STATES = 1 << 23
"""Largest number of sets of cards that players may see."""
_STATES_AT_ONCE = 1 << 18
"""Number of states that are counted at a time."""


class PartlySeenHand(staged_decisions.StagedDecisions):
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
            raise staged_decisions.TooManyStates("several hands have cards that players do not see")
        if self.prepared.hands[hidden[0]].cards != "dealt" or len(compared) > 1:
            raise staged_decisions.TooManyStates("the unseen cards are exchanged, or compared with several hands")
        if comb(CARDS, sum(self.seen[-1])) > _MOST_STATES * 24:
            raise staged_decisions.TooManyStates(
                "there are too many sets of cards that players may see when they decide"
            )
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
        for start in range(0, len(known[0]), _STATES_AT_ONCE):
            parts.append(self._count_part(tuple(pool[start : start + _STATES_AT_ONCE] for pool in known)))
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

    def _list_shares(
        self, reached: Mapping[staged_decisions.Decisions, Ints]
    ) -> Iterator[deal_settlement.OutcomeShare]:
        row = self.examples[0]
        for at, (alternative, result) in enumerate(zip(self.alternatives, self.results, strict=True)):
            weight = reached.get(alternative.decisions)
            if weight is None:
                continue
            number = np.zeros(row.shape, np.int64)
            for start in range(0, len(weight), _STATES_AT_ONCE):
                part = slice(start, start + _STATES_AT_ONCE)
                np.add.at(number, self.cell_of[part], self.deals[part].astype(np.int64) * weight[part, None])
            counted = np.zeros(len(result.net), np.int64)
            np.add.at(counted, row[row >= 0], number[row >= 0])
            yield from deal_settlement.count_shares(at, result, counted)

    def _find_last_worth(self, before: staged_decisions.Decisions) -> staged_decisions.StateWorth:
        at, row = self.number[before], self.examples[0]
        result, per = self.results[at], lcm(*(result.denominator for result in self.results))
        net_of_cell = np.append(result.net * (per // result.denominator), 0)[row]
        net = np.concatenate(
            [
                (
                    self.deals[start : start + _STATES_AT_ONCE]
                    * net_of_cell[self.cell_of[start : start + _STATES_AT_ONCE]]
                ).sum(axis=1)
                for start in range(0, len(self.deals), _STATES_AT_ONCE)
            ]
        )
        staked = self.deals.sum(axis=1, dtype=np.int64) * self.alternatives[at].at_risk
        return staged_decisions.StateWorth(net=net, staked=staked, best=np.zeros(0, np.int64))
