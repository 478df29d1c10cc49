"""Days on which nothing is in force, clauses that nothing uses."""

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

_NUMBERED = re.compile(r"(.*)\(([0-9]{1,3})\)")
_GRAINS = get_args(Grain)


def document_cautions(regulation: Regulation, document: Document) -> Iterator[Caution]:
    """Dates, and what definitions and options say they are used by."""
    if document.from_ is not None and document.until is not None and document.until < document.from_:
        yield _never(("until",), "the document ends before it begins")
    yield from _lines(document)
    gists: dict[str, str] = {}
    for index, clause in enumerate(document.clauses):
        if clause.gist in gists and clause.lines != document.clauses[index - 1].lines:
            yield Caution(
                code="told-twice",
                at=("clauses", index, "gist"),
                severity="warning",
                message=f"the clauses {gists[clause.gist]} and {clause.clause} have one gist",
                help="say what this one lays down",
            )
        gists.setdefault(clause.gist, clause.clause)
    game = regulation.game
    known = set() if game is None else {name for names in Namespace.of(regulation).names.values() for name in names}
    cited = {label for one in regulation.requirements for label in one.clauses}
    cited |= set() if game is None else {name for _, kind, name in references(game, ()) if kind == "clause"}
    for index, clause in enumerate(document.clauses):
        if clause.status in ("definition", "option") and not clause.used_by and clause.clause not in cited:
            yield Caution(
                code="unused",
                at=("clauses", index, "status"),
                severity="warning",
                message=f"clause {clause.clause} is said to be a {clause.status}, and nothing uses it or cites it",
                help="say under `used-by` what of the game it defines, or cite it there",
            )
        for nth, name in enumerate(clause.used_by):
            if game is not None and name not in (*known, *_GRAINS):
                yield Caution(
                    code="unknown-name",
                    at=("clauses", index, "used-by", nth),
                    message=f"the game has nothing called `{name}`",
                    help="name what the clause is used by: a wager, hand, fact, decision, step, pay table or the like",
                )


def _lines(document: Document) -> Iterator[Caution]:
    """Clauses stand in the order of the text, each on lines of its own but for one that two of them share, and of
    numbered ones none is left out. Lines are told from 1; clauses on the very same lines are parts of one passage."""
    for index, (one, other) in enumerate(pairwise(document.clauses), 1):
        here: Path = ("clauses", index)
        if other.lines[0] < one.lines[0] or (other.lines[0] < one.lines[1] and other.lines != one.lines):
            yield Caution(
                code="other-lines",
                at=(*here, "lines"),
                severity="warning",
                message=f"clause {other.clause} begins on line {other.lines[0]}, and {one.clause} before it is on "
                f"lines {one.lines[0]} to {one.lines[1]}",
                help="list clauses in the order of the text, and hold the lines of both against it",
            )
        numbers = [_NUMBERED.fullmatch(clause.clause) for clause in (one, other)]
        if numbers[0] and numbers[1] and numbers[0][1] == numbers[1][1]:
            before, after = (int(number[2]) for number in numbers if number)
            if after != before + 1:
                yield Caution(
                    code="left-out",
                    at=(*here, "clause"),
                    severity="warning",
                    message=f"clause {other.clause} comes after {one.clause}",
                    help="list every clause of the text, in its order; or put the label right",
                )


def beyond_the_text(document: Document, folder: FilePath) -> Iterator[Caution]:
    """Clauses on lines that the text does not have or that end in a sentence, where it lies in the rules folder."""
    path = folder / FilePath(document.source.file).name
    if not path.is_file():
        return
    text = read_source(str(path)).text.rstrip().splitlines()
    length = len(text)
    for index, clause in enumerate(document.clauses):
        if max(clause.lines) > length:
            yield Caution(
                code="other-lines",
                at=("clauses", index, "lines"),
                severity="warning",
                message=f"clause {clause.clause} ends on line {max(clause.lines)}, and the text has {length} lines",
                help="hold the lines against the text",
            )
    covered = {line for clause in document.clauses for line in range(clause.lines[0], clause.lines[1] + 1)}
    for index, clause in enumerate(document.clauses):
        after = clause.lines[1] + 1
        if after not in covered and after <= length and text[after - 1].lstrip()[:1].islower():
            yield Caution(
                code="other-lines",
                at=("clauses", index, "lines"),
                severity="warning",
                message=f"clause {clause.clause} ends on line {after - 1}, and line {after} of the text goes on in the "
                "middle of a sentence",
                help="hold the lines against the text; they count from 1",
            )


def clause_cautions(regulation: Regulation, game: Game) -> Iterator[Caution]:
    """What a game rests on is not said to ask for nothing."""
    for path, kind, name in references(game, ()):
        if kind == "clause" and regulation.clause(name).status in ("informative", "external"):
            yield Caution(
                code="other-clause",
                at=path,
                severity="warning",
                message=f"this rests on clause {name}, which is said to be {regulation.clause(name).status}",
                help="name the clause that says so; or put its status right in document.yaml",
            )


def period_cautions(regulation: Regulation, file: RequirementFile) -> Iterator[Caution]:
    """Requirements that are never in force."""
    for index, requirement in enumerate(file.requirements):
        first, last = regulation.period(requirement)
        if first is not None and last is not None and last < first:
            key = "until" if requirement.until is not None else "from"
            if requirement.until is not None or requirement.from_ is not None:
                yield _never(
                    ("requirements", index, key),
                    f"never in force: it would begin on {first.isoformat()} and end on {last.isoformat()}",
                )


def _never(here: Path, message: str) -> Caution:
    return Caution(code="never-in-force", at=here, message=message, help="put the days right, first before last")
