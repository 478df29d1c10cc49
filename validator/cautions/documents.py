"""Days on which nothing is in force, clauses that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from validator.cautions.caution import Caution
from validator.language.grains import Grain
from validator.rulebook.lint.references import Namespace
from validator.rules.core.references import references
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import Document
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.text.trees.tree import Path

_GRAINS = get_args(Grain)


def document_cautions(regulation: Regulation, document: Document) -> Iterator[Caution]:
    """Dates, and what definitions and options say they are used by."""
    if document.from_ is not None and document.until is not None and document.until < document.from_:
        yield _never(("until",), "the document ends before it begins")
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
