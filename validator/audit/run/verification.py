"""Saved results verified: against their inputs by hash, and against what judging those again comes to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from validator.audit.applicability.waiver_file import waivers_in
from validator.audit.run.submission_check import check_submissions, submission_from
from validator.results.baseline import against
from validator.results.findings import Finding
from validator.results.results import InputFile, InputKind, Provenance, Results
from validator.rulebook.loading.profile import choose_by
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.library import profiles
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import MAX_BYTES, Source, open_failed, read_source
from validator.text.unchanged import changed, is_changed, opened_unchanged

if TYPE_CHECKING:
    from validator.audit.applicability.beside import Counts
    from validator.results.statistics import Statistics

MOST = 20
"""The most differences of a kind that are told."""

_CHUNK = 1 << 20
_COMPARED_APART = frozenset({"findings", "provenance", "baseline"})
"""Fields of results that are compared in a way of their own. All others must be what judging again gives."""


class Outcome(StrEnum):
    """How one thing came out that was verified."""

    SAME = "same"
    OTHER = "other"
    NOT_VERIFIED = "not verified"


class Point(Struct, frozen=True, kw_only=True):
    """One thing that was verified: what it is, how it came out, and why in a sentence."""

    subject: str
    outcome: Outcome
    says: str


class AtHand(Struct, frozen=True, kw_only=True):
    """A file that was given, and its SHA-256 (hex)."""

    path: str
    sha256: str


class Located(Struct, frozen=True, kw_only=True):
    """Paths of the unaltered inputs of results; None for an input that was not given."""

    inputs: tuple[str | None, ...]
    """The paths of the inputs, in the order in which results list them."""
    baseline: str | None
    """The path of the baseline."""

    def find_all(self, results: Results, kind: InputKind) -> list[tuple[InputFile, str]]:
        """Return the inputs of a kind that were given, each with its path."""
        both = zip(results.provenance.inputs, self.inputs, strict=True)
        return [(one, path) for one, path in both if one.kind is kind and path is not None]


def hashed(path: str) -> AtHand:
    """A file with its hash. Raises InputError where it cannot be read, or changes while it is read."""
    digest = hashlib.sha256()
    try:
        with opened_unchanged(path) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except (OSError, ValueError) as error:
        raise open_failed(path, error) from error
    return AtHand(path=path, sha256=digest.hexdigest())


def verify_inputs(results: Results, given: Sequence[AtHand], rulebook: Rulebook) -> tuple[list[Point], Located]:
    """Tell what became of every input by its hash, and where the unaltered ones are.

    The hash identifies an input. Results say what it was read as; its name is only what they call it. Nothing that is
    not given is opened by its name, unless it is a profile that lies with the rulebook. Raises InputError if that
    cannot be read.
    """
    by_hash: dict[str, list[str]] = {}
    for one in given:
        by_hash.setdefault(one.sha256, []).append(one.path)
    points: list[Point] = []
    places: list[str | None] = []
    recorded = [(one.kind.value, one.file, one.sha256) for one in results.provenance.inputs]
    if results.baseline is not None:
        recorded.append(("baseline", results.baseline.file, results.baseline.sha256))
    used: set[str] = set()
    with_rules = profiles(rulebook.folder)
    for kind, name, sha256 in recorded:
        subject = f"{kind} {name}"
        paths = by_hash.get(sha256, [])
        if paths:  # of several that are alike, each stands for one input
            path = paths.pop(0) if len(paths) > 1 else paths[0]
            used.add(path)
            places.append(path)
            says = "unaltered" if path == name else f"unaltered, given as {path}"
            points.append(Point(subject=subject, outcome=Outcome.SAME, says=says))
            continue
        if kind == InputKind.PROFILE.value and name in with_rules:
            known = hashed(str(with_rules[name]))
            if known.sha256 == sha256:
                places.append(known.path)
                points.append(Point(subject=subject, outcome=Outcome.SAME, says="unaltered, it lies with the rules"))
                continue
        places.append(None)
        altered = next((one for one in given if Path(one.path).name == Path(name).name), None)
        if altered is None:
            points.append(Point(subject=subject, outcome=Outcome.NOT_VERIFIED, says="not at hand"))
        else:
            used.add(altered.path)
            says = f"altered: SHA-256 is {altered.sha256}, was {sha256}"
            points.append(Point(subject=subject, outcome=Outcome.OTHER, says=says))
    other = (one.path for one in given if one.path not in used)
    points += (Point(subject=path, outcome=Outcome.OTHER, says="is no input of these results") for path in other)
    inputs = len(results.provenance.inputs)
    baseline = None if results.baseline is None else places[inputs]
    return points, Located(inputs=tuple(places[:inputs]), baseline=baseline)


def read_located(path: str, sha256: str, *, name: str, limit: int = MAX_BYTES) -> Source:
    """Read an input again under the name results call it by. Raises InputError if it changed since it was hashed."""
    source = read_source(path, limit=limit)
    if source.sha256 != sha256:
        raise changed(path)
    return replace(source, name=name)


def list_unshown(results: Results) -> Iterator[str]:
    """List what results say and no input shows, so that verifying them does not vouch for it."""
    made = results.provenance
    yield f"that {made.program} made these results, and when ({made.generated})"
    yield "what the inputs were called"
    law = "the law of each record's own day" if made.as_of is None else f"the law of {made.as_of}"
    currency = results.subject.currency
    asked = law if currency is None else f"{law}, the currency {currency}"
    yield f"what whoever ran the program asked for: {asked}"


class Remake(Struct, frozen=True, kw_only=True):
    """How statistics are made again: what counts rounds, and what comes of what is counted, at a level."""

    counts: type[Counts]
    of: Callable[[Counts, Rulebook, float], Statistics]


def verify_findings(
    results: Results, rulebook: Rulebook, located: Located, remake: Remake | None = None
) -> Iterator[Point]:
    """Judge the inputs again and tell what of it is not as the results say; statistics too, where it is given how to
    make them.

    Nothing is judged where an input is missing, or where the rulebook is another one. Raises InputError if an input
    changes meanwhile.
    """
    subject, provenance = "findings", results.provenance
    needed = zip(provenance.inputs, located.inputs, strict=True)
    if any(path is None for one, path in needed if one.kind is not InputKind.PROFILE):
        yield Point(subject=subject, outcome=Outcome.NOT_VERIFIED, says="not judged again: not all inputs are at hand")
        return
    try:
        rulebook, wrong = _as_it_was(rulebook, results, located)
        again = None if wrong else _judged(rulebook, results, located, remake)
    except InputError as error:
        if is_changed(error.diagnostics):
            raise
        why = error.diagnostics[0]
        says = f"not judged again: {why.file or 'an input'} cannot be read as what it was: {why.message}"
        yield Point(subject=subject, outcome=Outcome.NOT_VERIFIED, says=says)
        return
    if again is None:
        yield Point(subject="rulebook", outcome=Outcome.NOT_VERIFIED, says=str(wrong))
        yield Point(
            subject=subject, outcome=Outcome.NOT_VERIFIED, says="not judged again: by which rules is not at hand"
        )
        return
    yield Point(subject="rulebook", outcome=Outcome.SAME, says=f"the same, {provenance.rulebook_sha256}")
    if results.statistics is not None and again.statistics is None:
        says = "not made again: that needs SciPy, and hand logs"
        yield Point(subject="statistics", outcome=Outcome.NOT_VERIFIED, says=says)
        results = replace(results, statistics=None)
    differences = list(islice(_differences(results, again), MOST))
    for says in differences:
        yield Point(subject=subject, outcome=Outcome.OTHER, says=says)
    if not differences:
        says = f"the same when judged again, {len(results.findings)} of them"
        yield Point(subject=subject, outcome=Outcome.SAME, says=says)


def _as_it_was(rulebook: Rulebook, results: Results, located: Located) -> tuple[Rulebook, str | None]:
    """The rulebook read by the profile of the results; and what is another than it was, if anything is."""
    provenance = results.provenance
    for one, path in zip(provenance.inputs, located.inputs, strict=True):
        if one.kind is not InputKind.PROFILE:
            continue
        if path is None:
            return rulebook, f"the profile {one.file} is not at hand"
        rulebook = choose_by(rulebook, read_located(path, one.sha256, name=one.file))
    unknown = [name for name in provenance.documents if name not in rulebook.documents]
    if unknown:
        return rulebook, f"it has no document {', '.join(unknown)}"
    here = rulebook.sha256(provenance.documents)
    if here != provenance.rulebook_sha256:
        return rulebook, f"another one: SHA-256 is {here}, was {provenance.rulebook_sha256}"
    return rulebook, None


def _judged(rulebook: Rulebook, results: Results, located: Located, remake: Remake | None) -> Results:
    """Judge the inputs under the names results call them by, since names decide in which order they are judged.

    Raises InputError if one cannot be read, or changes meanwhile.
    """
    provenance, currency = results.provenance, results.subject.currency
    as_of = None if provenance.as_of is None else date.fromisoformat(provenance.as_of)
    filed = [
        submission_from(read_located(path, one.sha256, name=one.file), rulebook)
        for one, path in located.find_all(results, InputKind.SUBMISSION)
    ]
    waivers = [
        waivers_in(rulebook, read_located(path, one.sha256, name=one.file))
        for one, path in located.find_all(results, InputKind.WAIVERS)
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
    from validator.audit.run.merge import results_of  # noqa: PLC0415 - a submission is checked without
    from validator.audit.run.parts import JudgedPart, Logs  # noqa: PLC0415
    from validator.audit.run.plan import AuditPlan  # noqa: PLC0415
    from validator.evidence.readers.open_log import HandLog  # noqa: PLC0415

    statistics = results.statistics
    counts = None if statistics is None or remake is None else remake.counts
    plan = AuditPlan(rulebook, filed, as_of=as_of, waivers=waivers, currency=currency, counts=counts)
    logs = Logs(HandLog(path, one.file, variants=plan.variants) for one, path in recorded)

    def judge(by: AuditPlan) -> Iterator[JudgedPart]:
        return (JudgedPart(part=part, verdicts=by.verdicts(part)) for part in logs.parts())

    refused: list[Diagnostic] = []
    beside: list[Counts] = []
    found = results_of(
        plan,
        judge,
        program=provenance.program,
        generated=provenance.generated,
        refused=lambda error: refused.extend(error.diagnostics),
        counted=beside.append,
    )
    if refused:
        raise InputError(tuple(refused))
    hashes = {one.file: one.sha256 for one in found.provenance.inputs if one.kind is InputKind.HAND_LOG}
    for one, path in recorded:
        if hashes.get(one.file, one.sha256) != one.sha256:
            raise changed(path)
    if statistics is None or remake is None:
        return found
    return replace(found, statistics=remake.of(beside[0], rulebook, statistics.level))


def _differences(results: Results, again: Results) -> Iterator[str]:
    """List what results say otherwise than what their inputs come to."""
    for name in Results.__struct_fields__:
        if name in _COMPARED_APART:
            continue
        was, is_ = (msgspec.to_builtins(getattr(one, name)) for one in (results, again))
        if was != is_:
            more = f": {was} in the file, {is_} when judged again" if name == "verdict" else ""
            yield f"`{name}` is not what the inputs come to{more}"
    yield from _differences_of_provenance(results.provenance, again.provenance)
    yield from _differences_of_findings(results.findings, again.findings)


def _differences_of_provenance(said: Provenance, found: Provenance) -> Iterator[str]:
    for name in Provenance.__struct_fields__:
        was, is_ = getattr(said, name), getattr(found, name)
        if name != "inputs" and was != is_:
            yield f"`{name}` is {was}, and {is_} when judged again"
    if said.inputs == found.inputs:
        return
    listed = {one.file: one for one in said.inputs}
    for other in found.inputs:
        one = listed.pop(other.file, None)
        if one is None:
            yield f"{other.kind.value} {other.file} is judged, but is not listed"
            continue
        for name in InputFile.__struct_fields__:
            was, is_ = getattr(one, name), getattr(other, name)
            if was != is_:
                yield f"`{name}` of {one.kind.value} {one.file} is {was}, and {is_} when judged again"
    for one in listed.values():
        yield f"{one.kind.value} {one.file} is listed, but nothing is judged by it"
    yield "the list of inputs is not what it is when they are judged again, in entries or in order"


def _differences_of_findings(said: Sequence[Finding], found: Sequence[Finding]) -> Iterator[str]:
    if all(_plain(one) == _plain(other) for one, other in zip_longest(said, found)):
        return
    told: dict[str, Finding] = {finding.id: finding for finding in said}
    for finding in found:
        known = told.pop(finding.id, None)
        if known is None:
            yield f"a finding is missing: {_in_words(finding)}"
            continue
        was, is_ = _plain(known), _plain(finding)
        for key in [key for key in is_ if was[key] != is_[key]]:
            yield f"`{key}` of a finding is {was[key]!r}, and {is_[key]!r} when judged again: {_in_words(finding)}"
    for finding in told.values():
        yield f"a finding is not there when judged again: {_in_words(finding)}"
    yield "the list of findings is not what it is when judged again, in entries or in order"


def _plain(finding: Finding | None) -> dict[str, Any]:
    """Return a finding as plain data, without its state, which depends on the baseline."""
    plain: dict[str, Any] = {} if finding is None else msgspec.to_builtins(replace(finding, state=None))
    return plain


def verify_states(results: Results, earlier: Results) -> Point:
    """Whether the findings are new, known and gone as the baseline makes them."""
    baseline = results.baseline
    assert baseline is not None
    held = against(results, earlier, file=baseline.file, sha256=baseline.sha256)
    pairs = zip(results.findings, held.findings, strict=True)
    same = held.baseline == baseline and all(one.state is other.state for one, other in pairs)
    says = "findings are new, known and gone as it says" if same else "findings are not new, known and gone as it says"
    return Point(subject="baseline", outcome=Outcome.SAME if same else Outcome.OTHER, says=says)


def _in_words(finding: Finding) -> str:
    where = finding.where
    parts = (where.casino, where.table, where.round, None if where.seat is None else f"seat {where.seat}", where.wager)
    place = ", ".join(part for part in parts if part)
    return f"{finding.requirement} ({finding.status.value}{f', {place}' if place else ''})"
