"""Comparison of examples with what they expect: every finding, its wording, and every requirement they prove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from validator.audit.examples.evidence import Sample
from validator.audit.examples.findings import Entry, as_expected, as_found, words_of
from validator.audit.examples.prepared_samples import (
    OpenRounds,
    PreparedRounds,
    PreparedSamples,
    PreparedSession,
    PreparedSubmission,
    as_read,
    granted,
    opened,
    prepare_samples,
)
from validator.audit.examples.snapshot import Given, Kept
from validator.audit.operators.round_requirements import weigh_scope
from validator.audit.session_requirements.judge import judge_sessions
from validator.audit.session_requirements.summarise_rounds import rows_of
from validator.audit.sessions.rounds_in_order import gathered
from validator.audit.statuses.status_codes import STATUSES
from validator.audit.submissions.requirements import SubmissionVerdict, judge_submission
from validator.audit.submissions.versions import Neighbours
from validator.results.findings import Finding
from validator.results.statuses import UNPROVEN, Status, worst
from validator.rules.core.regulation import Regulation

_UNPROVEN_STATUSES = UNPROVEN - {Status.ERROR}


class Outcome(Struct, frozen=True, kw_only=True):
    """Result of running an example."""

    statuses: dict[str, Status]
    """Status by full id of the requirement."""
    findings: tuple[Finding, ...]
    """Findings with status FAIL or ERROR."""


class Proof(Struct, frozen=True, kw_only=True):
    """Example with the differences between its result and what is expected."""

    sample: Sample
    """Example with its evidence."""
    outcome: Outcome
    """Result of running it."""
    wrong: tuple[str, ...] = ()
    """Differences from what the example itself states; empty if there are none."""
    altered: tuple[str, ...] = ()
    """Differences from the snapshot; empty if there are none."""

    @property
    def problems(self) -> tuple[str, ...]:
        """All differences."""
        return self.wrong + self.altered

    @property
    def given(self) -> Given:
        """Snapshot entry of the result."""
        sample = self.sample
        return Given(example=sample.example.example, kind=sample.kind, base=sample.base, kept=_to_keep(self.outcome))


def prove(regulation: Regulation, samples: Sequence[Sample]) -> list[Proof]:
    """Run every example and compare, in the order given."""
    prepared, unread = prepare_samples(regulation, samples)
    proofs = {proof.sample: proof for group in prepared for proof in prove_prepared(regulation, group)}
    proofs |= {sample: unreadable(sample, problems) for sample, problems in unread.items()}
    return [proofs[sample] for sample in samples]


def unreadable(sample: Sample, problems: tuple[str, ...]) -> Proof:
    """Build the proof of an example whose evidence cannot be read."""
    return Proof(sample=sample, outcome=Outcome(statuses={}, findings=()), wrong=problems)


def prove_prepared(regulation: Regulation, prepared: PreparedSamples) -> list[Proof]:
    """Run examples whose evidence has been read, and compare."""
    if not isinstance(prepared, PreparedSubmission):
        return prove_opened(regulation, prepared, opened(regulation, prepared))
    example = prepared.samples[0].example
    verdicts = judge_submission(
        as_read(regulation, example),
        prepared.filed,
        others=Neighbours(prepared.beside),
        grants=granted(regulation.id, example, prepared.filed.submission),
        as_of=example.as_of,
    )
    return [_compare(regulation, prepared.samples[0], _submission_outcome(verdicts))]


def prove_opened(
    regulation: Regulation, prepared: PreparedRounds | PreparedSession, rounds: Sequence[OpenRounds]
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


def _submission_outcome(verdicts: Iterable[SubmissionVerdict]) -> Outcome:
    statuses: dict[str, Status] = {}
    findings: list[Finding] = []
    for verdict in verdicts:
        statuses[verdict.requirement] = verdict.status
        findings += verdict.findings
    return Outcome(statuses=statuses, findings=_failures(findings))


def _round_outcomes(rounds: Sequence[OpenRounds], *, examples: int) -> list[Outcome]:
    statuses: list[dict[str, Status]] = [{} for _ in range(examples)]
    findings: list[list[Finding]] = [[] for _ in range(examples)]
    for part in rounds:
        owner = (part.scope.batch.line - 1).tolist()
        for outcome in weigh_scope(part.scope, as_of=part.as_of):
            for index, mark in zip(owner, outcome.marks.tolist(), strict=True):
                statuses[index][outcome.requirement.requirement] = STATUSES[mark]
            for finding in outcome.findings():
                findings[(finding.where.line or 1) - 1].append(part.permits.marked(finding))
    return [
        Outcome(statuses=of_one, findings=_failures(failures))
        for of_one, failures in zip(statuses, findings, strict=True)
    ]


def _session_outcome(rounds: Sequence[OpenRounds]) -> Outcome:
    rows = [rows_of(part.scope, part.permits, as_of=part.as_of) for part in rounds]
    statuses: dict[str, Status] = {}
    findings: list[Finding] = []
    for verdict in judge_sessions(rounds[0].scope.prepared, gathered(rows)):
        statuses[verdict.requirement] = worst(
            status for status, count in zip(STATUSES, verdict.counts, strict=True) if count
        )
        findings += verdict.findings
    return Outcome(statuses=statuses, findings=_failures(findings))


def _failures(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.status in (Status.FAIL, Status.ERROR))


def _compare(regulation: Regulation, sample: Sample, outcome: Outcome) -> Proof:
    example, kept = sample.example, sample.kept
    expects_something = example.proves or example.not_applicable or kept.findings or kept.unproven
    if not expects_something and not outcome.findings and _UNPROVEN_STATUSES.isdisjoint(outcome.statuses.values()):
        return Proof(sample=sample, outcome=outcome)
    expected = [as_expected(regulation, finding) for finding in example.findings]
    actual = [as_found(finding, in_session=bool(sample.rounds)) for finding in outcome.findings]
    now = _to_keep(outcome)
    missing, unexpected = Counter(expected) - Counter(actual), Counter(actual) - Counter(expected)
    wrong = [f"missing:\n{entry.written(regulation.id)}" for entry in missing.elements()]
    wrong += [
        f"not expected:\n{entry.written(regulation.id)}"
        + "".join(f"\n  # {line}" for line in words.lines(regulation.id))
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
    return Proof(sample=sample, outcome=outcome, wrong=tuple(wrong), altered=tuple(altered))


def _describe_status(status: Status | None) -> str:
    return status.value if status else "not checked on this evidence"


def _to_keep(outcome: Outcome) -> Kept:
    unproven = frozenset(name for name, status in outcome.statuses.items() if status in _UNPROVEN_STATUSES)
    return Kept(findings=tuple(map(words_of, outcome.findings)), unproven=unproven)


def _wording_differences(document: str, actual: Sequence[Entry], kept: Kept, now: Kept) -> Iterator[str]:
    """Yield differences in wording from the snapshot, for findings that are all as the example expects.

    Lines of the snapshot begin with `-`, lines of the result with `+`.
    """
    if kept.findings == now.findings:
        return
    left = list(kept.findings)
    for entry, words in zip(actual, now.findings, strict=True):
        previous = next((wording for wording in left if wording.requirement == words.requirement), None)
        if previous is None:
            yield f"the snapshot has no wording of\n{entry.written(document)}"
            continue
        left.remove(previous)
        if previous != words:
            old_lines, new_lines = [*previous.lines(document)], [*words.lines(document)]
            differences = [
                *(f"  - {line}" for line in old_lines if line not in new_lines),
                *(f"  + {line}" for line in new_lines if line not in old_lines),
            ]
            yield "\n".join(["the snapshot has another wording of", entry.written(document), *differences])
    for words in left:
        yield f"the snapshot has a further finding of {words.requirement.removeprefix(f'{document}/')}"


def _unproven_differences(outcome: Outcome, kept: Kept, now: Kept) -> Iterator[str]:
    for name in sorted(now.unproven - kept.unproven):
        yield f"{name} has status {outcome.statuses[name].value}, which the snapshot does not record"
    for name in sorted(kept.unproven - now.unproven):
        yield f"{name} is unproven in the snapshot, but its status is {_describe_status(outcome.statuses.get(name))}"
