"""Examples whose evidence is read once, with their rounds opened under the rules they test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.audit.applicability.granted_waivers import ApplicableWaivers, WaiverGrant, build_waiver_grant
from fairdeal.validator.audit.applicability.submissions_in_force import split_by_waivers
from fairdeal.validator.audit.examples.example_evidence import Sample, build_tree
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.evidence.columns.batch import Batch
from fairdeal.validator.evidence.handlog.event_kinds import KnownGame
from fairdeal.validator.evidence.jsonl.line_reader import decode_records
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rules.example_model import Example
from fairdeal.validator.rules.regulation import Regulation, build_known_games
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.validation import validate


class PreparedSubmission(Struct, frozen=True, kw_only=True):
    """Example whose submission has been read."""

    samples: tuple[Sample, ...]
    """Example, as the only item."""
    filed: FiledSubmission
    """Submission with its positions in the file."""
    other_submissions: tuple[Submission, ...]
    """Other submissions of the example."""

    evidence_kinds: ClassVar[frozenset[Evidence]] = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})
    """Kinds of evidence that the requirements use."""


class PreparedRounds(Struct, frozen=True, kw_only=True):
    """Examples whose rounds have been read and are checked as one batch.

    They share submission, readings, waivers and day. Line numbers in the batch distinguish the examples.
    """

    samples: tuple[Sample, ...]
    batches: tuple[Batch, ...]
    submission: Submission | None

    evidence_kinds: ClassVar[frozenset[Evidence]] = frozenset({Evidence.ROUND})
    """Kinds of evidence that the requirements use."""


class PreparedSession(Struct, frozen=True, kw_only=True):
    """Example whose session has been read."""

    samples: tuple[Sample, ...]
    batches: tuple[Batch, ...]
    submission: Submission | None

    evidence_kinds: ClassVar[frozenset[Evidence]] = frozenset({Evidence.SESSION})
    """Kinds of evidence that the requirements use."""


class SampleContext(Struct, frozen=True, kw_only=True):
    """Rounds of examples in one context, under the same submission and waivers.

    The context caches intermediate results.
    """

    scope: EvaluationContext
    """Context of the rounds."""
    waivers: ApplicableWaivers
    """Waivers that apply."""
    as_of: int | None
    """Day whose rules apply, in days since 1970-01-01; None for the day of each round."""


PreparedSamples: TypeAlias = PreparedSubmission | PreparedRounds | PreparedSession
"""Examples that are checked together; `samples` is never empty."""


def prepare_samples(
    regulation: Regulation, samples: Sequence[Sample]
) -> tuple[list[PreparedSamples], dict[Sample, tuple[str, ...]]]:
    """Read the evidence of examples once, for any number of runs.

    Returns:
        The groups of examples that are checked together; and the problems of each example whose evidence cannot be
        read.
    """
    known = build_known_games(regulation)
    groups: list[PreparedSamples] = []
    unread: dict[Sample, tuple[str, ...]] = {}
    rounds: dict[str, list[Sample]] = {}
    for sample in samples:
        example = sample.example
        try:
            if sample.rounds:
                groups.append(_prepare_session(known, sample))
            elif sample.round is None:
                groups.append(_prepare_submission(sample))
            else:
                key = repr((sample.submission, sorted(example.readings.items()), example.waivers, example.as_of))
                rounds.setdefault(key, []).append(sample)
        except _UnreadError as error:
            unread[sample] = tuple(problem for problems in error.problems.values() for problem in problems)
    for group in rounds.values():
        try:
            prepared = _prepare_rounds(known, group)
        except _UnreadError as error:
            unread |= {group[index]: problems for index, problems in error.problems.items()}
            good = [sample for sample in group if sample not in unread]
            if not good:
                continue
            prepared = _prepare_rounds(known, good)
        groups.append(prepared)
    return groups, unread


class _UnreadError(Exception):
    """Problems of evidence that cannot be read, by the index of the example in its group."""

    def __init__(self, problems: Mapping[int, tuple[str, ...]]) -> None:
        super().__init__(problems)
        self.problems = problems


def _prepare_submission(sample: Sample) -> PreparedSubmission:
    beside = tuple(_read_filed(other, sample).submission for other in sample.other_submissions)
    return PreparedSubmission(samples=(sample,), filed=_read_filed(sample.submission, sample), other_submissions=beside)


def _prepare_session(known: Mapping[str, KnownGame], sample: Sample) -> PreparedSession:
    batches = _read_batches(known, sample.rounds)
    return PreparedSession(samples=(sample,), batches=batches, submission=_read_submission([sample]))


def _prepare_rounds(known: Mapping[str, KnownGame], samples: Sequence[Sample]) -> PreparedRounds:
    configuring = _read_submission(samples)
    batches = _read_batches(known, [sample.round for sample in samples if sample.round is not None])
    return PreparedRounds(samples=tuple(samples), batches=batches, submission=configuring)


def _read_batches(known: Mapping[str, KnownGame], records: Sequence[dict[str, Any]]) -> tuple[Batch, ...]:
    batches, quarantined = decode_records(records, file="examples", games=known)
    if quarantined:
        raise _UnreadError(
            {
                bad.line - 1: (f"round {records[bad.line - 1].get('round')} cannot be read: {bad.reason}",)
                for bad in quarantined
            }
        )
    return batches


def _read_submission(samples: Sequence[Sample]) -> Submission | None:
    """Return the submission that the examples share."""
    if samples[0].submission is None:
        return None
    try:
        return _read_filed(samples[0].submission, samples[0]).submission
    except _UnreadError as error:
        raise _UnreadError(dict.fromkeys(range(len(samples)), error.problems[0])) from error


def build_grants(document: str, example: Example, submission: Submission | None) -> tuple[WaiverGrant, ...]:
    """Build the waivers of an example, granted by the regulator of its licensee."""
    if submission is None:
        return ()
    return tuple(
        build_waiver_grant(
            bad_waiver,
            regulator="the regulator",
            licensee=bad_waiver.licensee or submission.licensee.name,
            document=document,
            file=example.example,
        )
        for bad_waiver in example.waivers
    )


def _read_filed(submission: dict[str, Any] | None, sample: Sample) -> FiledSubmission:
    tree = build_tree(submission, sample.example.example)
    try:
        return FiledSubmission(submission=validate(tree, Submission), tree=tree)
    except InputError as error:
        problems = tuple(f"the submission cannot be read: {diagnostic.message}" for diagnostic in error.diagnostics)
        raise _UnreadError({0: problems}) from error


def open_contexts(regulation: Regulation, prepared: PreparedRounds | PreparedSession) -> tuple[SampleContext, ...]:
    """Open the rounds of examples under a regulation with their readings, all under the submission of the examples.

    The submission applies whether or not it is in force on the day of a round.
    """
    example = prepared.samples[0].example
    game = compile_game(apply_readings(regulation, example))
    grants = build_grants(regulation.id, example, prepared.submission)
    return tuple(
        SampleContext(
            scope=assigned.open_context(),
            waivers=assigned.waivers,
            as_of=None if example.as_of is None else (example.as_of - date(1970, 1, 1)).days,
        )
        for batch in prepared.batches
        for assigned in split_by_waivers(game, batch, prepared.submission, grants)
    )


def apply_readings(regulation: Regulation, example: Example) -> Regulation:
    """Return a regulation with the readings that an example chooses."""
    return replace(regulation, choices={**regulation.choices, **example.readings})
