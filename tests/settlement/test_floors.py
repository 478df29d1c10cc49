"""Printed tables as floors under other readings, and cases that depend on whether a hand is listed."""

from __future__ import annotations

from tests.facade.results import Status
from tests.facade.rules import Regulation
from tests.settlement.helpers import (
    FLUSH,
    GAME,
    NINES,
    REQUIREMENTS,
    TENS,
    Judged,
    judge,
    load,
    round_of,
    seat,
    stake,
    submission,
)

GENEROUS = """options: {version: wide}
pay-tables:
- pays: main
  rows:
  - {hand: royal-flush, odds: 100 to 1}
  - {hand: flush, odds: 9 to 1}
  - {hand: 5-card-flush, odds: 3 to 2}
  - {hand: three-of-a-kind, odds: 3 to 1}
  - {hand: two-pair, odds: push}
  - {hand: pair-of-tens-or-better, odds: 1 to 1}
  - {hand: pair-of-nines, odds: 1 to 1}
"""
MATCHING = """  matching:
  - {match: at-least-posted, reading: {sharing: in-full}}
  - {match: at-least-printed, reading: {wording: for}}
  caps:
"""
BACK = """  - {case: back, lines: [main, twin], when: {not: {listed: {of: main, hand: final}}}, due: returned,
     clauses: ["(1)"]}
  - {case: main-paid"""


def flushes(of: Regulation, *paid: int, **readings: str) -> list[Status]:
    rounds = [round_of(seat(FLUSH, stake("main", 1000, payment))) for payment in paid]
    found = judge(*rounds, under=submission(GENEROUS), readings=readings, of=of)
    return [status["main-settled"] for status in found.statuses]


def test_what_a_floor_means_may_be_a_reading() -> None:
    changed = load(GAME.replace("  caps:\n", MATCHING))
    passed, failed = Status.PASS, Status.FAIL
    paid = (7999, 8000, 8999, 9000, 9001)
    assert flushes(changed, *paid) == [failed, failed, failed, passed, failed]
    assert flushes(changed, *paid, sharing="in-full") == [failed, failed, failed, passed, passed]
    assert flushes(changed, *paid, wording="for") == [failed, passed, passed, passed, passed]


def _with_back() -> Regulation:
    judged = REQUIREMENTS.replace("cases: [folded, flashed, main-paid]", "cases: [folded, flashed, back, main-paid]")
    return load(GAME.replace("  - {case: main-paid", BACK), judged)


def _pair(cards: str, paid: int, taken: int, under: str | None) -> Judged:
    stated = None if under is None else submission(under)
    return judge(round_of(seat(cards, stake("main", 1000, paid, taken))), under=stated, of=_with_back())


def test_a_case_may_ask_whether_the_table_in_use_lists_the_hand() -> None:
    printed = "options: {version: wide}\n"
    for cards, under, paid in ((NINES, printed, 0), (NINES, GENEROUS, 1000), (TENS, printed, 1000)):
        assert _pair(cards, paid, 0, under).statuses[0]["main-settled"] is Status.PASS
        assert _pair(cards, 1000 - paid, 0, under).statuses[0]["main-settled"] is Status.FAIL


def test_where_one_of_two_tables_lists_the_hand_it_cannot_be_told() -> None:
    assert _pair(TENS, 0, 0, None).statuses[0]["main-settled"] is Status.NOT_EVIDENCED
    assert _pair(NINES, 0, 0, None).statuses[0]["main-settled"] is Status.PASS


def test_a_hand_that_is_not_known_may_be_listed() -> None:
    assert _pair("9c9dAc6s??", 0, 0, "options: {version: wide}\n").statuses[0]["main-settled"] is Status.NOT_EVIDENCED
