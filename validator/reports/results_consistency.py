"""Check that the parts of saved results agree, by computing verdict, statuses and counts from the findings.

The evidence is not available here, so the texts of findings are not checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from fairdeal.validator.reports.json_format import UNKNOWN_IN_VERSION_1
from fairdeal.validator.reports.report_wording import count_quarantined
from fairdeal.validator.results.findings import Evidence, Finding, Status, Waiver, worst_status
from fairdeal.validator.results.results import (
    CurrencyMoney,
    InputFile,
    InputKind,
    Layout,
    LayoutMark,
    RequirementResult,
    Results,
    decide_verdict,
)

_AT_ROUNDS = frozenset({Evidence.ROUND, Evidence.SESSION})
_SHOWN = frozenset({Status.FAIL, Status.ERROR, Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION})
"""Statuses that have findings."""


class _Tally(Struct):
    """Counts of the findings of one requirement, by status."""

    findings: Counter[Status] = field(default_factory=Counter)
    """Number of findings."""
    items: Counter[Status] = field(default_factory=Counter)
    """Sum of the counts of the findings."""
    records: Counter[Status] = field(default_factory=Counter)
    """Number of records that have findings."""
    last: dict[Status, tuple[str | None, int | None]] = field(default_factory=dict)
    """File and line of the last record."""
    waivers: Counter[Waiver | None] = field(default_factory=Counter)
    """Violations by their waiver, None for those without."""

    def add(self, finding: Finding) -> None:
        """Count a finding."""
        status, where = finding.status, finding.where
        record = (where.file, None if where.round is None else where.line)  # a submission is one record
        self.findings[status] += 1
        self.items[status] += finding.count
        if self.last.get(status) != record:  # findings of a requirement are in the order of their records
            self.last[status] = record
            self.records[status] += 1
        if status is Status.FAIL:
            self.waivers[finding.waived] += 1


def find_contradictions(results: Results) -> Iterator[str]:
    """Yield a sentence for each part of the results that contradicts another."""
    doubtful = count_quarantined(results) + sum(file.contradicted for file in results.provenance.inputs)
    verdict = decide_verdict(results.requirements, quarantined=doubtful)
    if results.verdict is not verdict:
        yield f"`verdict` is {results.verdict.value}, but requirements and quarantined records give {verdict.value}"
    inputs = {file.file: file for file in results.provenance.inputs}
    yield from _compare_inputs(results, inputs)
    tallies: dict[str, _Tally] = {}
    sums: dict[str | None, tuple[int, int, int]] = {}
    for finding in results.findings:
        tallies.setdefault(finding.requirement, _Tally()).add(finding)
        waiver = finding.waived
        if finding.is_on_money:
            currency = finding.currency or results.subject.currency
            failures, owed, overpaid = sums.get(currency, (0, 0, 0))
            sums[currency] = failures + 1, owed + (finding.owed or 0), overpaid + (finding.overpaid or 0)
        if (
            waiver is not None
            and waiver.file != UNKNOWN_IN_VERSION_1
            and _kind(inputs, waiver.file) is not InputKind.WAIVERS
        ):
            yield f"{finding.requirement} is waived by {waiver.file}, which is not a file of waivers among the inputs"
    known = {requirement.requirement for requirement in results.requirements}
    for name in tallies.keys() - known:
        yield f"there are findings of {name}, which is not a requirement of these results"
    for requirement in results.requirements:
        yield from _compare_totals(requirement, tallies.get(requirement.requirement, _Tally()))
    yield from _compare_records(results)
    baseline = results.baseline
    if any((finding.state is None) is not (baseline is None) for finding in results.findings):
        yield "findings must be new or known if there is a baseline, and only then"
    if baseline is not None and len(baseline.gone) > baseline.gone_found:
        yield "more findings are listed as gone than are counted"
    if results.money is not None:
        for money in results.money.by_currency:
            currency = money.currency or results.subject.currency
            yield from _compare_money(money, sums.pop(currency, (0, 0, 0)))
        for currency, (failures, _, _) in sums.items():
            yield f"`money` leaves out {failures} findings in {currency or 'no currency'}"
    pairs = {(name, status) for name, tally in tallies.items() for status in tally.findings}
    for layout in results.layouts:
        for mark in _marks(layout):
            if (mark.requirement, mark.status) not in pairs:
                yield f"a layout is marked for {mark.requirement} ({mark.status.value}), which has no finding"
    for session in results.sessions:
        if len(session.gaps) > session.gaps_found:
            yield f"table {session.table} lists more gaps than it counts"


def _compare_inputs(results: Results, inputs: Mapping[str, InputFile]) -> Iterator[str]:
    for name, number in Counter(file.file for file in results.provenance.inputs).items():
        if number > 1:
            yield f"{number} inputs are called {name}, so their names do not distinguish them"
    for file in results.provenance.inputs:
        if file.read != file.checked + file.quarantined + file.repeated or file.contradicted > file.checked:
            yield f"the records read from {file.file} are not the sum of those checked, quarantined and repeated"
    listed, quarantined = len(results.quarantined), sum(file.quarantined for file in results.provenance.inputs)
    if listed > quarantined or (listed < quarantined and not listed):
        yield f"{listed} quarantined records are listed, but the inputs count {quarantined}"
    for entry in results.quarantined:
        if _kind(inputs, entry.file) is not InputKind.HAND_LOG:
            yield f"a record of {entry.file} is quarantined, which is not a hand log among the inputs"


def _compare_totals(requirement: RequirementResult, counts: _Tally) -> Iterator[str]:
    name, totals = requirement.requirement, requirement.totals
    expected = worst_status(totals) if totals else Status.NOT_EVIDENCED
    if requirement.status is not expected:
        yield f"{name} is {requirement.status.value}, but its totals give {expected.value}"
    for status in _SHOWN:
        total = totals.get(status, 0)
        if bool(total) != bool(counts.findings[status]):
            yield f"{name} is {status.value} {total} times by its totals, and in {counts.findings[status]} findings"
        elif total > counts.items[status] or (status is not Status.ERROR and counts.records[status] > total):
            yield f"{name} is {status.value} {total} times by its totals, which its findings do not add up to"
        elif status is Status.NOT_EVIDENCED and requirement.evidence in _AT_ROUNDS and total != counts.items[status]:
            times = counts.items[status]
            yield f"{name} is {status.value} {total} times by its totals, and {times} times by its findings"
    for status in set(counts.findings) - _SHOWN:
        yield f"{name} has findings that are {status.value}"
    failures, lifted = counts.waivers.total(), counts.waivers.total() - counts.waivers[None]
    if (requirement.waived is not None) != (failures > 0 and failures == lifted):
        mark = "waived" if requirement.waived else "not waived"
        yield f"{name} is marked as {mark}, but {lifted} of its {failures} failures are waived"
    elif requirement.waived is not None and requirement.waived not in counts.waivers:
        yield f"{name} is marked with a waiver that none of its failures has"


def _compare_money(money: CurrencyMoney, listed: tuple[int, int, int]) -> Iterator[str]:
    """Compare sums with the unwaived violations listed: their number, amount owed and amount overpaid."""
    if (money.findings, money.owed, money.overpaid) != listed:
        stated = f"{money.findings} findings, {money.owed} owed and {money.overpaid} overpaid"
        yield f"`money` is {stated}; those listed are {listed[0]}, {listed[1]} and {listed[2]}"
    for by in dict.fromkeys(total.by for total in money.sums):
        of_kind = [total for total in money.sums if total.by == by]
        sums = tuple(sum(getattr(total, name) for total in of_kind) for name in ("findings", "owed", "overpaid"))
        if any(part > whole for part, whole in zip(sums, listed, strict=True)):
            yield f"the sums of `money` by {by} are more than all findings"


def _compare_records(results: Results) -> Iterator[str]:
    """Check that every requirement of a document was evaluated on as many rounds, or submissions, as all others."""
    for evidence, kind in ((_AT_ROUNDS, InputKind.HAND_LOG), (frozenset(Evidence) - _AT_ROUNDS, InputKind.SUBMISSION)):
        judged: dict[str, set[int]] = {}
        for requirement in results.requirements:
            if requirement.evidence in evidence:
                judged.setdefault(requirement.document, set()).add(sum(requirement.totals.values()))
        for document, sums in judged.items():
            if len(sums) > 1:
                yield f"requirements of {document} were checked against different numbers of records: {sorted(sums)}"
        checked = sum(file.checked for file in results.provenance.inputs if file.kind is kind)
        total = sum(max(sums) for sums in judged.values())
        if total > checked or (total < checked and judged.keys() >= set(results.provenance.documents)):
            yield f"requirements were checked against {total} records, but the inputs count {checked} as checked"


def _marks(layout: Layout) -> Iterator[LayoutMark]:
    yield from layout.marks
    for area in layout.areas:
        yield from (*area.marks, *area.legend_marks)
    for sign in layout.signage:
        yield from sign.marks


def _kind(inputs: Mapping[str, InputFile], file: str) -> InputKind | None:
    return inputs[file].kind if file in inputs else None
