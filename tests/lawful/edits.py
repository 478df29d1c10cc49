"""Changes of the events of a lawful round that turn it into a breach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.lawful.record import Event, Round, make_event

Edit = Callable[[Round], None]


def is_match(event: Event, kind: str, keys: dict[str, Any]) -> bool:
    """Return whether an event is of a kind and has these values; None requires that a key is absent."""
    return event["event"] == kind and all(event.get(name) == value for name, value in keys.items())


def find(round_: Round, kind: str, *, last: bool = False, **keys: Any) -> int:
    """Return the index of the first event that matches, or of the last."""
    found = [index for index, event in enumerate(round_.events) if is_match(event, kind, keys)]
    if not found:
        raise LookupError(f"no event {kind} {keys} in round {round_.id}")
    return found[-1 if last else 0]


def get(round_: Round, kind: str, **keys: Any) -> Event:
    return round_.events[find(round_, kind, **keys)]


def drop(kind: str, **keys: Any) -> Edit:
    """Return an edit that removes all events that match."""

    def edit(round_: Round) -> None:
        find(round_, kind, **keys)
        round_.events = [event for event in round_.events if not is_match(event, kind, keys)]

    return edit


def alter(kind: str, new: dict[str, Any], **keys: Any) -> Edit:
    """Return an edit that gives the first event that matches other values; a function gets the old value."""

    def edit(round_: Round) -> None:
        event = get(round_, kind, **keys)
        for name, value in new.items():
            event[name] = value(event[name]) if callable(value) else value

    return edit


def scale(kind: str, numerator: int, denominator: int = 1, **keys: Any) -> Edit:
    """Return an edit that multiplies the amount of the first event that matches."""
    return alter(kind, {"amount": lambda amount: amount * numerator // denominator}, **keys)


def move(
    kind: str,
    *,
    before: tuple[str, dict[str, Any]] | None = None,
    after: tuple[str, dict[str, Any]] | None = None,
    last: bool = False,
    **keys: Any,
) -> Edit:
    """Return an edit that moves the first event that matches before the first, or after the last, of some other."""

    def edit(round_: Round) -> None:
        event = round_.events.pop(find(round_, kind, last=last, **keys))
        if before is not None:
            at = find(round_, before[0], **before[1])
        else:
            assert after is not None
            at = find(round_, after[0], last=True, **after[1]) + 1
        round_.events.insert(at, event)

    return edit


def insert_event(
    kind: str,
    values: dict[str, Any],
    *,
    before: tuple[str, dict[str, Any]] | None = None,
    after: tuple[str, dict[str, Any]] | None = None,
) -> Edit:
    """Return an edit that adds an event before the first, or after the last, of some other; else at the end."""

    def edit(round_: Round) -> None:
        event = make_event(kind, **values)
        if before is not None:
            at = find(round_, before[0], **before[1])
        elif after is not None:
            at = find(round_, after[0], last=True, **after[1]) + 1
        else:
            at = len(round_.events)
        round_.events.insert(at, event)

    return edit


def both(*edits: Edit) -> Edit:
    """Return an edit that makes several changes, one after the other."""

    def edit(round_: Round) -> None:
        for each in edits:
            each(round_)

    return edit
