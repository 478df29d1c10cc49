"""Saved results verified: against their inputs by hash, and against what judging those again comes to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from validator.audit.applicability.waiver_file import read_waivers
from validator.audit.run.submission_check import check_submissions, read_submission
from validator.results.baseline import against
from validator.results.findings import Finding
from validator.results.results import HAND_LOG, PROFILE, SUBMISSION, WAIVERS, InputFile, Results
from validator.rulebook.loading.profile import read_as_chosen
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.library import profiles
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import open_failed

if TYPE_CHECKING:
    from validator.audit.applicability.beside import Counts
    from validator.results.statistics import Statistics

MOST = 20
"""The most differences of a kind that are told."""

_CHUNK = 1 << 20
_ALIKE = (
    *("verdict", "subject", "money", "requirements", "readings", "claims", "quarantined"),
    *("open", "explanations", "layouts", "sessions", "clauses", "statistics"),
)
"""What judging again must come to, besides the findings."""


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


def hashed(path: str) -> AtHand:
    """A file with its hash. Raises InputError where it cannot be read."""
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except (OSError, ValueError) as error:
        raise open_failed(path, error) from error
    return AtHand(path=path, sha256=digest.hexdigest())


def verify_inputs(results: Results, given: Sequence[AtHand]) -> tuple[list[Point], dict[str, str]]:
    """What became of every input by its hash, and where the unaltered ones are, by the names they had."""
    by_hash: dict[str, list[str]] = {}
    for one in given:
        by_hash.setdefault(one.sha256, []).append(one.path)
    points: list[Point] = []
    places: dict[str, str] = {}
    recorded = [(f"{one.kind} {one.file}", one.file, one.sha256) for one in results.provenance.inputs]
    if results.baseline is not None:
        recorded.append((f"baseline {results.baseline.file}", results.baseline.file, results.baseline.sha256))
    used: set[str] = set()
    for subject, name, sha256 in recorded:
        paths = by_hash.get(sha256, [])
        if paths:  # of several that are alike, each stands for one input
            path = paths.pop(0) if len(paths) > 1 else paths[0]
            used.add(path)
            places[name] = path
            points.append(Point(subject=subject, outcome=Outcome.SAME, says="unaltered"))
            continue
        altered = next((one for one in given if Path(one.path).name == Path(name).name), None)
        if altered is None:
            points.append(Point(subject=subject, outcome=Outcome.NOT_VERIFIED, says="not at hand"))
        else:
            used.add(altered.path)
            says = f"altered: SHA-256 is {altered.sha256}, was {sha256}"
            points.append(Point(subject=subject, outcome=Outcome.OTHER, says=says))
    other = (one.path for one in given if one.path not in used)
    points += (Point(subject=path, outcome=Outcome.OTHER, says="is no input of these results") for path in other)
    return points, places


class Remake(Struct, frozen=True, kw_only=True):
    """How statistics are made again: what counts rounds, and what comes of what is counted, at a level."""

    counts: type[Counts]
    of: Callable[[Counts, Rulebook, float], Statistics]


def verify_findings(
    results: Results, rulebook: Rulebook, places: Mapping[str, str], remake: Remake | None = None
) -> Iterator[Point]:
    """Judge the inputs again and tell what of it is not as the results say; statistics too, where it is given how to
    make them.

    `places` are the unaltered inputs, by the names they have in the results. Nothing is judged where one is missing, or
    where the rulebook is another one. Raises InputError where an input cannot be read.
    """
    subject, provenance = "findings", results.provenance
    needed = [one for one in provenance.inputs if one.kind != PROFILE]
    if any(one.file not in places for one in needed):
        yield Point(subject=subject, outcome=Outcome.NOT_VERIFIED, says="not judged again: not all inputs are at hand")
        return
    rulebook, wrong = _as_it_was(rulebook, results, places)
    if wrong:
        yield Point(subject="rulebook", outcome=Outcome.NOT_VERIFIED, says=wrong)
        yield Point(
            subject=subject, outcome=Outcome.NOT_VERIFIED, says="not judged again: by which rules is not at hand"
        )
        return
    yield Point(subject="rulebook", outcome=Outcome.SAME, says=f"the same, {provenance.rulebook_sha256}")
    again = _judged(rulebook, results, needed, places, remake)
    if results.statistics is not None and again.statistics is None:
        says = "not made again: that needs SciPy, and hand logs"
        yield Point(subject="statistics", outcome=Outcome.NOT_VERIFIED, says=says)
        results = replace(results, statistics=None)
    names = {path: name for name, path in places.items()}
    wrong_ones = list(islice(_differences(results, again, names), MOST))
    for says in wrong_ones:
        yield Point(subject=subject, outcome=Outcome.OTHER, says=says)
    if not wrong_ones:
        says = f"the same when judged again, {len(results.findings)} of them"
        yield Point(subject=subject, outcome=Outcome.SAME, says=says)


def _as_it_was(rulebook: Rulebook, results: Results, places: Mapping[str, str]) -> tuple[Rulebook, str | None]:
    """The rulebook read by the profile of the results; and what is another than it was, if anything is."""
    provenance = results.provenance
    for one in provenance.inputs:
        if one.kind == PROFILE:
            # What results name is not opened, unless it is a profile that lies with the rulebook.
            path = places.get(one.file) or profiles(rulebook.folder).get(one.file)
            if path is None:
                return rulebook, f"the profile {one.file} is not at hand"
            rulebook = read_as_chosen(rulebook, str(path))
            at_hand = rulebook.profile_file
            if at_hand is None or at_hand.sha256 != one.sha256:
                return rulebook, f"the profile {one.file} is another one"
    unknown = [name for name in provenance.documents if name not in rulebook.documents]
    if unknown:
        return rulebook, f"it has no document {', '.join(unknown)}"
    here = rulebook.sha256(provenance.documents)
    if here != provenance.rulebook_sha256:
        return rulebook, f"another one: SHA-256 is {here}, was {provenance.rulebook_sha256}"
    return rulebook, None


def _judged(
    rulebook: Rulebook,
    results: Results,
    needed: Sequence[InputFile],
    places: Mapping[str, str],
    remake: Remake | None,
) -> Results:
    """What the inputs come to now."""
    provenance = results.provenance
    as_of = None if provenance.as_of is None else date.fromisoformat(provenance.as_of)
    currency = results.subject.currency
    of_kind = {
        kind: [places[one.file] for one in needed if one.kind == kind] for kind in (SUBMISSION, WAIVERS, HAND_LOG)
    }
    filed = [read_submission(rulebook, path) for path in of_kind[SUBMISSION]]
    waivers = [read_waivers(rulebook, path) for path in of_kind[WAIVERS]]
    if not of_kind[HAND_LOG]:
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
    logs = Logs(HandLog(path, variants=plan.variants) for path in of_kind[HAND_LOG])

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
    if statistics is None or remake is None:
        return found
    return replace(found, statistics=remake.of(beside[0], rulebook, statistics.level))


def _differences(results: Results, again: Results, names: Mapping[str, str]) -> Iterator[str]:
    """What results say otherwise than what their inputs come to; files by the names they have in the results."""
    for name in _ALIKE:
        was, is_ = (_named(msgspec.to_builtins(getattr(one, name)), names) for one in (results, again))
        if was != is_:
            more = f": {was} in the file, {is_} when judged again" if name == "verdict" else ""
            yield f"`{name}` is not what the inputs come to{more}"
    told: dict[str, Finding] = {finding.id: finding for finding in results.findings}
    for finding in again.findings:
        said = told.pop(finding.id, None)
        if said is None:
            yield f"a finding is missing: {_in_words(finding)}"
            continue
        was, is_ = (_named(msgspec.to_builtins(replace(one, state=None)), names) for one in (said, finding))
        for key in [key for key in is_ if was[key] != is_[key]]:
            yield f"`{key}` of a finding is {was[key]!r}, and {is_[key]!r} when judged again: {_in_words(finding)}"
    for finding in told.values():
        yield f"a finding is not there when judged again: {_in_words(finding)}"


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


def _named(data: Any, names: Mapping[str, str]) -> Any:
    """The same plain data with files by the names they had."""
    if isinstance(data, dict):
        return {
            key: names.get(value, value) if key == "file" and isinstance(value, str) else _named(value, names)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [_named(value, names) for value in data]
    if isinstance(data, str):
        for path, name in names.items():
            if path != name and f"{path}:" in data:
                data = data.replace(f"{path}:", f"{name}:")
    return data
