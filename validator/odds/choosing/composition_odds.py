"""Exact odds of wagers that cards and one decision decide, for any number of decks, with cards that come by a rule.

Cards that no hand distinguishes form a class. The deal is followed stage by stage. Every choice of classes for a
place leads to further rows. Their weight is the number of ways to draw these cards from those that are left. The engine
evaluates the conditions of the stages and settles one deal of each row. Weights count orders of the most cards that a
round may use, so that rounds with fewer cards have their share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations_with_replacement, pairwise
from math import comb, factorial, lcm, perm

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import Codes, Flags, Ints
from fairdeal.validator.cards.card_codes import CARDS, NO_CARD
from fairdeal.validator.cards.hand_orders import SuitTiebreakRanking
from fairdeal.validator.cards.point_totals import PointTotalRanking
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.engine.core.compiled_game import CompiledGame, compile_game_deck
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES
from fairdeal.validator.language.grammar import Place, grain_of_place
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.odds import deal_settlement, sample_rounds
from fairdeal.validator.odds.player_options import Alternative, NoOdds, OddsTable, TooManyDeals
from fairdeal.validator.rulebook.dependencies import iterate_dependencies

_MOST_ROWS = 1 << 22
"""Most rows of the deal that are followed."""
_MOST_WEIGHT = 1 << 62
_ON_DECISIONS = frozenset({"decided", "decided-in-the-end", "decision-is-open"})
"""Operators of conditions on decisions."""


def is_counted_by_composition(table: OddsTable, alternatives: list[Alternative]) -> bool:
    """Return whether cards and at most one decision decide a wager, in a game of several decks or with cards that come
    by a rule."""
    game = table.prepared.game
    several = game.decks > 1 or bool(game.deal.stages_by_rule)
    if not several or game.drawing:
        return False
    if len(alternatives) == 1:
        return not alternatives[0].decisions
    takes = any(stage.takes is not None for stage in game.deal.stages)
    return len(table.points) == 1 and not takes and not any(alternative.discards for alternative in alternatives)


def solve_by_composition(
    table: OddsTable, alternatives: list[Alternative], looks: sample_rounds.DecidingHands, meters: Mapping[str, int]
) -> deal_settlement.Solution:
    """Return the exact odds of a wager that cards and at most one decision decide.

    Raises `TooManyDeals`, and `NoOdds` if a stage of the deal depends on more than cards.

    Args:
        table: the table.
        alternatives: the decisions of the player, with their stakes.
        looks: hands on which settlement depends; receives those on which the deal depends.
        meters: readings of the meters.
    """
    for alternative in alternatives:
        scope = table.open_unknown_round(alternative.stakes)
        for condition in alternative.open_to:
            sample_rounds.find_hands_in_condition(scope, condition, looks)
        _DealTree(table, alternative, looks)  # adds the hands on which its deal depends
    trees = [_DealTree(table, alternative, looks).follow() for alternative in alternatives]
    if len(alternatives) == 1:
        return _solve_single(table, alternatives[0], trees[0], meters)
    seen = table.points[0].seen
    views = [
        {place: deals.cards[place][:, :number] for place, number in seen.items() if place in deals.cards}
        for deals in trees
    ]
    keys, numbers = _number_views(trees, views)
    is_open = _find_open(table, alternatives, trees, views)
    results, nets = list[deal_settlement.SettledDeals](), list[NDArray[np.object_]]()
    for alternative, deals, rows in zip(alternatives, trees, is_open, strict=True):
        rounds = sample_rounds.SampleRounds(
            dealt=deals.take(rows).cards, stakes=alternative.stakes, decisions=alternative.decisions, meters=meters
        )
        results.append(deal_settlement.settle_deals(table, rounds))
    per = lcm(*(result.denominator for result in results))
    for deals, number, rows, result in zip(trees, numbers, is_open, results, strict=True):
        net = np.full(len(keys), None, np.object_)
        net[number[rows]] = 0
        scaled = result.net.astype(np.object_) * (per // result.denominator)
        np.add.at(net, number[rows], scaled * deals.weight[rows].astype(np.object_))
        nets.append(net)
    if table.needed_group is not None and any(len({net[at] for net in nets} - {None}) > 1 for at in range(len(keys))):
        raise NoOdds("it depends on decisions for another wager, which players take by the cards seen at each")
    best = np.array([_choose([net[at] for net in nets]) for at in range(len(keys))], np.int64)
    shares: list[deal_settlement.OutcomeShare] = []
    for at, (deals, number, rows, result) in enumerate(zip(trees, numbers, is_open, results, strict=True)):
        chosen = np.where(best[number[rows]] == at, deals.weight[rows], 0)
        shares += deal_settlement.count_shares(at, result, chosen)
    return deal_settlement.Solution(
        alternatives=tuple(alternatives),
        shares=tuple(shares),
        choice=None,
        points=(_list_choices(alternatives, views[0], numbers[0], trees[0], best),),
        proof=deal_settlement.merge_proofs(result.proof() for result in results),
    )


def _solve_single(
    table: OddsTable, alternative: Alternative, deals: _Deals, meters: Mapping[str, int]
) -> deal_settlement.Solution:
    """Return the odds of a wager without a choice, over the deals in which it may be placed. Raises `NoOdds`."""
    chosen = deals.take(_is_open(table, alternative, deals, deals.cards)) if alternative.open_to else deals
    if not len(chosen.weight):
        raise NoOdds("it may be placed in no deal")
    rounds = sample_rounds.SampleRounds(
        dealt=chosen.cards, stakes=alternative.stakes, decisions=alternative.decisions, meters=meters
    )
    result = deal_settlement.settle_deals(table, rounds)
    return deal_settlement.Solution(
        alternatives=(alternative,),
        shares=tuple(deal_settlement.count_shares(0, result, chosen.weight)),
        choice=None,
        proof=result.proof(),
    )


def find_single_alternative(table: OddsTable) -> Alternative | None:
    """Return the only alternative of a wager that is settled by cards that come before decisions take any.

    None if a decision, a wager that it places or a later card has an effect.
    """
    game, lines = table.prepared.game, {*table.group.lines}
    taking = [number for number, stage in enumerate(game.deal.stages) if stage.takes is not None]
    cases = [case for case in game.settlement.cases if not lines.isdisjoint(case.lines)]
    parts = [part for case in cases for part in iterate_dependencies(game, case)]
    decides = any(isinstance(part, Condition) and part.operator in _ON_DECISIONS for part in parts)
    placed = {decision.places for name, decision in game.decisions.items() if name != table.placed_by}
    looks = sample_rounds.DecidingHands()
    rounds = sample_rounds.SampleRounds(dealt={}, stakes=table.opening_stakes)
    sample_rounds.find_deciding_hands(table.open_rounds(rounds), table.group.lines, looks)
    names = [stage.stage for stage in game.deal.stages]
    ends = [
        max(map(names.index, game.hands[name].only_stages), default=table.prepared.hands[name].through_stage)
        for name in looks.hands
    ]
    if not taking or decides or not lines.isdisjoint(placed) or looks.places or max(ends, default=0) >= taking[0]:
        return None
    return table.make_alternative()


def _number_views(trees: list[_Deals], views: list[dict[Place, Codes]]) -> tuple[Ints, list[Ints]]:
    """Return the distinct rows of seen cards over all trees, and the number of each row among them, tree by tree."""
    rows = [
        np.concatenate([np.zeros((len(deals.weight), 1), np.uint8), *view.values()], axis=1)
        for deals, view in zip(trees, views, strict=True)
    ]
    keys, number = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    bounds = np.cumsum([0, *map(len, rows)])
    return keys, [number.reshape(-1)[start:end] for start, end in pairwise(bounds)]


def _find_open(
    table: OddsTable, alternatives: list[Alternative], trees: list[_Deals], views: list[dict[Place, Codes]]
) -> list[Flags]:
    """Return the rows in which each alternative is open, by the cards that are seen. Raises `NoOdds`."""
    is_open: list[Flags] = []
    for alternative, deals, view in zip(alternatives, trees, views, strict=True):
        is_open.append(_is_open(table, alternative, deals, view))
        if alternative.is_fallback:
            for other in alternatives:
                if not other.is_fallback:
                    is_open[-1] = is_open[-1] & ~_is_open(table, other, deals, view)
    return is_open


def _is_open(table: OddsTable, alternative: Alternative, deals: _Deals, view: dict[Place, Codes]) -> Flags:
    result = np.ones(len(deals.weight), bool)
    for condition in alternative.open_to:
        rounds = sample_rounds.SampleRounds(dealt=view, stakes=table.opening_stakes)
        answers = table.open_rounds(rounds).evaluate(condition, "seat")
        if (answers == UNKNOWN).any():
            raise NoOdds(f"who may take {alternative.name} depends on more than the player sees")
        result &= answers == YES
    return result


def _choose(nets: list[int | None]) -> int:
    """Return the first of the best alternatives that are open."""
    return max((at for at, net in enumerate(nets) if net is not None), key=lambda at: (nets[at], -at))


def _list_choices(
    alternatives: list[Alternative], view: dict[Place, Codes], number: Ints, deals: _Deals, best: Ints
) -> deal_settlement.PointChoices:
    """Return the best decision for each row of cards that are seen."""
    _, first = np.unique(number, return_index=True)
    weight = np.zeros(len(best), np.int64)
    np.add.at(weight, number, deals.weight)
    return deal_settlement.PointChoices(
        after=(),
        decisions=tuple(alternative.name for alternative in alternatives),
        cards={place: cards[first] for place, cards in view.items()},
        weight=weight,
        best=best,
    )


class _Deals(Struct, kw_only=True):
    """Rows of the deal."""

    cards: dict[Place, Codes]
    """Cards of each place, uint8[n, k], padded with `NO_CARD`."""
    left: Ints
    """Number of cards of each class that are left, int64[n, classes]."""
    weight: Ints
    """Number of ways to deal each row, int64[n]."""

    def take(self, rows: Ints | Flags) -> _Deals:
        """Return some rows."""
        return _Deals(
            cards={place: cards[rows] for place, cards in self.cards.items()},
            left=self.left[rows],
            weight=self.weight[rows],
        )


def _join(parts: list[_Deals]) -> _Deals:
    return _Deals(
        cards={place: np.concatenate([part.cards[place] for part in parts]) for place in parts[0].cards},
        left=np.concatenate([part.left for part in parts]),
        weight=np.concatenate([part.weight for part in parts]),
    )


class _DealTree:
    """Deal of a game, followed from stage to stage."""

    def __init__(self, table: OddsTable, alternative: Alternative, looks: sample_rounds.DecidingHands) -> None:
        self.table, self.alternative, self.looks = table, alternative, looks
        self.prepared = table.prepared
        self.deal = self.prepared.game.deal
        self.seen = table.points[0].seen if len(table.points) == 1 else {}
        self.needed = self._find_needed_cards()
        self.classes = classify_cards(self.prepared, looks.hands, by_suit=bool(looks.alike))
        deck, decks = compile_game_deck(self.prepared), self.prepared.game.decks
        codes = np.array([] if deck is None else deck.cards, np.int64)
        self.stock = np.bincount(self.classes[codes], minlength=int(self.classes.max()) + 1).astype(np.int64) * decks
        # Where classes end before a card of the deck, the first card of each class represents it.
        self.example = np.array(
            [next((code for code in codes if self.classes[code] == each), 0) for each in range(len(self.stock))],
            np.uint8,
        )
        self.most = sum(count for _, _, count in self._iterate_packets())

    def _iterate_packets(self) -> Iterable[tuple[int, Place, int]]:
        """Yield the stages and places whose cards matter, with their most cards."""
        for number, stage in enumerate(self.deal.stages):
            for place, count in stage.count_most_cards().items():
                if (number, place) in self.needed:
                    if stage.takes is not None:
                        raise TooManyDeals(f"any number of cards may come in the stage {stage.stage}")
                    yield from ((number, place, part) for part in self._split_packet(number, place, count))

    def _split_packet(self, number: int, place: Place, count: int) -> list[int]:
        """Return the numbers of cards that the player sees before the decision, and of the others, of a stage."""
        before = sum(stage.count_most_cards().get(place, 0) for stage in self.deal.stages[:number])
        seen = min(max(self.seen.get(place, 0) - before, 0), count)
        return [part for part in (seen, count - seen) if part]

    def _find_needed_cards(self) -> set[tuple[int, Place]]:
        """Return the stages and places whose cards matter; conditions of stages add hands on which they depend."""
        scope = self.table.open_unknown_round(self.alternative.stakes)
        needed: set[tuple[int, Place]] = set()
        pending = True
        while pending:
            known = len(needed)
            for name in self.looks.hands:
                hand, model = self.prepared.hands[name], self.prepared.game.hands[name]
                for number, stage in enumerate(self.deal.stages):
                    counts = (
                        not model.only_stages or stage.stage in model.only_stages
                    ) and number <= hand.through_stage
                    needed |= {(number, place) for place in hand.places if counts and place in stage.count_most_cards()}
            for number, stage in enumerate(self.deal.stages):
                needed |= {(number, place) for place in self.looks.places if place in stage.count_most_cards()}
            for number in {number for number, _ in needed}:
                if (when := self.deal.stages[number].when) is not None:
                    sample_rounds.find_hands_in_condition(scope, when, self.looks)
            pending = len(needed) > known
        return needed

    def follow(self) -> _Deals:
        """Return every row of the deal. Raises `TooManyDeals` and `NoOdds`."""
        total = int(self.stock.sum())
        if perm(total, self.most) >= _MOST_WEIGHT:
            raise TooManyDeals(f"{self.most} cards of {total} can be dealt in too many ways")
        places = [place for place in self.deal.cards if any(place == other for _, other in self.needed)]
        deals = _Deals(
            cards={place: np.zeros((1, 0), np.uint8) for place in places},
            left=self.stock[None, :].copy(),
            weight=np.ones(1, np.int64),
        )
        for number, place, count in self._iterate_packets():
            due = self._find_due(deals, number, place)
            parts = [self._draw(deals.take(due), place, count)]
            if not due.all():
                parts.append(self._pass(deals.take(~due), place, count))
            deals = _join(parts)
            if len(deals.weight) > _MOST_ROWS:
                raise TooManyDeals(f"more than {_MOST_ROWS:,} deals are distinguished")
        unused = self.most - (total - deals.left.sum(axis=1))
        rest = total - self.most + unused
        for number in range(int(unused.max(initial=0))):
            deals.weight = np.where(number < unused, deals.weight * (rest - number), deals.weight)
        cards = deals.cards or {"player": np.zeros((1, 0), np.uint8)}
        return _Deals(cards=cards, left=deals.left, weight=deals.weight)

    def _find_due(self, deals: _Deals, number: int, place: Place) -> Flags:
        """Return the rows in which a place is due the cards of a stage, bool[n]."""
        when = self.deal.stages[number].when
        if when is None:
            return np.ones(len(deals.weight), bool)
        rounds = sample_rounds.SampleRounds(
            dealt=deals.cards, stakes=self.alternative.stakes, decisions=self.alternative.decisions
        )
        answers = self.table.open_rounds(rounds).evaluate(when, grain_of_place(place))
        if (answers == UNKNOWN).any():
            raise NoOdds(f"the stage {self.deal.stages[number].stage} depends on more than the cards dealt before it")
        return answers == YES

    def _draw(self, deals: _Deals, place: Place, count: int) -> _Deals:
        """Return the rows after a place has drawn some cards in every way."""
        chosen = np.array([*combinations_with_replacement(range(len(self.stock)), count)], np.int64)
        taken = np.zeros((len(chosen), len(self.stock)), np.int64)
        for column in chosen.T:
            taken[np.arange(len(chosen)), column] += 1
        rows = len(deals.weight)
        if rows * len(chosen) > _MOST_ROWS:
            raise TooManyDeals(f"more than {_MOST_ROWS:,} deals are distinguished")
        before, way = np.repeat(np.arange(rows), len(chosen)), np.tile(np.arange(len(chosen)), rows)
        left, weight = deals.left[before], deals.weight[before] * factorial(count)
        for each in range(len(self.stock)):
            weight *= _count_choices(left[:, each], taken[way, each])
        possible = np.flatnonzero(weight)
        before, way = before[possible], way[possible]
        cards = {other: row[before] for other, row in deals.cards.items()}
        cards[place] = np.concatenate([cards[place], self.example[chosen[way]]], axis=1)
        return _Deals(cards=cards, left=left[possible] - taken[way], weight=weight[possible])

    def _pass(self, deals: _Deals, place: Place, count: int) -> _Deals:
        """Return the rows of rounds in which a place receives no cards of a stage."""
        none = np.full((len(deals.weight), count), NO_CARD, np.uint8)
        return _Deals(
            cards={**deals.cards, place: np.concatenate([deals.cards[place], none], axis=1)},
            left=deals.left,
            weight=deals.weight,
        )


def _count_choices(left: Ints, taken: Ints) -> Ints:
    """Return in how many ways some cards of a class can be taken of those that are left, int64[n]."""
    most, stock = int(taken.max(initial=0)), int(left.max(initial=0))
    table = np.array([[comb(of, number) for number in range(most + 1)] for of in range(stock + 1)], np.int64)
    return table[left, taken]


def classify_cards(prepared: CompiledGame, hands: Iterable[str], *, by_suit: bool) -> Ints:
    """Return the class of each card, int64[52]. Raises `TooManyDeals` for hands that need more than classes."""
    keys: list[list[object]] = [[code] if by_suit else [] for code in range(CARDS)]
    for name in hands:
        hand = prepared.hands[name]
        ranking = hand.ranking
        if hand.composed is not None or hand.cards == "open" or hand.is_set or isinstance(ranking, SuitTiebreakRanking):
            raise TooManyDeals(f"{name} does not depend on a set of cards alone")
        if isinstance(ranking, PointTotalRanking):
            values = ranking.card_classes().tolist()
        elif isinstance(ranking, CompiledRanking) and not any(rule.suited for rule in ranking.rules):
            values = [code // 4 for code in range(CARDS)]
        else:
            values = [*range(CARDS)]
        for code, value in enumerate(values):
            keys[code].append(value)
    number: dict[tuple[object, ...], int] = {}
    return np.array([number.setdefault(tuple(key), len(number)) for key in keys], np.int64)
