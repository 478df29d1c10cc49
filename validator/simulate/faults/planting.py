"""Which fault is planted, and at which stage of a round it belongs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.engine.compiled.game import Prepared
from validator.language.conditions import Condition
from validator.language.registry import Grain, covers
from validator.rules.core.regulation import Regulation
from validator.rules.lint.other_readings import asked_under
from validator.rules.lint.simulated_kinds import INSERTED
from validator.rules.model.faults import EarlierFault, Fault
from validator.rules.model.game import Game
from validator.rules.model.requirement import Requirement
from validator.text.diagnostics import did_you_mean


class Stage(Enum):
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
    how it is judged. `upon` is the fault that must have been planted in the same round before.
    """

    requirement: str
    fault: Fault | EarlierFault
    stage: Stage
    cases: tuple[int, ...]
    check: Any
    upon: Planting | None = None

    @property
    def following(self) -> Condition | None:
        """What held in the round before, where the fault is planted only after such rounds."""
        return self.fault.following if isinstance(self.fault, Fault) else None

    @property
    def new_seats(self) -> tuple[int, int] | None:
        """The fewest and the most hands that the fault puts into a round, if it does."""
        return (self.fault.operand, self.fault.operand) if self.fault.operator == "seats" else None


def plantings(prepared: Prepared, names: Sequence[str]) -> tuple[Planting, ...]:
    """The faults of requirements named by their names or full ids, each once, in the order given.

    Raises ValueError, with a sentence for people, for a requirement that does not exist or that no simulated
    round can be made to break.
    """
    found = {one.requirement: one for one in (_planting(prepared, name) for name in names)}
    return tuple(found.values())


def plantable(requirement: Requirement) -> bool:
    """Whether a simulated round can be made to break a requirement."""
    return requirement.fault is not None


def _planting(prepared: Prepared, name: str) -> Planting:
    regulation, game = prepared.regulation, prepared.game
    requirement = _requirement(regulation, name)
    fault = requirement.fault
    if fault is None:
        raise ValueError(f"the requirement `{requirement.requirement}` is not plantable: it has no fault")
    other = asked_under(regulation, requirement)
    if other:
        readings = " and ".join(f"`{name}` is read as `{option}`" for name, option in other.items())
        raise ValueError(f"`{requirement.requirement}` cannot be planted: it is asked for only where {readings}")
    cases = _cases(game, requirement)
    upon = fault.upon
    doubt = _doubt(prepared, fault, cases) or (None if upon is None else _doubt(prepared, upon, ()))
    stage, earlier = _stage(game, fault), None if upon is None else _stage(game, upon)
    if earlier is not None and (earlier is Stage.RECORD or earlier.value > stage.value):
        doubt = doubt or "what goes wrong before comes after it"
    if doubt is not None:
        raise ValueError(f"the fault of `{requirement.requirement}` cannot be planted: {doubt}")
    planting = Planting(
        requirement=regulation.full_id(requirement.requirement),
        fault=fault,
        stage=stage,
        cases=cases,
        check=requirement.check.operand,
    )
    if upon is None or earlier is None:
        return planting
    return replace(planting, upon=replace(planting, fault=upon, stage=earlier))


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
        near = did_you_mean(short, [one.requirement for one in regulation.requirements])
        hint = f"; did you mean `{near}`?" if near else ""
        raise ValueError(f"{regulation.id} has no requirement `{short}`{hint}") from None


def _doubt(prepared: Prepared, fault: Fault | EarlierFault, cases: Sequence[int]) -> str | None:
    """Why a fault makes no sense in the game, in a sentence, if it does not."""
    game, operand = prepared.game, fault.operand
    grain: Grain = "event" if fault.operator == "act" else "seat"
    if fault.where is not None and not covers(grain, fault.where.grain(game)):
        return "`where` must speak of rounds or seats"
    match fault.operator:
        case "act" | "award" | "rake" | "between" | "stack" if game.betting is None:
            return "nobody bets against others"
        case "pay" if not cases:
            return "it is about payments, but what is checked is not"
        case "stake" | "withdraw" if operand.wager not in game.wagers:
            return f"`{operand.wager}` is not a wager"
        case "withdraw" if prepared.steps[operand.step].events != ["withdraw"]:
            return f"the step `{operand.step}` is not one of taking back"
        case "expose" if prepared.steps[operand].events != ["expose"]:
            return f"the step `{operand}` is not one in which cards come to light"
        case "insert" if not INSERTED.issuperset(prepared.steps[operand.step].events):
            return f"the step `{operand.step}` cannot be told by itself"
        case _:
            return None


def _stage(game: Game, fault: Fault | EarlierFault) -> Stage:
    match fault.operator:
        case "stake" if fault.operand.operator == "renamed":
            return Stage.RECORD
        case "stake":
            wager = game.wagers.get(fault.operand.wager)
            opening = wager is not None and wager.placed == "before-the-deal"
            return Stage.WAGERS if opening else Stage.DECISIONS
        case "hands-of-one" | "stack" | "seats":
            return Stage.WAGERS
        case "miscount":
            return Stage.OUTCOME  # pots are divided by the cards that should have been dealt
        case "card" | "dealt":
            return Stage.CARDS
        case "discard" | "draw":
            return Stage.EXCHANGE
        case "meter":
            return Stage.OUTCOME
        case "decision" | "other-decision" | "act":
            return Stage.DECISIONS
        case "pay" | "award" | "rake":
            return Stage.OUTCOME
        case _:
            return Stage.RECORD
