"""The names that a regulation defines, and a search for names that it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import EARLIER
from fairdeal.validator.language.name_references import (
    BUTTON,
    DECLARED,
    SUBMITTED,
    find_reference_kind,
    iterate_references,
)
from fairdeal.validator.rules.deal_model import SIDES
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import ClosedModel, to_key
from fairdeal.validator.text.diagnostics import Diagnostic, find_similar
from fairdeal.validator.text.positioned_document import PositionedDocument

JUDGED_STAKE = "this"
"""Name of the wager of the judged stake."""
NON_STEP_OCCASIONS = ("table-opens", "round-dealt")
"""Occasions other than steps from which steps may be needed."""
_EARLIER_PREFIX = f"{EARLIER}."
"""Prefix of a path into the submission that the judged one replaces."""

_OPTIONS_PREFIX = "options."


class Namespace(Struct, frozen=True):
    """The names a regulation defines, by kind."""

    names: Mapping[str, frozenset[str]]
    """The defined names, by kind."""

    @classmethod
    def from_regulation(cls, regulation: Regulation) -> Namespace:
        """Return the namespace of a regulation."""
        rankings = regulation.vocabulary.rankings
        defined: dict[str, set[str]] = {
            "clause": {clause.clause for clause in regulation.document.clauses},
            "reading": set(regulation.readings),
            "requirement": {requirement.requirement for requirement in regulation.requirements},
            "deck": set(regulation.vocabulary.decks),
            "list": set(regulation.document.lists),
            "ranking": set(rankings),
            "category": {name for ranking in rankings.values() for name in ranking.list_names()},
        }
        game = regulation.game
        if game is not None:
            defined["wager"] = {*game.wagers, JUDGED_STAKE}
            defined["line"] = {*game.wagers, *game.bonuses, JUDGED_STAKE}
            defined["hand"] = set(game.hands)
            defined["fact"] = set(game.facts)
            defined["step"] = {step.step for step in game.procedure}
            defined["course"] = set(game.courses)
            defined["phase"] = {phase.phase for course in game.courses.values() for phase in course.phases}
            defined["occasion"] = {*defined["step"], *NON_STEP_OCCASIONS}
            defined["case"] = {case.case for case in game.settlement.cases}
            defined["decision"] = set(game.decisions)
            defined["stage"] = {stage.stage for stage in game.deal.stages}
            defined["way"] = {*(name for stage in game.deal.stages for name in stage.ways), SUBMITTED}
            defined["pay-table"] = set(game.pay_tables)
            defined["drawing"] = set(game.drawing)
            defined["drawing-rule"] = {rule.rule for drawing in game.drawing.values() for rule in drawing.rules}
            defined["position"] = {BUTTON, *(game.table.positions if game.table is not None else ())}
            defined["first-seat"] = {*SIDES, *defined["position"]}
            defined["betting-round"] = (
                {betting_round.round for betting_round in game.betting.rounds} if game.betting is not None else set()
            )
            defined["meter"] = {table.meter for table in game.pay_tables.values() if table.meter is not None}
            defined["decision-taken"] = {*game.decisions, DECLARED}
            defined["scale"] = set(game.scales)
            defined["row"] = {
                *defined["category"],
                *(band.band for scale in game.scales.values() for band in scale.bands),
            }
            defined["cap"] = {cap.cap for cap in game.settlement.caps}
        return cls({kind: frozenset(names) for kind, names in defined.items()})

    def is_defined(self, kind: str, name: str) -> bool:
        """Return whether a name of a kind is defined."""
        if kind == "submission-path":
            return _is_submission_path(name)
        return name in self.names.get(kind, frozenset())

    def list_names(self, kind: str) -> frozenset[str]:
        """Return all names of a kind."""
        return _list_submission_paths() if kind == "submission-path" else self.names.get(kind, frozenset())


def find_undefined_names(tree: PositionedDocument, model: ClosedModel, names: Namespace) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every undefined name in a file."""
    for path, kind, name in iterate_references(model, ()):
        if not names.is_defined(kind, name):
            near = find_similar(name, names.list_names(kind))
            yield tree.build_diagnostic(
                path,
                "unknown-name",
                f"there is no {kind.replace('-', ' ')} `{name}`",
                help=f"did you mean `{near}`?" if near else None,
            )


def _is_submission_path(text: str) -> bool:
    """Return whether a dotted path leads to a place of a submission; names of options are not checked."""
    if text.startswith("."):
        return text.lstrip(".") in _list_submission_keys() or not text.strip(".")
    here = text.removeprefix(_EARLIER_PREFIX)
    return (
        text == EARLIER
        or here in _list_submission_paths()
        or (here.startswith(_OPTIONS_PREFIX) and len(here) > len(_OPTIONS_PREFIX))
    )


@cache
def _list_submission_paths() -> frozenset[str]:
    """Return every place in a submission as dotted keys; places inside lists are relative to their item."""
    return frozenset(_walk_paths(Submission, ""))


@cache
def _list_submission_keys() -> frozenset[str]:
    keys: set[str] = set()
    pending: list[Any] = [Submission]
    while pending:
        model = pending.pop()
        for field, info in model.model_fields.items():
            keys.add(to_key(field))
            pending.extend(_list_models(info.annotation))
    return frozenset(keys)


def _walk_paths(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for field, info in model.model_fields.items():
        here = prefix + to_key(field)
        yield here
        annotation: Any = info.annotation
        if get_origin(find_reference_kind(annotation)[1]) is not list:
            for inner in _list_models(info.annotation):
                yield from _walk_paths(inner, f"{here}.")


def _list_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _list_models(part)
