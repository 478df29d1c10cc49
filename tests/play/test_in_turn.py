"""Turns of the seats, one after the other round the table."""

from __future__ import annotations

import pytest

from tests.facade.text import InputError
from tests.play.table import PLAY, Data, event, judge, room, round_of, step

SEATS: list[Data] = [{}, {}, {}]


def check(side: str, *steps: str, **more: object) -> Data:
    return {"in-turn": {"steps": list(steps), "from": side, **more}}


def pay(seat: int) -> Data:
    return event("pay", seat, wager="main", amount=1)


def rack(seat: int) -> Data:
    return event("collect-cards", seat)


def outcome(asked: Data, *events: Data) -> tuple[str, list[tuple[object, ...]]]:
    [status], found = judge(asked, [round_of(*SEATS, events=list(events), unrecorded=["pay"] * (not events))])
    return status, found


@pytest.mark.parametrize(
    ("side", "seats", "status"),
    [
        ("dealer-left", [1, 2, 3], "pass"),
        ("dealer-left", [1, 1, 3], "pass"),
        ("dealer-left", [3], "not-applicable"),
        ("dealer-left", [3, 2, 1], "fail"),
        ("dealer-left", [1, 2, 1], "fail"),
        ("dealer-right", [3, 2, 1], "pass"),
        ("dealer-right", [3, 3, 1], "pass"),
        ("dealer-right", [1, 2, 3], "fail"),
        ("dealer-right", [3, 1, 3], "fail"),
    ],
)
def test_seats_come_up_in_one_direction(side: str, seats: list[int], status: str) -> None:
    told = [{"wagers": [{"wager": "main", "amount": 100}]} for _ in range(3)]
    events = [rack(seat) for seat in seats]
    [found], _ = judge(check(side, "rack"), [round_of(*told, events=events)])
    assert found == status


def test_the_first_event_out_of_place_is_the_finding() -> None:
    asked = check("dealer-left", "rack")
    assert outcome(asked, rack(1), rack(3), rack(2), rack(1)) == (
        "fail",
        [
            (
                "R1",
                2,
                3,
                "one seat after the other from the dealer's left: seat 2 before seat 3",
                "seat 3 before seat 2: rack (events 2 and 3)",
            )
        ],
    )
    right = check("dealer-right", "rack")
    assert outcome(right, rack(2), event("cut"), rack(3))[1] == [
        (
            "R1",
            3,
            3,
            "one seat after the other from the dealer's right: seat 3 before seat 2",
            "seat 2 before seat 3: rack (events 1 and 3)",
        )
    ]


def test_a_visit_is_gone_through_in_order() -> None:
    asked = check("dealer-left", "shown", "rack")
    shown = {seat: event("reveal", seat, cards="??") for seat in (1, 2, 3)}
    assert outcome(asked, shown[1], rack(1), shown[2], rack(2)) == ("pass", [])
    assert outcome(asked, shown[1], rack(2), shown[3]) == ("pass", [])
    assert outcome(asked, rack(1), shown[1]) == (
        "fail",
        [("R1", 1, 2, "at each seat in this order: shown; rack", "in this order: rack (event 1); shown (event 2)")],
    )
    # A seat that is come back to was not served in one visit.
    assert outcome(asked, shown[1], shown[2], rack(1))[0] == "fail"


RAISING: Data = {
    "decisions": {"raise": {"title": "raise", "when": {"placed": "main"}, "places": "side"}},
    "other-events": {
        **PLAY["other-events"],
        **step("decide", "decide"),
        **step("raise", "wager", of=["side"]),
        **step("opening", "wager", of=["main"]),
    },
}


@pytest.mark.parametrize(
    ("course", "status"),
    [
        (["decide 1", "raise 1", "decide 2", "raise 2"], "pass"),
        (["raise 1", "decide 1", "raise 2", "decide 2"], "pass"),
        (["decide 1", "decide 2", "raise 1", "raise 2"], "fail"),
        (["decide 1", "rack 1", "raise 1"], "fail"),
        (["rack 1", "decide 1"], "fail"),
    ],
)
def test_a_decision_and_the_wager_that_it_places_are_one_act(course: list[str], status: str) -> None:
    made: dict[str, Data] = {"decide": {"decision": "raise"}, "raise": {"wager": "side", "amount": 5}, "rack": {}}
    kinds = {"decide": "decide", "raise": "wager", "rack": "collect-cards"}
    events = [event(kinds[name], int(seat), **made[name]) for name, seat in map(str.split, course)]
    staked = [{"wagers": [{"wager": "side", "amount": 5}] * (f"raise {seat}" in course)} for seat in (1, 2)]
    [found], _ = judge(check("dealer-left", "decide", "raise", "rack"), [round_of(*staked, events=events)], **RAISING)
    assert found == status


def test_other_wagers_come_after_the_decision_where_the_order_has_them_so() -> None:
    events = [event("wager", 1, wager="main", amount=5), event("decide", 1, decision="raise")]
    record = round_of({"wagers": [{"wager": "main", "amount": 5}]}, events=events)
    assert judge(check("dealer-left", "decide", "opening"), [record], **RAISING)[0] == ["fail"]


def test_what_is_not_recorded_or_does_not_happen() -> None:
    asked = check("dealer-left", "rack")
    records = [
        round_of(*SEATS, events=[], number=1),
        round_of(*SEATS, number=2),
        round_of(*SEATS, events=[rack(2), rack(1)], unrecorded=["collect-cards"], number=3),
        round_of(*SEATS, events=[rack(2), rack(1)], number=4),
    ]
    assert judge(asked, records)[0] == ["not-applicable", "not-evidenced", "not-evidenced", "fail"]


@pytest.mark.parametrize(
    ("unrecorded", "status"),
    [
        ("collect-cards", "not-evidenced"),
        ("collect-cards/player", "not-evidenced"),
        ("collect-cards/dealer", "fail"),
        ("reveal/player", "fail"),
    ],
)
def test_what_is_recorded_at_other_places_shows_nothing_of_this_one(unrecorded: str, status: str) -> None:
    told = round_of(*SEATS, events=[rack(2), rack(1)], unrecorded=[unrecorded])
    assert judge(check("dealer-left", "rack"), [told])[0] == [status]


def test_it_speaks_of_the_rounds_it_is_asked_of() -> None:
    asked = check("dealer-left", "rack", when={"events": "cut", "equals": 0})
    assert outcome(asked, rack(2), rack(1))[0] == "fail"
    assert outcome(asked, rack(2), rack(1), event("cut"))[0] == "not-applicable"


def test_another_reading_may_turn_the_direction() -> None:
    turned = [{"reading": {"left-or-right": "left"}, "from": "dealer-right"}]
    kept = [{"reading": {"left-or-right": "right"}, "from": "dealer-right"}]
    assert outcome(check("dealer-left", "rack", otherwise=turned), rack(2), rack(1))[0] == "pass"
    assert outcome(check("dealer-left", "rack", otherwise=kept), rack(2), rack(1))[0] == "fail"


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (check("dealer-left", "somehow"), "there is no step `somehow`"),
        (check("dealer-left", "rack", when={"placed": "main"}), "applies to each seat, but is used for each round"),
        (
            check(
                "dealer-left",
                "rack",
                otherwise=[{"reading": {"left-or-right": "up"}, "from": "dealer-left"}],
            ),
            "has no option up",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(asked: Data, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        room(checks=[asked])
