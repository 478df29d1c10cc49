"""Examples on either side of an exact settlement: the smallest unit less, and the smallest unit more."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from validator.rules.model.example import BoundaryFinding, Example, ExpectedFinding

Side: TypeAlias = Literal["under", "over"]

_SHOWN: dict[Side, str] = {"under": "the smallest unit too little", "over": "the smallest unit too much"}


def beyond(example: Example, round_: dict[str, Any]) -> Iterator[tuple[Example, dict[str, Any]]]:
    """The examples beyond the boundary of one, each with its round. Raises ValueError where a finding names no wager of
    the round."""
    if not example.boundary:
        return
    for side in ("under", "over"):
        told = copy.deepcopy(round_)
        places = dict.fromkeys((one.at.seat, one.at.wager) for one in example.boundary)
        changed = {place for place in places if _missettled(_wager(told, *place), side)}
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


def _wager(round_: dict[str, Any], seat: int | None, name: str | None) -> dict[str, Any]:
    """A wager as the round has it."""
    for one in round_.get("seats", ()):
        if one.get("seat") == seat:
            for wager in one.get("wagers", ()):
                if wager.get("wager") == name:
                    assert isinstance(wager, dict)
                    return wager
    raise ValueError(f"seat {seat} has no wager {name} that could be settled otherwise")


def _missettled(wager: dict[str, Any], side: Side) -> bool:
    """Change what is paid or taken on a wager, unless nothing more could be taken."""
    paid, taken = wager.get("paid", 0), wager.get("taken", 0)
    if side == "over":
        wager.update({"taken": taken - 1} if taken else {"paid": paid + 1})
    elif paid or taken < wager.get("amount", 0):
        wager.update({"paid": paid - 1} if paid else {"taken": taken + 1})
    else:
        return False
    return True
