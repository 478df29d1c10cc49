"""Compiled games: rankings, milestones and readings, and caches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from msgspec import Struct, field

from fairdeal.validator.arrays import Codes, Ints32
from fairdeal.validator.cards.card_codes import CompiledDeck, compile_deck
from fairdeal.validator.cards.hand_orders import FixedComposition, HandOrder, compile_composition
from fairdeal.validator.engine.core.compiled_order import (
    CompiledMilestone,
    StepAutomaton,
    compile_milestones,
    compile_sequence,
)
from fairdeal.validator.engine.core.house_terms import (
    PrintedTable,
    compile_ranking_of_hand,
    find_ranking_name,
    read_printed_table,
)
from fairdeal.validator.language.grammar import Grain, Place, ReadingIs, iterate_models
from fairdeal.validator.language.round_conditions import Condition, Outcome, Quantity
from fairdeal.validator.rules.betting_model import Betting, Pots
from fairdeal.validator.rules.check_model import SequenceCheck
from fairdeal.validator.rules.deal_model import Deal
from fairdeal.validator.rules.game_model import Act, Game, Hand
from fairdeal.validator.rules.payment_model import AtLeast, ByTable, Rounding, Unlisted
from fairdeal.validator.rules.regulation import Regulation

Params = ParamSpec("Params")
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
_MISSING: Any = object()
"""Value of a result that is not computed yet."""
_MAX_CONFIGURATIONS = 16
"""Number of configurations for which a compiled game keeps results."""


class KeyedCache(dict[Key, Value]):
    """Cache that computes the value of each key once."""

    def get_or_compute(self, key: Key, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, computed the first time."""
        value = self.get(key)
        if value is None:
            value = self[key] = compute()
        return value


class TermsCache:
    """Caches of results that depend on a game and on one of the last configurations alone."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[int, tuple[object, dict[Hashable, Any]]] = {}

    def recall(self, configuration: object) -> dict[Hashable, Any]:
        """Return the cache of a configuration. Two equal configurations are distinct."""
        found = self._kept.get(id(configuration))
        if found is None or found[0] is not configuration:
            if len(self._kept) >= _MAX_CONFIGURATIONS:
                self._kept.clear()
            found = self._kept[id(configuration)] = (configuration, {})
        return found[1]


class CompiledHand(Struct, frozen=True, kw_only=True):
    """Hand with a compiled ranking: the cards that are ranked together."""

    places: tuple[Place, ...]
    """Places whose cards make up the hand."""
    sizes: tuple[int, ...]
    """Number of cards from each place; the most if it varies."""
    fewest: tuple[int, ...]
    """Fewest cards from each place with which the hand is complete; less than its size if cards come by a rule."""
    first: tuple[int, ...]
    """Position of the first card that counts among the cards dealt to each place; 0 unless a stage is named."""
    cards: Literal["dealt", "held", "open", "set-high", "set-low"]
    """Cards that count: those dealt, held at the end, face up after a stage of the deal, or set into the hand."""
    through_stage: int
    """Index of the last stage of the deal whose cards count."""
    follows_stages: bool
    """True if only the cards of some stages count, so that the order of dealing matters."""
    ranking: HandOrder
    """Compiled ranking."""
    composed: FixedComposition | None
    """Ranking of hands that use a fixed number of cards from each place; None if any cards may be used."""

    @property
    def is_set(self) -> bool:
        """Return whether a place sets its cards into the hand."""
        return self.cards in ("set-high", "set-low")

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row of cards.

        Args:
            cards: uint8[n, sum of sizes], the cards place by place.

        Returns:
            int32[n]; -1 if a card is unknown.
        """
        return (self.composed or self.ranking).strength(cards)


class CompiledOutcome(Struct, frozen=True, kw_only=True):
    """Outcome that is no card, compiled. A value is known by its number, the index in `values`."""

    title: str
    values: tuple[str, ...]
    """Values, the digits of dice in ascending order."""
    weights: tuple[int, ...]
    """Number of equally likely results of each value."""
    numbers: tuple[int | None, ...]
    """Number of each value: the sum of dice, or the number of a wheel; None if it is no number."""
    shown: tuple[tuple[int, ...], ...]
    """Number of dice that show each face, the first of which is 1, by value; no faces unless it is of dice."""
    number_of_text: Mapping[str, int]
    """Number of the value for each text that states it."""


class CompiledSelection(Struct, frozen=True, kw_only=True):
    """Selections that stakes on a wager may be placed on, compiled."""

    outcome: str
    """Name of the outcome."""
    by: Literal["value", "total", "face"]
    permitted: tuple[str, ...]
    """Permitted selections, as logs write them."""
    when: Literal["placed", "stays"] = "placed"
    """Time at which a stake gets its selection, as in `Selection`."""


def _compile_outcome(outcome: Outcome) -> CompiledOutcome:
    values = tuple(outcome.weights)
    return CompiledOutcome(
        title=outcome.title,
        values=values,
        weights=tuple(outcome.weights.values()),
        numbers=tuple(map(outcome.read_number, values)),
        shown=tuple(tuple(value.count(face) for face in outcome.faces) for value in values),
        number_of_text=outcome.number_texts(),
    )


class CompiledPart(Struct, frozen=True, kw_only=True, eq=False):
    """Condition or quantity of a game, compiled: all that its evaluation needs and that no evidence changes."""

    identity: bytes
    """Identity of the condition or quantity."""
    grain: Grain
    """Coarsest grain at which it can be evaluated."""
    operand: Any
    """Operand to evaluate, without the conditions that the readings in force decide."""
    is_itemwise: bool
    """True if each value depends only on the parts for the same item."""


class CompiledCondition(CompiledPart, frozen=True, kw_only=True, eq=False):
    """Condition of a game, compiled."""

    condition: Condition
    """The condition."""
    operator: Any
    """Operator that evaluates it: `ConditionEvaluator` of `evaluation_context`."""
    decided: int
    """NO or YES if the readings in force decide it, UNKNOWN otherwise."""


class CompiledQuantity(CompiledPart, frozen=True, kw_only=True, eq=False):
    """Quantity of a game, compiled."""

    operator: Any
    """Operator that evaluates it: `QuantityEvaluator` of `evaluation_context`."""
    is_constant: bool
    """True if it is the same for all items."""


class PartCompiler(ABC):
    """Operators of the rule language, as a compiled game uses them."""

    @abstractmethod
    def compile_condition(self, prepared: CompiledGame, condition: Condition) -> CompiledCondition:
        """Compile a condition of a game."""

    @abstractmethod
    def compile_quantity(self, prepared: CompiledGame, quantity: Quantity) -> CompiledQuantity:
        """Compile a quantity of a game."""


class CompiledGame(Struct, frozen=True, kw_only=True, eq=False):
    """Regulation with a game, compiled for evaluation. It is compared and hashed by identity."""

    regulation: Regulation
    game: Game
    operators: PartCompiler
    """Operators of conditions and quantities."""
    hands: Mapping[str, CompiledHand]
    """Compiled hands by name."""
    outcomes: Mapping[str, CompiledOutcome]
    """Compiled outcomes that are no cards, by name."""
    selections: Mapping[str, CompiledSelection]
    """Permitted selections, by wager; only wagers with selections."""
    steps: Mapping[str, Act]
    """Acts and other events by name."""
    milestones: tuple[CompiledMilestone, ...]
    """Milestones of all requirements that check one, in the order in which they report acts."""
    printed_tables: Mapping[str, tuple[PrintedTable, ...]]
    """Printed pay tables of each line."""
    unlisted_rows: tuple[Unlisted, ...]
    """Pay of categories for which a table has no row, by the readings in force."""
    rounding: Rounding | None
    """Rounding of amounts due; None if they are due exactly."""
    at_least_match: AtLeast
    """Meaning of `match: at-least` for an amount due by table, by the readings in force."""
    _memory: KeyedCache[Hashable, Any] = field(default_factory=KeyedCache)
    """Results of functions under `cached_by_game`, and compiled conditions and quantities by identity."""
    terms: TermsCache = field(default_factory=TermsCache)
    """Results that depend on the licensee's configuration as well."""

    @property
    def betting(self) -> Betting:
        """Return the betting of the game.

        Raises:
            ValueError: the game has no betting.
        """
        if self.game.betting is None:
            raise ValueError(f"{self.game.game} has no betting")
        return self.game.betting

    @property
    def pots(self) -> Pots:
        """Return how the game divides what players put in.

        Raises:
            ValueError: the game has no pots.
        """
        if self.game.pots is None:
            raise ValueError(f"{self.game.game} has no pots")
        return self.game.pots

    def resolve_match(self, due: ByTable) -> Literal["exactly"] | AtLeast:
        """Return how an amount due by table is compared with posted tables, by the readings in force."""
        return self.at_least_match if due.match == "at-least" else due.match

    def compile_condition(self, condition: Condition) -> CompiledCondition:
        """Compile a condition, once for all with one structure."""
        identity, memory = condition.identity, self._memory
        compiled: CompiledCondition | None = memory.get(identity)
        if compiled is None:
            compiled = memory[identity] = self.operators.compile_condition(self, condition)
        return compiled

    def compile_quantity(self, quantity: Quantity) -> CompiledQuantity:
        """Compile a quantity, once for all with one structure."""
        identity, memory = quantity.identity, self._memory
        compiled: CompiledQuantity | None = memory.get(identity)
        if compiled is None:
            compiled = memory[identity] = self.operators.compile_quantity(self, quantity)
        return compiled

    def find_grain(self, part: Condition | Quantity) -> Grain:
        """Return the coarsest grain of a condition or quantity."""
        return (self.compile_condition(part) if isinstance(part, Condition) else self.compile_quantity(part)).grain

    def resolve_fact(self, condition: Condition) -> Condition:
        """Return the condition that a name refers to, or the condition itself."""
        while condition.operator == "fact":
            condition = self.game.facts[condition.operand]
        return condition

    def iterate_parts(self, *conditions: Condition) -> Iterator[Condition | Quantity]:
        """Yield the conditions and quantities within conditions and within the facts that they name."""
        waiting = [*conditions]
        for condition in waiting:  # grows while it is read
            for part in iterate_models(condition):
                if isinstance(part, Condition | Quantity):
                    yield part
                    fact = self.game.facts[part.operand] if part.operator == "fact" else condition
                    waiting += [] if fact in waiting else [fact]

    def get_automaton(self, check: SequenceCheck) -> StepAutomaton:
        """Return the automaton of a sequence, compiled once."""
        automaton: StepAutomaton = self._memory.get_or_compute(
            ("automaton", check.identity), lambda: compile_sequence(check.steps)
        )
        return automaton


def cached_by_game(
    compute: Callable[Concatenate[CompiledGame, Params], Value],
) -> Callable[Concatenate[CompiledGame, Params], Value]:
    """Cache the result of a function of a compiled game, once per combination of its other arguments.

    The result must not depend on which requirements the regulation has. The other arguments must be hashable.
    """

    @wraps(compute)
    def get_cached(prepared: CompiledGame, /, *args: Params.args, **kwargs: Params.kwargs) -> Value:
        key, memory = (get_cached, args, *kwargs.items()), prepared._memory
        found: Value = memory.get(key, _MISSING)
        if found is _MISSING:
            found = memory[key] = compute(prepared, *args, **kwargs)
        return found

    return get_cached


def build_compiled_game(regulation: Regulation, operators: PartCompiler) -> CompiledGame:
    """Compile the game of a regulation for evaluation with some operators.

    Raises:
        ValueError: the regulation has no game.
    """
    game = regulation.game
    if game is None:
        raise ValueError(f"{regulation.id} has no game that can be played")
    printed: dict[str, tuple[PrintedTable, ...]] = {}
    for name, table in game.pay_tables.items():
        printed[table.of] = (*printed.get(table.of, ()), read_printed_table(regulation, game, name))
    return CompiledGame(
        regulation=regulation,
        game=game,
        operators=operators,
        hands={name: _compile_hand(regulation, game.deal, hand) for name, hand in game.hands.items()},
        outcomes={name: _compile_outcome(outcome) for name, outcome in game.outcomes.items()},
        selections={
            name: CompiledSelection(
                outcome=wager.selects.outcome,
                by=wager.selects.by,
                when=wager.selects.when,
                permitted=tuple(wager.selects.list_selections(game.outcomes[wager.selects.outcome])),
            )
            for name, wager in game.wagers.items()
            if wager.selects is not None
        },
        steps=game.all_acts,
        milestones=compile_milestones(regulation),
        printed_tables=printed,
        unlisted_rows=tuple(row for row in game.settlement.unlisted if _in_force(regulation, row.reading)),
        rounding=next((rule for rule in game.settlement.rounded if _in_force(regulation, rule.reading)), None),
        at_least_match=next(
            (rule.match for rule in game.settlement.matching if _in_force(regulation, rule.reading)), "at-least"
        ),
    )


def compile_game_deck(prepared: CompiledGame) -> CompiledDeck | None:
    """Compile one deck of the cards of a game; None if the game has no cards."""
    deck = prepared.game.deck
    return None if deck is None else compile_deck(deck.cards, prepared.regulation.vocabulary.decks[deck.cards])


def _in_force(regulation: Regulation, reading: ReadingIs | None) -> bool:
    return reading is None or regulation.is_option_in_force(reading.name, reading.is_)


def _compile_hand(regulation: Regulation, deal: Deal, hand: Hand) -> CompiledHand:
    stages = [stage.stage for stage in deal.stages]
    sizes = tuple(hand.count_full_cards(deal)[place] for place in hand.from_)
    fewest = tuple(hand.count_fewest_cards(deal)[place] for place in hand.from_)
    first = tuple(deal.locate_cards(place, hand.through, hand.only_stages)[0] for place in hand.from_)
    order = compile_ranking_of_hand(regulation, hand)
    if hand.is_set:
        sizes = fewest = (regulation.vocabulary.rankings[find_ranking_name(regulation, hand)].size_range()[0],)
    return CompiledHand(
        places=tuple(hand.from_),
        sizes=sizes,
        fewest=fewest,
        first=first,
        cards=hand.cards,
        through_stage=len(stages) - 1 if hand.through is None else stages.index(hand.through),
        follows_stages=hand.cards == "dealt" and (hand.through is not None or hand.stage is not None),
        ranking=order,
        composed=None
        if hand.uses is None
        else compile_composition(order, sizes, [hand.uses[place] for place in hand.from_]),
    )
