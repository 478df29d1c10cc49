"""Text of a requirement and of a clause: sentences, terms, examples and readings, on a page that a reader can sign."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from io import StringIO
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from fairdeal.validator.arrays import has_numpy
from fairdeal.validator.audit.rule_review.example_evidence import Sample, load_samples
from fairdeal.validator.audit.wording.check_sentences import list_check_sentences
from fairdeal.validator.audit.wording.sentences import Sentence, list_checked_cases
from fairdeal.validator.audit.wording.terms import Term, collect_terms, suggest_remedy
from fairdeal.validator.language.grammar import walk_models
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition, join_names
from fairdeal.validator.operators.operator_table import OPERATORS, compile_game
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.results.results import AppliedReading
from fairdeal.validator.rulebook.rule_loader import RuleIndex
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.document_model import Clause, Reading
from fairdeal.validator.rules.fault_model import RequirementWords
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.plain_values import NO
from fairdeal.validator.text.positioned_document import Data
from fairdeal.validator.text.yaml_document import resolve_scalar

_MAX_WIDTH = 110
_ORDER = (
    *("requirement", "title", "clauses", "evidence", "severity"),
    *("message", "broken", "remedy", "from", "until", "readings"),
)


def write_requirement_yaml(entry: Mapping[str, Data]) -> str:
    """Write an entry of a list of requirements as in a file of its own, without the name of its pattern."""
    from ruamel.yaml.comments import CommentedSeq  # noqa: PLC0415 - most texts of requirements need no YAML

    keys = [*(key for key in _ORDER if key in entry), *(key for key in entry if key not in (*_ORDER, "pattern"))]
    return _dump(CommentedSeq([_block({key: entry[key] for key in keys}, 0)])).rstrip("\n")


def _block(value: Data, depth: int) -> Any:
    """Convert a value to flow style if it fits on a line, otherwise to one entry per line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq  # noqa: PLC0415 - most texts of requirements need no YAML

    if not isinstance(value, (dict, list)) or (depth and _fits(value, _MAX_WIDTH - depth)):
        return _flow(value)
    if isinstance(value, list):
        return CommentedSeq([_block(item, depth + 2) for item in value])
    mapping = CommentedMap()
    for key, item in value.items():
        mapping[key] = _block(item, depth + 2 + (0 if isinstance(item, (dict, list)) else len(key)))
    return mapping


def _fits(value: Data, width: int) -> bool:
    """Return whether a list or mapping in flow style fits on a line of this width."""
    line = _dump(_flow(value)).rstrip("\n")
    return len(line) <= width and "\n" not in line


def _flow(value: Data) -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415 - most texts of requirements need no YAML
    from ruamel.yaml.comments import CommentedMap, CommentedSeq  # noqa: PLC0415 - most texts of requirements need no YAML
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString  # noqa: PLC0415 - most texts of requirements need no YAML

    made: Any
    match value:
        case dict():
            made = CommentedMap({key: _flow(item) for key, item in value.items()})
        case list():
            made = CommentedSeq([_flow(item) for item in value])
        case str() if resolve_scalar(value) != value or not value.isprintable():
            return DoubleQuotedScalarString(value)
        case Decimal():
            return YAML().load(str(value))  # a number that is written as it was read
        case _:
            return value
    made.fa.set_flow_style()
    return made


def _dump(value: Any) -> str:
    from ruamel.yaml import YAML  # noqa: PLC0415 - most texts of requirements need no YAML

    writer = YAML()
    writer.width = 100_000
    writer.indent(sequence=2, offset=0)
    stream = StringIO()
    writer.dump(value, stream)
    return stream.getvalue()


class RuleText(Struct, frozen=True, kw_only=True):
    """Text of a requirement."""

    sentences: tuple[Sentence, ...]
    """Sentences of the check."""
    terms: tuple[Term, ...]
    """Terms of the game in the sentences."""
    clauses: tuple[Clause, ...]
    """Clauses that the requirement implements."""
    readings: tuple[AppliedReading, ...]
    """Readings that the requirement uses."""


class FailingExample(Struct, frozen=True, kw_only=True):
    """Example that breaks a requirement."""

    example: str
    """Name of the example."""
    file: str
    """Name of its file."""
    shows: str
    """Description of the example."""
    expected: str
    observed: str

    def render_lines(self, head: str) -> Iterator[str]:
        """Yield the example after a head, with what the rules require and the evidence shows."""
        yield f"{head} {self.example} ({self.file}): {self.shows}"
        yield f"  expected: {self.expected}"
        yield f"  observed: {self.observed}"

    def to_data(self) -> dict[str, str]:
        """Return the fields by name."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


def describe_rule(regulation: Regulation, requirement: Requirement) -> RuleText:
    """Describe a requirement under the readings in use."""
    sentences = list(list_check_sentences(regulation, requirement.check))
    is_of_play = requirement.evidence in (Evidence.ROUND, Evidence.SESSION)
    terms = collect_terms(compile_game(regulation), requirement, sentences) if is_of_play else ()
    not_required = explain_exclusion(regulation, requirement)
    return RuleText(
        sentences=(*([] if not_required is None else [Sentence(not_required)]), *sentences),
        terms=tuple(terms),
        clauses=tuple(regulation.find_clause(label) for label in requirement.clauses),
        readings=tuple(regulation.build_reading_relied(name) for name in requirement.readings),
    )


def explain_exclusion(regulation: Regulation, requirement: Requirement) -> str | None:
    """Return a sentence that names the readings which exclude a requirement; None if the readings in use include it."""
    check, decisive = requirement.check, dict[str, str]()
    condition: Condition | SubmissionCondition | None = getattr(check.operand, "when", None)
    if check.operator == "settled":
        is_excluded = not list_checked_cases(compile_game(regulation), check.operand)
    elif isinstance(condition, Condition):
        is_excluded = OPERATORS.find(condition).evaluate_readings(condition.operand, regulation, decisive) == NO
    else:
        is_excluded = condition is not None and not SUBMISSION_OPERATORS.may_hold(condition, regulation)
    names = [*decisive] or requirement.readings
    return f"Not required under the readings in use: see {join_names(names)}." if is_excluded and names else None


def _describe_other_readings(readings: Mapping[str, str]) -> str:
    """Return a prefix for an example with readings other than those adopted."""
    if not readings:
        return ""
    return f"With other readings ({join_names([f'{name}: {option}' for name, option in readings.items()])}): "


def find_failing_examples(
    regulation: Regulation, requirements: Iterable[Requirement], samples: Sequence[Sample]
) -> Mapping[str, FailingExample]:
    """Find the simplest example that breaks each requirement, with the finding it produces.

    The simplest example has the fewest findings; of several, one with the adopted readings comes first.

    Returns:
        Examples by the names of requirements, without requirements that no example breaks.
    """
    simplest: dict[str, Sample] = {}
    for requirement in requirements:
        name = requirement.requirement
        breaking = [
            sample for sample in samples if any(finding.requirement == name for finding in sample.example.findings)
        ]
        if breaking:
            simplest[name] = min(
                breaking, key=lambda sample: (len(sample.example.findings), sample.example.readings != {})
            )
    from fairdeal.validator.audit.rule_review.example_proof import prove_samples  # noqa: PLC0415 - it needs NumPy

    proofs = prove_samples(regulation, list(dict.fromkeys(simplest.values())))
    findings = {
        (proof.sample, finding.requirement): finding for proof in proofs for finding in reversed(proof.outcome.findings)
    }
    breaches: dict[str, FailingExample] = {}
    for name, sample in simplest.items():
        finding = findings.get((sample, regulation.qualify(name)))
        if finding is not None:  # otherwise `rules test` reports the example
            breaches[name] = FailingExample(
                example=sample.example.example,
                file=sample.file,
                shows=_describe_other_readings(sample.example.readings) + sample.example.shows,
                expected=finding.expected,
                observed=finding.observed,
            )
    return breaches


class RequirementDescription(Struct, frozen=True, kw_only=True):
    """Requirement with its text, an example that breaks it, and its source."""

    regulation: Regulation
    requirement: Requirement
    text: RuleText
    """Text of the requirement."""
    breach: FailingExample | None
    """Example that breaks the requirement; None if there is none, or without NumPy, which evaluates it."""
    place: str
    """Place of the requirement, as `path:line`."""
    pattern_place: str | None
    """Place of the pattern of the requirement, as `path:line`."""
    entry: Mapping[str, Data]
    """Entry in the rule file, with its pattern expanded."""
    texts: Mapping[str, str] = {}
    """Words of clauses by full id, from the user's texts."""

    def render_lines(self) -> Iterator[str]:
        """Yield the description as lines of text."""
        requirement, document = self.requirement, self.regulation.document
        yield f"requirement {self.regulation.qualify(requirement.requirement)}"
        yield f"  {requirement.title} ({requirement.severity.value}; checked on: {requirement.evidence.value})"
        first, last = self.regulation.find_period(requirement)
        if first or last:
            yield f"  in force{f' from {first}' if first else ''}{f' until {last}' if last else ''}"
        yield from render_section("Requirement", indent_sentences(self.text.sentences))
        yield from render_section(
            "Definitions", (line for term in self.text.terms for line in indent_sentences(term.meaning))
        )
        clauses = (
            line
            for clause in self.text.clauses
            for line in (
                f"{clause.clause}: {clause.gist} [{document.source.file}:{clause.lines[0]}-{clause.lines[1]}]",
                *(f"  {words}" for words in self.texts.get(self.regulation.qualify(clause.clause), "").splitlines()),
            )
        )
        yield from render_section("Clauses", clauses)
        readings = (
            line
            for reading in self.text.readings
            for line in (f"{reading.reading}: {reading.question}", f"  {reading.adopted}")
        )
        yield from render_section("Readings", readings)
        broken = [requirement.broken] if requirement.broken else []
        yield from render_section(
            "On failure",
            (
                *broken,
                requirement.message,
                suggest_remedy(self.regulation, requirement),
            ),
        )
        yield from render_section("How to produce a failure", self._list_failures())
        pattern = (
            (f"an instance of the pattern `{requirement.pattern}`, {self.pattern_place}",)
            if requirement.pattern
            else ()
        )
        yield from render_section("Source", (f"{self.place}, checked by `{requirement.check.operator}`", *pattern))

    def to_yaml(self) -> str:
        """Return the complete requirement as YAML of a rule file."""

        return write_requirement_yaml(self.entry)

    def _list_failures(self) -> Iterator[str]:
        if self.breach is not None:
            yield from self.breach.render_lines("the example")
        if self.requirement.fault is not None:
            full = self.regulation.qualify(self.requirement.requirement)
            yield f"rounds of `fairdeal simulate {self.regulation.id} --fault {full} --rounds 20 --seed 1`"

    def to_data(self) -> dict[str, Any]:
        """Return the description as data, in addition to the entry of the rule file.

        If the entry has no remedy, the data contain a generated one.
        """
        return {
            "asks": _sentences_to_data(self.text.sentences),
            "remedy": suggest_remedy(self.regulation, self.requirement),
            "terms": [
                {"kind": term.kind, "name": term.name, "means": _sentences_to_data(term.meaning)}
                for term in self.text.terms
                if term.meaning
            ],
            "broken-by": None if self.breach is None else self.breach.to_data(),
            "stands": self.place,
            "pattern-stands": self.pattern_place,
        }


def describe_requirement(
    rulebook: Rulebook, full: str, texts: Mapping[str, str] = MappingProxyType({})
) -> RequirementDescription:
    """Describe a requirement by its full id.

    Args:
        rulebook: Rulebook with the document of the requirement.
        full: Full id.
        texts: Words of clauses by full id.

    Raises InputError for broken rule files, KeyError if there is no such requirement.
    """
    document, _, name = full.partition("/")
    regulation = rulebook.regulation(document)
    requirement = regulation.find_requirement(name)
    files = RuleIndex.from_files(document, rulebook.folder)
    entry = files.requirements[name]
    return RequirementDescription(
        regulation=regulation,
        requirement=requirement,
        text=describe_rule(regulation, requirement),
        breach=_find_breach(rulebook, regulation, requirement) if has_numpy() else None,
        place=entry.place,
        pattern_place=files.defined.get(("pattern", str(requirement.pattern))),
        entry=entry.written_out,
        texts=texts,
    )


def _find_breach(rulebook: Rulebook, regulation: Regulation, requirement: Requirement) -> FailingExample | None:
    """Return the simplest example that breaks a requirement; None if there is none."""
    samples = load_samples(regulation, rulebook.folder)
    return find_failing_examples(regulation, [requirement], samples).get(requirement.requirement)


def render_section(head: str, body: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a section below its head; nothing for an empty section."""
    lines = list(body)
    if lines:
        yield f"  {head}:"
        yield from (f"    {line}" for line in lines)


def indent_sentences(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield sentences as lines, indented by their depth."""
    return (f"{'  ' * sentence.depth}{sentence.text}" for sentence in sentences)


def _sentences_to_data(sentences: Iterable[Sentence]) -> list[dict[str, Any]]:
    return [{"text": sentence.text, "depth": sentence.depth} for sentence in sentences]


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
    text: RuleText
    place: str
    """Place of the requirement, as `path:line`."""
    satisfied_by: Sample | None
    """The simplest example that satisfies it; None if there is none."""
    broken_by: FailingExample | None
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
        yield from render_section("Text", _wrap((self.words or "").splitlines()))
        if clause.status != "checked":
            yield from render_section("Status", [": ".join(filter(None, (clause.status, clause.reason)))])
        for number, reviewed in enumerate(self.requirements, 1):
            yield ""
            yield from self._render_requirement(number, reviewed)
        if self.requirements:
            yield ""
        yield from render_section("Also encoded by", [*self.parts, *clause.used_by])
        yield from render_section(
            "Readings", (line for entry in self.readings for line in self._render_reading(*entry))
        )
        if unmentioned := self.list_unmentioned_words():
            yield from render_section("Words of the text that occur nowhere above", _wrap([", ".join(unmentioned)]))

    def _render_requirement(self, number: int, reviewed: ReviewedRequirement) -> Iterator[str]:
        requirement = reviewed.requirement
        others = [label for label in requirement.clauses if label != self.clause.clause]
        yield f"  {number}. {requirement.requirement} ({requirement.severity.value}) [{reviewed.place}]"
        yield f"     {requirement.title}"
        yield from (f"       {line}" for line in indent_sentences(reviewed.text.sentences))
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
                    "sentences": list(indent_sentences(reviewed.text.sentences)),
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
    breaches = find_failing_examples(regulation, requirements, samples) if has_numpy() else {}
    relied = {name for requirement in requirements for name in requirement.readings}
    return ClauseReview(
        regulation=regulation,
        clause=clause,
        words=texts.get(full),
        requirements=tuple(
            ReviewedRequirement(
                requirement=requirement,
                text=describe_rule(regulation, requirement),
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
