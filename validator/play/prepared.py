"""A game made ready for the interpreter: rankings compiled, readings applied, pay tables as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from validator.cards.orders import HandOrder, compile_order
from validator.play.automaton import Automaton, compile_sequence
from validator.rulebook.grain import Grain, grain_of_condition
from validator.rulebook.language.conditions import Condition, Place
from validator.rulebook.language.game import Deal, Game, Hand, PayTable, Step
from validator.rulebook.language.requirement import SequenceCheck
from validator.rulebook.regulation import Regulation

OFF_THE_TABLE = 255
"""What a category reads where a hand could not be ranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedHand:
    """Cards ranked together: whose cards, how many of each place make it up (`sizes`), whether those dealt or
    those held in the end, by which ranking."""

    places: tuple[Place, ...]
    sizes: tuple[int, ...]
    cards: Literal["dealt", "held"]
    ranking: HandOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """A pay table as arrays over a hand's categories, lowest first: `profit / per` for each unit staked.

    `profit` is int64[categories], -1 where the category is not paid; `per` is the common denominator.
    """

    profit: NDArray[np.int64]
    per: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A regulation with a game, ready to be played. Compared and hashed by identity."""

    regulation: Regulation
    game: Game
    hands: Mapping[str, PreparedHand]
    steps: Mapping[str, Step]
    printed: Mapping[str, tuple[str, ...]]  # names of the printed pay tables of each line
    standins: Mapping[str, str]  # category -> category it is paid as where a table has no row for it
    _automata: dict[int, Automaton] = field(default_factory=dict, compare=False)
    _grains: dict[int, Grain] = field(default_factory=dict, compare=False)

    def grain(self, condition: Condition) -> Grain:
        """The grain a condition speaks at, worked out when first asked for. It is one of the regulation's own."""
        if id(condition) not in self._grains:
            self._grains[id(condition)] = grain_of_condition(condition, self.game)
        return self._grains[id(condition)]

    def automaton(self, check: SequenceCheck) -> Automaton:
        """The automaton of a sequence, compiled when first asked for. `check` is one of the regulation's own."""
        if id(check) not in self._automata:
            self._automata[id(check)] = compile_sequence(check.steps)
        return self._automata[id(check)]

    def odds(self, line: str, rows: Mapping[str, Fraction]) -> Odds:
        """The rows of a pay table of a line, as arrays. Rows of unknown hands pay nothing."""
        categories = self.hands[self.hand_of(line)].ranking.categories
        paid = dict(rows)
        for category, standin in self.standins.items():
            if category in categories and category not in paid and standin in paid:
                paid[category] = paid[standin]
        per = lcm(*(profit.denominator for profit in paid.values()), 1)
        profits = [int(paid[name] * per) if name in paid else -1 for name in categories]
        return Odds(profit=np.array(profits, np.int64), per=per)

    def hand_of(self, line: str) -> str:
        """The hand a line's pay tables look at. Raises KeyError where no pay table is printed for it."""
        return self.game.pay_tables[self.printed[line][0]].hand

    def printed_rows(self, name: str) -> dict[str, Fraction]:
        """Profit per unit staked of every row of a printed pay table."""
        return rows_of(self.game.pay_tables[name])


def rows_of(table: PayTable) -> dict[str, Fraction]:
    """Profit per unit staked of every row of a printed pay table."""
    return {category: odds.profit for category, odds in table.rows.items()}


def prepare(regulation: Regulation) -> Prepared:
    """Make the game of a regulation ready. Raises ValueError where it has none."""
    game = regulation.game
    if game is None:
        raise ValueError(f"{regulation.id} has no game that can be played")
    printed: dict[str, tuple[str, ...]] = {}
    for name, table in game.pay_tables.items():
        printed[table.for_] = (*printed.get(table.for_, ()), name)
    return Prepared(
        regulation=regulation,
        game=game,
        hands={name: _prepare_hand(regulation, game.deal, hand) for name, hand in game.hands.items()},
        steps={step.step: step for step in game.procedure},
        printed=printed,
        standins={
            one.category: one.pays_as
            for one in game.settlement.unlisted
            if regulation.applies(one.reading.name, one.reading.is_)
        },
    )


def _prepare_hand(regulation: Regulation, deal: Deal, hand: Hand) -> PreparedHand:
    ranking = hand.rank_by
    for other in hand.otherwise:
        if regulation.applies(other.reading.name, other.reading.is_):
            ranking = other.rank_by
    full = {**deal.cards, **deal.held} if hand.cards == "held" else deal.cards
    return PreparedHand(
        places=tuple(hand.from_),
        sizes=tuple(full[place] for place in hand.from_),
        cards=hand.cards,
        ranking=compile_order(regulation.vocabulary.rankings[ranking]),
    )
