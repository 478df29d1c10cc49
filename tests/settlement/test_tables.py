"""Amounts due by pay tables: floors, bands, several hands, scales, wording, missing rows."""

from __future__ import annotations

import pytest

from tests.settlement.helpers import (
    FLUSH,
    FULL,
    GAME,
    NINES,
    NOTHING,
    ROYAL,
    TENS,
    TRIPS,
    TWO_PAIR,
    Judged,
    judge,
    load,
    round_of,
    seat,
    stake,
    submission,
)

FLOOR = {"royal-flush": "100 to 1", "flush": "8 to 1", "5-card-flush": '"3:2"', "three-of-a-kind": "3 to 1"}
FLOOR |= {"two-pair": "push", "pair-of-tens-or-better": "1 to 1"}


def wide(**rows: str | None) -> str:
    """Write a submission of the wide version that posts the printed floor, except for some rows."""
    posted = {**FLOOR, **{name.replace("_", "-"): odds for name, odds in rows.items()}}
    lines = "\n".join(f"  - {{hand: {hand}, odds: {odds}}}" for hand, odds in posted.items() if odds is not None)
    return submission(f"options: {{version: wide}}\npay-tables:\n- pays: main\n  rows:\n{lines}\n")


NO_TABLE = submission("options: {version: wide}\n")


def main(cards: str | None, paid: int, taken: int, *, under: str | None = NO_TABLE, **more: str) -> str:
    """Return the status of the main wager, 1.00, of one seat."""
    judged = judge(round_of(seat(cards, stake("main", 100, paid, taken), **more)), under=under)
    return judged.statuses[0]["main-settled"].value


@pytest.mark.parametrize(
    ("cards", "paid", "taken", "status"),
    [
        (TENS, 100, 0, "pass"),  # the lowest pair of the band
        (TENS, 99, 0, "fail"),
        (TENS, 101, 0, "pass"),  # more than the floor, where nothing is posted
        (NINES, 0, 100, "pass"),  # one below the band
        (NINES, 0, 0, "fail"),
        (TWO_PAIR, 0, 0, "pass"),  # a push
        (TWO_PAIR, 1, 0, "fail"),  # is no floor
        (TWO_PAIR, 0, 100, "fail"),
        (NOTHING, 0, 100, "pass"),
        (NOTHING, 0, 99, "fail"),
        (ROYAL, 10_000, 0, "pass"),
        (ROYAL, 9_999, 0, "fail"),
        (ROYAL, 10_000, 1, "fail"),
        (None, 100, 0, "not-evidenced"),
        ("TcTdAc6s??", 100, 0, "not-evidenced"),
    ],
)
def test_a_printed_table_is_a_floor_where_none_is_posted(cards: str | None, paid: int, taken: int, status: str) -> None:
    assert main(cards, paid, taken) == status


@pytest.mark.parametrize(
    ("under", "cards", "paid", "taken", "status"),
    [
        (wide(royal_flush="200 to 1"), ROYAL, 20_000, 0, "pass"),  # posted odds are due, where they are lawful
        (wide(royal_flush="200 to 1"), ROYAL, 20_001, 0, "fail"),
        (wide(royal_flush="200 to 1"), ROYAL, 10_000, 0, "fail"),
        (wide(royal_flush="99 to 1"), ROYAL, 9_900, 0, "fail"),  # an unlawful table binds nobody
        (wide(royal_flush="99 to 1"), ROYAL, 10_000, 0, "pass"),
        (wide(royal_flush="99 to 1"), ROYAL, 20_000, 0, "pass"),
        (wide(two_pair=None), TWO_PAIR, 0, 0, "pass"),  # a row that is missing is unlawful too
        (wide(two_pair="1 to 1"), TWO_PAIR, 100, 0, "pass"),  # a push may be made a win
        (wide(two_pair="1 to 1"), TWO_PAIR, 0, 0, "fail"),
        (wide(full_house="9 to 2"), FULL, 450, 0, "pass"),  # a row added by the licensee
        (wide(full_house="9 to 2"), FULL, 0, 100, "fail"),
        (wide(), FULL, 0, 100, "pass"),
        (wide(no_such_hand="9 to 2"), FULL, 0, 100, "pass"),
        # A table so odd that its parts of a cent cannot be counted leaves the floor.
        (wide(royal_flush="1000000007 to 999983"), ROYAL, 100_000, 0, "pass"),
    ],
)
def test_a_lawful_posted_table_is_due_as_posted(under: str, cards: str, paid: int, taken: int, status: str) -> None:
    assert main(cards, paid, taken, under=under) == status


def test_odds_that_no_payment_comes_up_to_are_never_met() -> None:
    unlimited = load(GAME.replace("lines: [main, twin], each: hand", "lines: [twin], each: hand"))
    record = round_of(seat(ROYAL, stake("main", 10**12, 10**12)))
    judged = judge(record, under=wide(royal_flush="999999999999 to 1"), of=unlimited)
    assert judged.statuses[0]["main-settled"].value == "fail"


@pytest.mark.parametrize(
    ("cards", "paid", "taken", "status"),
    [
        (ROYAL, 4_999, 0, "fail"),  # below both floors
        (ROYAL, 5_000, 0, "not-evidenced"),  # by one floor enough
        (ROYAL, 9_999, 0, "not-evidenced"),
        (ROYAL, 10_000, 0, "pass"),  # by both
        (TRIPS, 300, 0, "pass"),
        (TRIPS, 299, 0, "fail"),
        (TENS, 100, 0, "not-evidenced"),  # paid by one table, lost by the other
        (TENS, 0, 100, "not-evidenced"),
        (TENS, 50, 0, "fail"),  # and this by neither
    ],
)
def test_without_a_submission_every_table_that_may_be_in_use_is_tried(
    cards: str, paid: int, taken: int, status: str
) -> None:
    assert main(cards, paid, taken, under=None) == status


def test_a_version_puts_the_other_version_s_table_out_of_use() -> None:
    narrow = submission("options: {version: narrow}\n")
    assert main(TENS, 0, 100, under=narrow) == "pass"
    assert main(TENS, 100, 0, under=narrow) == "fail"
    assert main(ROYAL, 5_000, 0, under=narrow) == "pass"


def test_an_option_that_puts_every_table_out_of_use_leaves_nothing_evident() -> None:
    assert main(TENS, 100, 0, under=submission("options: {version: third}\n")) == "not-evidenced"


@pytest.mark.parametrize(
    ("cards", "paid", "status"),
    [
        (FLUSH, 150, "pass"),  # the flush of five, not the flush of the other hand
        (FLUSH, 800, "fail"),
        ("Kd2d9d6d4d", 150, "pass"),  # a two goes with any suit
        ("Kd2s9d6d4h", 0, "fail"),  # four of a suit have no row: the stake is lost
    ],
)
def test_a_case_says_which_of_several_hands_is_looked_up(cards: str, paid: int, status: str) -> None:
    assert main(cards, paid, 0, decision="flash") == status


def test_two_lines_may_share_a_table() -> None:
    judged = judge(round_of(seat(TENS, stake("twin", 100, 99), stake("main", 100, 100))), under=NO_TABLE)
    assert judged.said == [
        (
            "main-settled",
            "fail",
            "twin",
            "The player's five cards: A♣ T♦ T♣ 6♠ 4♥, pair of tens, kickers ace, six, four. "
            "The 1.00 Twin should have been paid at least 1.00 (clause 1).",
            "0.99 was paid. The player is owed 0.01.",
        )
    ]
    assert judged.clauses == [("purse/(1)", "purse/(2)")]


@pytest.mark.parametrize(
    ("cards", "dealer", "paid", "taken", "status"),
    [
        ("KdJd9d6d4d", "3c4d5h6s8c", 500, 0, "pass"),  # 5 against 2
        ("KdJd9d6d4d", "3c4c5c6s8c", 200, 0, "pass"),  # 5 against 4
        ("KdJd9d6d4d", "3h4h5h6s8c", 500, 0, "pass"),  # 5 against 3: the lowest margin of the highest band
        ("KdJd9d6d4d", "3h4h5h6h8c", 500, 0, "fail"),
        ("KdJd9d6s4h", "3c4c5c6s8d", 0, 0, "pass"),  # level is a push
        ("KdJd9d6s4h", "3c4c5c6c8d", 0, 100, "pass"),  # below every band: lost
        ("KdJd9d6s4h", "3c4c5c6c8d", 0, 0, "fail"),
        ("KdJd9d6s4h", "3c4c5c6c??", 0, 0, "not-evidenced"),
    ],
)
def test_a_scale_takes_the_place_of_a_hand(cards: str, dealer: str, paid: int, taken: int, status: str) -> None:
    judged = judge(round_of(seat(cards, stake("side", 100, paid, taken)), dealer=dealer), under=NO_TABLE)
    assert judged.statuses[0]["side-settled"].value == status


def test_a_scale_is_told_with_its_value() -> None:
    judged = judge(round_of(seat(FLUSH, stake("side", 100, 499))), under=NO_TABLE)
    assert [(expected, observed) for _, _, _, expected, observed in judged.said] == [
        (
            "By how many cards the flush is longer: 3. The 1.00 Side should have been paid 5.00 (clause 1).",
            "4.99 was paid. The player is owed 0.01.",
        )
    ]


def test_another_reading_words_the_odds_otherwise() -> None:
    record = round_of(seat(FLUSH, stake("side", 100, 400)))
    assert judge(record).statuses[0]["side-settled"].value == "fail"
    assert judge(record, readings={"wording": "for"}).statuses[0]["side-settled"].value == "pass"


@pytest.mark.parametrize(("reading", "paid", "taken"), [("unpaid", 0, 100), ("paid", 350, 0), ("as-tens", 300, 0)])
def test_a_row_that_is_missing_is_paid_as_a_reading_says(reading: str, paid: int, taken: int) -> None:
    record = round_of(seat(FULL, stake("main", 100, paid, taken)))
    readings = [name for name in ("unpaid", "paid", "as-tens") if _passes(judge_by(record, name))]
    assert readings == [reading]


def judge_by(record: dict[str, object], reading: str) -> Judged:
    return judge(record, under=wide(), readings={"pushing": reading})


def _passes(judged: Judged) -> bool:
    return judged.statuses[0]["main-settled"].value == "pass"


def test_parts_of_a_minor_unit_are_told_to_their_last_place() -> None:
    judged = judge(round_of(seat(FLUSH, stake("main", 101, 152), decision="flash")), under=NO_TABLE)
    assert judged.said == [
        (
            "main-settled",
            "fail",
            "main",
            "The player's longest flush: K♦ J♦ 9♦ 6♦ 4♦, 5-card flush: king, jack, nine, six, four. "
            "The 1.01 Main should have been paid 1.515 (clause 1).",
            "1.52 was paid. The player was overpaid 0.005.",
        )
    ]


@pytest.mark.parametrize(("reading", "right"), [("none", []), ("either", [151, 152]), ("down", [151]), ("up", [152])])
def test_parts_of_a_minor_unit_are_met_as_the_text_is_read(reading: str, right: list[int]) -> None:
    records = [round_of(seat(FLUSH, stake("main", 101, paid), decision="flash")) for paid in range(149, 155)]
    statuses = judge(*records, under=NO_TABLE, readings={"cents": reading}).statuses
    found = [
        paid for paid, status in zip(range(149, 155), statuses, strict=True) if status["main-settled"].value == "pass"
    ]
    assert found == right


def test_a_floor_with_a_part_of_a_minor_unit() -> None:
    records = [round_of(seat(FULL, stake("main", 101, paid))) for paid in (353, 354)]
    for reading, expected in (("none", ["fail", "fail"]), ("either", ["pass", "pass"]), ("up", ["fail", "pass"])):
        under, readings = wide(full_house="7 to 2"), {"cents": reading}
        assert [
            status["main-settled"].value for status in judge(*records, under=under, readings=readings).statuses
        ] == expected
