"""The snapshot of a document's examples: what findings say in words, what they rest on, and what stays unproven."""

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
"""What is judged: a submission, a round or a session."""

WIDTH = 120
"""Characters of a line that holds a list or mapping; longer ones are told an item a line."""
_BARE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_HEAD = "# What the examples give besides what they say. `fairdeal rules test --update` writes it: read what changes.\n"


class Kept(Struct, frozen=True, kw_only=True):
    """What an example gives besides what it says: the words of its findings in order, and the requirements it leaves
    unproven, by their names in the document."""

    findings: tuple[Words, ...] = ()
    unproven: frozenset[str] = frozenset()


NOTHING_KEPT = Kept()


class Given(Struct, frozen=True, kw_only=True):
    """An example by name, what is judged in it, the base that this comes from, and what it gives."""

    example: str
    kind: Kind
    base: str
    kept: Kept


def snapshot_file(document: str, folder: Path | None) -> Path:
    """Where the snapshot of a document lies in a rules folder (the shipped one where none is named)."""
    return (folder or rules_folder()) / document / SNAPSHOT


def read_snapshot(document: str, folder: Path | None = None, trees: RuleTrees | None = None) -> Snapshot:
    """The snapshot of a document, empty where there is none. Raises InputError where it cannot be read."""
    path = snapshot_file(document, folder)
    return validate((trees or RuleTrees()).read(path)[1], Snapshot) if path.exists() else Snapshot()


def kept_in(snapshot: Snapshot, document: str, *, example: str, kind: Kind, base: str) -> Kept:
    """What a snapshot keeps of an example."""

    def full(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(f"{document}/{name}" for name in names)

    def words(one: KeptFinding) -> Words:
        rests = one.rests or snapshot.requirements.get(one.requirement)
        return Words(
            requirement=f"{document}/{one.requirement}",
            status=one.status,
            clauses=full(rests.clauses) if rests else (),
            readings=full(rests.readings) if rests else (),
            waived=one.waived,
            expected=one.expected,
            observed=one.observed,
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
    """The snapshot of what examples of a document give: the same for the same, in whatever order they come."""
    sources = _sources(document, given)
    common = _common(given)
    differences: dict[str, OwnUnproven] = {}
    findings: dict[str, list[KeptFinding]] = {}
    for one in sorted(given, key=lambda one: one.example):
        of_base = common[one.kind][one.base]
        besides, lacking = one.kept.unproven - of_base, of_base - one.kept.unproven
        if besides or lacking:
            differences[one.example] = OwnUnproven.model_validate(
                {"besides": sorted(besides), "except": sorted(lacking)}
            )
        if one.kept.findings:
            findings[one.example] = [_kept(document, words, sources) for words in one.kept.findings]
    told = {
        kind: {base: sorted(names) for base, names in sorted(bases.items()) if names} for kind, bases in common.items()
    }
    return Snapshot(
        requirements=dict(sorted(sources.items())),
        unproven=Unproven(
            submissions=told["submissions"], rounds=told["rounds"], sessions=told["sessions"], examples=differences
        ),
        findings=findings,
    )


def _short(document: str, names: Iterable[str]) -> list[str]:
    return [name.removeprefix(f"{document}/") for name in names]


def _rests(document: str, words: Words) -> Sources:
    return Sources(clauses=_short(document, words.clauses), readings=_short(document, words.readings))


def _sources(document: str, given: Sequence[Given]) -> dict[str, Sources]:
    """What most findings of each requirement rest on; of those that are as many, the first by name."""
    found: dict[str, Counter[tuple[tuple[str, ...], tuple[str, ...]]]] = defaultdict(Counter)
    for one in given:
        for words in one.kept.findings:
            found[words.requirement][words.clauses, words.readings] += 1
    return {
        name.removeprefix(f"{document}/"): Sources(
            clauses=_short(document, clauses), readings=_short(document, readings)
        )
        for name, counts in found.items()
        for clauses, readings in [min(counts, key=lambda rests: (-counts[rests], rests))]
    }


def _common(given: Sequence[Given]) -> dict[Kind, dict[str, frozenset[str]]]:
    """What more than half of the examples on each base leave unproven."""
    on_base: dict[Kind, dict[str, list[frozenset[str]]]] = {"submissions": {}, "rounds": {}, "sessions": {}}
    for one in given:
        on_base[one.kind].setdefault(one.base, []).append(one.kept.unproven)
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


def _kept(document: str, words: Words, sources: Mapping[str, Sources]) -> KeptFinding:
    name, rests = words.requirement.removeprefix(f"{document}/"), _rests(document, words)
    return KeptFinding.model_validate(
        {
            "requirement": name,
            "status": words.status,
            "rests": None if rests == sources[name] else rests,
            "waived": words.waived,
            "expected": words.expected,
            "observed": words.observed,
        }
    )


def of_examples_gone(snapshot: Snapshot, examples: Container[str]) -> Iterator[str]:
    """What a snapshot keeps of examples that are none any more."""
    for name in sorted({*snapshot.findings, *snapshot.unproven.examples}):
        if name not in examples:
            yield f"something is kept of {name}, and there is no such example"


def not_needed(snapshot: Snapshot, now: Snapshot) -> Iterator[str]:
    """What a snapshot keeps besides of requirements and bases where examples need none of it, as they give `now`."""
    parts = (
        ("the requirement", snapshot.requirements, now.requirements),
        ("submissions on the base", snapshot.unproven.submissions, now.unproven.submissions),
        ("rounds on the base", snapshot.unproven.rounds, now.unproven.rounds),
        ("sessions on the base", snapshot.unproven.sessions, now.unproven.sessions),
    )
    for what, kept, needed in parts:
        yield from (
            f"something is kept of {what} {name}, and no example needs it" for name in kept if name not in needed
        )


def written(snapshot: Snapshot) -> bytes:
    """A snapshot as its file has it: lines of YAML in a fixed order."""
    data = snapshot.model_dump(by_alias=True, exclude_defaults=True) or {"findings": {}}
    return (_HEAD + "".join(f"{line}\n" for line in _lines(data, ""))).encode()


def _lines(value: dict[str, Any] | list[Any], indent: str) -> Iterator[str]:
    """The lines of a mapping or list. What is in it is told in one line each where that is not too long; a finding is
    told in a line for each thing it says."""
    keyed = isinstance(value, dict)
    for key, part in value.items() if isinstance(value, dict) else (("-", one) for one in value):
        head = f"{indent}{_scalar(key)}:" if keyed else f"{indent}-"
        line = f"{head} {_flow(part)}"
        if not isinstance(part, (dict, list)) or not part or (indent and _short_enough(line, part)):
            yield line
        elif keyed:
            yield head
            yield from _lines(part, indent if isinstance(part, list) else f"{indent}  ")
        else:
            first, *rest = _lines(part, f"{indent}  ")
            yield f"{head} {first.lstrip()}"
            yield from rest


def _short_enough(line: str, part: dict[str, Any] | list[Any]) -> bool:
    inside = part.values() if isinstance(part, dict) else part
    return len(line) <= WIDTH and "expected" not in part and not any(isinstance(one, dict) for one in inside)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_scalar(key)}: {_flow(part)}' for key, part in value.items())}}}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list) else _scalar(value)


def _scalar(value: Any) -> str:
    """A value: names bare, every other text as JSON has it, which is YAML too; what cannot be seen by its code."""
    if isinstance(value, str) and _BARE.fullmatch(value) and resolve(value) == value:
        return value
    told = json.dumps(value, ensure_ascii=False)
    return told if told.isprintable() else _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", told)
