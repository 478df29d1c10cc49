"""Warnings about documents: clauses out of order or unused, periods of zero length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path as FilePath
from typing import get_args

from validator.cautions.caution import Caution
from validator.language.grains import Grain
from validator.rulebook.lint.references import Namespace
from validator.rules.core.references import references
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import Document
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.text.source import read_source
from validator.text.trees.tree import Path

_NUMBERED_LABEL = re.compile(r"(.*)\(([0-9]{1,3})\)")
_GRAINS = get_args(Grain)


def document_cautions(regulation: Regulation, document: Document) -> Iterator[Caution]:
    """Yield warnings about the dates of a document, its clauses and what they say they are used by."""
    if document.from_ is not None and document.until is not None and document.until < document.from_:
        yield _build_period_warning(("until",), "the document ends before it begins")
    yield from _find_line_warnings(document)
    gists: dict[str, str] = {}
    for index, clause in enumerate(document.clauses):
        if clause.gist in gists and clause.lines != document.clauses[index - 1].lines:
            yield Caution(
                code="duplicate",
                at=("clauses", index, "gist"),
                severity="warning",
                message=f"the clauses {gists[clause.gist]} and {clause.clause} have the same gist",
                help="state what this clause regulates",
            )
        gists.setdefault(clause.gist, clause.clause)
    game = regulation.game
    known = set() if game is None else {name for names in Namespace.of(regulation).names.values() for name in names}
    cited = {label for requirement in regulation.requirements for label in requirement.clauses}
    cited |= set() if game is None else {name for _, kind, name in references(game, ()) if kind == "clause"}
    for index, clause in enumerate(document.clauses):
        if clause.status in ("definition", "option") and not clause.used_by and clause.clause not in cited:
            yield Caution(
                code="unused",
                at=("clauses", index, "status"),
                severity="warning",
                message=f"clause {clause.clause} has the status {clause.status}, but nothing uses or cites it",
                help="name under `used-by` what it defines in the game, or cite it there",
            )
        for nth, name in enumerate(clause.used_by):
            if game is not None and name not in (*known, *_GRAINS):
                yield Caution(
                    code="unknown-name",
                    at=("clauses", index, "used-by", nth),
                    message=f"the game has nothing called `{name}`",
                    help="name what uses the clause: a wager, hand, fact, decision, step, pay table or the like",
                )


def _find_line_warnings(document: Document) -> Iterator[Caution]:
    """Yield warnings about clauses out of the order of the text.

    Clauses have lines of their own, but two may share one, and clauses on exactly the same lines are parts of one
    passage. Numbered clauses have no gaps. Lines count from 1.
    """
    for index, (earlier, later) in enumerate(pairwise(document.clauses), 1):
        here: Path = ("clauses", index)
        if later.lines[0] < earlier.lines[0] or (later.lines[0] < earlier.lines[1] and later.lines != earlier.lines):
            yield Caution(
                code="line-mismatch",
                at=(*here, "lines"),
                severity="warning",
                message=f"clause {later.clause} begins on line {later.lines[0]}, and {earlier.clause} before it is on "
                f"lines {earlier.lines[0]} to {earlier.lines[1]}",
                help="list clauses in the order of the text, and compare the lines of both with it",
            )
        numbers = [_NUMBERED_LABEL.fullmatch(clause.clause) for clause in (earlier, later)]
        if numbers[0] and numbers[1] and numbers[0][1] == numbers[1][1]:
            before, after = (int(number[2]) for number in numbers if number)
            if after != before + 1:
                yield Caution(
                    code="missing-entry",
                    at=(*here, "clause"),
                    severity="warning",
                    message=f"clause {later.clause} comes after {earlier.clause}",
                    help="list every clause of the text in order, or correct the label",
                )


def beyond_the_text(document: Document, folder: FilePath) -> Iterator[Caution]:
    """Yield warnings about clauses whose lines do not exist in the text or end in the middle of a sentence.

    Only a text that is in the rules folder is checked.
    """
    path = folder / FilePath(document.source.file).name
    if not path.is_file():
        return
    text = read_source(str(path)).text.rstrip().splitlines()
    length = len(text)
    for index, clause in enumerate(document.clauses):
        if max(clause.lines) > length:
            yield Caution(
                code="line-mismatch",
                at=("clauses", index, "lines"),
                severity="warning",
                message=f"clause {clause.clause} ends on line {max(clause.lines)}, but the text has {length} lines",
                help="compare the lines with the text",
            )
    covered = {line for clause in document.clauses for line in range(clause.lines[0], clause.lines[1] + 1)}
    for index, clause in enumerate(document.clauses):
        after = clause.lines[1] + 1
        if after not in covered and after <= length and text[after - 1].lstrip()[:1].islower():
            yield Caution(
                code="line-mismatch",
                at=("clauses", index, "lines"),
                severity="warning",
                message=f"clause {clause.clause} ends on line {after - 1}, but line {after} of the text continues "
                "the sentence",
                help="compare the lines with the text; lines count from 1",
            )


def clause_cautions(regulation: Regulation, game: Game) -> Iterator[Caution]:
    """Yield warnings about parts of a game that cite a clause which requires nothing."""
    for path, kind, name in references(game, ()):
        if kind == "clause" and regulation.clause(name).status in ("informative", "external"):
            yield Caution(
                code="clause-mismatch",
                at=path,
                severity="warning",
                message=f"this cites clause {name}, whose status is {regulation.clause(name).status}",
                help="cite the clause that requires it, or correct the status in document.yaml",
            )


def period_cautions(regulation: Regulation, file: RequirementFile) -> Iterator[Caution]:
    """Yield warnings about requirements that are never in force."""
    for index, requirement in enumerate(file.requirements):
        first, last = regulation.period(requirement)
        if first is not None and last is not None and last < first:
            key = "until" if requirement.until is not None else "from"
            if requirement.until is not None or requirement.from_ is not None:
                yield _build_period_warning(
                    ("requirements", index, key),
                    f"never in force: it would begin on {first.isoformat()} and end on {last.isoformat()}",
                )


def _build_period_warning(here: Path, message: str) -> Caution:
    return Caution(
        code="never-in-force", at=here, message=message, help="correct the days: the first must not be after the last"
    )
