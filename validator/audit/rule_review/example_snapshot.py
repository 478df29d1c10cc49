"""Snapshot of a document's examples: wording of findings, their sources, and requirements that stay unproven."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from fairdeal.validator.results.findings import Finding
from fairdeal.validator.rules import example_model
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.rule_files import SNAPSHOT_FILE, RuleFileCache, rules_folder
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.yaml_document import resolve_scalar


class FindingEntry(NamedTuple):
    """Finding as an example lists it."""

    requirement: str
    """Full id of the requirement."""
    round: str | None
    """Id of the round, in a session."""
    pointer: str | None
    """JSON pointer into a submission."""
    seat: int | None
    wager: str | None
    event: int | None
    """Position of the event in the round."""
    owed: int | None
    """Amount underpaid, in the smallest unit."""
    overpaid: int | None
    """Amount overpaid, in the smallest unit."""

    def to_yaml(self, document: str) -> str:
        """Return the entry as a line of YAML under `findings` of an example."""
        short_ids = (("round", self.round), ("pointer", self.pointer))
        place = [
            *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in short_ids if value is not None),
            *(f"{key}: {value}" for key, value in (("seat", self.seat), ("wager", self.wager)) if value is not None),
            *([] if self.event is None else [f"event: {self.event}"]),
        ]
        parts = [
            f"requirement: {self.requirement.removeprefix(f'{document}/')}",
            *([f"at: {{{', '.join(place)}}}"] if place else []),
            *(f"{key}: {value}" for key, value in (("owed", self.owed), ("overpaid", self.overpaid)) if value),
        ]
        return f"- {{{', '.join(parts)}}}"


class FindingWording(NamedTuple):
    """Wording and references of a finding."""

    requirement: str
    status: str
    clauses: tuple[str, ...]
    """Full ids of the clauses."""
    readings: tuple[str, ...]
    """Full ids of the readings."""
    waived: bool
    expected: str
    observed: str

    def render_lines(self, document: str) -> Iterator[str]:
        """Yield one line for each property of a finding of a document."""

        def short_ids(ids: tuple[str, ...]) -> str:
            return ", ".join(full_id.removeprefix(f"{document}/") for full_id in ids)

        yield f"expected: {self.expected}"
        yield f"observed: {self.observed}"
        yield f"clauses: {short_ids(self.clauses)}"
        if self.readings:
            yield f"readings: {short_ids(self.readings)}"
        if self.status != "fail":
            yield f"status: {self.status}"
        if self.waived:
            yield "waived"


def build_expected_entry(regulation: Regulation, finding: example_model.ExpectedFinding) -> FindingEntry:
    """Build the entry of a finding that an example expects."""
    return FindingEntry(
        requirement=regulation.qualify(finding.requirement),
        round=finding.at.round_,
        pointer=finding.at.pointer,
        seat=finding.at.seat,
        wager=finding.at.wager,
        event=finding.at.event,
        owed=finding.owed,
        overpaid=finding.overpaid,
    )


def build_actual_entry(finding: Finding, *, in_session: bool) -> FindingEntry:
    """Build the entry of a finding of the audit. The entry names the round only in a session."""
    where = finding.where
    return FindingEntry(
        requirement=finding.requirement,
        round=where.round if in_session else None,
        pointer=where.pointer,
        seat=where.seat,
        wager=where.wager,
        event=where.event,
        owed=finding.owed or None,
        overpaid=finding.overpaid or None,
    )


def build_wording(finding: Finding) -> FindingWording:
    """Build the wording of a finding."""
    return FindingWording(
        requirement=finding.requirement,
        status=finding.status.value,
        clauses=finding.clauses,
        readings=finding.reading,
        waived=finding.waived is not None,
        expected=finding.expected,
        observed=finding.observed,
    )


SampleKind: TypeAlias = Literal["submissions", "rounds", "sessions"]
"""Kind of evidence that is checked: a submission, a round or a session."""

MAX_LINE_LENGTH = 120
"""Maximum length of a line that holds a whole list or mapping; longer ones have one item on each line."""
_PLAIN_SCALAR = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_INVISIBLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_HEADER = "# Results of the examples. `fairdeal rules test --update` writes this file: read what changes.\n"


class SnapshotEntry(Struct, frozen=True, kw_only=True):
    """Results of an example that the snapshot records."""

    findings: tuple[FindingWording, ...] = ()
    """Wording of the findings, in order."""
    unproven: frozenset[str] = frozenset()
    """Names of the requirements that stay unproven."""


EMPTY_ENTRY = SnapshotEntry()


class SnapshotResult(Struct, frozen=True, kw_only=True):
    """Example with the results that the snapshot records."""

    example: str
    """Name of the example."""
    kind: SampleKind
    """Kind of evidence that is checked."""
    base: str
    """Name of the base evidence."""
    entry: SnapshotEntry
    """Results."""


def get_snapshot_path(document: str, folder: Path | None) -> Path:
    """Return the path of the snapshot of a document; `folder` is the installed rules folder by default."""
    return (folder or rules_folder()) / document / SNAPSHOT_FILE


def read_snapshot(
    document: str, folder: Path | None = None, trees: RuleFileCache | None = None
) -> example_model.Snapshot:
    """Read the snapshot of a document; empty if there is none. Raises InputError if it cannot be read."""
    path = get_snapshot_path(document, folder)
    return (
        validate((trees or RuleFileCache()).read(path)[1], example_model.Snapshot)
        if path.exists()
        else example_model.Snapshot()
    )


def find_entry(
    snapshot: example_model.Snapshot, document: str, *, example: str, kind: SampleKind, base: str
) -> SnapshotEntry:
    """Return what a snapshot records for an example."""

    def full(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(f"{document}/{name}" for name in names)

    def words(kept: example_model.KeptFinding) -> FindingWording:
        sources = kept.rests or snapshot.requirements.get(kept.requirement)
        return FindingWording(
            requirement=f"{document}/{kept.requirement}",
            status=kept.status,
            clauses=full(sources.clauses) if sources else (),
            readings=full(sources.readings) if sources else (),
            waived=kept.waived,
            expected=kept.expected,
            observed=kept.observed,
        )

    differs = snapshot.unproven.examples.get(example, example_model.OwnUnproven())
    common = _by_base(snapshot.unproven, kind).get(base, [])
    return SnapshotEntry(
        findings=tuple(map(words, snapshot.findings.get(example, ()))),
        unproven=frozenset(common).difference(differs.except_).union(differs.besides),
    )


def _by_base(unproven: example_model.UnprovenRequirements, kind: SampleKind) -> Mapping[str, list[str]]:
    return {"submissions": unproven.submissions, "rounds": unproven.rounds, "sessions": unproven.sessions}[kind]


def build_snapshot(document: str, given: Sequence[SnapshotResult]) -> example_model.Snapshot:
    """Build the snapshot of the results of examples. The order of the examples does not matter."""
    sources = _usual_sources(document, given)
    common = _common_unproven(given)
    differences: dict[str, example_model.OwnUnproven] = {}
    findings: dict[str, list[example_model.KeptFinding]] = {}
    for result in sorted(given, key=lambda result: result.example):
        of_base = common[result.kind][result.base]
        additional, missing = result.entry.unproven - of_base, of_base - result.entry.unproven
        if additional or missing:
            differences[result.example] = example_model.OwnUnproven.model_validate(
                {"besides": sorted(additional), "except": sorted(missing)}
            )
        if result.entry.findings:
            findings[result.example] = [_kept_finding(document, words, sources) for words in result.entry.findings]
    unproven = {
        kind: {base: sorted(names) for base, names in sorted(bases.items()) if names} for kind, bases in common.items()
    }
    return example_model.Snapshot(
        requirements=dict(sorted(sources.items())),
        unproven=example_model.UnprovenRequirements(
            submissions=unproven["submissions"],
            rounds=unproven["rounds"],
            sessions=unproven["sessions"],
            examples=differences,
        ),
        findings=findings,
    )


def _short_names(document: str, names: Iterable[str]) -> list[str]:
    return [name.removeprefix(f"{document}/") for name in names]


def _sources_of(document: str, words: FindingWording) -> example_model.FindingSources:
    return example_model.FindingSources(
        clauses=_short_names(document, words.clauses), readings=_short_names(document, words.readings)
    )


def _usual_sources(document: str, given: Sequence[SnapshotResult]) -> dict[str, example_model.FindingSources]:
    """Return the most frequent sources of the findings of each requirement.

    Of equally frequent sources, the first by name counts.
    """
    counters: dict[str, Counter[tuple[tuple[str, ...], tuple[str, ...]]]] = defaultdict(Counter)
    for result in given:
        for words in result.entry.findings:
            counters[words.requirement][words.clauses, words.readings] += 1
    return {
        name.removeprefix(f"{document}/"): example_model.FindingSources(
            clauses=_short_names(document, clauses), readings=_short_names(document, readings)
        )
        for name, counts in counters.items()
        for clauses, readings in [min(counts, key=lambda rests: (-counts[rests], rests))]
    }


def _common_unproven(given: Sequence[SnapshotResult]) -> dict[SampleKind, dict[str, frozenset[str]]]:
    """Return the requirements that more than half of the examples on each base leave unproven."""
    on_base: dict[SampleKind, dict[str, list[frozenset[str]]]] = {"submissions": {}, "rounds": {}, "sessions": {}}
    for result in given:
        on_base[result.kind].setdefault(result.base, []).append(result.entry.unproven)
    return {
        kind: {
            base: frozenset(
                name
                for name, count in Counter(name for names in sets for name in names).items()
                if 2 * count > len(sets)
            )
            for base, sets in bases.items()
        }
        for kind, bases in on_base.items()
    }


def _kept_finding(
    document: str, words: FindingWording, sources: Mapping[str, example_model.FindingSources]
) -> example_model.KeptFinding:
    name, sources_of_finding = words.requirement.removeprefix(f"{document}/"), _sources_of(document, words)
    return example_model.KeptFinding.model_validate(
        {
            "requirement": name,
            "status": words.status,
            "rests": None if sources_of_finding == sources[name] else sources_of_finding,
            "waived": words.waived,
            "expected": words.expected,
            "observed": words.observed,
        }
    )


def list_removed_examples(snapshot: example_model.Snapshot, examples: Container[str]) -> Iterator[str]:
    """Yield a problem for each entry of a snapshot whose example no longer exists."""
    for name in sorted({*snapshot.findings, *snapshot.unproven.examples}):
        if name not in examples:
            yield f"the snapshot has an entry for {name}, and there is no such example"


def list_unneeded_entries(snapshot: example_model.Snapshot, now: example_model.Snapshot) -> Iterator[str]:
    """Yield a problem for each entry of a snapshot that no example needs.

    Args:
        snapshot: snapshot in the rules folder.
        now: snapshot of the current results.
    """
    parts = (
        ("the requirement", snapshot.requirements, now.requirements),
        ("submissions on the base", snapshot.unproven.submissions, now.unproven.submissions),
        ("rounds on the base", snapshot.unproven.rounds, now.unproven.rounds),
        ("sessions on the base", snapshot.unproven.sessions, now.unproven.sessions),
    )
    for what, kept, needed in parts:
        yield from (
            f"the snapshot has an entry for {what} {name}, and no example needs it"
            for name in kept
            if name not in needed
        )


def serialize_snapshot(snapshot: example_model.Snapshot) -> bytes:
    """Serialize a snapshot as lines of YAML in a fixed order."""
    data = snapshot.model_dump(by_alias=True, exclude_defaults=True) or {"findings": {}}
    return (_HEADER + "".join(f"{line}\n" for line in _lines(data, ""))).encode()


def _lines(value: dict[str, Any] | list[Any], indent: str) -> Iterator[str]:
    """Yield the lines of a mapping or list: one line for each short item; one line for each property of a finding."""
    keyed = isinstance(value, dict)
    for key, part in value.items() if isinstance(value, dict) else (("-", item) for item in value):
        head = f"{indent}{_scalar(key)}:" if keyed else f"{indent}-"
        line = f"{head} {_flow(part)}"
        if not isinstance(part, (dict, list)) or not part or (indent and _fits_on_line(line, part)):
            yield line
        elif keyed:
            yield head
            yield from _lines(part, indent if isinstance(part, list) else f"{indent}  ")
        else:
            first, *rest = _lines(part, f"{indent}  ")
            yield f"{head} {first.lstrip()}"
            yield from rest


def _fits_on_line(line: str, part: dict[str, Any] | list[Any]) -> bool:
    inside = part.values() if isinstance(part, dict) else part
    return (
        len(line) <= MAX_LINE_LENGTH and "expected" not in part and not any(isinstance(item, dict) for item in inside)
    )


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_scalar(key)}: {_flow(part)}' for key, part in value.items())}}}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list) else _scalar(value)


def _scalar(value: Any) -> str:
    """Format a scalar: names as plain scalars, other texts as JSON, invisible characters by their codes."""
    if isinstance(value, str) and _PLAIN_SCALAR.fullmatch(value) and resolve_scalar(value) == value:
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
