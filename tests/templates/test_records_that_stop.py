"""Lawful rounds of templates whose record stops, and the same events where nothing follows them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.lawful.record import Event, Record, join_cards, make_event
from tests.templates.referees.judge import judge, load_referee

TABLE = {"round": "R1", "casino": "Stops", "table": "T1", "time": "2026-05-01T18:00:00Z"}


def deal(place: str, cards: str, seat: int | None = None, face: str = "up") -> Event:
    return make_event("deal", place=place, seat=seat, cards=cards, face=face, by="dealer")


def wager(name: str, amount: int) -> Event:
    return make_event("wager", seat=2, wager=name, amount=amount)


def decide(decision: str) -> Event:
    return make_event("decide", seat=2, decision=decision)


CLOSED = make_event("announce", what="no-more-bets")
STOPS: dict[str, tuple[str, list[Event], str]] = {
    "within a wager after a burnt card": (
        "casino-war",
        [deal("burn", "??", face="down"), wager("ante", 653)],
        "ante-within-limits",
    ),
    "before the wager of a decision, after another was paid": (
        "casino-war",
        [
            *(wager("ante", 1000), wager("tie", 500), CLOSED, deal("player", "2c", 2), deal("dealer", "2h")),
            *(make_event("pay", seat=2, wager="tie", amount=5000), decide("war")),
        ],
        "war-only-after-the-decision",
    ),
    "before the card of a double": (
        "blackjack",
        [
            *(wager("main", 5000), CLOSED, deal("player", "4d", 2), deal("dealer", "2d"), deal("player", "5h", 2)),
            *(deal("dealer", "Ad", face="down"), decide("double"), wager("double", 5000)),
        ],
        "double-on-two-cards",
    ),
    "after a stake that was collected by mistake": (
        "punto-banco",
        [
            *(wager("player", 5000), wager("player-pair", 500), CLOSED, deal("community", "4c"), deal("dealer", "2h")),
            *(deal("community", "4d"), deal("dealer", "Kh"), make_event("announce", what="result")),
            make_event("pay", seat=2, wager="player", amount=5000),
            make_event("collect", seat=2, wager="player-pair", amount=500),
        ],
        "losing-wagers-first",
    ),
    "after a card that lay face up in the shoe": (
        "punto-banco",
        [
            *(wager("player", 5000), CLOSED, deal("community", "4c")),
            make_event("fault", what="card face up in the shoe", cards="Qd"),
            deal("burn", "Qd"),
        ],
        "third-cards-by-rule",
    ),
    "among decisions on the flop": (
        "ultimate-texas-holdem",
        [
            *(make_event("shuffle", by="machine"), wager("ante", 1500), wager("blind", 1500), CLOSED),
            *(deal("player", "Tc", 2, "down"), deal("dealer", "6s", face="down")),
            *(deal("player", "9c", 2, "down"), deal("dealer", "Kc", face="down")),
            *(deal("community", "KsTh7c4s3c", face="down"), decide("check-first")),
            make_event("reveal", place="community", cards="KsTh7c"),
            *(decide("play-2"), wager("play", 3000)),
        ],
        "flop-decisions-before-the-last-cards",
    ),
}


def find_failures(game: str, events: list[Event], **keys: Any) -> set[str]:
    """Return the requirements that fail in one round of some events."""
    stakes = [{"wager": event["wager"], "amount": event["amount"]} for event in events if event["event"] == "wager"]
    own = join_cards(event["cards"] for event in events if event.get("place") == "player")
    seat: dict[str, Any] = {"seat": 2, "wagers": stakes} | ({"cards": own} if own else {})
    decided = [event["decision"] for event in events if event["event"] == "decide"]
    seat |= {"decision": decided[-1]} if decided else {}
    record: Record = {**TABLE, "game": game, "seats": [seat], "events": events, **keys}
    for place in ("dealer", "community"):
        cards = join_cards(event["cards"] for event in events if event["event"] == "deal" and event["place"] == place)
        record |= {place: cards} if cards else {}
    referee = load_referee(game)
    judgement = judge(game, [record], [referee.submit(referee.new_house(random.Random(1)), "Stops")])
    assert not judgement.quarantined
    return {str(finding.requirement).rpartition("/")[2] for finding in judgement.failures["R1"]}


@pytest.mark.parametrize("where", STOPS)
def test_a_record_that_stops_accuses_nobody(where: str) -> None:
    game, events, requirement = STOPS[where]
    assert find_failures(game, events, complete=False) == set()
    assert requirement in find_failures(game, events)
