"""Examples held against what they must give: every finding, what it says, and every requirement they prove."""

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

_NOT_PROVED = UNPROVEN - {Status.ERROR}


class Outcome(Struct, frozen=True, kw_only=True):
    """What an example gave: statuses by requirement, and findings that failed or erred."""

    statuses: dict[str, Status]
    findings: tuple[Finding, ...]


class Proof(Struct, frozen=True, kw_only=True):
    """An example and what is wrong with it: `wrong` is what it gives otherwise than it says itself, `altered` what
    it gives otherwise than the snapshot keeps; both are empty where it gives what it must."""

    sample: Sample
    outcome: Outcome
    wrong: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """All that is wrong."""
        return self.wrong + self.altered

    @property
    def given(self) -> Given:
        """What the example gives, to be kept."""
        sample = self.sample
        return Given(example=sample.example.example, kind=sample.kind, base=sample.base, kept=_to_keep(self.outcome))


def prove(regulation: Regulation, samples: Sequence[Sample]) -> list[Proof]:
    """Run every example and compare, in the order given."""
    prepared, unread = prepare_samples(regulation, samples)
    proofs = {proof.sample: proof for group in prepared for proof in prove_prepared(regulation, group)}
    proofs |= {sample: unreadable(sample, problems) for sample, problems in unread.items()}
    return [proofs[sample] for sample in samples]


def unreadable(sample: Sample, problems: tuple[str, ...]) -> Proof:
    """What an example comes to whose evidence cannot be read."""
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
    return [_proof(regulation, prepared.samples[0], _submission_outcome(verdicts))]


def prove_opened(
    regulation: Regulation, prepared: PreparedRounds | PreparedSession, rounds: Sequence[OpenRounds]
) -> list[Proof]:
    """Run examples whose rounds have been opened, by the requirements of the regulation they are open under, and
    compare. `rounds` is never empty."""
    if isinstance(prepared, PreparedSession):
        outcomes = [_session_outcome(rounds)]
    else:
        outcomes = _round_outcomes(rounds, examples=len(prepared.samples))
    return [_proof(regulation, sample, outcome) for sample, outcome in zip(prepared.samples, outcomes, strict=True)]


def _submission_outcome(verdicts: Iterable[SubmissionVerdict]) -> Outcome:
    statuses: dict[str, Status] = {}
    findings: list[Finding] = []
    for verdict in verdicts:
        statuses[verdict.requirement] = verdict.status
        findings += verdict.findings
    return Outcome(statuses=statuses, findings=_broken(findings))


def _round_outcomes(rounds: Sequence[OpenRounds], *, examples: int) -> list[Outcome]:
    statuses: list[dict[str, Status]] = [{} for _ in range(examples)]
    findings: list[list[Finding]] = [[] for _ in range(examples)]
    for one in rounds:
        owner = (one.scope.batch.line - 1).tolist()
        for weighed in weigh_scope(one.scope, as_of=one.as_of):
            for index, mark in zip(owner, weighed.marks.tolist(), strict=True):
                statuses[index][weighed.requirement.requirement] = STATUSES[mark]
            for finding in weighed.findings():
                findings[(finding.where.line or 1) - 1].append(one.permits.marked(finding))
    return [Outcome(statuses=of_one, findings=_broken(found)) for of_one, found in zip(statuses, findings, strict=True)]


def _session_outcome(rounds: Sequence[OpenRounds]) -> Outcome:
    rows = [rows_of(one.scope, one.permits, as_of=one.as_of) for one in rounds]
    statuses: dict[str, Status] = {}
    findings: list[Finding] = []
    for verdict in judge_sessions(rounds[0].scope.prepared, gathered(rows)):
        statuses[verdict.requirement] = worst(
            status for status, count in zip(STATUSES, verdict.counts, strict=True) if count
        )
        findings += verdict.findings
    return Outcome(statuses=statuses, findings=_broken(findings))


def _broken(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.status in (Status.FAIL, Status.ERROR))


def _proof(regulation: Regulation, sample: Sample, outcome: Outcome) -> Proof:
    example, kept = sample.example, sample.kept
    said = example.proves or example.not_applicable or kept.findings or kept.unproven
    if not said and not outcome.findings and _NOT_PROVED.isdisjoint(outcome.statuses.values()):
        return Proof(sample=sample, outcome=outcome)
    expected = [as_expected(regulation, finding) for finding in example.findings]
    found = [as_found(finding, in_session=bool(sample.rounds)) for finding in outcome.findings]
    now = _to_keep(outcome)
    missing, further = Counter(expected) - Counter(found), Counter(found) - Counter(expected)
    wrong = [f"missing:\n{one.written(regulation.id)}" for one in missing.elements()]
    wrong += [
        f"not expected:\n{one.written(regulation.id)}" + "".join(f"\n  # {line}" for line in words.lines(regulation.id))
        for one, words in zip(found, now.findings, strict=True)
        if one in further
    ]
    altered = [] if wrong else [*_otherwise_worded(regulation.id, found, kept, now)]
    altered += _otherwise_unproven(outcome, kept, now)
    broken = {finding.requirement for finding in example.findings}
    for name in example.about:
        status = outcome.statuses.get(name)
        if name not in broken and status in (Status.NOT_APPLICABLE, Status.NOT_IN_FORCE, None):
            wrong.append(f"{name} is not proved: it is {_worded(status)}")
    for name in example.not_applicable:
        if outcome.statuses.get(name) is not Status.NOT_APPLICABLE:
            wrong.append(f"{name} is said not to apply, but is {_worded(outcome.statuses.get(name))}")
    wrong += [f"{name} is said to be unproven, but is not" for name in sorted(set(example.unproven) - now.unproven)]
    return Proof(sample=sample, outcome=outcome, wrong=tuple(wrong), altered=tuple(altered))


def _worded(status: Status | None) -> str:
    return status.value if status else "not judged on this evidence"


def _to_keep(outcome: Outcome) -> Kept:
    unproven = frozenset(name for name, status in outcome.statuses.items() if status in _NOT_PROVED)
    return Kept(findings=tuple(map(words_of, outcome.findings)), unproven=unproven)


def _otherwise_worded(document: str, found: Sequence[Entry], kept: Kept, now: Kept) -> Iterator[str]:
    """Findings, all of them as the example says, that say something else than what is kept: what is kept behind `-`,
    what is found behind `+`."""
    if kept.findings == now.findings:
        return
    left = list(kept.findings)
    for entry, words in zip(found, now.findings, strict=True):
        before = next((one for one in left if one.requirement == words.requirement), None)
        if before is None:
            yield f"no words are kept of\n{entry.written(document)}"
            continue
        left.remove(before)
        if before != words:
            was, is_ = [*before.lines(document)], [*words.lines(document)]
            differences = [
                *(f"  - {line}" for line in was if line not in is_),
                *(f"  + {line}" for line in is_ if line not in was),
            ]
            yield "\n".join(["other words are kept of", entry.written(document), *differences])
    for words in left:
        yield f"words are kept of a further finding of {words.requirement.removeprefix(f'{document}/')}"


def _otherwise_unproven(outcome: Outcome, kept: Kept, now: Kept) -> Iterator[str]:
    for name in sorted(now.unproven - kept.unproven):
        yield f"{name} comes out {outcome.statuses[name].value}, which is not kept"
    for name in sorted(kept.unproven - now.unproven):
        yield f"{name} is kept as unproven, but is {_worded(outcome.statuses.get(name))}"
