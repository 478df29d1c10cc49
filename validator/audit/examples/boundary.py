"""Examples on either side of an exact settlement: the smallest unit less, and the smallest unit more."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from validator.rules.model.example import BoundaryFinding, Example, ExpectedFinding

Side: TypeAlias = Literal["under", "over"]

_SETTLING = ("pay", "collect", "return")
_SHOWN: dict[Side, str] = {"under": "the smallest unit too little", "over": "the smallest unit too much"}


def beyond(example: Example, round_: dict[str, Any]) -> Iterator[tuple[Example, dict[str, Any]]]:
    """The examples beyond the boundary of one, each with its round. Raises ValueError where a finding names no wager or
    bonus of the round."""
    if not example.boundary:
        return
    for side in ("under", "over"):
        told = copy.deepcopy(round_)
        places = dict.fromkeys((one.at.seat, one.at.wager) for one in example.boundary)
        changed = {place for place in places if _missettled(told, *place, side)}
        if changed:
            said = {
                "example": f"{example.example}-{side}",
                "shows": f"{example.shows} Here {_SHOWN[side]}.",
                "about": [],
                "not_applicable": [],
                "findings": [_found(one, side) for one in example.boundary if (one.at.seat, one.at.wager) in changed],
                "boundary": [],
            }
            yield example.model_copy(update=said), told


def _found(one: BoundaryFinding, side: Side) -> ExpectedFinding:
    amount = {"owed" if side == "under" else "overpaid": 1}
    return ExpectedFinding(requirement=one.requirement, at=one.at, **amount)


def _missettled(round_: dict[str, Any], seat: int | None, name: str | None, side: Side) -> bool:
    """Change what is paid or taken on a wager or bonus, in summary and events, unless nothing more could be taken."""
    line = _line(round_, seat, name)
    paid, taken = line.get("paid", 0), line.get("taken", 0)
    told = _Events(round_, {"seat": seat, "wager": name, "tip": line.get("tip", False)})
    if side == "over" and not taken:
        line["paid"] = paid + 1
        told.change("pay", 1)
    elif side == "over":
        line["taken"] = taken - 1
        told.change("collect", -1)
        told.change("return", 1, or_add=False)
    elif paid:
        line["paid"] = paid - 1
        told.change("pay", -1)
    elif taken < line.get("amount", 0):
        line["taken"] = taken + 1
        told.change("return", -1, or_add=False)
        told.change("collect", 1)
    else:
        return False
    return True


def _line(round_: dict[str, Any], seat: int | None, name: str | None) -> dict[str, Any]:
    """A wager or bonus as the summary of the round has it."""
    for one in round_.get("seats", ()):
        if one.get("seat") == seat:
            for key, lines in (("wager", "wagers"), ("bonus", "bonuses")):
                for line in one.get(lines, ()):
                    if line.get(key) == name:
                        assert isinstance(line, dict)
                        return line
    raise ValueError(f"seat {seat} has no wager or bonus {name} that could be settled otherwise")


class _Events:
    """What the events of a round tell of a line at a seat, which must come to what the summary says."""

    def __init__(self, round_: dict[str, Any], line: dict[str, Any]) -> None:
        self._round, self._line = round_, line

    def change(self, kind: str, by: int, *, or_add: bool = True) -> None:
        """Change the amount of the last event of a kind. If the log tells of such events and has none of the line, one
        is added behind the last that settles anything."""
        events: list[dict[str, Any]] = self._round.get("events", [])
        own = [one for one in events if one.get("event") == kind and self._line == _line_of(one)]
        if own:
            own[-1]["amount"] += by
        elif or_add and by > 0 and "events" in self._round and kind not in self._round.get("unrecorded", ()):
            settling = [at for at, one in enumerate(events, start=1) if one.get("event") in _SETTLING]
            tip = {"tip": True} if self._line["tip"] else {}
            added = {"event": kind, "seat": self._line["seat"], "wager": self._line["wager"], "amount": by, **tip}
            events.insert(max(settling, default=len(events)), added)


def _line_of(event: dict[str, Any]) -> dict[str, Any]:
    return {"seat": event.get("seat"), "wager": event.get("wager"), "tip": event.get("tip", False)}
