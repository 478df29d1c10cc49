"""Review of a clause: its text, what encodes it, examples and readings on one page that a reader can sign."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from fairdeal.validator.arrays import has_numpy
from fairdeal.validator.audit.rule_review import requirement_text
from fairdeal.validator.audit.rule_review.example_evidence import Sample, load_samples
from fairdeal.validator.language.grammar import walk_models
from fairdeal.validator.rulebook.rule_loader import RuleIndex
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.document_model import Clause, Reading
from fairdeal.validator.rules.fault_model import RequirementWords
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement

_WORD = re.compile(r"[^\W\d_]{4,}")
_STEM = 5
"""Number of letters that two forms of a word share."""
_COMMON_WORDS = frozenset(
    {"also", "been", "both", "does", "each", "either", "from", "have", "into", "less", "more", "must", "only", "other"}
    | {"over", "shall", "such", "than", "that", "their", "them", "then", "there", "these", "they", "this", "those"}
    | {"under", "unless", "upon", "were", "when", "where", "which", "while", "will", "with", "within", "would"}
)
_WIDTH = 110
"""Number of characters in a line of the text."""
_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class ReviewedRequirement(Struct, frozen=True, kw_only=True):
    """A requirement of a clause, with examples."""

    requirement: Requirement
    text: requirement_text.RuleText
    place: str
    """Place of the requirement, as `path:line`."""
    satisfied_by: Sample | None
    """The simplest example that satisfies it; None if there is none."""
    broken_by: requirement_text.FailingExample | None
    """The simplest example that breaks it; None if there is none, or without NumPy, which evaluates it."""


class ClauseReview(Struct, frozen=True, kw_only=True):
    """All that encodes a clause."""

    regulation: Regulation
    clause: Clause
    words: str | None
    """Words of the clause, from the user's text; None without it."""
    requirements: tuple[ReviewedRequirement, ...]
    parts: tuple[str, ...]
    """Other parts of the game that cite the clause, with their kind."""
    readings: tuple[tuple[Reading, tuple[str, ...]], ...]
    """Readings of the clause, with the names of examples that use a rejected option."""

    def list_unmentioned_words(self) -> list[str]:
        """Return words of the clause that occur in no requirement, definition or reading of it."""
        said = " ".join(self._list_texts()).casefold()
        known = {word[:_STEM] for word in _WORD.findall(said)} | _COMMON_WORDS
        words = dict.fromkeys(_WORD.findall((self.words or "").casefold()))
        return [word for word in words if word not in known and word[:_STEM] not in known]

    def _list_texts(self) -> Iterator[str]:
        yield self.clause.gist
        for reviewed in self.requirements:
            requirement, text = reviewed.requirement, reviewed.text
            yield from (requirement.title, requirement.message, requirement.broken or "")
            yield from (sentence.text for sentence in text.sentences)
            yield from (sentence.text for term in text.terms for sentence in term.meaning)
        for reading, _ in self.readings:
            yield from (reading.question, reading.reason, *reading.options.values())

    def render_lines(self) -> Iterator[str]:
        """Yield the review as lines of text."""
        regulation, clause = self.regulation, self.clause
        source = f"{regulation.document.source.file}:{clause.lines[0]}-{clause.lines[1]}"
        yield f"clause {regulation.qualify(clause.clause)} [{source}]"
        yield f"  {clause.gist}"
        yield from requirement_text.render_section("Text", _wrap((self.words or "").splitlines()))
        if clause.status != "checked":
            yield from requirement_text.render_section(
                "Status", [": ".join(filter(None, (clause.status, clause.reason)))]
            )
        for number, reviewed in enumerate(self.requirements, 1):
            yield ""
            yield from self._render_requirement(number, reviewed)
        if self.requirements:
            yield ""
        yield from requirement_text.render_section("Also encoded by", [*self.parts, *clause.used_by])
        yield from requirement_text.render_section(
            "Readings", (line for entry in self.readings for line in self._render_reading(*entry))
        )
        if unmentioned := self.list_unmentioned_words():
            yield from requirement_text.render_section(
                "Words of the text that occur nowhere above", _wrap([", ".join(unmentioned)])
            )

    def _render_requirement(self, number: int, reviewed: ReviewedRequirement) -> Iterator[str]:
        requirement = reviewed.requirement
        others = [label for label in requirement.clauses if label != self.clause.clause]
        yield f"  {number}. {requirement.requirement} ({requirement.severity.value}) [{reviewed.place}]"
        yield f"     {requirement.title}"
        yield from (f"       {line}" for line in requirement_text.indent_sentences(reviewed.text.sentences))
        if others:
            yield f"     with: {', '.join(others)}"
        if reviewed.satisfied_by is not None:
            example = reviewed.satisfied_by.example
            yield f"     satisfied by {example.example} ({reviewed.satisfied_by.file}): {example.shows}"
        if reviewed.broken_by is not None:
            yield from (f"     {line}" for line in reviewed.broken_by.render_lines("broken by"))

    def _render_reading(self, reading: Reading, examples: Sequence[str]) -> Iterator[str]:
        chosen = self.regulation.choices[reading.reading]
        yield f"{reading.reading} (changes: {reading.changes}): {reading.question}"
        for option, meaning in reading.options.items():
            yield f"  {'chosen' if option == chosen else 'rejected'} {option}: {meaning}"
        yield f"  because: {reading.reason}"
        if examples:
            yield f"  other options in examples: {', '.join(examples)}"

    def to_data(self) -> dict[str, Any]:
        """Return the review as data."""
        return {
            "clause": self.regulation.qualify(self.clause.clause),
            "gist": self.clause.gist,
            "text": self.words,
            "requirements": [
                {
                    "requirement": reviewed.requirement.requirement,
                    "title": reviewed.requirement.title,
                    "place": reviewed.place,
                    "sentences": list(requirement_text.indent_sentences(reviewed.text.sentences)),
                    "satisfied-by": reviewed.satisfied_by and reviewed.satisfied_by.example.example,
                    "broken-by": reviewed.broken_by and reviewed.broken_by.to_data(),
                }
                for reviewed in self.requirements
            ],
            "also-encoded-by": [*self.parts, *self.clause.used_by],
            "readings": [
                {
                    "reading": reading.reading,
                    "question": reading.question,
                    "chosen": self.regulation.choices[reading.reading],
                    "options": reading.options,
                    "why": reading.reason,
                    "changes": reading.changes,
                    "examples": list(examples),
                }
                for reading, examples in self.readings
            ],
            "unmentioned-words": self.list_unmentioned_words(),
        }


def _wrap(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, _WIDTH)]


def review_clause(rulebook: Rulebook, full: str, texts: Mapping[str, str] = MappingProxyType({})) -> ClauseReview:
    """Review a clause by its full id.

    Args:
        rulebook: Rulebook with the document of the clause.
        full: Full id.
        texts: Words of clauses by full id.

    Raises InputError for broken rule files, KeyError if there is no such clause.
    """
    document, _, label = full.partition("/")
    regulation = rulebook.regulation(document)
    clause, index = regulation.find_clause(label), RuleIndex.from_files(document, rulebook.folder)
    samples = load_samples(regulation, rulebook.folder)
    requirements = [item for item in regulation.requirements if label in item.clauses]
    breaches = requirement_text.find_failing_examples(regulation, requirements, samples) if has_numpy() else {}
    relied = {name for requirement in requirements for name in requirement.readings}
    return ClauseReview(
        regulation=regulation,
        clause=clause,
        words=texts.get(full),
        requirements=tuple(
            ReviewedRequirement(
                requirement=requirement,
                text=requirement_text.describe_rule(regulation, requirement),
                place=index.requirements[requirement.requirement].place,
                satisfied_by=_find_satisfying_sample(requirement.requirement, samples),
                broken_by=breaches.get(requirement.requirement),
            )
            for requirement in requirements
        ),
        parts=tuple(_list_parts(regulation, index, label)),
        readings=tuple(
            (reading, tuple(item.example.example for item in samples if name in item.example.readings))
            for name, reading in regulation.readings.items()
            if label in reading.clauses or name in relied
        ),
    )


def _find_satisfying_sample(name: str, samples: Iterable[Sample]) -> Sample | None:
    """Return the example with the fewest findings that satisfies a requirement; None if there is none."""
    satisfying = [sample for sample in samples if name in sample.example.about]
    return min(
        satisfying,
        key=lambda sample: (len(sample.example.findings), sample.example.readings != {}),
        default=None,
    )


def _list_parts(regulation: Regulation, index: RuleIndex, label: str) -> Iterator[str]:
    """Yield parts of the game that cite a clause, other than requirements, each with its kind and place."""
    if regulation.game is None:
        return
    for path, part in walk_models(regulation.game, ()):
        if isinstance(part, RequirementWords) or label not in getattr(part, "clauses", ()):
            continue
        kind = _CAPITALS.sub(" ", type(part).__name__).lower()
        name = str(path[-1]) if isinstance(path[-1], str) else str(next(iter(dict(part).values())))
        place = index.defined.get((kind.replace(" ", "-"), name))
        yield f"{kind} {name}" + ("" if place is None else f" [{place}]")
