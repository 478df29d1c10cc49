"""Alternatives to a value: neighbouring names of the same kind, other values of a closed list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from enum import Enum
from fractions import Fraction
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le
from msgspec.structs import replace
from pydantic import BaseModel

from fairdeal.validator.cards.ranking_models import AnyRanking, Band, JokerModel, Mark, Ranking
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import EARLIER
from fairdeal.validator.language.grammar import BUTTON, NameReference, OptionIs, ReadingIs
from fairdeal.validator.language.submission_conditions import Value
from fairdeal.validator.rulebook.dependencies import JUDGED_STAKE
from fairdeal.validator.rules.deal_model import SIDES
from fairdeal.validator.rules.document_model import NameList
from fairdeal.validator.rules.game_model import Act
from fairdeal.validator.rules.payment_model import PayTable
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import to_key
from fairdeal.validator.text.plain_values import MoneyAnnotation, parse_payout
from tools.mutation.policy import MANY, NEIGHBOURS

_EARLIER = f"{EARLIER}."


def find_neighbours(value: str, names: Sequence[str]) -> list[str]:
    """Return the names that are closest to a name in their order, the one before it first."""
    names = list(dict.fromkeys(names))
    if value not in names:
        return names[:NEIGHBOURS]
    at = names.index(value)
    others = sorted(
        (name for name in names if name != value), key=lambda one: (abs(names.index(one) - at), names.index(one))
    )
    return others[:NEIGHBOURS]


def list_names_near(kind: str, value: str, owner: BaseModel, regulation: Regulation) -> list[str]:
    """List names of the same kind that could replace a name, in a rule that is part of `owner`."""
    game = regulation.game
    match kind:
        case "category" | "row":
            return find_neighbours(value, _categories(value, owner, regulation))
        case "submission-path":
            return _siblings(value)
        case "ranking":
            return find_neighbours(value, list(regulation.vocabulary.rankings))
        case "deck":
            return find_neighbours(value, list(regulation.vocabulary.decks))
        case "reading":
            return find_neighbours(value, list(regulation.readings))
        case "clause":
            return find_neighbours(value, [clause.clause for clause in regulation.document.clauses])
        case "list":
            return find_neighbours(value, list(regulation.document.lists))
    assert game is not None, f"a document without a game has no {kind}"
    positions = [BUTTON, *(() if game.table is None else game.table.positions)]
    known: dict[str, Sequence[str]] = {
        "wager": list(game.wagers),
        "line": [*game.wagers, *game.bonuses],
        "hand": list(game.hands),
        "fact": list(game.facts),
        "step": list(game.all_acts),
        "occasion": ["table-opens", "round-dealt", *game.all_acts],
        "case": [case.case for case in game.settlement.cases],
        "decision": list(game.decisions),
        "decision-taken": list(game.decisions),
        "way": list(game.deal.ways),
        "stage": [stage.stage for stage in game.deal.stages],
        "first-seat": [*SIDES, *positions],
        "position": positions,
        "meter": [pay_table.meter for pay_table in game.pay_tables.values() if pay_table.meter is not None],
        "pay-table": list(game.pay_tables),
        "outcome": list(game.outcomes),
        "scale": list(game.scales),
        "cap": [cap.cap for cap in game.settlement.caps],
        "betting-round": [] if game.betting is None else [round_.round for round_ in game.betting.rounds],
        "drawing": list(game.drawing),
        "drawing-rule": [rule.rule for drawing in game.drawing.values() for rule in drawing.rules],
    }
    return [alternative for alternative in find_neighbours(value, known[kind]) if alternative != JUDGED_STAKE]


def _categories(value: str, owner: BaseModel, regulation: Regulation) -> list[str]:
    """List the categories, marks and bands that include a name, highest first. They are of the rankings (or the scale)
    of its rule if these are known, otherwise of the first ranking that knows it."""
    rankings, game = regulation.vocabulary.rankings, regulation.game
    if isinstance(owner, PayTable) and owner.by is not None and game is not None:
        return [*game.scales[owner.by].bands]
    hands = owner.lookup_names if isinstance(owner, PayTable) else [getattr(owner, "hand", None)]
    if None not in hands and game is not None:
        asked = [rankings[game.hands[str(hand)].rank_by] for hand in hands]
    else:
        asked = [next(ranking for ranking in rankings.values() if value in ranking.list_names())]
    return [name for ranking in asked for name in _in_order(ranking)]


def _in_order(ranking: AnyRanking) -> Iterator[str]:
    marks = ranking.marks if isinstance(ranking, Ranking) else {}
    for category in ranking.categories:
        yield from (name for name, mark in marks.items() if mark.category == category.category)
        yield category.category
    yield from ranking.bands


def _siblings(path: str) -> list[str]:
    """List places in a submission next to the place that a path names."""
    before = _EARLIER if path.startswith(_EARLIER) else path[: len(path) - len(path.lstrip("."))]
    *around, last = path.removeprefix(before).split(".")
    if not last or path == EARLIER:
        return []  # the item itself, or the previous submission: it has no siblings
    if around == ["options"]:
        return [f"{path}-else"]
    if before.startswith("."):
        home = next(model for model in _models(Submission) if last in _keys(model))
    else:
        home = Submission
        for key in around:
            home = next(_inner(home.model_fields[key.replace("-", "_")].annotation))
    return [before + ".".join((*around, key)) for key in find_neighbours(last, _keys(home))]


def _values_at(path: str) -> tuple[Any, ...]:
    """Return the values of the closed list, if any, at a place in a submission."""
    last = path.lstrip(".").rsplit(".", 1)[-1]
    for model in _models(Submission):
        for name, info in model.model_fields.items():
            if to_key(name) == last and (found := list_allowed_values(info.annotation)):
                return found
    return ()


def _keys(model: type[BaseModel]) -> list[str]:
    return [to_key(name) for name in model.model_fields]


def _models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Yield the models within a model, the inner ones first; itself last."""
    for info in model.model_fields.values():
        for inner in _inner(info.annotation):
            yield from _models(inner)
    yield model


def _inner(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _inner(part)


def find_kind(annotation: Any) -> str | None:
    """Return the kind of name that an annotated text holds, if it is a name."""
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        return next((note.kind for note in notes if isinstance(note, NameReference)), None) or find_kind(inner)
    if get_origin(annotation) in (Union, UnionType):
        return next((kind for part in get_args(annotation) if (kind := find_kind(part))), None)
    return None


def find_item_types(annotation: Any, container: type) -> tuple[Any, ...]:
    """Return the types of the entries of a list or mapping, whatever notes and options surround it.

    Raises LookupError if there is no such container.
    """
    if get_origin(annotation) is container:
        return get_args(annotation)
    for part in get_args(annotation):
        if get_origin(part) is container or get_origin(part) in (Annotated, Union, UnionType):
            try:
                return find_item_types(part, container)
            except LookupError:
                continue
    raise LookupError(f"{annotation} holds no {container.__name__}")


def list_allowed_values(annotation: Any) -> tuple[Any, ...]:
    """Return the values of an annotated field that lists them one by one, also as items of a list."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(part.value for part in annotation)
    return next((found for part in get_args(annotation) if (found := list_allowed_values(part))), ())


def list_others(value: Any, listed: Sequence[Any]) -> list[Any]:
    """Return the other values of a closed list; of a long one, the neighbours."""
    if len(listed) > MANY:
        return list(find_neighbours(value, listed))
    return [item for item in listed if item != value]


def list_numbers_near(value: int, annotation: Any) -> list[int]:
    """Return the number less one and plus one, if the schema allows it."""
    bounds = list(_notes(annotation))
    return [neighbour for neighbour in (value - 1, value + 1) if all(_allows(bound, neighbour) for bound in bounds)]


def is_money(annotation: Any) -> bool:
    """Return whether the file states a number in units of a currency."""
    return any(isinstance(note, MoneyAnnotation) and note.is_amount for note in _notes(annotation))


def _allows(bound: object, number: int) -> bool:
    match bound:
        case Ge(ge=int(least)):
            return number >= least
        case Le(le=int(most)):
            return number <= most
    return True


def _notes(annotation: Any) -> Iterator[object]:
    if get_origin(annotation) is Annotated:
        yield from get_args(annotation)[1:]
    for part in get_args(annotation):
        yield from _notes(part)


def list_payouts_near(text: str) -> list[str]:
    """Return payouts of one less and one more, worded alike; even money in place of a push."""
    payout = parse_payout(text)
    if payout.form == "push":
        return ["1 to 1"]
    step = {"meter": Fraction(1, 100), "amount": Fraction(100)}.get(payout.form, Fraction(1, payout.value.denominator))
    near_by = (replace(payout, value=value) for value in (payout.value - step, payout.value + step) if value)
    return [str(neighbour) for neighbour in near_by if neighbour.worth >= 0]


def list_days_near(day: date) -> list[str]:
    """Return the day before and the day after."""
    return [(day + timedelta(days=step)).isoformat() for step in (-1, 1)]


def list_words_near(value: str, owner: BaseModel, field: str, regulation: Regulation) -> list[str]:
    """List texts that could replace a text, though no schema lists them. Raises TypeError if none is known."""
    match owner:
        case ReadingIs():
            return [option for option in regulation.readings[owner.name].options if option != value]
        case Mark() | Band():
            return find_neighbours(value, _categories(value, owner, regulation))
        case JokerModel():
            return []  # each category is taken away
        case Value() if isinstance(owner.operand, list):
            return []  # each item is taken away, and what would be allowed instead is as good as nothing
        case Value():
            listed = _values_at(owner.at)
            return list_others(value, listed) if value in listed else [f"another-{value}"]
        case OptionIs():
            return [f"another-{value}"]
        case NameList():
            return [f"another-{value}"]
        case PayTable() if field == "meter":
            return [f"another-{value}"]
        case Act() if field == "what":
            return [f"another-{value}"]
    raise TypeError(f"no mutant is made of {type(owner).__name__}.{field}")
