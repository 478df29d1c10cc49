"""Cost of the decisions of players: how much less their decision is worth than the decision of theory.

A recorded hand is followed decision by decision and card by card through the hands that theory knows. What the player
gives up by each decision adds up. What the house wins beyond the advantage and these costs is then zero on average,
whatever the players decide: every card that comes later is as likely as theory takes it to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Indices, Ints, Reals, find_true
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.ranking_models import RANKS, SUITS
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.odds.choosing.composition_odds import find_single_alternative
from fairdeal.validator.odds.choosing.exact_odds import weigh_decisions
from fairdeal.validator.odds.choosing.hand_values import HandValues
from fairdeal.validator.odds.choosing.own_hands import HandLevel
from fairdeal.validator.odds.choosing.simulated_odds import weigh_exchanges
from fairdeal.validator.odds.choosing.taken_cards import TakenCards, needs_taken_cards
from fairdeal.validator.odds.choosing.taking_rules import TakingRules
from fairdeal.validator.odds.deal_settlement import DecisionWithDiscards, DecisionWorths
from fairdeal.validator.odds.hand_counts import HandCounts
from fairdeal.validator.odds.player_options import NoOdds, OddsTable, TooManyDeals, WagerGroup, set_up_table
from fairdeal.validator.odds.wager_odds import list_variants

_NO_SPLIT = -1
"""Class of a hand whose box was not split."""


class BoxCosts(NamedTuple):
    """Costs of the decisions at some boxes. Both arrays are parallel."""

    cost: Reals
    """Cost per unit staked, of all hands of the box together; 0 where it is not known."""
    is_known: Flags
    """True if all decisions and cards of the box are recorded as theory knows them."""


class _FollowedHands(Struct, kw_only=True, eq=False):
    """Recorded hands on their way through the hands of theory. Arrays have an entry for each hand."""

    cards: Ints
    """Class of each card, int64[hands, width]; ABSENT after the last one."""
    count: Ints
    """Number of cards."""
    decisions: Ints
    """Indices of the decisions after the last split, int64[hands, width]; ABSENT after the last one."""
    front: Ints
    """Front of the round."""
    row: Ints
    """Row of the hand in the present level."""
    cost: Reals
    """Cost so far, in parts of a minor unit."""
    is_known: Flags
    """False if the record does not fit."""


class TakenCosts:
    """Costs of all decisions of a wager on hands for which decisions take cards."""

    def __init__(self, cards: TakenCards) -> None:
        self._cards, self._rules, self._draws = cards, cards.rules, cards.draws
        self._unit = cards.settlement.denominator * cards.table.stake
        names = self._rules.decisions
        self._split = next((at for at, name in enumerate(names) if name in self._rules.splitting), len(names))
        levels = [cards.levels, *(split.split_off for split in cards.split_levels.values())]
        self._width = max(map(len, levels)) + 2
        """Number of decisions of a hand that are followed, and more than a hand of theory has."""

    @cached_property
    def advantage(self) -> float:
        """Return the house advantage with the best decisions."""
        return -float((self._cards.reach * self._cards.values.values[0].worth).sum()) / self._unit

    @cached_property
    def _costs(self) -> dict[int, list[Reals]]:
        """Return the costs by class of the split and level; `_NO_SPLIT` for hands that are not split."""
        values: dict[int, HandValues] = {_NO_SPLIT: self._cards.values}
        values |= {card: box.play_hand(1).values for card, box in self._cards.boxes.items()}
        return {card: [each.measure_costs(at) for at in range(len(each.levels))] for card, each in values.items()}

    def _list_levels(self, card: int) -> Sequence[HandLevel]:
        return self._cards.levels if card == _NO_SPLIT else self._cards.split_levels[card].split_off

    def find_costs(self, scope: EvaluationContext, boxes: Ints) -> BoxCosts:
        """Return the costs at some boxes, by their first hands, int64[n]."""
        place = np.full(scope.count_items("seat"), ABSENT, np.int64)
        place[boxes] = np.arange(len(boxes))
        seats = find_true(place[scope.boxes.root] != ABSENT)
        box = place[scope.boxes.root[seats]]
        decided = self._collect_decisions(scope, seats)
        splits, is_first = (decided == self._split).sum(axis=1), scope.boxes.origin[seats] == ABSENT
        hands = self._begin(scope, seats, decided, splits)
        of_split = np.where(scope.boxes.is_split[seats], hands.cards[:, 0], _NO_SPLIT)
        hands.is_known &= (of_split == _NO_SPLIT) | np.isin(of_split, [*self._cards.boxes])
        self._add_split_costs(hands, of_split, splits, is_first)
        for card in np.unique(of_split[hands.is_known]).tolist():
            self._follow(hands, find_true((of_split == card) & hands.is_known), card)
        self._add_costs_of_pairs(hands, of_split, splits - is_first, np.bincount(box, minlength=len(boxes))[box])
        is_known = np.ones(len(boxes), bool)
        np.logical_and.at(is_known, box, hands.is_known)
        cost = np.bincount(box, hands.cost, minlength=len(boxes)) / self._unit
        return BoxCosts(cost=np.where(is_known, cost, 0.0), is_known=is_known)

    def _collect_decisions(self, scope: EvaluationContext, seats: Ints) -> Ints:
        """Return the decisions of each hand in order, int64[hands, width], padded with ABSENT."""
        events, place = scope.batch.events, np.full(scope.count_items("seat"), ABSENT, np.int64)
        place[seats] = np.arange(len(seats))
        number = np.full(len(events.decision.names) + 1, ABSENT, np.int64)  # the last entry is for no decision
        for at, name in enumerate(self._rules.decisions):
            if name in events.decision.names:
                number[events.decision.code(name)] = at
        chosen = find_true((events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT))
        chosen = chosen[(number[events.decision.codes[chosen]] != ABSENT) & (place[events.seat[chosen]] != ABSENT)]
        hand = place[events.seat[chosen]]
        order = np.argsort(hand, kind="stable")
        hand, chosen = hand[order], chosen[order]
        rank = np.arange(len(hand)) - np.searchsorted(hand, hand)
        result = np.full((len(seats), max(int(rank.max(initial=0)) + 2, self._width)), ABSENT, np.int64)
        result[hand, rank] = number[events.decision.codes[chosen]]
        return result

    def _begin(self, scope: EvaluationContext, seats: Ints, decided: Ints, splits: Ints) -> _FollowedHands:
        """Return the hands before the decisions that follow their last split."""
        dealt = scope.dealt_hands("player")
        cards, count, is_known = self._classify(Hands(cards=dealt.cards[seats], count=dealt.count[seats]))
        # A hand is split before anything else is decided.
        column = np.arange(decided.shape[1])
        is_known &= ((column < splits[:, None]) == (decided == self._split)).all(axis=1)
        later = np.minimum(column + splits[:, None], decided.shape[1] - 1)
        front, has_front = self._find_fronts(scope)
        round_ = scope.batch.seats.round[seats]
        return _FollowedHands(
            cards=cards,
            count=count,
            decisions=np.take_along_axis(decided, later, axis=1),
            front=front[round_],
            row=np.zeros(len(seats), np.int64),
            cost=np.zeros(len(seats)),
            is_known=is_known & has_front[round_] & (count >= self._rules.own),
        )

    def _classify(self, hands: Hands) -> tuple[Ints, Ints, Flags]:
        """Return the classes and numbers of cards, and whether all cards are known."""
        count, column = hands.count.astype(np.int64), np.arange(hands.cards.shape[1] + 1)
        codes = np.pad(hands.cards, ((0, 0), (0, 1)), constant_values=0).astype(np.int64)
        inside = column < count[:, None]
        is_known = (count >= 0) & ((codes < CARDS) | ~inside).all(axis=1)
        shown = inside & (codes < CARDS)
        return np.where(shown, self._rules.classes[np.where(shown, codes, 0)], ABSENT), count, is_known

    def _find_fronts(self, scope: EvaluationContext) -> tuple[Ints, Flags]:
        """Return the front of each round, and whether the cards show it.

        If the cards that players do not see are not recorded, they are such that a decision is open.
        """
        rules, rounds = self._rules, len(scope.batch)
        if rules.other is None:
            return np.zeros(rounds, np.int64), np.ones(rounds, bool)
        classes, _, _ = self._classify(scope.dealt_hands(rules.other))
        if classes.shape[1] < rules.fixed:
            return np.zeros(rounds, np.int64), np.zeros(rounds, bool)
        fixed, seen = classes[:, : rules.fixed], classes[:, : rules.seen]
        is_complete, is_seen = ((cards != ABSENT).all(axis=1) for cards in (fixed, seen))
        front = self._draws.front_of_start[self._number_cards(np.where(is_complete[:, None], fixed, 0))]
        guess = self._open_fronts[self._number_cards(np.where(is_seen[:, None], seen, 0))]
        return np.where(is_complete, front, guess), is_complete | (is_seen & (guess != ABSENT))

    @cached_property
    def _open_fronts(self) -> Ints:
        """Return the front with open decisions for all cards that players may see; ABSENT if it is not the only one."""
        seen = self._number_cards(np.array([front.seen for front in self._draws.fronts], np.int64))
        by_group: Flags = np.logical_or.reduce(self._cards.levels[0].open_, axis=(0, 1))
        is_open = by_group[self._draws.group_of_front]
        fronts = np.full(len(self._rules.stock) ** self._rules.seen, ABSENT, np.int64)
        fronts[seen[is_open]] = np.flatnonzero(is_open)
        fronts[np.bincount(seen[is_open], minlength=len(fronts)) > 1] = ABSENT
        return fronts

    def _number_cards(self, classes: Ints) -> Ints:
        """Return the index of each row of classes among all rows of this length, int64[n]."""
        number = np.zeros(len(classes), np.int64)
        for column in classes.T:
            number = number * len(self._rules.stock) + column
        return number

    def _add_split_costs(self, hands: _FollowedHands, of_split: Ints, splits: Ints, is_first: Flags) -> None:
        """Add the costs of the first split of each box, and place the hands that follow."""
        rules, levels = self._rules, self._cards.levels
        first = hands.cards[:, : rules.own].copy()
        first[of_split != _NO_SPLIT] = of_split[of_split != _NO_SPLIT, None]
        start = self._number_cards(np.where(hands.is_known[:, None], first, 0))
        hands.row = start
        chosen = find_true((of_split != _NO_SPLIT) & hands.is_known)
        if not len(chosen):
            return
        hands.is_known[chosen] &= ~is_first[chosen] | (splits[chosen] > 0)
        opening = chosen[is_first[chosen] & hands.is_known[chosen]]
        group = self._draws.group_of_front[hands.front[opening]]
        hands.is_known[opening] &= levels[0].open_[self._split, start[opening], group]
        opening = opening[hands.is_known[opening]]
        hands.cost[opening] = self._costs[_NO_SPLIT][0][self._split, start[opening], hands.front[opening]]
        for card in np.unique(of_split[chosen]).tolist():
            own = chosen[of_split[chosen] == card]
            hands.row[own] = self._list_levels(card)[0].next_[self._split, 0, hands.cards[own, 1]]
            hands.is_known[own] &= hands.row[own] != ABSENT

    def _follow(self, hands: _FollowedHands, chosen: Indices, card: int) -> None:
        """Follow some hands to their ends."""
        own, levels = self._rules.own, self._list_levels(card)
        first = 0 if card == _NO_SPLIT else 1
        for number, level in enumerate(levels[first:]):
            if not len(chosen):
                return
            decision, front = hands.decisions[chosen, number], hands.front[chosen]
            row, group = hands.row[chosen], self._draws.group_of_front[front]
            is_made = decision != ABSENT
            # Somebody with a choice must decide.
            hands.is_known[chosen] &= is_made | (level.open_[:, row, group].sum(axis=0) < 2)
            hands.is_known[chosen] &= ~is_made | level.open_[decision, row, group]
            fits = is_made & hands.is_known[chosen]
            hands.cost[chosen[fits]] += self._costs[card][first + number][decision[fits], row[fits], front[fits]]
            takes = fits & level.takes[decision, row, group]
            at = own + number
            further = hands.cards[chosen, np.minimum(at, hands.cards.shape[1] - 1)]
            following = np.where(takes & (further != ABSENT), level.next_[decision, row, further], ABSENT)
            hands.is_known[chosen] &= np.where(takes, following != ABSENT, hands.count[chosen] == at)
            last = hands.decisions[chosen, np.minimum(number + 1, hands.decisions.shape[1] - 1)] == ABSENT
            hands.is_known[chosen] &= takes | last
            hands.row[chosen] = following
            chosen = chosen[takes & hands.is_known[chosen]]
        hands.is_known[chosen] = False

    def _add_costs_of_pairs(self, hands: _FollowedHands, of_split: Ints, again: Ints, size: Ints) -> None:
        """Add the costs of splitting a hand again where theory would not, and of keeping a pair that it would split.

        Args:
            hands: the hands.
            of_split: class of the split of each hand.
            again: number of times that each hand was split again.
            size: number of hands of the box of each hand.
        """
        for card, box in self._cards.boxes.items():
            own = find_true((of_split == card) & hands.is_known)
            front = hands.front[own]
            keeps_pair = (hands.cards[own, 1] == card) & (size[own] < box.most)
            wrong = np.where(box.is_split_again[front], keeps_pair, -again[own])
            hands.cost[own] += wrong * box.gain[front]


_RANKS = len(RANKS)
_SAME = 1e-9
"""Worths per unit staked that differ by less are equal."""


class DecisionCosts(Struct, frozen=True, kw_only=True):
    """Cost of the decisions at some seats."""

    cost: Reals
    """Cost per unit staked."""
    is_known: Flags
    """True if the cost is known."""
    best: Ints
    """Decision that theory takes, as an index into `decisions`."""
    made: Ints
    """Decision that the player made, as an index into `made_names`; the decision of theory if it is worth as much."""


class GroupDecisions(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of the decisions of a group, and the decision that theory assumes.

    Theory assumes the best decision. If the group needs another wager, theory assumes the best decision for the other.
    """

    worths: DecisionWorths
    theory_rows: Ints
    """Row of `worths` that theory assumes, by class of the player's cards."""

    @property
    def theory_worth(self) -> Reals:
        """Return the worth of the decision of theory, by class of the player's cards."""
        worth: Reals = self.worths.worth[self.theory_rows, np.arange(len(self.theory_rows))]
        return worth

    @property
    def decisions(self) -> tuple[str | None, ...]:
        """Return the decisions, each once."""
        return tuple(dict.fromkeys(done.decision for done in self.worths.decisions_taken))

    @property
    def made_names(self) -> tuple[str | None, ...]:
        """Return the decisions, then the same decisions made with other discards than in theory."""
        return (*self.decisions, *(name_other_discards(name) for name in self.decisions))

    def name_made(self, best: Ints, made: Ints, cost: Reals) -> Ints:
        """Return the index into `made_names` of each decision that was made.

        Args:
            best: decision of theory.
            made: decision of the player.
            cost: cost of the decision of the player.
        """
        differs = abs(cost) > _SAME
        named: Ints = np.where(differs, np.where(made == best, made + len(self.decisions), made), best)
        return named

    @property
    def decision_of_row(self) -> Ints:
        """Return the index of the decision of each row of `worths`."""
        return np.array([self.decisions.index(done.decision) for done in self.worths.decisions_taken], np.int64)


def name_other_discards(decision: str | None) -> str:
    """Return the name of a decision that is made with other discards than in theory."""
    return f"{decision or ''}*"


@lru_cache(maxsize=16)
def share_hand_counts(prepared: CompiledGame) -> HandCounts:
    """Return the hand counts of a game, which all its wagers share."""
    return HandCounts(prepared)


class LazyGroupDecisions:
    """Worth of the decisions in a group as a house offers it, worked out when first needed."""

    def __init__(self, prepared: CompiledGame, configuration: LicenseeConfiguration | None, group: WagerGroup) -> None:
        self._of = prepared, configuration, group

    @cached_property
    def worths(self) -> GroupDecisions | None:
        """Return the worth of each decision by the player's cards.

        It is None if there is nothing to decide, if it cannot be counted, or if the group may be offered in several
        ways.
        """
        return weigh_offered_decisions(*self._of)

    @cached_property
    def taken(self) -> TakenCosts | None:
        """Return the costs of decisions that take cards.

        None for a wager without such decisions, or if rules distinguish the first hand of a split from the others.
        """
        prepared, configuration, group = self._of
        ways = list(list_variants(prepared, group, configuration))
        if len(ways) != 1:
            return None
        try:
            table = set_up_table(prepared, ways[0].configuration, group)
            if table.placed_by is None and needs_taken_cards(table) and find_single_alternative(table) is None:
                rules = TakingRules(table, {})
                return None if rules.tells_split_off else TakenCosts(TakenCards(rules))
        except (NoOdds, TooManyDeals):
            pass
        return None


def weigh_offered_decisions(
    prepared: CompiledGame, configuration: LicenseeConfiguration | None, group: WagerGroup
) -> GroupDecisions | None:
    """Return the worth of the decisions in a group as a house offers it; None if it cannot be worked out."""
    ways = list(list_variants(prepared, group, configuration))
    if len(ways) != 1:
        return None
    try:
        table = set_up_table(prepared, ways[0].configuration, group)
    except NoOdds:
        return None
    return weigh_table_decisions(table, share_hand_counts(prepared), configuration)


def weigh_table_decisions(
    table: OddsTable, counts: HandCounts, configuration: LicenseeConfiguration | None
) -> GroupDecisions | None:
    """Return the worth of the decisions of a group at a table; None if no decision matters or it cannot be counted."""
    try:
        worths_here = weigh_decisions(table, counts, list_empty_meters(table)) or weigh_exchanges(table, counts)
    except NoOdds:
        return None
    if worths_here is None:
        return None
    best: Ints = np.where(worths_here.is_open, worths_here.worth, -np.inf).argmax(axis=0)
    if worths_here.is_dominated_by_one:
        # One decision is never worse. Theory takes it for all hands, even where another is worth as much.
        return GroupDecisions(
            worths=worths_here, theory_rows=np.full(len(best), worths_here.worth.sum(axis=1).argmax())
        )
    if table.needed_group is None:
        return GroupDecisions(worths=worths_here, theory_rows=best)
    # The wager needs another one, and players decide as is best for the other.
    other = weigh_offered_decisions(table.prepared, configuration, table.needed_group)
    if other is None:
        return None
    same = [_find_same_row(worths_here, done) for done in other.worths.decisions_taken]
    if None in same:
        return None
    return GroupDecisions(worths=worths_here, theory_rows=np.array(same, np.int64)[other.theory_rows])


def list_empty_meters(table: OddsTable) -> dict[str, int]:
    """Return the meters that a group is paid from, each at zero."""
    printed = table.prepared.printed_tables
    return {
        printed_table.table.meter: 0
        for line in table.group.lines
        for printed_table in printed.get(line, ())
        if printed_table.table.meter is not None
    }


def _find_same_row(worths: DecisionWorths, done: DecisionWithDiscards) -> int | None:
    """Return the row of a group for a decision taken in another group; None if it has none."""
    for number, does in enumerate(worths.decisions_taken):
        if does.decision == done.decision and does.discards in (None, done.discards):
            return number
    return None


def find_decision_costs(scope: EvaluationContext, weighed: GroupDecisions, seats: Ints) -> DecisionCosts:
    """Return the costs of the decisions of some seats, int64[n]."""
    worths, number_of = weighed.worths, weighed.decision_of_row
    all_seats, size = scope.batch.seats, worths.cards.shape[1]
    hands = _take_rows(scope.dealt_hands("player"), seats)
    known = _has_all_cards(hands, size)
    cards = np.where(known[:, None], hands.cards[:, :size], worths.cards[0])
    class_of = worths.find_classes(cards)
    worth_made, made = np.full(len(seats), np.nan), np.full(len(seats), -1, np.int64)
    aside = _take_rows(all_seats.discarded, seats)
    codes = all_seats.decision.codes[seats]
    named = {name: all_seats.decision.code(name) for name in weighed.decisions if name is not None}
    for number, does in enumerate(worths.decisions_taken):
        # A decision that this wager does not have counts as no decision.
        chosen = ~np.isin(codes, [*named.values()]) if does.decision is None else codes == named[does.decision]
        if does.discards is not None:
            discards = aside.cards[:, : len(does.discards)]
            chosen &= _has_all_cards(aside, len(does.discards))
            chosen &= (
                _number_discards(cards, np.where(chosen[:, None], discards, 0))
                == _number_class_discards(worths, does.discards)[class_of]
            ).all(axis=1)
        worth_made = np.where(chosen & known, worths.worth[number][class_of], worth_made)
        made[chosen & known] = number_of[number]
    known &= np.isfinite(worth_made)
    cost, best = (
        np.where(known, weighed.theory_worth[class_of] - worth_made, 0.0),
        number_of[weighed.theory_rows[class_of]],
    )
    return DecisionCosts(cost=cost, is_known=known, best=best, made=weighed.name_made(best, made, cost))


def _take_rows(hands: Hands, rows: Ints) -> Hands:
    return Hands(cards=hands.cards[rows], count=hands.count[rows])


def _has_all_cards(hands: Hands, size: int) -> Flags:
    """Return for each hand whether exactly this many cards are recorded, bool[n]."""
    whole: Flags = (hands.count == size) & (hands.cards[:, :size] < CARDS).all(axis=1)
    return whole


def _number_class_discards(worths: DecisionWorths, discards: tuple[int, ...]) -> NDArray[np.uint64]:
    return _number_discards(worths.cards, worths.cards[:, list(discards)])


def _number_discards(cards: Codes, discards: Codes) -> NDArray[np.uint64]:
    """Return numbers for hands with their discards, uint64[n, 2]; equal where only suits are renamed."""
    suits = np.zeros((len(SUITS), len(cards)), np.uint64)
    for shift, columns in ((_RANKS, cards), (0, discards)):
        for column in columns.T.astype(np.int64):
            bits = np.uint64(1) << (column // len(SUITS) + shift).astype(np.uint64)
            for suit in range(len(SUITS)):
                suits[suit] |= np.where(column % len(SUITS) == suit, bits, np.uint64(0))
    suits = np.sort(suits, axis=0)
    wide = np.uint64(2 * _RANKS)
    return np.stack([suits[0] << wide | suits[1], suits[2] << wide | suits[3]], axis=1)
