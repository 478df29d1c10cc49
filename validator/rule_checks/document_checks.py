"""Checks of documents and readings: clauses out of order or without effect, readings that nothing depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path as FilePath
from typing import get_args

from fairdeal.validator.language.grammar import Grain, iterate_references
from fairdeal.validator.rule_checks.check_context import OPTIONS_PREFIX, DocumentCheck, DocumentContext
from fairdeal.validator.rulebook.lint.dependencies import Namespace
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules.document_model import Document, ReadingFile
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.rules.rule_files import rules_folder
from fairdeal.validator.text.positioned_document import DataPath
from fairdeal.validator.text.source import read_source

_NUMBERED_LABEL = re.compile(r"(.*)\(([0-9]{1,3})\)")
_GRAINS = get_args(Grain)
_CORRECT_DAYS = "correct the days: the first must not be after the last"


class DocumentNeverInForce(DocumentCheck[Document]):
    """A document ends before it begins. None of its requirements would ever apply."""

    code = "never-in-force"
    on = Document

    def find(self, context: DocumentContext, part: Document, here: DataPath) -> Iterator[RuleMistake]:
        if part.from_ is not None and part.until is not None and part.until < part.from_:
            yield RuleMistake(path=("until",), message="the document ends before it begins", help=_CORRECT_DAYS)


class RequirementNeverInForce(DocumentCheck[RequirementFile]):
    """A requirement ends before it begins. It would never apply."""

    code = "never-in-force"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        for index, requirement in enumerate(part.requirements):
            first, last = context.regulation.find_period(requirement)
            has_days = requirement.until is not None or requirement.from_ is not None
            if first is not None and last is not None and last < first and has_days:
                key = "until" if requirement.until is not None else "from"
                yield RuleMistake(
                    path=("requirements", index, key), message=_describe_period(first, last), help=_CORRECT_DAYS
                )


def _describe_period(first: date, last: date) -> str:
    return f"never in force: it would begin on {first.isoformat()} and end on {last.isoformat()}"


class DuplicateGist(DocumentCheck[Document]):
    """Two clauses have the same gist. One may be a copy that should have been changed."""

    code = "duplicate"
    severity = "warning"
    on = Document

    def find(self, context: DocumentContext, part: Document, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the clauses with the gist of an earlier one; the parts of one passage may share a gist."""
        gists: dict[str, str] = {}
        for index, clause in enumerate(part.clauses):
            if clause.gist in gists and clause.lines != part.clauses[index - 1].lines:
                yield RuleMistake(
                    path=("clauses", index, "gist"),
                    message=f"the clauses {gists[clause.gist]} and {clause.clause} have the same gist",
                    help="state what this clause regulates",
                )
            gists.setdefault(clause.gist, clause.clause)


class UnusedDefinition(DocumentCheck[Document]):
    """Nothing uses or cites a clause that defines something or leaves a choice."""

    code = "unused"
    severity = "warning"
    on = Document

    def find(self, context: DocumentContext, part: Document, here: DataPath) -> Iterator[RuleMistake]:
        game = context.regulation.game
        cited = {label for requirement in context.regulation.requirements for label in requirement.clauses}
        if game is not None:
            cited |= {name for _, kind, name in iterate_references(game, ()) if kind == "clause"}
        for index, clause in enumerate(part.clauses):
            if clause.status in ("definition", "option") and not clause.used_by and clause.clause not in cited:
                yield RuleMistake(
                    path=("clauses", index, "status"),
                    message=f"clause {clause.clause} has the status {clause.status}, but nothing uses or cites it",
                    help="name under `used-by` what it defines in the game, or cite it there",
                )


class UnknownUse(DocumentCheck[Document]):
    """A clause names something under `used-by` that the game does not have."""

    code = "unknown-name"
    on = Document
    needs_game = True

    def find(self, context: DocumentContext, part: Document, here: DataPath) -> Iterator[RuleMistake]:
        namespace = Namespace.from_regulation(context.regulation)
        known = {name for names in namespace.names.values() for name in names} | {*_GRAINS}
        for index, clause in enumerate(part.clauses):
            for nth, name in enumerate(clause.used_by):
                if name not in known:
                    yield RuleMistake(
                        path=("clauses", index, "used-by", nth),
                        message=f"the game has nothing called `{name}`",
                        help="name what uses the clause: a wager, hand, fact, decision, step, pay table or the like",
                    )


class OverlappingLines(DocumentCheck[Document]):
    """A clause begins before the clause that precedes it, or within its lines.

    Two clauses may share a line. Clauses on exactly the same lines are parts of one passage.
    """

    code = "line-mismatch"
    severity = "warning"
    on = Document

    def find(self, context: DocumentContext, part: Document, here: DataPath) -> Iterator[RuleMistake]:
        for index, (earlier, later) in enumerate(pairwise(part.clauses), 1):
            is_within = later.lines[0] < earlier.lines[1] and later.lines != earlier.lines
            if later.lines[0] < earlier.lines[0] or is_within:
                yield RuleMistake(
                    path=("clauses", index, "lines"),
                    message=f"clause {later.clause} begins on line {later.lines[0]}, and {earlier.clause} before it is "
                    f"on lines {earlier.lines[0]} to {earlier.lines[1]}",
                    help="list clauses in the order of the text, and compare the lines of both with it",
                )


class ClausesOnOneLine(DocumentCheck[Document]):
    """Two clauses are on one and the same single line, although other clauses have lines of their own.

    A line number may have been copied from the clause before.
    """

    code = "line-mismatch"
    severity = "warning"
    on = Document

    def find(self, context: DocumentContext, part: Document, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the clauses on the line of the clause before, unless one of them is part of the other."""
        for index, (earlier, later) in enumerate(pairwise(part.clauses), 1):
            is_part = later.clause.startswith(earlier.clause)
            if later.lines == earlier.lines and later.lines[0] == later.lines[1] and not is_part:
                yield RuleMistake(
                    path=("clauses", index, "lines"),
                    message=f"the clauses {earlier.clause} and {later.clause} are both on line {later.lines[0]}",
                    help="compare the lines of both with the text; lines count from 1",
                )


class MissingClause(DocumentCheck[Document]):
    """A number is missing between the labels of two clauses."""

    code = "missing-entry"
    severity = "warning"
    on = Document

    def find(self, context: DocumentContext, part: Document, here: DataPath) -> Iterator[RuleMistake]:
        for index, (earlier, later) in enumerate(pairwise(part.clauses), 1):
            before, after = (_NUMBERED_LABEL.fullmatch(clause.clause) for clause in (earlier, later))
            if before and after and before[1] == after[1] and int(after[2]) != int(before[2]) + 1:
                yield RuleMistake(
                    path=("clauses", index, "clause"),
                    message=f"clause {later.clause} comes after {earlier.clause}",
                    help="list every clause of the text in order, or correct the label",
                )


class LinesBeyondText(DocumentCheck[Document]):
    """The lines of a clause do not exist in the text, or end in the middle of a sentence.

    The check needs the text in the rules folder.
    """

    code = "line-mismatch"
    severity = "warning"
    on = Document

    def find(self, context: DocumentContext, part: Document, here: DataPath) -> Iterator[RuleMistake]:
        path = (context.rulebook.folder or rules_folder()) / FilePath(part.source.file).name
        if not path.is_file():
            return
        text = read_source(str(path)).text.rstrip().splitlines()
        covered = {line for clause in part.clauses for line in range(clause.lines[0], clause.lines[1] + 1)}
        for index, clause in enumerate(part.clauses):
            last = max(clause.lines)
            if last > len(text):
                message = f"clause {clause.clause} ends on line {last}, but the text has {len(text)} lines"
            elif last + 1 not in covered and last < len(text) and text[last].lstrip()[:1].islower():
                message = (
                    f"clause {clause.clause} ends on line {last}, but line {last + 1} of the text continues the "
                    "sentence"
                )
            else:
                continue
            yield RuleMistake(
                path=("clauses", index, "lines"),
                message=message,
                help="compare the lines with the text; lines count from 1",
            )


class CitesIdleClause(DocumentCheck[Game]):
    """A part of the game cites a clause that requires nothing by its status."""

    code = "clause-mismatch"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        for path, kind, name in iterate_references(part, here):
            if kind == "clause" and context.regulation.find_clause(name).status in ("informative", "external"):
                yield RuleMistake(
                    path=path,
                    message=f"this cites clause {name}, whose status is {context.regulation.find_clause(name).status}",
                    help="cite the clause that requires it, or correct the status in document.yaml",
                )


class UnusedOption(DocumentCheck[ReadingFile]):
    """No rule distinguishes two options of a reading, although the reading is said to change something.

    One option may stay without a rule: the one that holds if no condition names another.
    """

    code = "unused"
    severity = "warning"
    on = ReadingFile

    def find(self, context: DocumentContext, part: ReadingFile, here: DataPath) -> Iterator[RuleMistake]:
        for index, reading in enumerate(part.readings):
            distinguished = context.used_names.get(f"{OPTIONS_PREFIX}{reading.reading}", frozenset())
            others = [option for option in reading.options if option not in distinguished]
            if len(others) > 1 and reading.changes != "nothing":
                yield RuleMistake(
                    path=("readings", index, "alternatives", others[1]),
                    at_key=True,
                    message=f"no rule distinguishes the options {' and '.join(others)} of {reading.reading}, although "
                    f"`changes` is {reading.changes}",
                    help="use the option in a `reading` condition where it matters, or write `changes: nothing`",
                )


class ReadingHasEffect(DocumentCheck[ReadingFile]):
    """Rules distinguish the options of a reading that is said to change nothing."""

    code = "reading-has-effect"
    severity = "warning"
    on = ReadingFile

    def find(self, context: DocumentContext, part: ReadingFile, here: DataPath) -> Iterator[RuleMistake]:
        for index, reading in enumerate(part.readings):
            distinguished = context.used_names.get(f"{OPTIONS_PREFIX}{reading.reading}", frozenset())
            if distinguished and reading.changes == "nothing":
                yield RuleMistake(
                    path=("readings", index, "changes"),
                    message=f"`changes` of {reading.reading} is `nothing`, but rules distinguish whether it is read as "
                    f"{' or '.join(sorted(distinguished))}",
                    help="write `changes: money` if payments depend on it, otherwise `changes: verdict`",
                )


CHECKS = (
    DocumentNeverInForce,
    RequirementNeverInForce,
    DuplicateGist,
    UnusedDefinition,
    UnknownUse,
    OverlappingLines,
    ClausesOnOneLine,
    MissingClause,
    LinesBeyondText,
    CitesIdleClause,
    UnusedOption,
    ReadingHasEffect,
)
"""Checks of documents, readings and citations."""
