"""Planned faults: the stage of a round at which each is planted, and the seats that it may affect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rulebook.dependencies import find_needed_readings
from fairdeal.validator.rulebook.semantic_errors import explain_unplantable
from fairdeal.validator.rules.fault_model import EarlierFault, Fault
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.simulate.round_records import SimulatedEvent, SimulatedRound, SimulatedSeat
from fairdeal.validator.text.diagnostics import find_similar

if TYPE_CHECKING:  # faults are planned where NumPy is not installed
    from fairdeal.validator.simulate.round_view import RoundView
    from fairdeal.validator.simulate.simulated_house import RandomStream

Thing = TypeVar("Thing")


class FaultStage(IntEnum):
    """Stage of a round after which a fault can be planted, in order."""

    WAGERS = 1
    CARDS = 2
    DECISIONS = 3
    EXCHANGE = 4
    OUTCOME = 5
    RECORD = 6


class PlannedFault(Struct, frozen=True, kw_only=True):
    """Fault that is to be planted."""

    requirement: str
    """Full id of the requirement that it breaks."""
    fault: Fault | EarlierFault
    """Description of the fault."""
    stage: FaultStage
    cases: tuple[int, ...]
    """Numbers of the cases of settlement, and of the limits, that the requirement checks."""
    check: Any
    """Check of the requirement."""
    previous_round_condition: Condition | None
    """Condition that the previous round must have satisfied; None if there is none."""
    earlier_fault: PlannedFault | None = None
    """Fault that must be planted in the same round before."""


class UnfitRound(Exception):
    """Error: the round does not fit the fault."""


class FaultContext:
    """Fault that is being planted in rounds, with the seats and rounds that it fits."""

    def __init__(self, view: RoundView, planting: PlannedFault, rng: RandomStream) -> None:
        self.view, self.house, self.rng = view, view.house, rng
        self.operand, self.cases = planting.fault.operand, planting.cases
        # The condition of an act is evaluated when it is made; rule out rounds where it can never hold.
        acts, where = planting.fault.operator == "act", planting.fault.when
        self.fitting_seats = view.seats_where(None if acts else where)
        self.fitting_rounds = (
            view.rounds_possibly_where(where) if acts else {view.round_of[seat] for seat in self.fitting_seats}
        )
        self._operator = planting.fault.operator

    def break_round(self, round_: SimulatedRound, fault_makers: Mapping[str, MakeFault]) -> bool:
        """Plant the fault in a round; return whether the round fits it."""
        with suppress(UnfitRound):
            if round_ in self.fitting_rounds:
                round_.unchanging_events.clear()
                fault_makers[self._operator](self, round_)
                return True
        return False

    def choose(self, things: Sequence[Thing]) -> Thing:
        """Return one of some things. Raises `UnfitRound` if there are none."""
        if not things:
            raise UnfitRound
        return self.rng.choice(things)

    def choose_seat(self, round_: SimulatedRound, is_able: Callable[[SimulatedSeat], bool]) -> SimulatedSeat:
        """Return a seat of a round that takes part, fits, and satisfies a condition. Raises `UnfitRound` without
        one."""
        return self.choose(
            [seat for seat in round_.seats if seat in self.fitting_seats and seat.playing and is_able(seat)]
        )

    def select_fitting_events(self, events: Sequence[SimulatedEvent]) -> list[SimulatedEvent]:
        """Return the events of fitting seats or of no seat. Raises `UnfitRound` if there are none."""
        fitting = [event for event in events if event.seat is None or event.seat in self.fitting_seats]
        if not fitting:
            raise UnfitRound
        return fitting


MakeFault = Callable[[FaultContext, SimulatedRound], None]
"""Plants one kind of fault in a round. Raises `UnfitRound`, and changes nothing, if the round does not fit."""


def plan_faults(prepared: CompiledGame, names: Sequence[str]) -> tuple[PlannedFault, ...]:
    """Return the planned faults of requirements, by name or full id, each once, in the given order.

    Raises ValueError, with a message for users, for requirements that do not exist or that no simulated round can
    break.
    """
    faults = {planting.requirement: planting for planting in (_plan_fault(prepared, name) for name in names)}
    return tuple(faults.values())


def _plan_fault(prepared: CompiledGame, name: str) -> PlannedFault:
    regulation, game = prepared.regulation, prepared.game
    requirement = _find_requirement(regulation, name)
    fault = requirement.fault
    if fault is None:
        raise ValueError(
            f"the requirement `{requirement.requirement}` cannot be broken in a simulation: it has no fault"
        )
    if other := find_needed_readings(regulation, requirement):
        readings = " and ".join(f"`{name}` is read as `{option}`" for name, option in other.items())
        raise ValueError(f"`{requirement.requirement}` cannot be broken in a simulation: it applies only if {readings}")
    planting = PlannedFault(
        requirement=regulation.qualify(requirement.requirement),
        fault=fault,
        stage=_find_stage(game, fault),
        cases=_find_cases(game, requirement),
        check=requirement.check.operand,
        previous_round_condition=fault.following,
    )
    doubt = explain_unplantable(game, fault, settling=bool(planting.cases))
    if fault.upon is not None:
        upon = replace(planting, fault=fault.upon, stage=_find_stage(game, fault.upon))
        doubt = doubt or explain_unplantable(game, fault.upon, settling=False)
        if upon.stage > min(planting.stage, FaultStage.OUTCOME):
            doubt = doubt or "the fault that must come before it belongs to a later stage"
        planting = replace(planting, earlier_fault=upon)
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
        return regulation.find_requirement(short)
    except KeyError:
        near = find_similar(short, [requirement.requirement for requirement in regulation.requirements])
        hint = f"; did you mean `{near}`?" if near else ""
        raise ValueError(f"{regulation.id} has no requirement `{short}`{hint}") from None


_STAGES = {
    FaultStage.WAGERS: ("hands-of-one", "stack", "seats"),
    FaultStage.CARDS: ("card", "dealt", "act"),  # an act goes wrong after the deal
    FaultStage.DECISIONS: ("decision", "other-decision"),
    FaultStage.EXCHANGE: ("discard", "draw", "set"),
    # Pots are divided by the correct cards, so a miscount comes after it.
    FaultStage.OUTCOME: ("miscount", "meter", "pay", "award", "rake"),
}


def _find_stage(game: Game, fault: Fault | EarlierFault) -> FaultStage:
    if fault.operator == "stake" and fault.operand.operator != "renamed":
        wager = game.wagers.get(fault.operand.wager)
        opening = wager is not None and wager.is_opening
        return FaultStage.WAGERS if opening else FaultStage.DECISIONS
    if fault.operator == "miscount" and fault.operand.stage is not None:
        return FaultStage.EXCHANGE
    return next((stage for stage, operators in _STAGES.items() if fault.operator in operators), FaultStage.RECORD)
