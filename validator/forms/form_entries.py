"""The form of a submission as data, the entries of its lists, and the form as commented YAML.

The form does not say how it is written, as a commented file, a sheet or a page: the writer decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from io import StringIO
from textwrap import wrap
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from fairdeal.validator.engine.core.house_terms import read_printed_table
from fairdeal.validator.language.submission_conditions import PayTablesCheck
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rulebook.submission_places import EACH_ITEM, PlaceKeys, RequiredPlaces, SoleValue
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.yaml_document import resolve_scalar


class PermittedValues(Struct, frozen=True, kw_only=True):
    """Values that a key of a form may have, if there are only a few."""

    kind: Literal["only", "one", "several", "truth", "known", "list"]
    """The only lawful value, one or several of the values, a truth value, values that the rules test, or a list."""
    values: tuple[Any, ...] = ()
    """The values, in the order in which they are shown."""


class EntryKey(Struct, frozen=True, kw_only=True):
    """A key of the entries of a list, explained once for all of them."""

    key: str
    """The key."""
    meaning: str
    """Its meaning in a sentence."""
    permitted: PermittedValues | None = None
    """The values that it may have; None if there are many."""


class FormField(Struct, frozen=True, kw_only=True):
    """A key of a form with a scalar or list of scalars, a mapping, or a list of mappings."""

    key: str
    """The key."""
    comments: tuple[str, ...] = ()
    """Paragraphs on its meaning."""
    permitted: PermittedValues | None = None
    """The values that it may have; None if there are many."""
    requirements: tuple[Requirement, ...] = ()
    """Requirements on the key."""
    value: Any = None
    """A scalar or list of scalars; None if blank."""
    fields: tuple[FormField, ...] | None = None
    """Content of a mapping; None for other values."""
    items: tuple[FormEntry, ...] | None = None
    """Entries of a list of mappings; None for other values."""
    entry_keys: tuple[EntryKey, ...] = ()
    """Keys of the entries of a list of mappings."""
    is_chosen: bool = True
    """False if the key is only suggested."""


class FormEntry(Struct, frozen=True, kw_only=True):
    """An entry of a list of mappings."""

    fields: tuple[FormField, ...]
    """Content of the entry."""
    comments: tuple[str, ...] = ()
    """Paragraphs of explanation."""
    is_chosen: bool = True
    """False if the entry is only suggested."""
    is_single_line: bool = False
    """True if the entry fits on one line."""


class SubmissionForm(Struct, frozen=True, kw_only=True):
    """The form of a submission for one document."""

    header: tuple[str, ...]
    """Paragraphs on the game and its rules."""
    fields: tuple[FormField, ...]
    """Keys of the submission."""
    other_keys: tuple[str, ...] = ()
    """Further keys of submissions, to which the rules do not refer."""
    is_blank: bool = False
    """True if the form is to be filled in."""


class FormDraft(Struct, frozen=True, kw_only=True):
    """The data from which a form is built."""

    regulation: Regulation
    """The regulation."""
    day: date
    """Day on which the submission takes effect."""
    required_places: RequiredPlaces
    """Places and values that rules refer to on that day."""
    sole_values: tuple[SoleValue, ...]
    """Values that the rules fix."""
    example_places: frozenset[PlaceKeys]
    """Places that the example of the document states."""
    data: Mapping[str, Any]
    """Data to fill in: a whole example, or what is known of a new form."""
    is_example: bool
    """True if the form is filled with an example."""

    def is_on_form(self, place: PlaceKeys) -> bool:
        """Return whether a place belongs on the form."""
        if self.is_example:
            return get_value(self.data, place) is not None
        return (
            place in self.required_places.places
            or place in self.example_places
            or get_value(self.data, place) is not None
        )

    def is_in_force(self, requirement: Requirement) -> bool:
        """Return whether a requirement is in force on the day."""
        return self.regulation.is_in_force(requirement, self.day)

    def find_sole_value(self, place: PlaceKeys, item: tuple[str, str] | None = None) -> SoleValue | None:
        """Return the only lawful value of a place; None if there are several."""
        return next((value for value in self.sole_values if value.place == place and value.list_item == item), None)


def get_value(data: object, place: PlaceKeys) -> Any:
    """Return the value at a place of plain data, None if there is none. In lists, only the first item counts."""
    for key in place:
        if key == EACH_ITEM:
            data = data[0] if isinstance(data, list) and data else None
        else:
            data = data.get(key) if isinstance(data, dict) else None
    return data


def format_requirement(requirement: Requirement, says: str | None = None) -> str:
    """Return the clauses of a requirement with its message, or with another text."""
    labels = requirement.clauses
    return f"Clause{'s' if len(labels) > 1 else ''} {', '.join(labels)}: {says or requirement.message}"


_MAX_INLINE_KEYS = 3
"""Maximum number of keys of an entry on one line."""


def list_entries(draft: FormDraft, place: PlaceKeys, stated: Any) -> list[FormEntry] | None:
    """Return the entries of the list at a place; None if it is no list of mappings.

    Args:
        draft: The data of the form.
        place: The place of the list.
        stated: The entries of an example, if any.
    """
    build_offers = _OFFER_BUILDERS.get(place)
    if build_offers is None:
        return None
    offered = list(build_offers(draft))
    return [_build_stated_entry(entry, offered) for entry in stated or ()] if draft.is_example else offered


def _build_stated_entry(entry: Mapping[str, Any], offered: list[FormEntry]) -> FormEntry:
    """Build an entry of an example, with the comments of the suggestion for the same name."""
    fields = tuple(build_field(key, value) for key, value in entry.items())
    about = next((item.comments for item in offered if item.fields[0].value == fields[0].value), ())
    return FormEntry(
        fields=fields, comments=about, is_single_line=_fits_one_line(fields) and None not in entry.values()
    )


def build_field(key: str, value: Any) -> FormField:
    """Return the field of a stated key, with its content."""
    if isinstance(value, dict):
        return FormField(key=key, fields=tuple(build_field(*item) for item in value.items()))
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return FormField(key=key, items=tuple(_build_stated_entry(entry, []) for entry in value))
    return FormField(key=key, value=value)


def state_form(form: SubmissionForm, data: Mapping[str, Any]) -> SubmissionForm:
    """Return a form that states given data and nothing else; its other fields and entries stay to be filled in."""
    return replace(form, fields=_state_fields(form.fields, data))


def _state_fields(fields: tuple[FormField, ...], data: Mapping[str, Any]) -> tuple[FormField, ...]:
    known = {field.key for field in fields}
    others = (build_field(key, value) for key, value in data.items() if key not in known)
    return (*(_state_field(field, data.get(field.key)) for field in fields), *others)


def _state_field(field: FormField, stated: Any) -> FormField:
    if field.items is not None:
        offered = [replace(offer, is_chosen=False) for offer in field.items]
        entries = [_build_stated_entry(entry, offered) for entry in stated or ()]
        names = {entry.fields[0].value for entry in entries}
        left = (offer for offer in offered if offer.fields[0].value is None or offer.fields[0].value not in names)
        return replace(field, items=(*entries, *left), value=stated, is_chosen=stated is not None)
    if field.fields is not None and (stated is None or isinstance(stated, Mapping)):
        return replace(field, fields=_state_fields(field.fields, stated or {}), is_chosen=stated is not None)
    return replace(field, value=stated, is_chosen=stated is not None)


def _fits_one_line(fields: tuple[FormField, ...]) -> bool:
    return len(fields) <= _MAX_INLINE_KEYS and all(field.items is None and field.fields is None for field in fields)


def _build_offer(fields: Mapping[str, Any], *about: str, chosen: bool = False) -> FormEntry:
    built = tuple(build_field(key, value) for key, value in fields.items())
    return FormEntry(
        fields=built,
        comments=about,
        is_chosen=chosen,
        is_single_line=_fits_one_line(built) and None not in fields.values(),
    )


def _offer_wagers(draft: FormDraft) -> Iterator[FormEntry]:
    game = draft.regulation.game
    if game is None:
        return
    for name, wager in game.wagers.items():
        keys = [
            key for key in ("minimum", "maximum", "posted", "tips") if _is_on_form(draft, ("wagers", EACH_ITEM, key))
        ]
        only = {key: draft.find_sole_value(("wagers", EACH_ITEM, key), ("wager", name)) for key in keys}
        values = {
            key: None if sole_value is None or sole_value.only_if_stated else sole_value.value
            for key, sole_value in only.items()
        }
        yield _build_offer({"wager": name, **values}, f"{wager.title}.")
    for name, bonus in game.bonuses.items():
        yield _build_offer({"wager": name}, f"{bonus.title}: a bonus, without a stake of its own.")


def _is_on_form(draft: FormDraft, place: PlaceKeys) -> bool:
    return place in draft.required_places.places or place in draft.example_places


def _offer_pay_tables(draft: FormDraft) -> Iterator[FormEntry]:
    regulation, game = draft.regulation, draft.regulation.game
    for requirement in _list_requirements(draft, "pay-tables"):
        check: PayTablesCheck = requirement.check.operand
        if game is None or check.match == "wording":
            continue
        for name in check.one_of:
            printed = read_printed_table(regulation, game, name)
            clauses = ", ".join(printed.table.clauses)
            exactly = "these odds exactly" if check.match == "exactly" else "these odds or more"
            when = () if check.when is None else (f"Only where {SUBMISSION_OPERATORS.describe(check.when)}.",)
            rows = [{"hand": hand, "odds": str(payout)} for hand, payout in printed.rows.items()]
            yield _build_offer(
                {"pays": check.of, "name": name, "displayed": None, "rows": rows},
                f"Printed in {clauses}: {exactly}.",
                *when,
            )


def _offer_areas(draft: FormDraft) -> Iterator[FormEntry]:
    game = draft.regulation.game
    if game is None:
        return
    for name, wager in game.wagers.items():
        yield _build_offer({"wager": name, "legend": wager.title})
    uses = [
        word
        for word in draft.required_places.values.get(("layout", "areas", EACH_ITEM, "for"), ())
        if isinstance(word, str)
    ]
    dealt = ["community"] if "community" in game.deal.cards else []
    for use in dict.fromkeys((*uses, *dealt, "discards")):
        yield _build_offer({"for": use, "legend": use.replace("-", " ").capitalize()})


_SIGN_KEYS = {"limits": ("minimum", "maximum"), "odds": ("rows",)}
"""Keys for what a sign shows about a wager."""


def _offer_signs(draft: FormDraft) -> Iterator[FormEntry]:
    checks = [requirement.check.operand for requirement in _list_requirements(draft, "signs")]
    lines = {show: [line for check in checks if check.show == show for line in check.of or ()] for show in _SIGN_KEYS}
    for line in dict.fromkeys(line for own_lines in lines.values() for line in own_lines):
        keys = [key for show, own_lines in lines.items() if line in own_lines for key in _SIGN_KEYS[show]]
        yield _build_offer({"wager": line, "text": None, **dict.fromkeys(keys)})
    if any(check.show == "rake" for check in checks):
        levels = [{"pot": None, "takes": None}]
        yield _build_offer({"text": None, "rake": {"kind": None, "levels": levels}}, "A sign that states the rake.")
    yield _build_offer({"text": None}, "Any other sign, with its text.")


def _offer_notices(draft: FormDraft) -> Iterator[FormEntry]:
    for word in draft.required_places.values.get(("notices", EACH_ITEM, "of"), ()):
        yield _build_offer({"of": word, "given": None, "by": None})


def _offer_attestations(draft: FormDraft) -> Iterator[FormEntry]:
    requirements = list(_list_requirements(draft, "attested"))
    labels = [label for requirement in requirements for label in requirement.clauses]
    for requirement in requirements:
        attested = requirement.check.operand
        own_clause = next((label for label in requirement.clauses if labels.count(label) == 1), requirement.clauses[0])
        about = [
            format_requirement(
                requirement, f'{requirement.title}. Statement of the {attested.by}: "{attested.statement}"'
            )
        ]
        if attested.when is not None:
            about.append(f"Only where {SUBMISSION_OPERATORS.describe(attested.when)}.")
        signed = {"clause": own_clause, "by": None, "given": None}
        yield _build_offer(signed, *about, chosen=attested.when is None)


def _offer_meters(draft: FormDraft) -> Iterator[FormEntry]:
    game = draft.regulation.game
    if game is None:
        return
    fed = {table.meter: table.of for table in game.pay_tables.values() if table.meter is not None}
    keys = [key for key in ("seed", "increment", "games", "tables") if _is_on_form(draft, ("meters", EACH_ITEM, key))]
    for meter, line in sorted(fed.items()):
        yield _build_offer({"meter": meter, **dict.fromkeys(keys), **({"fed-by": line} if line in game.wagers else {})})


def _offer_levels(draft: FormDraft) -> Iterator[FormEntry]:
    yield _build_offer(
        {"pot": None, "takes": None}, "One entry for each level: the amount taken once the pot reaches it."
    )


def _list_requirements(draft: FormDraft, operator: str) -> Iterator[Requirement]:
    for requirement in draft.regulation.requirements:
        on_submissions = requirement.evidence in (Evidence.SUBMISSION, Evidence.ATTESTATION)
        if on_submissions and requirement.check.operator == operator and draft.is_in_force(requirement):
            yield requirement


_OFFER_BUILDERS: Mapping[PlaceKeys, Callable[[FormDraft], Iterator[FormEntry]]] = {
    ("wagers",): _offer_wagers,
    ("pay-tables",): _offer_pay_tables,
    ("layout", "areas"): _offer_areas,
    ("layout", "signage"): _offer_signs,
    ("notices",): _offer_notices,
    ("attestations",): _offer_attestations,
    ("meters",): _offer_meters,
    ("rake", "levels"): _offer_levels,
}


_WIDTH = 110


_DAY_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


_OFFER_PREFIX = "# "


_GUIDE = (
    'Lines with ## are explanations. Amounts are in units of the currency: 5, 5.00 or "$5.00". Days are written'
    " 2026-01-31.",
)


_BLANK_GUIDE = (
    "1. Fill in the blanks after the colons. What stays blank is not stated.",
    "2. Lines with a single # are optional: to use one, remove `# ` and fill in its blanks.",
    "3. `fairdeal check` reports what is missing or not lawful; with --fix it corrects what has only one"
    " possible meaning. `fairdeal new --example` shows a submission that complies.",
)


def write_form(form: SubmissionForm) -> str:
    """Write a form as a YAML file, with explanations after `##` and suggestions after `#`."""
    guide = (*_GUIDE, *(_BLANK_GUIDE if form.is_blank else ()))
    lines = [*write_comments((*form.header, "", *guide), 0), ""]
    for field in form.fields:
        lines += [*write_field(field, 0, None), ""]
    if form.other_keys:
        others = f"These keys may be stated as well; the rules do not refer to them: {', '.join(form.other_keys)}."
        lines += write_comments((others,), 0)
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"


def format_entry(key: str, value: Any) -> str:
    """Write a key with a scalar, a list or a flat mapping on one line; None leaves the value blank."""
    if value is None:
        return f"{_dump(CommentedMap({key: 0}))[:-2]}"
    return _dump(CommentedMap({key: to_yaml(value)}))


def format_inline(value: Any) -> str:
    """Write a scalar so that it is valid anywhere, even in brackets and braces."""
    return _dump(CommentedMap({"k": to_yaml([value])})).removeprefix("k: [").removesuffix("]")


def format_flow(values: Mapping[str, Any]) -> str:
    """Write a flat mapping on one line, in braces."""
    mapping = CommentedMap({key: to_yaml(value) for key, value in values.items()})
    mapping.fa.set_flow_style()
    return _dump(mapping)


def to_yaml(value: Any) -> Any:
    """Convert a value for ruamel.yaml.

    Texts that a YAML reader would interpret differently are quoted; invisible characters become escapes.
    """
    match value:
        case list():
            sequence = CommentedSeq([to_yaml(item) for item in value])
            sequence.fa.set_flow_style()
            return sequence
        case str() if _DAY_FORM.fullmatch(value) and (day := _parse_day(value)) is not None:
            return day
        case str() if resolve_scalar(value) != value or not value.isprintable():
            return DoubleQuotedScalarString(value)
        case _:
            return value


def _parse_day(text: str) -> date | None:
    """Return the day that a text denotes; None if the calendar has no such day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _dump(value: CommentedMap) -> str:
    writer = YAML()
    writer.width = 100_000
    stream = StringIO()
    writer.dump(value, stream)
    return stream.getvalue().rstrip("\n")


def write_field(field: FormField, depth: int, base: int | None) -> Iterator[str]:
    """Yield the lines of a field at a depth of the form."""
    """Yield the lines of a field at a depth; within a suggestion, each begins with a sign at `base`."""
    clauses = map(format_requirement, field.requirements)
    entry_keys = (f"`{key.key}`: {key.meaning}{_add_permitted(key.permitted)}" for key in field.entry_keys)
    comments = (*field.comments, *_describe_permitted(field.permitted), *clauses, *entry_keys)
    yield from write_comments(comments, depth if base is None else base)
    base = depth if base is None and not field.is_chosen else base
    alone = field.fields is None and field.items is None
    yield _indent(format_entry(field.key, field.value if alone else None), depth, base)
    for inner_field in field.fields or ():
        yield from write_field(inner_field, depth + 2, base)
    for item in field.items or ():
        yield from _write_item(item, depth, base)


def _add_permitted(permitted: PermittedValues | None) -> str:
    return "".join(f" {sentence}" for sentence in _describe_permitted(permitted))


def _describe_permitted(permitted: PermittedValues | None) -> tuple[str, ...]:
    """Return a sentence on the values that a key may have, as YAML writes them; none if there are many."""
    if permitted is None:
        return ()
    values = ", ".join(map(_format_permitted, permitted.values))
    match permitted.kind:
        case "only":
            return (f"The rules allow only {values}.",)
        case "one":
            return (f"One of: {values}.",)
        case "several":
            return (f"In brackets, any of: {values}.",)
        case "known":
            return (f"Values known to the rules: {values}.",)
        case "truth":
            return (f"true or false; the rules test {values}." if values else "true or false.",)
        case "list":
            return ("In brackets: [one, another].",)


def _format_permitted(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _write_item(item: FormEntry, depth: int, base: int | None) -> Iterator[str]:
    """Yield the lines of an entry of a list, a single line if it is short."""
    yield from write_comments(item.comments, depth if base is None else base)
    base = depth if base is None and not item.is_chosen else base
    if item.is_single_line:
        yield _indent(
            f"- {format_flow({inner_field.key: inner_field.value for inner_field in item.fields})}", depth, base
        )
        return
    for number, inner_field in enumerate(item.fields):
        first, *others = write_field(inner_field, depth + 2, base)
        yield _indent(f"- {first.strip().removeprefix(_OFFER_PREFIX).lstrip()}", depth, base) if number == 0 else first
        yield from others


def _indent(text: str, depth: int, base: int | None) -> str:
    if base is None:
        return f"{' ' * depth}{text}"
    return f"{' ' * base}{_OFFER_PREFIX}{' ' * (depth - base)}{text}"


def write_comments(paragraphs: tuple[str, ...], depth: int) -> Iterator[str]:
    """Yield paragraphs as comments at a depth of the form."""
    start = f"{' ' * depth}##"
    for paragraph in paragraphs:
        lines = wrap(sanitize(paragraph), _WIDTH - len(start) - 1, break_long_words=False, break_on_hyphens=False)
        yield from (f"{start} {line}" for line in lines or [""])
