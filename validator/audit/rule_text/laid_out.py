"""A requirement in words, laid out: as lines of plain text, and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from validator.audit.examples.evidence import load_samples
from validator.audit.rule_text.requirement import Breach, RuleText, breaches_of, text_of
from validator.audit.rule_text.sentences import Sentence
from validator.rulebook.loading.rule_places import RuleFiles
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.regulation import Regulation
from validator.rules.core.remedies import remedy_of
from validator.rules.model.requirement import Requirement
from validator.text.trees.tree import Data


class LaidOut(Struct, frozen=True, kw_only=True):
    """A requirement, its words, an example that breaks it, and where it stands, as `path:line`, as does the pattern
    that it is an instance of, if it is one; `entry` is what the rule file says of it, a pattern written out."""

    regulation: Regulation
    requirement: Requirement
    text: RuleText
    breach: Breach | None
    place: str
    pattern_place: str | None
    entry: Mapping[str, Data]

    def lines(self) -> Iterator[str]:
        """As people read it."""
        asked, document = self.requirement, self.regulation.document
        yield f"requirement {self.regulation.full_id(asked.requirement)}"
        yield f"  {asked.title} ({asked.severity.value}; judged on: {asked.evidence.value})"
        first, last = self.regulation.period(asked)
        if first or last:
            yield f"  in force{f' from {first}' if first else ''}{f' until {last}' if last else ''}"
        yield from _part("What it asks", _indented(self.text.asks))
        yield from _part("What its words mean", (one for term in self.text.terms for one in _indented(term.meaning)))
        clauses = (
            f"{one.clause}: {one.gist} [{document.source.file}:{one.lines[0]}-{one.lines[1]}]"
            for one in self.text.clauses
        )
        yield from _part("Where it comes from", clauses)
        readings = (
            line for one in self.text.readings for line in (f"{one.reading}: {one.question}", f"  {one.adopted}")
        )
        yield from _part("How doubtful passages are read", readings)
        failure = [asked.broken] if asked.broken else []
        yield from _part("What a failure means", (*failure, asked.message, remedy_of(self.regulation, asked)))
        yield from _part("What breaks it", self._breaking())
        pattern = (f"an instance of the pattern `{asked.pattern}`, {self.pattern_place}",) if asked.pattern else ()
        yield from _part("Where it stands", (f"{self.place}, judged by `{asked.check.operator}`", *pattern))

    def yaml(self) -> str:
        """What it says in full, as a rule file has it."""
        from validator.audit.rule_text.expanded import expanded  # noqa: PLC0415 - only this writes YAML

        return expanded(self.entry)

    def _breaking(self) -> Iterator[str]:
        if self.breach is not None:
            yield f"the example {self.breach.example} ({self.breach.file}): {self.breach.shows}"
            yield f"  expected: {self.breach.expected}"
            yield f"  observed: {self.breach.observed}"
        if self.requirement.fault is not None:
            full = self.regulation.full_id(self.requirement.requirement)
            yield f"rounds of `fairdeal simulate {self.regulation.id} --fault {full} --rounds 20 --seed 1`"

    def facts(self) -> dict[str, Any]:
        """As programs read it, beside what stands in the rule file; with a remedy where none stands there."""
        return {
            "asks": _data(self.text.asks),
            "remedy": remedy_of(self.regulation, self.requirement),
            "terms": [
                {"kind": one.kind, "name": one.name, "means": _data(one.meaning)}
                for one in self.text.terms
                if one.meaning
            ],
            "broken-by": None if self.breach is None else self.breach.as_data(),
            "stands": self.place,
            "pattern-stands": self.pattern_place,
        }


def in_words(rulebook: Rulebook, full: str) -> LaidOut:
    """A requirement by its full id, in words. Raises InputError for broken rule files, KeyError where there is none."""
    document, _, name = full.partition("/")
    regulation = rulebook.regulation(document)
    requirement = regulation.requirement(name)
    files = RuleFiles.of(rulebook, document)
    stands = files.requirements[name]
    return LaidOut(
        regulation=regulation,
        requirement=requirement,
        text=text_of(regulation, requirement),
        breach=breaches_of(regulation, [requirement], load_samples(regulation, rulebook.folder)).get(name),
        place=stands.place,
        pattern_place=files.defined.get(("pattern", str(requirement.pattern))),
        entry=stands.entry,
    )


def _part(head: str, body: Iterable[str]) -> Iterator[str]:
    found = list(body)
    if found:
        yield f"  {head}:"
        yield from (f"    {line}" for line in found)


def _indented(sentences: Iterable[Sentence]) -> Iterator[str]:
    return (f"{'  ' * one.depth}{one.text}" for one in sentences)


def _data(sentences: Iterable[Sentence]) -> list[dict[str, Any]]:
    return [{"text": one.text, "depth": one.depth} for one in sentences]
