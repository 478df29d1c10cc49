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
from fairdeal.validator.cards.ranking_models import SUITS
from fairdeal.validator.engine.core.compiled_game import compile_game_deck
from fairdeal.validator.engine.core.decision_points import DecisionPoint
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.final_hands import hand_strength
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.odds.choosing.composition_odds import classify_cards
from fairdeal.validator.odds.player_options import NoOdds, OddsTable, TooManyDeals
from fairdeal.validator.odds.sample_rounds import (
    DecidingHands,
    SampleRounds,
    find_deciding_hands,
    find_hands_in_condition,
)
from fairdeal.validator.rulebook.dependencies import iterate_dependencies
from fairdeal.validator.rules.deal_model import MOST_CARDS, Stage
from fairdeal.validator.rules.game_model import Act

HandKey = tuple[int, ...]
"""Classes of the cards of a hand, in an order of dealing."""
_COLOURS = ("dh", "cs")
"""Suits of each colour."""
_NEVER = 1e-15
"""Probability below which suits do not come, but for rounding."""
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
    is_split_off: bool = False
    """True if the hand was split off another one, and rules distinguish it."""

    @property
    def own_rows(self) -> slice:
        """Return the rows of the hand among those of all hands of its boxes."""
        return slice(int(self.is_split_off), None, self.hands)


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
        self.tells_split_off = self._distinguishes_split_off()
        """True if rules distinguish hands that were split off from the first hand of their box."""
        self.named = frozenset(self._list_named_decisions())
        self.opening = Situation(decisions=(), stakes=tuple(table.opening_stakes.items()))
        self.menu, self.settled, self.ruled = DecidingHands(), DecidingHands(), DecidingHands()
        self._find_hands()
        self.other = self._find_other_place()
        self.later = self._find_later_stages()
        self.own, self.fixed = self._count_fixed("player"), self._count_fixed(self.other)
        self._refuse_other_views()
        self.suits_of = self._find_hands_of_suits()
        """Hands of all own cards whose suits matter to settlement alone: players decide without regard to them."""
        classes = classify_cards(
            self.prepared, self._all_hands, by_suit=bool((self.menu.alike | self.settled.alike) - self.suits_of)
        )
        deck = compile_game_deck(self.prepared)
        codes = np.array([] if deck is None else deck.cards, np.int64)
        self._codes = codes
        used, self.classes = np.unique(classes[codes]), np.zeros(len(classes), np.int64)
        self.classes[codes] = np.searchsorted(used, classes[codes])  # cards that the deck lacks have no class
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
        after = {*self.taking.decisions}
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

    def _distinguishes_split_off(self) -> bool:
        return any(
            (isinstance(part, Condition) and part.operator == "split-hand" and part.operand == "split-off")
            or (isinstance(part, Quantity) and part.operator == "of-box")
            for model in self._list_parts()
            for part in iterate_dependencies(self.game, model)
        )

    def _find_hands(self) -> None:
        """Find the hands on which decisions, cards and settlement depend, by the number of own cards."""
        stakes = [self.opening, *(self.follow(self.opening, name) for name in self.decisions)]
        splits = [1, 2] if self.splitting else [1]
        self._names: dict[tuple[bool, int], frozenset[str]] = {}
        for hands in splits:
            names: frozenset[str] = frozenset()
            for size in range(MOST_CARDS, 1, -1):
                looks = [DecidingHands(), DecidingHands(), DecidingHands()]
                for situation in dict.fromkeys(
                    replace(each, hands=hands, is_split_off=is_split_off)
                    for each in stakes
                    for is_split_off in ((False, True) if hands > 1 and self.tells_split_off else (False,))
                ):
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
            _find_in(scope, self.game.decisions[name].when, menu)
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

    def _find_later_stages(self) -> tuple[Stage, ...]:
        """Return the stages in which the other place receives cards by a rule. Raises `NoOdds` for other stages."""
        later = tuple(
            stage
            for stage in self.game.deal.stages[self.number + 1 :]
            if {"player", self.other} & {*stage.count_most_cards()}
        )
        if any("player" in stage.count_most_cards() or stage.exchanges for stage in later):
            raise NoOdds("players receive further cards after those that decisions take")
        for name in self.ruled.hands:
            if self.prepared.hands[name].places != (self.other,):
                raise NoOdds(f"the cards of the {self.other} depend on more than its own hand")
        return later

    def _find_hands_of_suits(self) -> frozenset[str]:
        """Return the hands of all own cards for which settlement, but no decision, depends on suits or colours."""
        features: dict[str, set[str]] = {}
        for part in (inner for model in self._list_parts() for inner in iterate_dependencies(self.game, model)):
            if isinstance(part, Condition) and part.operator == "alike":
                features.setdefault(part.operand.hand, set()).add(part.operand.in_)
        names = self.settled.alike - self.menu.alike - self.ruled.alike
        hands = {name: self.prepared.hands[name] for name in names}
        return frozenset(
            name
            for name, hand in hands.items()
            if hand.places == ("player",) and not hand.follows_stages and "rank" not in features[name]
        )

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
        if self.splitting - {*self.taking.decisions} or (self.splitting and self.own != 2):
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
            is_split_off=situation.is_split_off,
        )

    def _make_rounds(self, situation: Situation, dealt: Mapping[Place, Codes]) -> SampleRounds:
        return SampleRounds(
            dealt=dealt,
            stakes=dict(situation.stakes),
            decisions=situation.decisions,
            meters=self.meters,
            hands=situation.hands,
            is_split_off=situation.is_split_off,
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
        answers: Truths = scope.evaluate(condition, "seat")[situation.own_rows]
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

    # Suits

    def tells_suits(self, situation: Situation, hand: HandKey) -> bool:
        """Return whether settlement of a final hand depends on the suits of its cards."""
        if not self.suits_of:
            return False
        own = np.stack([cards for _, cards in self.list_suits(hand)])
        dealt: dict[Place, Codes] = {"player": own}
        scope = self.table.open_rounds(self._make_rounds(situation, dealt))
        lines = {*self.table.group.lines}
        return any(
            len(np.unique(scope.evaluate(case.when, "seat")[situation.own_rows])) > 1
            for case in self.game.settlement.cases
            if case.when is not None and not lines.isdisjoint(case.lines)
        )

    def list_suits(self, hand: HandKey) -> list[tuple[float, Codes]]:
        """Return the probabilities of the suits that a hand may share, each with an example, uint8[k].

        Hands share one suit, one colour or nothing. Other cards that are gone do not matter: their suits are not known.
        """
        result = [(self._chance_of(hand, suit), suit) for suit in SUITS]
        result += [
            (self._chance_of(hand, colour) - sum(self._chance_of(hand, suit) for suit in colour), colour)
            for colour in _COLOURS
        ]
        result.append((1 - sum(self._chance_of(hand, colour) for colour in _COLOURS), SUITS))
        return [(chance, self._deal_suits(hand, suits)) for chance, suits in result if chance > _NEVER]

    def _chance_of(self, hand: HandKey, suits: str) -> float:
        """Return the probability that all cards of a hand are of some suits."""
        chance = 1.0
        for number in {*hand}:
            codes = self._list_codes(number)
            held = int(np.isin(codes % len(SUITS), [SUITS.index(suit) for suit in suits]).sum())
            for at in range(hand.count(number)):
                chance *= max(held * self.game.decks - at, 0) / (len(codes) * self.game.decks - at)
        return chance

    def _deal_suits(self, hand: HandKey, suits: str) -> Codes:
        """Return cards of a hand that take turns to be of some suits, uint8[k]."""
        cards = []
        for at, number in enumerate(hand):
            codes = self._list_codes(number)
            cards.append(next(code for code in codes if code % len(SUITS) == SUITS.index(suits[at % len(suits)])))
        return np.array(cards, np.uint8)

    def _list_codes(self, number: int) -> Ints:
        """Return the cards of a class."""
        return self._codes[self.classes[self._codes] == number]

    def sign_hands(self, looks: DecidingHands, place: Place, situation: Situation, cards: Codes) -> Ints:
        """Return what some rules distinguish in the hands of a place, a row of numbers for each, int64[n, hands]."""
        own = cards if place == "player" else np.repeat(self._first_hand, len(cards), axis=0)
        other = cards if place == self.other else np.repeat(self._first_other, len(cards), axis=0)
        scope = self.table.open_rounds(self.make_rounds(situation, own, other))
        columns = [np.full(len(cards), cards.shape[1], np.int64)] if place in looks.places else []
        names = self.list_names(situation, cards.shape[1]) if place == "player" else {*looks.hands}
        rows = situation.own_rows if place == "player" else slice(None)
        for name in looks.hands:
            if self.prepared.hands[name].places == (place,) and name in names:
                strengths = hand_strength(scope, name)[rows].astype(np.int64)
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
        if stage.takes is not None and any(taking.decisions for taking in stage.takes.values())
    ]
    if len(numbers) > 1:
        raise NoOdds("decisions take cards in several stages")
    return numbers[0] if numbers else -1


def _find_in(scope: EvaluationContext, condition: Condition | None, looks: DecidingHands) -> None:
    if condition is not None and int(scope.evaluate(condition, scope.compiled_game.find_grain(condition))[0]) != NO:
        find_hands_in_condition(scope, condition, looks)
