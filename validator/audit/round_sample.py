"""Sampling plan: rounds that a reviewer compares with the video, the files of a plan, and reviews.

A round is drawn by a number made of the seed, its casino, table and id: those with the smallest numbers. So the plan
does not depend on the order of the logs or on the number of processes.
"""

from __future__ import annotations

import csv
import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from typing import BinaryIO, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct, field

from fairdeal.validator.arrays import ABSENT, Identities, Ints, mix_numbers
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.evidence.columns.log_draft import code_context, format_time, hash_column, hash_texts
from fairdeal.validator.evidence.columns.round_batch import UNDATED, Batch, CodedColumn
from fairdeal.validator.evidence.round_record import decode_context
from fairdeal.validator.reports.json_format import encode_json
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.results.findings import ResultRecord
from fairdeal.validator.results.game_statistics import PlannedGroup, PlannedRound
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, guard_formulas, limit_diagnostics, sanitize

MOST_SAMPLED = 10_000
"""Limit of the rounds of a plan."""
MOST_GROUPS = 10_000
"""Limit of the groups. The rounds of further ones form one group together."""
OF_RECORD = ("casino", "table", "deck", "day")
"""Groups that the record of a round states itself; others are keys of its context."""
OTHER_GROUPS = "…"
"""Name of the groups beyond the limit."""

Group: TypeAlias = tuple[str | None, ...]


class SampledGroup(Struct, kw_only=True):
    """Rounds of a group, and those drawn from it."""

    rounds: int = 0
    """Number of rounds that were read."""
    drawn: list[PlannedRound] = field(default_factory=list)
    """Rounds to review, in the order in which they are drawn."""


class RoundSample(Struct, kw_only=True):
    """Counter that draws rounds as an audit reads them."""

    by: tuple[str, ...]
    """Keys that rounds are grouped by."""
    size: int
    """Number of rounds to draw in all."""
    seed: int
    groups: dict[Group, SampledGroup] = field(default_factory=dict)
    """Groups by their names, in the order of `by`."""

    def count(self, scope: EvaluationContext) -> None:
        """Draw from the rounds of a batch."""
        batch = scope.batch
        places = np.arange(len(batch)) if batch.versions is None else np.flatnonzero(batch.versions.number <= 1)
        draws = _draw_numbers(batch, self.seed)
        names, codes = _group_rounds(batch, self.by)
        for code, group in enumerate(names):
            own = places[codes[places] == code]
            nearest = own[np.argsort(draws[own], kind="stable")[: self.size]]
            drawn = [_describe_round(batch, place, int(draws[place])) for place in nearest.tolist()]
            self._add_group(group, len(own), drawn)
        self._shrink()

    def add(self, other: RoundSample) -> None:
        """Add the rounds of another sample with the same groups and seed."""
        for group, sampled in sorted(other.groups.items(), key=lambda entry: repr(entry[0])):
            self._add_group(group, sampled.rounds, sampled.drawn)
        self._shrink()

    def _add_group(self, group: Group, rounds: int, drawn: Sequence[PlannedRound]) -> None:
        if group not in self.groups and len(self.groups) >= MOST_GROUPS:
            group = (OTHER_GROUPS,) * len(self.by)
        known = self.groups.setdefault(group, SampledGroup())
        known.rounds += rounds
        known.drawn = heapq.nsmallest(self.size, [*known.drawn, *drawn])

    def _shrink(self) -> None:
        """Drop the rounds that no even distribution over the groups can draw; further rounds only lower the level."""
        level = find_even_level([sampled.rounds for sampled in self.groups.values()], self.size)
        for sampled in self.groups.values():
            del sampled.drawn[level + 1 :]

    def to_bytes(self) -> bytes:
        """Return the sample as bytes."""
        return msgspec.msgpack.encode(
            _SavedSample(self.by, self.size, self.seed, sorted(self.groups.items(), key=repr))
        )

    def from_bytes(self, data: bytes, _: Callable[[int], LicenseeConfiguration]) -> RoundSample:
        """Return a sample from its bytes. Raises ValueError if they are none, or are of another plan."""
        saved = msgspec.msgpack.decode(data, type=_SavedSample)
        if (saved.by, saved.size, saved.seed) != (self.by, self.size, self.seed):
            raise ValueError("these bytes are a sample of another plan")
        return RoundSample(by=saved.by, size=saved.size, seed=saved.seed, groups=dict(saved.groups))

    def list_groups(self) -> Iterator[tuple[Group, int, list[PlannedRound]]]:
        """Yield every group in the order of its names, with its number of rounds and those drawn from it.

        Each group gives the same number of rounds, or all of them if it has fewer. What is left over is drawn one more
        from the groups whose next round has the smallest number.
        """
        level = find_even_level([sampled.rounds for sampled in self.groups.values()], self.size)
        drawn = {group: sampled.drawn[:level] for group, sampled in self.groups.items()}
        rest = self.size - sum(map(len, drawn.values()))
        further = sorted(
            (sampled.drawn[level], repr(group), group)
            for group, sampled in self.groups.items()
            if len(sampled.drawn) > level
        )
        for one_more, _, group in further[:rest]:
            drawn[group] = [*drawn[group], one_more]
        for group in sorted(self.groups, key=lambda names: [(name is None, name or "") for name in names]):
            yield group, self.groups[group].rounds, drawn[group]


def plan_groups(sample: RoundSample) -> tuple[PlannedGroup, ...]:
    """Return the groups of a sample with the rounds to review, in the order of their names."""
    return tuple([_build_group(sample, group, rounds, drawn) for group, rounds, drawn in sample.list_groups()])


def _build_group(sample: RoundSample, group: Group, rounds: int, drawn: list[PlannedRound]) -> PlannedGroup:
    return PlannedGroup(
        names=dict(zip(sample.by, group, strict=True)), rounds=rounds, review=tuple(sorted(drawn, key=_place_in_log))
    )


def _place_in_log(row: PlannedRound) -> tuple[str, str, str, int]:
    return row.table or "", row.time or "", row.file or "", row.line


class _SavedSample(Struct, frozen=True, array_like=True):
    """Sample as it is saved."""

    by: tuple[str, ...]
    size: int
    seed: int
    groups: list[tuple[Group, SampledGroup]]


def find_even_level(rounds: Sequence[int], size: int) -> int:
    """Return how many rounds each group gives, so that all together give at most `size`; smaller groups give all."""
    left, level = size, 0
    for index, number in enumerate(sorted(rounds)):
        groups = len(rounds) - index
        if (number - level) * groups > left:
            return level + left // groups
        left -= (number - level) * groups
        level = number
    return level


def _draw_numbers(batch: Batch, seed: int) -> Identities:
    """Return a pseudo-random number below 2**52 of each round, which JSON readers keep exact, uint64[rounds]."""
    text = hash_texts([f"{seed}"])[0]
    parts = (hash_column(batch.casino), hash_column(batch.table), hash_texts(batch.round))
    result = np.full(len(batch), text, np.uint64)
    with np.errstate(over="ignore"):
        for part in parts:
            result = _mix(result ^ _mix(part + np.uint64(1)))
    return result >> np.uint64(12)


def _mix(numbers: Identities) -> Identities:
    with np.errstate(over="ignore"):
        return mix_numbers(numbers + np.uint64(0x9E3779B97F4A7C15))


def _group_rounds(batch: Batch, by: Sequence[str]) -> tuple[list[Group], Ints]:
    """Return the groups of a batch, and the index of the group of each round, int64[rounds]."""
    columns = [_list_names(batch, key) for key in by]
    if not columns:
        return [()], np.zeros(len(batch), np.int64)
    rows, code = np.unique(np.stack([codes for _, codes in columns], axis=1), axis=0, return_inverse=True)
    groups: list[Group] = [
        tuple([names[at] if at >= 0 else None for (names, _), at in zip(columns, row, strict=True)])
        for row in rows.tolist()
    ]
    return groups, code.reshape(-1)


def _list_names(batch: Batch, key: str) -> tuple[Sequence[str], Ints]:
    """Return the names that rounds are grouped by, and the index of the name of each round; negative for none."""
    if key == "day":
        days, code = np.unique(batch.day, return_inverse=True)
        names = np.datetime_as_string(days.astype("datetime64[D]")).tolist()
        return names, np.where(batch.dated == UNDATED, ABSENT, code)
    if key in OF_RECORD:
        column: CodedColumn = getattr(batch, key)
        return column.names, column.codes.astype(np.int64)
    return code_context(batch.context, key)


def _describe_round(batch: Batch, place: int, draw: int) -> PlannedRound:
    context = decode_context(batch.context.text(place))
    number = int(batch.number[place])
    return PlannedRound(
        draw=draw,
        round=batch.round[place],
        file=batch.file.text(place),
        line=int(batch.line[place]),
        casino=batch.casino.text(place),
        table=batch.table.text(place),
        number=number if number >= 0 else None,
        time=format_time(int(batch.time[place]), int(batch.offset[place]), int(batch.dated[place])),
        dealer=context.get("dealer"),
        video=context.get("video"),
    )


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


PLAN_COLUMNS = (
    *("no", "group", "casino", "table", "time", "dealer", "round number", "round", "video", "file", "line"),
    *("rounds in group", "seed", "reviewer", "fault", "note"),
)
"""Columns of the CSV. Reviewers fill in the last three."""


ANSWERS: Mapping[str, bool | None] = {"": None, "yes": True, "y": True, "no": False, "n": False}
"""Answers in the column `fault`: whether the round has a fault; None for a round that nobody reviewed yet."""


MOST_BYTES = 16_000_000
"""Limit of the size of a plan that is read."""


def describe_group(group: PlannedGroup) -> str:
    """Return the names of a group: `table T1, dealer Ann`."""
    return (
        ", ".join(f"{key} {'not stated' if name is None else name}" for key, name in group.names.items())
        or "all rounds"
    )


def _write_plan_text(plan: SamplingPlan, stream: BinaryIO) -> None:
    stream.write("".join(f"{sanitize(line)}\n" for line in _list_plan_lines(plan)).encode())


def _list_plan_lines(plan: SamplingPlan) -> Iterator[str]:
    review = sum(len(group.review) for group in plan.groups)
    of = format_count(plan.rounds, "round")
    yield f"Review {format_count(review, 'round')} of {of}, drawn with seed {plan.seed}."
    for group in plan.groups:
        yield ""
        yield f"{describe_group(group)}: {len(group.review)} of {format_count(group.rounds, 'round')}"
        for row in group.review:
            where = (row.table, row.time, row.dealer, row.video)
            yield f"  {row.round}  ({', '.join(part for part in where if part) or 'place not stated'})"


def _write_plan_json(plan: SamplingPlan, stream: BinaryIO) -> None:
    stream.write(msgspec.json.format(encode_json(plan), indent=2) + b"\n")


def _write_plan_csv(plan: SamplingPlan, stream: BinaryIO) -> None:
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(PLAN_COLUMNS)
        number = 0
        for group in plan.groups:
            for row in group.review:
                number += 1
                cells = (
                    row.casino,
                    row.table,
                    row.time,
                    row.dealer,
                    row.number,
                    row.round,
                    row.video,
                    row.file,
                    row.line,
                )
                lines.writerow(
                    [number, *map(_plan_cell, (describe_group(group), *cells)), group.rounds, plan.seed, "", "", ""]
                )
    finally:
        text.detach()  # or the stream would be closed with it


def _plan_cell(value: str | int | None) -> str | int:
    return guard_formulas(sanitize(value)) if isinstance(value, str) else "" if value is None else value


PLAN_WRITERS: Mapping[str, Callable[[SamplingPlan, BinaryIO], None]] = {
    "text": _write_plan_text,
    "csv": _write_plan_csv,
    "json": _write_plan_json,
}
"""Writers of plans by format."""


class ReviewedGroup(Struct, kw_only=True):
    """Result of the review of the rounds of a group."""

    rounds: int
    """Number of rounds in the logs."""
    drawn: int = 0
    reviewed: int = 0
    faults: int = 0
    """Number of reviewed rounds with a fault."""


def read_reviews(lines: Iterable[str], name: str) -> dict[str, ReviewedGroup]:
    """Read the answers in a plan that reviewers filled in.

    Raises:
        InputError: If it is no plan, or an answer is neither yes nor no.
    """
    problems: list[Diagnostic] = []
    groups: dict[str, ReviewedGroup] = {}
    try:
        rows = csv.DictReader(lines, strict=True)
        missing = [column for column in ("group", "rounds in group", "fault") if column not in (rows.fieldnames or ())]
        if missing:
            raise InputError(tuple([_build_problem(name, 1, f"it has no column `{column}`") for column in missing]))
        for row in rows:
            answer = (row["fault"] or "").strip().lower()
            size = (row["rounds in group"] or "").strip()
            if answer not in ANSWERS:
                problems.append(_build_problem(name, rows.line_num, "the column `fault` is neither yes nor no"))
            elif not size.isascii() or not size.isdigit() or len(size) > 12:
                problems.append(_build_problem(name, rows.line_num, "the column `rounds in group` is not a number"))
            else:
                group = groups.setdefault(row["group"] or "", ReviewedGroup(rounds=int(size)))
                group.drawn += 1
                group.reviewed += ANSWERS[answer] is not None
                group.faults += ANSWERS[answer] is True
    except csv.Error as error:
        problems.append(_build_problem(name, 1, f"it cannot be read as CSV: {error}"))
    if problems:
        raise InputError(limit_diagnostics(problems))
    return groups


def _build_problem(name: str, line: int, message: str) -> Diagnostic:
    return Diagnostic(
        code="not-a-plan",
        message=message,
        file=name,
        line=line,
        help="fill in a plan that `fairdeal sample --output csv:FILE` wrote: `yes` or `no` under `fault`",
    )


def list_review_lines(
    groups: Mapping[str, ReviewedGroup], bound: Callable[[int, int], tuple[float, float]]
) -> Iterator[str]:
    """Yield what reviewers found, a line for each group and one for all.

    Args:
        groups: what they found.
        bound: returns the interval of the share of rounds with a fault, from the numbers of faults and of reviews.
    """
    for name, group in groups.items():
        yield f"{name}: {_describe_review(group, bound)}"
    total = ReviewedGroup(
        rounds=sum(group.rounds for group in groups.values()),
        drawn=sum(group.drawn for group in groups.values()),
        reviewed=sum(group.reviewed for group in groups.values()),
        faults=sum(group.faults for group in groups.values()),
    )
    yield f"in all: {format_count(total.faults, 'fault')} in {total.reviewed} of {total.drawn} rounds to review"


def _describe_review(group: ReviewedGroup, bound: Callable[[int, int], tuple[float, float]]) -> str:
    if not group.reviewed:
        return f"none of {format_count(group.drawn, 'round')} reviewed"
    low, high = bound(group.faults, group.reviewed)
    return (
        f"{format_count(group.faults, 'fault')} in {format_count(group.reviewed, 'reviewed round')} of {group.drawn}; "
        f"between {100 * low:.2f} % and {100 * high:.2f} % of {format_count(group.rounds, 'round')} have one"
    )
