"""Orderly rounds, cut off at every event: nothing that may have come later is reported as missing."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairdeal import api
from tests.facade.results import Status
from tests.variants import stud_hands, test_five_card_draw
from tests.variants.hands import rulebook
from tests.variants.test_stud import submission

Data = dict[str, Any]


def draw_round() -> Data:
    draw = test_five_card_draw
    return draw.record_round([*draw.start(), *draw.BEFORE, *draw.DRAW, *draw.AFTER, *draw.SHOWDOWN])


def cut_off(record: Data) -> Iterator[Data]:
    """Yield the record up to each of its events, with a summary of what is known so far."""
    for end in range(len(record["events"])):
        found = copy.deepcopy(record)
        events = found["events"] = found["events"][:end]
        found |= {"round": f"as far as {end}", "complete": False}
        for seat in found["seats"]:
            own = [event for event in events if event.get("seat") == seat["seat"]]
            seat["cards"] = "".join(event["cards"] for event in own if event["event"] == "deal")
            placed = {event["wager"]: event["amount"] for event in own if event["event"] == "wager"}
            placed["bets"] = sum(event.get("amount", 0) for event in own if event["event"] == "decide")
            seat["wagers"] = [{"wager": line, "amount": amount} for line, amount in placed.items() if amount]
            seat.pop("stack-after", None)
        yield found


@pytest.mark.parametrize("record", [stud_hands.write_round(), draw_round()], ids=["stud", "five-card-draw"])
def test_a_round_in_order_is_in_order_as_far_as_it_goes(record: Data, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(part) + "\n" for part in cut_off(record)))
    results = api.audit(rulebook(), log, submissions=[submission(tmp_path, "stud")])
    assert not results.quarantined
    failed = [finding for finding in results.findings if finding.status is Status.FAIL]
    assert [(failure.requirement, failure.where.round) for failure in failed] == []
