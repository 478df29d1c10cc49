"""Something at least once in a number of rounds or hours: boundaries, and the effects of missing rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.audit.operators.periodic_checks import (
    FOREVER,
    Occurrences,
    check_ages,
    check_blocks,
    measure_in_rounds,
    measure_in_time,
)
from tests.facade.rounds import FAIL, NO, NOT_APPLICABLE, NOT_EVIDENCED, PASS, UNKNOWN, YES
from tests.sessions.tracks import MINUTE, draw_kept, track_of

NONE = -1
HOUR = 60


@dataclass(frozen=True)
class Round:
    """Round as the rule evaluates it."""

    happened: int = NO
    counts: int = YES
    applies: int = YES


def observe(rounds: Sequence[Round], *, uniform: bool = True) -> Occurrences:
    return Occurrences(
        applies=np.array([round_.applies for round_ in rounds], np.uint8),
        counts=np.array([round_.counts for round_ in rounds], np.uint8),
        happened=np.array([round_.happened for round_ in rounds], np.uint8),
        uniform=uniform,
    )


def by_rounds(rounds: Sequence[Round], size: int, numbers: Sequence[int] | None = None) -> list[int]:
    track = track_of(numbers or range(1, len(rounds) + 1))
    shown = observe(rounds)
    return check_ages(track, shown, measure_in_rounds(track, shown), size - 1).tolist()


def by_blocks(
    rounds: Sequence[Round], size: int, numbers: Sequence[int] | None = None, *, uniform: bool = True
) -> list[int]:
    return check_blocks(track_of(numbers or range(1, len(rounds) + 1)), observe(rounds, uniform=uniform), size).tolist()


def by_time(rounds: Sequence[Round], minutes: Sequence[int], hours: int, numbers: Sequence[int]) -> list[int]:
    track, shown = track_of(numbers, minutes), observe(rounds)
    time = np.array(minutes, np.int64) * MINUTE
    opened = np.where(track.opening & (track.gap == 0), time, FOREVER)
    return check_ages(track, shown, measure_in_time(track, shown, time, opened), hours * HOUR * MINUTE).tolist()


def repeat(count: int) -> list[Round]:
    return [Round()] * count


DONE = Round(happened=YES)
UNSEEN = Round(happened=UNKNOWN)


def test_the_last_round_of_five_is_soon_enough() -> None:
    assert by_rounds([*repeat(4), DONE, *repeat(4), DONE], 5) == [PASS] * 10


def test_the_fifth_round_without_fails_and_so_does_each_that_follows() -> None:
    assert by_rounds([*repeat(6), DONE, *repeat(4)], 5) == [PASS] * 4 + [FAIL] * 2 + [PASS] * 5


def test_what_is_not_shown_may_have_happened() -> None:
    assert by_rounds([*repeat(2), UNSEEN, *repeat(5)], 5) == [PASS] * 4 + [NOT_EVIDENCED] * 3 + [FAIL]


def test_a_missing_round_may_have_had_it() -> None:
    assert by_rounds(repeat(6), 5, [1, 2, 3, 5, 6, 7]) == [PASS] * 3 + [NOT_EVIDENCED] * 3
    assert by_rounds(repeat(6), 5, [4, 5, 6, 7, 8, 9]) == [PASS] + [NOT_EVIDENCED] * 3 + [FAIL] * 2


def test_rounds_without_numbers_prove_only_what_they_show() -> None:
    assert by_rounds([*repeat(2), DONE, *repeat(6)], 5, [NONE] * 9) == (
        [NOT_EVIDENCED] * 2 + [PASS] + [NOT_EVIDENCED] * 6
    )


def test_rounds_that_do_not_count_add_nothing_and_are_not_judged() -> None:
    void = Round(counts=NO)
    assert by_rounds([*repeat(4), void, void, Round()], 5) == [PASS] * 4 + [NOT_APPLICABLE] * 2 + [FAIL]


def test_what_happens_in_a_round_that_does_not_count_has_happened() -> None:
    done = Round(counts=NO, happened=YES)
    assert by_rounds([*repeat(4), done, *repeat(4)], 5) == [PASS] * 4 + [NOT_APPLICABLE] + [PASS] * 4


def test_whether_a_round_counts_may_be_open() -> None:
    doubtful = Round(counts=UNKNOWN)
    assert by_rounds([*repeat(4), doubtful, Round()], 5) == [PASS] * 4 + [NOT_EVIDENCED, FAIL]


def test_the_count_starts_anew_behind_rounds_it_does_not_speak_of() -> None:
    silent = Round(applies=NO)
    assert by_rounds([*repeat(4), silent, *repeat(5)], 5) == [PASS] * 4 + [NOT_APPLICABLE] + [PASS] * 4 + [FAIL]


def test_an_opening_starts_anew() -> None:
    assert by_rounds(repeat(8), 5, [1, 2, 3, 4, 1, 2, 3, 4]) == [PASS] * 8


def test_eight_hours_are_enough_and_a_second_more_is_not() -> None:
    minutes = [0, 480, 481]
    assert by_time([DONE, Round(), Round()], minutes, 8, [1, 2, 3]) == [PASS, PASS, FAIL]


def test_the_first_round_seen_gives_the_least_age() -> None:
    assert by_time(repeat(3), [0, 480, 481], 8, [7, 8, 9]) == [NOT_EVIDENCED, NOT_EVIDENCED, FAIL]


def test_time_goes_by_in_missing_rounds_too() -> None:
    assert by_time([DONE, Round()], [0, 480], 8, [1, 9]) == [PASS, PASS]
    assert by_time([DONE, Round()], [0, 481], 8, [1, 9]) == [PASS, NOT_EVIDENCED]
    assert by_time([DONE, Round(), Round()], [0, 481, 962], 8, [1, 9, 10]) == [PASS, NOT_EVIDENCED, FAIL]


def test_blocks_are_counted_off_from_the_opening() -> None:
    rounds = [DONE, *repeat(8), DONE, *repeat(5)]
    assert by_blocks(rounds, 5) == [PASS] * 14 + [FAIL]


def test_a_missing_round_leaves_its_own_block_open_and_no_other() -> None:
    numbers = [1, 2, 4, 5, *range(6, 16)]
    whole = [PASS] * 4 + [FAIL]
    assert by_blocks(repeat(14), 5, numbers) == [PASS] * 3 + [NOT_EVIDENCED] + whole * 2


def test_blocks_cannot_be_counted_where_missing_rounds_may_not_count() -> None:
    numbers = [1, 2, 4, 5, 6]
    assert by_blocks(repeat(5), 5, numbers, uniform=False) == [PASS] * 2 + [NOT_EVIDENCED] * 3


rounds_drawn = st.lists(
    st.builds(
        Round,
        happened=st.sampled_from([NO, NO, NO, UNKNOWN, YES]),
        counts=st.sampled_from([YES, YES, YES, UNKNOWN, NO]),
        applies=st.sampled_from([YES, YES, YES, YES, UNKNOWN, NO]),
    ),
    min_size=1,
    max_size=14,
)


def plainly(rounds: Sequence[Round], size: int) -> list[int]:
    """Count fully recorded rounds one by one, for comparison."""
    marks, age = [], 0
    for round_ in rounds:
        if round_.applies == NO or round_.happened == YES:
            age = 0
        elif round_.counts == YES:
            age += 1
        judged = round_.applies == YES and round_.counts == YES
        marks.append(NOT_APPLICABLE if not judged else FAIL if age >= size else PASS)
    return marks


def settle(one: Round, how: int) -> Round:
    """Return a round with its open values decided one way or the other."""
    bits = iter([how & 1, how >> 1 & 1, how >> 2 & 1])
    happened, counts, applies = (
        value if value != UNKNOWN else (YES if next(bits) else NO) for value in (one.happened, one.counts, one.applies)
    )
    return Round(happened=happened, counts=counts, applies=applies)


@given(rounds_drawn, st.integers(1, 4), st.data())
def test_a_verdict_holds_whatever_is_open(rounds: list[Round], size: int, data: st.DataObject) -> None:
    ways = data.draw(st.lists(st.integers(0, 7), min_size=len(rounds), max_size=len(rounds)))
    truth = plainly([settle(round_, how) for round_, how in zip(rounds, ways, strict=True)], size)
    for mark, actual in zip(by_rounds(rounds, size), truth, strict=True):
        assert mark in (NOT_EVIDENCED, actual) or (mark == PASS and actual == NOT_APPLICABLE)


@given(rounds_drawn, st.integers(1, 4), st.data())
def test_a_missing_round_can_only_take_proof_away(rounds: list[Round], size: int, data: st.DataObject) -> None:
    whole = by_rounds(rounds, size)
    left = data.draw(draw_kept(len(rounds)))
    thinned = by_rounds([rounds[index] for index in left], size, [index + 1 for index in left])
    for index, mark in zip(left, thinned, strict=True):
        assert mark in (whole[index], NOT_EVIDENCED)


@given(rounds_drawn, st.integers(1, 4), st.data())
def test_a_missing_round_can_only_take_proof_of_blocks_away(
    rounds: list[Round], size: int, data: st.DataObject
) -> None:
    whole = by_blocks(rounds, size, uniform=False)
    left = data.draw(draw_kept(len(rounds)))
    numbers = [index + 1 for index in left]
    thinned = by_blocks([rounds[index] for index in left], size, numbers, uniform=False)
    for index, mark in zip(left, thinned, strict=True):
        assert mark in (whole[index], NOT_EVIDENCED)


@given(st.lists(st.sampled_from([NO, NO, UNKNOWN, YES]), min_size=1, max_size=14), st.integers(1, 4), st.data())
def test_a_missing_round_can_only_take_proof_of_plain_blocks_away(
    happened: list[int], size: int, data: st.DataObject
) -> None:
    rounds = [Round(happened=event) for event in happened]
    whole = by_blocks(rounds, size)
    left = data.draw(draw_kept(len(rounds)))
    thinned = by_blocks([rounds[index] for index in left], size, [index + 1 for index in left])
    for index, mark in zip(left, thinned, strict=True):
        assert mark in (whole[index], NOT_EVIDENCED)


@given(rounds_drawn, st.data())
def test_a_missing_round_can_only_take_proof_of_hours_away(rounds: list[Round], data: st.DataObject) -> None:
    apart = data.draw(st.lists(st.integers(0, 90), min_size=len(rounds), max_size=len(rounds)))
    minutes = np.cumsum(apart).tolist()
    plain = [Round(happened=round_.happened, applies=round_.applies) for round_ in rounds]
    whole = by_time(plain, minutes, 2, list(range(1, len(rounds) + 1)))
    left = data.draw(draw_kept(len(rounds)))
    thinned = by_time(
        [plain[index] for index in left], [minutes[index] for index in left], 2, [index + 1 for index in left]
    )
    for index, mark in zip(left, thinned, strict=True):
        assert mark in (whole[index], NOT_EVIDENCED)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_nothing_is_judged_of_no_rounds(size: int) -> None:
    assert by_rounds([], size, []) == []
    assert by_blocks([], size, []) == []
