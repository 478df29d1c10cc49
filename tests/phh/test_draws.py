"""Records of hands in which cards are discarded and drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from fairdeal.validator.evidence.poker.hand_recorder import DrawVocabulary, PokerVocabulary, UnreadableHandError
from fairdeal.validator.evidence.poker.phh_blocks import parse_tables
from fairdeal.validator.evidence.poker.phh_rounds import PhhActionCache, convert_hand
from tests.phh.games import CARD_ROOM, Record

DRAW_ROOM = replace(CARD_ROOM, exchanging=DrawVocabulary(full=5, discard="discard", stand_pat="stand-pat"))


def record(*actions: str, terms: PokerVocabulary = DRAW_ROOM, **more: Any) -> Record:
    """Build the record of a hand of two players after these actions. Player 2 has the button."""
    hand = {
        "variant": "D",
        "antes": [0, 0],
        "blinds_or_straddles": [5, 10],
        "starting_stacks": [1000, 1000],
        "min_bet": 10,
        "actions": list(actions),
        **more,
    }
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in hand.items())
    found: Record = json.loads(
        convert_hand(parse_tables(text.encode()), {"D": terms}, PhhActionCache(), file="hand.phh", name="")
    )
    return found


DEALT = ("d dh p1 2c3c4c5cKc", "d dh p2 2d3d4d5dKd")
CALLED = ("p2 cc", "p1 cc")


def summarize_events(found: Record, *kinds: str) -> list[tuple[Any, ...]]:
    """Return kind (or decision), seat and cards (or amount) of the events of some kinds."""
    return [
        (event.get("decision", event["event"]), event["seat"], event.get("cards", event.get("amount")))
        for event in found["events"]
        if event["event"] in kinds
    ]


def test_cards_are_put_away_and_drawn() -> None:
    found = record(*DEALT, *CALLED, "p1 sd KcQc", "p2 sd", "d dh p1 7h8h", "p1 cc", "p2 cc")
    assert summarize_events(found, "decide", "discard", "draw")[2:] == [
        ("discard", 1, None),
        ("discard", 1, "KcQc"),
        ("stand-pat", 2, None),
        ("draw", 1, "7h8h"),
        ("check", 1, None),
        ("check", 2, None),
    ]
    assert [seat["cards"] for seat in found["seats"]] == ["2c3c4c5cKc", "2d3d4d5dKd"]
    assert not {"discard", "draw"} & set(found["unrecorded"])


def test_where_no_cards_are_exchanged_none_are_told() -> None:
    found = record("d dh p1 AcAd", "d dh p2 KcKd", *CALLED, terms=CARD_ROOM)
    assert {"discard", "draw"} < set(found["unrecorded"])


def test_a_draw_ends_the_betting_round() -> None:
    found = record(*DEALT, "p2 cbr 30", "p1 cc", "p1 sd", "p2 sd", "p1 cc", "p2 cbr 40", "p1 cbr 90", "p2 cc")
    acts = [event for event in summarize_events(found, "decide") if event[0] != "stand-pat"]
    assert acts == [
        ("raise", 2, 2500),
        ("call", 1, 2000),
        ("check", 1, None),
        ("bet", 2, 4000),
        ("raise", 1, 9000),
        ("call", 2, 5000),
    ]


def test_hands_may_be_dealt_card_by_card() -> None:
    singly = [f"d dh {player} {cards[at : at + 2]}" for at in range(0, 10, 2)
              for player, cards in (("p1", "2c3c4c5cKc"), ("p2", "2d3d4d5dKd"))]  # fmt: skip
    assert record(*singly, *CALLED, "p1 sd Kc", "d dh p1 7h") == record(*DEALT, *CALLED, "p1 sd Kc", "d dh p1 7h")


@pytest.mark.parametrize(
    ("actions", "shown"),
    [
        (("p1 sd Kc", "p2 sd", "d dh p1 7h"), "2c3c4c5c7h"),
        (("p1 sd Kc2c", "p2 sd", "d dh p1 7h8h", "p1 sd 8h", "p2 sd", "d dh p1 Kc"), "3c4c5c7hKc"),
        (("p1 sd ??", "p2 sd", "d dh p1 7h"), "????????7h"),
        (("p1 sd 9s", "p2 sd", "d dh p1 7h"), "2c3c4c5c7h"),  # which the player did not have
        (("p1 sd", "p2 sd"), "2c3c4c5cKc"),
    ],
)
def test_what_is_shown_without_naming_it_is_what_the_player_then_holds(actions: Sequence[str], shown: str) -> None:
    found = record(*DEALT, *CALLED, *actions, "p1 sm -", "p2 sm -")
    assert summarize_events(found, "reveal")[0] == ("reveal", 1, shown)


def test_what_is_shown_after_a_draw_tells_nothing_of_the_cards_dealt() -> None:
    found = record("d dh p1 ??????????", DEALT[1], *CALLED, "p1 sd ??", "p2 sd", "d dh p1 ??", "p1 sm 2c3c4c5c7h")
    assert found["seats"][0]["cards"] == "??????????"
    # but it does if a player kept them
    found = record("d dh p1 ??????????", DEALT[1], *CALLED, "p1 sd", "p2 sd", "p1 sm 2c3c4c5c7h")
    assert found["seats"][0]["cards"] == "2c3c4c5c7h"


@pytest.mark.parametrize(
    ("exchanging", "action", "reason"),
    [
        (None, "p1 sd", "p1 stands pat, but the game has no such decision"),
        (None, "p1 sd Kc", "p1 discards cards, but the game has no such decision"),
        (DrawVocabulary(full=5, discard="discard", stand_pat=None), "p1 sd", "p1 stands pat, but the game"),
        (DrawVocabulary(full=5, discard=None, stand_pat="stand-pat"), "p1 sd Kc", "p1 discards cards, but the game"),
        (DRAW_ROOM.exchanging, "p1 sd Kx", "'Kx' is not a list of cards"),
        (DRAW_ROOM.exchanging, "p3 sd", "p3 is not a player of this hand"),
    ],
)
def test_what_cannot_be_told_is_set_aside(exchanging: DrawVocabulary | None, action: str, reason: str) -> None:
    with pytest.raises(UnreadableHandError) as caught:
        record(*DEALT, *CALLED, action, terms=replace(DRAW_ROOM, exchanging=exchanging))
    assert reason.replace("'", "`") in caught.value.reason.replace("'", "`")
    assert action.startswith(caught.value.at)
