"""Records that stop before the round is over: facts that may come later are unknown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.facade.rounds import check_context
from tests.play.table import PLAY, Data, answers, event, judge, measures, room, round_of, step

STAKED: Data = {
    "wagers": {**PLAY["wagers"], "raise": {"title": "Raise", "placed": "with-a-decision"}},
    "settlement": {
        "order": ["main", "side", "raise", "token", "bonus"],
        "cases": [
            {"case": "all", "lines": ["main", "side", "raise", "token"], "due": "returned", "clauses": ["1"]},
            {"case": "bonus", "lines": ["bonus"], "due": "nothing", "clauses": ["1"]},
        ],
    },
}


def both(*seats: Data, **more: Any) -> list[Data]:
    """Return a complete round, and the same round as a record that breaks off."""
    record = round_of(*seats, **more)
    return [record, {**record, "round": "R2", "complete": False}]


def test_there_may_be_more_events() -> None:
    records = both({}, {}, events=[event("collect-cards", 1, cards="??"), event("discard", 2, cards="??")])
    assert measures({"events": "rack"}, records) == [1, 0, (1, None), (0, None)]
    assert measures({"cards-in": "discard"}, records) == [0, 1, (0, None), (1, None)]
    at_least_once: Data = {"events": "rack", "at-least": 1}
    assert answers(at_least_once, records) == ["yes", "no", "yes", "unknown"]
    at_most_once: Data = {"events": "rack", "at-most": 0}
    assert answers(at_most_once, records) == ["no", "yes", "no", "unknown"]


def test_a_sequence_may_go_on() -> None:
    steps = [{"step": "cut"}, {"step": "stub-count", "times": "one"}]
    count = event("count", what="stub", number=5)
    cut: Data = {"event": "cut"}
    for events, outcomes in (
        ([cut], ["fail", "not-evidenced"]),
        ([cut, count], ["pass", "pass"]),
        ([count, cut], ["fail", "fail"]),
    ):
        assert judge({"sequence": {"steps": steps}}, both({}, events=events))[0] == outcomes


def test_a_sequence_that_may_go_on_in_words() -> None:
    check: Data = {"sequence": {"steps": [{"step": "cut"}, {"step": "stub-count", "times": "one"}]}}
    scope = room(checks=[check]).scope(both({}, events=[])[1:])
    gap = check_context(scope)[0].gap
    assert gap is not None and gap.first.observed == "the record stops before the round is over"


def test_what_a_place_exchanges_is_known_when_it_is_done() -> None:
    seats = [{"cards": "AsKdQc"}] * 3
    events = [event("discard", 1, cards="Kd"), event("discard", 2, cards="Kd"), event("draw", 2, cards="2c")]
    records = both(*seats, events=events)
    assert measures({"discarded": "player"}, records)[:3] == [1, 1, 0]
    # A player who has drawn has discarded all; another may discard card by card.
    assert measures({"discarded": "player"}, records)[3:] == [(1, None), 1, (None, None)]
    assert measures({"drawn": "player"}, records) == [0, 1, 0, (None, None), 1, (None, None)]
    assert measures({"held": "player"}, records) == [2, 3, 3, (None, None), 3, (None, None)]


def test_a_hand_may_be_shown_card_by_card() -> None:
    records = both({"cards": "AsKdQc"}, events=[event("reveal", 1, cards="As"), event("reveal", 1, cards="Kd")])
    assert measures({"shown-cards": "player"}, records) == [2, (2, None)]


def test_cards_may_be_drawn_until_there_are_as_many_as_were_discarded() -> None:
    events = [event("discard", 1, cards="KdQc"), event("draw", 1, cards="2c")]
    assert measures({"drawn": "player"}, both({"cards": "AsKdQc", "drawn": "2c"}, events=events)) == [1, (1, None)]
    settled = [*events, event("return", 1, wager="main", amount=5)]
    record = {"cards": "AsKdQc", "drawn": "2c", "wagers": [{"wager": "main", "amount": 5}]}
    assert measures({"drawn": "player"}, both(record, events=settled)) == [1, 1]


def test_seats_may_follow_until_the_deal_has_been_around() -> None:
    served: Data = {"cards": "player", "at-least": 1}
    seat, some, every = {"cards": "AsKdQc"}, {"some-seat": served}, {"every-seat": served}
    dealt = [event("deal", 1, cards="AsKdQc")]
    assert answers(some, both(events=[]), "round") == ["no", "unknown"]
    assert answers(every, both(seat, events=dealt), "round") == ["yes", "unknown"]
    assert answers(some, both(seat, events=dealt), "round") == ["yes", "yes"]
    decided = both(seat, events=[*dealt, event("decide", 1, decision="stay")])
    assert answers(every, decided, "round") == ["yes", "yes"]
    assert answers({"some-seat": {"not": served}}, decided, "round") == ["no", "no"]


def test_cards_may_be_dealt_until_somebody_decides() -> None:
    seats: list[Data] = [{"cards": "AsKd"}, {"cards": "QcJc9d"}]
    dealt = [event("deal", 1, cards="AsKd"), event("deal", 2, cards="QcJc9d")]
    assert measures({"cards": "player"}, both(*seats, events=dealt)) == [2, 3, (2, None), 3]
    decided = [*dealt, event("decide", 2, decision="stay")]
    assert measures({"cards": "player"}, both(*seats, events=decided)) == [2, 3, 2, 3]
    assert measures({"cards": "player"}, both({"cards": ""}, events=[])) == [0, (0, None)]
    assert measures({"cards": "player"}, both(*seats)) == [2, 3, (2, None), 3]


def test_wagers_may_be_placed_before_the_deal_and_with_a_decision() -> None:
    dealt, stays = event("deal", 1, cards="AsKdQc"), event("decide", 1, decision="stay")
    asked = [{"placed": "side"}, {"placed": "raise"}]
    for events, later in (([], (True, False)), ([dealt], (False, False)), ([dealt, stays], (False, True))):
        records = both({"cards": "AsKdQc" if events else ""}, {"cards": ""}, events=events)
        for condition, open_ in zip(asked, later, strict=True):
            wanted = ["no", "no", *(["unknown", "unknown" if condition["placed"] == "side" else "no"] * open_)]
            assert answers(condition, records, **STAKED) == (wanted if open_ else ["no"] * 4)
    records = both({"cards": ""}, events=[])
    assert measures({"amount": "side"}, records, **STAKED) == [0, (0, None)]
    assert measures({"amount": "main"}, records, **STAKED) == [100, (0, None)]


def test_a_wager_may_be_placed_in_parts_until_it_cannot_be_placed_any_more() -> None:
    dealt, stays = event("deal", 1, cards="AsKdQc"), event("decide", 1, decision="stay")
    part = event("wager", 1, wager="raise", amount=50)
    seats: list[Data] = [{"cards": "AsKdQc", "wagers": [{"wager": "raise", "amount": 50}]}]
    unrelated: Data = {"event": "announce", "what": "good-luck"}
    for events in ([dealt, stays, part], [dealt, stays, part, unrelated]):
        # Some of it stays, but an excess may still be taken back.
        assert measures({"amount": "raise"}, both(*seats, events=events), **STAKED) == [50, (1, None)]
    shown: Data = {"event": "reveal", "place": "dealer", "cards": "2c"}
    deals: Data = {"event": "deal", "place": "dealer", "cards": "2c"}
    for last in (shown, event("pay", 1, wager="raise", amount=50)):
        records = both(*seats, events=[deals, dealt, stays, part, last], dealer="2c")
        assert measures({"amount": "raise"}, records, **STAKED) == [50, 50]


def test_what_was_paid_and_taken_so_far_bounds_what_is_in_the_end() -> None:
    seats: list[Data] = [{"wagers": [{"wager": "main", "amount": 100, "paid": 100, "taken": 0}]}]
    records = both(*seats, events=[event("pay", 1, wager="main", amount=100)])
    assert measures({"paid": "main"}, records) == [100, (100, None)]
    assert measures({"taken": "main"}, records) == [0, (0, None)]


def test_a_step_after_or_before_another_may_be_so_when_the_record_stops() -> None:
    asked = [{"events": name} for name in ("rack-after-the-cut", "rack-before-the-cut")]
    racked: Data = {
        "other-events": {
            **PLAY["other-events"],
            **step("rack-after-the-cut", "collect-cards", after="cut"),
            **step("rack-before-the-cut", "collect-cards", before="cut"),
        }
    }
    cut, rack = {"event": "cut"}, event("collect-cards", 1, cards="??")
    for events, wanted in (([cut, rack], [1, 0]), ([rack, cut], [0, 1]), ([rack], [0, 0])):
        whole = [measures(question, both({}, events=events)[:1], **racked)[0] for question in asked]
        assert whole == wanted
    assert measures(asked[0], both({}, events=[cut, rack])[1:], **racked) == [(0, None)]
    assert measures(asked[1], both({}, events=[rack])[1:], **racked) == [(0, None)]


def test_a_win_may_be_declared_later() -> None:
    records = both({"wagers": [{"wager": "side", "amount": 100}]}, events=[])
    assert answers({"claimed": "side"}, records) == ["no", "unknown"]


STREETS: Data = {
    "deal": {
        "stages": [
            {"stage": "hole", "cards": {"player": 2}, "each": 1, "face": "down", "clauses": ["1"]},
            {"stage": "board", "burn": 1, "cards": {"community": 3}, "face": "up", "clauses": ["1"]},
        ]
    },
    "hands": {"high": {"title": "the best five", "from": ["player", "community"], "rank-by": "five-card"}},
    "pay-tables": {},
    "other-events": {**PLAY["other-events"], **step("hole", "deal", stage="hole", each="seat")},
}


@pytest.mark.parametrize(
    ("more", "outcomes"),
    [
        ([], ["fail", "not-evidenced"]),
        ([event("decide", 2, decision="stay")], ["fail", "fail"]),
        ([event("deal", place="burn", cards="??")], ["fail", "fail"]),
    ],
)
def test_a_stage_that_is_being_dealt_may_be_dealt_on(more: list[Data], outcomes: list[str]) -> None:
    events = [event("deal", seat, cards="??") for seat in (1, 2, 1)]
    records = both({"cards": "????"}, {"cards": "??"}, events=[*events, *more])
    assert judge({"dealt": {"stage": ["hole", "board"], "asks": "count"}}, records, **STREETS)[0] == outcomes
