"""Draw games explained round by round: every draw is listed before the betting that follows it."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.facade.evidence import decode_records
from tests.facade.rounds import explain_round
from tests.facade.submissions import AuditContext
from tests.variants.hands import rulebook
from tests.variants.test_simulated import write_log

DRAWS = {"triple-draw": ("first draw", "second draw", "third draw"), "five-card-draw": ("draw",)}


@pytest.mark.parametrize("name", DRAWS)
def test_every_draw_stands_before_its_betting(name: str) -> None:
    court = AuditContext(rulebook=rulebook(), submissions=[], as_of=None)
    told = Counter[str]()
    for line in write_log(name, rounds=15).splitlines():
        batches, _ = decode_records([json.loads(line)], file="log", games=[name])
        for chapter in explain_round(court, batches[0]).chapters:
            for draw in DRAWS[name]:
                kinds = [line.partition(". ")[2].split(", ")[0] for line in chapter.lines if f", {draw}, " in line]
                told.update(kinds)
                if kinds:
                    assert chapter.title == f"Betting after the {draw}"
                    assert kinds[0] == "deal"  # the card that is burnt
                    others = [line for line in chapter.lines[: len(kinds)] if f", {draw}, " not in line]
                    assert not others, chapter
    assert min(told[kind] for kind in ("deal", "decide", "discard", "draw")) > 9
