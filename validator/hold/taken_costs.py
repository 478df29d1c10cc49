"""Cost of the decisions that take cards, for the hands of each box as a log shows them.

A recorded hand is followed decision by decision and card by card through the hands that theory knows. What the player
gives up by each decision adds up. What the house wins beyond the advantage and these costs is then zero on average,
whatever the players decide: every card that comes later is as likely as theory takes it to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Indices, Ints, Reals, find_true
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.evidence.columns.batch import Hands
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES
from fairdeal.validator.odds.choosing.hand_values import HandValues
from fairdeal.validator.odds.choosing.own_hands import HandLevel
from fairdeal.validator.odds.choosing.taken_cards import TakenCards

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
