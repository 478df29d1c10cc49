"""Examples one smallest unit below and one smallest unit above an exact settlement."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from validator.rules.model.example import BoundaryFinding, Example, ExpectedFinding

Side: TypeAlias = Literal["under", "over"]
"""Direction in which a settlement is changed."""

_SETTLEMENT_EVENTS = ("pay", "collect", "return")
_SIDE_WORDS: dict[Side, str] = {"under": "the smallest unit too little", "over": "the smallest unit too much"}


def beyond(example: Example, round_: dict[str, Any]) -> Iterator[tuple[Example, dict[str, Any]]]:
    """Yield the examples on either side of the boundary of an example, each with its round.

    Raises:
        ValueError: If a finding names no wager or bonus of the round.
    """
    if not example.boundary:
        return
    for side in ("under", "over"):
        changed_round = copy.deepcopy(round_)
        places = dict.fromkeys((finding.at.seat, finding.at.wager) for finding in example.boundary)
        changed = {place for place in places if _change_settlement(changed_round, *place, side)}
        if changed:
            changes = {
                "example": f"{example.example}-{side}",
                "shows": f"{example.shows} Here {_SIDE_WORDS[side]}.",
                "about": [],
                "not_applicable": [],
                "findings": [
                    _expect_finding(finding, side)
                    for finding in example.boundary
                    if (finding.at.seat, finding.at.wager) in changed
                ],
                "boundary": [],
            }
            yield example.model_copy(update=changes), changed_round


def _expect_finding(finding: BoundaryFinding, side: Side) -> ExpectedFinding:
    amount = {"owed" if side == "under" else "overpaid": 1}
    return ExpectedFinding(requirement=finding.requirement, at=finding.at, **amount)


def _change_settlement(round_: dict[str, Any], seat: int | None, name: str | None, side: Side) -> bool:
    """Change the amount paid or taken on a wager or bonus, in summary and events.

    Returns:
        False if nothing more could be taken.
    """
    line = _find_line(round_, seat, name)
    paid, taken = line.get("paid", 0), line.get("taken", 0)
    events = _LineEvents(round_, {"seat": seat, "wager": name, "tip": line.get("tip", False)})
    if side == "over" and not taken:
        line["paid"] = paid + 1
        events.change("pay", 1)
    elif side == "over":
        line["taken"] = taken - 1
        events.change("collect", -1)
        events.change("return", 1, or_add=False)
    elif paid:
        line["paid"] = paid - 1
        events.change("pay", -1)
    elif taken < line.get("amount", 0):
        line["taken"] = taken + 1
        events.change("return", -1, or_add=False)
        events.change("collect", 1)
    else:
        return False
    return True


def _find_line(round_: dict[str, Any], seat: int | None, name: str | None) -> dict[str, Any]:
    """Return a wager or bonus from the summary of a round."""
    for entry in round_.get("seats", ()):
        if entry.get("seat") == seat:
            for key, lines in (("wager", "wagers"), ("bonus", "bonuses")):
                for line in entry.get(lines, ()):
                    if line.get(key) == name:
                        assert isinstance(line, dict)
                        return line
    raise ValueError(f"seat {seat} has no wager or bonus {name} whose settlement could be changed")


class _LineEvents:
    """Settlement events of a line at a seat, whose amounts must equal those of the summary."""

    def __init__(self, round_: dict[str, Any], line: dict[str, Any]) -> None:
        self._round, self._line = round_, line

    def change(self, kind: str, by: int, *, or_add: bool = True) -> None:
        """Change the amount of the last event of a kind.

        If the log records such events but has none for the line, an event is added after the last settlement event.
        """
        events: list[dict[str, Any]] = self._round.get("events", [])
        own = [event for event in events if event.get("event") == kind and self._line == _line_key(event)]
        if own:
            own[-1]["amount"] += by
        elif or_add and by > 0 and "events" in self._round and kind not in self._round.get("unrecorded", ()):
            settling = [end for end, event in enumerate(events, start=1) if event.get("event") in _SETTLEMENT_EVENTS]
            tip = {"tip": True} if self._line["tip"] else {}
            added = {"event": kind, "seat": self._line["seat"], "wager": self._line["wager"], "amount": by, **tip}
            events.insert(max(settling, default=len(events)), added)


def _line_key(event: dict[str, Any]) -> dict[str, Any]:
    return {"seat": event.get("seat"), "wager": event.get("wager"), "tip": event.get("tip", False)}
