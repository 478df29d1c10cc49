"""Order of play, and missing rounds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.audit.sessions.play_order import (
    ANY_NUMBER,
    BACKWARDS,
    BEGINNING,
    JUMP,
    NO_GAP,
    REPEATED_NUMBER,
    UNNUMBERED,
    build_play_order,
)
from tests.sessions.tracks import order_of

NONE = -1


def test_a_session_from_its_opening_has_no_gap() -> None:
    order = order_of([1, 2, 3])
    assert order.opening.tolist() == [True, False, False]
    assert order.gap.tolist() == [0, 0, 0]
    assert order.why.tolist() == [NO_GAP] * 3


def test_numbers_that_jump_say_how_many_rounds_are_missing() -> None:
    order = order_of([1, 2, 6])
    assert order.gap.tolist() == [0, 0, 3]
    assert order.why.tolist() == [NO_GAP, NO_GAP, JUMP]


def test_a_log_that_begins_with_a_later_round_lacks_those_before() -> None:
    order = order_of([4, 5])
    assert order.opening.tolist() == [True, False]
    assert order.gap.tolist() == [3, 0]
    assert order.why.tolist() == [BEGINNING, NO_GAP]


def test_number_one_opens_the_table_again() -> None:
    order = order_of([1, 2, 1, 2])
    assert order.opening.tolist() == [True, False, True, False]
    assert not order.gap.any()


def test_without_numbers_any_round_may_be_missing() -> None:
    order = order_of([NONE, NONE, 3, 4, NONE, 1])
    assert order.why.tolist() == [UNNUMBERED, UNNUMBERED, UNNUMBERED, NO_GAP, UNNUMBERED, NO_GAP]
    assert order.gap.tolist() == [ANY_NUMBER, ANY_NUMBER, ANY_NUMBER, 0, ANY_NUMBER, 0]
    assert order.opening.tolist() == [False] * 5 + [True]


def test_numbers_that_contradict_time_or_themselves_leave_all_open() -> None:
    order = order_of([1, 2, 2, 5, 3])
    assert order.why.tolist() == [NO_GAP, REPEATED_NUMBER, REPEATED_NUMBER, JUMP, BACKWARDS]
    assert order.gap.tolist() == [0, ANY_NUMBER, ANY_NUMBER, 2, ANY_NUMBER]


def test_rounds_of_two_tables_under_one_name_do_not_follow_each_other() -> None:
    order = order_of([1, 1, 2, 2, 3, 3, 4])
    assert order.why.tolist() == [
        NO_GAP,
        NO_GAP,
        REPEATED_NUMBER,
        REPEATED_NUMBER,
        REPEATED_NUMBER,
        REPEATED_NUMBER,
        REPEATED_NUMBER,
    ]
    assert order.opening.tolist() == [True, True, False, False, False, False, False]
    assert order_of([1, 2, NONE, 2, 3]).why.tolist() == [
        NO_GAP,
        REPEATED_NUMBER,
        UNNUMBERED,
        UNNUMBERED,
        REPEATED_NUMBER,
    ]


def test_the_opening_round_logged_twice_is_no_second_opening() -> None:
    order = order_of([1, 1, 2], minutes=[0, 0, 1])
    assert order.why.tolist() == [NO_GAP, REPEATED_NUMBER, REPEATED_NUMBER]
    assert order.opening.tolist() == [True, False, False]


def test_one_time_is_parted_by_number() -> None:
    order = order_of([2, 1, 3], minutes=[0, 0, 0])
    assert order.rows.tolist() == [1, 0, 2]
    assert order.why.tolist() == [NO_GAP] * 3


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 5), st.integers(-1, 6)), max_size=12))
def test_the_order_rounds_are_given_in_changes_nothing(rounds: list[tuple[int, int, int, int]]) -> None:
    def order_rounds(order_given: list[int]) -> list[tuple[object, ...]]:
        rows = [rounds[index] for index in order_given]
        columns = np.array(rows, np.int64).reshape(-1, 4).T
        order = build_play_order(
            casino=columns[0].astype(np.int32),
            table=columns[1].astype(np.int32),
            time=columns[2],
            number=columns[3].astype(np.int32),
            ties=(np.array(order_given, np.int64),),
        )
        listed = (order.first, order.opening, order.gap, order.why)
        return [
            (order_given[row], *parts)
            for row, *parts in zip(order.rows.tolist(), *(column.tolist() for column in listed), strict=True)
        ]

    indices = list(range(len(rounds)))
    assert order_rounds(indices) == order_rounds(indices[::-1])
