"""Steps of which only those events are that come after another step of the round."""

from __future__ import annotations

import pytest

from tests.facade.rounds import NO, UNKNOWN, YES
from tests.facade.text import InputError
from tests.play.table import PLAY, Data, regulation, room, round_of, step
from validator.engine.timeline.step_events import events_maybe_of

LATER = step("card-of-the-stub", "expose", place="burn", after="stub-count")
COUNT = step("stub-count", "count", what="stub")
EXPOSE: Data = {"event": "expose", "place": "burn", "cards": "As"}
STUB: Data = {"event": "count", "what": "stub", "number": 40}


def found(*events: Data, unrecorded: tuple[str, ...] = ()) -> list[int]:
    """For each exposure, whether it comes after the count; beside rounds that have one alone, before and behind."""
    rounds = [
        round_of({}, {}, events=[STUB], round="R0"),
        round_of({}, {}, events=list(events), round="R1", unrecorded=list(unrecorded)),
        round_of({}, {}, events=[STUB, EXPOSE], round="R2"),
    ]
    chosen, surely = events_maybe_of(room(procedure=[*PLAY["procedure"], COUNT, LATER]).scope(rounds), LATER["step"])
    marks = dict(zip(chosen.tolist(), surely.tolist(), strict=True))
    assert marks.pop(len(events) + 2) == YES
    return [marks.get(number, NO) for number, one in enumerate(events, 1) if one["event"] == "expose"]


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
    assert found(*events) == expected


def test_where_the_other_step_is_not_recorded_nobody_knows() -> None:
    assert found(EXPOSE, unrecorded=("count",)) == [UNKNOWN]


@pytest.mark.parametrize("other", [{"when": {"some-seat": {"placed": "main"}}}, {"after": "deal"}])
def test_what_it_comes_after_is_told_by_itself(other: Data) -> None:
    procedure = [*PLAY["procedure"], {**COUNT, **other}, LATER]
    with pytest.raises(InputError, match="has a condition of its own"):
        regulation(procedure=procedure)
