"""What commands share that make statistics of rounds."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.common.exits import tell, untold

if TYPE_CHECKING:
    from validator.audit.applicability.beside import Counts
    from validator.results.statistics import Statistics
    from validator.rulebook.loading.rulebook import Rulebook

LEVEL = 0.95
"""How often chance alone leaves a win within its interval, as regulators ask for it."""
NOT_INSTALLED = "this needs the extra `statistics`: pip install 'fairdeal[statistics]'"

Command = TypeVar("Command", bound=Callable[..., Any])


def level_option(command: Command) -> Command:
    """The option that says how wide intervals are."""
    return click.option(
        "--level",
        type=click.FloatRange(0.5, 0.9999),
        default=LEVEL,
        show_default=True,
        help="How often chance alone leaves one inside its interval.",
    )(command)


def has_scipy() -> bool:
    """Whether statistics can be made."""
    return find_spec("scipy") is not None


def need_scipy() -> None:
    """Raises UsageError where statistics cannot be made."""
    if not has_scipy():
        raise click.UsageError(NOT_INSTALLED)


def statistics_in(counts: Counts, rulebook: Rulebook, level: float, *, quiet: bool = False) -> Statistics:
    """The statistics of what an audit has counted."""
    from validator.hold.counted import HoldCounts  # noqa: PLC0415 - SciPy takes its time, and most runs do without
    from validator.hold.statistics import statistics_of  # noqa: PLC0415

    assert isinstance(counts, HoldCounts)
    return statistics_of(counts, rulebook, level=level, tell=untold if quiet else tell)
