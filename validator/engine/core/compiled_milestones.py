"""Milestones of a game, compiled with the requirements that check them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.milestone_model import BoundedMilestone, MilestoneCheck, Moment
from fairdeal.validator.rules.regulation import Regulation

MomentIdentity: TypeAlias = tuple[bytes, str, bytes]
"""Structure of an event, the grain, and the condition; checks of one milestone have them in common."""


class CompiledMilestone(Struct, frozen=True, kw_only=True, eq=False):
    """A milestone of a check, with what identifies it."""

    bounds: BoundedMilestone
    each: Literal["round", "seat"]
    """Grain of the check."""
    when: Condition | None
    """Condition of the check."""
    key: bytes
    """Structure of the check."""
    moment: MomentIdentity
    """Milestone that it is about; several checks may share it."""
    precedes_betting: bool
    """True in a game with betting, if a card that is dealt makes the milestone. The replay of the betting leaves out
    what is out of place there."""
    severity: Severity | None
    """Severity of its requirement if that is in force whenever the document is; None otherwise."""


def compile_milestones(regulation: Regulation) -> tuple[CompiledMilestone, ...]:
    """Compile the milestones of all requirements, in the order in which acts that pass several are reported.

    That is the order of the game's file, then the order of the requirements.
    """
    game = regulation.game
    stated = [] if game is None else game.milestones
    names = [
        (_identify(milestone.at, milestone.each, milestone.when), requirement.requirement)
        for milestone in stated
        for requirement in milestone.requirements
    ]
    compiled = [
        (
            requirement.requirement,
            CompiledMilestone(
                bounds=bounds,
                each=check.each,
                when=check.when,
                key=check.identity,
                moment=_identify(bounds.at, check.each, check.when),
                precedes_betting=game is not None and game.precedes_betting(bounds.at),
                severity=requirement.severity if requirement.from_ is None and requirement.until is None else None,
            ),
        )
        for requirement in regulation.requirements
        if isinstance(check := requirement.check.operand, MilestoneCheck)
        for bounds in check.milestones
    ]
    places = {name: number for number, name in reversed(list(enumerate(names)))}
    compiled.sort(key=lambda entry: places.get((entry[1].moment, entry[0]), len(names)))
    return tuple(milestone for _, milestone in compiled)


def _identify(at: Moment, each: Literal["round", "seat"], when: Condition | None) -> MomentIdentity:
    return at.identity, each, b"" if when is None else when.identity
