"""Form of one round: inputs for cards, stakes, decisions and acts, and entries that are added and taken away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import count
from typing import Any, get_args

from msgspec import Struct
from starlette.datastructures import FormData

from fairdeal.validator.evidence.event_kinds import EventKind, Place
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.text.plain_values import parse_money, write_money, written_in
from fairdeal.validator.text.positioned_document import DataPath, format_pointer

MOST_ENTRIES = 300
"""Limit of the seats, stakes and events of a list that the form shows."""
FIRST_STAKE = 1000
"""Stake that is added to a seat without another, in minor units."""
_STATED_BY_PAGE = frozenset(
    {"round", "casino", "table", "time", "game", "number", "events", "seats", "meters", "annotations", "outcomes"}
)
"""Keys of a round that have no input, or inputs of their own."""
_MONEY = frozenset({"amount", "brought", "stack", "small-bet", "big-bet", "opening", "shown", "closing"})
_NUMBERS = frozenset({"button", "seat", "split-of", "pot", "to"})
_CARDS = re.compile(r"(?:dealer|community|cards)(?:-discarded|-drawn)?|discarded|drawn|high|low")
_OF_EVENT = {"decide": ("seat", "decision", "amount"), "wager": ("seat", "wager", "amount"), "deal": ("cards",)}
"""Keys of an event that have an input even if it does not state them."""
_OF_EVENTS = frozenset({"seat", "decision", "wager", "amount", "cards", "pot", "what", "to", "high", "low"})
"""Keys of events that have an input; the others, such as who dealt, stay as they are."""


PAYMENTS = frozenset({"award", "rake", "drop", "return", "pay", "collect"})
"""Kinds of event that the page leaves out: it shows what is due, not what was paid."""


class FieldKind(StrEnum):
    """Kind of an input."""

    TEXT = "text"
    CARDS = "cards"
    MONEY = "money"
    NUMBER = "number"
    CHOICE = "choice"


class ScenarioField(Struct, frozen=True, kw_only=True):
    """Input for a value of a round."""

    path: DataPath
    label: str
    kind: FieldKind
    value: str
    """Value as it is shown; empty if it is not stated."""
    choices: Mapping[str, str]
    """Titles of the possible values."""

    @property
    def name(self) -> str:
        """Name of the input."""
        return format_pointer(self.path)


class ScenarioPart(Struct, frozen=True, kw_only=True):
    """Table, seat, stake or act of a round, or a list of them."""

    path: DataPath
    title: str
    fields: Sequence[ScenarioField] = ()
    parts: Sequence[ScenarioPart] = ()
    is_removable: bool = False
    adds: str = ""
    """Name of the entries that can be added to it; empty if there are none."""
    choices: Mapping[str, str] = {}
    """Titles of the entries that can be added, if there are several."""
    has_order: bool = False
    """True if entries can be added before others."""

    @property
    def name(self) -> str:
        """JSON Pointer of the part."""
        return format_pointer(self.path)

    def iter_parts(self) -> Iterator[ScenarioPart]:
        """Yield the part and the parts within."""
        yield self
        for part in self.parts:
            yield from part.iter_parts()


def list_parts(record: Mapping[str, Any], game: Game) -> list[ScenarioPart]:
    """Return the form of a round: what the table has first, then the seats, then the acts of a game with betting."""
    with written_in(record.get("currency")):
        parts = [_build_table(record, game)]
        seats = [_build_seat(("seats", at), seat, game) for at, seat in _enumerate_entries(record.get("seats"))]
        parts.append(ScenarioPart(path=("seats",), title="Seats", parts=seats, adds="a seat"))
        if list_shown_events(game):
            events = [
                _build_event(("events", at), event, game) for at, event in _enumerate_entries(record.get("events"))
            ]
            choices = _list_acts(game)
            parts.append(
                ScenarioPart(
                    path=("events",),
                    title="Acts in order",
                    has_order=True,
                    parts=events,
                    adds="an act",
                    choices=choices,
                )
            )
        return parts


def list_shown_events(game: Game) -> frozenset[str]:
    """Return the kinds of event that the form shows, because the summary of a round does not say the same.

    Betting follows from the order of all acts; hands that take cards follow from several decisions.
    """
    if game.betting is not None:
        return frozenset(get_args(EventKind)) - PAYMENTS
    takes_cards = any("player" in (stage.takes or {}) for stage in game.deal.stages)
    decides_again = sum("decide" in act.events for act in game.acts.values()) > 1
    wanted = {"set"} | ({"decide", "split"} if takes_cards or decides_again else set())
    return frozenset(wanted.intersection(kind for act in game.all_acts.values() for kind in act.events))


def _enumerate_entries(entries: object) -> list[tuple[int, dict[str, Any]]]:
    listed = entries[:MOST_ENTRIES] if isinstance(entries, list) else []
    return [(at, entry) for at, entry in enumerate(listed) if isinstance(entry, dict)]


def _build_table(record: Mapping[str, Any], game: Game) -> ScenarioPart:
    dealt = game.deal.cards if game.deck is not None else {}
    keys: list[str] = [place for place in ("dealer", "community") if place in dealt]
    keys += ["button"] if game.betting is not None else []
    keys += [key for key, value in record.items() if key not in {*keys, *_STATED_BY_PAGE} and _is_scalar(value)]
    fields = [_build_field((key,), record, game) for key in keys]
    outcomes = record.get("outcomes")
    fields += [
        _build_field(("outcomes", name), outcomes if isinstance(outcomes, dict) else {}, game) for name in game.outcomes
    ]
    meters = [
        ScenarioPart(
            path=("meters", at),
            title=_label(str(meter.get("meter"))),
            fields=[_build_field(("meters", at, key), meter, game) for key in meter if key != "meter"],
        )
        for at, meter in _enumerate_entries(record.get("meters"))
    ]
    return ScenarioPart(path=(), title="Table", fields=fields, parts=meters)


def _build_seat(path: DataPath, seat: Mapping[str, Any], game: Game) -> ScenarioPart:
    keys = ["cards"] if game.deck is not None and "player" in game.deal.cards else []
    if game.deck is not None and game.deal.exchanging_stages:
        keys += ["discarded", "drawn"]
    if game.betting is not None:
        keys.append("stack")
    elif game.decisions and "decide" not in list_shown_events(game):
        keys.append("decision")
    keys += ["split-of"] if any(decision.splits for decision in game.decisions.values()) else []
    keys += [key for key, value in seat.items() if key not in {*keys, "seat", "player"} and _is_scalar(value)]
    fields = [_build_field((*path, key), seat, game) for key in keys]
    parts: list[ScenarioPart] = []
    if game.betting is None:  # else the stakes follow from the acts
        here = (*path, "wagers")
        stakes = [_build_stake((*here, at), stake, game) for at, stake in _enumerate_entries(seat.get("wagers"))]
        wagers = {name: wager.title for name, wager in game.wagers.items()}
        parts.append(ScenarioPart(path=here, title="Stakes", parts=stakes, adds="a stake", choices=wagers))
    return ScenarioPart(path=path, title=f"Seat {seat.get('seat')}", fields=fields, parts=parts, is_removable=True)


def _build_stake(path: DataPath, stake: Mapping[str, Any], game: Game) -> ScenarioPart:
    wager = game.wagers.get(str(stake.get("wager")))
    keys = ["amount"]
    keys += ["selection"] if wager is not None and wager.selects is not None else []
    keys += ["brought"] if stake.get("wager") in game.staying_wagers else []
    fields = [_build_field((*path, key), stake, game) for key in keys]
    title = _label(str(stake.get("wager"))) if wager is None else wager.title
    return ScenarioPart(path=path, title=title, fields=fields, is_removable=True)


def _build_event(path: DataPath, event: Mapping[str, Any], game: Game) -> ScenarioPart:
    kind = str(event.get("event"))
    wanted = [key for key in _OF_EVENT.get(kind, ()) if key != "amount" or game.betting is not None]
    keys = dict.fromkeys((*wanted, *event))
    fields = [_build_field((*path, key), event, game) for key in keys if key in _OF_EVENTS]
    number = path[-1]
    assert isinstance(number, int)
    place = f" {event['place']}" if isinstance(event.get("place"), str) else ""
    title = f"{number + 1}. {_label(kind)}{place}"
    return ScenarioPart(path=path, title=title, fields=fields, is_removable=True)


def _list_acts(game: Game) -> dict[str, str]:
    """Return the acts that can be added, with their titles."""
    kept = list_shown_events(game)
    decisions = {f"decide/{name}": f"A player's decision: {name}" for name in game.decisions if "decide" in kept}
    sets = {f"set/{place}": f"A hand is set: {place}" for place in ("player", "dealer") if "set" in kept}
    if game.betting is None:
        return {**decisions, **({"split/": "A hand is split"} if decisions and "split" in kept else {}), **sets}
    wagers = {f"wager/{name}": f"A stake: {wager.title}" for name, wager in game.wagers.items()}
    deals = {
        f"deal/{place}": f"Cards dealt: {place}"
        for place in get_args(Place)
        if place in game.deal.cards or place == "burn"
    }
    return {**decisions, **wagers, **deals}


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _build_field(path: DataPath, holder: Mapping[str, Any], game: Game) -> ScenarioField:
    key = str(path[-1])
    value = holder.get(key)
    choices: dict[str, str] = {}
    kind = FieldKind.TEXT
    if key in _MONEY:
        kind = FieldKind.MONEY
    elif key in _NUMBERS:
        kind = FieldKind.NUMBER
    elif _CARDS.fullmatch(key):
        kind = FieldKind.CARDS
    elif key == "decision":
        kind, choices = FieldKind.CHOICE, {name: decision.title for name, decision in game.decisions.items()}
    elif key == "wager":
        kind, choices = FieldKind.CHOICE, {name: wager.title for name, wager in game.wagers.items()}
    shown = "" if value is None else str(value)
    if kind is FieldKind.MONEY and isinstance(value, int):
        shown = str(write_money(value))
    if kind is FieldKind.CHOICE and shown:
        choices.setdefault(shown, shown)
    label = game.deal.name_place(key).removeprefix("the ") if key == "dealer" and game.deck is not None else key
    return ScenarioField(path=path, label=_label(label), kind=kind, value=shown, choices=choices)


def _label(key: str) -> str:
    text = key.replace("-", " ")
    return f"{text[:1].upper()}{text[1:]}"


_BLANKS = re.compile(r"[\s,]+")


def change_record(record: dict[str, Any], form: FormData, game: Game) -> Iterator[str]:
    """Change a record by a form, and yield what is wrong with its inputs.

    A blank input removes its key, or its cards. Then the entry that a button names is added or taken away.
    """
    parts = [part for outer in list_parts(record, game) for part in outer.iter_parts()]
    before = str(record.get("events"))
    for part in parts:
        for field in part.fields:
            typed = str(form.get(field.name, field.value)).strip()
            if typed != field.value:
                problem = _change_value(record, field, typed)
                if problem:
                    yield f"{part.title}, {field.label}: {problem}"
    removed, added = str(form.get("remove", "")), str(form.get("add", ""))
    for part in parts:
        if part.is_removable and part.name == removed:
            _remove(record, part.path)
        if part.adds and part.name == added:
            choice = str(form.get(f"choice:{part.name}", ""))
            place = str(form.get(f"place:{part.name}", ""))
            _add(record, part, choice if choice in part.choices else "", int(place) if place.isdecimal() else None)
    if game.betting is not None and str(record.get("events")) != before:
        _state_stakes(record, game.betting.wager)
    elif game.deck is None:
        _state_events(record)


def find_changed(record: Mapping[str, Any], form: FormData) -> str:
    """Return the JSON Pointer of the entry that a form added, or of the list that it took one from; else nothing."""
    added = str(form.get("add", ""))
    if not added:
        return str(form.get("remove", "")).rpartition("/")[0]
    place = str(form.get(f"place:{added}", ""))
    here: Any = record
    for step in added.split("/")[1:]:
        try:
            here = here[int(step) if isinstance(here, list) else step]
        except (LookupError, TypeError, ValueError):
            return ""
    return f"{added}/{place or len(here) - 1}" if isinstance(here, list) else ""


def _find(record: Any, path: DataPath) -> Any:
    for step in path:
        record = record[step]
    return record


def _change_value(record: dict[str, Any], field: ScenarioField, typed: str) -> str:
    """Change a value, and return what is wrong with it; empty if nothing is."""
    key = str(field.path[-1])
    if field.path[0] == "outcomes":
        record["outcomes"] = {**(record.get("outcomes") or {}), key: typed}
        return ""
    holder = _find(record, field.path[:-1])
    if field.kind is FieldKind.CARDS:
        holder[key] = _BLANKS.sub("", typed)  # without cards, the record states that there are none
    elif not typed:
        holder.pop(key, None)
    elif field.kind is FieldKind.MONEY:
        try:
            with written_in(record.get("currency")):
                holder[key] = parse_money(typed)
        except ValueError:
            return "write an amount such as 5.00."
    elif field.kind is FieldKind.NUMBER:
        if not (typed.isascii() and typed.isdecimal() and len(typed) < 4):
            return "write a whole number."
        holder[key] = int(typed)
    else:
        holder[key] = typed
    return ""


def _remove(record: dict[str, Any], path: DataPath) -> None:
    entries = _find(record, path[:-1])
    gone = entries.pop(path[-1])
    if path[0] == "seats" and len(path) == 2 and isinstance(record.get("events"), list):
        record["events"] = [event for event in record["events"] if event.get("seat") != gone.get("seat")]


def _add(record: dict[str, Any], part: ScenarioPart, choice: str, place: int | None) -> None:
    """Add an entry to a list.

    Args:
        choice: name of the entry among the choices of the part; empty for none of them.
        place: index before which an act is added; None for the end.
    """
    if part.path == ("seats",):
        seats = record.setdefault("seats", [])
        taken = {seat.get("seat") for _, seat in _enumerate_entries(seats)}
        seats.append({"seat": next(number for number in count(1) if number not in taken), "wagers": []})
    elif part.path == ("events",):
        kind, _, name = choice.partition("/")
        seat = next((seat.get("seat") for _, seat in _enumerate_entries(record.get("seats"))), 1)
        at_seat = {"seat": seat} if name == "player" else {}
        entries: dict[str, dict[str, Any]] = {
            "decide": {"event": "decide", "seat": seat, "decision": name},
            "wager": {"event": "wager", "seat": seat, "wager": name, "amount": FIRST_STAKE},
            "set": {"event": "set", "place": name, **at_seat, "high": "", "low": ""},
            "split": {"event": "split", "seat": seat, "to": seat},
            "deal": {"event": "deal", "place": name, **at_seat, "cards": "??"},
        }
        events = record.setdefault("events", [])
        events.insert(len(events) if place is None else place, entries.get(kind, entries["deal"]))
    elif choice:
        stakes = _find(record, part.path[:-1]).setdefault("wagers", [])
        amounts = [stake["amount"] for _, stake in _enumerate_entries(stakes) if isinstance(stake.get("amount"), int)]
        stakes.append({"wager": choice, "amount": amounts[0] if amounts else FIRST_STAKE})


def _state_stakes(record: dict[str, Any], bets: str) -> None:
    """State the stakes of each seat that its acts amount to.

    Args:
        bets: wager of bets, calls and raises.
    """
    for _, seat in _enumerate_entries(record.get("seats")):
        totals: dict[str, int] = {}
        for _, event in _enumerate_entries(record.get("events")):
            amount = event.get("amount")
            if event.get("seat") != seat.get("seat") or not isinstance(amount, int):
                continue
            if event.get("event") in ("wager", "decide"):
                name = str(event.get("wager")) if event["event"] == "wager" else bets
                totals[name] = totals.get(name, 0) + amount
        seat["wagers"] = [{"wager": name, "amount": amount} for name, amount in totals.items()]


def _state_events(record: dict[str, Any]) -> None:
    """State the events of a game without cards by its stakes and results: the time of a stake matters there."""
    placed: list[dict[str, Any]] = []
    for _, seat in _enumerate_entries(record.get("seats")):
        for _, stake in _enumerate_entries(seat.get("wagers")):
            amount, brought = stake.get("amount"), stake.get("brought") or 0
            if isinstance(amount, int) and isinstance(brought, int) and amount > brought:
                selection = {"selection": stake["selection"]} if stake.get("selection") else {}
                new = {"event": "wager", "seat": seat.get("seat"), "wager": stake.get("wager"), **selection}
                placed.append({**new, "amount": amount - brought})
    events = [event for _, event in _enumerate_entries(record.get("events"))]
    place = next((at for at, event in enumerate(events) if event.get("event") == "wager"), 0)
    rest = [event for event in events if event.get("event") != "wager"]
    outcomes = record.get("outcomes")
    for event in rest:
        if event.get("event") == "outcome" and isinstance(outcomes, dict) and event.get("what") in outcomes:
            event["value"] = outcomes[event["what"]]
    former = [event for event in events if event.get("event") == "wager"]
    if len(former) != len(placed) or any(event not in former for event in placed):
        record["events"] = [*rest[:place], *placed, *rest[place:]]
