"""Deck of an event that names none, as for a device that may have held any of several decks."""

from __future__ import annotations

from typing import Any

import pytest

from fairdeal.validator.engine.timeline.step_events import events_with_certainty
from tests.facade.rounds import NO, UNKNOWN, YES
from tests.play.table import PLAY, Data, room, round_of, step

JAM = step("jam", "fault", what="device", deck="in-play", **{"unnamed-deck": "any"})
STUB = step("stub", "count", what="stub", deck="in-play")


def mark(name: str, *events: Data, submitted: Data | None = None, **round_: Any) -> list[int]:
    """Return for each event of a round whether it belongs to a step."""
    submission = None if submitted is None else {"deck": {"cards": "standard-52", **submitted}}
    scope = room(**{"other-events": {**PLAY["other-events"], **JAM, **STUB}}).scope(
        [round_of({}, events=[*events], **round_)], submission
    )
    marks = dict(zip(*(column.tolist() for column in events_with_certainty(scope, name)), strict=True))
    return [marks.get(number, NO) for number in range(len(events))]


FAULT: Data = {"event": "fault", "what": "device"}
SHUFFLE: Data = {"event": "shuffle", "deck": "red"}
COUNT: Data = {"event": "count", "what": "stub", "number": 40}


@pytest.mark.parametrize(
    ("submitted", "decks", "expected"),
    [
        ({"decks": 1}, {}, YES),
        ({"decks": 1}, {"deck": "blue"}, YES),
        ({"decks": 2}, {}, UNKNOWN),
        ({"decks": 2}, {"deck": "blue"}, UNKNOWN),
        ({"decks": 1, "kept": 2}, {}, UNKNOWN),
        # Where nothing is stated, decks with names may be several.
        ({}, {}, YES),
        (None, {}, YES),
        (None, {"deck": "blue"}, UNKNOWN),
    ],
)
def test_it_may_be_of_any_deck_where_there_are_several(submitted: Data | None, decks: Data, expected: int) -> None:
    assert mark("jam", FAULT, submitted=submitted, **decks) == [expected]


def test_a_deck_that_rests_shows_that_there_are_several() -> None:
    assert mark("jam", SHUFFLE, FAULT, submitted={"decks": 1}, deck="blue") == [NO, UNKNOWN]
    assert mark("jam", SHUFFLE, FAULT, submitted={"decks": 1}, deck="red") == [NO, YES]


def test_a_deck_that_is_named_is_the_one_in_play_or_is_not() -> None:
    named = [{**FAULT, "deck": deck} for deck in ("blue", "red")]
    assert mark("jam", *named, submitted={"decks": 2}, deck="blue") == [YES, NO]
    assert mark("jam", *named, submitted={"decks": 2}) == [UNKNOWN, UNKNOWN]


def test_what_else_names_no_deck_is_of_the_one_in_play() -> None:
    assert mark("stub", COUNT, submitted={"decks": 2}, deck="blue") == [YES]
