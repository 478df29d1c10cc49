"""Rounds checked against milestones: acts on the wrong side, events out of place, and acts that must happen."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.timeline import milestone_order
from fairdeal.validator.engine.timeline.milestone_order import (
    find_crossed,
    find_misplaced_acts,
    may_be_crossed,
)
from fairdeal.validator.rules.check_model import MilestoneCheck
from fairdeal.validator.text.closed_model import hash_structure
from tests.facade.rounds import STATUSES, check_context
from tests.facade.text import InputError
from tests.play.table import Data, event, judge, regulation, room, round_of

CUT: Data = {"event": "cut"}
STUB = event("count", what="stub", number=5)
BOARD = event("reveal", place="community", cards="??")


def show(seat: int) -> Data:
    return event("reveal", seat, cards="??")


def rack(seat: int) -> Data:
    return event("collect-cards", seat)


def order(*milestones: Data, **more: Any) -> Data:
    return {"order": {"milestones": list(milestones), **more}}


CUT_FIRST = {"at": {"first": "shown"}, "before": ["cut"]}
RACK_LAST = {"at": {"last": "shown"}, "after": ["rack"]}
BOTH = order(CUT_FIRST, RACK_LAST)


def outcome(asked: Data, *events: Data, **more: Any) -> tuple[str, list[tuple[Any, ...]]]:
    """Return the status of a round of three seats, and its findings: event, expected, observed."""
    statuses, found = judge(asked, [round_of({}, {}, {}, events=list(events), **more)])
    return statuses[0], [finding[2:] for finding in found]


def found_by(checks: list[Data], *events: Data) -> list[tuple[int, int | None]]:
    """Return the number of the check and the event of each finding of several checks."""
    scope = room(checks=checks).scope([round_of({}, {}, {}, events=list(events))])
    verdicts = check_context(scope)[: len(checks)]
    return [(at, finding.where.event) for at, verdict in enumerate(verdicts) for finding in verdict.findings]


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([], "not-applicable"),
        ([CUT, CUT], "not-applicable"),
        ([CUT, rack(1)], "not-applicable"),  # a milestone that does not come bounds nothing
        ([rack(1), CUT], "not-applicable"),
        ([CUT, show(2), show(1), rack(1), rack(3)], "pass"),
        ([CUT, STUB, show(2), BOARD, rack(1)], "pass"),  # what no milestone names is free
        ([STUB, CUT, BOARD, show(1)], "pass"),
        ([show(1), CUT], "fail"),
        ([rack(1), show(1)], "fail"),
        ([show(1), rack(1), show(2)], "fail"),
    ],
)
def test_acts_keep_to_their_side_of_a_milestone(events: list[Data], status: str) -> None:
    assert outcome(BOTH, *events)[0] == status


def test_first_and_last_bound_acts_on_either_side() -> None:
    between = [show(1), rack(1), show(2)]
    for at, side, status in [
        ("first", "before", "fail"),
        ("first", "after", "pass"),
        ("last", "before", "pass"),
        ("last", "after", "fail"),
    ]:
        assert outcome(order({"at": {at: "shown"}, side: ["rack"]}), *between)[0] == status
    assert outcome(order({"at": {"first": "shown"}, "after": ["rack"]}), rack(1), show(1))[0] == "fail"
    assert outcome(order({"at": {"last": "shown"}, "before": ["rack"]}), show(1), rack(1))[0] == "fail"


def test_any_of_several_acts_makes_a_milestone() -> None:
    either = order({"at": {"first": ["shown", "board-shown"]}, "before": ["cut"]})
    assert outcome(either, BOARD, CUT, show(1)) == (
        "fail",
        [(2, "cut only before board shown", "cut (event 2), after board shown (event 1)")],
    )
    assert outcome(either, show(1), CUT)[0] == "fail"
    assert outcome(either, CUT, BOARD, show(1))[0] == "pass"


def test_one_event_moved_past_several_is_one_finding() -> None:
    _, found = outcome(BOTH, show(1), show(2), rack(1), rack(2), CUT)
    assert found == [(5, "cut only before shown", "cut (event 5), after shown (event 2)")]
    _, found = outcome(BOTH, show(1), CUT, CUT, rack(1))  # one card shown too soon, not two cuts too late
    assert found == [(1, "shown only after cut", "shown (event 1), before cut (event 2)")]
    _, found = outcome(BOTH, rack(1), rack(2), show(1))
    assert found == [(3, "shown only before rack", "shown (event 3), after rack (event 2)")]


def test_of_two_events_the_later_one_is_out_of_place() -> None:
    assert outcome(BOTH, show(1), CUT)[1][0][0] == 2
    assert outcome(BOTH, rack(1), show(1))[1][0][0] == 2
    _, found = outcome(BOTH, show(1), show(2), CUT, CUT)
    assert found == [(3, "cut only before shown", "cut (event 3), after shown (event 2); and 1 more")]


def test_what_passes_several_milestones_is_reported_at_the_first() -> None:
    cut, racked = order(CUT_FIRST), order({"at": {"first": "rack"}, "before": ["cut"]})
    events = [show(1), show(2), rack(1), CUT]
    assert found_by([cut, racked], *events) == [(0, 4)]
    assert found_by([racked, cut], *events) == [(0, 4)]


def test_what_is_out_of_place_bounds_no_other_act() -> None:
    checks = [order(CUT_FIRST), order({"at": {"last": "cut"}, "after": ["rack"]})]
    assert found_by(checks, show(1), show(2), rack(1), rack(2), CUT) == [(0, 5)]
    assert found_by(checks[1:], show(1), show(2), rack(1), rack(2), CUT) == [(0, 5)]


def test_several_acts_of_a_seat_at_one_milestone_are_one_finding() -> None:
    moment = {"first": "cut"}
    checks = [order({"at": moment, "before": ["shown"]}), order({"at": moment, "before": ["rack"]})]
    assert found_by(checks, CUT, CUT, CUT, show(1), rack(1)) == [(0, 4)]
    assert found_by(checks, CUT, CUT, CUT, rack(1), show(1)) == [(1, 4)]
    assert found_by(checks, CUT, CUT, CUT, show(1), rack(2)) == [(0, 4), (1, 5)]


AGAIN = order({"at": {"first": "shown"}, "before": ["cut"], "again-after": {"last": ["shown", "rack"]}})


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([CUT, show(1), rack(1), CUT], []),
        ([show(1), rack(1), CUT, CUT], []),
        ([show(1), show(2), CUT, rack(1), rack(2)], [3]),
        ([show(1), CUT, rack(1)], [2]),  # the cut, and not the cards racked after it
        ([show(1), show(2), rack(1), CUT, CUT, rack(2)], [6]),  # the cards, and not two cuts
    ],
)
def test_an_act_may_come_again_when_the_round_is_over(events: list[Data], found: list[int]) -> None:
    assert [finding[0] for finding in outcome(AGAIN, *events)[1]] == found


def test_each_seat_has_its_own_milestone() -> None:
    asked = order(RACK_LAST, each="seat", when={"placed": "main"})

    def judge_seats(*events: Data) -> tuple[str, list[Any]]:
        statuses, found = judge(asked, [round_of({}, {}, {"wagers": []}, events=list(events))])
        return statuses[0], [finding[1:3] for finding in found]

    assert judge_seats(show(1), rack(1), show(2), rack(2)) == ("pass", [])
    assert judge_seats(rack(1), show(2)) == ("not-applicable", [])
    assert judge_seats(rack(3), show(3)) == ("not-applicable", [])
    assert judge_seats(rack(1), show(2), rack(2), show(1)) == ("fail", [(1, 4)])
    assert judge_seats(rack(2), rack(1), show(1), show(2)) == ("fail", [(1, 3), (2, 4)])


def test_what_the_log_leaves_out_stays_open_and_a_failure_stays_one() -> None:
    assert outcome(BOTH, CUT, show(1), unrecorded=["cut"])[0] == "not-evidenced"
    assert outcome(BOTH, show(1), rack(1), complete=False)[0] == "pass"
    assert outcome(BOTH, rack(1), show(1), unrecorded=["cut"])[0] == "fail"
    assert outcome(BOTH, rack(1), show(1), complete=False)[0] == "fail"


def test_of_acts_that_share_a_first_event_those_of_a_usual_round_must_be_recorded() -> None:
    dealt = event("deal", 1, cards="2c3c4c")
    shared = order({"at": {"first": ["deal", "short-count"]}, "before": ["cut"]})
    assert outcome(shared, CUT, dealt, unrecorded=["count"])[0] == "pass"
    assert outcome(shared, CUT, dealt, unrecorded=["deal"])[0] == "not-evidenced"
    last = order({"at": {"last": ["deal", "short-count"]}, "after": ["rack"]})
    assert outcome(last, dealt, rack(1), unrecorded=["count"])[0] == "not-evidenced"


def test_an_act_that_must_happen_is_missed() -> None:
    cut = order({**CUT_FIRST, "must-happen": ["cut"]})
    assert outcome(cut, CUT, show(1))[0] == "pass"
    assert outcome(cut, show(1)) == ("fail", [(1, "cut before shown", "it did not happen before shown (event 1)")])
    assert outcome(cut) == ("fail", [(None, "cut", "it did not happen")])
    assert outcome(cut, show(1), CUT)[1] == [(2, "cut only before shown", "cut (event 2), after shown (event 1)")]
    assert outcome(cut, complete=False)[0] == "not-evidenced"
    assert outcome(cut, show(1), complete=False)[0] == "fail"
    assert outcome(cut, show(1), unrecorded=["cut"])[0] == "not-evidenced"
    racked = order({**RACK_LAST, "must-happen": ["rack"]})
    assert outcome(racked, show(1), rack(1))[0] == "pass"
    assert outcome(racked, show(1)) == ("fail", [(None, "rack", "it did not happen")])
    assert outcome(racked, show(1), complete=False)[0] == "not-evidenced"


@pytest.mark.parametrize(
    ("milestone", "events", "status"),
    [
        # Between two lots, or after all cards if the first were shown again.
        ({"at": {"last": "board-shown"}, "before": ["cut"]}, [BOARD, CUT, BOARD], "not-evidenced"),
        ({"at": {"last": "board-shown"}, "before": ["cut"]}, [CUT, BOARD, BOARD], "pass"),
        ({"at": {"last": "board-shown"}, "before": ["cut"]}, [BOARD, BOARD, CUT], "fail"),
        ({"at": {"last": "board-shown"}, "after": ["cut"]}, [BOARD, CUT, BOARD], "not-evidenced"),
        ({"at": {"first": "cut"}, "before": ["board-shown"]}, [BOARD, CUT, BOARD], "not-evidenced"),
        ({"at": {"first": "cut"}, "before": ["board-shown"]}, [CUT, BOARD], "fail"),
    ],
)
def test_hidden_community_cards_may_be_others_or_shown_again(milestone: Data, events: list[Data], status: str) -> None:
    assert outcome(order(milestone), *events)[0] == status


EVENTS = st.lists(st.sampled_from([CUT, show(1), show(2), rack(1), rack(2)]), max_size=8)
SIDES = st.tuples(st.sampled_from(["first", "last"]), st.sampled_from(["before", "after"]))


@given(EVENTS, SIDES, st.sampled_from(["round", "seat"]))
def test_columns_find_what_the_definition_says(events: list[Data], side: tuple[str, str], each: str) -> None:
    at, key = side
    asked = order({"at": {at: "shown"}, key: ["rack"]}, each=each)
    scope = room(checks=[asked]).scope([round_of({}, {}, {}, events=events)])
    crossed = find_crossed(scope, 0)
    for item in range(1 if each == "round" else 3):
        own = [entry for entry in events if each == "round" or entry.get("seat") == item + 1]
        shown, racked = (
            [at for at, entry in enumerate(own) if entry["event"] == kind] for kind in ("reveal", "collect-cards")
        )
        shown = [place for place in shown if own[place] not in own[:place]]  # cards shown again are no act
        milestone = (min(shown) if at == "first" else max(shown)) if shown else None
        wrong = [place for place in racked if milestone is not None and (place > milestone) == (key == "before")]
        assert crossed[item] == bool(wrong)


@given(EVENTS, SIDES, st.sampled_from(["round", "seat"]))
def test_all_milestones_together_are_decided_as_each_by_itself(
    events: list[Data], side: tuple[str, str], each: str
) -> None:
    milestone: Data = {"at": {side[0]: "shown"}, side[1]: ["rack"]}
    two = order({"at": {"first": "cut"}, "after": ["rack"]}, {"at": {"last": "cut"}, "before": ["shown"]})
    checks = [order(milestone, each=each), two]
    rounds = [round_of({}, {}, {}, number=1, events=events), round_of({}, {}, {}, number=2)]
    scope = room(checks=checks).scope(rounds)
    with patch.object(milestone_order, "omits_kinds", return_value=False):  # the omitted kinds belong to no act here
        assert (milestone_order.find_regular_order(scope, (0,)) is None) == bool(find_misplaced_acts(scope))
        together = check_context(scope)
    with patch.object(milestone_order, "find_regular_order", return_value=None):
        assert check_context(room(checks=checks).scope(rounds)) == together


@given(EVENTS)
def test_without_what_is_out_of_place_a_round_is_in_order(events: list[Data]) -> None:
    checks = [BOTH, order({"at": {"last": "cut"}, "after": ["rack"]})]
    events = [entry for at, entry in enumerate(events) if entry["event"] != "reveal" or entry not in events[:at]]
    scope = room(checks=checks).scope([round_of({}, {}, {}, events=events)])
    out = {act.event for act in find_misplaced_acts(scope)}
    kept = [entry for at, entry in enumerate(events) if at not in out]
    again = room(checks=checks).scope([round_of({}, {}, {}, events=kept)])
    assert not find_misplaced_acts(again)
    assert not any(may_be_crossed(scope, number).any() for number in range(3))


def found_if_waived(checks: list[Data], waived: set[int], events: list[Data]) -> dict[int, Any]:
    """Return the status and the events of the findings of each check that is not waived, by number."""
    at_table = room(checks=checks)
    required = [requirement.check.operand for requirement in at_table.prepared.regulation.requirements]
    orders = [check for check in required if isinstance(check, MilestoneCheck)]
    scope = at_table.scope([round_of({}, {}, {}, events=events)])
    scope.waived_checks = frozenset(hash_structure(orders[number]) for number in waived)
    verdicts = check_context(scope)[: len(checks)]
    return {
        number: (STATUSES[verdict.counts.index(1)].value, [finding.where.event for finding in verdict.findings])
        for number, verdict in enumerate(verdicts)
        if number not in waived
    }


def test_what_also_passes_a_waived_milestone_is_reported_at_the_next() -> None:
    late = [order(CUT_FIRST), order({"at": {"first": "rack"}, "before": ["cut"]})]
    events = [show(1), show(2), rack(1), CUT]
    assert found_if_waived(late, {0}, events) == {1: ("fail", [4])}
    moment = {"first": "cut"}
    of_a_seat = [order({"at": moment, "before": ["shown"]}), order({"at": moment, "before": ["rack"]})]
    assert found_if_waived(of_a_seat, {0}, [CUT, CUT, CUT, show(1), rack(1)]) == {1: ("fail", [5])}
    never = [order(CUT_FIRST), order({"at": {"first": "rack"}, "before": ["shown"], "must-happen": ["cut"]})]
    assert found_if_waived(never, {0}, [show(1), show(2), rack(1), CUT]) == {1: ("fail", [3])}


CHECKS = (
    order(CUT_FIRST),
    order({"at": {"last": "shown"}, "before": ["cut"], "again-after": {"last": "rack"}}),
    order({"at": {"last": "shown"}, "before": ["rack"]}),
    order({"at": {"last": "cut"}, "after": ["rack"]}),
    order({"at": {"first": "rack"}, "after": ["shown"], "must-happen": ["cut"]}, each="seat"),
)


@given(EVENTS, st.sets(st.sampled_from(range(len(CHECKS)))))
def test_a_waived_milestone_changes_nothing_that_others_report(events: list[Data], waived: set[int]) -> None:
    checks = {number: check for number, check in enumerate(CHECKS) if number not in waived}
    alone = found_if_waived(list(checks.values()), set(), events)
    found = found_if_waived(list(CHECKS), waived, events)
    assert found == dict(zip(checks, alone.values(), strict=True))


@pytest.mark.parametrize("events", [[rack(1)] * 300 + [CUT] * 300, [rack(1), CUT] * 100])
def test_a_round_with_very_many_events_out_of_place_is_resolved_at_once(events: list[Data]) -> None:
    asked = order({"at": {"first": "rack"}, "before": ["cut"]})
    assert len(outcome(asked, *events)[1]) == 1
    scope = room(checks=[asked]).scope([round_of({}, {}, {}, events=events)])
    assert len(find_misplaced_acts(scope)) >= 100
    assert not may_be_crossed(scope, 0).any()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([order({"at": {"first": "shown"}, "before": ["shown"]})], "shown makes the milestone"),
        ([order({"at": {"first": "shown"}, "before": ["cut"], "after": ["cut"]})], "cut is also under `before`"),
        ([order({"at": {"first": "shown"}})], "`before`, `after` or `must-happen` must name an act"),
        (
            [order({"at": {"first": "shown"}, "after": ["cut"], "again-after": {"last": "rack"}})],
            "`again-after` needs `before`",
        ),
        ([BOTH, order(CUT_FIRST)], "also bounds cut at this milestone"),
        ([order({"at": {"first": "nothing"}, "before": ["cut"]})], "there is no step `nothing`"),
    ],
)
def test_milestones_that_cannot_be_meant(asked: list[Data], message: str) -> None:
    with pytest.raises(InputError) as refused:
        regulation(checks=asked)
    assert message in str(refused.value)
