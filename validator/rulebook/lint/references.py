"""Every name in a rule file must be defined somewhere: one walk over the models finds those that are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel

from validator.evidence.submission.model import Submission
from validator.evidence.submission.view import EARLIER
from validator.language.refs import BUTTON, DECLARED, SUBMITTED
from validator.rules.core.references import kind_named, references
from validator.rules.core.regulation import Regulation
from validator.rules.model.deal import SIDES
from validator.text.diagnostics import Diagnostic, did_you_mean
from validator.text.models.model import Closed, hyphenated
from validator.text.trees.tree import Tree

THIS = "this"
"""Stands for the wager of the stake that is judged."""
OCCASIONS = ("table-opens", "round-dealt")
"""What may make steps needed besides a step."""
_EARLIER = f"{EARLIER}."
"""What a path starts with that leads into the submission which the judged one replaces."""

_OPTIONS = "options."


class Namespace(Struct, frozen=True):
    """The names a regulation defines, by kind."""

    names: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, regulation: Regulation) -> Namespace:
        """The namespace of a regulation."""
        rankings = regulation.vocabulary.rankings
        found: dict[str, set[str]] = {
            "clause": {clause.clause for clause in regulation.document.clauses},
            "reading": set(regulation.readings),
            "requirement": {one.requirement for one in regulation.requirements},
            "deck": set(regulation.vocabulary.decks),
            "list": set(regulation.document.lists),
            "ranking": set(rankings),
            "category": {name for ranking in rankings.values() for name in ranking.names()},
        }
        game = regulation.game
        if game is not None:
            found["wager"] = {*game.wagers, THIS}
            found["line"] = {*game.wagers, *game.bonuses, THIS}
            found["hand"] = set(game.hands)
            found["fact"] = set(game.facts)
            found["step"] = {step.step for step in game.procedure}
            found["course"] = set(game.courses)
            found["phase"] = {one.phase for course in game.courses.values() for one in course.phases}
            found["occasion"] = {*found["step"], *OCCASIONS}
            found["case"] = {case.case for case in game.settlement.cases}
            found["decision"] = set(game.decisions)
            found["stage"] = {stage.stage for stage in game.deal.stages}
            found["way"] = {*(name for stage in game.deal.stages for name in stage.ways), SUBMITTED}
            found["pay-table"] = set(game.pay_tables)
            found["drawing"] = set(game.drawing)
            found["drawing-rule"] = {one.rule for drawing in game.drawing.values() for one in drawing.rules}
            found["position"] = {BUTTON, *(game.table.positions if game.table is not None else ())}
            found["first-seat"] = {*SIDES, *found["position"]}
            found["betting-round"] = {one.round for one in game.betting.rounds} if game.betting is not None else set()
            found["meter"] = {table.meter for table in game.pay_tables.values() if table.meter is not None}
            found["decision-taken"] = {*game.decisions, DECLARED}
            found["scale"] = set(game.scales)
            found["row"] = {*found["category"], *(one.band for scale in game.scales.values() for one in scale.bands)}
            found["cap"] = {cap.cap for cap in game.settlement.caps}
        return cls({kind: frozenset(names) for kind, names in found.items()})

    def knows(self, kind: str, name: str) -> bool:
        """Whether something of that kind has that name."""
        if kind == "submission-path":
            return _is_path(name)
        return name in self.names.get(kind, frozenset())

    def candidates(self, kind: str) -> frozenset[str]:
        """All names of a kind."""
        return _paths() if kind == "submission-path" else self.names.get(kind, frozenset())


def unknown_names(tree: Tree, model: Closed, names: Namespace) -> Iterator[Diagnostic]:
    """A diagnostic for every name in a file that nothing defines."""
    for path, kind, name in references(model, ()):
        if not names.knows(kind, name):
            near = did_you_mean(name, names.candidates(kind))
            yield tree.diagnostic(
                path,
                "unknown-name",
                f"there is no {kind.replace('-', ' ')} `{name}`",
                help=f"did you mean `{near}`?" if near else None,
            )


def _is_path(text: str) -> bool:
    """Whether a dotted path leads to a place of a submission, as far as names can tell."""
    if text.startswith("."):
        return text.lstrip(".") in _keys() or not text.strip(".")
    here = text.removeprefix(_EARLIER)
    return text == EARLIER or here in _paths() or (here.startswith(_OPTIONS) and len(here) > len(_OPTIONS))


@cache
def _paths() -> frozenset[str]:
    """Every place in a submission, as dotted keys; places inside lists are named from their item."""
    return frozenset(_walk(Submission, ""))


@cache
def _keys() -> frozenset[str]:
    found: set[str] = set()
    waiting: list[Any] = [Submission]
    while waiting:
        model = waiting.pop()
        for field, info in model.model_fields.items():
            found.add(hyphenated(field))
            waiting.extend(_models(info.annotation))
    return frozenset(found)


def _walk(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for field, info in model.model_fields.items():
        here = prefix + hyphenated(field)
        yield here
        annotation: Any = info.annotation
        if get_origin(kind_named(annotation)[1]) is not list:
            for inner in _models(info.annotation):
                yield from _walk(inner, f"{here}.")


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
