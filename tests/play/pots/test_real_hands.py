"""Public histories of real hands, if they are available next to the project: all receipts equal the amounts due."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fairdeal.validator.evidence.poker.hand_recorder import PokerVocabulary
from fairdeal.validator.evidence.poker.phh_blocks import decode_hands
from tests.facade.rounds import EvaluationContext, check_context
from tests.play.pots.table import GAME, compile_room

HANDS = Path(__file__).parents[3].parent / "shared" / "hands" / "phh"
TERMS = PokerVocabulary(
    game=GAME,
    antes="ante",
    blinds=("small-blind", "big-blind"),
    straddle=None,
    dead="dead-blind",
    bets="bets",
    fold="fold",
    check="check",
    call="call",
    bet="bet",
    raise_="raise",
    concede="concede",
)
CHOICES = (("antes", "whole"), ("odd-chip", "divided-exactly"))


@pytest.mark.skipif(not HANDS.is_dir(), reason="no folder of hand histories beside the project")
def test_every_hand_is_paid_as_it_is_due() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted(HANDS.rglob("*.phh*")):
        decoded = decode_hands(
            path.read_bytes(),
            file=path.name,
            first_line=1,
            variants={"NT": TERMS, "FT": TERMS},
            known_games={GAME},
        )
        for batch in decoded.batches:
            for verdict in check_context(EvaluationContext(batch, compile_room(CHOICES), None)):
                for status, count in zip(("not-applicable", "pass", "not-evidenced"), verdict.counts[1:4], strict=True):
                    found[verdict.requirement, status] += count
                assert verdict.requirement == "refunds" or not verdict.findings
    hands = found["adds-up", "pass"]
    assert hands > 0
    assert found["shares", "pass"] == hands
    assert found["uncalled", "pass"] + found["uncalled", "not-applicable"] == hands
