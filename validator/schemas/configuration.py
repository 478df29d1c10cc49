"""The configuration file: defaults for the options of a run."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field

from fairdeal.validator.reports.renderers import RENDERERS
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.text.closed_model import ClosedModel, Day, make_list
from fairdeal.validator.text.closed_model import Prose as Place

_OUTPUT_FORM = f"^({'|'.join(RENDERERS)})(:.+)?$"
_FAIL_ON_FORM = f"^({'|'.join(('new', *(severity.value for severity in Severity)))})$"

Places = Annotated[list[Place], MaxLen(1000)] | Place
"""A path or a list of paths."""
OutputText = Annotated[str, Field(json_schema_extra={"pattern": _OUTPUT_FORM})]
"""An output: a format, or a format and a file."""
CountingText = Annotated[str, Field(json_schema_extra={"pattern": _FAIL_ON_FORM})]
"""A condition on findings for the exit code."""


class RunConfiguration(ClosedModel):
    """Defaults for the options of a run, used if neither the command line nor the environment sets them. It is
    `fairdeal.toml`, or the table `[tool.fairdeal]` of `pyproject.toml`. Paths are relative to the file."""

    rules: Place | None = None
    """A rules folder instead of the shipped one."""
    profile: Place | None = None
    """A profile that chooses among readings: its name, or a file."""
    texts: Place | None = None
    """A folder with the texts of regulations, from which clauses are quoted."""
    submission: Places = Field(default_factory=make_list)
    """Submissions that rounds are judged by: files, folders or patterns."""
    waivers: Places = Field(default_factory=make_list)
    """The regulator's files of waivers."""
    baseline: Place | None = None
    """Earlier results; findings are marked as new, known or gone relative to them."""
    as_of: Day | None = None
    """Apply the law of this day."""
    timezone: Place | None = None
    """The time zone of local times, by its IANA name."""
    day_starts: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")] | None = None
    """The time of day at which a gaming day starts, such as `06:00`."""
    currency: Place | None = None
    """The currency of all amounts, as a code of ISO 4217."""
    output: Annotated[list[OutputText], MinLen(1), MaxLen(100)] | OutputText | None = None
    """Output of results: a format, or a format and a file in the folder of the configuration or below."""
    fail_on: Annotated[list[CountingText], MaxLen(100)] | CountingText | None = None
    """Findings that count for the exit code: `new` since the baseline, or of at least a severity."""
    allow_unproven: bool | None = None
    """Exit with 0 if nothing failed, even if not everything was proven."""
    failures_only: bool | None = None
    """Write violations alone in text, concise, Markdown and CSV."""
    quiet: bool | None = None
    """Print only errors and requested output."""
    jobs: Annotated[int, Ge(1), Le(64)] | None = None
    """Number of processes for an audit."""
    statistics: bool | None = None
    """Compute statistics of hold, hands and cards from logs."""
    level: Annotated[float, Ge(0.5), Le(0.9999)] | None = None
    """Probability that chance alone leaves one of them inside its interval."""
