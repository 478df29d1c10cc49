"""Deals that stop before every place has its cards: if all came in turn so far, no number is wrong."""

from __future__ import annotations

import pytest

from tests.play.table import Data, answers, event, judge, round_of

STOPPED: Data = {"dealt-in-turn": "broken-off"}
IN_TURN: list[tuple[int | str, str]] = [
    *(
        (place, cards[2 * at : 2 * at + 2])
        for at in range(3)
        for place, cards in ((1, "2c3c4c"), (2, "5c6c7c"), ("dealer", "8c9cTc"))
    ),
    ("community", "JcQc"),
]
"""Packets of single cards in turn, then two community cards."""


def deal(packets: list[tuple[int | str, str]], *then: Data) -> Data:
    """Build a round with a sequence of dealt packets."""
    held: dict[int | str, str] = {1: "", 2: "", "dealer": "", "community": ""}
    events = []
    for place, cards in packets:
        held[place] += cards
        where = event("deal", place, cards=cards) if isinstance(place, int) else event("deal", place=place, cards=cards)
        events.append({**where, "by": "dealer"})
    around: Data = {"dealer": held["dealer"], "community": held["community"]}
    return round_of({"cards": held[1]}, {"cards": held[2]}, **around, events=[*events, *then])


@pytest.mark.parametrize(("packets", "stopped"), [(1, "yes"), (4, "yes"), (8, "yes"), (9, "yes"), (10, "no")])
def test_a_deal_that_came_in_turn_has_stopped_until_all_are_served(packets: int, stopped: str) -> None:
    assert {*answers(STOPPED, [deal(IN_TURN[:packets])])} == {stopped}


def test_what_came_out_of_turn_or_was_played_on_has_not_stopped() -> None:
    assert {*answers(STOPPED, [deal([IN_TURN[1], IN_TURN[0]])])} == {"no"}
    assert {*answers(STOPPED, [deal(IN_TURN[:4], event("decide", 1, decision="stand"))])} == {"no"}


def test_a_record_that_stops_in_the_deal_tells_of_it_by_a_misdeal_alone() -> None:
    record = deal(IN_TURN[:4])
    called = deal(IN_TURN[:4], event("misdeal", place="table"))
    assert {*answers(STOPPED, [{**record, "complete": False}])} == {"unknown"}
    assert {*answers(STOPPED, [{**called, "complete": False}])} == {"yes"}


@pytest.mark.parametrize("packets", [1, 4, 9])
def test_what_was_dealt_came_in_turn_be_it_all_or_the_beginning(packets: int) -> None:
    assert {*answers({"dealt-in-turn": "any"}, [deal(IN_TURN[:packets])])} == {"yes"}


def test_a_place_that_was_passed_over_or_served_again_is_out_of_turn() -> None:
    for packets in ([IN_TURN[1], IN_TURN[0]], [IN_TURN[0], IN_TURN[2]], [*IN_TURN[:9], (1, "Kc")]):
        assert {*answers({"dealt-in-turn": "any"}, [deal(packets)])} == {"no"}


MISCOUNTS: list[list[tuple[int | str, str]]] = [
    [(1, "2cKc"), *IN_TURN[1:5]],
    [*IN_TURN[:5], ("dealer", "9cKc")],
    [*IN_TURN[:2], ("dealer", "8c"), ("dealer", "Kc"), *IN_TURN[3:7]],
    [*IN_TURN[:3], IN_TURN[4], IN_TURN[5], IN_TURN[7]],
    [*IN_TURN[:9], (2, "Kc")],
]
"""Deals in which one place has too many or too few cards at the point where the deal stopped."""


@pytest.mark.parametrize("packets", MISCOUNTS)
@pytest.mark.parametrize("complete", [True, False])
def test_a_miscount_at_one_place_puts_no_packet_out_of_turn(
    packets: list[tuple[int | str, str]], complete: bool
) -> None:
    statuses, found = judge({"dealt": {"asks": "turn"}}, [{**deal(packets), "complete": complete}])
    assert "fail" not in statuses
    assert found == []


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize(
    "packets",
    [
        [*IN_TURN[:3], IN_TURN[4], IN_TURN[3], *IN_TURN[5:9]],
        [IN_TURN[1], IN_TURN[0], *IN_TURN[2:8]],
        [*IN_TURN[:6], IN_TURN[7], IN_TURN[6], *IN_TURN[8:]],
    ],
)
def test_an_exchanged_turn_is_no_miscount(packets: list[tuple[int | str, str]], complete: bool) -> None:
    statuses, _ = judge({"dealt": {"asks": "turn"}}, [{**deal(packets), "complete": complete}])
    assert statuses == ["fail"]
