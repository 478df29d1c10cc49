"""Compiled games: compiled rankings, applied readings, and pay tables as the readings interpret them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from validator.arrays import Codes, Ints32
from validator.cards.fixed_composition import FixedComposition, compile_composition
from validator.cards.ranking_protocol import HandOrder
from validator.engine.compiled.courses import CompiledCourse, compile_courses
from validator.engine.compiled.ladders import compile_ranking_of_hand
from validator.engine.compiled.printed_tables import PrintedTable, read_printed_table
from validator.engine.compiled.step_automaton import StepAutomaton, compile_sequence
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain
from validator.language.operands import ReadingIs
from validator.language.terms import Place
from validator.rules.core.regulation import Regulation
from validator.rules.model.betting import Betting
from validator.rules.model.deal import Deal
from validator.rules.model.game import Game, Hand, Step
from validator.rules.model.pots import Pots
from validator.rules.model.requirement import SequenceCheck
from validator.rules.model.settlement import AtLeast, ByTable, Unlisted
from validator.text.models.model import hash_structure


class CompiledHand(Struct, frozen=True, kw_only=True):
    """Hand with a compiled ranking: the cards that are ranked together."""

    places: tuple[Place, ...]
    """Places whose cards make up the hand."""
    sizes: tuple[int, ...]
    """Number of cards from each place."""
    cards: Literal["dealt", "held", "open"]
    """Cards that count: those dealt, those held at the end, or those face up after a stage of the deal."""
    through_stage: int
    """Index of the last stage of the deal whose open cards count."""
    ranking: HandOrder
    """Compiled ranking."""
    composed: FixedComposition | None
    """Ranking of hands that use a fixed number of cards from each place; None if any cards may be used."""

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row of cards.

        Args:
            cards: uint8[n, sum of sizes], the cards place by place.

        Returns:
            int32[n]; -1 if a card is unknown.
        """
        return (self.composed or self.ranking).strength(cards)


class CompiledGame(Struct, frozen=True, kw_only=True, eq=False):
    """Regulation with a game, compiled for evaluation. It is compared and hashed by identity."""

    regulation: Regulation
    game: Game
    hands: Mapping[str, CompiledHand]
    """Compiled hands by name."""
    steps: Mapping[str, Step]
    """Steps of the procedure by name."""
    courses: Mapping[str, CompiledCourse]
    """Compiled courses by name."""
    printed_tables: Mapping[str, tuple[PrintedTable, ...]]
    """Printed pay tables of each line."""
    unlisted_rows: tuple[Unlisted, ...]
    """Pay of categories for which a table has no row, by the readings in force."""
    rounding: Literal["exactly", "either", "down", "up"]
    """Rounding of an amount due that is no whole minor unit."""
    at_least_match: AtLeast
    """Meaning of `match: at-least` for an amount due by table, by the readings in force."""
    _automata: dict[bytes, StepAutomaton] = field(default_factory=dict)
    _grains: dict[bytes, Grain] = field(default_factory=dict)

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

    def find_grain(self, asked: Condition | Quantity) -> Grain:
        """Return the coarsest grain of a condition or quantity, computed once."""
        result = self._grains.get(asked.identity)
        if result is None:
            result = self._grains[asked.identity] = asked.find_grain(self.game)
        return result

    def resolve_fact(self, condition: Condition) -> Condition:
        """Return the condition that a name refers to, or the condition itself."""
        while condition.operator == "fact":
            condition = self.game.facts[condition.operand]
        return condition

    def get_automaton(self, check: SequenceCheck) -> StepAutomaton:
        """Return the automaton of a sequence, compiled once."""
        key = hash_structure(check)
        if key not in self._automata:
            self._automata[key] = compile_sequence(check.steps)
        return self._automata[key]


def compile_game(regulation: Regulation) -> CompiledGame:
    """Compile the game of a regulation.

    Raises:
        ValueError: the regulation has no game.
    """
    game = regulation.game
    if game is None:
        raise ValueError(f"{regulation.id} has no game that can be played")
    printed: dict[str, tuple[PrintedTable, ...]] = {}
    for name, table in game.pay_tables.items():
        printed[table.for_] = (*printed.get(table.for_, ()), read_printed_table(regulation, game, name))
    return CompiledGame(
        regulation=regulation,
        game=game,
        hands={name: _compile_hand(regulation, game.deal, hand) for name, hand in game.hands.items()},
        steps={step.step: step for step in game.procedure},
        courses=compile_courses(regulation, game.courses),
        printed_tables=printed,
        unlisted_rows=tuple(row for row in game.settlement.unlisted if _in_force(regulation, row.reading)),
        rounding=next(
            (rule.allow for rule in game.settlement.fractions if _in_force(regulation, rule.reading)), "exactly"
        ),
        at_least_match=next(
            (rule.match for rule in game.settlement.matching if _in_force(regulation, rule.reading)), "at-least"
        ),
    )


def _in_force(regulation: Regulation, reading: ReadingIs | None) -> bool:
    return reading is None or regulation.is_option_in_force(reading.name, reading.is_)


def _compile_hand(regulation: Regulation, deal: Deal, hand: Hand) -> CompiledHand:
    stages = [stage.stage for stage in deal.stages]
    sizes = tuple(hand.count_full_cards(deal)[place] for place in hand.from_)
    order = compile_ranking_of_hand(regulation, hand)
    return CompiledHand(
        places=tuple(hand.from_),
        sizes=sizes,
        cards=hand.cards,
        through_stage=len(stages) - 1 if hand.through is None else stages.index(hand.through),
        ranking=order,
        composed=None
        if hand.uses is None
        else compile_composition(order, sizes, [hand.uses[place] for place in hand.from_]),
    )
