"""Limits on the total payment of stakes: where they apply, the amounts due, and the requirement that checks them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.settlement.helpers import GAME, NOTHING, ROYAL, TENS, Judged, judge, load, round_of, seat, stake, submission

WIDE = submission("options: {version: wide}\n")
LIMITED = submission("options: {version: wide}\npayout-limit: {amount: 600, posted: [layout]}\n")
TOO_LOW = submission("options: {version: wide}\npayout-limit: {amount: 200, posted: [layout]}\n")
EXACT = GAME.replace(", match: at-least}}", "}}")


def hand(main: int, twin: int, paid: tuple[int, int], *, taken: int = 0) -> dict[str, Any]:
    """Build a royal flush with a main and a twin wager; without a limit, 100 to 1 is due on both."""
    return round_of(seat(ROYAL, stake("main", main, paid[0], taken), stake("twin", twin, paid[1])))


def statuses(record: dict[str, Any], under: str | None, game: str = EXACT) -> tuple[str, str]:
    """Return the statuses of the payments of a round by their cases, and by the limit."""
    found = judge(record, under=under, of=load(game)).statuses[0]
    return found["main-settled"].value, found["limited"].value


@pytest.mark.parametrize(
    ("under", "main", "twin", "paid", "expected"),
    [
        # Exactly at the limit it changes nothing, and the cases judge.
        (LIMITED, 300, 300, (30_000, 30_000), ("pass", "not-applicable")),
        (LIMITED, 300, 300, (30_000, 29_999), ("fail", "not-applicable")),
        # Above it the sum counts, however it is parted.
        (LIMITED, 300, 301, (30_000, 30_000), ("not-applicable", "pass")),
        (LIMITED, 300, 301, (60_000, 0), ("not-applicable", "pass")),
        (LIMITED, 300, 301, (30_000, 30_100), ("not-applicable", "fail")),
        (LIMITED, 300, 301, (29_999, 30_000), ("not-applicable", "fail")),
        # Without one known it may lie anywhere from the lowest that is permitted.
        (WIDE, 250, 250, (25_000, 25_000), ("pass", "not-applicable")),
        (WIDE, 250, 250, (25_000, 24_999), ("fail", "not-applicable")),
        (WIDE, 300, 300, (30_000, 30_000), ("not-applicable", "pass")),
        (WIDE, 300, 300, (25_000, 25_000), ("not-applicable", "not-evidenced")),
        (WIDE, 300, 300, (30_000, 29_999), ("not-applicable", "not-evidenced")),
        (WIDE, 300, 300, (25_000, 24_999), ("not-applicable", "fail")),
        (WIDE, 300, 300, (30_000, 30_001), ("not-applicable", "fail")),
        # A limit below that is unlawful and limits to the lowest.
        (TOO_LOW, 250, 250, (25_000, 25_000), ("pass", "not-applicable")),
        (TOO_LOW, 300, 300, (25_000, 25_000), ("not-applicable", "pass")),
        (TOO_LOW, 300, 300, (10_000, 10_000), ("not-applicable", "fail")),
    ],
)
def test_a_limit_of_a_hand(under: str, main: int, twin: int, paid: tuple[int, int], expected: tuple[str, str]) -> None:
    assert statuses(hand(main, twin, paid), under) == expected


def test_nothing_may_be_taken_of_what_is_limited() -> None:
    assert statuses(hand(300, 301, (30_000, 30_000), taken=1), LIMITED) == ("not-applicable", "fail")


def test_what_the_log_does_not_say_is_not_evidenced() -> None:
    record = round_of(seat(ROYAL, stake("main", 300, None, None), stake("twin", 301, 60_000)))
    assert statuses(record, LIMITED) == ("not-applicable", "not-evidenced")


def test_a_limit_is_told_with_what_it_limits() -> None:
    judged = judge(hand(300, 301, (30_000, 30_100)), hand(300, 300, (25_000, 25_000)), under=LIMITED, of=load(EXACT))
    assert judged.said == [
        (
            "main-settled",
            "fail",
            wager,
            "The player's five cards: A♠ K♠ Q♠ J♠ T♠, royal flush. "
            f"The 3.00 {title} should have been paid 300.00 (clause 1).",
            "250.00 was paid. The player is owed 50.00.",
        )
        for wager, title in (("main", "Main"), ("twin", "Twin"))
    ] + [
        (
            "limited",
            "fail",
            None,
            "600.00 paid on Main and Twin; without a limit 601.00 would be due",
            "601.00 was paid. The player was overpaid 1.00.",
        )
    ]
    assert judged.clauses[-1] == ("purse/(4)",)


def test_a_limit_that_is_not_known_is_told_as_such() -> None:
    said = judge(hand(300, 300, (30_000, 29_999)), under=WIDE, of=load(EXACT)).said
    assert said == [
        (
            "limited",
            "not-evidenced",
            None,
            "500.00 or more, under the limit if there is one, "
            "paid on Main and Twin; without a limit 600.00 would be due",
            "599.99 paid; the limit, or the pay table in use, is not submitted",
        )
    ]


def test_floors_under_a_limit() -> None:
    # The floors are 30,000 and 30,100: with a limit of 60,000 more than that may be paid, and less may not.
    for paid, expected in (((30_000, 30_000), "pass"), ((30_000, 29_999), "fail"), ((40_000, 40_000), "pass")):
        assert statuses(hand(300, 301, paid), LIMITED, GAME) == ("not-applicable", expected)
    # Without any, the floor is enough.
    for paid, expected in (((30_000, 30_100), "pass"), ((30_000, 40_000), "pass"), ((20_000, 20_000), "fail")):
        assert statuses(hand(300, 301, paid), WIDE, GAME) == ("not-applicable", expected)


def test_each_hand_is_limited_by_itself() -> None:
    low = seat(TENS, stake("main", 300, 300), stake("twin", 300, 300))
    high = seat(ROYAL, stake("main", 300, 30_000), stake("twin", 301, 30_000))
    found = judge(round_of(low, high), round_of(low), round_of(high), under=LIMITED, of=load(EXACT)).statuses
    assert [(statuses["main-settled"].value, statuses["limited"].value) for statuses in found] == [
        ("pass", "pass"),
        ("pass", "not-applicable"),
        ("not-applicable", "pass"),
    ]


def test_an_unknown_hand_beside_leaves_open_whether_the_limit_bites() -> None:
    game = EXACT.replace("each: hand", "each: round")
    unknown = seat("????QhJhTh", stake("main", 300, 0, 300))
    known = seat(ROYAL, stake("main", 300, 29_000))
    found = judge(round_of(known, unknown), under=LIMITED, of=load(game))
    assert found.statuses[0]["main-settled"].value == "not-evidenced"
    too_much = seat(ROYAL, stake("main", 300, 30_001))
    found = judge(round_of(too_much, unknown), under=LIMITED, of=load(game))
    assert found.statuses[0]["main-settled"].value == "fail"


def test_a_hand_of_too_few_cards_is_told_as_one_without_a_case() -> None:
    short = seat("AhKhQhJh", stake("main", 1000, 0, 1000))
    (gap,) = judge(round_of(short), of=load(EXACT)).said
    *_, expected, observed = gap
    assert expected == "a settlement case for hands with this number of cards"
    assert observed.startswith(
        "the rules have none; the player's five cards: A♥ K♥ Q♥ J♥, another number of cards than this hand has"
    )


def test_a_hand_that_is_not_known_is_told_as_such_under_a_limit_too() -> None:
    unknown = seat("????QhJhTh", stake("main", 1000, 0, 1000))
    (gap,) = judge(round_of(unknown), under=LIMITED, of=load(EXACT)).said
    *_, expected, observed = gap
    assert expected == "the cards, results and decisions that decide what is due"
    assert observed.startswith(
        "the log does not show them all; the player's five cards: Q♥ J♥ T♥ ?? ??, not fully known"
    )


def test_a_limit_of_a_round_adds_up_its_seats() -> None:
    game = EXACT.replace("each: hand", "each: round")
    seats = [seat(cards, stake("main", 301, 30_000)) for cards in (ROYAL, "AhKhQhJhTh")]
    assert statuses(round_of(*seats), LIMITED, game) == ("not-applicable", "pass")
    assert statuses(round_of(seats[0]), LIMITED, game) == ("fail", "not-applicable")


def test_a_limit_of_a_line_counts_each_wager_alone() -> None:
    game = EXACT.replace("each: hand", "each: line")
    record = hand(601, 600, (60_000, 60_000))
    found: Judged = judge(record, under=LIMITED, of=load(game))
    assert found.said == []
    assert (found.statuses[0]["main-settled"].value, found.statuses[0]["limited"].value) == ("pass", "pass")
    said = judge(hand(601, 600, (60_100, 60_000)), under=LIMITED, of=load(game)).said
    assert [(name, wager, expected) for name, _, wager, expected, _ in said] == [
        ("limited", "main", "600.00 paid on Main; without a limit 601.00 would be due")
    ]


def test_a_hand_that_loses_is_not_limited() -> None:
    record = round_of(seat(NOTHING, stake("main", 10**9, 0, 10**9)))
    assert statuses(record, LIMITED) == ("pass", "not-applicable")
