"""Examples made ready: their evidence read once, and their rounds opened under the rules they are to prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from validator.audit.applicability.submissions_in_force import assigned_to
from validator.audit.applicability.waivers import Grant, Permits, grant_of
from validator.audit.examples.evidence import Sample, tree_of
from validator.audit.submissions.requirements import Filed
from validator.engine.compiled.game import prepare
from validator.engine.core.context import Scope
from validator.evidence.columns.batch import Batch
from validator.evidence.consistency.known_game import KnownGame
from validator.evidence.readers.from_records import batches_of_records
from validator.evidence.submission.model import Submission
from validator.results.statuses import Evidence
from validator.rules.core.acts import known_game
from validator.rules.core.regulation import Regulation
from validator.rules.model.example import Example
from validator.text.diagnostics import InputError
from validator.text.models.validate import validate


class PreparedSubmission(Struct, frozen=True, kw_only=True):
    """An example whose submission has been read."""

    samples: tuple[Sample, ...]
    filed: Filed
    beside: tuple[Submission, ...]

    judged_on: ClassVar[frozenset[Evidence]] = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})


class PreparedRounds(Struct, frozen=True, kw_only=True):
    """Examples whose rounds have been read: under one submission, with the same readings, waivers and day, so that
    they are judged as one batch and told apart by their lines."""

    samples: tuple[Sample, ...]
    batches: tuple[Batch, ...]
    submission: Submission | None

    judged_on: ClassVar[frozenset[Evidence]] = frozenset({Evidence.ROUND})


class PreparedSession(Struct, frozen=True, kw_only=True):
    """An example whose rounds have been read, to be judged by what spans them."""

    samples: tuple[Sample, ...]
    batches: tuple[Batch, ...]
    submission: Submission | None

    judged_on: ClassVar[frozenset[Evidence]] = frozenset({Evidence.SESSION})


class OpenRounds(Struct, frozen=True, kw_only=True):
    """Rounds of examples that are judged alike, opened under a regulation: what is worked out of them is kept. `as_of`
    is the day by whose law they are judged (days since 1970-01-01), if the examples name one."""

    scope: Scope
    permits: Permits
    as_of: int | None


PreparedSamples: TypeAlias = PreparedSubmission | PreparedRounds | PreparedSession
"""Examples that are judged together; `samples` is never empty."""


def prepare_samples(
    regulation: Regulation, samples: Sequence[Sample]
) -> tuple[list[PreparedSamples], dict[Sample, tuple[str, ...]]]:
    """The evidence of examples of a regulation, read once for any number of runs; and the examples whose evidence
    cannot be read, with all that is wrong with it."""
    known = known_game(regulation)
    groups: list[PreparedSamples] = []
    unread: dict[Sample, tuple[str, ...]] = {}
    rounds: dict[str, list[Sample]] = {}
    for sample in samples:
        example = sample.example
        try:
            if sample.rounds:
                groups.append(_prepared_session(known, sample))
            elif sample.round is None:
                groups.append(_prepared_submission(sample))
            else:
                key = repr((sample.submission, sorted(example.readings.items()), example.waivers, example.as_of))
                rounds.setdefault(key, []).append(sample)
        except _UnreadError as error:
            unread[sample] = tuple(problem for problems in error.problems.values() for problem in problems)
    for group in rounds.values():
        try:
            prepared = _prepared_rounds(known, group)
        except _UnreadError as error:
            unread |= {group[index]: problems for index, problems in error.problems.items()}
            good = [sample for sample in group if sample not in unread]
            if not good:
                continue
            prepared = _prepared_rounds(known, good)
        groups.append(prepared)
    return groups, unread


class _UnreadError(Exception):
    """Evidence of some examples cannot be read: what is wrong, by their places among those that were to be read."""

    def __init__(self, problems: Mapping[int, tuple[str, ...]]) -> None:
        super().__init__(problems)
        self.problems = problems


def _prepared_submission(sample: Sample) -> PreparedSubmission:
    beside = tuple(_filed(one, sample).submission for one in sample.beside)
    return PreparedSubmission(samples=(sample,), filed=_filed(sample.submission, sample), beside=beside)


def _prepared_session(known: Mapping[str, KnownGame], sample: Sample) -> PreparedSession:
    batches = _batches(known, sample.rounds)
    return PreparedSession(samples=(sample,), batches=batches, submission=_configuring([sample]))


def _prepared_rounds(known: Mapping[str, KnownGame], samples: Sequence[Sample]) -> PreparedRounds:
    configuring = _configuring(samples)
    batches = _batches(known, [sample.round for sample in samples if sample.round is not None])
    return PreparedRounds(samples=tuple(samples), batches=batches, submission=configuring)


def _batches(known: Mapping[str, KnownGame], records: Sequence[dict[str, Any]]) -> tuple[Batch, ...]:
    batches, quarantined = batches_of_records(records, file="examples", games=known)
    if quarantined:
        raise _UnreadError(
            {
                bad.line - 1: (f"round {records[bad.line - 1].get('round')} cannot be read: {bad.reason}",)
                for bad in quarantined
            }
        )
    return batches


def _configuring(samples: Sequence[Sample]) -> Submission | None:
    """The one submission of some examples."""
    if samples[0].submission is None:
        return None
    try:
        return _filed(samples[0].submission, samples[0]).submission
    except _UnreadError as error:
        raise _UnreadError(dict.fromkeys(range(len(samples)), error.problems[0])) from error


def granted(document: str, example: Example, submission: Submission | None) -> tuple[Grant, ...]:
    """The waivers of an example, as the regulator of its licensee grants them."""
    if submission is None:
        return ()
    return tuple(
        grant_of(
            one,
            regulator="the regulator",
            licensee=one.licensee or submission.licensee.name,
            document=document,
            file=example.example,
        )
        for one in example.waivers
    )


def _filed(submission: dict[str, Any] | None, sample: Sample) -> Filed:
    tree = tree_of(submission, sample.example.example)
    try:
        return Filed(submission=validate(tree, Submission), tree=tree)
    except InputError as error:
        problems = tuple(f"the submission cannot be read: {one.message}" for one in error.diagnostics)
        raise _UnreadError({0: problems}) from error


def opened(regulation: Regulation, prepared: PreparedRounds | PreparedSession) -> tuple[OpenRounds, ...]:
    """The rounds of examples under a regulation as they read it, all judged by the submission they name, be it in force
    for them or not."""
    example = prepared.samples[0].example
    game = prepare(as_read(regulation, example))
    grants = granted(regulation.id, example, prepared.submission)
    return tuple(
        OpenRounds(
            scope=assigned.scope(),
            permits=assigned.permits,
            as_of=None if example.as_of is None else (example.as_of - date(1970, 1, 1)).days,
        )
        for batch in prepared.batches
        for assigned in assigned_to(game, batch, prepared.submission, grants)
    )


def as_read(regulation: Regulation, example: Example) -> Regulation:
    """A regulation with the readings that an example chooses."""
    return replace(regulation, choices={**regulation.choices, **example.readings})
