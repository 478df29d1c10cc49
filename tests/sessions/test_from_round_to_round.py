"""Rounds and players compared with the previous round: chips, the button, new players, and their proofs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairdeal.validator.engine.facts.seat_layout import find_next_numbers
from fairdeal.validator.evidence.columns.log_draft import hash_texts
from tests.facade.evidence import ABSENT
from tests.facade.results import Status
from tests.sessions.tables import judge, requirement, round_, run_audit, shuffle, totals, write_log

Data = dict[str, Any]

CARRIED = """
  {succession: {each: player, must: {
    stack: start, equals: {sum: [{previous: {stack: after}}, {chips: added}]}}}}
"""
BUTTON = "{succession: {must: {button: seat, equals: {next-seat: {previous: {button: seat}}}}}}"
BOUGHT = """
  {succession: {each: player, when: {chips: added, at-least: 1}, must: {any: [
    [{new-player: true}, {chips: added, at-least: 2000}],
    [{not: {new-player: true}}, {stack: start, at-most: 30000}]]}}}
"""


def player(number: int, start: int | None, end: int | None = None, name: str | None = "", **more: Any) -> Data:
    """Build a seat with its chips before and after. The player is named after the seat unless `name` says otherwise."""
    called = {} if name is None else {"player": name or f"p{number}"}
    stacks = {key: value for key, value in (("stack", start), ("stack-after", end)) if value is not None}
    return {"seat": number, "wagers": [], **called, **stacks, **more}


def play(at: int, *seats: Data, after: int | None = None, chips: tuple[int, int] | None = None, **more: Any) -> Data:
    events = [] if chips is None else [{"event": "chips-in", "seat": chips[0], "amount": chips[1]}]
    follows = {} if after is None else {"after": f"R{after}"}
    return {**round_(None, *events, minute=at, seats=list(seats), **follows), **more}


@pytest.mark.parametrize(
    ("start", "chips", "status"),
    [(9400, None, "pass"), (9000, None, "fail"), (11400, (1, 2000), "pass"), (11400, None, "fail")],
)
def test_chips_are_carried_over(tmp_path: Path, start: int, chips: tuple[int, int] | None, status: str) -> None:
    rounds = [play(1, player(1, 10000, 9400)), play(2, player(1, start), after=1, chips=chips)]
    result, _ = judge(tmp_path, CARRIED, rounds)
    # The first round of the log follows one that nobody knows.
    counts = {"not-evidenced": 1}
    counts[status] = counts.get(status, 0) + 1
    assert totals(result) == counts


def test_what_is_told_of_chips_that_were_not_carried_over(tmp_path: Path) -> None:
    rounds = [
        play(1, player(1, 10000, 9400), player(2, 5000, 5600), number=1),
        play(2, player(1, 9400), player(2, 5000), after=1),
    ]
    result, (finding,) = judge(tmp_path, CARRIED, rounds)
    assert totals(result) == {"fail": 1, "not-applicable": 1}
    assert (finding.status, finding.where.round, finding.where.seat) == (Status.FAIL, "R2", 2)
    assert "in the previous round" in (finding.expected or "")
    assert "50.00" in (finding.observed or "")
    assert "56.00" in (finding.observed or "")
    assert "R1" in (finding.observed or "")


def test_without_after_nothing_is_evident_and_numbers_will_do(tmp_path: Path) -> None:
    seats = [player(1, 10000, 9400)], [player(1, 9400)]
    silent = [play(1, *seats[0]), play(2, *seats[1])]
    assert totals(judge(tmp_path, CARRIED, silent)[0]) == {"not-evidenced": 2}
    numbered = [round_(number, seats=list(seats[number - 1])) for number in (1, 2)]
    assert totals(judge(tmp_path, CARRIED, numbered)[0]) == {"not-applicable": 1, "pass": 1}


def test_after_another_round_than_the_one_before(tmp_path: Path) -> None:
    rounds = [play(1, player(1, 10000, 9400), number=1), play(3, player(1, 1), after=2)]
    result, (gap,) = judge(tmp_path, CARRIED, rounds)
    assert totals(result) == {"not-evidenced": 1, "not-applicable": 1}
    assert "the previous round is not the one named" in (gap.observed or "")


def test_across_logs_blocks_and_tables(tmp_path: Path) -> None:
    here = [play(at, player(1, 1000 + at, 1001 + at), after=at - 1 or None) for at in range(1, 40)]
    there = [{**record, "table": "T2", "seats": [player(1, 7, 7)]} for record in here]
    logs = [
        write_log(tmp_path / name, rounds)
        for name, rounds in (("b.jsonl", [*there[20:], *here[20:]]), ("a.jsonl", [*here[:20], *there[:20]]))
    ]
    asked = [requirement(CARRIED)]
    for block in (200, 1 << 20):
        [result] = run_audit(asked, *logs, block_bytes=block).requirements
        assert totals(result) == {"not-evidenced": 2, "pass": 76}


def test_a_player_is_known_by_name_wherever_the_player_sits(tmp_path: Path) -> None:
    rounds = [
        play(1, player(1, 100, 80, "ann"), player(2, 50, 70, "bob"), number=1),
        play(2, player(1, 70, 70, "bob"), player(2, 80, 80, "ann"), after=1),
        play(3, player(1, 80, name="bob"), player(2, 70, name="ann"), after=2),
    ]
    assert totals(judge(tmp_path, CARRIED, rounds)[0]) == {"fail": 1, "not-applicable": 1, "pass": 1}


def test_of_seats_without_names_the_log_must_tell_who_came_and_went(tmp_path: Path) -> None:
    first = play(1, player(3, 100, 80, None), number=1)
    stays = play(2, player(3, 80, name=None), after=1)
    comes = {**stays, "events": [{"event": "leave", "seat": 3}, {"event": "arrive", "seat": 3}]}
    dark = {**stays, "unrecorded": ["arrive"]}
    for second, status in ((stays, "pass"), (comes, "not-evidenced"), (dark, "not-evidenced")):
        assert totals(judge(tmp_path, CARRIED, [first, second])[0]) == {"not-applicable": 1, status: 1}


@pytest.mark.parametrize(
    ("seat", "chips", "status"),
    [
        (player(2, 2000), 2000, "pass"),
        (player(2, 1999), 1999, "fail"),
        (player(1, 30000), 12000, "pass"),
        (player(1, 30100), 12100, "fail"),
        (player(1, 18000), 0, "not-applicable"),
    ],
)
def test_what_is_bought_by_who_is_new_and_by_who_is_not(tmp_path: Path, seat: Data, chips: int, status: str) -> None:
    bought = (seat["seat"], chips) if chips else None
    rounds = [play(1, player(1, 18000, 18000), number=1), play(2, seat, after=1, chips=bought)]
    counts = {"not-applicable": 1}
    counts[status] = counts.get(status, 0) + 1
    assert totals(judge(tmp_path, BOUGHT, rounds)[0]) == counts


@pytest.mark.parametrize(
    ("button", "now", "seats", "status"),
    [
        (3, 4, (1, 2, 3, 4), "pass"),
        (3, 3, (1, 2, 3, 4), "fail"),
        (3, 1, (1, 2, 3, 4), "fail"),
        (4, 1, (1, 2, 3, 4), "pass"),
        (2, 5, (1, 5, 9), "pass"),
        (9, 1, (1, 5, 9), "pass"),
        (None, 1, (1, 2), "not-evidenced"),
    ],
)
def test_the_button_moves_to_the_next_player(
    tmp_path: Path, button: int | None, now: int, seats: tuple[int, ...], status: str
) -> None:
    before: Data = {} if button is None else {"button": button}
    everybody = [player(number, 100, 100) for number in seats]
    rounds = [play(1, *everybody, number=1, **before), play(2, *everybody, after=1, button=now)]
    result, findings = judge(tmp_path, BUTTON, rounds)
    assert totals(result) == {"not-applicable": 1, status: 1}
    if (button, now) == (3, 3):
        assert findings[0].expected == (
            "the seat of the button must equal the next seat from the seat of the button in the previous round (4)"
        )


def test_a_statement_about_each_round_after_the_first(tmp_path: Path) -> None:
    check = "{succession: {must: {events: mixed, at-least: 1}}}"
    rounds = [round_(1), round_(2, shuffle()), round_(3)]
    assert totals(judge(tmp_path, check, rounds)[0]) == {"not-applicable": 1, "pass": 1, "fail": 1}


@pytest.mark.parametrize(
    ("number", "button", "status"),
    [(1, 6, "pass"), (1, 5, "fail"), (1, 1, "fail"), (2, 5, "not-applicable"), (None, 5, "not-evidenced")],
)
def test_where_the_button_starts(tmp_path: Path, number: int | None, button: int, status: str) -> None:
    """Seat 1 is at the dealer's left, so the first seat to the dealer's right is the last of the table."""
    check = """
      {each: round, when: {first-of-session: true},
       must: {next-seat: {button: seat}, equals: {next-seat: 0}}}
    """
    told: Data = {} if number is None else {"number": number}
    record = play(1, *(player(seat, 100) for seat in range(1, 7)), button=button, **told)
    assert totals(judge(tmp_path, check, [record])[0]) == {status: 1}


def test_a_round_that_names_another_before_it_is_not_the_first(tmp_path: Path) -> None:
    check = "{each: round, when: {first-of-session: true}, must: {events: mixed, at-least: 1}}"
    assert totals(judge(tmp_path, check, [play(2, after=1)])[0]) == {"not-applicable": 1}


@given(st.lists(st.integers(1, 99), min_size=1, unique=True), st.integers(0, 99))
def test_the_next_seat_is_the_first_one_comes_to(seats: list[int], start: int) -> None:
    [found] = find_next_numbers(np.zeros(len(seats), np.int64), np.array(seats), np.array([start])).tolist()
    ahead = [*range(start + 1, 100), *range(1, start + 1)]
    assert found == next(number for number in ahead if number in seats)


def test_of_no_seats_there_is_no_next() -> None:
    assert find_next_numbers(np.zeros(0, np.int64), np.zeros(0, np.int64), np.array([3])).tolist() == [ABSENT]


@given(st.lists(st.text(max_size=8), max_size=20))
@example(["A", "A\0", "\0A", "\0", "\0\0", ""])
def test_texts_that_differ_have_numbers_that_differ(texts: list[str]) -> None:
    numbers = hash_texts(texts).tolist()
    assert len(set(zip(texts, numbers, strict=True))) == len(set(texts)) == len(set(numbers))
    assert all((text == "") == (number == 0) for text, number in zip(texts, numbers, strict=True))
