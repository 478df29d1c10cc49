"""Which fault is planted, at which stage of a round it belongs, and whom in the rounds it may befall."""

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
    """The stages after which a round can be made faulty, in their order."""

    WAGERS = 1
    CARDS = 2
    DECISIONS = 3
    EXCHANGE = 4
    OUTCOME = 5
    RECORD = 6


class Planting(Struct, frozen=True, kw_only=True):
    """A fault to be planted: the full id of the requirement it breaks, its recipe, and its stage.

    `cases` are the numbers of the cases of settlement, and of the limits, that the requirement judges; `check` is
    how it is judged. `upon` is the fault that must have been planted in the same round before; `following` is what must
    have held in the round before, None where that does not matter.
    """

    requirement: str
    fault: Fault | EarlierFault
    stage: Stage
    cases: tuple[int, ...]
    check: Any
    following: Condition | None
    upon: Planting | None = None


class Unfit(Exception):
    """A round does not fit a fault."""


class Breach:
    """What is needed to break rounds: the rounds, opened for questions; the fault's recipe; the seats that fit it, and
    the rounds that do; the cases of settlement that it is about."""

    def __init__(self, view: View, planting: Planting, rng: Luck) -> None:
        self.view, self.house, self.rng = view, view.house, rng
        self.operand, self.cases = planting.fault.operand, planting.cases
        # Of acts it is asked as they are made, unless none may come for which it holds.
        acts, where = planting.fault.operator == "act", planting.fault.where
        self.seats = view.seats_where(None if acts else where)
        self.fits = view.rounds_perhaps(where) if acts else {view.round_of[seat] for seat in self.seats}
        self._operator = planting.fault.operator

    def make(self, one: Round, ways: Mapping[str, Way]) -> bool:
        """Make the fault in a round, as the way of its operator does; returns whether the round fits it."""
        with suppress(Unfit):
            if one in self.fits:
                one.settled.clear()
                ways[self._operator](self, one)
                return True
        return False

    def one_of(self, things: Sequence[Thing]) -> Thing:
        """One of some things. Raises Unfit where there are none."""
        if not things:
            raise Unfit
        return self.rng.choice(things)

    def one_seat(self, one: Round, able: Callable[[Seat], bool]) -> Seat:
        """One of the seats of a round that take part, fit and are able. Raises Unfit without one."""
        return self.one_of([seat for seat in one.seats if seat in self.seats and seat.playing and able(seat)])

    def befallen(self, events: Sequence[Event]) -> list[Event]:
        """Of some events those of a seat that fits, or of none. Raises Unfit where there are none."""
        found = [event for event in events if event.seat is None or event.seat in self.seats]
        if not found:
            raise Unfit
        return found


Way = Callable[[Breach, Round], None]
"""Makes one kind of fault in a round. Raises Unfit where the round does not fit it, which is then left as it is."""


def plantings(prepared: Prepared, names: Sequence[str]) -> tuple[Planting, ...]:
    """The faults of requirements named by their names or full ids, each once, in the order given.

    Raises ValueError, with a sentence for people, for a requirement that does not exist or that no simulated
    round can be made to break.
    """
    found = {planting.requirement: planting for planting in (_planting(prepared, name) for name in names)}
    return tuple(found.values())


def _planting(prepared: Prepared, name: str) -> Planting:
    regulation, game = prepared.regulation, prepared.game
    requirement = _requirement(regulation, name)
    fault = requirement.fault
    if fault is None:
        raise ValueError(f"the requirement `{requirement.requirement}` is not plantable: it has no fault")
    if other := asked_under(regulation, requirement):
        readings = " and ".join(f"`{name}` is read as `{option}`" for name, option in other.items())
        raise ValueError(f"`{requirement.requirement}` cannot be planted: it is asked for only where {readings}")
    planting = Planting(
        requirement=regulation.full_id(requirement.requirement),
        fault=fault,
        stage=_stage(game, fault),
        cases=_cases(game, requirement),
        check=requirement.check.operand,
        following=fault.following,
    )
    doubt = fault_doubt(game, fault, settling=bool(planting.cases))
    if fault.upon is not None:
        upon = replace(planting, fault=fault.upon, stage=_stage(game, fault.upon))
        doubt = doubt or fault_doubt(game, fault.upon, settling=False)
        if upon.stage > min(planting.stage, Stage.OUTCOME):
            doubt = doubt or "what goes wrong before comes after it"
        planting = replace(planting, upon=upon)
    if doubt is not None:
        raise ValueError(f"the fault of `{requirement.requirement}` cannot be planted: {doubt}")
    return planting


def _cases(game: Game, requirement: Requirement) -> tuple[int, ...]:
    """The numbers of the cases that a requirement judges; limits on what is paid are counted on from the cases."""
    check, settlement = requirement.check, game.settlement
    match check.operator:
        case "settled":
            return tuple(at for at, case in enumerate(settlement.cases) if case.case in check.operand.cases)
        case "capped":
            caps = [cap.cap for cap in settlement.caps]
            return (len(settlement.cases) + caps.index(check.operand.cap),)
        case _:
            return ()


def _requirement(regulation: Regulation, name: str) -> Requirement:
    short = name.removeprefix(f"{regulation.id}/")
    try:
        return regulation.requirement(short)
    except KeyError:
        near = did_you_mean(short, [requirement.requirement for requirement in regulation.requirements])
        hint = f"; did you mean `{near}`?" if near else ""
        raise ValueError(f"{regulation.id} has no requirement `{short}`{hint}") from None


_STAGES = {
    Stage.WAGERS: ("hands-of-one", "stack", "seats"),
    Stage.CARDS: ("card", "dealt", "act"),  # from where an act goes wrong
    Stage.DECISIONS: ("decision", "other-decision"),
    Stage.EXCHANGE: ("discard", "draw"),
    # Pots are divided by the cards that should have been dealt, so that a miscount comes after it.
    Stage.OUTCOME: ("miscount", "meter", "pay", "award", "rake"),
}


def _stage(game: Game, fault: Fault | EarlierFault) -> Stage:
    if fault.operator == "stake" and fault.operand.operator != "renamed":
        wager = game.wagers.get(fault.operand.wager)
        opening = wager is not None and wager.placed == "before-the-deal"
        return Stage.WAGERS if opening else Stage.DECISIONS
    return next((stage for stage, operators in _STAGES.items() if fault.operator in operators), Stage.RECORD)
