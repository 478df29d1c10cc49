"""Events that may or may not belong to a step prove nothing for it or against it."""

from __future__ import annotations

import pytest

from tests.play.table import PLAY, Data, event, judge, measures, round_of, step

STEPS: Data = {
    "other-events": {
        **PLAY["other-events"],
        **step("hand", "collect-cards", each="seat", place="player", what="hand"),
        **step("discards", "collect-cards", each="seat", place="player", what="discards"),
        **step("told", "announce", each="seat", when={"holds": {"hand": "dealt", "at-least": "pair"}}),
    }
}
SEATS: list[Data] = [{"cards": "AsAd2c"}, {"cards": "??3d4d"}, {"cards": "9s8d2h"}]
CUT: Data = {"event": "cut"}


def collect(seat: int, what: str | None = None, cards: str = "??") -> Data:
    return event("collect-cards", seat, cards=cards, **({} if what is None else {"what": what}))


def announce(seat: int, amount: int = 1) -> Data:
    return event("announce", seat, what="something", amount=amount)


def round_(*events: Data) -> Data:
    """Build a round that does not record discards, so that there may be discards to collect."""
    return round_of(*SEATS, events=list(events), unrecorded=["discard"])


def outcome(check: Data, *events: Data) -> str:
    return judge(check, [round_(*events)], **STEPS)[0][0]


def test_how_often_is_known_between_bounds() -> None:
    record = round_(collect(1, "hand"), collect(1), collect(2), collect(3, "discards"))
    assert measures({"events": "hand"}, [record], **STEPS) == [(1, 2), (0, 1), 0]
    assert measures({"cards-in": "hand"}, [record], **STEPS) == [(1, 2), (0, 1), 0]
    announced = round_of(*SEATS, events=[announce(1, 5), announce(2, 6), announce(3, 7)])
    assert measures({"events": "told"}, [announced], **STEPS) == [1, (0, 1), 0]
    assert measures({"counted": "told"}, [announced], **STEPS) == [5, (None, None), (None, None)]
    shut = round_of(*SEATS, events=[{"event": "deck", "what": "washed"}, {"event": "deck", "what": "opened"}])
    assert measures({"events": "washed-up"}, [shut], "round", **STEPS) == [(0, 1)]


AT_LEAST_ONE: Data = {"each": "seat", "must": {"events": "hand", "at-least": 1}, "when": {"placed": "main"}}


def test_what_may_have_happened_is_not_found_missing() -> None:
    told = [collect(1, "hand"), collect(2, "hand")]
    assert outcome(AT_LEAST_ONE, *told, collect(3, "hand")) == "pass"
    assert outcome(AT_LEAST_ONE, *told, collect(3)) == "not-evidenced"
    assert outcome(AT_LEAST_ONE, *told, collect(3, "discards")) == "fail"


def test_what_is_said_of_an_event_that_may_be_another_is_no_failure() -> None:
    check: Data = {"each": "event", "of": "told", "must": {"stated": "this", "at-least": 2}}
    assert outcome(check, announce(1, 2), announce(3, 1)) == "pass"
    assert outcome(check, announce(1, 2), announce(2, 1)) == "not-evidenced"
    assert outcome(check, announce(1, 2), announce(2, 2)) == "pass"
    assert outcome(check, announce(1, 1), announce(2, 2)) == "fail"


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([CUT, collect(1)], "not-evidenced"),  # it must come, and may have
        ([collect(1), CUT, collect(1, "hand")], "not-evidenced"),  # it may have come too early
        ([CUT, collect(1), collect(1, "hand")], "pass"),
        ([collect(2, "hand"), collect(1), CUT], "fail"),
        ([CUT, collect(1, "discards")], "fail"),
    ],
)
def test_an_order_that_hangs_on_what_is_not_told(events: list[Data], status: str) -> None:
    check: Data = {"sequence": {"steps": [{"step": "cut"}, {"step": "hand", "times": "at-least-one"}]}}
    assert outcome(check, *events) == status


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([CUT, collect(1), collect(2)], "not-evidenced"),  # of these one may be it, where none and both are wrong
        ([CUT, collect(1)], "not-evidenced"),
        ([CUT, collect(1, "hand"), collect(2)], "not-evidenced"),
        ([CUT, collect(1, "hand"), collect(2, "hand"), collect(3)], "fail"),
        ([collect(1), collect(2), CUT], "fail"),
        ([CUT, collect(1, "hand"), collect(2, "discards")], "pass"),
    ],
)
def test_some_of_several_may_belong_to_a_step(events: list[Data], status: str) -> None:
    check: Data = {"sequence": {"steps": [{"step": "cut"}, {"step": "hand", "times": "one"}]}}
    assert outcome(check, *events) == status


@pytest.mark.parametrize(
    ("seats", "status"),
    [((1, 2, 3), "pass"), ((1, -3, 2), "not-evidenced"), ((1, -2, 3), "pass"), ((3, -2, 1), "fail")],
)
def test_seats_in_turn(seats: tuple[int, ...], status: str) -> None:
    events = [collect(abs(seat), None if seat < 0 else "hand") for seat in seats]
    assert outcome({"in-turn": {"steps": ["hand"], "from": "dealer-left"}}, *events) == status
    before = [collect(seat, "discards") for seat in (1, 2, 3)]
    assert outcome({"same-order": {"steps": ["discards", "hand"]}}, *before, *events) == (
        "not-evidenced" if min(seats) < 0 else status  # an event without a word may belong to either
    )


SURELY: Data = {
    "other-events": {
        **STEPS["other-events"],
        **step("surely", "collect-cards", each="seat", place="player", what="discards", evident=True),
        **step("others", "collect-cards", each="seat", place="player", but=["surely"]),
    }
}


@pytest.mark.parametrize(
    ("told", "hand", "discards", "surely"),
    [
        ({"cards": "2h3h"}, 0, 1, 1),
        ({"cards": "AsKd"}, 1, 0, 0),
        ({"cards": "4c5c"}, 1, 0, 0),
        ({"cards": "2h3h", "what": "discards"}, 0, 1, 1),
        ({"cards": "As2h"}, (0, 1), (0, 1), 0),  # some of both
        ({"cards": "As??"}, (0, 1), (0, 1), 0),  # a face is not known
        ({}, (0, 1), (0, 1), 0),  # no card is named
    ],
)
def test_collected_cards_tell_by_their_faces_which_they_are(told: Data, hand: int, discards: int, surely: int) -> None:
    events = [event("discard", 1, cards="2h3h"), event("collect-cards", 1, **told)]
    for aside in ({"discarded": "2h3h"}, {}):  # by the summary, or by the events alone
        record = round_of({"cards": "AsKd2h3h", "drawn": "4c5c", **aside}, events=events)
        for name, number in (("hand", hand), ("discards", discards), ("surely", surely), ("others", 1 - surely)):
            assert measures({"events": name}, [record], **SURELY) == [number], name


def test_cards_collected_by_name_are_open_where_it_is_not_told_what_was_put_aside() -> None:
    seat = {"cards": "AsKd2h", "drawn": "4c"}
    record = round_of(seat, events=[collect(1, cards="AsKd")], unrecorded=["discard/player"])
    assert measures({"events": "hand"}, [record], **SURELY) == [(0, 1)]
