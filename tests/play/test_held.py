"""Cards of a place after discards and draws."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.facts.final_hands import final_cards
from tests.facade.cards import format_cards
from tests.play.table import NOTHING, Data, answers, batch_of, event, measures, room, round_of

DECK = [rank + suit for rank, suit in product("23456789TJQKA", "cdhs")]


def held_by(record: Data) -> str | None:
    """Return the final cards of the first seat, or None where they are not recorded."""
    scope = room().scope([record])
    hands = final_cards(scope, "player")
    count = int(hands.count[0])
    return None if count < 0 else format_cards(hands.cards[0, :count].tolist())


@pytest.mark.parametrize(
    ("seat", "cards"),
    [
        ({"cards": "AsKdQc", "discarded": "Kd", "drawn": ""}, "AsQc"),
        ({"cards": "AsKdQc", "discarded": "Kd", "drawn": "2h"}, "AsQc2h"),
        ({"cards": "AsKdQc", "discarded": "", "drawn": ""}, "AsKdQc"),
        ({"cards": "AsKdQc", "discarded": "AsKdQc", "drawn": ""}, ""),
        ({"cards": "AsKdQc", "discarded": "2h", "drawn": "2h3h"}, "AsKdQc3h"),  # a drawn card, put away again
        ({"cards": "??KdQc", "discarded": "As", "drawn": ""}, "KdQc"),  # it must be the one that was not seen
        ({"cards": "AsKdQc", "discarded": "??", "drawn": ""}, "????"),
        ({"cards": "AsKdQc", "discarded": "Kd??", "drawn": ""}, "??"),
        ({"cards": "AsKdQc", "discarded": "??????", "drawn": ""}, ""),
        ({"cards": "AsKdQc", "discarded": "Kd", "drawn": "??"}, "AsQc??"),
        ({"cards": "AsKdQc", "drawn": ""}, None),
        ({"cards": "AsKdQc", "discarded": "Kd"}, None),
        ({"discarded": "Kd", "drawn": ""}, None),
    ],
)
def test_held_is_dealt_less_discarded_and_drawn(seat: Data, cards: str | None) -> None:
    assert held_by(round_of(seat)) == cards


@given(st.permutations(DECK), st.integers(0, 8), st.integers(0, 5), st.data())
def test_known_cards_are_held_as_sets_say(deck: list[str], first: int, more: int, data: st.DataObject) -> None:
    dealt, drawn = deck[:first], deck[first : first + more]
    away = data.draw(st.lists(st.sampled_from(dealt + drawn), unique=True, max_size=12)) if dealt + drawn else []
    seat = {"cards": "".join(dealt), "discarded": "".join(away), "drawn": "".join(drawn)}
    assert held_by(round_of(seat)) == "".join(card for card in dealt + drawn if card not in away)


def test_events_tell_what_the_summary_leaves_out() -> None:
    seat = {"cards": "AsKdQc"}
    discard, draw = event("discard", 1, cards="Kd"), event("draw", 1, cards="2h")
    assert held_by(round_of(seat, events=[discard, draw])) == "AsQc2h"
    assert held_by(round_of(seat, events=[discard])) == "AsQc"
    assert held_by(round_of(seat, events=[discard, event("discard", 1, cards="As")])) == "Qc"
    assert held_by(round_of(seat, events=[])) == "AsKdQc"
    assert held_by(round_of(seat, events=[], unrecorded=["discard"])) is None
    assert held_by(round_of(seat, events=[discard], unrecorded=["draw"])) is None
    assert held_by(round_of(seat, events=[event("discard", 1)])) is None  # how many is not said
    assert held_by(round_of(seat, events=[event("discard", 1, positions="2")])) == "????"


def test_a_reveal_of_the_full_number_at_the_end_tells_what_was_kept() -> None:
    seat = {"cards": "AsKdQc", "discarded": "??", "drawn": ""}
    away, shown = event("discard", 1, cards="??"), event("reveal", 1, cards="QcAs")
    assert held_by(round_of(seat, events=[away, shown])) == "QcAs"
    assert held_by(round_of(seat, events=[shown, away])) == "????"  # shown before it was discarded
    assert held_by(round_of(seat, events=[away, event("reveal", 1, cards="Qc")])) == "????"  # one of two
    drew, untold = {"cards": "AsKd", "discarded": "Kd", "drawn": "??"}, ["discard", "draw"]
    before, after = event("reveal", 1, cards="AsKd"), event("reveal", 1, cards="As2d")
    assert held_by(round_of(drew, events=[before], unrecorded=untold)) == "As??"
    assert held_by(round_of(drew, events=[after], unrecorded=untold)) == "As2d"
    known = {**seat, "discarded": "Kd"}
    assert held_by(round_of(known, events=[event("discard", 1, cards="Kd"), shown])) == "AsQc"


def test_a_hand_of_cards_held_ranks_the_full_number_only() -> None:
    board: Data = {"community": "2c2d", "community-discarded": ""}
    pair = {"holds": {"hand": "final", "at-least": "pair"}}
    seats = [
        {"cards": "AsKdQc", "discarded": "Kd", "drawn": ""},
        {"cards": "3s3d4c", "discarded": "4c", "drawn": ""},
        {"cards": "5s6d7c", "discarded": "??", "drawn": ""},
        {"cards": "8s9dTc", "discarded": "", "drawn": ""},
    ]
    assert answers(pair, [round_of(*seats, **board)]) == ["yes", "yes", "unknown", "unknown"]
    two = {"holds": {"hand": "final", "is": "two-pair"}}
    assert answers(two, [round_of(*seats, **board)])[:2] == ["no", "yes"]


def test_cards_kept_of_a_packet_are_what_the_place_holds() -> None:
    pair = {"holds": {"hand": "final", "at-least": "pair"}}
    seat = {"cards": "AsKdQc", "discarded": "Kd", "drawn": ""}
    dealt: Data = {"community": "??2c2d??"}
    thinned = event("discard", place="community", positions="14")
    shown = event("reveal", place="community", cards="2c2d")
    events = [event("discard", 1, cards="Kd"), thinned]
    assert answers(pair, [round_of(seat, **dealt, events=events)]) == ["unknown"]
    assert answers(pair, [round_of(seat, **dealt, events=[*events, shown])]) == ["yes"]


def test_numbers_of_cards_exchanged() -> None:
    seats = [
        {"cards": "AsKdQc", "discarded": "Kd??", "drawn": "2h"},
        {"cards": "3s4s5s", "discarded": "", "drawn": ""},
        {"cards": "6s7s8s"},
    ]
    exchanged: Data = {"dealer-discarded": "9s9d", "dealer-drawn": "Th"}
    records = [round_of(*seats, dealer="9s9d9h", **exchanged)]
    assert measures({"discarded": "player"}, records) == [2, 0, NOTHING]
    assert measures({"drawn": "player"}, records) == [1, 0, NOTHING]
    assert measures({"held": "player"}, records) == [2, 3, NOTHING]
    assert measures({"discarded": "dealer"}, records, "round") == [2]
    assert measures({"held": "dealer"}, records) == [2, 2, 2]


def test_where_the_game_has_no_exchanges_there_were_none() -> None:
    without: Data = {"other-events": {}}
    records = [round_of({"cards": "AsKdQc"}, dealer="9s9d9h")]
    assert measures({"discarded": "player"}, records, **without) == [0]
    assert measures({"held": "dealer"}, records, "round", **without) == [3]
    assert measures({"held": "community"}, records, "round", **without) == [NOTHING]  # ways of dealing discard there


def test_exchanges_at_other_places_may_be_unrecorded() -> None:
    seat, discard = {"cards": "AsKdQc"}, event("discard", 1, cards="Kd")
    for elsewhere in (["discard/dealer", "draw/community"], []):
        assert held_by(round_of(seat, events=[discard], unrecorded=elsewhere)) == "AsQc"
    assert held_by(round_of(seat, events=[discard], unrecorded=["discard/player"])) is None
    assert held_by(round_of(seat, events=[discard], unrecorded=["draw/player"])) is None


def test_rounds_of_one_batch_do_not_mix() -> None:
    first = round_of({"cards": "AsKdQc"}, events=[event("discard", 1, cards="Kd")], number=1)
    second = round_of({"cards": "AsKdQc"}, events=[], number=2)
    third = round_of({"cards": "AsKdQc", "discarded": "As", "drawn": "2c"}, number=3)
    scope = room().scope([first, second, third])
    assert len(batch_of([first, second, third])) == 3
    assert final_cards(scope, "player").count.tolist() == [2, 3, 3]


DEALT = [event("deal", 1, cards="As"), event("deal", place="dealer", cards="2c3c4c"), event("deal", 1, cards="KdQc")]


@pytest.mark.parametrize(
    ("unrecorded", "first", "second"),
    [([], "AsQc", ""), (["deal/community"], "AsQc", ""), (["deal/player"], None, None), (["deal"], None, None)],
)
def test_events_tell_what_was_dealt_where_the_summary_leaves_it_out(
    unrecorded: list[str], first: str | None, second: str | None
) -> None:
    events = [card for card in DEALT if not unrecorded or f"deal/{card['place']}" not in unrecorded]
    nothing = {"discarded": "", "drawn": ""}
    seats: list[Data] = [{"discarded": "Kd", "drawn": ""}, {**nothing, "wagers": []}]
    found = round_of(*seats, events=events if "deal" not in unrecorded else [], unrecorded=unrecorded)
    hands = final_cards(room().scope([found]), "player")
    said = [None if n < 0 else format_cards(hands.cards[at, :n].tolist()) for at, n in enumerate(hands.count.tolist())]
    assert said == [first, second]


def test_more_cards_than_a_hand_has_room_for_are_not_told() -> None:
    events = [event("deal", 1, cards="".join(DECK[:7])), event("deal", 1, cards="".join(DECK[7:14]))]
    assert held_by(round_of({"discarded": "", "drawn": ""}, events=events)) is None
    assert held_by(round_of({"discarded": "", "drawn": ""}, events=events[:1])) == "".join(DECK[:7])
