"""Builder of the form of a submission from the rules of a document, blank or filled with an example."""

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

_REQUIRED_KEYS = frozenset({"submission", "licensee", "document", "effective", "tables", "layout"})
_SUGGESTED_VALUES = {"tables": ["T1", "T2"]}
_EXCLUDED_KEYS = frozenset({"waivers"})
"""Keys that a new submission does not contain."""


def blank_form(regulation: Regulation, *, example: Submission, licensee: str | None, effective: date) -> Form:
    """Build the form of a submission, blank except for values that the rules fix.

    Args:
        regulation: The regulation.
        example: A submission that complies; its keys appear on the form.
        licensee: Name of the licensee, if known.
        effective: Day on which the submission takes effect.
    """
    data = {
        "submission": f"{regulation.id}-1",
        "licensee": {"name": licensee or TO_BE_FILLED_IN},
        "document": regulation.id,
        "effective": effective.isoformat(),
        "layout": {"style": regulation.id},
        **({} if regulation.game is None else {"wagers": []}),
    }
    return _build_form(regulation, data, example, filled=False)


def example_form(regulation: Regulation, example: Submission) -> Form:
    """Build the form of a submission filled with an example."""
    return _build_form(regulation, example.as_written(), example, filled=True)


def _dump_submission(submission: Submission) -> dict[str, Any]:
    return submission.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _build_form(regulation: Regulation, data: dict[str, Any], example: Submission, *, filled: bool) -> Form:
    day = date.fromisoformat(data["effective"])
    asked = asked_on(regulation, day)
    draft = Draft(
        regulation=regulation,
        day=day,
        asked=asked,
        lawful=tuple(lawful_values(regulation, day)),
        usual=frozenset(_list_places(_dump_submission(example), ())),
        data=data,
        example=filled,
    )
    fields = tuple(_build_fields(draft, Submission, (), data))
    left = [hyphenated(name) for name in Submission.model_fields]
    left = [key for key in left if key not in {field.key for field in fields}]
    return Form(head=_build_head(regulation, filled=filled), fields=fields, foot=() if filled else _build_foot(left))


def _list_places(data: object, here: Keys) -> Iterator[Keys]:
    yield here
    if isinstance(data, dict):
        for key, part in data.items():
            yield from _list_places(part, (*here, key))
    elif isinstance(data, list):
        for part in data:
            yield from _list_places(part, (*here, EACH))


def _build_fields(draft: Draft, model: type[BaseModel], here: Keys, data: Any) -> Iterator[Field]:
    documented = attribute_docs(model)
    for name, info in model.model_fields.items():
        key = hyphenated(name)
        place = (*here, key)
        stated = data.get(key) if isinstance(data, dict) else None
        if here == () and (
            key in _EXCLUDED_KEYS or not (draft.wanted(place) or (key in _REQUIRED_KEYS and not draft.example))
        ):
            continue
        if here and not draft.wanted(place):
            continue
        kind = place_of(info.annotation)
        about = (documented[name], *_describe_values(draft, place, kind), *_list_clause_texts(draft, place))
        field = Field(key=key, about=about)
        yield _fill_field(draft, field, place, kind, stated, blank=NoneType in get_args(info.annotation))


def _fill_field(draft: Draft, field: Field, place: Keys, kind: Place, stated: Any, *, blank: bool) -> Field:
    """Return a field with its stated or suggested value; `blank` is whether it may stay blank."""
    key, about = field.key, field.about
    only = draft.only(place)
    if kind.fields is not None and "list" not in kind.kinds:
        fields = tuple(_build_fields(draft, kind.fields, place, stated))
        required = [name for name, info in kind.fields.model_fields.items() if info.is_required()]
        values = {inner_field.key: inner_field for inner_field in fields}
        is_incomplete = any(
            hyphenated(name) not in values or values[hyphenated(name)].value is None for name in required
        )
        return Field(key=key, about=about, fields=fields, chosen=stated is not None or not is_incomplete)
    if place == ("options",):
        return Field(key=key, about=about, fields=tuple(_build_option_fields(draft, stated)))
    items = entries_at(draft, place, stated)
    if items is not None:
        return Field(key=key, about=(*about, *_describe_entry_keys(draft, place, kind, items)), items=tuple(items))
    if stated is not None:
        return Field(key=key, about=about, value=stated)
    if only is not None:
        return Field(key=key, about=about, value=only.value, chosen=not only.only_if_stated)
    if not blank:
        return Field(key=key, about=about, value=_SUGGESTED_VALUES.get(key), chosen=False)
    return field


def _describe_entry_keys(draft: Draft, place: Keys, kind: Place, items: list[Item]) -> Iterator[str]:
    """Yield descriptions of the keys of the entries of a list."""
    item = kind.item()
    if item is None or item.fields is None:
        return
    documented = attribute_docs(item.fields)
    keys = list(dict.fromkeys(field.key for entry in items for field in entry.fields))
    for name, info in item.fields.model_fields.items():
        key = hyphenated(name)
        if key in keys:
            may_be = _describe_values(draft, (*place, EACH, key), place_of(info.annotation))
            yield " ".join((f"`{key}`: {documented[name]}", *may_be))


def _build_option_fields(draft: Draft, stated: Any) -> Iterator[Field]:
    """Yield fields for the options that rules test."""
    names = sorted({place[1] for place in draft.asked.places if place[:1] == ("options",) and len(place) == 2})
    for name in names if not draft.example else stated:
        place = ("options", name)
        values = draft.asked.words.get(place, ())
        about = (f"Values known to the rules: {_join_values(values)}.",) if values else ()
        if values and all(isinstance(value, bool) for value in values):
            about = (f"true or false; the rules test {_join_values(values)}.",)
        only = draft.only(place)
        yield Field(
            key=name,
            about=(*about, *_list_clause_texts(draft, place)),
            value=stated[name] if isinstance(stated, dict) else None if only is None else only.value,
            chosen=isinstance(stated, dict) or only is None,
        )


def _describe_values(draft: Draft, place: Keys, kind: Place) -> tuple[str, ...]:
    """Return a description of the values of a place, if there are only a few."""
    only = draft.only(place)
    if only is not None:
        return (f"The rules allow only {_join_values((only.value,))}.",)
    if place == ("dealing",) and draft.regulation.game is not None:
        ways = [name for stage in draft.regulation.game.deal.stages for name in stage.ways]
        return (f"One of: {_join_values((*dict.fromkeys((*draft.asked.words.get(place, ()), *ways)),))}.",)
    item = kind.item()
    choices = kind.choices if item is None else item.choices
    if choices is not None:
        return (f"{'One of' if item is None else 'In brackets, any of'}: {_join_values(sorted(choices))}.",)
    if kind.kinds == {"yes or no"}:
        return ("true or false.",)
    words = draft.asked.words.get(place, ()) if EACH not in place else ()
    if words and kind.fields is None and item is None:
        return (f"Values known to the rules: {_join_values(words)}.",)
    return ("In brackets: [one, another].",) if item is not None and item.fields is None else ()


def _join_values(values: Any) -> str:
    return ", ".join(_format_value(value) for value in values)


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _list_clause_texts(draft: Draft, place: Keys) -> Iterator[str]:
    """Yield the texts of the requirements on a place, each at the nearest key that is on the form."""
    for subject, requirement in draft.asked.by_key.get(place[0], ()):
        nearest = subject
        while len(nearest) > 1 and not draft.wanted(nearest):
            nearest = nearest[:-1]
        if nearest == place:
            yield in_words(requirement)


def _build_head(regulation: Regulation, *, filled: bool) -> tuple[str, ...]:
    document, game = regulation.document, regulation.game
    title = document.title if game is None else game.title
    purpose = "an example that complies" if filled else "to be filled in"
    return (
        f"Submission for {title}: {purpose}.",
        f"The rules: {document.title}; {document.source.citation}. Their id is {document.document}.",
        "",
        "Lines with ## are explanations. Amounts are whole numbers of minor currency units: 500 is 5.00. Days are"
        " written 2026-01-31.",
        *(
            ()
            if filled
            else (
                "1. Fill in the blanks after the colons. What stays blank is not stated.",
                "2. Lines with a single # are optional: to use one, remove `# ` and fill in its blanks.",
                "3. `fairdeal check` reports what is missing or not lawful; with --fix it corrects what has only one"
                " possible meaning. `fairdeal new --example` shows a submission that complies.",
            )
        ),
    )


def _build_foot(left: list[str]) -> tuple[str, ...]:
    return (f"These keys may be stated as well; the rules do not refer to them: {', '.join(left)}.",) if left else ()
