"""Hands as online card rooms write them: by card room custom nothing fails, by the text only known requirements."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.phh.audited import failures, get_names
from tests.phh.sites import Blinds, SiteHand, Telling, site_hand

SEEDS = range(80)

BY_THE_TEXT = {
    "blinds-from-their-seats": {"heads-up-blinds", "missed-blinds", "vacant-small-blind"},
    "small-blind-posted": {"heads-up-blinds", "vacant-small-blind"},
    "big-blind-posted": {"heads-up-blinds", "vacant-small-blind"},
    "big-blind-is-double": {"larger-or-double"},
    "in-turn": {"heads-up-blinds", "vacant-small-blind"},
    "last-bettor-shows-first": {"order-of-showing"},
}
"""Requirements that may fail by the text alone, and the readings that such a finding must name."""


@pytest.fixture(scope="module")
def hands() -> dict[str, SiteHand]:
    return {str(seed): site_hand(seed) for seed in SEEDS}


def test_they_are_of_every_kind(hands: dict[str, SiteHand]) -> None:
    assert {hand.blinds for hand in hands.values()} == set(Blinds)
    assert {hand.telling for hand in hands.values()} == set(Telling)
    assert {len(hand.stacks) for hand in hands.values()} == set(range(2, 10))
    some = Counter[str]()
    for hand in hands.values():
        some["all in"] += any(put == stack for put, stack in zip(hand.put, hand.stacks, strict=True))
        some["split"] += sum(won > 0 for won in hand.won) > 1
        some["half a chip"] += any(won % hand.big_blind % 5 for won in hand.won)
        some["raked"] += hand.rake > 0
        some["fixed limit"] += hand.fields["variant"] == "'FT'"
        some["cards unseen"] += "????" in hand.text
    assert min(some.values()) > 5 and len(some) == 6


def test_nothing_fails_under_card_room_custom(hands: dict[str, SiteHand], tmp_path: Path) -> None:
    found, aside = failures({name: hand.text for name, hand in hands.items()}, tmp_path)
    assert not aside
    assert {name: get_names(findings) for name, findings in found.items()} == {}


def test_by_the_text_what_fails_names_the_reading(hands: dict[str, SiteHand], tmp_path: Path) -> None:
    found, aside = failures({name: hand.text for name, hand in hands.items()}, tmp_path, profile=None)
    assert not aside
    for name, findings in found.items():
        for finding in findings:
            named = {reading.partition("/")[2] for reading in finding.reading}
            assert BY_THE_TEXT[finding.requirement.partition("/")[2]] <= named
        hand = hands[name]
        usual = not hand.heads_up and hand.blinds in (Blinds.BOTH, Blinds.DEAD)
        assert not usual or get_names(findings) <= {"last-bettor-shows-first", "big-blind-is-double"}
    irregular = {name for name, hand in hands.items() if hand.blinds in (Blinds.MOVED_UP, Blinds.LATE)}
    assert irregular <= found.keys()


def test_winnings_with_a_chip_too_many_are_found(hands: dict[str, SiteHand], tmp_path: Path) -> None:
    """The winnings may or may not include uncalled bets."""
    told = {Telling.WINNINGS, Telling.WINNINGS_AND_UNCALLED}
    wrong = {}
    for name, hand in hands.items():
        losers = [player for player, won in enumerate(hand.won) if not won and not hand.uncalled[player]]
        if hand.telling in told and losers and "p1 sm" in hand.text:
            amounts = hand.fields["winnings"].strip("[]").split(", ")
            amounts[losers[0]] = "0.50"
            wrong[name] = hand.text.replace(hand.fields["winnings"], f"[{', '.join(amounts)}]")
    found, _ = failures(wrong, tmp_path)
    named = [name for name in wrong if get_names(found.get(name, [])) & {"pots-to-the-winners", "pots-add-up"}]
    assert len(wrong) > 5 and len(named) > len(wrong) // 2
