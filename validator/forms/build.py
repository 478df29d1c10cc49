"""The form of a submission drawn up from a document: what its rules ask, blank or filled with an example."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel

from validator.evidence.submission.model import TO_BE_FILLED_IN, Submission
from validator.forms.asked_places import EACH, Keys, asked_on
from validator.forms.draft import Draft, in_words
from validator.forms.entries import entries_at
from validator.forms.form import Field, Form, Item
from validator.forms.sole_values import lawful_values
from validator.rulebook.vocabulary.submission_places import Place, place_of
from validator.rules.core.regulation import Regulation
from validator.text.models.docs import attribute_docs
from validator.text.models.model import hyphenated

_ALWAYS = frozenset({"submission", "licensee", "document", "effective", "tables", "layout"})
_OFFERED = {"tables": ["T1", "T2"]}
_NEVER = frozenset({"waivers"})
"""Claims that a casino does not begin with."""


def blank_form(regulation: Regulation, *, example: Submission, licensee: str | None, effective: date) -> Form:
    """The form of a submission that takes effect on a day, blank but for what the rules leave no choice of."""
    data = {
        "submission": f"{regulation.id}-1",
        "licensee": {"name": licensee or TO_BE_FILLED_IN},
        "document": regulation.id,
        "effective": effective.isoformat(),
        "layout": {"style": regulation.id},
        **({} if regulation.game is None else {"wagers": []}),
    }
    return _form(regulation, data, example, filled=False)


def example_form(regulation: Regulation, example: Submission) -> Form:
    """The form of a submission filled with an example."""
    return _form(regulation, example.as_written(), example, filled=True)


def _data(submission: Submission) -> dict[str, Any]:
    return submission.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _form(regulation: Regulation, data: dict[str, Any], example: Submission, *, filled: bool) -> Form:
    day = date.fromisoformat(data["effective"])
    asked = asked_on(regulation, day)
    draft = Draft(
        regulation=regulation,
        day=day,
        asked=asked,
        lawful=tuple(lawful_values(regulation, day)),
        usual=frozenset(_places(_data(example), ())),
        data=data,
        example=filled,
    )
    fields = tuple(_fields(draft, Submission, (), data))
    left = [hyphenated(name) for name in Submission.model_fields]
    left = [key for key in left if key not in {field.key for field in fields}]
    return Form(head=_head(regulation, filled=filled), fields=fields, foot=() if filled else _foot(left))


def _places(data: object, here: Keys) -> Iterator[Keys]:
    yield here
    if isinstance(data, dict):
        for key, part in data.items():
            yield from _places(part, (*here, key))
    elif isinstance(data, list):
        for part in data:
            yield from _places(part, (*here, EACH))


def _fields(draft: Draft, model: type[BaseModel], here: Keys, data: Any) -> Iterator[Field]:
    documented = attribute_docs(model)
    for name, info in model.model_fields.items():
        key = hyphenated(name)
        place = (*here, key)
        stands = data.get(key) if isinstance(data, dict) else None
        if here == () and (key in _NEVER or not (draft.wanted(place) or (key in _ALWAYS and not draft.example))):
            continue
        if here and not draft.wanted(place):
            continue
        kind = place_of(info.annotation)
        about = (documented[name], *_may_be(draft, place, kind), *_clauses(draft, place))
        field = Field(key=key, about=about)
        yield _filled(draft, field, place, kind, stands, blank=NoneType in get_args(info.annotation))


def _filled(draft: Draft, field: Field, place: Keys, kind: Place, stands: Any, *, blank: bool) -> Field:
    """A field with what stands there, or what is offered; `blank` is whether it may be left blank."""
    key, about = field.key, field.about
    only = draft.only(place)
    if kind.fields is not None and "list" not in kind.kinds:
        fields = tuple(_fields(draft, kind.fields, place, stands))
        unstated = [one for one, info in kind.fields.model_fields.items() if info.is_required()]
        values = {one.key: one for one in fields}
        lacks = any(hyphenated(one) not in values or values[hyphenated(one)].value is None for one in unstated)
        return Field(key=key, about=about, fields=fields, chosen=stands is not None or not lacks)
    if place == ("options",):
        return Field(key=key, about=about, fields=tuple(_options(draft, stands)))
    items = entries_at(draft, place, stands)
    if items is not None:
        return Field(key=key, about=(*about, *_of_each(draft, place, kind, items)), items=tuple(items))
    if stands is not None:
        return Field(key=key, about=about, value=stands)
    if only is not None:
        return Field(key=key, about=about, value=only.value, chosen=not only.only_if_stated)
    if not blank:
        return Field(key=key, about=about, value=_OFFERED.get(key), chosen=False)
    return field


def _of_each(draft: Draft, place: Keys, kind: Place, items: list[Item]) -> Iterator[str]:
    """What the keys of the entries of a list are."""
    item = kind.item()
    if item is None or item.fields is None:
        return
    documented = attribute_docs(item.fields)
    keys = list(dict.fromkeys(field.key for one in items for field in one.fields))
    for name, info in item.fields.model_fields.items():
        key = hyphenated(name)
        if key in keys:
            may_be = _may_be(draft, (*place, EACH, key), place_of(info.annotation))
            yield " ".join((f"`{key}`: {documented[name]}", *may_be))


def _options(draft: Draft, stands: Any) -> Iterator[Field]:
    """The choices that rules ask about."""
    names = sorted({place[1] for place in draft.asked.places if place[:1] == ("options",) and len(place) == 2})
    for name in names if not draft.example else stands:
        place = ("options", name)
        values = draft.asked.words.get(place, ())
        about = (f"What the rules know: {_listed(values)}.",) if values else ()
        if values and all(isinstance(one, bool) for one in values):
            about = (f"true or false; the rules ask about {_listed(values)}.",)
        only = draft.only(place)
        yield Field(
            key=name,
            about=(*about, *_clauses(draft, place)),
            value=stands[name] if isinstance(stands, dict) else None if only is None else only.value,
            chosen=isinstance(stands, dict) or only is None,
        )


def _may_be(draft: Draft, place: Keys, kind: Place) -> tuple[str, ...]:
    """What may stand at a place, where that is one of a few things."""
    only = draft.only(place)
    if only is not None:
        return (f"The rules allow only {_listed((only.value,))}.",)
    if place == ("dealing",) and draft.regulation.game is not None:
        ways = [name for stage in draft.regulation.game.deal.stages for name in stage.ways]
        return (f"One of: {_listed((*dict.fromkeys((*draft.asked.words.get(place, ()), *ways)),))}.",)
    item = kind.item()
    choices = kind.choices if item is None else item.choices
    if choices is not None:
        return (f"{'One of' if item is None else 'In brackets, any of'}: {_listed(sorted(choices))}.",)
    if kind.kinds == {"yes or no"}:
        return ("true or false.",)
    words = draft.asked.words.get(place, ()) if EACH not in place else ()
    if words and kind.fields is None and item is None:
        return (f"What the rules look for: {_listed(words)}.",)
    return ("In brackets: [one, another].",) if item is not None and item.fields is None else ()


def _listed(values: Any) -> str:
    return ", ".join(_written(value) for value in values)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _clauses(draft: Draft, place: Keys) -> Iterator[str]:
    """What the clauses ask of a place, each requirement where it belongs: at the nearest key that is on the form."""
    for about, requirement in draft.asked.by_key.get(place[0], ()):
        at_home = about
        while len(at_home) > 1 and not draft.wanted(at_home):
            at_home = at_home[:-1]
        if at_home == place:
            yield in_words(requirement)


def _head(regulation: Regulation, *, filled: bool) -> tuple[str, ...]:
    document, game = regulation.document, regulation.game
    title = document.title if game is None else game.title
    what = "an example that complies" if filled else "to be filled in"
    return (
        f"Submission for {title}: {what}.",
        f"The rules: {document.title}; {document.source.citation}. Their id is {document.document}.",
        "",
        "Lines with two signs (##) explain. Amounts are whole numbers of minor currency units: 500 is 5.00. Days are"
        " written 2026-01-31.",
        *(
            ()
            if filled
            else (
                "1. Fill in what is blank behind a colon. What stays blank is not stated.",
                "2. Lines with one sign (# ) are offered: to choose one, take `# ` away, and fill in its blanks.",
                "3. `fairdeal check` names what is not stated or not lawful; with --fix it mends what can only be meant"
                " in one way. `fairdeal new --example` shows a submission that complies.",
            )
        ),
    )


def _foot(left: list[str]) -> tuple[str, ...]:
    return (f"The rules ask nothing about these keys, which may be stated as well: {', '.join(left)}.",) if left else ()
