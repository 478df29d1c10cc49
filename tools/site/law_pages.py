"""A page for every document, clause and requirement of a rulebook, in our own words, with the ways between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from fairdeal.validator.audit.rule_review.example_evidence import Sample, load_samples
from fairdeal.validator.audit.rule_review.requirement_text import (
    FailingExample,
    describe_rule,
    find_failing_examples,
    write_requirement_yaml,
)
from fairdeal.validator.audit.wording.sentences import Sentence
from fairdeal.validator.audit.wording.terms import suggest_remedy
from fairdeal.validator.rulebook.rule_loader import RuleExcerpt, RuleIndex
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.document_model import Clause, quote_clauses
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from tools.site.markdown import bullets, code, link, page, plain, table
from tools.site.operators import Operator, operators_of

REFERENCE = "../../../rule-language.md"
"""The page on the rule language, from the page of a clause or requirement."""

_STATUS = {
    "checked": "checked: a requirement that cites it can fail",
    "option": "option: it grants a choice",
    "definition": "definition: it says what a word means",
    "attested": "attested: only a person can vouch for it",
    "informative": "informative: it requires nothing",
    "external": "external: it is held elsewhere",
}


def rulebook_pages(rulebook: Rulebook, texts: Path | None = None) -> Iterator[tuple[str, str]]:
    """Yield every page on a rulebook: its address below `rulebook/`, and its Markdown.

    Args:
        rulebook: The rulebook.
        texts: Folder with the texts of regulations, whose clauses are quoted.

    Raises InputError for broken rule files, and ValueError for two clauses of one address.
    """
    regulations = [rulebook.regulation(name) for name in rulebook.documents]
    quoted = {} if texts is None else quote_clauses(texts, [regulation.document for regulation in regulations])
    yield "index.md", _index(regulations)
    for regulation in regulations:
        samples = load_samples(regulation, rulebook.folder)
        yield from _document_pages(regulation, RuleIndex.from_files(regulation.id, rulebook.folder), samples, quoted)


def slug(label: str) -> str:
    """Return the name of the page of a clause: `(3)(A)` is `3-a`."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def _index(regulations: list[Regulation]) -> str:
    rows = [
        (
            link(code(regulation.id), f"{regulation.id}/index.md"),
            plain(regulation.document.title),
            str(len(regulation.document.clauses)),
            str(len(regulation.requirements)),
            str(len(regulation.readings)),
        )
        for regulation in regulations
    ]
    return page(
        "The rulebook",
        "Every clause of every document with what became of it, and every requirement with the code that judges it. "
        "Gists are summaries; the text of a regulation is found by its citation.",
        table(("document", "title", "clauses", "requirements", "readings"), rows),
    )


def _document_pages(
    regulation: Regulation, files: RuleIndex, samples: Sequence[Sample], quoted: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    clauses = {slug(clause.clause): clause for clause in regulation.document.clauses}
    if len(clauses) < len(regulation.document.clauses):
        raise ValueError(f"two clauses of {regulation.id} have pages of one name")
    yield f"{regulation.id}/index.md", _document(regulation)
    yield f"{regulation.id}/readings.md", _readings(regulation)
    for name, clause in clauses.items():
        yield (
            f"{regulation.id}/clauses/{name}.md",
            _clause(regulation, clause, quoted.get(regulation.qualify(clause.clause))),
        )
    breaches = find_failing_examples(regulation, regulation.requirements, samples)
    for requirement in regulation.requirements:
        address = f"{regulation.id}/requirements/{requirement.requirement}.md"
        yield address, _requirement(regulation, requirement, files, breaches.get(requirement.requirement))


def _document(regulation: Regulation) -> str:
    document = regulation.document
    facts = [
        f"Issued by: {plain(document.regulator)}",
        f"Source: {plain(document.source.citation)}",
        f"In force: {_period(document.from_, document.until)}",
        f"Game: {plain(regulation.game.title) if regulation.game else 'none is encoded'}",
        link(f"{len(regulation.readings)} readings", "readings.md") + " of doubtful passages",
    ]
    clauses = [
        (link(plain(clause.clause), f"clauses/{slug(clause.clause)}.md"), clause.status, plain(clause.gist))
        for clause in document.clauses
    ]
    requirements = [
        (
            link(code(requirement.requirement), f"requirements/{requirement.requirement}.md"),
            requirement.severity.value,
            plain(requirement.title),
        )
        for requirement in regulation.requirements
    ]
    return page(
        plain(document.title),
        f"The document {code(regulation.id)}.",
        bullets(facts),
        "## Clauses",
        table(("clause", "status", "gist"), clauses),
        "## Requirements",
        table(("requirement", "severity", "title"), requirements),
    )


def _readings(regulation: Regulation) -> str:
    blocks: list[str] = []
    for name, reading in regulation.readings.items():
        options = [f"{code(option)}: {plain(says)}" for option, says in reading.options.items()]
        blocks += [
            f"## {name}",
            plain(reading.question),
            bullets(options),
            f"Adopted: {code(reading.adopted)}. {plain(reading.reason)} It affects: {reading.changes}.",
            f"Clauses: {_clause_links(reading.clauses, 'clauses')}",
        ]
    return page(f"Readings of {plain(regulation.document.title)}", *(blocks or ["The text leaves nothing open."]))


def _clause(regulation: Regulation, clause: Clause, text: str | None) -> str:
    citing = [requirement for requirement in regulation.requirements if clause.clause in requirement.clauses]
    doubts = [name for name, reading in regulation.readings.items() if clause.clause in reading.clauses]
    first, last = clause.lines
    facts = [
        f"Document: {link(plain(regulation.document.title), '../index.md')}",
        f"What became of it: {_STATUS[clause.status]}",
        f"Why: {plain(clause.reason)}" if clause.reason else "",
        f"Used by: {', '.join(map(code, clause.used_by))}" if clause.used_by else "",
        f"In the source: {plain(regulation.document.source.file)}, "
        + (f"line {first}" if first == last else f"lines {first} to {last}"),
    ]
    rows = [
        (
            link(code(requirement.requirement), f"../requirements/{requirement.requirement}.md"),
            requirement.severity.value,
            _link_operator(next(operators_of(requirement))),
            plain(requirement.title),
        )
        for requirement in citing
    ]
    return page(
        code(regulation.qualify(clause.clause)),
        plain(clause.gist),
        *(["\n".join(f"> {plain(line)}" for line in text.splitlines())] if text else []),
        bullets(filter(None, facts)),
        "## Requirements that rest on it",
        table(("requirement", "severity", "judged by", "title"), rows) if rows else "None.",
        *_doubts(doubts),
    )


def _requirement(
    regulation: Regulation, requirement: Requirement, files: RuleIndex, breach: FailingExample | None
) -> str:
    excerpt = files.requirements[requirement.requirement]
    words = describe_rule(regulation, requirement)
    spoken = [(kind, code(name), code(place)) for kind, name, place in files.find_referenced(regulation, requirement)]
    first, *within = operators_of(requirement)
    facts = [
        f"Document: {link(plain(regulation.document.title), '../index.md')}",
        f"Clauses: {_clause_links(requirement.clauses, '../clauses')}",
        f"Evidence: {requirement.evidence.value}",
        f"Severity: {requirement.severity.value}",
        f"In force: {_period(*regulation.find_period(requirement))}",
        f"Remedy: {plain(suggest_remedy(regulation, requirement))}",
    ]
    return page(
        code(regulation.qualify(requirement.requirement)),
        f"**{plain(requirement.title)}**",
        plain(requirement.message),
        bullets(filter(None, facts)),
        "## What it asks",
        _sentences(words.sentences),
        "## What its words mean" if words.terms else "",
        _sentences(part for term in words.terms for part in term.meaning),
        *_breaking(breach),
        "## How it is judged",
        f"By {_link_operator(first)}: {plain(first.says)} The code: {code(first.code)}." if first.code else "",
        table(("within it", "meaning", "code"), map(_row, within)) if within else "",
        f"The rule is in {code(excerpt.place)}:",
        f"```yaml\n{excerpt.text}\n```",
        *_pattern(requirement, files, excerpt),
        "## What of the game it speaks of" if spoken else "",
        table(("", "name", "stands in"), spoken) if spoken else "",
        *_doubts(requirement.readings),
    )


def _pattern(requirement: Requirement, files: RuleIndex, excerpt: RuleExcerpt) -> list[str]:
    """Return the requirement that an instance of a pattern represents."""
    if requirement.pattern is None:
        return []
    place = files.defined["pattern", str(requirement.pattern)]
    said = f"It is an instance of the pattern {code(str(requirement.pattern))} in {code(place)}, and expands to this:"
    return [said, f"```yaml\n{write_requirement_yaml(excerpt.written_out)}\n```"]


def _sentences(sentences: Iterable[Sentence]) -> str:
    """Sentences as a list, one within the other."""
    return "\n".join(f"{'    ' * sentence.depth}- {plain(sentence.text)}" for sentence in sentences)


def _breaking(breach: FailingExample | None) -> list[str]:
    if breach is None:
        return []
    shown = [f"Expected: {plain(breach.expected)}", f"Observed: {plain(breach.observed)}"]
    return ["## What breaks it", f"{code(breach.example)}: {plain(breach.shows)}", bullets(shown)]


def _link_operator(operator: Operator) -> str:
    return link(code(operator.name), f"{REFERENCE}#{operator.anchor}")


def _row(operator: Operator) -> tuple[str, str, str]:
    return _link_operator(operator), plain(operator.says), code(operator.code) if operator.code else ""


def _doubts(names: Sequence[str]) -> Sequence[str]:
    links = [link(code(name), f"../readings.md#{name}") for name in names]
    return ["## Doubtful passages", bullets(links)] if links else []


def _clause_links(labels: list[str], folder: str) -> str:
    return ", ".join(link(plain(label), f"{folder}/{slug(label)}.md") for label in labels)


def _period(first: object, last: object) -> str:
    if first is None and last is None:
        return "on every day; the text prints none"
    return " ".join(filter(None, [f"from {first}" if first else "", f"until {last}" if last else ""]))
