"""Checks of documents and readings: clauses out of order or without effect, readings that nothing depends on."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path as FilePath
from typing import get_args

from fairdeal.validator.language.grammar import Grain, iterate_references
from fairdeal.validator.rule_checks.check_context import OPTIONS_PREFIX, DocumentContext, GameContext
from fairdeal.validator.rulebook.lint.dependencies import Namespace
from fairdeal.validator.rulebook.lint.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.document_model import Clause, Document, Reading
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.rules.rule_files import rules_folder
from fairdeal.validator.text.positioned_document import DataPath
from fairdeal.validator.text.source import read_source

_NUMBERED_LABEL = re.compile(r"(.*)\(([0-9]{1,3})\)")
_GRAINS = get_args(Grain)
_CORRECT_DAYS = "correct the days: the first must not be after the last"


@error("never-in-force", _CORRECT_DAYS)
def find_document_never_in_force(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a document that ends before it begins. None of its requirements would ever apply."""
    if document.from_ is not None and document.until is not None and document.until < document.from_:
        yield ("until",), "the document ends before it begins"


@error("never-in-force", _CORRECT_DAYS)
def find_requirement_never_in_force(context: DocumentContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a requirement that ends before it begins. It would never apply."""
    first, last = context.regulation.find_period(requirement)
    has_days = requirement.until is not None or requirement.from_ is not None
    if first is not None and last is not None and last < first and has_days:
        key = "until" if requirement.until is not None else "from"
        yield (*here, key), f"never in force: it would begin on {first.isoformat()} and end on {last.isoformat()}"


@warning("duplicate", "state what this clause regulates")
def find_duplicate_gist(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a clause with the gist of an earlier one. One may be a copy that should have been changed.

    The parts of one passage may share a gist.
    """
    gists: dict[str, str] = {}
    for index, clause in enumerate(document.clauses):
        if clause.gist in gists and clause.lines != document.clauses[index - 1].lines:
            message = f"the clauses {gists[clause.gist]} and {clause.clause} have the same gist"
            yield ("clauses", index, "gist"), message
        gists.setdefault(clause.gist, clause.clause)


@warning("unused", "name under `used-by` what it defines in the game, or cite it there")
def find_unused_definition(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a clause that defines something or leaves a choice, but that nothing uses or cites."""
    game = context.regulation.game
    cited = {label for requirement in context.regulation.requirements for label in requirement.clauses}
    if game is not None:
        cited |= {name for _, kind, name in iterate_references(game, ()) if kind == "clause"}
    for index, clause in enumerate(document.clauses):
        if clause.status in ("definition", "option") and not clause.used_by and clause.clause not in cited:
            message = f"clause {clause.clause} has the status {clause.status}, but nothing uses or cites it"
            yield ("clauses", index, "status"), message


@error("unknown-name", "name what uses the clause: a wager, hand, fact, decision, step, pay table or the like")
def find_unknown_use(context: GameContext, clause: Clause, here: DataPath) -> Mistakes:
    """Find a clause that names something under `used-by` that the game does not have."""
    names = Namespace.from_regulation(context.regulation).names.values() if clause.used_by else ()
    known = {name for names_of_kind in names for name in names_of_kind} | {*_GRAINS}
    for index, name in enumerate(clause.used_by):
        if name not in known:
            yield (*here, "used-by", index), f"the game has nothing called `{name}`"


@warning("line-mismatch", "list clauses in the order of the text, and compare the lines of both with it")
def find_overlapping_lines(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a clause that begins before the clause that precedes it, or within its lines.

    Two clauses may share a line. Clauses on exactly the same lines are parts of one passage.
    """
    for index, (earlier, later) in enumerate(pairwise(document.clauses), 1):
        is_within = later.lines[0] < earlier.lines[1] and later.lines != earlier.lines
        if later.lines[0] < earlier.lines[0] or is_within:
            yield (
                ("clauses", index, "lines"),
                f"clause {later.clause} begins on line {later.lines[0]}, and {earlier.clause} before it is "
                f"on lines {earlier.lines[0]} to {earlier.lines[1]}",
            )


@warning("line-mismatch", "compare the lines of both with the text; lines count from 1")
def find_clauses_on_one_line(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find two clauses on one and the same single line, although other clauses have lines of their own.

    A line number may have been copied from the clause before. One clause may be a part of the other.
    """
    for index, (earlier, later) in enumerate(pairwise(document.clauses), 1):
        is_part = later.clause.startswith(earlier.clause)
        if later.lines == earlier.lines and later.lines[0] == later.lines[1] and not is_part:
            message = f"the clauses {earlier.clause} and {later.clause} are both on line {later.lines[0]}"
            yield ("clauses", index, "lines"), message


@warning("missing-entry", "list every clause of the text in order, or correct the label")
def find_missing_clause(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a number that is missing between the labels of two clauses."""
    for index, (earlier, later) in enumerate(pairwise(document.clauses), 1):
        before, after = (_NUMBERED_LABEL.fullmatch(clause.clause) for clause in (earlier, later))
        if before and after and before[1] == after[1] and int(after[2]) != int(before[2]) + 1:
            yield ("clauses", index, "clause"), f"clause {later.clause} comes after {earlier.clause}"


@warning("line-mismatch", "compare the lines with the text; lines count from 1")
def find_lines_beyond_text(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find lines of a clause that do not exist in the text, or that end in the middle of a sentence.

    The check needs the text in the rules folder.
    """
    path = (context.rulebook.folder or rules_folder()) / FilePath(document.source.file).name
    if not path.is_file():
        return
    text = read_source(str(path)).text.rstrip().splitlines()
    covered = {line for clause in document.clauses for line in range(clause.lines[0], clause.lines[1] + 1)}
    for index, clause in enumerate(document.clauses):
        last = max(clause.lines)
        ending = f"clause {clause.clause} ends on line {last}, but"
        if last > len(text):
            yield ("clauses", index, "lines"), f"{ending} the text has {len(text)} lines"
        elif last + 1 not in covered and last < len(text) and text[last].lstrip()[:1].islower():
            yield ("clauses", index, "lines"), f"{ending} line {last + 1} of the text continues the sentence"


@warning("clause-mismatch", "cite the clause that requires it, or correct the status in document.yaml")
def find_cites_idle_clause(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a part of the game that cites a clause which requires nothing by its status."""
    for path, kind, name in iterate_references(game, here):
        if kind == "clause" and context.regulation.find_clause(name).status in ("informative", "external"):
            yield path, f"this cites clause {name}, whose status is {context.regulation.find_clause(name).status}"


@warning("unused", "use the option in a `reading` condition where it matters, or write `changes: nothing`")
def find_unused_option(context: DocumentContext, reading: Reading, here: DataPath) -> Mistakes:
    """Find two options of a reading that no rule distinguishes, although the reading is said to change something.

    One option may lack a rule: the one that holds if no condition names another.
    """
    distinguished = context.used_names.get(f"{OPTIONS_PREFIX}{reading.reading}", frozenset())
    others = [option for option in reading.options if option not in distinguished]
    if len(others) > 1 and reading.changes != "nothing":
        yield (
            (*here, "alternatives", others[1]),
            f"no rule distinguishes the options {' and '.join(others)} of {reading.reading}, although `changes` is "
            f"{reading.changes}",
        )


@warning("reading-has-effect", "write `changes: money` if payments depend on it, otherwise `changes: verdict`")
def find_reading_has_effect(context: DocumentContext, reading: Reading, here: DataPath) -> Mistakes:
    """Find a reading that is said to change nothing, although rules distinguish its options."""
    distinguished = context.used_names.get(f"{OPTIONS_PREFIX}{reading.reading}", frozenset())
    if distinguished and reading.changes == "nothing":
        yield (
            (*here, "changes"),
            f"`changes` of {reading.reading} is `nothing`, but rules distinguish whether it is read as "
            f"{' or '.join(sorted(distinguished))}",
        )
