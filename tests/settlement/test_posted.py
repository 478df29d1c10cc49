"""Posted pay tables compared with printed ones: floors, wording, pushes, shares, amounts in proportion."""

from __future__ import annotations

import pytest

from tests.settlement.helpers import judge_posted

TOKEN = """pay-tables:
- pays: token
  rows:
  - {{hand: royal-flush, odds: 100% of meter}}
  - {{hand: straight-flush, odds: {straight_flush}}}
  - {{hand: four-of-a-kind, odds: {quads}}}
  - {{hand: flush, odds: $50}}
"""


@pytest.mark.parametrize(
    ("straight_flush", "quads", "said"),
    [
        ("10% of meter", "300 for 1", []),
        ('"$5,000"', "300 for 1", []),
        ("10.00% of meter", "299 to 1", []),  # the money counts, not the words
        (
            "9% of meter",
            "300 for 1",
            [
                (
                    "/pay-tables/0/rows/1/odds",
                    "Token: straight-flush 10% of meter, as in pay table token-share",
                    "9% of meter",
                )
            ],
        ),
        (
            '"$4,999"',
            "300 for 1",
            [
                (
                    "/pay-tables/0/rows/1/odds",
                    "Token: straight-flush 10% of meter, as in pay table token-share",
                    "$4,999",
                )
            ],
        ),
        (
            '"$5,000"',
            "300 to 1",
            [
                (
                    "/pay-tables/0/rows/2/odds",
                    "Token: four-of-a-kind 300 for 1, as in pay table token-amount",
                    "300 to 1",
                )
            ],
        ),
    ],
)
def test_shares_and_amounts_are_compared_exactly(
    straight_flush: str, quads: str, said: list[tuple[str, str, str]]
) -> None:
    found = judge_posted(TOKEN.format(straight_flush=straight_flush, quads=quads))
    assert found["token-table"] == ("fail" if said else "pass", said)


FLOOR = """pay-tables:
- pays: main
  rows:
  - {{hand: royal-flush, odds: 100 to 1}}
  - {{hand: flush, odds: 8 to 1}}
  - {{hand: 5-card-flush, odds: "3:2"}}
  - {{hand: three-of-a-kind, odds: 3 to 1}}
  - {{hand: two-pair, odds: {two_pair}}}
  - {{hand: pair-of-tens-or-better, odds: {tens}}}
"""


@pytest.mark.parametrize(
    ("two_pair", "tens", "said"),
    [
        ("push", "1 to 1", []),
        ("1 to 1", "2 to 1", []),
        ("1 for 1", "1 to 1", []),  # pays nothing beyond the stake, as a push does
        (
            '"$1"',
            "1 to 1",
            [("/pay-tables/0/rows/4/odds", "Main: two-pair at least push, as in pay table main-wide", "$1")],
        ),
        (
            "push",
            "1 to 2",
            [
                (
                    "/pay-tables/0/rows/5/odds",
                    "Main: pair-of-tens-or-better at least 1 to 1, as in pay table main-wide",
                    "1 to 2",
                )
            ],
        ),
    ],
)
def test_a_floor(two_pair: str, tens: str, said: list[tuple[str, str, str]]) -> None:
    text = "options: {version: wide}\n" + FLOOR.format(two_pair=two_pair, tens=tens)
    assert judge_posted(text)["main-table"] == ("fail" if said else "pass", said)


def test_a_push_that_is_missing_is_missing() -> None:
    text = FLOOR.replace("  - {{hand: two-pair, odds: {two_pair}}}\n", "").format(tens="1 to 1")
    assert judge_posted("options: {version: wide}\n" + text)["main-table"] == (
        "fail",
        [("/pay-tables/0/rows", "Main: two-pair push, as in pay table main-wide", "no such row")],
    )


def test_a_check_speaks_of_some_submissions_only() -> None:
    bad = FLOOR.format(two_pair="push", tens="1 to 2")
    expected = "Main: pair-of-tens-or-better at least 1 to 1, as in pay table main-wide"
    said = [("/pay-tables/0/rows/5/odds", expected, "1 to 2")]
    assert judge_posted("options: {version: narrow}\n" + bad)["main-table"] == ("not-applicable", [])
    assert judge_posted(bad)["main-table"] == ("not-evidenced", said)
    assert judge_posted(FLOOR.format(two_pair="push", tens="1 to 1"))["main-table"] == ("pass", [])


@pytest.mark.parametrize(
    ("odds", "observed"),
    [("5 to 1", None), ("50 to 1", None), ("5 for 1", "5 for 1"), ('"5:1"', "5:1"), ("win 5", "win 5"), ("push", None)],
)
def test_the_wording_alone(odds: str, observed: str | None) -> None:
    rows = f"[{{hand: 2-or-more, odds: {odds}}}, {{hand: other, odds: 2 for 1}}]"
    found = judge_posted(f"pay-tables: [{{pays: side, rows: {rows}}}]\n")
    if observed is None:
        assert found["side-wording"] == ("pass", [])
    else:
        expected = "Side: 2-or-more with “to”, as in pay table side"
        assert found["side-wording"] == ("fail", [("/pay-tables/0/rows/0/odds", expected, observed)])


GIFT = "pay-tables: [{pays: gift, rows: [{hand: royal-flush, odds: $%s}, {hand: straight-flush, odds: $%s}]}]\n"


@pytest.mark.parametrize(
    ("wagers", "amounts", "status"),
    [
        ("", ("1000", "300"), "pass"),  # printed for a wager of 1.00, and no other size is stated
        ("", ("2000", "600"), "fail"),
        ("wagers: [{wager: token, minimum: 2, maximum: 2}]\n", ("2000", "600"), "pass"),  # in proportion
        ("wagers: [{wager: token, minimum: 2, maximum: 2}]\n", ("1000", "300"), "fail"),
        ("wagers: [{wager: token, minimum: 2, maximum: 3}]\n", ("1000", "300"), "pass"),
    ],
)
def test_amounts_go_by_the_size_of_the_wager(wagers: str, amounts: tuple[str, str], status: str) -> None:
    assert judge_posted(wagers + GIFT % amounts)["gift-table"][0] == status


def test_a_row_twice_and_a_row_too_many() -> None:
    rows = "{hand: royal-flush, odds: $1000}, {hand: royal-flush, odds: $1000}, {hand: flush, odds: $5}"
    found = judge_posted(f"pay-tables: [{{pays: gift, rows: [{rows}]}}]\n")["gift-table"]
    assert found == (
        "fail",
        [
            ("/pay-tables/0/rows/1/hand", "Gift: each hand once", "royal-flush again"),
            ("/pay-tables/0/rows/2/hand", "Gift: no row for flush, as in pay table gift", "flush $5"),
            ("/pay-tables/0/rows", "Gift: straight-flush $300, as in pay table gift", "no such row"),
        ],
    )


def test_what_is_not_offered_needs_no_table() -> None:
    assert judge_posted("wagers: [{wager: main}]\n")["gift-table"] == ("not-applicable", [])
    assert judge_posted("")["gift-table"] == ("not-evidenced", [("/pay-tables", "a pay table for gift", "not stated")])
