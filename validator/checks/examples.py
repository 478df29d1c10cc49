"""Examples held against what they must give: every finding whole, and every requirement they prove."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from validator.checks.assign import Assigned, assigned_to
from validator.checks.example_evidence import Sample, tree_of
from validator.checks.example_findings import as_expected, as_found
from validator.checks.marks import STATUSES
from validator.checks.rounds import weigh_batch
from validator.checks.sessions.gathered import gathered
from validator.checks.sessions.judge import judge_sessions
from validator.checks.sessions.showing import rows_of
from validator.checks.side_by_side import Neighbours
from validator.checks.submissions import Filed, SubmissionVerdict, judge_submission
from validator.checks.waivers import Grant, grant_of
from validator.evidence.columns import Batch
from validator.evidence.records import batches_of_records
from validator.evidence.submission import Submission
from validator.play.conditions import open_scope
from validator.play.prepared import prepare
from validator.rulebook.language.example import Example
from validator.rulebook.regulation import Regulation
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.validate import validate
from validator.verdicts import UNPROVEN, Evidence, Finding, Status, worst


class Outcome(Struct, frozen=True, kw_only=True):
    """What an example gave: statuses by requirement, and findings that failed or erred."""

    statuses: dict[str, Status]
    findings: tuple[Finding, ...]


class Proof(Struct, frozen=True, kw_only=True):
    """An example and what is wrong with it: empty where it gives what it must."""

    sample: Sample
    outcome: Outcome
    problems: tuple[str, ...]


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


PreparedSamples: TypeAlias = PreparedSubmission | PreparedRounds | PreparedSession
"""Examples that are judged together; `samples` is never empty."""


def prove(regulation: Regulation, samples: Sequence[Sample]) -> list[Proof]:
    """Run every example and compare, in the order given."""
    prepared = prepare_samples(regulation.id, samples)
    proofs = {id(proof.sample): proof for group in prepared for proof in prove_prepared(regulation, group)}
    return [proofs[id(sample)] for sample in samples]


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


def _granted(document: str, example: Example, submission: Submission | None) -> tuple[Grant, ...]:
    """The waivers of an example."""
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


def prove_prepared(regulation: Regulation, prepared: PreparedSamples) -> list[Proof]:
    """Run examples whose evidence has been read, and compare."""
    example = prepared.samples[0].example
    as_read = replace(regulation, choices={**regulation.choices, **example.readings})
    if isinstance(prepared, PreparedSubmission):
        verdicts = judge_submission(
            as_read,
            prepared.filed,
            others=Neighbours(prepared.beside),
            grants=_granted(regulation.id, example, prepared.filed.submission),
            as_of=example.as_of,
        )
        outcomes = [_submission_outcome(verdicts)]
    elif isinstance(prepared, PreparedSession):
        outcomes = [_session_outcome(as_read, prepared, as_of=example.as_of)]
    else:
        outcomes = _round_outcomes(as_read, prepared, as_of=example.as_of)
    return [_proof(regulation, sample, outcome) for sample, outcome in zip(prepared.samples, outcomes, strict=True)]


def _submission_outcome(verdicts: Iterable[SubmissionVerdict]) -> Outcome:
    statuses: dict[str, Status] = {}
    findings: list[Finding] = []
    for verdict in verdicts:
        statuses[verdict.requirement] = verdict.status
        findings += verdict.findings
    return Outcome(statuses=statuses, findings=_broken(findings))


def _round_outcomes(regulation: Regulation, prepared: PreparedRounds, *, as_of: date | None) -> list[Outcome]:
    game = prepare(regulation)
    day = None if as_of is None else (as_of - date(1970, 1, 1)).days
    statuses: list[dict[str, Status]] = [{} for _ in prepared.samples]
    findings: list[list[Finding]] = [[] for _ in prepared.samples]
    for assigned in _assigned(regulation, prepared):
        owner = (assigned.batch.line - 1).tolist()
        for weighed in weigh_batch(game, assigned.batch, assigned.configuration, as_of=day):
            for index, mark in zip(owner, weighed.marks.tolist(), strict=True):
                statuses[index][weighed.requirement.requirement] = STATUSES[mark]
            for finding in weighed.findings():
                findings[(finding.where.line or 1) - 1].append(assigned.permits.marked(finding))
    return [Outcome(statuses=of_one, findings=_broken(found)) for of_one, found in zip(statuses, findings, strict=True)]


def _session_outcome(regulation: Regulation, prepared: PreparedSession, *, as_of: date | None) -> Outcome:
    game = prepare(regulation)
    day = None if as_of is None else (as_of - date(1970, 1, 1)).days
    rows = [
        rows_of(open_scope(one.batch, game, one.configuration), one.permits, as_of=day)
        for one in _assigned(regulation, prepared)
    ]
    statuses: dict[str, Status] = {}
    findings: list[Finding] = []
    for verdict in judge_sessions(game, gathered(rows)):
        statuses[verdict.requirement] = worst(
            status for status, count in zip(STATUSES, verdict.counts, strict=True) if count
        )
        findings += verdict.findings
    return Outcome(statuses=statuses, findings=_broken(findings))


def _assigned(regulation: Regulation, prepared: PreparedRounds | PreparedSession) -> Iterator[Assigned]:
    """The rounds of examples, all judged by the submission they name, be it in force for them or not."""
    grants = _granted(regulation.id, prepared.samples[0].example, prepared.submission)
    for batch in prepared.batches:
        yield from assigned_to(regulation, batch, prepared.submission, grants)


def _broken(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.status in (Status.FAIL, Status.ERROR))


def _proof(regulation: Regulation, sample: Sample, outcome: Outcome) -> Proof:
    example = sample.example
    expected = [as_expected(regulation, finding) for finding in example.findings]
    found = [as_found(finding, in_session=bool(sample.rounds)) for finding in outcome.findings]
    problems = [f"missing:\n{one.written(regulation.id)}" for one in expected if one not in found]
    problems += [f"not expected:\n{one.written(regulation.id)}" for one in found if one not in expected]
    if not problems and expected != found:
        problems.append("the findings are the expected ones, but in another order")
    problems += _unproven(example, outcome)
    broken = {finding.requirement for finding in example.findings}
    for name in example.about:
        if name not in broken and outcome.statuses.get(name) in (Status.NOT_APPLICABLE, Status.NOT_IN_FORCE, None):
            status = outcome.statuses.get(name)
            problems.append(f"{name} is not proved: it is {_worded(status)}")
    for name in example.not_applicable:
        if outcome.statuses.get(name) is not Status.NOT_APPLICABLE:
            problems.append(f"{name} is said not to apply, but is {_worded(outcome.statuses.get(name))}")
    return Proof(sample=sample, outcome=outcome, problems=tuple(problems))


def _worded(status: Status | None) -> str:
    return status.value if status else "not judged on this evidence"


def _unproven(example: Example, outcome: Outcome) -> Iterator[str]:
    found = {name for name, status in outcome.statuses.items() if status in UNPROVEN - {Status.ERROR}}
    for name in sorted(found.difference(example.unproven)):
        yield f"{name} comes out {outcome.statuses[name].value}, which the example does not list under `unproven`"
    for name in sorted(set(example.unproven) - found):
        yield f"{name} is said to be unproven, but is not"
