"""Decision of a seat: from the summary if it names one, otherwise from events."""

from __future__ import annotations

from tests.play.table import PLAY, Data, answers, event, judge, round_of, step

CHOICES: Data = {
    "decisions": {
        "stay": {"title": "stay in", "when": {"placed": "main"}},
        "leave": {"title": "leave", "when": {"placed": "side"}},
        "double": {"title": "double", "when": {"placed": "main"}, "places": "side"},
    }
}


IN_TWO_ACTS: Data = {
    "decisions": {**CHOICES["decisions"], "check": {"title": "check", "when": {"placed": "main"}}},
    "acts": {
        **PLAY["acts"],
        **step("first", "decide", decisions=["stay", "leave"]),
        **step("second", "decide", decisions=["double", "check"]),
    },
}


def says(seat: int, decision: str) -> Data:
    return event("decide", seat, decision=decision)


def test_every_decision_of_a_seat_was_taken_and_the_last_one_stands() -> None:
    events = [says(1, "stay"), says(2, "leave"), says(1, "leave")]
    records = [round_of({}, {}, {"decision": "none"}, events=events), round_of({}, events=[says(1, "stay")], number=2)]
    assert answers({"decided": "leave"}, records, **CHOICES) == ["yes", "yes", "no", "no"]
    assert answers({"decided": "stay"}, records, **CHOICES) == ["yes", "no", "no", "yes"]
    assert answers({"decision-is-open": True}, records, **CHOICES) == ["no", "no", "yes", "yes"]


def test_the_summary_names_one_decision_and_events_the_others() -> None:
    records = [
        round_of({"decision": "leave"}, events=[says(1, "stay"), says(1, "leave")]),
        round_of({"decision": "leave"}, number=2),
    ]
    assert answers({"decided": "stay"}, records, **CHOICES) == ["yes", "no"]
    assert answers({"decided": "leave"}, records, **CHOICES) == ["yes", "yes"]


def test_where_not_all_decisions_are_recorded_events_prove_nothing() -> None:
    record = round_of({}, {"decision": "stay"}, events=[says(1, "stay")], unrecorded=["decide"])
    assert answers({"decided": "stay"}, [record], **CHOICES) == ["unknown", "yes"]


def test_a_stake_shows_no_decision_where_the_log_names_another_of_the_same_act() -> None:
    placed = {"wagers": [{"wager": "main", "amount": 100}, {"wager": "side", "amount": 100}]}
    events = [says(1, "stay"), says(2, "stay"), says(2, "check"), says(3, "check"), says(3, "double")]
    records = [
        round_of(placed, placed, placed, events=events),
        round_of({**placed, "decision": "stay"}, {**placed, "decision": "check"}, number=2),
    ]
    assert answers({"decided": "double"}, records, **IN_TWO_ACTS) == ["yes", "no", "yes", "yes", "unknown"]


def test_in_a_record_that_breaks_off_a_decision_may_be_taken_later() -> None:
    placed = {"wagers": [{"wager": "main", "amount": 100}, {"wager": "side", "amount": 100}]}
    whole = round_of({}, {}, {"decision": "none"}, placed, events=[says(2, "leave")])
    records = [whole, {**whole, "complete": False, "round": "R2"}]
    assert answers({"decided": "leave"}, records, **CHOICES) == ["no", "yes", "no", "no", "unknown", "yes", "no", "no"]
    assert answers({"decided": "double"}, records, **CHOICES) == ["no", "no", "no", "yes", "unknown", "no", "no", "yes"]


def test_a_decision_that_only_an_event_tells_may_not_have_been_open() -> None:
    record = round_of({}, events=[says(1, "leave")])
    assert judge({"each": "seat", "must": {"decision-is-open": True}}, [record], **CHOICES)[0] == ["fail"]


def test_the_decision_that_stands_is_that_of_the_summary_else_the_last_told() -> None:
    twice = [says(1, "stay"), says(2, "leave"), says(1, "leave")]
    records = [
        round_of({}, {}, {"decision": "none"}, events=twice),
        round_of({"decision": "stay"}, events=[says(1, "leave"), says(1, "stay")], number=2),
        round_of({}, {"decision": "leave"}, events=[says(1, "stay")], number=3, unrecorded=["decide"]),
    ]
    alone = [answer for record in records for answer in answers({"decided-in-the-end": "leave"}, [record], **CHOICES)]
    assert alone == ["yes", "yes", "no", "no", "unknown", "yes"]
    assert answers({"decided-in-the-end": "leave"}, records, **CHOICES) == alone
    assert answers({"decided-in-the-end": "leave"}, records[::-1], **CHOICES) == [*alone[4:], alone[3], *alone[:3]]


def test_a_stake_shows_a_decision_that_nobody_named() -> None:
    staked = {"wagers": [{"wager": "main", "amount": 100}, {"wager": "side", "amount": 100}]}
    records = [round_of(staked, {**staked, "decision": "stay"}, {}, events=[])]
    assert answers({"decided-in-the-end": "double"}, records, **CHOICES) == ["yes", "no", "no"]
