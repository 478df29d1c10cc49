"""Exact odds of games in which two hands of two cards share a board that is turned up in stages.

There are too many deals to rank each of them. So every board is taken once for each class of suits. For each pair of
own cards, the other hands are counted by what settlement distinguishes (`board_hands`). The best last decision follows
for each board and pair; earlier points have sums over all boards that contain the cards seen there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import comb, lcm

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Codes, Flags, Ints
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds.choosing.staged_choices import (
    EXACT,
    Decisions,
    StagedChoices,
    StateWorth,
    append_decision,
    choose_best,
)
from fairdeal.validator.odds.counting.board_hands import PAIRS, BoardClasses, PairCounts, SharedBoard
from fairdeal.validator.odds.rounds import deal_settlement
from fairdeal.validator.odds.rounds.player_options import Alternative, DecisionOption, NoOdds, OddsTable, TooManyDeals
from fairdeal.validator.odds.rounds.sample_rounds import DecidingHands, SampleRounds, complete_deals

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


class BoardDecisions(StagedChoices):
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
        self.last_choices: dict[Decisions, Ints] = {}

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

    def _choose_last(self, before: Decisions, stakes: Mapping[str, int], values: Ints) -> StateWorth:
        """Return the worth of each pair on each board after some decisions, with the best last one, int64[n, p]."""
        others = comb(CARDS - _PAIR - self.size, _PAIR)
        ways = [self.number[append_decision(before, option)] for option in self._list_last_options(before, stakes)]
        worths = [
            StateWorth(
                net=values[at],
                staked=np.full(values.shape[1:], others * self.alternatives[at].at_risk),
                best=np.zeros(values.shape[1:], np.int64),
            )
            for at in ways
        ]
        return worths[0] if len(ways) == 1 else choose_best(worths, [np.ones(values.shape[1:], np.bool_)] * len(ways))

    def _list_last_options(self, before: Decisions, stakes: Mapping[str, int]) -> list[DecisionOption]:
        if self.last_point is None:
            return [DecisionOption(decision=None, stakes=stakes, open_to=None)]
        options = self.table.list_options(self.last_point, before, stakes)
        if any(option.open_to is not None or option.is_fallback for option in options):
            raise NoOdds("the decisions that are open depend on a board that players share")
        return options

    @cached_property
    def _sums(self) -> dict[Decisions, StateWorth]:
        """Return the worth of the states of the last weighed point, by the decisions before, while boards are added."""
        shape = self.levels[-1].shape
        return {
            before: StateWorth(net=np.zeros(shape, np.int64), staked=np.zeros(shape, np.int64), best=np.zeros(0, int))
            for before in self._stakes_before
        }

    @cached_property
    def _stakes_before(self) -> dict[Decisions, Mapping[str, int]]:
        """Return the stakes by the decisions at the points before the last one."""
        reached: dict[Decisions, Mapping[str, int]] = {(): self.table.opening_stakes}
        for at in range(len(self.points)):
            reached = {
                append_decision(before, option): option.stakes
                for before, stakes in reached.items()
                for option in self._find_options(at, before, stakes).options
            }
        return reached

    @cached_property
    def last_worths(self) -> dict[Decisions, StateWorth]:
        """Return the worth of the states of the last weighed point, by the decisions taken until then."""
        level, sums = self.levels[-1], self._sums
        for boards, weight, counted in self._count_boards("what hands are worth"):
            values = self._value_alternatives(counted)
            for before, stakes in self._stakes_before.items():
                worth = self._choose_last(before, stakes, values)
                for each, into in ((worth.net, sums[before].net), (worth.staked, sums[before].staked)):
                    level.collect(boards, _by_pair(counted, each * weight[:, None]), into)
        return {
            before: StateWorth(
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

    def _find_last_worth(self, before: Decisions) -> StateWorth:
        return self.last_worths[before]

    def _step_back(self, at: int, later: StateWorth) -> StateWorth:
        here, there = self.levels[at], self.levels[at + 1]
        if here.size == there.size:
            return later
        net, staked = (self._collect(here, there, values) for values in (later.net, later.staked))
        return StateWorth(net=net, staked=staked, best=later.best)

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

    def _is_open(self, at: int, before: Decisions, stakes: Mapping[str, int], option: DecisionOption) -> Flags:
        answer = YES
        if option.open_to is not None:
            answer = int(self.table.open_unknown_round(stakes, before).evaluate(option.open_to, "seat")[0])
        if answer == UNKNOWN:
            raise NoOdds("the decisions that are open depend on a board that players share")
        return np.full(self.levels[at].shape[0] * len(PAIRS), answer == YES)

    def _list_shares(self, reached: Mapping[Decisions, Ints]) -> Iterator[deal_settlement.OutcomeShare]:
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
                    at = self.number[append_decision(before, option)]
                    chosen = np.nonzero((best == number) & (deals > 0))
                    self.last_choices[before][number] += deals[chosen].sum()
                    number_of_deals = counted.counts[chosen] * deals[chosen][:, None]
                    key = counted.cell[chosen][:, None] * self.shared.kinds + np.arange(self.shared.kinds)
                    counts[at] += np.bincount(key.reshape(-1), number_of_deals.reshape(-1), minlength=self.kinds)
        if counts.sum() >= EXACT:
            raise NoOdds("the deals are too many to be counted exactly")
        for at in range(len(self.alternatives)):
            for part in self.settled:
                yield from deal_settlement.count_shares(at, part.results[at], counts[at, part.kinds].astype(np.int64))

    def _prove(self) -> deal_settlement.SettlementProof:
        return deal_settlement.merge_proofs(result.proof() for part in self.settled for result in part.results)

    def _list_choices(self, reached: Mapping[tuple[int, Decisions], Ints]) -> Iterator[deal_settlement.PointChoices]:
        yield from super()._list_choices(reached)
        for before, weight in sorted(self.last_choices.items()):
            yield _sum_up(before, self._list_last_options(before, self._stakes_before[before]), weight)

    def _describe_choices(self, at: int, before: Decisions, weight: Ints) -> deal_settlement.PointChoices:
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


def _sum_up(before: Decisions, options: Sequence[DecisionOption], weight: Ints) -> deal_settlement.PointChoices:
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
