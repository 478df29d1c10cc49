"""Whether the parts of saved results agree: verdict, statuses and counts are worked out anew from what the file holds.

What a finding says cannot be checked here, as the evidence is not at hand; that it is counted can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from validator.reports.json_format import NOT_TOLD
from validator.reports.wording import set_aside
from validator.results.findings import Finding, Waiver
from validator.results.layouts import Layout, LayoutMark
from validator.results.results import InputFile, InputKind, RequirementResult, Results, verdict_of
from validator.results.statuses import Evidence, Status, worst
from validator.results.subject import CurrencyMoney

_AT_ROUNDS = frozenset({Evidence.ROUND, Evidence.SESSION})
_SHOWN = frozenset({Status.FAIL, Status.ERROR, Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION})
"""Statuses for which there are findings."""


class _Tally(Struct):
    """Findings of one requirement: how many of each status, what they stand for, in how many records they are found,
    and waivers of failures."""

    findings: Counter[Status] = field(default_factory=Counter)
    items: Counter[Status] = field(default_factory=Counter)
    records: Counter[Status] = field(default_factory=Counter)
    last: dict[Status, tuple[str | None, int | None]] = field(default_factory=dict)
    waivers: Counter[Waiver | None] = field(default_factory=Counter)

    def add(self, finding: Finding) -> None:
        """Count one more."""
        status, where = finding.status, finding.where
        record = (where.file, None if where.round is None else where.line)  # a submission is one record
        self.findings[status] += 1
        self.items[status] += finding.count
        if self.last.get(status) != record:  # findings of a requirement stand in the order of their records
            self.last[status] = record
            self.records[status] += 1
        if status is Status.FAIL:
            self.waivers[finding.waived] += 1


def disagreements(results: Results) -> Iterator[str]:
    """What in results contradicts the rest of them."""
    doubtful = set_aside(results) + sum(one.contradicted for one in results.provenance.inputs)
    verdict = verdict_of(results.requirements, quarantined=doubtful)
    if results.verdict is not verdict:
        yield f"`verdict` is {results.verdict.value}, but requirements and quarantined records come to {verdict.value}"
    inputs = {one.file: one for one in results.provenance.inputs}
    yield from _of_inputs(results, inputs)
    tallies: dict[str, _Tally] = {}
    found: dict[str | None, tuple[int, int, int]] = {}
    for finding in results.findings:
        tallies.setdefault(finding.requirement, _Tally()).add(finding)
        waiver = finding.waived
        if finding.is_on_money:
            currency = finding.currency or results.subject.currency
            failures, owed, overpaid = found.get(currency, (0, 0, 0))
            found[currency] = failures + 1, owed + (finding.owed or 0), overpaid + (finding.overpaid or 0)
        if waiver is not None and waiver.file != NOT_TOLD and _kind(inputs, waiver.file) is not InputKind.WAIVERS:
            yield f"{finding.requirement} is waived by {waiver.file}, which is no file of waivers of the inputs"
    known = {one.requirement: one for one in results.requirements}
    for name in tallies.keys() - known.keys():
        yield f"there are findings of {name}, which is no requirement of these results"
    for requirement in results.requirements:
        yield from _of_requirement(requirement, tallies.get(requirement.requirement, _Tally()))
    yield from _of_records(results)
    baseline = results.baseline
    if any((one.state is None) is not (baseline is None) for one in results.findings):
        yield "findings are new or known where there is a baseline, and only there"
    if baseline is not None and len(baseline.gone) > baseline.gone_found:
        yield "more findings are listed as gone than are counted"
    if results.money is not None:
        for money in results.money.by_currency:
            currency = money.currency or results.subject.currency
            yield from _of_money(money, found.pop(currency, (0, 0, 0)))
        for currency, (failures, _, _) in found.items():
            yield f"`money` tells nothing of {failures} findings in {currency or 'no currency'}"
    pairs = {(name, status) for name, one in tallies.items() for status in one.findings}
    for layout in results.layouts:
        for mark in _marks(layout):
            if (mark.requirement, mark.status) not in pairs:
                yield f"a layout is marked for {mark.requirement} ({mark.status.value}), of which there is no finding"
    for session in results.sessions:
        if len(session.gaps) > session.gaps_found:
            yield f"table {session.table} has more gaps listed than were found"


def _of_inputs(results: Results, inputs: Mapping[str, InputFile]) -> Iterator[str]:
    for file, number in Counter(one.file for one in results.provenance.inputs).items():
        if number > 1:
            yield f"{number} inputs are called {file}, so that nobody can tell which of them is meant"
    for one in results.provenance.inputs:
        if one.read != one.checked + one.quarantined + one.repeated or one.contradicted > one.checked:
            yield f"of {one.file}, the records read are not those checked, quarantined and repeated together"
    listed, quarantined = len(results.quarantined), sum(one.quarantined for one in results.provenance.inputs)
    if listed > quarantined or (listed < quarantined and not listed):
        yield f"{listed} quarantined records are listed, but the inputs count {quarantined}"
    for entry in results.quarantined:
        if _kind(inputs, entry.file) is not InputKind.HAND_LOG:
            yield f"a record of {entry.file} is quarantined, which is no hand log among the inputs"


def _of_requirement(requirement: RequirementResult, tally_: _Tally) -> Iterator[str]:
    name, totals = requirement.requirement, requirement.totals
    status = worst(totals) if totals else Status.NOT_EVIDENCED
    if requirement.status is not status:
        yield f"{name} is {requirement.status.value}, but its totals come to {status.value}"
    for one in _SHOWN:
        total = totals.get(one, 0)
        if bool(total) != bool(tally_.findings[one]):
            yield f"{name} is {one.value} {total} times by its totals, and in {tally_.findings[one]} findings"
        elif total > tally_.items[one] or (one is not Status.ERROR and tally_.records[one] > total):
            yield f"{name} is {one.value} {total} times by its totals, which its findings do not come to"
        elif one is Status.NOT_EVIDENCED and requirement.evidence in _AT_ROUNDS and total != tally_.items[one]:
            yield f"{name} is {one.value} {total} times by its totals, and {tally_.items[one]} times by its findings"
    for one in set(tally_.findings) - _SHOWN:
        yield f"{name} has findings that are {one.value}"
    failures, lifted = tally_.waivers.total(), tally_.waivers.total() - tally_.waivers[None]
    if (requirement.waived is not None) != (failures > 0 and failures == lifted):
        mark = "waived" if requirement.waived else "not waived"
        yield f"{name} is marked as {mark}, but {lifted} of its {failures} failures are waived"
    elif requirement.waived is not None and requirement.waived not in tally_.waivers:
        yield f"{name} is marked with a waiver that none of its failures has"


def _of_money(money: CurrencyMoney, found: tuple[int, int, int]) -> Iterator[str]:
    """`found` are the failures on money that no waiver lifts, what they come to as owed and as overpaid."""
    if (money.findings, money.owed, money.overpaid) != found:
        said = f"{money.findings} findings, {money.owed} owed and {money.overpaid} overpaid"
        yield f"`money` is {said}; those listed are {found[0]}, {found[1]} and {found[2]}"
    for by in dict.fromkeys(one.by for one in money.sums):
        of_kind = [one for one in money.sums if one.by == by]
        sums = tuple(sum(getattr(one, name) for one in of_kind) for name in ("findings", "owed", "overpaid"))
        if any(part > whole for part, whole in zip(sums, found, strict=True)):
            yield f"the sums of `money` by {by} come to more than all findings"


def _of_records(results: Results) -> Iterator[str]:
    """Every round is held against every requirement on rounds of its document, as every submission against those on
    submissions."""
    for evidence, kind in ((_AT_ROUNDS, InputKind.HAND_LOG), (frozenset(Evidence) - _AT_ROUNDS, InputKind.SUBMISSION)):
        judged: dict[str, set[int]] = {}
        for one in results.requirements:
            if one.evidence in evidence:
                judged.setdefault(one.document, set()).add(sum(one.totals.values()))
        for document, sums in judged.items():
            if len(sums) > 1:
                yield f"requirements of {document} were held against different numbers of records: {sorted(sums)}"
        checked = sum(one.checked for one in results.provenance.inputs if one.kind is kind)
        total = sum(max(sums) for sums in judged.values())
        if total > checked or (total < checked and judged.keys() >= set(results.provenance.documents)):
            yield f"requirements were held against {total} records, but {checked} were checked by the inputs"


def _marks(layout: Layout) -> Iterator[LayoutMark]:
    yield from layout.marks
    for area in layout.areas:
        yield from (*area.marks, *area.legend_marks)
    for sign in layout.signage:
        yield from sign.marks


def _kind(inputs: Mapping[str, InputFile], file: str) -> InputKind | None:
    return inputs[file].kind if file in inputs else None
