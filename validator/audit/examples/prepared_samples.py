"""Examples made ready: their evidence read once, and their rounds opened under the rules they are to prove."""

from __future__ import annotations

from collections.abc import Sequence
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
from validator.evidence.readers.from_records import batches_of_records
from validator.evidence.submission.model import Submission
from validator.results.statuses import Evidence
from validator.rules.core.regulation import Regulation
from validator.rules.model.example import Example
from validator.text.diagnostics import Diagnostic, InputError
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


def prepare_samples(document: str, samples: Sequence[Sample]) -> list[PreparedSamples]:
    """The evidence of examples of a document, read once for any number of runs.

    Raises InputError where a submission breaks its schema, ValueError where a round does.
    """
    submissions = [_prepared_submission(sample) for sample in samples if sample.round is None and not sample.rounds]
    sessions = [_prepared_session(document, sample) for sample in samples if sample.rounds]
    rounds: dict[str, list[Sample]] = {}
    for sample in samples:
        if sample.round is not None:
            example = sample.example
            key = repr((sample.submission, sorted(example.readings.items()), example.waivers, example.as_of))
            rounds.setdefault(key, []).append(sample)
    return [*submissions, *sessions, *(_prepared_rounds(document, group) for group in rounds.values())]


def _prepared_submission(sample: Sample) -> PreparedSubmission:
    beside = tuple(_filed(one, sample.example.example).submission for one in sample.beside)
    return PreparedSubmission(samples=(sample,), filed=_filed(sample.submission, sample.example.example), beside=beside)


def _prepared_session(document: str, sample: Sample) -> PreparedSession:
    batches = _batches(document, sample.rounds, [sample] * len(sample.rounds))
    return PreparedSession(samples=(sample,), batches=batches, submission=_configuring(sample))


def _prepared_rounds(document: str, samples: Sequence[Sample]) -> PreparedRounds:
    batches = _batches(document, [sample.round for sample in samples if sample.round is not None], samples)
    return PreparedRounds(samples=tuple(samples), batches=batches, submission=_configuring(samples[0]))


def _batches(document: str, records: Sequence[dict[str, Any]], owners: Sequence[Sample]) -> tuple[Batch, ...]:
    batches, quarantined = batches_of_records(records, file="examples", games={document})
    if quarantined:
        bad = quarantined[0]
        example = owners[bad.line - 1]
        message = f"a round of example {example.example.example} cannot be read: {bad.reason}"
        raise InputError((Diagnostic(code="no-evidence", message=message, file=example.file),))
    return batches


def _configuring(sample: Sample) -> Submission | None:
    return None if sample.submission is None else _filed(sample.submission, sample.example.example).submission


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


def _filed(submission: dict[str, Any] | None, name: str) -> Filed:
    tree = tree_of(submission, name)
    return Filed(submission=validate(tree, Submission), tree=tree)


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
