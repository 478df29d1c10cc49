"""Formulas for the conditions of a regulation, for finding contradictions between rules.

The formulas assume complete evidence and allow every reading of the text. A condition on other seats, events or the
submission becomes a variable of its own, without a known relation to other variables. For formulas on hands, a search
finds cards of the deck that make them true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any, TypeGuard

from msgspec import Struct

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32, has_any, has_numpy, np
from fairdeal.validator.cards.card_codes import format_cards
from fairdeal.validator.cards.hand_orders import HandOrder, compile_order
from fairdeal.validator.engine.core import propositions
from fairdeal.validator.engine.core.compiled_game import CompiledGame, compile_game_deck
from fairdeal.validator.language.grammar import Place, ReadingIs
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import format_range, replace_hyphens
from fairdeal.validator.operators.rule_renderer import describe_condition, describe_quantity, get_operators
from fairdeal.validator.rules.game_model import Game

MOST_HANDS = 3_000_000
"""The highest number of hands to enumerate; with more hands in the deck, the search draws random deals."""
_DEALS = 60_000
_ROUNDS = 5

Strengths = Mapping[tuple[str, str], propositions.Span]
"""Required strengths, by name of the hand and of its ranking."""
Signs = Mapping[tuple[str, str], propositions.Span]
"""Required signs of the strength of a hand minus that of another, by the names of both hands."""


class DealSearch:
    """Search among the deals of a game."""

    def __init__(self, prepared: CompiledGame, orders: Mapping[str, HandOrder]) -> None:
        """Prepare a search in a compiled game; `orders` are its rankings by name."""
        self._prepared = prepared
        self._orders = orders

    def find_cards(self, strengths: Strengths, signs: Signs) -> Mapping[Place, str] | None:
        """Return cards of places with which hands have the required strengths and signs.

        Returns:
            The cards by place; empty if the search found none, as without NumPy; None if the deck has none.
        """
        game = self._prepared.game
        names = dict.fromkeys([*(hand for hand, _ in strengths), *(hand for pair in signs for hand in pair)])
        hands = [game.hands[name] for name in names]
        if not hands or not has_numpy() or any(hand.cards != "dealt" or hand.uses is not None for hand in hands):
            return {}
        places = list(dict.fromkeys(place for hand in hands for place in hand.from_))
        counts = [game.deal.cards[place] for place in places]
        columns = dict(zip(places, np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1]), strict=True))
        every = self._enumerate_hands(sum(counts)) if len(hands) == 1 else None
        for deals in [every] if every is not None else (self._draw_deals(sum(counts), seed) for seed in range(_ROUNDS)):
            fits = self._find_fits(deals, columns, strengths, signs)
            if has_any(fits):
                row = deals[int(fits.argmax())]
                return {place: format_cards(row[columns[place]].tolist()) for place in places}
        return None if every is not None else {}

    def _find_fits(self, deals: Codes, columns: Mapping[Place, Ints], strengths: Strengths, signs: Signs) -> Flags:
        game = self._prepared.game

        def strength(name: str, ranking: str) -> Ints32:
            own = np.concatenate([columns[place] for place in game.hands[name].from_])
            return self._orders[ranking].strength(np.ascontiguousarray(deals[:, own]))

        fits = np.ones(len(deals), bool)
        for (name, ranking), (low, high) in strengths.items():
            worth = strength(name, ranking)
            fits &= (low <= worth) & (worth < high)
        for (first, second), (low, high) in signs.items():
            sign = np.sign(strength(first, game.hands[first].rank_by) - strength(second, game.hands[second].rank_by))
            fits &= (low <= sign) & (sign < high)
        return fits

    def _enumerate_hands(self, size: int) -> Codes | None:
        """Return every hand of `size` cards, uint8[n, size]; None if there are more than `MOST_HANDS`."""
        shoe = self._list_cards()
        if comb(len(shoe), size) > MOST_HANDS:
            return None
        flat = np.fromiter((card for hand in combinations(shoe, size) for card in hand), np.uint8)
        return flat.reshape(-1, size)

    def _draw_deals(self, size: int, seed: int) -> Codes:
        """Return random deals of `size` cards, uint8[n, size]; the same deals for the same seed."""
        deck, rng = compile_game_deck(self._prepared), np.random.default_rng(seed)
        assert deck is not None, "a hand consists of cards"
        return deck.shuffle_shoes(rng=rng, rounds=_DEALS, decks=self._prepared.game.decks, cards=size)

    def _list_cards(self) -> Sequence[int]:
        deck = compile_game_deck(self._prepared)
        return () if deck is None else deck.cards * self._prepared.game.decks


_MOST_EXAMPLES = 20
_SIGNS = {-1: "lower than", 0: "equal to", 1: "higher than"}


class FormulaExample(Struct, frozen=True, kw_only=True):
    """An assignment for which a formula is true."""

    values: tuple[str, ...]
    """Descriptions of the values of variables."""
    cards: Mapping[Place, str]
    """Cards of places that give hands the values; empty if the search found none."""

    def describe(self) -> str:
        """Describe the example as a clause to put after a statement; empty if there is nothing to describe."""
        cards = ", ".join(f"{place} {cards}" for place, cards in self.cards.items())
        where = f", for example if {', and '.join(self.values)}" if self.values else ""
        return f"{where} ({cards})" if cards and where else where


class PropositionBuilder:
    """Builder of formulas for the conditions of one regulation."""

    def __init__(self, prepared: CompiledGame) -> None:
        """Start without variables; each is created when a condition first needs it."""
        self.prepared = prepared
        self._operators = get_operators(prepared)
        self._variables: dict[object, propositions.Variable] = {}
        self._formulas: dict[bytes, propositions.Formula] = {}
        self._orders: dict[str, HandOrder] = {}
        self._names: dict[str, dict[str, int]] = {}
        self._possible: dict[propositions.Formula, bool] = {}

    @property
    def game(self) -> Game:
        """The game of the regulation."""
        return self.prepared.game

    # Questions

    def may_hold(self, formula: propositions.Formula) -> bool:
        """Return whether a formula can be true; True if the search is too large."""
        if formula not in self._possible:
            self._possible[formula] = propositions.may_be_true(formula, self._consistent)
        return self._possible[formula]

    def find_example(self, formula: propositions.Formula, granted: propositions.Formula) -> FormulaExample | None:
        """Return an example for which a formula and `granted` are true; None if there is none or the search is too
        large.

        The example does not describe variables of `granted`.
        """
        silent = {granted_atom.variable.key for granted_atom in propositions.iterate_atoms(granted)}
        for _ in range(_MOST_EXAMPLES):
            try:
                values = propositions.find_example(propositions.conjoin([formula, granted]), self._consistent)
            except propositions.SearchLimitError:
                return None
            if values is None:
                return None
            strengths = {key[1:]: span for key, (_, span) in values.items() if _is_key_of_kind(key, "strength")}
            signs = {key[1:]: span for key, (_, span) in values.items() if _is_key_of_kind(key, "compared")}
            cards = DealSearch(self.prepared, self._orders).find_cards(strengths, signs)
            if cards is not None:
                described = [variable.describe(span) for key, (variable, span) in values.items() if key not in silent]
                return FormulaExample(values=tuple(filter(None, described)), cards=cards)
            # No hand of the deck has these strengths: exclude them and search again.
            hands = [
                propositions.make_atom(variable, [span])
                for key, (variable, span) in values.items()
                if _is_key_of_kind(key, "strength", "compared")
            ]
            formula = propositions.conjoin([formula, propositions.negate(propositions.conjoin(hands))])
        return None

    def _consistent(self, values: propositions.CellValues) -> bool:
        """Return whether hands of these strengths can compare with each other in this way."""
        for key, (_, signs) in values.items():
            if not (isinstance(key, tuple) and key[0] == "compared"):
                continue
            for ranking in {ranking for hand in key[1:] for ranking in self.game.hands[hand].list_rankings()}:
                first, second = (values.get(("strength", hand, ranking)) for hand in key[1:])
                if first is None or second is None:
                    continue
                (low, high), (least, most) = first[1], second[1]
                possible = {-1: low < most - 1, 0: low < most and least < high, 1: high - 1 > least}
                if not any(possible[sign] for sign in range(*signs)):
                    return False
        return True

    # Formulas

    def build_formula(self, condition: Condition | None) -> propositions.Formula:
        """Return the formula for a condition; without a condition, one that always holds."""
        if condition is None:
            return True
        formula = self._formulas.get(condition.identity)
        if formula is None:
            formula = self._formulas[condition.identity] = self._operators.find(condition).to_formula(self, condition)
        return formula

    def build_opaque(self, condition: Condition) -> propositions.Formula:
        """Return a variable for a condition of which nothing else is known."""

        def describe(span: propositions.Span) -> str:
            description = describe_condition(self.prepared, condition)
            return description if span[0] else self._operators.find(condition).negate(self.prepared, condition.operand)

        return propositions.make_atom(self._variable(condition.identity, 0, 2, describe), [(1, 2)])

    def build_reading(self, option: ReadingIs) -> propositions.Formula:
        """Return the formula: an option of a reading is in force."""
        reading = self.prepared.regulation.readings[option.name]
        options = [*reading.alternatives, reading.adopted]
        variable = self._variable(
            ("reading", option.name),
            0,
            len(options),
            lambda span: f"{replace_hyphens(option.name)}: {replace_hyphens(options[span[0]])}",
        )
        nth = options.index(option.is_)
        return propositions.make_atom(variable, [(nth, nth + 1)])

    def build_category(self, hand: str, name: str, *, better: bool) -> propositions.Formula:
        """Return the formula: a hand has a category, mark or band, or with `better` at least that, under each
        reading."""
        model = self.game.hands[hand]
        by_reading: list[propositions.Formula] = []
        adopted: propositions.Formula = True
        for other in model.otherwise:
            read = self.build_reading(other.reading)
            by_reading.append(
                propositions.conjoin([adopted, read, self._strength(hand, other.rank_by, name, better=better)])
            )
            adopted = propositions.conjoin([adopted, propositions.negate(read)])
        return propositions.disjoin(
            [*by_reading, propositions.conjoin([adopted, self._strength(hand, model.rank_by, name, better=better)])]
        )

    def _strength(self, hand: str, ranking: str, name: str, *, better: bool) -> propositions.Formula:
        order = self._order(ranking)
        spans = {category: order.span(category) for category in order.categories}

        def describe(span: propositions.Span) -> str:
            of = next(category for category, (low, high) in spans.items() if low <= span[0] < high)
            return f"{self.game.hands[hand].title}: {replace_hyphens(of)}"

        lowest, highest = min(low for low, _ in spans.values()), max(high for _, high in spans.values())
        low, high = order.span(name)
        variable = self._variable(("strength", hand, ranking), lowest, highest, describe)
        return propositions.make_atom(variable, [(low, highest if better else high)])

    def _order(self, ranking: str) -> HandOrder:
        if ranking not in self._orders:
            self._orders[ranking] = compile_order(self.prepared.regulation.vocabulary.rankings[ranking])
        return self._orders[ranking]

    def build_hand_comparison(self, one: str, other: str, sign: propositions.Span) -> propositions.Formula:
        """Return the formula: the strength of a hand minus that of another has a sign in a range."""
        if one == other:
            return sign == (0, 1)
        for hand in (one, other):
            self._order(self.game.hands[hand].rank_by)
        named = [*self.game.hands]
        if named.index(one) > named.index(other):
            one, other, sign = other, one, (1 - sign[1], 1 - sign[0])

        def describe(span: propositions.Span) -> str:
            return f"{self.game.hands[one].title} is {_SIGNS[span[0]]} {self.game.hands[other].title}"

        return propositions.make_atom(self._variable(("compared", one, other), -1, 2, describe), [sign])

    def build_quantity(self, quantity: Quantity, spans: Sequence[propositions.Span]) -> propositions.Formula:
        """Return the formula: a quantity is within ranges."""

        def describe(span: propositions.Span) -> str:
            money = self._operators.find(quantity).measures_money(self.prepared, quantity.operand)
            low, high = span[0], span[1] - 1
            least = low if low == high or span[1] == propositions.VALUE_LIMIT else None
            shown = (
                "not known" if high < 0 else format_range(least, None if span[1] == propositions.VALUE_LIMIT else high)
            )
            return f"{describe_quantity(self.prepared, quantity, money=money)} is {shown}"

        # Rules write "at least 0" for "is known", so -1 represents an unknown number.
        low = -propositions.VALUE_LIMIT if self._operators.find(quantity).may_be_negative(quantity.operand) else -1
        return propositions.make_atom(
            self._variable(("quantity", quantity.identity), low, propositions.VALUE_LIMIT, describe), spans
        )

    def build_difference(
        self, one: Quantity, other: Quantity, spans: Sequence[propositions.Span]
    ) -> propositions.Formula:
        """Return the formula: a quantity minus another is within ranges."""
        if one.identity > other.identity:
            one, other, spans = other, one, [(1 - high, 1 - low) for low, high in spans]

        def describe(span: propositions.Span) -> str:
            of, to = (describe_quantity(self.prepared, quantity, money=True) for quantity in (one, other))
            return f"{of} is {'less than' if span[0] < 0 else 'equal to' if span[1] == 1 else 'more than'} {to}"

        return propositions.make_atom(
            self._variable(
                ("difference", one.identity, other.identity),
                -propositions.VALUE_LIMIT,
                propositions.VALUE_LIMIT,
                describe,
            ),
            spans,
        )

    def build_one_of(self, what: str, values: Iterable[object], template: str) -> propositions.Formula:
        """Return the formula: something with a single value has one of several; other values are possible as well."""
        names = self._names.setdefault(what, {})
        numbers = [names.setdefault(str(value), len(names) + 1) for value in values]

        def describe(span: propositions.Span) -> str:
            return next(
                (template.format(replace_hyphens(name)) for name, number in names.items() if number == span[0]), ""
            )

        variable = self._variable(("one-of", what), 0, propositions.VALUE_LIMIT, describe)
        return propositions.make_atom(variable, [(number, number + 1) for number in numbers])

    def _variable(
        self, key: object, low: int, high: int, describe: Callable[[propositions.Span], str]
    ) -> propositions.Variable:
        if key not in self._variables:
            self._variables[key] = propositions.Variable(key=key, low=low, high=high, describe=describe)
        return self._variables[key]


def _is_key_of_kind(key: object, *kinds: str) -> TypeGuard[tuple[Any, ...]]:
    """Return whether this is the key of a variable of one of some kinds."""
    return isinstance(key, tuple) and key[0] in kinds
