"""Planned faults: the stage of a round at which each is planted, and the seats that it may affect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from validator.engine.compiled.game import Prepared
from validator.language.conditions import Condition
from validator.rulebook.lint.faults import fault_doubt
from validator.rulebook.lint.other_readings import asked_under
from validator.rules.core.regulation import Regulation
from validator.rules.model.faults import EarlierFault, Fault
from validator.rules.model.game import Game
from validator.rules.model.requirement import Requirement
from validator.simulate.table.chance import Luck
from validator.simulate.table.records import Event, Round, Seat
from validator.simulate.table.view import View
from validator.text.diagnostics import did_you_mean

Thing = TypeVar("Thing")


class Stage(IntEnum):
    """Stage of a round after which a fault can be planted, in order."""

    WAGERS = 1
    CARDS = 2
    DECISIONS = 3
    EXCHANGE = 4
    OUTCOME = 5
    RECORD = 6


class Planting(Struct, frozen=True, kw_only=True):
    """Fault that is to be planted."""

    requirement: str
    """Full id of the requirement that it breaks."""
    fault: Fault | EarlierFault
    """Description of the fault."""
    stage: Stage
    cases: tuple[int, ...]
    """Numbers of the cases of settlement, and of the limits, that the requirement checks."""
    check: Any
    """Check of the requirement."""
    following: Condition | None
    """Condition that the previous round must have satisfied; None if there is none."""
    upon: Planting | None = None
    """Fault that must be planted in the same round before."""


class Unfit(Exception):
    """Error: the round does not fit the fault."""


class Breach:
    """Fault that is being planted in rounds, with the seats and rounds that it fits."""

    def __init__(self, view: View, planting: Planting, rng: Luck) -> None:
        self.view, self.house, self.rng = view, view.house, rng
        self.operand, self.cases = planting.fault.operand, planting.cases
        # The condition of an act is evaluated when it is made; rule out rounds where it can never hold.
        acts, where = planting.fault.operator == "act", planting.fault.where
        self.seats = view.seats_where(None if acts else where)
        self.fits = view.rounds_perhaps(where) if acts else {view.round_of[seat] for seat in self.seats}
        self._operator = planting.fault.operator

    def make(self, round_: Round, fault_makers: Mapping[str, Way]) -> bool:
        """Plant the fault in a round; return whether the round fits it."""
        with suppress(Unfit):
            if round_ in self.fits:
                round_.settled.clear()
                fault_makers[self._operator](self, round_)
                return True
        return False

    def one_of(self, things: Sequence[Thing]) -> Thing:
        """Return one of some things. Raises `UnfitRound` if there are none."""
        if not things:
            raise Unfit
        return self.rng.choice(things)

    def one_seat(self, round_: Round, is_able: Callable[[Seat], bool]) -> Seat:
        """Return a seat of a round that takes part, fits, and satisfies a condition. Raises `UnfitRound` without
        one."""
        return self.one_of([seat for seat in round_.seats if seat in self.seats and seat.playing and is_able(seat)])

    def befallen(self, events: Sequence[Event]) -> list[Event]:
        """Return the events of fitting seats or of no seat. Raises `UnfitRound` if there are none."""
        fitting = [event for event in events if event.seat is None or event.seat in self.seats]
        if not fitting:
            raise Unfit
        return fitting


Way = Callable[[Breach, Round], None]
"""Plants one kind of fault in a round. Raises `UnfitRound`, and changes nothing, if the round does not fit."""


def plantings(prepared: Prepared, names: Sequence[str]) -> tuple[Planting, ...]:
    """Return the planned faults of requirements, by name or full id, each once, in the given order.

    Raises ValueError, with a message for users, for requirements that do not exist or that no simulated round can
    break.
    """
    faults = {planting.requirement: planting for planting in (_plan_fault(prepared, name) for name in names)}
    return tuple(faults.values())


def _plan_fault(prepared: Prepared, name: str) -> Planting:
    regulation, game = prepared.regulation, prepared.game
    requirement = _find_requirement(regulation, name)
    fault = requirement.fault
    if fault is None:
        raise ValueError(
            f"the requirement `{requirement.requirement}` cannot be broken in a simulation: it has no fault"
        )
    if other := asked_under(regulation, requirement):
        readings = " and ".join(f"`{name}` is read as `{option}`" for name, option in other.items())
        raise ValueError(f"`{requirement.requirement}` cannot be broken in a simulation: it applies only if {readings}")
    planting = Planting(
        requirement=regulation.full_id(requirement.requirement),
        fault=fault,
        stage=_find_stage(game, fault),
        cases=_find_cases(game, requirement),
        check=requirement.check.operand,
        following=fault.following,
    )
    doubt = fault_doubt(game, fault, settling=bool(planting.cases))
    if fault.upon is not None:
        upon = replace(planting, fault=fault.upon, stage=_find_stage(game, fault.upon))
        doubt = doubt or fault_doubt(game, fault.upon, settling=False)
        if upon.stage > min(planting.stage, Stage.OUTCOME):
            doubt = doubt or "the fault that must come before it belongs to a later stage"
        planting = replace(planting, upon=upon)
    if doubt is not None:
        raise ValueError(f"the fault of `{requirement.requirement}` cannot be planted: {doubt}")
    return planting


def _find_cases(game: Game, requirement: Requirement) -> tuple[int, ...]:
    """Return the numbers of the cases that a requirement checks; limits on payments are numbered after the cases."""
    check, settlement = requirement.check, game.settlement
    match check.operator:
        case "settled":
            return tuple(at for at, case in enumerate(settlement.cases) if case.case in check.operand.cases)
        case "capped":
            caps = [cap.cap for cap in settlement.caps]
            return (len(settlement.cases) + caps.index(check.operand.cap),)
        case _:
            return ()


def _find_requirement(regulation: Regulation, name: str) -> Requirement:
    short = name.removeprefix(f"{regulation.id}/")
    try:
        return regulation.requirement(short)
    except KeyError:
        near = did_you_mean(short, [requirement.requirement for requirement in regulation.requirements])
        hint = f"; did you mean `{near}`?" if near else ""
        raise ValueError(f"{regulation.id} has no requirement `{short}`{hint}") from None


_STAGES = {
    Stage.WAGERS: ("hands-of-one", "stack", "seats"),
    Stage.CARDS: ("card", "dealt", "act"),  # an act goes wrong after the deal
    Stage.DECISIONS: ("decision", "other-decision"),
    Stage.EXCHANGE: ("discard", "draw"),
    # Pots are divided by the correct cards, so a miscount comes after it.
    Stage.OUTCOME: ("miscount", "meter", "pay", "award", "rake"),
}


def _find_stage(game: Game, fault: Fault | EarlierFault) -> Stage:
    if fault.operator == "stake" and fault.operand.operator != "renamed":
        wager = game.wagers.get(fault.operand.wager)
        opening = wager is not None and wager.placed == "before-the-deal"
        return Stage.WAGERS if opening else Stage.DECISIONS
    return next((stage for stage, operators in _STAGES.items() if fault.operator in operators), Stage.RECORD)
