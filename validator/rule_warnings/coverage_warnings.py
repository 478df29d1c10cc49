"""Warnings about coverage: clauses out of order or unused, empty periods, terms that no requirement enforces."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from pathlib import Path as FilePath
from typing import get_args

from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.language.name_references import iterate_references, walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import Every, Value
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.wager_operators import JUDGED_STAKE, WagerIs
from fairdeal.validator.propositions import Formula, conjoin, negate
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rulebook.lint.namespace import Namespace
from fairdeal.validator.rules.deal_model import DealtCheck
from fairdeal.validator.rules.document_model import Document
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import RequirementFile, RoundCheck
from fairdeal.validator.text.positioned_document import DataPath
from fairdeal.validator.text.source import read_source

_NUMBERED_LABEL = re.compile(r"(.*)\(([0-9]{1,3})\)")
_GRAINS = get_args(Grain)


def find_document_warnings(regulation: Regulation, document: Document) -> Iterator[RuleWarning]:
    """Yield warnings about the dates of a document, its clauses and what they say they are used by."""
    if document.from_ is not None and document.until is not None and document.until < document.from_:
        yield _build_period_warning(("until",), "the document ends before it begins")
    yield from _find_line_warnings(document)
    gists: dict[str, str] = {}
    for index, clause in enumerate(document.clauses):
        if clause.gist in gists and clause.lines != document.clauses[index - 1].lines:
            yield RuleWarning(
                code="duplicate",
                path=("clauses", index, "gist"),
                severity="warning",
                message=f"the clauses {gists[clause.gist]} and {clause.clause} have the same gist",
                help="state what this clause regulates",
            )
        gists.setdefault(clause.gist, clause.clause)
    game = regulation.game
    known = (
        set()
        if game is None
        else {name for names in Namespace.from_regulation(regulation).names.values() for name in names}
    )
    cited = {label for requirement in regulation.requirements for label in requirement.clauses}
    cited |= set() if game is None else {name for _, kind, name in iterate_references(game, ()) if kind == "clause"}
    for index, clause in enumerate(document.clauses):
        if clause.status in ("definition", "option") and not clause.used_by and clause.clause not in cited:
            yield RuleWarning(
                code="unused",
                path=("clauses", index, "status"),
                severity="warning",
                message=f"clause {clause.clause} has the status {clause.status}, but nothing uses or cites it",
                help="name under `used-by` what it defines in the game, or cite it there",
            )
        for nth, name in enumerate(clause.used_by):
            if game is not None and name not in (*known, *_GRAINS):
                yield RuleWarning(
                    code="unknown-name",
                    path=("clauses", index, "used-by", nth),
                    message=f"the game has nothing called `{name}`",
                    help="name what uses the clause: a wager, hand, fact, decision, step, pay table or the like",
                )


def _find_line_warnings(document: Document) -> Iterator[RuleWarning]:
    """Yield warnings about clauses out of the order of the text.

    Clauses have lines of their own, but two may share one, and clauses on exactly the same lines are parts of one
    passage. Numbered clauses have no gaps. Lines count from 1.
    """
    for index, (earlier, later) in enumerate(pairwise(document.clauses), 1):
        here: DataPath = ("clauses", index)
        if later.lines[0] < earlier.lines[0] or (later.lines[0] < earlier.lines[1] and later.lines != earlier.lines):
            yield RuleWarning(
                code="line-mismatch",
                path=(*here, "lines"),
                severity="warning",
                message=f"clause {later.clause} begins on line {later.lines[0]}, and {earlier.clause} before it is on "
                f"lines {earlier.lines[0]} to {earlier.lines[1]}",
                help="list clauses in the order of the text, and compare the lines of both with it",
            )
        numbers = [_NUMBERED_LABEL.fullmatch(clause.clause) for clause in (earlier, later)]
        if numbers[0] and numbers[1] and numbers[0][1] == numbers[1][1]:
            before, after = (int(number[2]) for number in numbers if number)
            if after != before + 1:
                yield RuleWarning(
                    code="missing-entry",
                    path=(*here, "clause"),
                    severity="warning",
                    message=f"clause {later.clause} comes after {earlier.clause}",
                    help="list every clause of the text in order, or correct the label",
                )


def find_source_line_warnings(document: Document, folder: FilePath) -> Iterator[RuleWarning]:
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
            yield RuleWarning(
                code="line-mismatch",
                path=("clauses", index, "lines"),
                severity="warning",
                message=f"clause {clause.clause} ends on line {max(clause.lines)}, but the text has {length} lines",
                help="compare the lines with the text",
            )
    covered = {line for clause in document.clauses for line in range(clause.lines[0], clause.lines[1] + 1)}
    for index, clause in enumerate(document.clauses):
        after = clause.lines[1] + 1
        if after not in covered and after <= length and text[after - 1].lstrip()[:1].islower():
            yield RuleWarning(
                code="line-mismatch",
                path=("clauses", index, "lines"),
                severity="warning",
                message=f"clause {clause.clause} ends on line {after - 1}, but line {after} of the text continues "
                "the sentence",
                help="compare the lines with the text; lines count from 1",
            )


def find_clause_warnings(regulation: Regulation, game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about parts of a game that cite a clause which requires nothing."""
    for path, kind, name in iterate_references(game, ()):
        if kind == "clause" and regulation.find_clause(name).status in ("informative", "external"):
            yield RuleWarning(
                code="clause-mismatch",
                path=path,
                severity="warning",
                message=f"this cites clause {name}, whose status is {regulation.find_clause(name).status}",
                help="cite the clause that requires it, or correct the status in document.yaml",
            )


def find_period_warnings(regulation: Regulation, file: RequirementFile) -> Iterator[RuleWarning]:
    """Yield warnings about requirements that are never in force."""
    for index, requirement in enumerate(file.requirements):
        first, last = regulation.find_period(requirement)
        if first is not None and last is not None and last < first:
            key = "until" if requirement.until is not None else "from"
            if requirement.until is not None or requirement.from_ is not None:
                yield _build_period_warning(
                    ("requirements", index, key),
                    f"never in force: it would begin on {first.isoformat()} and end on {last.isoformat()}",
                )


def _build_period_warning(here: DataPath, message: str) -> RuleWarning:
    return RuleWarning(
        code="never-in-force", path=here, message=message, help="correct the days: the first must not be after the last"
    )


def find_unenforced_terms(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about terms of a game that no requirement enforces: needs and limits of wagers, order and faces of
    the deal."""
    game, requirements = terms.game, terms.prepared.regulation.requirements
    for name, wager in game.wagers.items():
        if wager.needs is not None:
            placed = terms.build_formula(Condition.model_validate({"placed": name}))
            if not _is_enforced(terms, conjoin([placed, negate(terms.build_formula(wager.needs))])):
                yield _build_unenforced_warning(
                    ("wagers", name, "needs"),
                    f"no requirement fails if {name} is placed without what it needs",
                    "add `requirements` to the wager, with an instance of `wager-beside-another` or one of your own",
                )
    amounts = _list_checked_wagers(terms, {"amount"})
    for name, wager in game.wagers.items():
        if wager.of is not None and name not in amounts:
            yield _build_unenforced_warning(
                ("wagers", name, "amount"),
                f"no requirement checks the amount of {name}, which must be a multiple of {wager.of}",
                "add `requirements` to the wager, with an instance of `multiple-of-a-wager` or one of your own",
            )
    if not any(isinstance(requirement.check.operand, DealtCheck) for requirement in requirements):
        yield _build_unenforced_warning(
            ("deal", "stages", 0),
            "no requirement checks the order in which cards are dealt",
            "add a requirement with the check `dealt: {asks: turn}`",
        )
    checked_faces = {
        part.operand.face
        for requirement in requirements
        for _, part in walk_models(requirement.check, ())
        if isinstance(part, Condition) and isinstance(OPERATORS.find(part), EventShows)
    }
    for index, stage in enumerate(game.deal.stages):
        if stage.face is not None and stage.face not in checked_faces:
            yield _build_unenforced_warning(
                ("deal", "stages", index, "face"),
                f"no requirement checks that cards are dealt face {stage.face}",
                "add a requirement that is an instance of `lies-face`",
            )
    yield from _find_unenforced_limits(terms)


def _find_unenforced_limits(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about wagers whose posted limits no requirement enforces, although others are enforced."""
    game, posted, checked = terms.game, set[str](), _list_checked_wagers(terms, {"minimum", "maximum"})
    for requirement in terms.prepared.regulation.requirements:
        for _, part in walk_models(requirement.check, ()):
            if isinstance(part, Every) and part.in_ == "wagers":
                values = [value for _, value in walk_models(part, ()) if isinstance(value, Value)]
                if {".minimum", ".maximum"} & {value.at for value in values}:
                    posted |= {name for value in values if value.at == ".wager" for name in _list_choices(value)}
    for name, wager in game.wagers.items():
        if checked & posted and wager.of is None and name in posted - checked:
            yield _build_unenforced_warning(
                ("wagers", name),
                f"limits must be posted for {name}, but no requirement checks stakes on it",
                "name it in the requirement that checks the limits of other wagers",
            )


def _list_checked_wagers(terms: PropositionBuilder, quantities: Collection[str]) -> set[str]:
    """Return the wagers for which requirements use one of some quantities, by name or as the judged stake."""
    wagers = set[str]()
    for requirement in terms.prepared.regulation.requirements:
        parts = [part for _, part in walk_models(requirement.check, ())]
        named = {name for part in parts if isinstance(part, Condition) for name in _list_wagers(part)}
        for part in parts:
            if isinstance(part, Quantity) and part.operator in quantities:
                wagers |= (named or {*terms.game.wagers}) if part.operand == JUDGED_STAKE else {part.operand}
    return wagers


def _list_choices(value: Value) -> list[str]:
    return value.operand if value.operator == "one-of" else []


def _list_wagers(condition: Condition) -> list[str]:
    return condition.operand if isinstance(OPERATORS.find(condition), WagerIs) else []


def _is_enforced(terms: PropositionBuilder, violation: Formula) -> bool:
    """Return whether some requirement applies to a violation and fails for it."""
    for requirement in terms.prepared.regulation.requirements:
        check = requirement.check.operand
        if isinstance(check, RoundCheck):
            applying = conjoin([violation, True if check.when is None else terms.build_formula(check.when)])
            if terms.may_hold(applying) and not terms.may_hold(conjoin([applying, terms.build_formula(check.must)])):
                return True
    return False


def _build_unenforced_warning(at: DataPath, message: str, help_: str) -> RuleWarning:
    return RuleWarning(code="unenforced", path=at, at_key=True, severity="warning", message=message, help=help_)
