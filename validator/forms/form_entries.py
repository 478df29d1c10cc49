"""The form of a submission as data, and the entries of its lists.

The form does not say how it is written, as a commented file, a sheet or a page: the writer decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.engine.core.printed_pay_tables import read_printed_table
from fairdeal.validator.forms.permitted_values import EACH_ITEM, PlaceKeys, RequiredPlaces, SoleValue
from fairdeal.validator.language.submission_conditions import PayTablesCheck
from fairdeal.validator.operators.submission.submission_operator_table import SUBMISSION_OPERATORS
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement


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
                {"pays": check.for_, "name": name, "displayed": None, "rows": rows},
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
    lines = {show: [line for check in checks if check.show == show for line in check.for_ or ()] for show in _SIGN_KEYS}
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
    fed = {table.meter: table.for_ for table in game.pay_tables.values() if table.meter is not None}
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
