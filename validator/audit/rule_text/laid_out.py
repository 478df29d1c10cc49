"""Description of a requirement, as lines of plain text and as data."""

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
    """Requirement with its text, an example that breaks it, and its source."""

    regulation: Regulation
    requirement: Requirement
    text: RuleText
    """Text of the requirement."""
    breach: Breach | None
    """Example that breaks the requirement, if there is one."""
    place: str
    """Place of the requirement, as `path:line`."""
    pattern_place: str | None
    """Place of the pattern of the requirement, as `path:line`."""
    entry: Mapping[str, Data]
    """Entry in the rule file, with its pattern expanded."""

    def lines(self) -> Iterator[str]:
        """Yield the description as lines of text."""
        requirement, document = self.requirement, self.regulation.document
        yield f"requirement {self.regulation.full_id(requirement.requirement)}"
        yield f"  {requirement.title} ({requirement.severity.value}; checked on: {requirement.evidence.value})"
        first, last = self.regulation.period(requirement)
        if first or last:
            yield f"  in force{f' from {first}' if first else ''}{f' until {last}' if last else ''}"
        yield from _render_section("Requirement", _indent(self.text.asks))
        yield from _render_section("Definitions", (line for term in self.text.terms for line in _indent(term.meaning)))
        clauses = (
            f"{clause.clause}: {clause.gist} [{document.source.file}:{clause.lines[0]}-{clause.lines[1]}]"
            for clause in self.text.clauses
        )
        yield from _render_section("Clauses", clauses)
        readings = (
            line
            for reading in self.text.readings
            for line in (f"{reading.reading}: {reading.question}", f"  {reading.adopted}")
        )
        yield from _render_section("Readings", readings)
        broken = [requirement.broken] if requirement.broken else []
        yield from _render_section(
            "On failure", (*broken, requirement.message, remedy_of(self.regulation, requirement))
        )
        yield from _render_section("How to produce a failure", self._list_failures())
        pattern = (
            (f"an instance of the pattern `{requirement.pattern}`, {self.pattern_place}",)
            if requirement.pattern
            else ()
        )
        yield from _render_section("Source", (f"{self.place}, checked by `{requirement.check.operator}`", *pattern))

    def yaml(self) -> str:
        """Return the complete requirement as YAML of a rule file."""
        from validator.audit.rule_text.expanded import expanded  # noqa: PLC0415 - only this writes YAML

        return expanded(self.entry)

    def _list_failures(self) -> Iterator[str]:
        if self.breach is not None:
            yield f"the example {self.breach.example} ({self.breach.file}): {self.breach.shows}"
            yield f"  expected: {self.breach.expected}"
            yield f"  observed: {self.breach.observed}"
        if self.requirement.fault is not None:
            full = self.regulation.full_id(self.requirement.requirement)
            yield f"rounds of `fairdeal simulate {self.regulation.id} --fault {full} --rounds 20 --seed 1`"

    def facts(self) -> dict[str, Any]:
        """Return the description as data, in addition to the entry of the rule file.

        If the entry has no remedy, the data contain a generated one.
        """
        return {
            "asks": _sentences_to_data(self.text.asks),
            "remedy": remedy_of(self.regulation, self.requirement),
            "terms": [
                {"kind": term.kind, "name": term.name, "means": _sentences_to_data(term.meaning)}
                for term in self.text.terms
                if term.meaning
            ],
            "broken-by": None if self.breach is None else self.breach.as_data(),
            "stands": self.place,
            "pattern-stands": self.pattern_place,
        }


def in_words(rulebook: Rulebook, full: str) -> LaidOut:
    """Describe a requirement by its full id.

    Raises InputError for broken rule files, KeyError if there is no such requirement.
    """
    document, _, name = full.partition("/")
    regulation = rulebook.regulation(document)
    requirement = regulation.requirement(name)
    files = RuleFiles.of(rulebook, document)
    entry = files.requirements[name]
    return LaidOut(
        regulation=regulation,
        requirement=requirement,
        text=text_of(regulation, requirement),
        breach=breaches_of(regulation, [requirement], load_samples(regulation, rulebook.folder)).get(name),
        place=entry.place,
        pattern_place=files.defined.get(("pattern", str(requirement.pattern))),
        entry=entry.entry,
    )


def _render_section(head: str, body: Iterable[str]) -> Iterator[str]:
    lines = list(body)
    if lines:
        yield f"  {head}:"
        yield from (f"    {line}" for line in lines)


def _indent(sentences: Iterable[Sentence]) -> Iterator[str]:
    return (f"{'  ' * sentence.depth}{sentence.text}" for sentence in sentences)


def _sentences_to_data(sentences: Iterable[Sentence]) -> list[dict[str, Any]]:
    return [{"text": sentence.text, "depth": sentence.depth} for sentence in sentences]
