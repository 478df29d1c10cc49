"""Form of a draft: the fields that the rules of its game need, with the values that the draft states.

A field never has a value that nobody stated. What a rule permits is a hint, and entries are added by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData

from fairdeal.cli.desk.drafts.draft_edits import DraftChange
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.forms.form_entries import FormEntry, FormField, PermittedValues, SubmissionForm
from fairdeal.validator.rulebook.submission_places import RequiredPlaces, SubmissionPlace, place_from_annotation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.closed_model import OneOperatorModel, read_attribute_docs, to_key
from fairdeal.validator.text.positioned_document import Data, DataPath, format_pointer

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})", re.ASCII)
_SINGLE_ENTRIES = frozenset({"wagers", "pay-tables", "notices", "attestations", "meters"})
"""Lists whose entries are offered until they are there."""


_TOGETHER = frozenset({("wagers",), ("notices",), ("attestations",)})
"""Lists whose offered entries may all belong to them."""


class ControlKind(StrEnum):
    """Kind of an input."""

    TEXT = "text"
    NUMBER = "number"
    MONEY = "money"
    DAY = "day"
    TRUTH = "truth"
    CHOICE = "choice"
    CHOICES = "choices"
    LINES = "lines"
    ROWS = "rows"
    OTHER = "other"
    """A value that the form shows and does not change."""


class Control(Struct, frozen=True, kw_only=True):
    """Input for a value of a draft."""

    path: DataPath
    """Path of the value."""
    label: str
    kind: ControlKind
    values: tuple[str, ...]
    """Value as it is shown: none if it is not stated, several for a choice of several or for lines."""
    about: tuple[str, ...] = ()
    """Paragraphs of explanation."""
    hint: str = ""
    """The only value that the rules permit, if there is one."""
    requirements: tuple[Requirement, ...] = ()
    choices: tuple[str, ...] = ()
    """Possible values, or suggestions for a text."""

    @property
    def name(self) -> str:
        """Name of the input: the JSON Pointer of its value."""
        return format_pointer(self.path)

    @property
    def text(self) -> str:
        """Value as one text."""
        return "\n".join(self.values)


class EntryOffer(Struct, frozen=True, kw_only=True):
    """Entry that can be added to a list."""

    title: str
    values: Mapping[str, Any]
    """Content of the entry."""
    about: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]
    """Rows of a printed pay table."""


class FieldGroup(Struct, frozen=True, kw_only=True):
    """Mapping, or entry of a list, with its inputs."""

    path: DataPath
    title: str
    controls: tuple[Control, ...] = ()
    groups: tuple[FieldGroup, ...] = ()
    about: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    is_entry: bool = False
    """True for an entry of a list, which can be removed."""
    rows: tuple[tuple[str, str], ...] = ()
    """Rows of the printed pay table that an entry names."""
    is_list: bool = False
    """True for a list, whose groups are its entries."""
    offers: tuple[tuple[int, EntryOffer], ...] = ()
    """Entries that can be added to a list, each with its number."""

    @property
    def may_add_all(self) -> bool:
        """True if all offered entries may belong to the list together."""
        is_blank_list = not self.groups and self.path[-1:] == ("areas",)
        return len(self.offers) > 1 and (is_blank_list or self.path[-1:] in _TOGETHER)

    @property
    def name(self) -> str:
        """JSON Pointer of the mapping, entry or list."""
        return format_pointer(self.path)

    def iter_controls(self) -> Iterator[Control]:
        """Yield all inputs of the group and of the groups within."""
        yield from self.controls
        for group in self.groups:
            yield from group.iter_controls()


def build_fields(form: SubmissionForm, required: RequiredPlaces, data: Data) -> tuple[FieldGroup, ...]:
    """Return the form of a draft: first what is stated once, then a group for each mapping and list."""
    values = data if isinstance(data, dict) else {}
    single: list[Control] = []
    groups: list[FieldGroup] = []
    for field in form.fields:
        path = (field.key,)
        stated = values.get(field.key)
        if field.items is not None:
            groups.append(_build_list(field, path, required, stated))
        elif field.fields is not None:
            group = _build_group(field, path, required, stated)
            if group.controls or group.groups or stated is not None:
                groups.append(group)
        else:
            single.append(_build_control(field, path, required, stated))
    head = FieldGroup(path=(), title="Submission", controls=tuple(single))
    return (head, *groups)


def _label(key: str) -> str:
    return key.replace("-", " ").capitalize()


def _build_group(field: FormField, path: DataPath, required: RequiredPlaces, stated: Data) -> FieldGroup:
    values = stated if isinstance(stated, dict) else {}
    controls: list[Control] = []
    groups: list[FieldGroup] = []
    for inner in field.fields or ():
        place, value = (*path, inner.key), values.get(inner.key)
        if inner.items is not None:
            groups.append(_build_list(inner, place, required, value))
        elif inner.fields is not None:
            groups.append(_build_group(inner, place, required, value))
        else:
            controls.append(_build_control(inner, place, required, value))
    if stated is not None and not controls and not groups:
        controls.append(Control(path=path, label="As stated", kind=ControlKind.OTHER, values=_show(stated)))
    return FieldGroup(
        path=path,
        title=_label(field.key),
        controls=tuple(controls),
        groups=tuple(groups),
        about=field.comments,
        requirements=field.requirements,
    )


def _build_list(field: FormField, path: DataPath, required: RequiredPlaces, stated: Data) -> FieldGroup:
    entries = stated if isinstance(stated, list) else []
    item = _find_item(path)
    offers = [(number, build_offer(path, entry)) for number, entry in enumerate(field.items or ())]
    offered_keys = {inner.key for entry in field.items or () for inner in entry.fields}
    groups = tuple(
        _build_entry((*path, at), item, offered_keys, required, entry, offers) for at, entry in enumerate(entries)
    )
    is_single = path[-1] in _SINGLE_ENTRIES
    return FieldGroup(
        path=path,
        title=_label(str(path[-1])),
        groups=groups,
        about=field.comments,
        requirements=field.requirements,
        is_list=True,
        offers=tuple(
            (number, offer)
            for number, offer in offers
            if not (is_single and any(_has_values(entry, offer.values) for entry in entries))
        ),
    )


def _has_values(entry: Data, values: Mapping[str, Any]) -> bool:
    """Return whether an entry is the offered one: it has the values by which the offer is known."""
    return isinstance(entry, dict) and all(str(entry.get(key)) == str(value) for key, value in values.items())


def _find_item(path: DataPath) -> SubmissionPlace:
    place = find_place(path)
    item = None if place is None else place.get_item()
    assert item is not None, path
    return item


def build_offer(path: DataPath, entry: FormEntry) -> EntryOffer:
    """Return what is added to a list if its user chooses an entry of the form.

    A wager is added by its name alone: its amounts are the licensee's. A pay table is added by its printed name.
    """
    scalars = {field.key: field.value for field in entry.fields if field.value is not None}
    rows = next((field.items for field in entry.fields if field.key == "rows" and field.items), ())
    pairs = tuple((str(row.fields[0].value), str(row.fields[1].value)) for row in rows or ())
    if path == ("wagers",):
        scalars = dict(list(scalars.items())[:1])
    if pairs:
        scalars = {"pays": scalars["pays"], "printed": scalars["name"]}
    values = scalars or {field.key: None for field in entry.fields}
    return EntryOffer(title=_name_offer(path, scalars), values=values, about=entry.comments, rows=pairs)


_OFFER_NAMES: Mapping[str, tuple[str, str]] = {
    "wagers": ("wager", "{}"),
    "pay-tables": ("printed", "the pay table {}"),
    "meters": ("meter", "the meter {}"),
    "areas": ("legend", "an area with the legend “{}”"),
    "signage": ("wager", "a sign for {}"),
    "notices": ("of", "the notice of {}"),
    "attestations": ("clause", "the attestation for clause {}"),
}
"""Key of an entry by which it is offered, and the name of the offer, by the list."""


def _name_offer(path: DataPath, values: Mapping[str, Any]) -> str:
    key, name = _OFFER_NAMES.get(str(path[-1]), ("", "{}"))
    if key not in values:
        return "another sign" if path[-1] == "signage" else "another entry"
    return name.format(str(values[key]) if key in ("clause", "legend") else str(values[key]).replace("-", " "))


def _build_entry(
    path: DataPath,
    item: SubmissionPlace,
    offered_keys: set[str],
    required: RequiredPlaces,
    stated: Data,
    offers: Sequence[tuple[int, EntryOffer]],
) -> FieldGroup:
    """Return the inputs of an entry of a list: the keys that the rules need, and those that it states."""
    if not isinstance(stated, dict) or item.fields is None:
        control = Control(path=path, label="Text", kind=ControlKind.TEXT, values=_show(stated))
        return FieldGroup(path=path, title=f"{path[-1]}", controls=(control,), is_entry=True)
    documented = read_attribute_docs(item.fields)
    controls: list[Control] = []
    is_printed = "printed" in stated
    # An area is for one use: a second one would be a mistake.
    uses = issubclass(item.fields, OneOperatorModel) and item.fields.COMPANIONS
    for name, info in item.fields.model_fields.items():
        key = to_key(name)
        is_offered = key in offered_keys and not (is_printed and key in ("rows", "name"))
        if key not in stated and (not is_offered or (uses and key not in uses)):
            continue
        inner = FormField(key=key, comments=(documented[name],))
        place = place_from_annotation(info.annotation)
        controls.append(_build_control(inner, (*path, key), required, stated.get(key), place))
    offer = next((offer for _, offer in offers if _has_values(stated, offer.values)), None)
    title = " ".join(control.text.replace("-", " ") for control in controls[:1] if control.text) or "Entry"
    about = () if offer is None else offer.about
    named = next((text.rstrip(".") for text in about if text.rstrip(".").casefold() == title.casefold()), "")
    if not named:
        named = f"Clause {title}" if path[0] == "attestations" else title.capitalize()
    return FieldGroup(
        path=path,
        title=named,
        controls=tuple(controls),
        about=tuple(text for text in about if text != f"{named}."),
        is_entry=True,
        rows=() if offer is None else offer.rows,
    )


def _build_control(
    field: FormField, path: DataPath, required: RequiredPlaces, stated: Data, place: SubmissionPlace | None = None
) -> Control:
    place = find_place(path) if place is None else place
    words = required.values.get(tuple("*" if isinstance(step, int) else step for step in path), ())
    kind, choices = find_control_kind(path, place, words)
    shown = format_rows(stated) if kind is ControlKind.ROWS else _show(stated)
    if kind in (ControlKind.CHOICE, ControlKind.TRUTH) and not set(shown) <= {*choices}:
        kind = ControlKind.TEXT
    if kind is ControlKind.CHOICES and stated == []:
        shown = (NONE_OF_THESE,)
    if kind is ControlKind.CHOICES and not set(shown) <= {*choices}:
        kind = ControlKind.LINES
    if kind is ControlKind.DAY and shown and not is_day(shown[0]):
        kind = ControlKind.TEXT
    return Control(
        path=path,
        label=_label(field.key),
        kind=kind,
        values=shown,
        about=field.comments,
        hint=_describe_sole_value(field.permitted),
        requirements=field.requirements,
        choices=choices,
    )


def _describe_sole_value(permitted: PermittedValues | None) -> str:
    """Return a sentence on the only lawful value; empty if there are several."""
    if permitted is None or permitted.kind != "only":
        return ""
    (value,) = permitted.values
    return f"The rules allow only {', '.join(_show(value))}."


NONE_OF_THESE = "none of these"
"""Choice that states an empty list, which differs from a list that is not stated."""
TRUTHS = {"yes": True, "no": False}
"""Words for truth values."""


def find_control_kind(
    path: DataPath, place: SubmissionPlace | None, words: Sequence[Any]
) -> tuple[ControlKind, tuple[str, ...]]:
    """Return the kind of input for a place of a submission, and its choices or suggestions.

    Args:
        words: values at this place that the rules know.
    """
    suggestions = tuple(word for word in words if isinstance(word, str))
    if path[0] == "options" and len(path) == 2:
        is_truth = bool(words) and all(isinstance(word, bool) for word in words)
        return (ControlKind.TRUTH, tuple(TRUTHS)) if is_truth else (ControlKind.TEXT, suggestions)
    if place is None:
        return ControlKind.TEXT, suggestions
    if place.kinds == {"yes or no"}:
        return ControlKind.TRUTH, tuple(TRUTHS)
    if place.choices is not None:
        return ControlKind.CHOICE, tuple(sorted(place.choices))
    item = place.get_item()
    if item is not None:
        if item.choices is not None:
            return ControlKind.CHOICES, (*sorted(item.choices), NONE_OF_THESE)
        if item.fields is not None:
            return ControlKind.ROWS if len(item.fields.model_fields) == 2 else ControlKind.OTHER, ()
        return ControlKind.LINES, suggestions
    if place.fields is not None:
        return ControlKind.OTHER, ()
    if path[-1] in find_money_keys():
        return ControlKind.MONEY, ()
    if "day" in place.kinds:
        return ControlKind.DAY, ()
    return (ControlKind.NUMBER, ()) if place.kinds == {"number"} else (ControlKind.TEXT, suggestions)


def is_day(text: str) -> bool:
    """Return whether a text is a day as a browser shows it."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _show(stated: Data) -> tuple[str, ...]:
    """Return a value as inputs show it; nested values have no such form."""
    match stated:
        case None:
            return ()
        case bool():
            return ("yes" if stated else "no",)
        case list():
            return tuple(str(part) for part in stated if not isinstance(part, (list, dict)))
        case dict():
            return (", ".join(f"{key}: {part}" for key, part in stated.items()),)
        case _:
            return (str(stated),)


def read_changes(groups: Sequence[FieldGroup], form: FormData) -> list[DraftChange]:
    """Return the changes that a filled-in form makes to the draft it was built from."""
    changes: list[DraftChange] = []
    for group in groups:
        for control in group.iter_controls():
            if control.kind is ControlKind.OTHER or control.name not in form:
                continue
            given = [str(value).replace("\r\n", "\n") for value in form.getlist(control.name)]
            typed = tuple(read_typed(control.kind, given))
            if typed != control.values:
                changes.append(DraftChange(path=control.path, value=convert_typed(control, typed)))
    return changes


def read_typed(kind: ControlKind, given: Sequence[str]) -> Iterator[str]:
    """Yield what a user typed into an input, without blanks around it; nothing if that is blank."""
    for text in given:
        lines = text.split("\n") if kind in (ControlKind.LINES, ControlKind.ROWS) else [" ".join(text.split("\n"))]
        yield from (line.strip() for line in lines if line.strip())


def convert_typed(control: Control, typed: Sequence[str]) -> Any:
    """Return what was typed as a value of a draft; None if nothing was."""
    if not typed:
        return None
    text = typed[0]
    match control.kind:
        case ControlKind.TRUTH if text in TRUTHS:
            return TRUTHS[text]
        case ControlKind.NUMBER | ControlKind.MONEY if _WHOLE.fullmatch(text):
            return int(text)
        case ControlKind.CHOICES | ControlKind.LINES:
            return [text for text in typed if text != NONE_OF_THESE]
        case ControlKind.ROWS:
            return parse_rows(control.path, typed)
        case _:
            return text


_ROW_SEPARATOR = ": "
"""Separator of the two keys of a row, such as one of a pay table, in lines that people type: `flush: 5 to 1`."""


def format_rows(stated: Data) -> tuple[str, ...]:
    """Return rows as lines; a row of another form is shown as it is."""
    if not isinstance(stated, list):
        return () if stated is None else (str(stated),)
    return tuple(_ROW_SEPARATOR.join(map(str, row.values())) if isinstance(row, dict) else str(row) for row in stated)


def parse_rows(path: DataPath, lines: Sequence[str]) -> list[Any]:
    """Return lines as rows with the two keys of a place; a line without a separator has the first key alone."""
    place = find_place(path)
    item = None if place is None else place.get_item()
    assert item is not None and item.fields is not None, path
    first, second = map(to_key, item.fields.model_fields)
    rows: list[Any] = []
    for line in lines:
        name, separator, value = line.partition(_ROW_SEPARATOR.strip())
        rows.append({first: name.strip(), second: value.strip()} if separator else {first: name.strip()})
    return rows


def find_place(path: DataPath) -> SubmissionPlace | None:
    """Return the values that a place of a submission may have; None if there is no such place."""
    place: SubmissionPlace | None = place_from_annotation(Submission)
    for step in path:
        if place is None:
            return None
        place = place.get_item() if isinstance(step, int) else place.get_child(step)
    return place
