"""Options and computation of statistics that commands share."""

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
"""Default level of ranges, as regulators require it."""
NOT_INSTALLED = "this needs the extra `statistics`: pip install 'fairdeal[statistics]'"
"""Error message without SciPy."""

Command = TypeVar("Command", bound=Callable[..., Any])


def level_option(command: Command) -> Command:
    """Add the option for the level of ranges."""
    return click.option(
        "--level",
        type=click.FloatRange(0.5, 0.9999),
        default=LEVEL,
        show_default=True,
        help="Share of results that fall inside their range by chance.",
    )(command)


def has_scipy() -> bool:
    """Return whether SciPy is installed."""
    return find_spec("scipy") is not None


def need_scipy() -> None:
    """Raise UsageError if SciPy is not installed."""
    if not has_scipy():
        raise click.UsageError(NOT_INSTALLED)


def statistics_in(counts: Counts, rulebook: Rulebook, level: float, *, quiet: bool = False) -> Statistics:
    """Return the statistics of the counts of an audit."""
    from validator.hold.counted import HoldCounts  # noqa: PLC0415 - SciPy is slow to import, and most runs do not need it
    from validator.hold.statistics import statistics_of  # noqa: PLC0415

    assert isinstance(counts, HoldCounts)
    return statistics_of(counts, rulebook, level=level, tell=untold if quiet else tell)
