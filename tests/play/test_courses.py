"""Rounds checked against the courses of a game: events out of place, and the requirement that finds them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.timeline.course_alignment import align_course, find_ordered_phases
from tests.facade.rounds import STATUSES, EvaluationContext, check_context
from tests.facade.text import InputError
from tests.play.table import PLAY, Data, batch_of, event, judge, regulation, room, round_of, step

CUT: Data = {"event": "cut"}
STUB = event("count", what="stub", number=5)
BOARD = event("reveal", place="community", cards="??")


def show(seat: int) -> Data:
    return event("reveal", seat, cards="??")


def rack(seat: int) -> Data:
    return event("collect-cards", seat)


def course(*phases: list[str], **more: Any) -> Data:
    """Build a course whose phases are named by their numbers, from 1."""
    return {
        **more,
        "phases": [{"phase": f"p{at}", "title": f"part {at}", "steps": phase} for at, phase in enumerate(phases, 1)],
    }


def check(begins: str | None = None, *, taken: str = "round", **more: Any) -> Data:
    asked = {"course": taken, "begins": begins, **{key.replace("_", "-"): value for key, value in more.items()}}
    return {"phase": {key: value for key, value in asked.items() if value is not None}}


STEPS = ("cut", "board-shown", "shown", "rack", "stub-count")
THREE: Data = {"round": course(["cut"], ["board-shown", "shown"], ["rack"])}
GAME: Data = {"courses": THREE}
ALL = check()


def outcome(asked: Data, *events: Data, **more: Any) -> tuple[str, list[tuple[Any, ...]]]:
    """Return the status of a round of three seats, and its findings: event, expected, observed."""
    record = round_of({}, {}, {}, events=list(events), **more)
    statuses, found = judge(asked, [record], **GAME)
    return statuses[0], [finding[2:] for finding in found]


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([], "not-applicable"),
        ([CUT, CUT], "not-applicable"),
        ([STUB, CUT], "not-applicable"),
        ([rack(1), rack(2)], "not-applicable"),
        ([CUT, rack(1)], "pass"),  # events in no phase between are skipped
        ([CUT, show(2), BOARD, show(1), rack(1), rack(3)], "pass"),
        ([show(1), CUT], "fail"),
        ([rack(1), CUT], "fail"),
    ],
)
def test_phases_follow_each_other(events: list[Data], status: str) -> None:
    assert outcome(ALL, *events)[0] == status


def test_one_event_moved_far_is_one_lapse_where_its_own_place_ends_or_begins() -> None:
    status, found = outcome(ALL, show(1), show(2), rack(1), rack(2), CUT)
    assert (status, found) == (
        "fail",
        [(5, "cut only before part 2, and so before rack", "cut (event 5), after rack (event 4)")],
    )
    status, found = outcome(ALL, rack(3), CUT, CUT, show(1), rack(1))
    assert (status, found) == (
        "fail",
        [(1, "rack only after part 2, and so after cut", "rack (event 1), before cut (event 2)")],
    )


def test_of_two_the_late_one_is_out_of_place_and_of_many_the_few() -> None:
    assert outcome(ALL, show(1), CUT)[1] == [
        (2, "cut only before part 2, and so before shown", "cut (event 2), after shown (event 1)")
    ]
    _, found = outcome(ALL, show(1), CUT, CUT)
    assert found == [(1, "shown only after part 1, and so after cut", "shown (event 1), before cut (event 2)")]
    _, found = outcome(ALL, show(1), show(2), CUT, CUT)
    assert found == [(3, "cut only before part 2, and so before shown", "cut (event 3), after shown (event 2)")]


def found_by(checks: list[Data], *events: Data, **game: Any) -> list[tuple[int, int | None]]:
    """Return the number of the check and the event of each finding of several checks."""
    scope = room(checks=checks, **game).scope([round_of({}, {}, {}, events=list(events))])
    verdicts = check_context(scope)
    return [
        (at, finding.where.event) for at, verdict in enumerate(verdicts[: len(checks)]) for finding in verdict.findings
    ]


def test_who_names_a_step_finds_it_and_what_overtook_it() -> None:
    checks = [check("p2", of=["board-shown"]), check("p2"), check("p3")]
    assert found_by(checks, BOARD, CUT, CUT, **GAME) == [(0, 1)]
    assert found_by(checks, BOARD, CUT, **GAME) == [(0, 2)]  # the cut is late for the events that the first check names
    assert found_by(checks, show(1), CUT, **GAME) == [(1, 2)]
    assert found_by(checks, BOARD, show(1), rack(1), CUT, **GAME) == [(1, 4)]
    assert found_by(checks, rack(1), CUT, CUT, show(1), **GAME) == [(2, 1)]


TWICE: Data = {
    "courses": {"round": course(["cut"], ["shown"], ["rack"], ["cut"])},
}


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([CUT, show(1), rack(1), CUT], []),
        ([show(1), rack(1), CUT], []),
        ([CUT, CUT, show(1), rack(1), CUT, CUT], []),
        ([CUT, show(1), CUT, show(2), rack(1)], ["cut only before part 2 or after part 3"]),
        ([CUT, show(1), rack(1), CUT, rack(2), rack(3)], ["cut only before part 2 or after part 3"]),
        ([CUT, show(1), rack(1), CUT, rack(2)], ["cut only before part 2 or after part 3"]),
    ],
)
def test_a_step_may_stand_in_phases_apart(events: list[Data], found: list[str]) -> None:
    record = round_of({}, {}, {}, events=events)
    assert [finding[3] for finding in judge(ALL, [record], **TWICE)[1]] == found


def test_each_seat_takes_its_own_course() -> None:
    game: Data = {
        "courses": {"round": course(["shown"], ["rack"], per="seat", when={"placed": "main"})},
    }
    seats: list[Data] = [{}, {}, {"wagers": []}]

    def judge_seats(*events: Data) -> tuple[str, list[Any]]:
        statuses, found = judge(ALL, [round_of(*seats, events=list(events))], **game)
        return statuses[0], [finding[1:3] for finding in found]

    assert judge_seats(show(1), rack(1), show(2), rack(2)) == ("pass", [])
    assert judge_seats(rack(1), show(2)) == ("not-applicable", [])
    assert judge_seats(rack(3), show(3)) == ("not-applicable", [])
    assert judge_seats(rack(1), show(2), rack(2), show(1)) == ("fail", [(1, 4)])
    assert judge_seats(rack(2), rack(1), show(1), show(2)) == ("fail", [(1, 3), (2, 4)])


def test_what_is_out_of_place_in_one_course_is_not_looked_at_in_the_next() -> None:
    courses = {"round": course(["cut"], ["shown"]), "later": course(["rack"], ["cut"])}
    checks = [ALL, check(taken="later")]
    events = [show(1), show(2), CUT, rack(1), rack(2)]
    assert found_by(checks, *events, courses=courses) == [(0, 3)]
    assert found_by(checks, *events, courses=dict(reversed(courses.items()))) == [(1, 3)]
    assert found_by(checks, CUT, rack(1), rack(2), courses=courses) == [(1, 1)]
    scope = room(checks=checks, courses=courses).scope([round_of({}, {}, {}, events=events)])
    scope.waived_checks = frozenset(scope.compiled_game.courses["round"].always_in_force)
    assert [finding.where.event for finding in check_context(scope)[1].findings] == [3]


HANDS: Data = {
    "other-events": {
        **PLAY["other-events"],
        **step("hand", "collect-cards", each="seat", place="player", what="hand"),
        **step("discards", "collect-cards", each="seat", place="player", what="discards"),
    }
}
HANDS["courses"] = {"round": course(["cut"], ["hand"], ["shown"])}


def collect(seat: int, what: str | None = None) -> Data:
    return event("collect-cards", seat, **({} if what is None else {"what": what}))


ASIDE = event("discard", 1, cards="??")


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([CUT, collect(1, "hand"), show(1)], "pass"),
        ([CUT, collect(1), show(1)], "pass"),  # in order, for any event
        ([show(1), ASIDE, collect(1)], "not-evidenced"),
        ([show(1), collect(1)], "fail"),  # a seat that put nothing aside has only a hand
        ([show(1), collect(1, "discards")], "not-applicable"),
        ([show(1), collect(1, "hand")], "fail"),
        ([ASIDE, collect(1), CUT, show(1)], "not-evidenced"),
        ([collect(1), show(1), CUT, CUT], "fail"),  # out of place, for any first event
    ],
)
def test_what_the_log_leaves_open_proves_nothing(events: list[Data], status: str) -> None:
    assert judge(ALL, [round_of({}, {}, {}, events=events)], **HANDS)[0] == [status]


def test_kinds_that_are_not_recorded_prove_nothing_and_hide_no_lapse() -> None:
    def statuses(*events: Data) -> list[str]:
        record = round_of({}, {}, {}, events=list(events), unrecorded=["collect-cards"])
        verdicts = check_context(room(checks=[check("p2"), check("p3")], **GAME).scope([record]))
        return [STATUSES[verdict.counts.index(1)].value for verdict in verdicts[:2]]

    assert statuses(CUT, show(1)) == ["pass", "not-evidenced"]
    assert statuses(show(1), CUT) == ["fail", "not-evidenced"]


PHASES = 4
PLACES = st.lists(st.integers(1, (1 << PHASES) - 1), max_size=9)


def fit_in_order(places: list[int]) -> bool:
    """Return whether all of some events fit into the phases in order."""
    reached = 0
    for place in places:
        later = [phase for phase in range(reached, PHASES) if place >> phase & 1]
        if not later:
            return False
        reached = later[0]
    return True


@given(PLACES)
def test_the_events_kept_are_a_largest_set_in_order(places: list[int]) -> None:
    phases = find_ordered_phases(places)
    kept = [(place, phase) for place, phase in zip(places, phases, strict=True) if phase >= 0]
    assert all(place >> phase & 1 for place, phase in kept)
    assert [phase for _, phase in kept] == sorted(phase for _, phase in kept)
    larger = combinations(range(len(places)), len(kept) + 1)
    assert not any(fit_in_order([places[at] for at in some]) for some in larger)


ACTS_ANEW = ("cut", "collect-cards")
"""Kinds of event that are a new act each time; cards shown again and repeated counts are not."""
ONE_OF: list[Data] = [CUT, BOARD, show(1), rack(1), STUB]


@given(st.lists(st.lists(st.sampled_from(ONE_OF), max_size=8), min_size=1, max_size=4), st.permutations(STEPS))
def test_a_batch_finds_what_each_round_finds_by_itself(rounds: list[list[Data]], steps: list[str]) -> None:
    a, b, c, d, e = steps
    game: Data = {"courses": {"round": course([a, b], [b, c], [c, d], [a, e])}}
    prepared = room(checks=[ALL], **game).prepared
    records = [round_of({}, {}, {}, number=at, events=events) for at, events in enumerate(rounds)]
    scope = EvaluationContext(batch_of(records), prepared, None)
    found = align_course(scope, "round")
    places = {step: prepared.courses["round"].step_phases[step] for step in steps}
    named = {"cut": "cut", "count": "stub-count", "collect-cards": "rack"}
    for at, events in enumerate(rounds):
        acts = [
            place for place, event in enumerate(events) if event["event"] in ACTS_ANEW or event not in events[:place]
        ]
        names = [named.get(event["event"]) or ("board-shown" if event == BOARD else "shown") for event in events]
        stood = [places[names[act]] for act in acts]
        phases = find_ordered_phases(stood)
        first = int(scope.batch.events.offsets[at])
        expected = [first + act for act, phase in zip(acts, phases, strict=True) if phase < 0]
        assert [violation.event for violation in found.violations if violation.group == at] == expected
        assert fit_in_order(stood) is (not expected)
    assert np.array_equal(found.events, np.sort(found.events))


@pytest.mark.parametrize(
    ("game", "asked", "told"),
    [
        (GAME, [], "no requirement checks the beginning of p2"),
        (GAME, [check("p2")], "no requirement checks the beginning of p3, so rack may come before"),
        (GAME, [check("p2", of=["cut"]), check("p3")], None),
        (GAME, [check("p2", of=["shown"]), check("p3")], "so board-shown may come before cut"),
        (GAME, [ALL, check("p2")], "another requirement also checks the beginning of p2"),
        (
            GAME,
            [ALL, check("p2", of=["cut"]), check(of=["cut"])],
            "another requirement also checks the beginning of p2 for cut",
        ),
        (GAME, [ALL, check("p2", of=["rack"])], "neither begins nor ends where a phase named here begins"),
        (GAME, [ALL, check(of=["stub-count"])], "the step stub-count is not in the course round"),
        (GAME, [ALL, check("p1")], "p1 is the first phase"),
        (
            {**GAME, "courses": {"round": course(["cut"], ["shown", "shown"], ["rack", "board-shown"])}},
            [ALL],
            "names a step twice",
        ),
        (
            {
                "courses": {"round": course(["stub-count"], ["short-count"])},
            },
            [ALL],
            "events of stub-count can also belong to short-count",
        ),
    ],
)
def test_courses_that_cannot_be_meant(game: Data, asked: list[Data], told: str | None) -> None:
    if told is None:
        regulation(checks=asked, **game)
        return
    with pytest.raises(InputError) as refused:
        regulation(checks=asked, **game)
    assert told in str(refused.value)
