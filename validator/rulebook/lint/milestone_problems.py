"""Semantic errors in milestones: acts on both sides of one, acts that two requirements bound, and reversed play.

Acts that precede the betting but depend on it are errors too.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.rulebook.lint.money_problems import check_free_of_betting
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.milestone_model import BoundedMilestone, MilestoneCheck
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.positioned_document import DataPath


def find_milestone_problems(
    regulation: Regulation, game: Game, requirement: Requirement, here: DataPath
) -> Iterator[Problem]:
    """Yield problems with the milestones of a requirement."""
    check = requirement.check.operand
    for index, bounds in enumerate(check.milestones):
        place: DataPath = (*here, "milestones", index)
        yield from _find_acts_on_both_sides(bounds, place)
        yield from _find_reversed_play(game, bounds, place)
        if game.precedes_betting(bounds.at):
            acts = (*bounds.acts, *(() if bounds.again_after is None else bounds.again_after.acts))
            conditions = [game.all_acts[act].model_copy(update={"requirements": []}) for act in acts]
            for part in (check.when, *conditions):
                if part is not None:
                    yield from check_free_of_betting(game, part, place)
        for other in regulation.requirements:
            if other is not requirement and isinstance(other.check.operand, MilestoneCheck):
                yield from _find_shared_acts(check, bounds, other, place)


def _find_acts_on_both_sides(bounds: BoundedMilestone, here: DataPath) -> Iterator[Problem]:
    if not (bounds.before or bounds.after or bounds.must_happen):
        yield here, "`before`, `after` or `must-happen` must name an act"
    if bounds.again_after is not None and not bounds.before:
        yield (*here, "again-after"), "`again-after` needs `before`"
    for key, acts in (("before", bounds.before), ("after", bounds.after)):
        for index, act in enumerate(acts):
            if act in bounds.at.acts:
                yield (*here, key, index), f"{act} makes the milestone, so it cannot come {key} it"
            if key == "after" and act in bounds.before:
                yield (*here, key, index), f"{act} is also under `before`, so it could never happen"


def _find_reversed_play(game: Game, bounds: BoundedMilestone, here: DataPath) -> Iterator[Problem]:
    """Yield acts that come on the other side of the milestone in the usual order of play."""
    played = list(game.acts)
    turns = {name: act.turn for name, act in game.all_acts.items()}
    makers = [act for act in bounds.at.acts if act in played]
    if not makers:
        return
    at = makers[0] if bounds.at.operator == "first" else makers[-1]
    for key, acts in (("before", bounds.before), ("after", bounds.after)):
        for index, act in enumerate(acts):
            if act not in played or (turns[act] is not None and turns[act] == turns[at]):
                continue
            is_reversed = (
                played.index(act) > played.index(at) if key == "before" else played.index(act) < played.index(at)
            )
            if is_reversed and bounds.again_after is None:
                first, then = (at, act) if key == "before" else (act, at)
                yield (*here, key, index), f"the game is played in the other order: {first} before {then}"


def _find_shared_acts(
    check: MilestoneCheck, bounds: BoundedMilestone, other: Requirement, here: DataPath
) -> Iterator[Problem]:
    """Yield acts that another requirement bounds at the same milestone."""
    other_check = other.check.operand
    if (other_check.each, other_check.when) != (check.each, check.when):
        return
    for shared in other_check.milestones:
        for key in ("before", "after"):
            for index, act in enumerate(getattr(bounds, key)):
                if (shared.at, shared.again_after) == (bounds.at, bounds.again_after) and act in getattr(shared, key):
                    yield (*here, key, index), f"{other.requirement} also bounds {act} at this milestone"
