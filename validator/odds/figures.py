"""What is told of a wager's odds: the figures, as programs read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec import Struct, field


class Outcome(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Something that may come of a wager: how likely it is, and what it pays for a unit staked on the wager, less what
    it costs. `combinations` is how many deals come to it (0 where rounds were simulated)."""

    outcome: str
    probability: str
    pays: str
    combinations: int


class ByMeter(Struct, frozen=True, kw_only=True, rename="kebab"):
    """How the advantage hangs on what a meter reads: at nothing, less `per_unit` for each minor unit; at `even`, in
    minor units, the house has none."""

    meter: str
    reads: int | None
    at_nothing: str
    per_unit: str
    even: str | None


class PartOfStrategy(Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True):
    """A decision, and the hands for which it is best."""

    decision: str
    """The decision."""
    hands: int
    """For how many hands it is best; where a seat decides several times, for how many deals of the cards seen."""
    of: int
    """Out of how many."""
    when: str | None
    """The hands in words, where a threshold describes them."""
    after: tuple[str, ...] = ()
    """The decisions that the seat has taken before."""


class DealOfProof(Struct, frozen=True, kw_only=True, rename="kebab"):
    """A deal: what the player decides in it, and the cards by place."""

    decision: str | None
    cards: Mapping[str, str]


class CaseBefore(Struct, frozen=True, kw_only=True, rename="kebab"):
    """A case of a line that decides `deal` only as it stands before another one (`other`), which holds as well and
    would come to something else."""

    line: str
    case: str
    other: str
    deal: DealOfProof


class CaseOfLine(Struct, frozen=True, kw_only=True, rename="kebab"):
    """A case of settlement of a line."""

    line: str
    case: str


class Undecided(Struct, frozen=True, kw_only=True, rename="kebab"):
    """A deal in which no case decides what a line is due, or the case that does leaves it open."""

    line: str
    deal: DealOfProof


class Settlement(Struct, frozen=True, kw_only=True, rename="kebab"):
    """Whether every deal, whatever the player decides, settles every stake by exactly one case, the first that holds
    (`whole`); else the first deal that was found `undecided`. `order` are cases whose order matters, `never` those that
    may hold in a round of which no card is known, and that no deal comes to."""

    whole: bool
    undecided: tuple[Undecided, ...] = ()
    order: tuple[CaseBefore, ...] = ()
    never: tuple[CaseOfLine, ...] = ()


class WagerOdds(Struct, frozen=True, kw_only=True, rename="kebab"):
    """A wager under one permitted pay table, or under one of several that a submission posts for it (`posted`, from 1;
    None where it posts no two). Fractions are text, `p/q`; of the wager's own unit. `exact` tells whether
    every deal was counted; else `interval` is where the advantage lies. `never` are rows of its tables that no deal
    comes to, whatever the player decides; `settlement` is None where deals were not gone through; `strategy_costs`
    is by how much a strategy that was given is worse for the player than the best. `why` tells why there is no
    advantage."""

    wager: str
    pay_table: str | None
    title: str
    with_: tuple[str, ...] = field(name="with")
    beside: tuple[str, ...]
    options: Mapping[str, bool | str]
    exact: bool
    house_advantage: str | None
    element_of_risk: str | None
    standard_deviation: float | None
    interval: tuple[float, float] | None
    deals: int | None
    by_meter: ByMeter | None
    strategy: tuple[PartOfStrategy, ...]
    outcomes: tuple[Outcome, ...]
    never: tuple[str, ...] = ()
    settlement: Settlement | None = None
    strategy_costs: str | None = None
    why: str | None = None
    posted: int | None = None


class StatedFigure(Struct, frozen=True, kw_only=True, rename="kebab"):
    """A figure that a submission states: `at` is where, `holds` whether it is what the rules come to, rounded as it is
    stated; None where that is not known, and `why`."""

    at: tuple[str | int, ...]
    wager: str
    figure: str
    stated: str
    found: str | None
    holds: bool | None
    why: str | None = None


class WagerMoved(Struct, frozen=True, kw_only=True, rename="kebab"):
    """The advantage of the house on a wager on one side and on the other; of wagers that hang on a meter, where that
    reads nothing."""

    wager: str
    pay_table: str | None
    options: Mapping[str, bool | str]
    exact: bool
    before: str | None
    after: str | None
    moved: str | None


class OptionMoves(Struct, frozen=True, kw_only=True, rename="kebab"):
    """An option of a reading, and the wagers that it moves."""

    reading: str
    option: str
    says: str
    instead_of: str
    wagers: tuple[WagerMoved, ...]


class OddsDiffer(Struct, frozen=True, kw_only=True, rename="kebab"):
    """The odds of a document on two sides: the wagers whose advantage is another one, and what that comes to on a
    handle, in minor units, which is staked on each of them."""

    document: str
    title: str
    before: str
    after: str
    handle: int
    wagers: tuple[WagerMoved, ...]


class DocumentOdds(Struct, frozen=True, kw_only=True, rename="kebab"):
    """The odds of the wagers of a game, by the text as it is read. `why` tells why there are none at all."""

    document: str
    title: str
    wagers: tuple[WagerOdds, ...]
    why: str | None = None
    readings: tuple[OptionMoves, ...] | None = None
    stated: tuple[StatedFigure, ...] | None = None


def ratio(value: Fraction) -> str:
    """A fraction in lowest terms, also a whole one: `3/1`."""
    return f"{value.numerator}/{value.denominator}"


def percent(value: str | None, digits: int = 4) -> str:
    """A fraction in percent, rounded half to even; a dash where there is none."""
    if value is None:
        return "-"
    scaled = round(Fraction(value) * 100 * 10**digits)
    whole, part = divmod(abs(scaled), 10**digits)
    return f"{'-' if scaled < 0 else ''}{whole}.{part:0{digits}d} %"


def deviation(pays: Iterable[tuple[Fraction, Fraction]]) -> float:
    """The standard deviation of a payment, given what may be paid, each with its probability."""
    pairs = list(pays)
    mean = sum((pay * probability for pay, probability in pairs), Fraction(0))
    return root(sum((pay * pay * probability for pay, probability in pairs), Fraction(0)) - mean * mean)


def root(value: Fraction) -> float:
    """The square root of a fraction, to the last digit that a float has."""
    scale = 1 << 120
    return math.isqrt(value.numerator * scale * scale // value.denominator) / scale
