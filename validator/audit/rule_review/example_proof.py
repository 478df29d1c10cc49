"""Run of the examples of a document: comparison with what they expect and with the snapshot, and its update.

The evidence of examples is read once, and their rounds are opened under the rules they test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.audit.granted_waivers import ApplicableWaivers, WaiverGrant, build_waiver_grant
from fairdeal.validator.audit.operators.round_requirements import evaluate_context
from fairdeal.validator.audit.operators.session_evaluation import build_session_rows, evaluate_sessions
from fairdeal.validator.audit.rule_review import example_snapshot
from fairdeal.validator.audit.rule_review.example_evidence import Sample, build_tree, load_samples
from fairdeal.validator.audit.sessions.ordered_rounds import order_rounds
from fairdeal.validator.audit.status_codes import STATUSES
from fairdeal.validator.audit.submissions import submission_requirements
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.audit.submissions_in_force import split_by_waivers
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.evidence.event_kinds import KnownGame
from fairdeal.validator.evidence.jsonl.line_reader import decode_records
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.results.findings import UNPROVEN, Evidence, Finding, Status, worst_status
from fairdeal.validator.rules.example_model import Example, Snapshot
from fairdeal.validator.rules.regulation import Regulation, build_known_games
from fairdeal.validator.rules.rule_files import SNAPSHOT_FILE
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.source import write_atomically


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
    choices = {**regulation.choices, **example.readings}
    return regulation if choices == regulation.choices else replace(regulation, choices=choices)


_UNPROVEN_STATUSES = UNPROVEN - {Status.ERROR}


class ExampleOutcome(Struct, frozen=True, kw_only=True):
    """Result of running an example."""

    statuses: dict[str, Status]
    """Status by full id of the requirement."""
    findings: tuple[Finding, ...]
    """Findings with status FAIL or ERROR."""


class Proof(Struct, frozen=True, kw_only=True):
    """Example with the differences between its result and what is expected."""

    sample: Sample
    """Example with its evidence."""
    outcome: ExampleOutcome
    """Result of running it."""
    mismatches: tuple[str, ...] = ()
    """Differences from what the example itself states; empty if there are none."""
    snapshot_differences: tuple[str, ...] = ()
    """Differences from the snapshot; empty if there are none."""

    @property
    def problems(self) -> tuple[str, ...]:
        """All differences."""
        return self.mismatches + self.snapshot_differences

    @property
    def snapshot_result(self) -> example_snapshot.SnapshotResult:
        """Snapshot entry of the result."""
        sample = self.sample
        return example_snapshot.SnapshotResult(
            example=sample.example.example, kind=sample.kind, base=sample.base, entry=_to_keep(self.outcome)
        )


def prove_samples(regulation: Regulation, samples: Sequence[Sample]) -> list[Proof]:
    """Run every example and compare, in the order given."""
    prepared, unread = prepare_samples(regulation, samples)
    proofs = {proof.sample: proof for group in prepared for proof in prove_prepared(regulation, group)}
    proofs |= {sample: build_unreadable_proof(sample, problems) for sample, problems in unread.items()}
    return [proofs[sample] for sample in samples]


def build_unreadable_proof(sample: Sample, problems: tuple[str, ...]) -> Proof:
    """Build the proof of an example whose evidence cannot be read."""
    return Proof(sample=sample, outcome=ExampleOutcome(statuses={}, findings=()), mismatches=problems)


def prove_prepared(regulation: Regulation, prepared: PreparedSamples) -> list[Proof]:
    """Run examples whose evidence has been read, and compare."""
    if not isinstance(prepared, PreparedSubmission):
        return prove_rounds(regulation, prepared, open_contexts(regulation, prepared))
    example = prepared.samples[0].example
    verdicts = submission_requirements.evaluate_submission(
        apply_readings(regulation, example),
        prepared.filed,
        others=submission_requirements.RelatedSubmissions(prepared.other_submissions),
        grants=build_grants(regulation.id, example, prepared.filed.submission),
        as_of=example.as_of,
    )
    return [_compare(regulation, prepared.samples[0], _submission_outcome(verdicts))]


def prove_rounds(
    regulation: Regulation,
    prepared: PreparedRounds | PreparedSession,
    rounds: Sequence[SampleContext],
) -> list[Proof]:
    """Run examples whose rounds have been opened, and compare.

    Args:
        rounds: contexts of the rounds, never empty; their regulation supplies the requirements.
    """
    if isinstance(prepared, PreparedSession):
        outcomes = [_session_outcome(rounds)]
    else:
        outcomes = _round_outcomes(rounds, examples=len(prepared.samples))
    return [_compare(regulation, sample, outcome) for sample, outcome in zip(prepared.samples, outcomes, strict=True)]


def _submission_outcome(verdicts: Iterable[submission_requirements.SubmissionVerdict]) -> ExampleOutcome:
    statuses: dict[str, Status] = {}
    findings: list[Finding] = []
    for verdict in verdicts:
        statuses[verdict.requirement] = verdict.status
        findings += verdict.findings
    return ExampleOutcome(statuses=statuses, findings=_failures(findings))


def _round_outcomes(rounds: Sequence[SampleContext], *, examples: int) -> list[ExampleOutcome]:
    statuses: list[dict[str, Status]] = [{} for _ in range(examples)]
    findings: list[list[Finding]] = [[] for _ in range(examples)]
    for part in rounds:
        owner = (part.scope.batch.line - 1).tolist()
        for outcome in evaluate_context(part.scope, as_of=part.as_of):
            for index, mark in zip(owner, outcome.status_codes.tolist(), strict=True):
                statuses[index][outcome.requirement.requirement] = STATUSES[mark]
            for finding in outcome.build_findings():
                findings[(finding.where.line or 1) - 1].append(part.waivers.mark_finding(finding))
    return [
        ExampleOutcome(statuses=of_one, findings=_failures(failures))
        for of_one, failures in zip(statuses, findings, strict=True)
    ]


def _session_outcome(rounds: Sequence[SampleContext]) -> ExampleOutcome:
    rows = [build_session_rows(part.scope, part.waivers, as_of=part.as_of) for part in rounds]
    statuses: dict[str, Status] = {}
    findings: list[Finding] = []
    for verdict in evaluate_sessions(rounds[0].scope.compiled_game, order_rounds(rows)):
        statuses[verdict.requirement] = worst_status(
            status for status, count in zip(STATUSES, verdict.counts, strict=True) if count
        )
        findings += verdict.findings
    return ExampleOutcome(statuses=statuses, findings=_failures(findings))


def _failures(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.status in (Status.FAIL, Status.ERROR))


def _compare(regulation: Regulation, sample: Sample, outcome: ExampleOutcome) -> Proof:
    example, kept = sample.example, sample.snapshot_entry
    expects_something = example.proves or example.not_applicable or kept.findings or kept.unproven
    if not expects_something and not outcome.findings and _UNPROVEN_STATUSES.isdisjoint(outcome.statuses.values()):
        return Proof(sample=sample, outcome=outcome)
    expected = [example_snapshot.build_expected_entry(regulation, finding) for finding in example.findings]
    actual = [
        example_snapshot.build_actual_entry(finding, in_session=bool(sample.rounds)) for finding in outcome.findings
    ]
    now = _to_keep(outcome)
    missing, unexpected = Counter(expected) - Counter(actual), Counter(actual) - Counter(expected)
    wrong = [f"missing:\n{entry.to_yaml(regulation.id)}" for entry in missing.elements()]
    wrong += [
        f"not expected:\n{entry.to_yaml(regulation.id)}"
        + "".join(f"\n  # {line}" for line in words.render_lines(regulation.id))
        for entry, words in zip(actual, now.findings, strict=True)
        if entry in unexpected
    ]
    altered = [] if wrong else [*_wording_differences(regulation.id, actual, kept, now)]
    altered += _unproven_differences(outcome, kept, now)
    broken = {finding.requirement for finding in example.findings}
    for name in example.about:
        status = outcome.statuses.get(name)
        if name not in broken and status in (Status.NOT_APPLICABLE, Status.NOT_IN_FORCE, None):
            wrong.append(f"{name} is not proved: its status is {_describe_status(status)}")
    for name in example.not_applicable:
        if outcome.statuses.get(name) is not Status.NOT_APPLICABLE:
            wrong.append(
                f"{name} is expected not to apply, but its status is {_describe_status(outcome.statuses.get(name))}"
            )
    wrong += [f"{name} is expected to be unproven, but is not" for name in sorted(set(example.unproven) - now.unproven)]
    return Proof(sample=sample, outcome=outcome, mismatches=tuple(wrong), snapshot_differences=tuple(altered))


def _describe_status(status: Status | None) -> str:
    return status.value if status else "not checked on this evidence"


def _to_keep(outcome: ExampleOutcome) -> example_snapshot.SnapshotEntry:
    unproven = frozenset(name for name, status in outcome.statuses.items() if status in _UNPROVEN_STATUSES)
    return example_snapshot.SnapshotEntry(
        findings=tuple(map(example_snapshot.build_wording, outcome.findings)), unproven=unproven
    )


def _wording_differences(
    document: str,
    actual: Sequence[example_snapshot.FindingEntry],
    kept: example_snapshot.SnapshotEntry,
    now: example_snapshot.SnapshotEntry,
) -> Iterator[str]:
    """Yield differences in wording from the snapshot, for findings that are all as the example expects.

    Lines of the snapshot begin with `-`, lines of the result with `+`.
    """
    if kept.findings == now.findings:
        return
    left = list(kept.findings)
    for entry, words in zip(actual, now.findings, strict=True):
        previous = next((wording for wording in left if wording.requirement == words.requirement), None)
        if previous is None:
            yield f"the snapshot has no wording of\n{entry.to_yaml(document)}"
            continue
        left.remove(previous)
        if previous != words:
            old_lines, new_lines = [*previous.render_lines(document)], [*words.render_lines(document)]
            differences = [
                *(f"  - {line}" for line in old_lines if line not in new_lines),
                *(f"  + {line}" for line in new_lines if line not in old_lines),
            ]
            yield "\n".join(["the snapshot has another wording of", entry.to_yaml(document), *differences])
    for words in left:
        yield f"the snapshot has a further finding of {words.requirement.removeprefix(f'{document}/')}"


def _unproven_differences(
    outcome: ExampleOutcome, kept: example_snapshot.SnapshotEntry, now: example_snapshot.SnapshotEntry
) -> Iterator[str]:
    for name in sorted(now.unproven - kept.unproven):
        yield f"{name} has status {outcome.statuses[name].value}, which the snapshot does not record"
    for name in sorted(kept.unproven - now.unproven):
        yield f"{name} is unproven in the snapshot, but its status is {_describe_status(outcome.statuses.get(name))}"


class ExampleRun(Struct, frozen=True, kw_only=True):
    """Results of the examples of a document."""

    document: str
    """Id of the document."""
    proofs: tuple[Proof, ...]
    """Proof of each example, in the order of the files."""
    stale_entries: tuple[str, ...] = ()
    """Entries of the snapshot that belong to no example, and other problems of the snapshot."""

    @property
    def failed_proofs(self) -> tuple[Proof, ...]:
        """Proofs with problems."""
        return tuple(proof for proof in self.proofs if proof.problems)

    @property
    def snapshot(self) -> Snapshot:
        """Snapshot of the results."""
        return example_snapshot.build_snapshot(self.document, [proof.snapshot_result for proof in self.proofs])


def run_examples(regulation: Regulation, folder: Path | None = None) -> ExampleRun:
    """Run the examples of a document and compare them with the snapshot.

    Args:
        folder: rules folder; by default the one that is installed.

    Raises:
        InputError: If examples or snapshot cannot be read.
    """
    snapshot = example_snapshot.read_snapshot(regulation.id, folder)
    run = _run(regulation, folder, snapshot)
    if run.snapshot != Snapshot() and not example_snapshot.get_snapshot_path(regulation.id, folder).exists():
        return replace(
            _ignore_snapshot(run),
            stale_entries=(f"there is no {SNAPSHOT_FILE}, which records the results of the examples",),
        )
    stale = [*example_snapshot.list_removed_examples(snapshot, {proof.sample.example.example for proof in run.proofs})]
    if not run.failed_proofs:
        stale += example_snapshot.list_unneeded_entries(snapshot, run.snapshot)
    return replace(run, stale_entries=tuple(stale))


def update_snapshot(regulation: Regulation, folder: Path | None = None) -> tuple[ExampleRun, bool]:
    """Write the snapshot of a document if every example gives what the example itself states.

    The current snapshot is ignored, readable or not.

    Returns:
        The run, whose problems are those that prevent writing; and whether the file changed.

    Raises:
        InputError: If examples cannot be read.
        OSError: If the snapshot cannot be written.
    """
    run = _ignore_snapshot(_run(regulation, folder, Snapshot()))
    if run.failed_proofs or not run.proofs:
        return run, False
    path, data = (
        example_snapshot.get_snapshot_path(regulation.id, folder),
        example_snapshot.serialize_snapshot(run.snapshot),
    )
    if path.exists() and path.read_bytes() == data:
        return run, False
    with write_atomically(path) as stream:
        stream.write(data)
    return run, True


def _run(regulation: Regulation, folder: Path | None, snapshot: Snapshot) -> ExampleRun:
    samples = load_samples(regulation, folder, snapshot=snapshot)
    return ExampleRun(document=regulation.id, proofs=tuple(map(_require_purpose, prove_samples(regulation, samples))))


def _require_purpose(proof: Proof) -> Proof:
    """Add a problem to a proof whose example proves nothing."""
    example = proof.sample.example
    if proof.mismatches or example.proves or example.not_applicable:
        return proof
    message = "it proves nothing: name a requirement under `about`, `not-applicable` or `unproven`"
    return replace(proof, mismatches=(message,))


def _ignore_snapshot(run: ExampleRun) -> ExampleRun:
    """Drop the differences from the snapshot."""
    return replace(run, proofs=tuple(replace(proof, snapshot_differences=()) for proof in run.proofs))
