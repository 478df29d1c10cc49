"""Rules of a game in which decisions take cards, evaluated by the engine on one example of each kind of hand.

A seat decides, receives a card if its decision requires one, and decides again while a decision is open. Then another
place receives cards by a rule. Cards that no hand distinguishes form a class. A hand is a tuple of classes, sorted
where the order of dealing does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel

from fairdeal.validator.arrays import Codes, Flags, Ints, Truths
from fairdeal.validator.cards.card_codes import UNKNOWN as NOT_KNOWN
from fairdeal.validator.engine.core.compiled_game import compile_game_deck
from fairdeal.validator.engine.core.decision_points import DecisionPoint
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.final_hands import hand_strength
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.odds.choosing.composition_odds import classify_cards
from fairdeal.validator.odds.rounds.player_options import NoOdds, OddsTable, TooManyDeals
from fairdeal.validator.odds.rounds.sample_rounds import (
    DecidingHands,
    SampleRounds,
    find_deciding_hands,
    find_hands_in_condition,
)
from fairdeal.validator.rulebook.lint.dependencies import iterate_dependencies
from fairdeal.validator.rules.deal_model import MOST_CARDS, Stage
from fairdeal.validator.rules.game_model import Act

HandKey = tuple[int, ...]
"""Classes of the cards of a hand, in an order of dealing."""
_MOST_FIXED = 1 << 12
"""Most ways in which the other place may hold the cards that come before decisions."""


class Situation(Struct, frozen=True, kw_only=True):
    """Decisions and stakes of a seat so far, without decisions to which no rule refers."""

    decisions: tuple[str, ...]
    """Decisions that rules name or that place a wager, in order."""
    stakes: tuple[tuple[str, int], ...]
    """Stakes on each wager, in minor units."""
    hands: int = 1
    """Number of hands of the box."""


class TakingRules:
    """Rules of the decisions that take cards, for the wagers of a table."""

    def __init__(self, table: OddsTable, meters: Mapping[str, int]) -> None:
        """Find the rules. Raises `NoOdds` and `TooManyDeals` for rules that are not counted."""
        self.table, self.meters, self.prepared = table, meters, table.prepared
        self.game = table.prepared.game
        stages = self.game.deal.stages
        self.number = find_taking_stage(table)
        self.stage = stages[self.number]
        self.taking = (self.stage.takes or {})["player"]
        self.point = self._find_point()
        self.decisions = tuple(reversed(self.point.decisions))
        self.splitting = frozenset(name for name in self.decisions if self.game.decisions[name].splits)
        self.named = frozenset(self._list_named_decisions())
        self.opening = Situation(decisions=(), stakes=tuple(table.opening_stakes.items()))
        self.menu, self.settled, self.ruled = DecidingHands(), DecidingHands(), DecidingHands()
        self._find_hands()
        self.other = self._find_other_place()
        self.later = self._find_later_stage()
        self.own, self.fixed = self._count_fixed("player"), self._count_fixed(self.other)
        self._refuse_other_views()
        self.classes = classify_cards(
            self.prepared, self._all_hands, by_suit=bool(self.menu.alike | self.settled.alike)
        )
        deck = compile_game_deck(self.prepared)
        codes = np.array([] if deck is None else deck.cards, np.int64)
        number = int(self.classes.max()) + 1
        self.stock = np.bincount(self.classes[codes], minlength=number).astype(np.int64) * self.game.decks
        self.examples = np.array(
            [next((code for code in codes if self.classes[code] == each), 0) for each in range(number)], np.uint8
        )
        self.bounds = self._find_bounds()
        if number**self.fixed > _MOST_FIXED:
            raise TooManyDeals(f"the {self.other} may hold more than {_MOST_FIXED:,} sets of cards before a decision")
        self.fixed_hands: list[HandKey] = [*product(range(number), repeat=self.fixed)]

    # What the rules say

    def _find_point(self) -> DecisionPoint:
        after = {*self.taking.after}
        points = [point for point in self.table.points if not after.isdisjoint(point.decisions)]
        if len(points) != 1 or after - {*points[0].decisions}:
            raise NoOdds("the decisions that take a card are not those of one step")
        return points[0]

    def _list_parts(self) -> Iterator[BaseModel]:
        lines = {*self.table.group.lines}
        yield from (case for case in self.game.settlement.cases if not lines.isdisjoint(case.lines))
        yield from (self.game.decisions[name] for name in self.point.decisions)
        yield from self.game.deal.stages

    def _list_named_decisions(self) -> Iterator[str]:
        """Yield the decisions that rules name, that place a wager or that split. Raises `NoOdds` for rules on events.

        Raises it also for a decision at another step that matters.
        """
        named: set[str] = set()
        for part in (inner for model in self._list_parts() for inner in iterate_dependencies(self.game, model)):
            if isinstance(part, Act):
                raise NoOdds(
                    f"it depends on the events of {part.name}, which are not counted where decisions take cards"
                )
            if isinstance(part, Condition) and part.operator == "decided":
                named.add(part.operand)
            if isinstance(part, Condition) and part.operator in ("decided-in-the-end", "decision-is-open"):
                raise NoOdds(f"{part.operator} is not counted where decisions take cards")
        for name, decision in self.game.decisions.items():
            if name in self.point.decisions:
                if name in named or decision.places is not None or decision.splits:
                    yield name
            elif name in named or decision.places in self.table.group.lines:
                raise NoOdds(f"it also depends on the decision {name}, which is taken at another step")

    def _find_hands(self) -> None:
        """Find the hands on which decisions, cards and settlement depend, by the number of own cards."""
        stakes = [self.opening, *(self.follow(self.opening, name) for name in self.decisions)]
        splits = [1, 2] if self.splitting else [1]
        self._names: dict[tuple[bool, int], frozenset[str]] = {}
        for hands in splits:
            names: frozenset[str] = frozenset()
            for size in range(MOST_CARDS, 1, -1):
                looks = [DecidingHands(), DecidingHands(), DecidingHands()]
                for situation in dict.fromkeys(replace(each, hands=hands) for each in stakes):
                    self._find_hands_of(situation, size, *looks)
                for whole, part in zip((self.menu, self.settled, self.ruled), looks, strict=True):
                    whole.include(part)
                names |= {*looks[0].hands, *looks[1].hands}
                self._names[hands > 1, size] = names

    def _find_hands_of(
        self, situation: Situation, size: int, menu: DecidingHands, settled: DecidingHands, ruled: DecidingHands
    ) -> None:
        """Find the hands that matter in a situation if the player has some number of cards."""
        dealt: dict[Place, Codes] = {"player": np.full((1, size), NOT_KNOWN, np.uint8)}
        scope = self.table.open_rounds(self._make_rounds(situation, dealt))
        for name in self.decisions:
            _find_in(scope, self.game.decisions[name].open_to, menu)
        _find_in(scope, self.taking.while_, menu)
        _find_in(scope, self.stage.when, menu)
        for stage in self.game.deal.stages[self.number + 1 :]:
            _find_in(scope, stage.when, settled)
            for taking in (stage.takes or {}).values():
                _find_in(scope, taking.while_, ruled)
        find_deciding_hands(scope, self.table.group.lines, settled)

    @property
    def _all_hands(self) -> list[str]:
        return sorted({*self.menu.hands, *self.settled.hands, *self.ruled.hands})

    def _find_other_place(self) -> Place | None:
        """Return the only other place whose cards matter. Raises `NoOdds` for several, and for shared hands."""
        others: set[Place] = set()
        for name in self._all_hands:
            places = self.prepared.hands[name].places
            if len(places) > 1:
                raise NoOdds(f"{name} has cards of several places, which are not counted where decisions take cards")
            others |= {*places} - {"player"}
        if len(others) > 1:
            raise NoOdds(f"it depends on the cards of {' and '.join(sorted(others))}")
        return next(iter(others), None)

    def _find_later_stage(self) -> Stage | None:
        """Return the stage in which the other place receives cards by a rule. Raises `NoOdds` for several."""
        later = [
            stage
            for stage in self.game.deal.stages[self.number + 1 :]
            if {"player", self.other} & {*stage.count_most_cards()}
        ]
        if len(later) > 1 or any("player" in stage.count_most_cards() or stage.exchanges for stage in later):
            raise NoOdds("cards that matter come in several stages after those that decisions take")
        for name in self.ruled.hands:
            if self.prepared.hands[name].places != (self.other,):
                raise NoOdds(f"the cards of the {self.other} depend on more than its own hand")
        return later[0] if later else None

    def _count_fixed(self, place: Place | None) -> int:
        """Return the number of cards of a place before decisions. Raises `NoOdds` if it varies."""
        count = 0
        for stage in self.game.deal.stages[: self.number]:
            if place in stage.count_most_cards():
                if stage.is_by_rule or stage.cards is None:
                    raise NoOdds(f"cards of the {place} come by a rule before those that decisions take")
                count += stage.cards.get(place, 0) if place is not None else 0
        return count

    def _refuse_other_views(self) -> None:
        seen = dict(self.point.seen)
        self.seen = 0 if self.other is None else seen.get(self.other, 0)
        if seen.get("player", 0) != self.own or self.own == 0:
            raise NoOdds("players do not see all their cards when they decide")
        if self.splitting - {*self.taking.after} or (self.splitting and self.own != 2):
            raise NoOdds("a decision that splits must take cards, and split a hand of two")

    def _find_bounds(self) -> tuple[int, ...]:
        """Return the positions in the order of dealing at which the cards of some hand of the other place begin or
        end."""
        ends = {self.fixed}
        for name in self._all_hands:
            hand = self.prepared.hands[name]
            if hand.places == (self.other,):
                ends |= {hand.first[0], hand.first[0] + hand.sizes[0]}
        return tuple(sorted(end for end in ends if 0 < end < MOST_CARDS))

    # Hands

    def add_card(self, hand: HandKey, card: int) -> HandKey:
        """Return a hand of the other place with a further card."""
        start = max((end for end in self.bounds if end <= len(hand)), default=0)
        return (*hand[:start], *sorted((*hand[start:], card)))

    def list_names(self, situation: Situation, size: int) -> frozenset[str]:
        """Return the hands that matter while the player has a number of cards, or more."""
        return self._names[situation.hands > 1, max(size, 2)]

    def identify(self, situation: Situation, hands: Ints) -> Ints:
        """Return rows of numbers that are equal for hands of a player which no rule distinguishes, now or later.

        Args:
            situation: the situation.
            hands: classes of the cards in the order of dealing, int64[n, k].
        """
        size, parts = hands.shape[1], [self.count_classes(hands)]
        names = self.list_names(situation, size)
        complete = DecidingHands()
        for name in sorted(names):
            hand = self.prepared.hands[name]
            if hand.places != ("player",):
                continue
            first, end = hand.first[0], hand.first[0] + hand.sizes[0]
            if first >= size or (first == 0 and end >= size):
                continue  # all cards or none of them belong to it
            if end > size:
                parts.append(np.sort(hands[:, first:], axis=1))
            else:
                complete.bounds[name] = {*self.menu.bounds.get(name, ()), *self.settled.bounds.get(name, ())}
                complete.totals |= {name} & (self.menu.totals | self.settled.totals)
                complete.lengths |= {name} & (self.menu.lengths | self.settled.lengths)
                complete.compared |= {pair for pair in self.settled.compared | self.menu.compared if name in pair}
        parts.append(self.sign_hands(complete, "player", situation, self.examples[hands]))
        return np.concatenate(parts, axis=1)

    def make_cards(self, hands: Sequence[HandKey]) -> Codes:
        """Return examples of some hands of one length, uint8[n, k]."""
        return self.examples[np.array(hands, np.int64).reshape(len(hands), -1)]

    def count_classes(self, hands: Sequence[HandKey] | Ints) -> Ints:
        """Return the number of cards of each class in some hands of one length, int64[n, classes]."""
        classes = np.array(hands, np.int64).reshape(len(hands), -1)
        counts = np.zeros((len(hands), len(self.stock)), np.int64)
        for column in classes.T:
            counts[np.arange(len(hands)), column] += 1
        return counts

    # What the engine says

    def follow(self, situation: Situation, decision: str) -> Situation:
        """Return the situation after a decision."""
        model = self.game.decisions[decision]
        placed = {} if model.places is None else self.table.place_wager(model.places, model.amount)
        named = (decision,) if decision in self.named else ()
        return Situation(
            decisions=(*situation.decisions, *named),
            stakes=tuple({**dict(situation.stakes), **placed}.items()),
            hands=situation.hands,
        )

    def _make_rounds(self, situation: Situation, dealt: Mapping[Place, Codes]) -> SampleRounds:
        return SampleRounds(
            dealt=dealt,
            stakes=dict(situation.stakes),
            decisions=situation.decisions,
            meters=self.meters,
            hands=situation.hands,
        )

    def make_rounds(self, situation: Situation, own: Codes, other: Codes) -> SampleRounds:
        """Return sample rounds in a situation, with the cards of both places."""
        dealt: dict[Place, Codes] = {"player": own}
        if self.other is not None:
            dealt[self.other] = other
        return self._make_rounds(situation, dealt)

    def evaluate(self, condition: Condition | None, situation: Situation, own: Codes, other: Codes, what: str) -> Flags:
        """Return whether a condition holds for each seat, bool[n]. Raises `NoOdds` if cards do not decide it."""
        if condition is None:
            return np.ones(len(own), bool)
        scope = self.table.open_rounds(self.make_rounds(situation, own, other))
        answers: Truths = scope.evaluate(condition, "seat")[:: situation.hands]
        if (answers == UNKNOWN).any():
            raise NoOdds(f"{what} depends on more than the cards dealt before")
        return answers == YES

    def evaluate_rule(self, condition: Condition | None, own: Codes, other: Codes, what: str) -> Flags:
        """Return whether a condition on rounds holds in the opening situation, bool[n]. Raises `NoOdds`."""
        if condition is None:
            return np.ones(len(other), bool)
        scope = self.table.open_rounds(self.make_rounds(self.opening, np.repeat(own, len(other), axis=0), other))
        answers = scope.evaluate(condition, "round")
        if (answers == UNKNOWN).any():
            raise NoOdds(f"{what} depends on more than the cards dealt before")
        flags: Flags = answers == YES
        return flags

    def sign_hands(self, looks: DecidingHands, place: Place, situation: Situation, cards: Codes) -> Ints:
        """Return what some rules distinguish in the hands of a place, a row of numbers for each, int64[n, hands]."""
        own = cards if place == "player" else np.repeat(self._first_hand, len(cards), axis=0)
        other = cards if place == self.other else np.repeat(self._first_other, len(cards), axis=0)
        scope = self.table.open_rounds(self.make_rounds(situation, own, other))
        columns = [np.full(len(cards), cards.shape[1], np.int64)] if place in looks.places else []
        names = self.list_names(situation, cards.shape[1]) if place == "player" else {*looks.hands}
        for name in looks.hands:
            if self.prepared.hands[name].places == (place,) and name in names:
                strengths = hand_strength(scope, name)[:: situation.hands if place == "player" else 1].astype(np.int64)
                columns.append(self._find_cells(looks, name, strengths))
        return np.stack(columns, axis=1) if columns else np.zeros((len(cards), 0), np.int64)

    @property
    def _first_hand(self) -> Codes:
        return self.examples[np.zeros((1, self.own), np.int64)]

    @property
    def _first_other(self) -> Codes:
        return self.examples[np.zeros((1, self.fixed), np.int64)]

    def _find_cells(self, looks: DecidingHands, name: str, strengths: Ints) -> Ints:
        """Return what rules distinguish of a hand: its strength, its rank among others, or the cell of its strength."""
        if name in looks.totals or name in looks.lengths:
            return strengths
        if any(name in pair for pair in looks.compared):
            cells = np.searchsorted(np.array(sorted(looks.bounds[name]), np.int64), strengths, "right")
            return (strengths >> self.prepared.hands[name].ranking.tie_bits) * (len(looks.bounds[name]) + 1) + cells
        return np.searchsorted(np.array(sorted(looks.bounds[name]), np.int64), strengths, "right")


def find_taking_stage(table: OddsTable) -> int:
    """Return the index of the only stage in which decisions take cards; -1 if there is none. Raises `NoOdds`."""
    numbers = [
        number
        for number, stage in enumerate(table.prepared.game.deal.stages)
        if stage.takes is not None and any(taking.after for taking in stage.takes.values())
    ]
    if len(numbers) > 1:
        raise NoOdds("decisions take cards in several stages")
    return numbers[0] if numbers else -1


def _find_in(scope: EvaluationContext, condition: Condition | None, looks: DecidingHands) -> None:
    if condition is not None and int(scope.evaluate(condition, scope.compiled_game.find_grain(condition))[0]) != NO:
        find_hands_in_condition(scope, condition, looks)
