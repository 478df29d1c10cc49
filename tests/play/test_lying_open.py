"""Cards shown by mistake: the event that turns down the last of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.timeline.step_events import events_with_certainty
from tests.facade.rounds import NO, UNKNOWN, YES
from tests.facade.text import InputError
from tests.play.table import PLAY, Data, regulation, room, round_of, step

SHOWN, COVERED = step("came-to-light", "expose", by="dealer"), step("covered", "turn-down", covers="came-to-light")
ROOM = {"other-events": {**PLAY["other-events"], **SHOWN, **COVERED}}
CARDS = ("As", "Kd", "7c")


def expose(seat: int, cards: str, by: str | None = "dealer") -> Data:
    return {"event": "expose", "place": "player", "seat": seat, "cards": cards, "by": by}


def turn_down(seat: int, cards: str | None = None) -> Data:
    return {"event": "turn-down", "place": "player", "seat": seat, "cards": cards}


def mark(*events: Data) -> list[int]:
    """Return for each event that turns cards down whether it belongs to the step."""
    # A round before and one behind, in which a card is left open and one is turned down that was never shown.
    rounds = [
        round_of({}, {}, events=several, round=name)
        for name, several in (("R0", [expose(1, "2d")]), ("R1", list(events)), ("R2", [turn_down(1, "2d")]))
    ]
    scope = room(**ROOM).scope(rounds)
    chosen, surely = events_with_certainty(scope, "covered")
    marks = dict(zip(chosen.tolist(), surely.tolist(), strict=True))
    assert marks.pop(len(events) + 1) == YES
    return [marks.get(number, NO) for number, event in enumerate(events, 1) if event["event"] == "turn-down"]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([expose(1, "As"), turn_down(1, "As")], [YES]),
        ([expose(1, "As"), turn_down(1)], [YES]),
        ([expose(1, "As"), turn_down(2)], [NO]),
        ([expose(1, "As"), turn_down(1, "Kd")], [NO]),
        ([expose(1, "As"), turn_down(1, "??")], [YES]),
        ([expose(1, "As"), expose(2, "Kd"), turn_down(2), turn_down(1)], [NO, YES]),
        ([expose(1, "AsKd"), turn_down(1)], [YES]),
        ([expose(1, "AsKd"), turn_down(1, "Kd"), turn_down(1, "As")], [NO, YES]),
        ([expose(1, "As"), expose(1, "As"), turn_down(1, "As")], [YES]),
        ([expose(1, "As"), turn_down(1), expose(1, "As"), turn_down(1)], [YES, YES]),
        ([expose(1, "??"), turn_down(1, "As")], [YES]),
        ([expose(1, "????"), turn_down(1, "??")], [UNKNOWN]),
        ([expose(1, "??"), turn_down(2)], [NO]),
        ([expose(1, "AsKd"), turn_down(1, "??"), turn_down(1, "Kd")], [UNKNOWN, YES]),
        ([expose(1, "As", by="player"), turn_down(2)], [YES]),
        ([expose(1, "As", by=None), turn_down(2)], [UNKNOWN]),
        ([expose(1, "As", by=None), turn_down(1)], [YES]),
    ],
)
def test_when_all_is_covered(events: list[Data], expected: list[int]) -> None:
    assert mark(*events) == expected


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(1, 2), st.lists(st.sampled_from(CARDS), min_size=1, unique=True)),
        max_size=8,
    )
)
def test_of_known_cards_sets_tell(told: list[tuple[bool, int, list[str]]]) -> None:
    lying: set[tuple[int, str]] = set()
    events, expected = [], []
    for shows, seat, cards in told:
        each = {(seat, card) for card in cards}
        events.append((expose if shows else turn_down)(seat, "".join(cards)))
        lying = lying | each if shows else lying - each
        if not shows:
            expected.append(NO if lying else YES)
    assert mark(*events) == expected


@pytest.mark.parametrize(
    "other",
    [
        step("covered", "turn-down", "expose", covers="came-to-light"),
        step("covered", "turn-down", covers="deal"),
        step("covered", "turn-down", covers="covered"),
    ],
)
def test_only_what_is_shown_is_covered(other: Data) -> None:
    game: Data = {"other-events": {**SHOWN, **other}}
    with pytest.raises(InputError, match="cover cards"):
        regulation(**game)
    shown = {**SHOWN["came-to-light"], "when": {"some-seat": {"placed": "main"}}}
    game = {"other-events": {"came-to-light": shown, **COVERED}}
    with pytest.raises(InputError, match="condition of its own"):
        regulation(**game)
