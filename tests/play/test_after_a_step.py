"""Steps whose events must come after or before another step of the round, or belong to no other step."""

from __future__ import annotations

import pytest

from fairdeal.validator.engine.timeline.step_events import events_with_certainty
from tests.facade.rounds import NO, UNKNOWN, YES
from tests.facade.text import InputError
from tests.play.table import Data, regulation, room, round_of, step

LATER = step("card-of-the-stub", "expose", place="burn", after="stub-counted")
COUNT = step("stub-counted", "count", what="stub")
EXPOSE: Data = {"event": "expose", "place": "burn", "cards": "As"}
STUB: Data = {"event": "count", "what": "stub", "number": 40}


def mark(*events: Data, unrecorded: tuple[str, ...] = ()) -> list[int]:
    """Return for each exposure whether it follows the count. Other rounds before and after have only one of them."""
    rounds = [
        round_of({}, {}, events=[STUB], round="R0"),
        round_of({}, {}, events=list(events), round="R1", unrecorded=list(unrecorded)),
        round_of({}, {}, events=[STUB, EXPOSE], round="R2"),
    ]
    chosen, surely = events_with_certainty(room(**{"other-events": COUNT | LATER}).scope(rounds), "card-of-the-stub")
    marks = dict(zip(chosen.tolist(), surely.tolist(), strict=True))
    assert marks.pop(len(events) + 2) == YES
    return [marks.get(number, NO) for number, event in enumerate(events, 1) if event["event"] == "expose"]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([EXPOSE], [NO]),
        ([EXPOSE, STUB], [NO]),
        ([STUB, EXPOSE], [YES]),
        ([STUB, EXPOSE, STUB, EXPOSE], [NO, YES]),
        ([{**STUB, "what": "chips"}, EXPOSE], [NO]),
    ],
)
def test_what_comes_after_the_last_of_a_step(events: list[Data], expected: list[int]) -> None:
    assert mark(*events) == expected


def test_where_the_other_step_is_not_recorded_nobody_knows() -> None:
    assert mark(EXPOSE, unrecorded=("count",)) == [UNKNOWN]


@pytest.mark.parametrize("other", [{"when": {"some-seat": {"placed": "main"}}}, {"after": "deal"}])
def test_what_it_comes_after_is_told_by_itself(other: Data) -> None:
    game: Data = {"other-events": {"stub-counted": {**COUNT["stub-counted"], **other}} | LATER}
    with pytest.raises(InputError, match="has a condition of its own"):
        regulation(**game)


EARLIER = step("card-before-the-count", "expose", place="burn", before="stub-counted")
NEITHER = step("card-in-between", "expose", place="burn", but=["card-before-the-count", "card-of-the-stub"])


def marks(name: str, *events: Data, unrecorded: tuple[str, ...] = ()) -> list[int]:
    """Return for each exposure whether it belongs to a step. Other rounds have only a count or an exposure."""
    rounds = [
        round_of({}, {}, events=[STUB], round="R0"),
        round_of({}, {}, events=list(events), round="R1", unrecorded=list(unrecorded)),
        round_of({}, {}, events=[EXPOSE], round="R2"),
    ]
    table = room(**{"other-events": COUNT | EARLIER | LATER | NEITHER})
    chosen, surely = events_with_certainty(table.scope(rounds), name)
    found = dict(zip(chosen.tolist(), surely.tolist(), strict=True))
    return [found.get(number, NO) for number, event in enumerate(events, 1) if event["event"] == "expose"]


@pytest.mark.parametrize(
    ("events", "earlier", "neither"),
    [
        ([EXPOSE], [NO], [YES]),
        ([EXPOSE, STUB], [YES], [NO]),
        ([STUB, EXPOSE], [NO], [NO]),
        ([EXPOSE, STUB, EXPOSE, STUB, EXPOSE], [YES, NO, NO], [NO, YES, NO]),
        ([{**STUB, "what": "chips"}, EXPOSE], [NO], [YES]),
    ],
)
def test_what_comes_before_the_first_of_a_step_and_what_is_left(
    events: list[Data], earlier: list[int], neither: list[int]
) -> None:
    assert marks("card-before-the-count", *events) == earlier
    assert marks("card-in-between", *events) == neither


def test_what_comes_before_a_step_that_is_not_recorded_nobody_knows() -> None:
    assert marks("card-before-the-count", EXPOSE, unrecorded=("count",)) == [UNKNOWN]
    assert marks("card-in-between", EXPOSE, unrecorded=("count",)) == [UNKNOWN]
    told_all_the_same = marks("card-before-the-count", EXPOSE, STUB, EXPOSE, unrecorded=("count",))
    assert told_all_the_same == [UNKNOWN, NO]


@pytest.mark.parametrize("other", [{"when": {"some-seat": {"placed": "main"}}}, {"before": "deal"}])
def test_what_it_comes_before_is_told_by_itself(other: Data) -> None:
    game: Data = {"other-events": {"stub-counted": {**COUNT["stub-counted"], **other}} | EARLIER}
    with pytest.raises(InputError, match="has a condition of its own"):
        regulation(**game)


def test_no_step_leaves_out_itself() -> None:
    itself = {"card-in-between": {**NEITHER["card-in-between"], "but": ["card-in-between"]}}
    game: Data = {"other-events": COUNT | EARLIER | LATER | itself}
    with pytest.raises(InputError, match="act card-in-between is defined by itself"):
        regulation(**game)
