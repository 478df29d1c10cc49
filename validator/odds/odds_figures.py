"""Figures of a wager's odds, in the form in which programs read them, with the best strategy of the player."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.odds.deal_settlement import PointChoices, Solution
from fairdeal.validator.odds.player_options import OddsTable


class WagerOutcome(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Possible outcome of a wager."""

    outcome: str
    probability: str
    """Probability, as a fraction."""
    pays: str
    """Payment less losses per unit staked on the wager, as a fraction."""
    combinations: int
    """Number of deals with this outcome; 0 if rounds were simulated."""


class MeterEffect(Struct, frozen=True, kw_only=True, rename="kebab"):
    """House advantage as a linear function of the reading of a meter."""

    meter: str
    reads: int | None
    """Reading, in minor units; None if it is not known."""
    at_nothing: str
    """House advantage at reading zero."""
    per_unit: str
    """Decrease of the house advantage for each further minor unit."""
    even: str | None
    """Reading at which the house has no advantage, in minor units; None if there is none."""


class StrategyPart(Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True):
    """Decision, with the hands for which it is best."""

    decision: str
    """The decision."""
    hands: int
    """Number of hands for which it is best or, with several decisions in a round, number of deals of the visible
    cards."""
    of: int
    """Number of all hands or deals."""
    when: str | None
    """Description of the hands, if a threshold describes them."""
    after: tuple[str, ...] = ()
    """Decisions that the seat has taken before."""


class ExampleDeal(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Example of a deal: the decision of the player, and the cards by place."""

    decision: str | None
    cards: Mapping[str, str]


class CasePrecedence(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Case of a line that settles a deal only because it comes before another case that also holds and pays
    differently."""

    line: str
    case: str
    other: str
    """The later case."""
    deal: ExampleDeal
    """Example of such a deal."""


class UnreachedCase(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Case of settlement of a line that settles no deal."""

    line: str
    case: str


class UndecidedLine(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Deal for which no case settles a line, or for which the case leaves the amount open."""

    line: str
    deal: ExampleDeal


class SettlementCoverage(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Result of checking the cases of settlement on every deal with every decision."""

    whole: bool
    """True if exactly one case, the first that holds, settles every stake."""
    undecided: tuple[UndecidedLine, ...] = ()
    """First deal without a settlement."""
    order: tuple[CasePrecedence, ...] = ()
    """Cases whose order matters."""
    never: tuple[UnreachedCase, ...] = ()
    """Cases that settle no deal, although nothing rules them out before the cards are known."""


class WagerOdds(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Odds of a wager under one pay table. Fractions are text, `p/q`, per unit staked on the wager."""

    wager: str
    pay_table: str | None
    """Permitted pay table, or the one that a submission posts."""
    title: str
    with_: tuple[str, ...] = field(name="with")
    """Wagers and bonuses that are counted with it."""
    beside: tuple[str, ...]
    """Wagers that it needs and that are not counted."""
    options: Mapping[str, bool | str]
    """Options of the house."""
    exact: bool
    """True if every deal was counted."""
    house_advantage: str | None
    element_of_risk: str | None
    standard_deviation: float | None
    interval: tuple[float, float] | None
    """Interval of the house advantage, if not every deal was counted."""
    deals: int | None
    """Number of deals that were counted."""
    by_meter: MeterEffect | None
    strategy: tuple[StrategyPart, ...]
    outcomes: tuple[WagerOutcome, ...]
    never: tuple[str, ...] = ()
    """Rows of its pay tables that no deal hits, whatever the player decides."""
    settlement: SettlementCoverage | None = None
    """Result for the cases of settlement; None if deals were not enumerated."""
    strategy_costs: str | None = None
    """Additional cost of a given strategy, compared with the best."""
    why: str | None = None
    """Reason why there is no house advantage."""
    posted: int | None = None
    """Number of the posted pay table, from 1; None unless a submission posts several."""
    method: str | None = None
    """Method of computation, if neither all deals were counted nor rounds simulated."""
    on: tuple[str, ...] = ()
    """Selections with these odds; none if the wager has no selections, or all of them have these odds."""


class StatedFigure(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Figure that a submission states, compared with the rules."""

    at: tuple[str | int, ...]
    """Path of the figure in the submission."""
    wager: str
    figure: str
    stated: str
    found: str | None
    """Figure that follows from the rules."""
    holds: bool | None
    """True if both agree to the stated precision; None if this is not known."""
    why: str | None = None
    """Reason why it is not known."""


class AdvantageChange(Struct, frozen=True, kw_only=True, rename="kebab"):
    """House advantage on a wager before and after a change. If it depends on a meter, the meter is at zero."""

    wager: str
    pay_table: str | None
    options: Mapping[str, bool | str]
    exact: bool
    before: str | None
    after: str | None
    moved: str | None


class OptionEffect(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Option of a reading, with the wagers whose house advantage it changes."""

    reading: str
    option: str
    says: str
    instead_of: str
    wagers: tuple[AdvantageChange, ...]


class OddsComparison(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Comparison of the odds of a document before and after a change."""

    document: str
    title: str
    before: str
    after: str
    handle: int
    """Stakes on each wager, in minor units, for which the change is stated in money."""
    wagers: tuple[AdvantageChange, ...]
    """Wagers whose house advantage changed."""


class DocumentOdds(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Odds of the wagers of a game, under the readings in use."""

    document: str
    title: str
    wagers: tuple[WagerOdds, ...]
    why: str | None = None
    """Reason why there are none."""
    readings: tuple[OptionEffect, ...] | None = None
    stated: tuple[StatedFigure, ...] | None = None


def format_ratio(value: Fraction) -> str:
    """Return a fraction in lowest terms, with its denominator even if it is whole: `3/1`."""
    return f"{value.numerator}/{value.denominator}"


def format_percentage(value: str | None, digits: int = 4) -> str:
    """Return a fraction as a percentage, rounded half to even; a dash for None."""
    if value is None:
        return "-"
    scaled = round(Fraction(value) * 100 * 10**digits)
    whole, part = divmod(abs(scaled), 10**digits)
    return f"{'-' if scaled < 0 else ''}{whole}.{part:0{digits}d} %"


def compute_deviation(pays: Iterable[tuple[Fraction, Fraction]]) -> float:
    """Return the standard deviation of a payment.

    Args:
        pays: possible payments, each with its probability.
    """
    pairs = list(pays)
    mean = sum((pay * probability for pay, probability in pairs), Fraction(0))
    return take_root(sum((pay * pay * probability for pay, probability in pairs), Fraction(0)) - mean * mean)


def take_root(value: Fraction) -> float:
    """Return the square root of a fraction, to the last digit of a float."""
    scale = 1 << 120
    return math.isqrt(value.numerator * scale * scale // value.denominator) / scale


def describe_strategy(table: OddsTable, solution: Solution) -> tuple[StrategyPart, ...]:
    """Return the decisions that are best for some hands, the most costly first; none if one is best for all."""
    choice = solution.choice
    if choice is None:
        return tuple(part for point in solution.points for part in _describe_point(table.prepared, point))
    decisions = list(dict.fromkeys(alternative.name for alternative in reversed(solution.alternatives)))
    of = np.array([decisions.index(alternative.name) for alternative in solution.alternatives])[choice.best]
    return tuple(_list_parts(table.prepared, decisions, of, choice.weight, choice.cards))


def _describe_point(prepared: CompiledGame, point: PointChoices) -> Iterator[StrategyPart]:
    """Yield the decisions that are best at a decision point, the most costly first."""
    decisions = list(reversed(point.decisions))
    best = len(decisions) - 1 - point.best
    for part in _list_parts(prepared, decisions, best, point.weight, point.cards.get("player")):
        yield replace(part, after=point.after)


def _list_parts(
    prepared: CompiledGame, decisions: Sequence[str | None], best: Ints, weight: Ints, cards: Codes | None
) -> list[StrategyPart]:
    """Return the decisions that are best for some hands, in order; none if one is best for all."""
    parts = [
        StrategyPart(
            decision=decision or "none",
            hands=int(weight[best == number].sum()),
            of=int(weight.sum()),
            when=None if cards is None else _describe_hands(prepared, cards, best == number),
        )
        for number, decision in enumerate(decisions)
        if (best == number).any()
    ]
    return parts if len(parts) > 1 else []


def _describe_hands(prepared: CompiledGame, cards: Codes, chosen: Flags) -> str | None:
    """Return a description of the chosen hands, if they are all hands above or below a threshold of the player's own
    hand."""
    for hand in prepared.hands.values():
        if hand.places != ("player",) or hand.cards == "open" or hand.sizes[0] != cards.shape[1]:
            continue
        strengths: Ints32 = hand.strength(cards)
        inside, outside = strengths[chosen], strengths[~chosen]
        if not len(outside):
            return None
        if inside.min() > outside.max():
            return f"{hand.ranking.describe(int(inside.min()))} or better"
        if inside.max() < outside.min():
            return f"lower than {hand.ranking.describe(int(outside.min()))}"
    return None
