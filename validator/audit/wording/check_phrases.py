"""Phrases about checks that sentences on rules and findings share."""

from __future__ import annotations

from collections.abc import Sequence

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rules.procedure_model import EveryCheck

SIDES = {"dealer-left": "dealer's left", "dealer-right": "dealer's right"}
"""Sides of the table in words."""
_OCCASIONS = {"table-opens": "the table opens", "round-dealt": "the last card of a round is dealt"}


def name_moment(prepared: CompiledGame, name: str) -> str:
    """Return the title of a step or occasion."""
    return _OCCASIONS.get(name) or prepared.steps[name].title


def describe_interval(check: EveryCheck) -> str:
    """Describe how often something must happen: `at least once in every 8 hours, for each deck`."""
    size, each = check.within.operand, ", for each deck" if check.of_each else ""
    period = {
        "hours": f"every {format_count(size, 'hour')}",
        "rounds": f"any {format_count(size, 'consecutive round')}",
        "blocks-of": f"each {format_count(size, 'round')}, counted from the opening of the table",
    }[check.within.operator]
    return f"at least once in {period}{each}"


def describe_due_steps(prepared: CompiledGame, steps: Sequence[str], before: Sequence[str]) -> str:
    """Describe that steps must come in order before others: `the deck is cut before the cards are dealt`."""
    due = "; then ".join(name_moment(prepared, step) for step in steps)
    waiting = " or ".join(name_moment(prepared, step) for step in before)
    return f"{due}{'; all of it' if len(steps) > 1 else ''} before {waiting}"


def describe_missing_steps(steps: Sequence[str]) -> str:
    """Describe the steps that were not done. Later steps do not count before the first missing one."""
    return "without the first of these" if len(steps) > 1 else "without this"
