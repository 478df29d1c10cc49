"""A game made ready for the interpreter: rankings compiled, readings applied, pay tables as they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from validator.arrays import Codes, Ints32
from validator.cards.fixed_composition import Composed, compose
from validator.cards.ranking_protocol import HandOrder
from validator.engine.compiled.courses import PreparedCourse, prepare_courses
from validator.engine.compiled.ladders import order_of
from validator.engine.compiled.printed_tables import Printed, print_table
from validator.engine.compiled.step_automaton import Automaton, compile_sequence
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
from validator.text.models.model import structure_of


class PreparedHand(Struct, frozen=True, kw_only=True):
    """Cards ranked together: whose cards, how many of each place make it up (`sizes`), whether those dealt, those held
    in the end or those that lie open when a stage of the deal is over (`through`, by its place in the game's list), by
    which ranking; where so many cards of each place count, as `composed` of them."""

    places: tuple[Place, ...]
    sizes: tuple[int, ...]
    cards: Literal["dealt", "held", "open"]
    through: int
    ranking: HandOrder
    composed: Composed | None

    def strength(self, cards: Codes) -> Ints32:
        """int32[n]: strength of the best hand out of each row of cards (uint8[n, sum of sizes]), which stand place by
        place; -1 where one of them is not known."""
        return (self.composed or self.ranking).strength(cards)


class Prepared(Struct, frozen=True, kw_only=True, eq=False):
    """A regulation with a game, ready to be played. Compared and hashed by identity."""

    regulation: Regulation
    game: Game
    hands: Mapping[str, PreparedHand]
    steps: Mapping[str, Step]
    courses: Mapping[str, PreparedCourse]
    printed: Mapping[str, tuple[Printed, ...]]  # the printed pay tables of each line
    unlisted: tuple[Unlisted, ...]  # what is paid where a table has no row for it, as the text is read
    fractions: Literal["exactly", "either", "down", "up"]  # how a due that is no whole minor unit is met
    at_least: AtLeast  # what a due `at-least` by a pay table means, as the text is read
    _automata: dict[bytes, Automaton] = field(default_factory=dict)
    _grains: dict[bytes, Grain] = field(default_factory=dict)

    @property
    def betting(self) -> Betting:
        """The betting of the game. Raises ValueError where it has none."""
        if self.game.betting is None:
            raise ValueError(f"{self.game.game} has no betting")
        return self.game.betting

    @property
    def pots(self) -> Pots:
        """How the game divides what players put in. Raises ValueError where it does not."""
        if self.game.pots is None:
            raise ValueError(f"{self.game.game} has no pots")
        return self.game.pots

    def match_of(self, due: ByTable) -> Literal["exactly"] | AtLeast:
        """How a due by table is held against posted tables, as the text is read."""
        return self.at_least if due.match == "at-least" else due.match

    def grain(self, asked: Condition | Quantity) -> Grain:
        """The grain a condition or quantity speaks at, worked out when first asked for."""
        result = self._grains.get(asked.identity)
        if result is None:
            result = self._grains[asked.identity] = asked.grain(self.game)
        return result

    def stated(self, condition: Condition) -> Condition:
        """Return the condition that a name stands for, or the condition itself."""
        while condition.operator == "fact":
            condition = self.game.facts[condition.operand]
        return condition

    def automaton(self, check: SequenceCheck) -> Automaton:
        """The automaton of a sequence, compiled when first asked for."""
        key = structure_of(check)
        if key not in self._automata:
            self._automata[key] = compile_sequence(check.steps)
        return self._automata[key]


def prepare(regulation: Regulation) -> Prepared:
    """Make the game of a regulation ready. Raises ValueError where it has none."""
    game = regulation.game
    if game is None:
        raise ValueError(f"{regulation.id} has no game that can be played")
    printed: dict[str, tuple[Printed, ...]] = {}
    for name, table in game.pay_tables.items():
        printed[table.for_] = (*printed.get(table.for_, ()), print_table(regulation, game, name))
    return Prepared(
        regulation=regulation,
        game=game,
        hands={name: _prepare_hand(regulation, game.deal, hand) for name, hand in game.hands.items()},
        steps={step.step: step for step in game.procedure},
        courses=prepare_courses(regulation, game.courses),
        printed=printed,
        unlisted=tuple(row for row in game.settlement.unlisted if _in_force(regulation, row.reading)),
        fractions=next(
            (rule.allow for rule in game.settlement.fractions if _in_force(regulation, rule.reading)), "exactly"
        ),
        at_least=next(
            (rule.match for rule in game.settlement.matching if _in_force(regulation, rule.reading)), "at-least"
        ),
    )


def _in_force(regulation: Regulation, reading: ReadingIs | None) -> bool:
    return reading is None or regulation.applies(reading.name, reading.is_)


def _prepare_hand(regulation: Regulation, deal: Deal, hand: Hand) -> PreparedHand:
    stages = [stage.stage for stage in deal.stages]
    sizes = tuple(hand.full(deal)[place] for place in hand.from_)
    order = order_of(regulation, hand)
    return PreparedHand(
        places=tuple(hand.from_),
        sizes=sizes,
        cards=hand.cards,
        through=len(stages) - 1 if hand.through is None else stages.index(hand.through),
        ranking=order,
        composed=None if hand.uses is None else compose(order, sizes, [hand.uses[place] for place in hand.from_]),
    )
