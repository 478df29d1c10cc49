"""Entries of the lists of a form: suggestions from the rulebook, or the entries of an example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from validator.engine.compiled.printed_tables import print_table
from validator.forms.asked_places import EACH, Keys
from validator.forms.draft import Draft, in_words
from validator.forms.form import Field, Item
from validator.language.submission.checks import PayTablesCheck
from validator.results.statuses import Evidence
from validator.rules.model.requirement import Requirement

_MAX_INLINE_KEYS = 3
"""Maximum number of keys of an entry on one line."""


def entries_at(draft: Draft, place: Keys, stated: Any) -> list[Item] | None:
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
    return [_build_stated_entry(entry, offered) for entry in stated or ()] if draft.example else offered


def _build_stated_entry(entry: Mapping[str, Any], offered: list[Item]) -> Item:
    """Build an entry of an example, with the comments of the suggestion for the same name."""
    fields = tuple(_build_field(key, value) for key, value in entry.items())
    about = next((item.about for item in offered if item.fields[0].value == fields[0].value), ())
    return Item(fields=fields, about=about, short=_fits_one_line(fields) and None not in entry.values())


def _build_field(key: str, value: Any) -> Field:
    if isinstance(value, dict):
        return Field(key=key, fields=tuple(_build_field(*item) for item in value.items()))
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return Field(key=key, items=tuple(_build_stated_entry(entry, []) for entry in value))
    return Field(key=key, value=value)


def _fits_one_line(fields: tuple[Field, ...]) -> bool:
    return len(fields) <= _MAX_INLINE_KEYS and all(field.items is None and field.fields is None for field in fields)


def _build_offer(fields: Mapping[str, Any], *about: str, chosen: bool = False) -> Item:
    built = tuple(_build_field(key, value) for key, value in fields.items())
    return Item(fields=built, about=about, chosen=chosen, short=_fits_one_line(built) and None not in fields.values())


def _offer_wagers(draft: Draft) -> Iterator[Item]:
    game = draft.regulation.game
    if game is None:
        return
    for name, wager in game.wagers.items():
        keys = [key for key in ("minimum", "maximum", "posted", "tips") if _is_on_form(draft, ("wagers", EACH, key))]
        only = {key: draft.only(("wagers", EACH, key), ("wager", name)) for key in keys}
        values = {
            key: None if sole_value is None or sole_value.only_if_stated else sole_value.value
            for key, sole_value in only.items()
        }
        yield _build_offer({"wager": name, **values}, f"{wager.title}.")
    for name, bonus in game.bonuses.items():
        yield _build_offer({"wager": name}, f"{bonus.title}: a bonus, without a stake of its own.")


def _is_on_form(draft: Draft, place: Keys) -> bool:
    return place in draft.asked.places or place in draft.usual


def _offer_pay_tables(draft: Draft) -> Iterator[Item]:
    regulation, game = draft.regulation, draft.regulation.game
    for requirement in _list_requirements(draft, "pay-tables"):
        check: PayTablesCheck = requirement.check.operand
        if game is None or check.match == "wording":
            continue
        for name in check.one_of:
            printed = print_table(regulation, game, name)
            clauses = ", ".join(printed.table.clauses)
            exactly = "these odds exactly" if check.match == "exactly" else "these odds or more"
            when = () if check.when is None else (f"Only where {check.when.asked()}.",)
            rows = [{"hand": hand, "odds": str(payout)} for hand, payout in printed.rows.items()]
            yield _build_offer(
                {"pays": check.for_, "name": name, "displayed": None, "rows": rows},
                f"Printed in {clauses}: {exactly}.",
                *when,
            )


def _offer_areas(draft: Draft) -> Iterator[Item]:
    game = draft.regulation.game
    if game is None:
        return
    for name, wager in game.wagers.items():
        yield _build_offer({"wager": name, "legend": wager.title})
    uses = [word for word in draft.asked.words.get(("layout", "areas", EACH, "for"), ()) if isinstance(word, str)]
    dealt = ["community"] if "community" in game.deal.cards else []
    for use in dict.fromkeys((*uses, *dealt, "discards")):
        yield _build_offer({"for": use, "legend": use.replace("-", " ").capitalize()})


_SIGN_KEYS = {"limits": ("minimum", "maximum"), "odds": ("rows",)}
"""Keys for what a sign shows about a wager."""


def _offer_signs(draft: Draft) -> Iterator[Item]:
    checks = [requirement.check.operand for requirement in _list_requirements(draft, "signs")]
    lines = {show: [line for check in checks if check.show == show for line in check.for_ or ()] for show in _SIGN_KEYS}
    for line in dict.fromkeys(line for own_lines in lines.values() for line in own_lines):
        keys = [key for show, own_lines in lines.items() if line in own_lines for key in _SIGN_KEYS[show]]
        yield _build_offer({"wager": line, "text": None, **dict.fromkeys(keys)})
    if any(check.show == "rake" for check in checks):
        levels = [{"pot": None, "takes": None}]
        yield _build_offer({"text": None, "rake": {"kind": None, "levels": levels}}, "A sign that states the rake.")
    yield _build_offer({"text": None}, "Any other sign, with its text.")


def _offer_notices(draft: Draft) -> Iterator[Item]:
    for word in draft.asked.words.get(("notices", EACH, "of"), ()):
        yield _build_offer({"of": word, "given": None, "by": None})


def _offer_attestations(draft: Draft) -> Iterator[Item]:
    requirements = list(_list_requirements(draft, "attested"))
    labels = [label for requirement in requirements for label in requirement.clauses]
    for requirement in requirements:
        attested = requirement.check.operand
        own_clause = next((label for label in requirement.clauses if labels.count(label) == 1), requirement.clauses[0])
        about = [in_words(requirement, f'{requirement.title}. Statement of the {attested.by}: "{attested.statement}"')]
        if attested.when is not None:
            about.append(f"Only where {attested.when.asked()}.")
        signed = {"clause": own_clause, "by": None, "given": None}
        yield _build_offer(signed, *about, chosen=attested.when is None)


def _offer_meters(draft: Draft) -> Iterator[Item]:
    game = draft.regulation.game
    if game is None:
        return
    fed = {table.meter: table.for_ for table in game.pay_tables.values() if table.meter is not None}
    keys = [key for key in ("seed", "increment", "games", "tables") if _is_on_form(draft, ("meters", EACH, key))]
    for meter, line in sorted(fed.items()):
        yield _build_offer({"meter": meter, **dict.fromkeys(keys), **({"fed-by": line} if line in game.wagers else {})})


def _offer_levels(draft: Draft) -> Iterator[Item]:
    yield _build_offer(
        {"pot": None, "takes": None}, "One entry for each level: the amount taken once the pot reaches it."
    )


def _list_requirements(draft: Draft, operator: str) -> Iterator[Requirement]:
    for requirement in draft.regulation.requirements:
        on_submissions = requirement.evidence in (Evidence.SUBMISSION, Evidence.ATTESTATION)
        if on_submissions and requirement.check.operator == operator and draft.in_force(requirement):
            yield requirement


_OFFER_BUILDERS: Mapping[Keys, Callable[[Draft], Iterator[Item]]] = {
    ("wagers",): _offer_wagers,
    ("pay-tables",): _offer_pay_tables,
    ("layout", "areas"): _offer_areas,
    ("layout", "signage"): _offer_signs,
    ("notices",): _offer_notices,
    ("attestations",): _offer_attestations,
    ("meters",): _offer_meters,
    ("rake", "levels"): _offer_levels,
}
