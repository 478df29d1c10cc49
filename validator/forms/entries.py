"""The entries of a form's lists: what the rulebook offers for each, or what an example states."""

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

_LONGEST_ON_A_LINE = 3
"""How many keys an entry may have that stands on one line."""


def entries_at(draft: Draft, place: Keys, stands: Any) -> list[Item] | None:
    """The entries of the list at a place: those offered, or those that an example states (`stands`), each with what is
    said of it. None for what is no list of mappings."""
    offers = _OFFERS.get(place)
    if offers is None:
        return None
    offered = list(offers(draft))
    return [_stated(one, offered) for one in stands or ()] if draft.example else offered


def _stated(entry: Mapping[str, Any], offered: list[Item]) -> Item:
    """An entry of an example, with what is said of the offer that begins alike."""
    fields = tuple(_field(key, value) for key, value in entry.items())
    about = next((one.about for one in offered if one.fields[0].value == fields[0].value), ())
    return Item(fields=fields, about=about, short=_short(fields) and None not in entry.values())


def _field(key: str, value: Any) -> Field:
    if isinstance(value, dict):
        return Field(key=key, fields=tuple(_field(*one) for one in value.items()))
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return Field(key=key, items=tuple(_stated(one, []) for one in value))
    return Field(key=key, value=value)


def _short(fields: tuple[Field, ...]) -> bool:
    return len(fields) <= _LONGEST_ON_A_LINE and all(one.items is None and one.fields is None for one in fields)


def _offer(fields: Mapping[str, Any], *about: str, chosen: bool = False) -> Item:
    made = tuple(_field(key, value) for key, value in fields.items())
    return Item(fields=made, about=about, chosen=chosen, short=_short(made) and None not in fields.values())


def _wagers(draft: Draft) -> Iterator[Item]:
    game = draft.regulation.game
    if game is None:
        return
    for name, wager in game.wagers.items():
        keys = [key for key in ("minimum", "maximum", "posted", "tips") if _on_form(draft, ("wagers", EACH, key))]
        only = {key: draft.only(("wagers", EACH, key), ("wager", name)) for key in keys}
        values = {key: None if one is None or one.only_if_stated else one.value for key, one in only.items()}
        yield _offer({"wager": name, **values}, f"{wager.title}.")
    for name, bonus in game.bonuses.items():
        yield _offer({"wager": name}, f"{bonus.title}: a bonus, which needs no stake of its own.")


def _on_form(draft: Draft, place: Keys) -> bool:
    return place in draft.asked.places or place in draft.usual


def _pay_tables(draft: Draft) -> Iterator[Item]:
    regulation, game = draft.regulation, draft.regulation.game
    for requirement in _in_force(draft, "pay-tables"):
        check: PayTablesCheck = requirement.check.operand
        if game is None or check.match == "wording":
            continue
        for name in check.one_of:
            printed = print_table(regulation, game, name)
            clauses = ", ".join(printed.table.clauses)
            exactly = "these odds exactly" if check.match == "exactly" else "these odds or more"
            when = () if check.when is None else (f"Only where {check.when.asked()}.",)
            rows = [{"hand": hand, "odds": str(payout)} for hand, payout in printed.rows.items()]
            yield _offer(
                {"pays": check.for_, "name": name, "displayed": None, "rows": rows},
                f"Printed in {clauses}: {exactly}.",
                *when,
            )


def _areas(draft: Draft) -> Iterator[Item]:
    game = draft.regulation.game
    if game is None:
        return
    for name, wager in game.wagers.items():
        yield _offer({"wager": name, "legend": wager.title})
    asked = [word for word in draft.asked.words.get(("layout", "areas", EACH, "for"), ()) if isinstance(word, str)]
    dealt = ["community"] if "community" in game.deal.cards else []
    for use in dict.fromkeys((*asked, *dealt, "discards")):
        yield _offer({"for": use, "legend": use.replace("-", " ").capitalize()})


_SHOWN = {"limits": ("minimum", "maximum"), "odds": ("rows",)}
"""What signs show of a wager, and the keys under which they do."""


def _signs(draft: Draft) -> Iterator[Item]:
    checks = [requirement.check.operand for requirement in _in_force(draft, "signs")]
    lines = {show: [line for check in checks if check.show == show for line in check.for_ or ()] for show in _SHOWN}
    for line in dict.fromkeys(line for own in lines.values() for line in own):
        keys = [key for show, own in lines.items() if line in own for key in _SHOWN[show]]
        yield _offer({"wager": line, "text": None, **dict.fromkeys(keys)})
    if any(check.show == "rake" for check in checks):
        levels = [{"pot": None, "takes": None}]
        yield _offer({"text": None, "rake": {"kind": None, "levels": levels}}, "A sign that tells the rake.")
    yield _offer({"text": None}, "Any other sign, by the words on it.")


def _notices(draft: Draft) -> Iterator[Item]:
    for word in draft.asked.words.get(("notices", EACH, "of"), ()):
        yield _offer({"of": word, "given": None, "by": None})


def _attestations(draft: Draft) -> Iterator[Item]:
    asked = list(_in_force(draft, "attested"))
    labels = [label for requirement in asked for label in requirement.clauses]
    for requirement in asked:
        attested = requirement.check.operand
        own = next((label for label in requirement.clauses if labels.count(label) == 1), requirement.clauses[0])
        about = [in_words(requirement, f'{requirement.title}. For the {attested.by} to say: "{attested.statement}"')]
        if attested.when is not None:
            about.append(f"Only where {attested.when.asked()}.")
        signed = {"clause": own, "by": None, "given": None}
        yield _offer(signed, *about, chosen=attested.when is None)


def _meters(draft: Draft) -> Iterator[Item]:
    game = draft.regulation.game
    if game is None:
        return
    fed = {table.meter: table.for_ for table in game.pay_tables.values() if table.meter is not None}
    keys = [key for key in ("seed", "increment", "games", "tables") if _on_form(draft, ("meters", EACH, key))]
    for meter, line in sorted(fed.items()):
        yield _offer({"meter": meter, **dict.fromkeys(keys), **({"fed-by": line} if line in game.wagers else {})})


def _levels(draft: Draft) -> Iterator[Item]:
    yield _offer({"pot": None, "takes": None}, "As many as there are: what is taken when the pot has grown so far.")


def _in_force(draft: Draft, operator: str) -> Iterator[Requirement]:
    for requirement in draft.regulation.requirements:
        on_submissions = requirement.evidence in (Evidence.SUBMISSION, Evidence.ATTESTATION)
        if on_submissions and requirement.check.operator == operator and draft.in_force(requirement):
            yield requirement


_OFFERS: Mapping[Keys, Callable[[Draft], Iterator[Item]]] = {
    ("wagers",): _wagers,
    ("pay-tables",): _pay_tables,
    ("layout", "areas"): _areas,
    ("layout", "signage"): _signs,
    ("notices",): _notices,
    ("attestations",): _attestations,
    ("meters",): _meters,
    ("rake", "levels"): _levels,
}
