"""Deals in passes: turns, burnt cards, packets of which only some cards remain."""

from __future__ import annotations

from typing import Any

import pytest

from tests.facade.text import InputError
from tests.play.table import PLAY, Data, answers, describe, event, judge, room, round_of

SEATS = [{"cards": "2c3c4c"}, {"cards": "5c6c7c"}]
AROUND: Data = {"dealer": "8c9cTc", "community": "JcQc"}
IN_PACKETS: Data = {"dealer": "8c9cTc", "community": "??JcQc??"}
DEALT = {"dealt": {"asks": "turn"}}
ONE_STAGE: Data = PLAY["deal"]["stages"][0]


def card(place: int | str, cards: str, **more: str) -> Data:
    """Build a packet for a seat, by its number, or for another place."""
    return (
        event("deal", place, cards=cards, **more)
        if isinstance(place, int)
        else event("deal", place=place, cards=cards, **more)
    )


def singly() -> list[Data]:
    """Deal one card at a time, a burnt card, then two community cards."""
    turns: list[tuple[int | str, str]] = [(1, SEATS[0]["cards"]), (2, SEATS[1]["cards"]), ("dealer", AROUND["dealer"])]
    events = [card(place, cards[2 * at : 2 * at + 2], by="dealer") for at in range(3) for place, cards in turns]
    return [*events, card("burn", "??"), card("community", "JcQc")]


def in_packets() -> list[Data]:
    """Deal four community cards first, then three cards to each place."""
    events = [card("community", "??JcQc??"), card(1, "2c3c4c"), card(2, "5c6c7c"), card("dealer", "8c9cTc")]
    return [{**event, "by": "machine"} for event in events]


def swap(events: list[Data], one: int, other: int) -> list[Data]:
    found = list(events)
    found[one], found[other] = found[other], found[one]
    return found


def outcome(events: list[Data] | None, around: Data = AROUND, *seats: Data) -> tuple[str, list[tuple[object, ...]]]:
    told_so: Data = {} if events is None else {"events": events}
    [status], found = judge(DEALT, [round_of(*(seats or SEATS), **around, **told_so)])
    return status, found


def test_every_way_of_dealing_passes() -> None:
    assert outcome(singly()) == ("pass", [])
    assert outcome(in_packets(), IN_PACKETS) == ("pass", [])
    assert outcome(None) == ("not-evidenced", [])


@pytest.mark.parametrize(
    ("one", "other", "finding"),
    [
        (0, 1, ("R1", 2, 1, "1 card to seat 1", "1 card to seat 2")),
        (4, 5, ("R1", None, 5, "1 card to seat 2", "1 card to the dealer")),
        (9, 10, ("R1", None, 10, "1 card to the burn", "2 cards to the community")),
        (8, 9, ("R1", None, 9, "1 card to the dealer", "1 card to the burn")),
    ],
)
def test_the_first_packet_out_of_turn_is_the_finding(one: int, other: int, finding: tuple[object, ...]) -> None:
    assert outcome(swap(singly(), one, other)) == ("fail", [finding])


def test_no_card_is_burnt_at_a_wrong_time_or_twice() -> None:
    unburnt = [finding for finding in singly() if finding["place"] != "burn"]
    assert outcome(unburnt) == ("fail", [("R1", None, 10, "1 card to the burn", "2 cards to the community")])
    twice = [*singly(), card("burn", "??")]
    assert outcome(twice) == ("fail", [("R1", None, 12, "no further card", "1 card to the burn")])


def test_a_round_is_held_against_the_way_it_follows_furthest() -> None:
    late = swap(in_packets(), 1, 2)
    assert outcome(late, IN_PACKETS) == ("fail", [("R1", 2, 2, "3 cards to seat 1", "3 cards to seat 2")])
    # In a packet, though to the wrong place first: the size shows the intended form.
    first = swap(in_packets(), 0, 1)
    assert outcome(first, IN_PACKETS) == ("fail", [("R1", 1, 1, "4 cards to the community", "3 cards to seat 1")])


def test_a_place_with_a_wrong_number_of_cards_is_passed_over() -> None:
    short = [finding for at, finding in enumerate(singly()) if at != 3]
    assert outcome(short, AROUND, {"cards": "2c4c"}, SEATS[1]) == ("pass", [])
    late = swap(short, 1, 2)
    finding = ("R1", None, 2, "1 card to seat 2", "1 card to the dealer")
    assert outcome(late, AROUND, {"cards": "2c4c"}, SEATS[1]) == ("fail", [finding])


def test_rounds_dealt_in_different_ways_stand_in_one_batch() -> None:
    records = [
        round_of(*SEATS, **AROUND, events=singly(), number=1),
        round_of(*SEATS, **IN_PACKETS, events=in_packets(), number=2),
        round_of(*SEATS, **AROUND, events=swap(singly(), 0, 1), number=3),
        round_of(*SEATS, **AROUND, number=4),
    ]
    statuses, found = judge(DEALT, records)
    assert statuses == ["pass", "pass", "fail", "not-evidenced"]
    assert [finding[0] for finding in found] == ["R3"]
    as_singly = {"dealt-as": "singly"}
    assert answers(as_singly, records, "round") == ["yes", "no", "yes", "unknown"]
    assert answers({"dealt-as": "in-packets"}, records, "round") == ["no", "yes", "no", "unknown"]
    submitted = {"dealt-as": "submitted"}
    assert answers(submitted, records, "round", submission={"dealing": "in-packets"}) == ["no", "yes", "no", "unknown"]
    assert answers(submitted, records, "round", submission={"dealing": "from-a-hat"}) == ["unknown"] * 4
    assert (
        answers(submitted, records, "round", submission={}) == answers(submitted, records, "round") == ["unknown"] * 4
    )


def test_ways_that_differ_in_nothing_else_are_told_apart_by_who_deals() -> None:
    passes = [{"to": ["player", "dealer", "community"], "each": 1, "times": 2}, {"to": ["player", "dealer"], "each": 1}]
    ways = {name: {"by": name, "clauses": ["1"], "passes": passes} for name in ("dealer", "machine")}
    deal = {**PLAY["deal"], "stages": [{**ONE_STAGE, "ways": ways}]}
    turns: list[tuple[int | str, str]] = [(1, "2c3c4c"), ("dealer", "8c9cTc"), ("community", "JcQc")]
    order = [card(place, cards[2 * at : 2 * at + 2]) for at in range(3) for place, cards in turns if cards[2 * at :]]
    hands = {**PLAY["hands"], "final": {**PLAY["hands"]["final"]}}

    def dealt_by(*who: str | None) -> list[Data]:
        named = [{} if player is None else {"by": player} for player in who] * 8
        return [{**packet, **by} for packet, by in zip(order, named, strict=False)]

    records = [
        round_of(SEATS[0], **AROUND, events=dealt_by(who), number=number)
        for number, who in enumerate(("dealer", "machine", None), 1)
    ]
    asked = {"deal": deal, "hands": hands}
    assert answers({"dealt-as": "dealer"}, records, "round", **asked) == ["yes", "no", "yes"]
    assert answers({"dealt-as": "machine"}, records, "round", **asked) == ["no", "yes", "yes"]


def test_a_way_of_dealing_in_words() -> None:
    records = [round_of(*SEATS, **IN_PACKETS, events=in_packets()), round_of(*SEATS, **AROUND, number=2)]
    assert describe({"dealt-as": "singly"}, records, 0, "round") == ("the cards dealt as “singly”", "dealt in packets")
    assert describe({"dealt-as": "singly"}, records, 1, "round")[1] == "way of dealing: not shown"
    astray = [card(1, "2c3c"), *(finding for at, finding in enumerate(singly()) if at not in (0, 3))]
    nowhere = [round_of(*SEATS, **AROUND, events=astray)]
    assert describe({"dealt-as": "singly"}, nowhere, 0, "round")[1] == "dealt in none of the permitted ways"
    submission = {"dealing": "singly"}
    assert describe({"dealt-as": "submitted"}, records, 0, "round", submission) == (
        "the cards dealt as submitted",
        "dealt in packets",
    )


def with_passes(*passes: Data) -> Data:
    return of_one_stage(ways={"only": {"clauses": ["1"], "passes": list(passes)}})


def of_one_stage(*, held: Data | None = None, **stage: Any) -> Data:
    return {"stages": [{**ONE_STAGE, **stage}], "held": held or PLAY["deal"]["held"]}


@pytest.mark.parametrize(
    ("deal", "problem"),
    [
        (with_passes({"to": ["player", "dealer"], "each": 3}), "deals 0 cards to the community, not 2"),
        (
            with_passes({"to": ["player", "dealer"], "each": 3}, {"to": ["community"], "each": 1}),
            "deals 1 cards to the community, not 2",
        ),
        (
            with_passes({"to": ["player", "dealer"], "each": 3}, {"to": ["community"], "each": 3, "kept": [1, 4]}),
            "a packet of 3 has no card 4",
        ),
        (
            with_passes({"to": ["player", "dealer"], "each": 3}, {"to": ["community"], "each": 3, "kept": [1, 1]}),
            "names a card twice",
        ),
        (of_one_stage(cards={"player": 3, "dealer": 3}), "deals 2 cards to the community, not 0"),
        (
            of_one_stage(
                held={"dealer": 1},
                cards={"player": 3},
                ways={"only": {"clauses": ["1"], "passes": [{"to": ["player"], "each": 3}]}},
            ),
            "the dealer is dealt no cards",
        ),
    ],
)
def test_ways_that_do_not_come_to_the_cards_of_the_game_are_refused(deal: Data, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        room(deal=deal)


def test_a_hand_of_cards_that_are_thinned_out_is_one_of_cards_held() -> None:
    final = {key: value for key, value in PLAY["hands"]["final"].items() if key != "cards"}
    with pytest.raises(InputError, match="the community discards when cards are dealt"):
        room(hands={**PLAY["hands"], "final": final})


@pytest.mark.parametrize("silent", [{"wagers": []}, {"wagers": [], "playing": False}, {"wagers": [], "cards": ""}])
def test_a_seat_that_is_dealt_nothing_is_left_out_of_no_turn(silent: Data) -> None:
    assert outcome(singly(), AROUND, *SEATS, silent) == ("pass", [])
    assert outcome(in_packets(), IN_PACKETS, *SEATS, silent) == ("pass", [])
    assert outcome(singly(), {"complete": False, **AROUND}, *SEATS, silent) == ("pass", [])


def test_where_nothing_is_dealt_no_way_is_followed() -> None:
    untold = round_of({}, events=[{"event": "cut"}])
    dealt_none: Data = {**untold, "unrecorded": [kind for kind in untold["unrecorded"] if kind != "deal"]}
    for way in ("singly", "in-packets"):
        assert answers({"dealt-as": way}, [dealt_none], "round") == ["no"]
        assert answers({"dealt-as": way}, [{**dealt_none, "complete": False}], "round") == ["unknown"]
        assert answers({"dealt-as": way}, [untold], "round") == ["unknown"]
