"""Lawful hands in unusual notation, or written by a converter.

Nothing fails by custom; by the text, only requirements that depend on a reading fail.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fairdeal import api
from tests.facade.results import Results, Status
from tests.phh.audited import CUSTOM, failures, get_names
from tests.phh.converted import Away, Converted, convert_hands
from tests.phh.oddities import odd_hand, write_log

LOGS = range(2)
HANDS = 25
"""Hands a log."""

BY_THE_TEXT = {
    "blinds-from-their-seats",
    "no-straddles",
    "small-blind-posted",
    "big-blind-posted",
    "big-blind-is-double",
    "blinds-besides-antes",
    "last-bettor-shows-first",
    "in-turn",
}
"""Requirements that may fail by the text alone. Each depends on a reading."""


def audit(number: int, folder: Path, profile: Path | None) -> Results:
    hands = {str(seed): odd_hand(seed) for seed in range(number * HANDS, (number + 1) * HANDS)}
    path = folder / "odd.phhs"
    path.write_bytes(write_log(hands, number))
    return api.audit(api.load_rulebook(profile=profile), path)


@pytest.mark.parametrize("number", LOGS)
def test_nothing_told_oddly_fails_under_card_room_custom(number: int, tmp_path: Path) -> None:
    results = audit(number, tmp_path, CUSTOM)
    log, _profile = results.provenance.inputs
    assert (log.read, log.quarantined) == (HANDS, 0)
    assert [finding for finding in results.findings if finding.status in (Status.FAIL, Status.ERROR)] == []


@pytest.mark.parametrize("number", LOGS)
def test_by_the_text_what_is_told_oddly_fails_by_a_reading(number: int, tmp_path: Path) -> None:
    failed = [
        finding for finding in audit(number, tmp_path, None).findings if finding.status in (Status.FAIL, Status.ERROR)
    ]
    assert all(failure.reading for failure in failed)
    assert get_names(failed) <= BY_THE_TEXT


@pytest.fixture(scope="module")
def converted_texts() -> dict[str, Converted]:
    return convert_hands(range(70))


def test_what_a_converter_tells_whole_does_not_fail(converted_texts: dict[str, Converted], tmp_path: Path) -> None:
    some = Counter((hand.away, hand.short) for hand in converted_texts.values())
    assert {away for away, _ in some} == set(Away) and any(short for _, short in some)
    found, aside = failures({name: hand.text for name, hand in converted_texts.items()}, tmp_path)
    assert {converted_texts[name].away for name in found} <= {Away.BIG_AND_DEAD}
    assert aside <= {name for name, hand in converted_texts.items() if hand.short}


def test_posts_that_a_converter_left_out_are_no_proof(converted_texts: dict[str, Converted], tmp_path: Path) -> None:
    """Posts of players who went all in are an exception, since they change the pots."""
    hands = {name: hand.text for name, hand in converted_texts.items() if hand.away is Away.BIG_AND_DEAD}
    strictly, _ = failures(hands, tmp_path, profile=None)
    found, _ = failures(hands, tmp_path)
    assert len(found) < len(strictly) // 2
    for findings in [*strictly.values(), *found.values()]:
        assert get_names(findings) <= {"pots-to-the-winners", "pots-add-up"}
        assert all("poker-room/posts-not-told" in finding.reading for finding in findings)
