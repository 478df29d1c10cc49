"""The configuration file: what the options of a run are where nobody says otherwise."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field

from validator.reports.outputs import RENDERERS
from validator.results.statuses import Severity
from validator.text.models.model import Closed
from validator.text.models.scalars import Day
from validator.text.models.scalars import Prose as Place

_OUTPUT = f"^({'|'.join(RENDERERS)})(:.+)?$"
_COUNTING = f"^({'|'.join(('new', *(one.value for one in Severity)))})$"

Places = Annotated[list[Place], MaxLen(1000)] | Place
"""One, or a list."""
OutputText = Annotated[str, Field(json_schema_extra={"pattern": _OUTPUT})]
CountingText = Annotated[str, Field(json_schema_extra={"pattern": _COUNTING})]


class Configuration(Closed):
    """What the options of a run are where the command line and the environment do not say: `fairdeal.toml`, or the
    table `[tool.fairdeal]` of `pyproject.toml`. Paths are relative to the file."""

    rules: Place | None = None
    """A rules folder instead of the shipped one."""
    profile: Place | None = None
    """A profile that chooses among readings: its name, or a file."""
    submission: Places = Field(default_factory=list)
    """Submissions that rounds are judged by: files, folders or patterns."""
    waivers: Places = Field(default_factory=list)
    """The regulator's files of waivers."""
    baseline: Place | None = None
    """Earlier results, against which findings are new, known or gone."""
    as_of: Day | None = None
    """Judge by the law of this day."""
    currency: Place | None = None
    """The currency of all amounts, as a code of ISO 4217."""
    output: Annotated[list[OutputText], MinLen(1), MaxLen(100)] | OutputText | None = None
    """Where results go: a format, or a format and a file, which lies in the folder of the configuration or below."""
    fail_on: Annotated[list[CountingText], MaxLen(100)] | CountingText | None = None
    """Which findings count for the exit code: `new` since the baseline, or so severe at least."""
    allow_unproven: bool | None = None
    """Exit with 0 where nothing failed but not all was proven."""
    quiet: bool | None = None
    """Print errors alone, and what was asked for."""
    jobs: Annotated[int, Ge(1), Le(64)] | None = None
    """How many processes audit."""
    statistics: bool | None = None
    """Whether statistics of hold, hands and cards are made of logs."""
    level: Annotated[float, Ge(0.5), Le(0.9999)] | None = None
    """How often chance alone leaves one of them inside its interval."""
