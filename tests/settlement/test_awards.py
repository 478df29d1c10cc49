"""Spent stakes, meters, amounts, shared awards, bonuses earned by others, and dues left open."""

from __future__ import annotations

from typing import Any

import pytest

from tests.settlement.helpers import (
    FLUSH,
    GAME,
    NOTHING,
    QUADS,
    ROYAL,
    ROYAL_HEARTS,
    STRAIGHT_FLUSH,
    gift,
    judge,
    load,
    round_of,
    seat,
    stake,
    submission,
)

DIAMONDS = "AdKdQdJdTd"
BY_SHARE = submission(
    """pay-tables:
- pays: token
  rows: [{hand: royal-flush, odds: 100% of meter}, {hand: straight-flush, odds: 10% of meter},
         {hand: four-of-a-kind, odds: 300 for 1}, {hand: flush, odds: $50}]
"""
)


def token(cards: str, paid: int, taken: int, *, meter: int | None = None, **more: Any) -> str:
    """Return the status of a token of 1.00."""
    under, wager = more.pop("under", None), stake("token", 100, paid, taken)
    judged = judge(round_of(seat(cards, wager, **more), meter=meter), under=under)
    return judged.statuses[0]["token-settled"].value


@pytest.mark.parametrize(
    ("paid", "taken", "status"),
    [
        (30_000, 100, "pass"),  # 300 for 1, the stake gone
        (29_900, 0, "pass"),  # the same balance
        (30_000, 0, "fail"),
        (29_900, 100, "fail"),
        (29_999, 100, "fail"),
    ],
)
def test_a_spent_stake_is_judged_by_the_balance(paid: int, taken: int, status: str) -> None:
    assert token(QUADS, paid, taken) == status


def test_a_spent_stake_is_lost_with_nothing_and_returned_where_a_case_says_so() -> None:
    assert [token(NOTHING, 0, 100), token(NOTHING, 0, 0)] == ["pass", "fail"]
    folded = [token(QUADS, 0, taken, decision="fold") for taken in (0, 100)]
    assert folded == ["pass", "fail"]


@pytest.mark.parametrize(
    ("paid", "taken", "status"), [(5_000, 100, "pass"), (5_000, 0, "fail"), (4_900, 0, "pass"), (4_999, 100, "fail")]
)
def test_an_amount_does_not_hang_on_the_stake(paid: int, taken: int, status: str) -> None:
    assert token(FLUSH, paid, taken) == status


@pytest.mark.parametrize(
    ("under", "meter", "paid", "status"),
    [
        (BY_SHARE, 1_000_000, 100_000, "pass"),
        (BY_SHARE, 1_000_000, 99_999, "fail"),
        (BY_SHARE, 1_000_000, 500_000, "fail"),
        (BY_SHARE, None, 100_000, "not-evidenced"),
        (None, 1_000_000, 100_000, "not-evidenced"),  # 10% by one table, 5,000.00 by the other
        (None, 1_000_000, 500_000, "not-evidenced"),
        (None, 1_000_000, 300_000, "fail"),
        (None, 5_000_000, 500_000, "pass"),  # where both give the same result
        (None, None, 300_000, "not-evidenced"),
    ],
)
def test_a_share_of_the_meter(under: str | None, meter: int | None, paid: int, status: str) -> None:
    assert token(STRAIGHT_FLUSH, paid, 100, meter=meter, under=under) == status


def test_rows_that_do_not_ask_the_meter_do_not_need_it() -> None:
    assert token(QUADS, 30_000, 100, meter=None) == "pass"


def test_part_of_a_cent_of_the_meter() -> None:
    record = round_of(seat(STRAIGHT_FLUSH, stake("token", 100, 123_456, 100)), meter=1_234_567)
    for reading, status in (("none", "fail"), ("down", "pass"), ("up", "fail"), ("either", "pass")):
        judged = judge(record, under=BY_SHARE, readings={"cents": reading})
        assert judged.statuses[0]["token-settled"].value == status


def royals(*paid: int, others: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    hands = [ROYAL, ROYAL_HEARTS]
    seats = [
        seat(hand, stake("token", 100, payment, 100), gift(100_000)) for hand, payment in zip(hands, paid, strict=False)
    ]
    return round_of(*seats, *(others or []), meter=1_000_001)


def test_a_shared_award_is_divided_among_the_seats_that_share_it() -> None:
    judged = judge(royals(500_000, 500_001), readings={"cents": "either"})
    assert judged.statuses[0]["token-settled"].value == "pass"
    judged = judge(royals(500_000, 500_001))
    assert judged.said == [
        (
            "token-settled",
            "fail",
            "token",
            f"The player's five cards: {hand}, royal flush; shared by 2 seats. "
            "The 1.00 Token should have been paid 5,000.005 and lost 1.00 (clause 1).",
            f"{paid} was paid and 1.00 was taken. The player {balance} 0.005.",
        )
        for hand, paid, balance in (
            ("A♠ K♠ Q♠ J♠ T♠", "5,000.00", "is owed"),
            ("A♥ K♥ Q♥ J♥ T♥", "5,000.01", "was overpaid"),
        )
    ]
    assert judged.clauses == [("purse/(1)", "purse/(2)", "purse/(3)")] * 2


def test_three_may_share_and_another_reading_pays_each_in_full() -> None:
    third = seat(DIAMONDS, stake("token", 100, 0, 100), gift(200_000))
    record = royals(1_000_001, 1_000_001, others=[])
    assert judge(record, readings={"sharing": "in-full"}).statuses[0]["token-settled"].value == "pass"
    assert judge(record).statuses[0]["token-settled"].value == "fail"
    assert third["bonuses"] == [{"bonus": "gift", "paid": 200_000}]


def test_an_unknown_hand_with_a_token_leaves_the_sharing_open() -> None:
    unknown = seat("????AhKhQh", stake("token", 100, 0, 100))
    record = round_of(seat(ROYAL, stake("token", 100, 1_000_000, 100)), unknown, meter=1_000_000)
    assert judge(record).statuses[0]["token-settled"].value == "not-evidenced"
    without = seat("????AhKhQh", stake("side", 100, 0, 100))
    record = round_of(seat(ROYAL, stake("token", 100, 1_000_000, 100)), without, meter=1_000_000)
    assert judge(record).statuses[0]["token-settled"].value == "pass"


def earn(*seats: dict[str, Any]) -> str:
    return judge(round_of(*seats, meter=1_000_000)).statuses[0]["gift-settled"].value


def holder(cards: str, amount: int = 100, paid: int | None = None, **more: Any) -> dict[str, Any]:
    """Build a seat with a correctly settled token on which nothing is due, and a gift."""
    return seat(cards, stake("token", amount, 0, amount), *([] if paid is None else [gift(paid)]), **more)


ONLOOKER = seat(STRAIGHT_FLUSH, stake("side", 100, 500))


@pytest.mark.parametrize(
    ("seats", "status"),
    [
        ([holder(NOTHING, paid=30_000), ONLOOKER], "pass"),
        ([holder(NOTHING, paid=29_999), ONLOOKER], "fail"),
        ([holder(NOTHING), ONLOOKER], "fail"),
        ([holder(NOTHING, 250, 75_000), ONLOOKER], "pass"),  # in proportion to the stake
        ([holder(NOTHING, 250, 30_000), ONLOOKER], "fail"),
        ([holder(STRAIGHT_FLUSH, paid=0)], "pass"),  # one's own hand earns nothing
        ([holder(STRAIGHT_FLUSH, paid=30_000)], "fail"),
        ([holder(NOTHING, paid=130_000), ONLOOKER, seat(ROYAL, stake("side", 100, 500))], "pass"),  # adds up
        ([holder(NOTHING, paid=100_000), ONLOOKER, seat(ROYAL, stake("side", 100, 500))], "fail"),
        ([holder(NOTHING, paid=0), seat("????QsJsTs", stake("side", 100, 0, 100))], "not-evidenced"),
        ([holder(NOTHING, paid=0), seat(FLUSH, stake("side", 100, 500))], "pass"),
    ],
)
def test_a_bonus_is_earned_by_the_hands_of_others(seats: list[dict[str, Any]], status: str) -> None:
    assert earn(*seats) == status


def test_a_bonus_that_is_listed_without_what_was_paid_is_not_known() -> None:
    unpaid = {**holder(NOTHING), "bonuses": [{"bonus": "gift"}]}
    assert earn(unpaid, ONLOOKER) == "not-evidenced"


def test_a_bonus_earned_by_others_may_have_a_floor() -> None:
    game = load(GAME.replace("due: {pay-table: gift}", "due: {pay-table: {of: gift, match: at-least}}"))
    found = [
        judge(round_of(holder(NOTHING, paid=paid), *others), of=game).statuses[0]["gift-settled"].value
        for others, paid in (([ONLOOKER], 29_999), ([ONLOOKER], 30_001), ([holder(FLUSH, paid=0)], 1))
    ]
    assert found == ["fail", "pass", "fail"]


def test_two_seats_of_one_player_are_no_others() -> None:
    mine: dict[str, Any] = {"player": "A"}
    another: dict[str, Any] = {"player": "B"}
    assert earn(holder(NOTHING, paid=0, **mine), {**ONLOOKER, **mine}) == "pass"
    assert earn(holder(NOTHING, paid=30_000, **mine), {**ONLOOKER, **mine}) == "fail"
    assert earn(holder(NOTHING, paid=30_000, **mine), {**ONLOOKER, **another}) == "pass"
    assert earn(holder(NOTHING, paid=30_000, **mine), ONLOOKER) == "pass"  # nameless: another, for all that is known
    # Nor does an unknown hand of one's own leave anything open.
    unknown = seat("????QsJsTs", stake("side", 100, 0, 100), **mine)
    assert earn(holder(NOTHING, paid=0, **mine), unknown) == "pass"


def test_a_bonus_is_told_with_the_hands_that_earn_it() -> None:
    record = round_of(holder(NOTHING, paid=1), ONLOOKER, seat(ROYAL, stake("side", 100, 500)))
    assert [statement for statement in judge(record).said if statement[0] == "gift-settled"] == [
        (
            "gift-settled",
            "fail",
            "gift",
            "Seat 2: the player's five cards: 9♥ 8♥ 7♥ 6♥ 5♥, straight flush to the nine; "
            "seat 3: the player's five cards: A♠ K♠ Q♠ J♠ T♠, royal flush. "
            "The 1.00 Gift should have been paid 1,300.00 (clause 1).",
            "0.01 was paid. The player is owed 1,299.99.",
        )
    ]
    alone = round_of(holder(NOTHING, paid=1), seat(FLUSH, stake("side", 100, 500)))
    assert judge(alone).said == [
        (
            "gift-settled",
            "fail",
            "gift",
            "No other player has such a hand. The 1.00 Gift should have been neither paid nor taken (clause 1).",
            "0.01 was paid. The player was overpaid 0.01.",
        )
    ]


def test_what_the_text_leaves_open_is_not_evidenced_under_its_own_clause() -> None:
    noble = [holder(cards, paid=200_000) for cards in (ROYAL, ROYAL_HEARTS, DIAMONDS)]
    judged = judge(round_of(*noble, meter=1_000_000))
    assert {name: status.value for name, status in judged.statuses[0].items() if status.value != "not-applicable"} == {
        "token-left-open": "not-evidenced",
        "gift-settled": "pass",
    }
    assert judged.said == [
        (
            "token-left-open",
            "not-evidenced",
            "token",
            "an amount at the licensee's discretion",
            "the text leaves the amount open on the 1.00 Token by clause 3: "
            "the number of seats with noble: 3; 1.00 taken",
        )
    ]
    assert judged.clauses == [("purse/(3)",)]


def test_where_it_is_unknown_whether_the_text_leaves_it_open_both_cases_are_gaps() -> None:
    seats = [holder(ROYAL, paid=100_000), holder(ROYAL_HEARTS, paid=100_000), holder("????QdJdTd", paid=200_000)]
    judged = judge(round_of(*seats, meter=1_000_000))
    assert judged.statuses[0]["token-left-open"].value == "not-evidenced"
    assert judged.statuses[0]["token-settled"].value == "not-evidenced"


def test_one_round_or_many_come_to_the_same() -> None:
    seats = [
        holder(NOTHING, paid=30_000),
        ONLOOKER,
        holder(QUADS, paid=30_000),
        seat(FLUSH, stake("main", 100, 800), stake("twin", 100, 0, 100)),
    ]
    records = [round_of(*seats[:count], meter=meter) for count in range(1, 5) for meter in (None, 1_000_000)]
    alone = [judge(record).statuses[0] for record in records]
    assert judge(*records).statuses == alone
