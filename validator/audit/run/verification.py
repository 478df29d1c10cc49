"""Verification of saved results against their inputs: by hash, and by a second audit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.audit.granted_waivers import parse_waivers
from fairdeal.validator.audit.run.submission_check import check_submissions, file_submission
from fairdeal.validator.reports.json_format import read_saved_file
from fairdeal.validator.reports.json_report import read_consistent_results
from fairdeal.validator.reports.report_wording import describe_edition
from fairdeal.validator.results.derived_results import compare_with_baseline, split_ids
from fairdeal.validator.results.findings import Finding
from fairdeal.validator.results.game_statistics import Statistics
from fairdeal.validator.results.results import Baseline, InputFile, InputKind, Provenance, Results
from fairdeal.validator.rulebook.rulebook import Rulebook, apply_named_profile
from fairdeal.validator.rules.rule_files import list_profiles
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import (
    Source,
    build_changed_error,
    build_open_error,
    open_unchanged,
    read_source,
    reports_change,
)

if TYPE_CHECKING:
    from fairdeal.validator.audit.submissions_in_force import RoundCounter

MAX_DIFFERENCES = 20
"""Maximum number of differences of one kind that are reported."""

_COMPARED_SEPARATELY = frozenset({"findings", "provenance", "baseline", "unreadable"})
"""Fields of results with a comparison of their own, or that no input shows.

All other fields must equal those of the second audit.
"""


class VerificationOutcome(StrEnum):
    """Result of a verification."""

    SAME = "same"
    OTHER = "other"
    NOT_VERIFIED = "not verified"


class VerifiedPoint(Struct, frozen=True, kw_only=True):
    """Verified property of results."""

    subject: str
    """Property."""
    outcome: VerificationOutcome
    """Result of its verification."""
    says: str
    """Explanation in a sentence."""


class HashedInput(Struct, frozen=True, kw_only=True):
    """File with its SHA-256 (hex)."""

    path: str
    sha256: str


class InputPaths(Struct, frozen=True, kw_only=True):
    """Paths of the unaltered inputs of results; None for an input that was not given."""

    inputs: tuple[str | None, ...]
    """The paths of the inputs, in the order in which results list them."""
    baseline: str | None
    """The path of the baseline."""

    def find_all(self, results: Results, kind: InputKind) -> list[tuple[InputFile, str]]:
        """Return the inputs of a kind that were given, each with its path."""
        both = zip(results.provenance.inputs, self.inputs, strict=True)
        return [(input_file, path) for input_file, path in both if input_file.kind is kind and path is not None]


def hash_file(path: str) -> HashedInput:
    """Hash a file. Raises InputError if it cannot be read, or changes while it is read."""
    try:
        with open_unchanged(path) as stream:
            return HashedInput(path=path, sha256=hashlib.file_digest(stream, "sha256").hexdigest())
    except (OSError, ValueError) as error:
        raise build_open_error(path, error) from error


def verify_inputs(
    results: Results, given: Sequence[HashedInput], rulebook: Rulebook
) -> tuple[list[VerifiedPoint], InputPaths]:
    """Verify every input by its hash, and locate the unaltered inputs.

    The hash identifies an input. Results state its kind; its name is only a label. Only files that were given are
    opened, and profiles that are part of the rulebook.

    Raises:
        InputError: If such a profile cannot be read.
    """
    by_hash: dict[str, list[str]] = {}
    for hashed_file in given:
        by_hash.setdefault(hashed_file.sha256, []).append(hashed_file.path)
    points: list[VerifiedPoint] = []
    places: list[str | None] = []
    recorded = [(input_file.kind.value, input_file.file, input_file.sha256) for input_file in results.provenance.inputs]
    if results.baseline is not None:
        recorded.append(("baseline", results.baseline.file, results.baseline.sha256))
    used: set[str] = set()
    with_rules = list_profiles(rulebook.folder)
    for kind, name, sha256 in recorded:
        subject = f"{kind} {name}"
        paths = by_hash.get(sha256, [])
        if paths:  # of several equal files, each is one input
            path = paths.pop(0) if len(paths) > 1 else paths[0]
            used.add(path)
            places.append(path)
            says = "unaltered" if path == name else f"unaltered, given as {path}"
            points.append(VerifiedPoint(subject=subject, outcome=VerificationOutcome.SAME, says=says))
            continue
        if kind == InputKind.PROFILE.value and name in with_rules:
            known = hash_file(str(with_rules[name]))
            if known.sha256 == sha256:
                places.append(known.path)
                points.append(
                    VerifiedPoint(
                        subject=subject, outcome=VerificationOutcome.SAME, says="unaltered, part of the rulebook"
                    )
                )
                continue
        places.append(None)
        altered = next((hashed_file for hashed_file in given if Path(hashed_file.path).name == Path(name).name), None)
        if altered is None:
            points.append(
                VerifiedPoint(subject=subject, outcome=VerificationOutcome.NOT_VERIFIED, says="not available")
            )
        else:
            used.add(altered.path)
            says = f"altered: SHA-256 is {altered.sha256}, was {sha256}"
            points.append(VerifiedPoint(subject=subject, outcome=VerificationOutcome.OTHER, says=says))
    other = (hashed_file.path for hashed_file in given if hashed_file.path not in used)
    points += (
        VerifiedPoint(subject=path, outcome=VerificationOutcome.OTHER, says="is not an input of these results")
        for path in other
    )
    inputs = len(results.provenance.inputs)
    baseline = None if results.baseline is None else places[inputs]
    return points, InputPaths(inputs=tuple(places[:inputs]), baseline=baseline)


def read_located(path: str, sha256: str, *, name: str) -> Source:
    """Read an input again under its name in the results. Raises InputError if it changed since it was hashed."""
    source = read_source(path, workbook=True)
    if source.sha256 != sha256:
        raise build_changed_error(path)
    return replace(source, name=name)


def read_baseline(path: str, baseline: Baseline) -> Results:
    """Read the earlier results again. Raises InputError if they changed since they were hashed, or do not agree."""
    saved = read_saved_file(path, name=baseline.file)
    if saved.sha256 != baseline.sha256:
        raise build_changed_error(path)
    return read_consistent_results(saved)


def list_unverified_statements(results: Results) -> Iterator[str]:
    """Yield the statements of results that no input proves, so that verification does not cover them."""
    provenance = results.provenance
    yield f"that {provenance.program} made these results, and when ({provenance.generated})"
    yield "the names of the inputs"
    law = "the rules of each record's own day" if provenance.as_of is None else f"the rules of {provenance.as_of}"
    currency = results.subject.currency
    options = law if currency is None else f"{law}, the currency {currency}"
    yield f"the options of the run: {options}"
    if results.unreadable:
        yield f"the files that could not be read ({len({file.file for file in results.unreadable})})"


class StatisticsBuilder(Struct, frozen=True, kw_only=True):
    """Functions that compute statistics again."""

    counter_class: type[RoundCounter]
    """Class of the counter of rounds."""
    build: Callable[[RoundCounter, Rulebook, float, Iterable[Finding]], Statistics]
    """Function that computes statistics from a counter at a significance level, and from findings."""


def verify_findings(
    results: Results, rulebook: Rulebook, located: InputPaths, remake: StatisticsBuilder | None = None
) -> Iterator[VerifiedPoint]:
    """Audit the inputs again and yield the differences from the results.

    Nothing is audited if an input is missing, or if the rulebook differs.

    Args:
        remake: computes statistics; None skips them.

    Raises:
        InputError: If an input changes during the audit.
    """
    subject, provenance = "findings", results.provenance
    needed = zip(provenance.inputs, located.inputs, strict=True)
    if any(path is None for input_file, path in needed if input_file.kind is not InputKind.PROFILE):
        yield VerifiedPoint(
            subject=subject,
            outcome=VerificationOutcome.NOT_VERIFIED,
            says="not audited again: not all inputs are available",
        )
        return
    try:
        rulebook, wrong = _restore_rulebook(rulebook, results, located)
        recomputed = None if wrong else _apply_clock(_audit_again(rulebook, results, located, remake), provenance)
    except InputError as error:
        if reports_change(error.diagnostics):
            raise
        why = error.diagnostics[0]
        says = f"not audited again: {why.file or 'an input'} cannot be read as before: {why.message}"
        yield VerifiedPoint(subject=subject, outcome=VerificationOutcome.NOT_VERIFIED, says=says)
        return
    if recomputed is None:
        yield VerifiedPoint(subject="rulebook", outcome=VerificationOutcome.NOT_VERIFIED, says=str(wrong))
        yield VerifiedPoint(
            subject=subject,
            outcome=VerificationOutcome.NOT_VERIFIED,
            says="not audited again: the rulebook of the results is not available",
        )
        return
    says = f"the same, {describe_edition(provenance)}, SHA-256 {provenance.rulebook_sha256}"
    yield VerifiedPoint(subject="rulebook", outcome=VerificationOutcome.SAME, says=says)
    if results.statistics is not None and recomputed.statistics is None:
        says = "not computed again: this requires SciPy, and hand logs"
        yield VerifiedPoint(subject="statistics", outcome=VerificationOutcome.NOT_VERIFIED, says=says)
        results = replace(results, statistics=None)
    differences = list(islice(_differences(results, recomputed), MAX_DIFFERENCES))
    for says in differences:
        yield VerifiedPoint(subject=subject, outcome=VerificationOutcome.OTHER, says=says)
    if not differences:
        says = f"the same when audited again, {len(results.findings)} of them"
        yield VerifiedPoint(subject=subject, outcome=VerificationOutcome.SAME, says=says)


def _restore_rulebook(rulebook: Rulebook, results: Results, located: InputPaths) -> tuple[Rulebook, str | None]:
    """Return the rulebook with the profile of the results, and a description of its difference, if any."""
    provenance = results.provenance
    for input_file, path in zip(provenance.inputs, located.inputs, strict=True):
        if input_file.kind is not InputKind.PROFILE:
            continue
        if path is None:
            return rulebook, f"the profile {input_file.file} is not available"
        rulebook = apply_named_profile(rulebook, read_located(path, input_file.sha256, name=input_file.file))
    unknown = [name for name in provenance.documents if name not in rulebook.documents]
    if unknown:
        return rulebook, f"it has no document {', '.join(unknown)}"
    here = rulebook.sha256(provenance.documents)
    if here != provenance.rulebook_sha256:
        return rulebook, f"another one: SHA-256 is {here}, was {provenance.rulebook_sha256}"
    return rulebook, None


def _audit_again(
    rulebook: Rulebook, results: Results, located: InputPaths, remake: StatisticsBuilder | None
) -> Results:
    """Audit the inputs under their names in the results, because names decide the order of logs.

    Raises:
        InputError: If an input cannot be read, or changes during the audit.
    """
    provenance, currency = results.provenance, results.subject.currency
    as_of = None if provenance.as_of is None else date.fromisoformat(provenance.as_of)
    filed = [
        file_submission(read_located(path, submission_file.sha256, name=submission_file.file), rulebook)
        for submission_file, path in located.find_all(results, InputKind.SUBMISSION)
    ]
    waivers = [
        parse_waivers(rulebook, read_located(path, waiver_file.sha256, name=waiver_file.file))
        for waiver_file, path in located.find_all(results, InputKind.WAIVERS)
    ]
    recorded = located.find_all(results, InputKind.HAND_LOG)
    if not recorded:
        return check_submissions(
            rulebook,
            filed,
            program=provenance.program,
            generated=provenance.generated,
            as_of=as_of,
            waivers=waivers,
            currency=currency,
        )
    from fairdeal.validator.audit.run.audit_merge import build_results  # noqa: PLC0415 - a submission is checked without
    from fairdeal.validator.audit.run.audit_plan import AuditPlan, build_audit_plan  # noqa: PLC0415
    from fairdeal.validator.audit.run.log_parts import CheckedPart, PartitionedLogs  # noqa: PLC0415
    from fairdeal.validator.evidence.hand_log import HandLog  # noqa: PLC0415

    statistics = results.statistics
    counts = None if statistics is None or remake is None else remake.counter_class
    plan = build_audit_plan(rulebook, filed, as_of=as_of, waivers=waivers, currency=currency, counts=counts)
    logs = PartitionedLogs(HandLog(path, log.file, variants=plan.load_variants) for log, path in recorded)

    def judge(audit_plan: AuditPlan) -> Iterator[CheckedPart]:
        return (CheckedPart(part=part, verdicts=audit_plan.check_part(part)) for part in logs.iter_parts())

    refused: list[Diagnostic] = []
    counters: list[RoundCounter] = []
    results_again = build_results(
        plan,
        judge,
        program=provenance.program,
        generated=provenance.generated,
        refused=lambda error: refused.extend(error.diagnostics),
        counted=counters.append,
    )
    if refused:
        raise InputError(tuple(refused))
    hashes = {
        input_file.file: input_file.sha256
        for input_file in results_again.provenance.inputs
        if input_file.kind is InputKind.HAND_LOG
    }
    for log, path in recorded:
        if hashes.get(log.file, log.sha256) != log.sha256:
            raise build_changed_error(path)
    if statistics is None or remake is None:
        return results_again
    return replace(
        results_again, statistics=remake.build(counters[0], rulebook, statistics.level, results_again.findings)
    )


def _apply_clock(results: Results, provenance: Provenance) -> Results:
    """Return results with the local times and gaming days of the recorded ones, if their clock is known here."""
    if provenance.timezone is None and provenance.day_starts is None:
        return results
    from fairdeal.validator.results.derived_results import GamingClock, apply_gaming_clock  # noqa: PLC0415 - most runs have none

    clock = GamingClock(timezone=provenance.timezone, day_starts=provenance.day_starts)
    return apply_gaming_clock(results, clock) if clock.is_known() else results


def _differences(results: Results, recomputed: Results) -> Iterator[str]:
    """Yield the differences between results and the second audit."""
    for name in Results.__struct_fields__:
        if name in _COMPARED_SEPARATELY:
            continue
        was, is_ = getattr(results, name), getattr(recomputed, name)
        if not _is_equal(was, is_):
            more = f": {was} in the file, {is_} when audited again" if name == "verdict" else ""
            yield f"`{name}` does not follow from the inputs{more}"
    yield from _differences_of_provenance(results.provenance, recomputed.provenance)
    yield from _differences_of_findings(results.findings, recomputed.findings)


def _is_equal(value: object, other: object) -> bool:
    """Return whether two values are equal as data. Sequences are compared entry by entry, as they may be long."""
    if isinstance(value, Statistics) and isinstance(other, Statistics):
        return all(_is_equal(getattr(value, name), getattr(other, name)) for name in Statistics.__struct_fields__)
    if isinstance(value, str) or not isinstance(value, Sequence) or not isinstance(other, Sequence):
        return bool(msgspec.to_builtins(value) == msgspec.to_builtins(other))
    return all(
        msgspec.to_builtins(entry) == msgspec.to_builtins(other_entry)
        for entry, other_entry in zip_longest(value, other)
    )


def _differences_of_provenance(recorded: Provenance, recomputed: Provenance) -> Iterator[str]:
    for name in Provenance.__struct_fields__:
        was, is_ = getattr(recorded, name), getattr(recomputed, name)
        if name != "inputs" and was != is_:
            yield f"`{name}` is {was}, and {is_} when audited again"
    if recorded.inputs == recomputed.inputs:
        return
    listed = {input_file.file: input_file for input_file in recorded.inputs}
    for other in recomputed.inputs:
        listed_file = listed.pop(other.file, None)
        if listed_file is None:
            yield f"{other.kind.value} {other.file} is audited, but is not listed"
            continue
        for name in InputFile.__struct_fields__:
            was, is_ = getattr(listed_file, name), getattr(other, name)
            if was != is_:
                yield f"`{name}` of {listed_file.kind.value} {listed_file.file} is {was}, and {is_} when audited again"
    for listed_file in listed.values():
        yield f"{listed_file.kind.value} {listed_file.file} is listed, but the audit does not use it"
    yield "the list of inputs differs when audited again, in entries or in order"


def _differences_of_findings(recorded: Sequence[Finding], recomputed: Sequence[Finding]) -> Iterator[str]:
    if all(
        _finding_to_data(finding) == _finding_to_data(other) for finding, other in zip_longest(recorded, recomputed)
    ):
        return
    for ids in split_ids(len(recorded)):
        remaining = {finding.id: finding for finding in recorded if finding.id in ids}
        for finding in recomputed:
            if finding.id not in ids:
                continue
            known = remaining.pop(finding.id, None)
            if known is None:
                yield f"a finding is missing: {_describe_finding(finding)}"
                continue
            was, is_ = _finding_to_data(known), _finding_to_data(finding)
            for key in [key for key in is_ if was[key] != is_[key]]:
                change = f"`{key}` of a finding is {was[key]!r}, and {is_[key]!r} when audited again"
                yield f"{change}: {_describe_finding(finding)}"
        for finding in remaining.values():
            yield f"a finding does not occur when audited again: {_describe_finding(finding)}"
    yield "the list of findings differs when audited again, in entries or in order"


def _finding_to_data(finding: Finding | None) -> dict[str, Any]:
    """Return a finding as plain data, without its state, which depends on the baseline."""
    plain: dict[str, Any] = {} if finding is None else msgspec.to_builtins(replace(finding, state=None))
    return plain


def verify_finding_states(results: Results, earlier: Results) -> VerifiedPoint:
    """Verify that the states of findings (new, known, gone) follow from the baseline."""
    baseline = results.baseline
    assert baseline is not None
    compared = compare_with_baseline(results, earlier, file=baseline.file, sha256=baseline.sha256)
    pairs = zip(results.findings, compared.findings, strict=True)
    same = compared.baseline == baseline and all(finding.state is other.state for finding, other in pairs)
    says = (
        "the states of findings (new, known, gone) agree with it"
        if same
        else "the states of findings (new, known, gone) do not agree with it"
    )
    return VerifiedPoint(
        subject="baseline", outcome=VerificationOutcome.SAME if same else VerificationOutcome.OTHER, says=says
    )


def _describe_finding(finding: Finding) -> str:
    where = finding.where
    parts = (where.casino, where.table, where.round, None if where.seat is None else f"seat {where.seat}", where.wager)
    place = ", ".join(part for part in parts if part)
    return f"{finding.requirement} ({finding.status.value}{f', {place}' if place else ''})"
