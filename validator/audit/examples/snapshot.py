"""Snapshot of a document's examples: wording of findings, their sources, and requirements that stay unproven."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from validator.audit.examples.findings import Words
from validator.rules.core.library import SNAPSHOT, rules_folder
from validator.rules.core.rule_trees import RuleTrees
from validator.rules.model.example import KeptFinding, OwnUnproven, Snapshot, Sources, Unproven
from validator.text.models.validate import validate
from validator.text.trees.yaml_scalars import resolve

Kind: TypeAlias = Literal["submissions", "rounds", "sessions"]
"""Kind of evidence that is checked: a submission, a round or a session."""

WIDTH = 120
"""Maximum length of a line that holds a whole list or mapping; longer ones have one item on each line."""
_PLAIN_SCALAR = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_INVISIBLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_HEADER = "# Results of the examples. `fairdeal rules test --update` writes this file: read what changes.\n"


class Kept(Struct, frozen=True, kw_only=True):
    """Results of an example that the snapshot records."""

    findings: tuple[Words, ...] = ()
    """Wording of the findings, in order."""
    unproven: frozenset[str] = frozenset()
    """Names of the requirements that stay unproven."""


NOTHING_KEPT = Kept()


class Given(Struct, frozen=True, kw_only=True):
    """Example with the results that the snapshot records."""

    example: str
    """Name of the example."""
    kind: Kind
    """Kind of evidence that is checked."""
    base: str
    """Name of the base evidence."""
    kept: Kept
    """Results."""


def snapshot_file(document: str, folder: Path | None) -> Path:
    """Return the path of the snapshot of a document; `folder` is the installed rules folder by default."""
    return (folder or rules_folder()) / document / SNAPSHOT


def read_snapshot(document: str, folder: Path | None = None, trees: RuleTrees | None = None) -> Snapshot:
    """Read the snapshot of a document; empty if there is none. Raises InputError if it cannot be read."""
    path = snapshot_file(document, folder)
    return validate((trees or RuleTrees()).read(path)[1], Snapshot) if path.exists() else Snapshot()


def kept_in(snapshot: Snapshot, document: str, *, example: str, kind: Kind, base: str) -> Kept:
    """Return what a snapshot records for an example."""

    def full(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(f"{document}/{name}" for name in names)

    def words(kept: KeptFinding) -> Words:
        sources = kept.rests or snapshot.requirements.get(kept.requirement)
        return Words(
            requirement=f"{document}/{kept.requirement}",
            status=kept.status,
            clauses=full(sources.clauses) if sources else (),
            readings=full(sources.readings) if sources else (),
            waived=kept.waived,
            expected=kept.expected,
            observed=kept.observed,
        )

    differs = snapshot.unproven.examples.get(example, OwnUnproven())
    common = _by_base(snapshot.unproven, kind).get(base, [])
    return Kept(
        findings=tuple(map(words, snapshot.findings.get(example, ()))),
        unproven=frozenset(common).difference(differs.except_).union(differs.besides),
    )


def _by_base(unproven: Unproven, kind: Kind) -> Mapping[str, list[str]]:
    return {"submissions": unproven.submissions, "rounds": unproven.rounds, "sessions": unproven.sessions}[kind]


def snapshot_of(document: str, given: Sequence[Given]) -> Snapshot:
    """Build the snapshot of the results of examples. The order of the examples does not matter."""
    sources = _usual_sources(document, given)
    common = _common_unproven(given)
    differences: dict[str, OwnUnproven] = {}
    findings: dict[str, list[KeptFinding]] = {}
    for result in sorted(given, key=lambda result: result.example):
        of_base = common[result.kind][result.base]
        additional, missing = result.kept.unproven - of_base, of_base - result.kept.unproven
        if additional or missing:
            differences[result.example] = OwnUnproven.model_validate(
                {"besides": sorted(additional), "except": sorted(missing)}
            )
        if result.kept.findings:
            findings[result.example] = [_kept_finding(document, words, sources) for words in result.kept.findings]
    unproven = {
        kind: {base: sorted(names) for base, names in sorted(bases.items()) if names} for kind, bases in common.items()
    }
    return Snapshot(
        requirements=dict(sorted(sources.items())),
        unproven=Unproven(
            submissions=unproven["submissions"],
            rounds=unproven["rounds"],
            sessions=unproven["sessions"],
            examples=differences,
        ),
        findings=findings,
    )


def _short_names(document: str, names: Iterable[str]) -> list[str]:
    return [name.removeprefix(f"{document}/") for name in names]


def _sources_of(document: str, words: Words) -> Sources:
    return Sources(clauses=_short_names(document, words.clauses), readings=_short_names(document, words.readings))


def _usual_sources(document: str, given: Sequence[Given]) -> dict[str, Sources]:
    """Return the most frequent sources of the findings of each requirement.

    Of equally frequent sources, the first by name counts.
    """
    counters: dict[str, Counter[tuple[tuple[str, ...], tuple[str, ...]]]] = defaultdict(Counter)
    for result in given:
        for words in result.kept.findings:
            counters[words.requirement][words.clauses, words.readings] += 1
    return {
        name.removeprefix(f"{document}/"): Sources(
            clauses=_short_names(document, clauses), readings=_short_names(document, readings)
        )
        for name, counts in counters.items()
        for clauses, readings in [min(counts, key=lambda rests: (-counts[rests], rests))]
    }


def _common_unproven(given: Sequence[Given]) -> dict[Kind, dict[str, frozenset[str]]]:
    """Return the requirements that more than half of the examples on each base leave unproven."""
    on_base: dict[Kind, dict[str, list[frozenset[str]]]] = {"submissions": {}, "rounds": {}, "sessions": {}}
    for result in given:
        on_base[result.kind].setdefault(result.base, []).append(result.kept.unproven)
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


def _kept_finding(document: str, words: Words, sources: Mapping[str, Sources]) -> KeptFinding:
    name, sources_of_finding = words.requirement.removeprefix(f"{document}/"), _sources_of(document, words)
    return KeptFinding.model_validate(
        {
            "requirement": name,
            "status": words.status,
            "rests": None if sources_of_finding == sources[name] else sources_of_finding,
            "waived": words.waived,
            "expected": words.expected,
            "observed": words.observed,
        }
    )


def of_examples_gone(snapshot: Snapshot, examples: Container[str]) -> Iterator[str]:
    """Yield a problem for each entry of a snapshot whose example no longer exists."""
    for name in sorted({*snapshot.findings, *snapshot.unproven.examples}):
        if name not in examples:
            yield f"the snapshot has an entry for {name}, and there is no such example"


def not_needed(snapshot: Snapshot, now: Snapshot) -> Iterator[str]:
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


def written(snapshot: Snapshot) -> bytes:
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
    return len(line) <= WIDTH and "expected" not in part and not any(isinstance(item, dict) for item in inside)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_scalar(key)}: {_flow(part)}' for key, part in value.items())}}}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list) else _scalar(value)


def _scalar(value: Any) -> str:
    """Format a scalar: names as plain scalars, other texts as JSON, invisible characters by their codes."""
    if isinstance(value, str) and _PLAIN_SCALAR.fullmatch(value) and resolve(value) == value:
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
