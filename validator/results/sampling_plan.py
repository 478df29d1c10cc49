"""Plan of rounds to compare with the video, as it is written to files."""

from __future__ import annotations

from fairdeal.validator.results.findings import ResultRecord
from fairdeal.validator.results.results import InputFile


class PlannedRound(ResultRecord, frozen=True, kw_only=True):
    """Round of a plan."""

    round: str
    casino: str | None
    table: str | None
    number: int | None
    time: str | None
    dealer: str | None
    video: str | None
    file: str | None
    line: int


class PlannedGroup(ResultRecord, frozen=True, kw_only=True):
    """Group of a plan."""

    names: dict[str, str | None]
    """Name of each key that rounds are grouped by."""
    rounds: int
    """Number of rounds in the logs."""
    review: tuple[PlannedRound, ...]
    """Rounds to review."""


class SamplingPlan(ResultRecord, frozen=True, kw_only=True):
    """Rounds to review, with what is needed to draw the same ones again."""

    program: str
    """Name and version of the program."""
    inputs: tuple[InputFile, ...]
    """Hand logs that were read."""
    seed: int
    by: tuple[str, ...]
    """Keys that rounds are grouped by."""
    rounds: int
    """Number of rounds in the logs."""
    groups: tuple[PlannedGroup, ...]
