"""Rounds whose events and summary cannot both be true."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairdeal.validator.evidence.event_kinds import KnownGame
from tests.evidence.generate import GAME
from tests.facade.evidence import decode_lines

Record = dict[str, Any]

SEATS = [
    {
        "seat": 1,
        "cards": "AsKdTc",
        "decision": "play",
        "wagers": [
            {"wager": "main", "amount": 500, "paid": 500, "taken": 0},
            {"wager": "main", "amount": 100, "tip": True, "paid": 0, "taken": 100},
        ],
        "bonuses": [{"bonus": "extra", "paid": 50}],
    },
    {"seat": 4, "cards": "2c", "wagers": []},
]
EVENTS = [
    {"event": "wager", "seat": 1, "wager": "main", "amount": 700},
    {"event": "withdraw", "seat": 1, "wager": "main", "amount": 200},
    {"event": "wager", "seat": 1, "wager": "main", "amount": 100, "tip": True},
    {"event": "deal", "place": "player", "seat": 1, "cards": "AsKd"},
    {"event": "deal", "place": "burn", "cards": "9h"},
    {"event": "deal", "place": "player", "seat": 4, "cards": "2c"},
    {"event": "deal", "place": "player", "seat": 1, "cards": "Tc"},
    {"event": "deal", "place": "dealer", "cards": "3c3d"},
    {"event": "deal", "place": "community", "cards": "4c"},
    {"event": "decide", "seat": 1, "decision": "wait"},
    {"event": "decide", "seat": 1, "decision": "play"},
    {"event": "pay", "seat": 1, "wager": "main", "amount": 300},
    {"event": "pay", "seat": 1, "wager": "main", "amount": 200},
    {"event": "collect", "seat": 1, "wager": "main", "amount": 100, "tip": True},
    {"event": "pay", "seat": 1, "wager": "extra", "amount": 50},
]


def record() -> Record:
    """Return a round that does not contradict itself, to be altered freely."""
    whole = {
        "round": "r",
        "table": "t",
        "time": "2026-03-01T12:00:00Z",
        "game": GAME,
        "seats": SEATS,
        "dealer": "3c3d",
        "community": "4c",
        "events": EVENTS,
    }
    copied: Record = json.loads(json.dumps(whole))
    return copied


def reasons(*records: Record) -> list[str]:
    text = b"\n".join(json.dumps(each).encode() for each in records)
    decoded = decode_lines(text, file="log", first_line=1, known_games={GAME})
    return [entry.reason for entry in decoded.quarantined]


def contradiction(altered: Record) -> str:
    """Return the only reason, with a sound record before and after."""
    (reason,) = reasons(record(), altered, record())
    start = "the record contradicts itself: "
    assert reason.startswith(start)
    return reason.removeprefix(start)


def test_a_sound_record() -> None:
    assert reasons(record()) == []


def alter(path: str, value: object) -> Record:
    found: Any = (whole := record())
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        found = found[step]
    found[last] = value
    return whole


def test_a_payment_needs_a_stake_in_the_summary_unless_it_is_a_bonus_of_the_game() -> None:
    whole: Any = record()
    assert whole["seats"][0].pop("bonuses")
    reason = "seat 1, `extra`: 0 paid in the summary, but 50 in the events"
    assert contradiction(whole) == reason
    for outcome in ("paid", "taken"):
        del whole["seats"][0]["wagers"][0][outcome]
    assert contradiction(whole) == reason
    assert reasons_with_bonus(whole) == []
    whole["seats"][0]["wagers"][1]["taken"] = 0
    (wrong,) = reasons_with_bonus(whole)
    assert wrong.endswith("seat 1, a tip on `main`: 0 taken in the summary, but 100 in the events")


def reasons_with_bonus(altered: Record) -> list[str]:
    """Return the reasons where the rules of the game name the bonus `extra`."""
    known = {GAME: KnownGame(acts={"withdraw", "pay", "collect"}, cards=52, bonuses={"extra"})}
    decoded = decode_lines(json.dumps(altered).encode(), file="log", first_line=1, known_games=known)
    return [entry.reason for entry in decoded.quarantined]


CASES = [
    ("seats.0.cards", "AsKd9c", "the cards of seat 1 are AsKd9c, but the events deal AsKdTc"),
    ("seats.0.cards", "AsKd", "the cards of seat 1 are AsKd, but the events deal AsKdTc"),
    ("seats.0.cards", "KdAsTc", "the cards of seat 1 are KdAsTc, but the events deal AsKdTc"),
    ("seats.1.cards", "2c2d", "the cards of seat 4 are 2c2d, but the events deal 2c"),
    ("seats.1.cards", "", "the cards of seat 4 are none, but the events deal 2c"),
    ("dealer", "3c3h", "the dealer's cards are 3c3h, but the events deal 3c3d"),
    ("community", "5c", "the community cards are 5c, but the events deal 4c"),
    ("events.8", {"event": "cut"}, "the community cards are 4c, but the events deal none"),
    ("seats.0.decision", "fold", "seat 1 decides `fold` in the summary, but `play` in the events"),
    ("seats.1.decision", "play", "seat 4 decides `play` in the summary, but nothing in the events"),
    ("seats.0.wagers.0.amount", 501, "seat 1, `main`: 501 staked in the summary, but 500 in the events"),
    ("seats.0.wagers.1.amount", 0, "seat 1, a tip on `main`: 0 staked in the summary, but 100 in the events"),
    ("seats.0.wagers.0.paid", 499, "seat 1, `main`: 499 paid in the summary, but 500 in the events"),
    ("seats.0.wagers.0.taken", 1, "seat 1, `main`: 1 taken in the summary, but 0 in the events"),
    ("seats.0.wagers.1.taken", 0, "seat 1, a tip on `main`: 0 taken in the summary, but 100 in the events"),
    ("seats.0.bonuses.0.paid", 51, "seat 1, `extra`: 51 paid in the summary, but 50 in the events"),
    ("events.0.wager", "other", "seat 1, `main`: 500 staked in the summary, but -200 in the events"),
    ("events.0.seat", 4, "seat 1, `main`: 500 staked in the summary, but -200 in the events"),
    ("events.2.tip", False, "seat 1, `main`: 500 staked in the summary, but 600 in the events"),
    ("events.11.amount", 301, "seat 1, `main`: 500 paid in the summary, but 501 in the events"),
    ("events.14.wager", "unheard", "seat 1, `extra`: 50 paid in the summary, but 0 in the events"),
    ("events.6", {"event": "cut"}, "the cards of seat 1 are AsKdTc, but the events deal AsKd"),
    (
        "events.9",
        {"event": "reveal", "place": "dealer", "cards": "3c3h"},
        "the dealer's cards are 3c3d, but 3c3h is shown there",
    ),
    (
        "events.9",
        {"event": "collect-cards", "place": "dealer", "cards": "3cAs"},
        "the dealer's cards are 3c3d, but 3cAs is collected there",
    ),
    (
        "events.4",
        {"event": "expose", "place": "player", "seat": 4, "cards": "As"},
        "the cards of seat 4 are 2c, but As is shown there",
    ),
    (
        "events.4",
        {"event": "turn-down", "place": "community", "cards": "5c"},
        "the community cards are 4c, but 5c is turned down there",
    ),
    (
        "events.4",
        {"event": "return", "seat": 1, "wager": "main", "amount": 501},
        "seat 1, `main`: 501 given back in the events, but 500 left of the stake",
    ),
    (
        "events.4",
        {"event": "return", "seat": 1, "wager": "main", "amount": 1, "tip": True},
        "seat 1, a tip on `main`: 1 given back in the events, but 0 left of the stake",
    ),
    (
        "events.4",
        {"event": "return", "seat": 4, "wager": "extra", "amount": 5},
        "seat 4, `extra`: 5 given back in the events, but 0 left of the stake",
    ),
    (
        "events.6",
        {"event": "deal", "place": "player", "seat": 1, "cards": "Tc" * 12},
        "the cards of seat 1 are AsKdTc, but the events deal AsKd" + "Tc" * 12,
    ),
    (
        "events.4",
        {"event": "reveal", "place": "dealer", "cards": "3d"},
        "the dealer's cards are shown before any are dealt there",
    ),
    (
        "events.4",
        {"event": "collect-cards", "place": "player", "seat": 4},
        "the cards of seat 4 are collected before any are dealt there",
    ),
    (
        "events.9",
        {"event": "collect-cards", "place": "dealer", "cards": "3c3d3c"},
        "the dealer's cards are 3c3d, but 3c3d3c is collected there",
    ),
]


@pytest.mark.parametrize(("path", "value", "expected"), CASES, ids=[f"{case[0]}={case[1]}"[:60] for case in CASES])
def test_contradictions(path: str, value: object, expected: str) -> None:
    assert contradiction(alter(path, value)) == expected


def test_which_of_two_contradictions_is_told_hangs_on_nothing_that_was_read_before() -> None:
    earlier, altered = (json.dumps(round_) for round_ in (record(), alter("events.0.wager", "other")))
    earlier = earlier.replace('"main"', '"told-second"')
    altered = altered.replace('"main"', '"told-first"').replace('"other"', '"told-second"')
    (reason,) = reasons(json.loads(earlier), json.loads(altered))
    assert "`told-first`" in reason


@pytest.mark.parametrize("then", [{}, {"cards": "??"}, {"cards": "3d"}], ids=["not told", "unknown", "told"])
@pytest.mark.parametrize("first", ["3c", "3c3d"])
def test_cards_are_taken_up_once(first: str, then: dict[str, str]) -> None:
    altered = record()
    altered["events"] += [{"event": "collect-cards", "place": "dealer", **each} for each in ({"cards": first}, then)]
    what = then.get("cards", "another card")
    reason = f"the dealer's cards are 3c3d, but {what} is collected there after some of it has left"
    assert reasons(altered) == [f"the record contradicts itself: {reason}"] * (first == "3c3d")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("seats.0.cards", None),
        ("seats.0.cards", "As??Tc"),
        ("events.3.cards", "??Kd"),
        ("dealer", None),
        ("community", None),
        ("seats.0.decision", None),
        ("seats.0.wagers.0.paid", None),
        ("seats.0.wagers.1.taken", None),
        ("seats.0.bonuses.0.paid", None),
        ("seats.1.decision", "none"),  # no decision of the seat is among the events
        ("events.9", {"event": "return", "seat": 1, "wager": "main", "amount": 500}),
        ("events.9", {"event": "reveal", "place": "dealer", "cards": "3d"}),
        ("events.9", {"event": "reveal", "place": "dealer", "cards": "3d??"}),
        ("events.9", {"event": "reveal", "place": "burn", "cards": "As"}),
        ("events.9", {"event": "turn-down", "place": "dealer"}),
        ("events.9", {"event": "collect-cards", "place": "dealer", "cards": "3d"}),
        ("events.9", {"event": "collect-cards", "place": "dealer", "cards": "??"}),
    ],
)
def test_what_is_left_open_contradicts_nothing(path: str, value: object) -> None:
    assert reasons(alter(path, value)) == []


@pytest.mark.parametrize(
    ("path", "value", "kind"),
    [
        ("dealer", "3c3h", "deal"),
        ("seats.0.decision", "fold", "decide"),
        ("seats.0.wagers.0.amount", 501, "wager"),
        ("seats.0.wagers.0.amount", 501, "withdraw"),
        ("seats.0.wagers.0.paid", 499, "pay"),
        ("seats.0.wagers.0.taken", 1, "collect"),
        ("events.4", {"event": "return", "seat": 1, "wager": "main", "amount": 501}, "return"),
    ],
)
def test_what_the_log_does_not_record_contradicts_nothing(path: str, value: object, kind: str) -> None:
    altered = alter(path, value)
    assert reasons(altered)
    assert reasons({**altered, "unrecorded": [kind]}) == []
    assert reasons({**altered, "unrecorded": ["tuck"]})
    assert reasons({**altered, "events": None}) == []


def exchanging() -> Record:
    """Return a sound round in which cards are discarded and drawn, and a win is claimed."""
    whole = record()
    whole["seats"][0] |= {"discarded": "KdTc", "drawn": "9h8h"}
    whole["seats"][0]["wagers"][0]["claimed"] = True
    whole["seats"][0]["wagers"][1]["claimed"] = True
    whole |= {"dealer-discarded": "3d", "dealer-drawn": "5h", "community-discarded": "4c"}
    whole["events"] = [
        *EVENTS,
        {"event": "discard", "place": "player", "seat": 1, "cards": "Tc"},
        {"event": "discard", "place": "player", "seat": 1, "cards": "Kd"},
        {"event": "draw", "place": "player", "seat": 1, "cards": "9h"},
        {"event": "draw", "place": "burn", "cards": "As"},
        {"event": "draw", "place": "player", "seat": 1, "cards": "8h"},
        {"event": "discard", "place": "dealer", "cards": "3d"},
        {"event": "draw", "place": "dealer", "cards": "5h"},
        {"event": "discard", "place": "community", "cards": "4c"},
        {"event": "discard", "place": "deck"},
        {"event": "reveal", "place": "player", "seat": 1, "cards": "As9h8h"},
        {"event": "reveal", "place": "dealer", "cards": "3c5h"},
        {"event": "claim", "seat": 1, "wager": "main"},
    ]
    copied: Record = json.loads(json.dumps(whole))
    return copied


def alter_exchange(path: str, value: object) -> Record:
    """Return the exchange round with one part altered or, with `...`, taken out."""
    found: Any = (whole := exchanging())
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        found = found[step]
    if value is ...:
        del found[last]
    else:
        found[last] = value
    return whole


EXCHANGES = [
    ("seats.0.drawn", "9h", "the cards drawn at seat 1 are 9h, but the events draw 9h8h"),
    ("seats.0.drawn", "8h9h", "the cards drawn at seat 1 are 8h9h, but the events draw 9h8h"),
    ("seats.0.drawn", "", "the cards drawn at seat 1 are none, but the events draw 9h8h"),
    ("seats.1.drawn", "7h", "the cards drawn at seat 4 are 7h, but the events draw none"),
    ("dealer-drawn", "5d", "the cards the dealer drew are 5d, but the events draw 5h"),
    ("seats.0.discarded", "Kd", "the discards of seat 1 are Kd, but the events discard TcKd"),
    ("seats.0.discarded", "KdAs", "the discards of seat 1 are KdAs, but the events discard TcKd"),
    ("seats.0.discarded", "Kd????", "the discards of seat 1 are Kd????, but the events discard TcKd"),
    ("seats.0.discarded", "As??", "the discards of seat 1 are As??, but the events discard TcKd"),
    ("seats.1.discarded", "2c", "the discards of seat 4 are 2c, but the events discard none"),
    ("dealer-discarded", "", "the dealer's discards are none, but the events discard 3d"),
    ("community-discarded", "", "the discards of the community are none, but the events discard 4c"),
    ("events.15.cards", "TcTc", "the discards of seat 1 are KdTc, but the events discard TcTcKd"),
    (
        "events.24",
        {"event": "reveal", "place": "player", "seat": 1, "cards": "As9h7h"},
        "the cards of seat 1 are AsKdTc and 9h8h, but As9h7h is shown there",
    ),
    ("events.24.seat", 4, "the cards of seat 4 are 2c, but As9h8h is shown there"),
    ("events.25.cards", "3c5d", "the dealer's cards are 3c3d and 5h, but 3c5d is shown there"),
    ("events.26", {"event": "cut"}, "seat 1: `main` is claimed in the summary, but is not in the events"),
    ("events.26.seat", 4, "seat 1: `main` is claimed in the summary, but is not in the events"),
    ("events.26.wager", "other", "seat 1: `main` is claimed in the summary, but is not in the events"),
    ("seats.0.wagers.0.claimed", False, "seat 1: `main` is not claimed in the summary, but is in the events"),
]


def test_a_sound_record_of_an_exchange() -> None:
    assert reasons(exchanging()) == []
    assert reasons(record(), exchanging(), record()) == []


@pytest.mark.parametrize(("path", "value", "expected"), EXCHANGES, ids=[f"{c[0]}={c[1]}"[:60] for c in EXCHANGES])
def test_contradictions_of_an_exchange(path: str, value: object, expected: str) -> None:
    assert contradiction(alter_exchange(path, value)) == expected


STRANGE = "the discards of seat 1 are 2h, but the cards of seat 1 are"


@pytest.mark.parametrize(
    ("dealt", "drawn", "discarded", "expected"),
    [
        ("AsKd", "", "As", None),
        ("AsKd", "", "KdAs", None),
        ("AsKd", "", "", None),
        ("AsKd", "", "??", None),
        ("AsKd", "", "??As", None),
        ("AsKd", "", "2h", f"{STRANGE} AsKd"),
        ("AsKd", "", "AsAs", "the discards of seat 1 are AsAs, but the cards of seat 1 are AsKd"),
        ("AsKd", "", "As????", "the discards of seat 1 are As????, but the cards of seat 1 are AsKd"),
        ("AsAs", "", "AsAs", None),
        ("AsKd", "2h", "2h", None),
        ("AsKd", "3h", "2h", f"{STRANGE} AsKd and 3h"),
        ("As??", "", "2h", None),
        ("As??", "", "2h3h", "the discards of seat 1 are 2h3h, but the cards of seat 1 are As??"),
        ("AsKd", "??", "2h", None),
        ("", "", "2h", f"{STRANGE} none"),
        ("AsKd", None, "2h", None),
        (None, "", "2h", None),
    ],
)
def test_discards_are_of_the_cards_a_place_had(
    dealt: str | None, drawn: str | None, discarded: str, expected: str | None
) -> None:
    summary = {**record(), "events": None}
    summary["seats"] = [{"seat": 1, "cards": dealt, "drawn": drawn, "discarded": discarded, "wagers": []}]
    sound = {**summary, "seats": []}
    found = [reason.removeprefix("the record contradicts itself: ") for reason in reasons(sound, summary, sound)]
    assert found == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("seats.0.drawn", ...),
        ("seats.0.drawn", "9h??"),
        ("events.17.cards", "??"),
        ("dealer-drawn", ...),
        ("seats.0.discarded", ...),
        ("seats.0.discarded", "TcKd"),
        ("seats.0.discarded", "??Tc"),
        ("events.15.cards", "??"),
        ("events.15.cards", ...),  # which card is not recorded
        ("community-discarded", ...),
        ("events.22.cards", ...),
        ("events.24.cards", "As9h??"),
        ("events.24.cards", "AsKdTc"),  # dealt, though discarded since
        ("seats.0.wagers.0.claimed", ...),
        ("seats.0.wagers.1.claimed", False),  # a tip is claimed with its wager
    ],
)
def test_what_an_exchange_leaves_open_contradicts_nothing(path: str, value: object) -> None:
    assert reasons(alter_exchange(path, value)) == []


@pytest.mark.parametrize("kind", ["draw", "discard", "claim"])
def test_an_exchange_the_log_does_not_record_contradicts_nothing(kind: str) -> None:
    found = exchanging()
    found["events"] = [event for event in found["events"] if event["event"] not in (kind, "reveal")]
    assert reasons(found)
    assert reasons({**found, "unrecorded": [kind]}) == []
    assert reasons({**found, "unrecorded": ["tuck"]})
    assert reasons({**found, "events": None}) == []


EARLY = "the cards of seat 1 are AsKdTc and 9h8h, but {} is shown there before all of it is drawn"
SHOWN_AT = {"before both": 17, "between them": 18, "after both": 20}


@pytest.mark.parametrize(
    ("when", "cards", "expected"),
    [
        ("before both", "AsKdTc", None),
        ("before both", "As9h8h", EARLY.format("As9h8h")),
        ("between them", "As9h", None),
        ("between them", "As8h", EARLY.format("As8h")),
        ("after both", "As9h8h", None),
        ("between them", "As7h", "the cards of seat 1 are AsKdTc and 9h8h, but As7h is shown there"),
    ],
)
def test_a_hand_does_not_show_what_it_draws_only_later(when: str, cards: str, expected: str | None) -> None:
    whole = exchanging()
    assert [event["event"] for event in whole["events"][15:20]] == ["discard", "discard", "draw", "draw", "draw"]
    whole["events"].insert(SHOWN_AT[when], {"event": "reveal", "place": "player", "seat": 1, "cards": cards})
    found = [f"the record contradicts itself: {expected}"] if expected else []
    assert reasons(whole) == reasons(record(), exchanging(), whole) == found
    # When it was drawn is not recorded.
    untold = {**whole, "unrecorded": ["draw"]}
    untold["events"] = [event for event in whole["events"] if event["event"] != "draw"]
    assert reasons(untold) == (found if "7h" in cards else [])


def test_a_card_drawn_that_nobody_saw_may_be_the_one_shown() -> None:
    whole = exchanging()
    whole["events"][17]["cards"] = "??"
    whole["events"].insert(18, {"event": "reveal", "place": "player", "seat": 1, "cards": "As8h"})
    assert reasons(whole) == []


def test_shown_cards_may_be_drawn_ones_that_nobody_recorded() -> None:
    found = alter("events.9", {"event": "reveal", "place": "dealer", "cards": "9h"})
    assert reasons(found)
    assert reasons({**found, "unrecorded": ["draw"]}) == []
    assert reasons({**found, "unrecorded": ["draw"], "dealer-drawn": "8h"})
    assert reasons({**found, "dealer-drawn": "9h", "unrecorded": ["draw"]}) == []


def test_shown_cards_contradict_no_hand_that_is_not_wholly_known() -> None:
    altered = alter("events.9", {"event": "reveal", "place": "dealer", "cards": "9h"})
    assert reasons(altered)
    for dealer in ("3c??", None):
        assert reasons({**altered, "dealer": dealer})  # the events deal 3d
        assert reasons({**altered, "dealer": dealer, "unrecorded": ["deal/dealer"]}) == []
    altered["events"][7]["cards"] = "3c??"
    assert reasons({**altered, "dealer": "3c??"}) == []


def test_taking_more_than_was_staked_at_once_is_no_contradiction_but_a_matter_for_judgement() -> None:
    altered = alter("seats.0.wagers.0.taken", 501)
    altered["events"].append({"event": "collect", "seat": 1, "wager": "main", "amount": 501})
    assert reasons(altered) == []


def test_no_events_at_all_deal_nothing() -> None:
    assert contradiction({**record(), "events": []}) == "the cards of seat 1 are AsKdTc, but the events deal none"


def test_very_many_names_and_amounts() -> None:
    rounds = []
    for number in range(300):
        wagers = [{"wager": f"w{number}-{place}", "amount": 10**12, "paid": 10**12} for place in range(60)]
        placed = [{"event": "wager", "seat": 99, **{k: w[k] for k in ("wager", "amount")}} for w in wagers]
        paid = [{**event, "event": "pay"} for event in placed]
        if number == 250:
            paid[7] = {**paid[7], "amount": 10**12 - 1}
        seats = [{"seat": 99, "wagers": wagers}]
        rounds.append({**record(), "seats": seats, "dealer": None, "community": None, "events": placed + paid})
    assert reasons(*rounds) == [
        "the record contradicts itself: seat 99, `w250-7`: 1000000000000 paid in the summary, "
        "but 999999999999 in the events"
    ]


def test_the_largest_sums_are_exact() -> None:
    whole = {**record(), "dealer": None, "community": None}
    whole["seats"] = [{"seat": 1, "wagers": [{"wager": "w", "amount": 1, "paid": 10**12}]}]
    most = {"event": "wager", "seat": 1, "wager": "w", "amount": 10**12}
    back = {**most, "event": "withdraw"}
    whole["events"] = [{**most, "amount": 1}, *[most] * 999, *[back] * 999, {**most, "event": "pay"}]
    assert reasons(whole) == []
    whole["events"][0]["amount"] = 2
    assert contradiction(whole) == "seat 1, `w`: 1 staked in the summary, but 2 in the events"


AMONG_PLAYERS: Record = {
    "round": "r",
    "table": "t",
    "time": "2026-03-01T12:00:00Z",
    "game": GAME,
    "seats": [
        {"seat": 1, "won": 0, "wagers": [{"wager": "small", "amount": 100}, {"wager": "bets", "amount": 500}]},
        {"seat": 2, "won": 1100, "wagers": [{"wager": "bets", "amount": 600}]},
        {"seat": 3, "wagers": [{"wager": "bets", "amount": 40, "tip": True}]},
    ],
    "events": [
        {"event": "wager", "seat": 1, "wager": "small", "amount": 100},
        {"event": "wager", "seat": 3, "wager": "bets", "amount": 40, "tip": True},
        {"event": "decide", "seat": 2, "decision": "bet", "amount": 400},
        {"event": "decide", "seat": 1, "decision": "call", "amount": 500},
        {"event": "decide", "seat": 3, "decision": "fold", "amount": 0},
        {"event": "decide", "seat": 2, "decision": "bet", "amount": 200},
        {"event": "rake", "amount": 100},
        {"event": "award", "seat": 2, "pot": 0, "amount": 1000},
        {"event": "award", "seat": 2, "pot": 1, "amount": 100},
    ],
}


def among_players(**changes: object) -> Record:
    copied: Record = json.loads(json.dumps({**AMONG_PLAYERS, **changes}))
    return copied


def test_what_goes_in_with_decisions_is_staked_on_some_line() -> None:
    assert reasons(among_players()) == []


@pytest.mark.parametrize(("amount", "besides"), [(499, 499), (501, 501)])
def test_stakes_are_what_events_place_and_decisions_put_in(amount: int, besides: int) -> None:
    altered = among_players()
    altered["seats"][0]["wagers"][1]["amount"] = amount
    assert contradiction(altered) == (
        f"seat 1: {besides} staked beyond its wager events, but 500 put in with its decisions"
    )
    for kind in ("wager", "withdraw"):
        assert reasons({**altered, "unrecorded": [kind]}) == []
    assert bool(reasons({**altered, "unrecorded": ["decide"]})) == (amount < 500)


def test_a_decision_that_does_not_say_what_went_in_leaves_open_how_much_more() -> None:
    altered = among_players()
    altered["events"].append({"event": "decide", "seat": 1, "decision": "call"})
    altered["seats"][0]["wagers"][1]["amount"] = 700
    assert reasons(altered) == []
    altered["seats"][0]["wagers"][1]["amount"] = 499
    assert contradiction(altered).startswith("seat 1: 499 staked beyond its wager events, but 500")


def test_no_line_has_less_than_events_place_on_it() -> None:
    altered = among_players()
    altered["seats"][0]["wagers"] = [{"wager": "small", "amount": 90}, {"wager": "bets", "amount": 510}]
    assert contradiction(altered) == "seat 1, `small`: 90 staked in the summary, but 100 in the events"


def test_tips_are_no_part_of_what_decisions_put_in() -> None:
    altered = among_players()
    altered["seats"][2]["wagers"][0]["amount"] = 50
    assert contradiction(altered) == "seat 3, a tip on `bets`: 50 staked in the summary, but 40 in the events"


def test_a_seat_that_decides_nothing_stakes_what_its_events_place() -> None:
    altered = among_players()
    altered["seats"].append({"seat": 4, "wagers": [{"wager": "bets", "amount": 5}]})
    assert contradiction(altered) == "seat 4: 5 staked beyond its wager events, but 0 put in with its decisions"


def test_where_no_decision_says_what_went_in_every_line_is_as_its_events() -> None:
    altered = among_players()
    altered["events"] = [
        {key: value for key, value in event.items() if event["event"] != "decide" or key != "amount"}
        for event in altered["events"]
    ]
    assert contradiction(altered) == "seat 1, `bets`: 500 staked in the summary, but 0 in the events"


def test_where_decisions_are_not_recorded_they_may_have_put_in_what_no_event_places() -> None:
    altered = among_players(unrecorded=["decide"])
    altered["events"] = [event for event in altered["events"] if event["event"] != "decide"]
    assert reasons(altered) == []
    altered["seats"][0]["wagers"][0]["amount"] = 90
    assert contradiction(altered) == "seat 1, `small`: 90 staked in the summary, but 100 in the events"


def test_what_was_won_is_what_pots_awarded() -> None:
    altered = among_players()
    altered["seats"][1]["won"] = 1000
    assert contradiction(altered) == "seat 2 won 1000 in the summary, but 1100 in the events"
    assert reasons({**altered, "unrecorded": ["award"]}) == []
    altered["seats"][1]["won"] = None
    assert reasons(altered) == []
    altered["seats"][2]["won"] = 1
    assert contradiction(altered) == "seat 3 won 1 in the summary, but 0 in the events"


PARTS = [
    ("deal/player", lambda whole: whole["seats"][0].update(cards="AsKdTd")),
    ("deal/dealer", lambda whole: whole.update(dealer="3c3h")),
    ("deal/community", lambda whole: whole.update(community="5c")),
]


@pytest.mark.parametrize(("part", "alter"), PARTS, ids=[part for part, _ in PARTS])
def test_nothing_is_compared_with_a_part_that_is_not_recorded(part: str, alter: Any) -> None:
    altered = record()
    alter(altered)
    for other, _ in PARTS:
        assert bool(reasons({**altered, "unrecorded": [other]})) == (other != part)
    assert reasons({**altered, "unrecorded": ["deal/burn"]})
    assert reasons({**altered, "unrecorded": ["deal"]}) == []


@pytest.mark.parametrize(("kind", "verb"), [("pay", "paid"), ("collect", "collected"), ("withdraw", "taken back")])
def test_a_stake_is_placed_before_anything_becomes_of_it(kind: str, verb: str) -> None:
    altered = record()
    events = altered["events"]
    at = next(at for at, event in enumerate(events) if event["event"] == kind)
    events.insert(0, events.pop(at))
    wager = "a tip on `main`" if events[0].get("tip") else "`main`"
    assert contradiction(altered) == f"seat 1, {wager}: {verb} before it was placed"


def test_where_the_order_of_the_deal_is_not_recorded_nothing_came_too_early() -> None:
    altered = record()
    altered["events"].insert(0, {"event": "reveal", "place": "dealer", "cards": "3d"})
    assert reasons({**altered, "unrecorded": ["deal/order"]}) == []


GONE = "after some of it has left"
PLAYER: Record = {"place": "player", "seat": 1}
DEALER: Record = {"place": "dealer"}
TO_PLAYER = "the cards of seat 1 are AsKdTc and 9h, but"
TO_DEALER = "the dealer's cards are 3c3d and 5h, but"


def lying(*done: tuple[str, Record, str | None] | tuple[str, Record, str | None, str]) -> Record:
    """Return a round in which cards are dealt and then handled: kind, place, cards, lot."""
    told: list[Record] = [
        {"event": "deal", **PLAYER, "cards": "AsKdTc"},
        {"event": "deal", **DEALER, "cards": "3c3d"},
    ]
    for kind, place, cards, *lot in done:
        told.append(
            {"event": kind, **place, **({"cards": cards} if cards else {}), **({"what": lot[0]} if lot else {})}
        )
    seat = {"seat": 1, "cards": "AsKdTc", "wagers": []}
    return {**record(), "seats": [seat], "dealer": "3c3d", "community": None, "events": told}


EXCHANGED = [("discard", PLAYER, "Tc"), ("draw", PLAYER, "9h")]


@pytest.mark.parametrize(
    ("done", "impossible"),
    [
        # Discarded before it is drawn.
        ([("discard", PLAYER, "9h"), ("draw", PLAYER, "9h")], "9h is discarded there before all of it is drawn"),
        ([("draw", PLAYER, "9h"), ("discard", PLAYER, "9h")], None),
        # Other cards among the discards than were discarded; discards where there are none; too many of them.
        ([*EXCHANGED, ("collect-cards", PLAYER, "Tc", "discards")], None),
        ([*EXCHANGED, ("collect-cards", PLAYER, None, "discards")], None),
        ([*EXCHANGED, ("collect-cards", PLAYER, "??", "discards")], None),
        (
            [*EXCHANGED, ("collect-cards", PLAYER, "TcAs", "discards")],
            "TcAs is collected from the discards, which do not contain it",
        ),
        (
            [("draw", PLAYER, "9h"), ("collect-cards", PLAYER, None, "discards")],
            "another card is collected from the discards, which do not contain it",
        ),
        (
            [*EXCHANGED, *[("collect-cards", PLAYER, None, "discards")] * 2],
            "another card is collected from the discards, which do not contain it",
        ),
        # Taken up with the hand after they were racked, or as part of it.
        (
            [*EXCHANGED, ("collect-cards", PLAYER, None, "discards"), ("collect-cards", PLAYER, "AsKdTc", "hand")],
            f"AsKdTc is collected there {GONE}",
        ),
        ([*EXCHANGED, ("collect-cards", PLAYER, "AsKdTc", "hand")], f"AsKdTc is collected there {GONE}"),
        ([*EXCHANGED, ("collect-cards", PLAYER, "AsKdTc")], None),
        ([*EXCHANGED, ("collect-cards", PLAYER, "AsKd9h", "hand"), ("collect-cards", PLAYER, "Tc", "discards")], None),
        # Shown after they are gone; some may be left if the cards taken are not recorded.
        ([*EXCHANGED, ("reveal", PLAYER, "AsKdTc")], None),
        (
            [*EXCHANGED, ("collect-cards", PLAYER, None, "discards"), ("reveal", PLAYER, "AsKdTc")],
            f"AsKdTc is shown there {GONE}",
        ),
        (
            [*EXCHANGED, ("collect-cards", PLAYER, None, "hand"), ("reveal", PLAYER, "AsKd9h")],
            f"AsKd9h is shown there {GONE}",
        ),
        ([*EXCHANGED, ("collect-cards", PLAYER, None, "hand"), ("reveal", PLAYER, "AsKd")], None),
        ([*EXCHANGED, *[("collect-cards", PLAYER, None, "hand")] * 3], None),
        (
            [*EXCHANGED, *[("collect-cards", PLAYER, None, "hand")] * 4],
            f"another card is collected there {GONE}",
        ),
        ([*EXCHANGED, ("collect-cards", PLAYER, "AsKd9h"), ("expose", PLAYER, "9h")], f"9h is shown there {GONE}"),
        ([*EXCHANGED, ("collect-cards", PLAYER, "??"), ("expose", PLAYER, "9h")], None),
        # What the dealer puts aside is shown with all the rest or not at all, and not once it is replaced.
        ([("discard", DEALER, "3c"), ("reveal", DEALER, "3c3d"), ("draw", DEALER, "5h")], None),
        ([("discard", DEALER, "3c"), ("reveal", DEALER, "3d"), ("draw", DEALER, "5h")], None),
        ([("discard", DEALER, "3c"), ("reveal", DEALER, "3c"), ("draw", DEALER, "5h")], f"3c is shown there {GONE}"),
        (
            [("discard", DEALER, "3c"), ("draw", DEALER, "5h"), ("reveal", DEALER, "3c3d5h")],
            f"3c3d5h is shown there {GONE}",
        ),
        ([("discard", DEALER, "3c"), ("draw", DEALER, "5h"), ("reveal", DEALER, "3d5h")], None),
        ([("discard", DEALER, None), ("draw", DEALER, "5h"), ("reveal", DEALER, "3c5h")], None),
    ],
)
def test_cards_are_where_they_lie_at_the_moment(done: list[Any], impossible: str | None) -> None:
    whole = lying(*done)
    begins = TO_DEALER if done[0][1] == DEALER else TO_PLAYER
    found = [] if impossible is None else [f"the record contradicts itself: {begins} {impossible}"]
    assert reasons(whole) == reasons(record(), whole, exchanging()) == found


def test_nothing_is_known_to_be_gone_where_the_log_does_not_tell_or_something_was_put_right() -> None:
    whole = lying(*EXCHANGED, ("collect-cards", PLAYER, "AsKd9h"), ("reveal", PLAYER, "AsKd9h"))
    assert reasons(whole)
    assert reasons({**whole, "unrecorded": ["draw"]}) == []
    remedy = {"event": "remedy", "what": "given-back", **PLAYER}
    for place in (remedy, {"event": "remedy", "what": "given-back"}):
        assert reasons({**whole, "events": [*whole["events"][:-1], place, whole["events"][-1]]}) == []
    other = {**remedy, "place": "dealer", "seat": None}
    assert reasons({**whole, "events": [*whole["events"][:-1], other, whole["events"][-1]]})
    pat = lying(("collect-cards", PLAYER, None, "discards"))
    assert reasons(pat)
    assert reasons({**pat, "unrecorded": ["discard/dealer"]})
    assert reasons({**pat, "unrecorded": ["discard/player"]}) == []


def swept(taken: int | None, *moved: tuple[str, int]) -> Record:
    """Return a round in which a stake of 1000 is collected and given back, with an amount recorded as taken."""
    stake = {"wager": "main", "amount": 1000, "taken": taken}
    about = {"seat": 1, "wager": "main"}
    told = [{"event": kind, **about, "amount": amount} for kind, amount in [("wager", 1000), *moved]]
    seats = [{"seat": 1, "wagers": [stake]}]
    return {**record(), "seats": seats, "dealer": None, "community": None, "events": told}


BACK = [("collect", 1000), ("return", 1000)]


@pytest.mark.parametrize(
    ("taken", "moved", "kept"),
    [
        (1000, BACK, 0),
        (0, BACK, 0),
        (None, BACK, -1),
        (0, [*BACK, ("return", 1000)], 0),
        (1000, [*BACK, ("collect", 1000)], 1000),
        (999, [*BACK, ("collect", 1000)], None),
        (2000, [*BACK, ("collect", 1000)], 1000),
        (1000, [("collect", 1000), ("return", 400)], 600),
        (600, [("collect", 1000), ("return", 400)], 600),
        (500, [("collect", 500), ("return", 500)], 500),
        (0, [("collect", 500), ("return", 500)], 0),
        (1001, BACK, None),
        (599, [("collect", 1000), ("return", 400)], None),
        (1000, [("collect", 1000), ("return", 1001)], None),
        (1000, [*BACK, ("return", 1000), ("return", 1)], None),
        (1000, [("return", 1000), ("collect", 1000)], None),
        (1000, [("collect", 1000)], 1000),
        (2000, [("collect", 1000), ("collect", 1000)], None),
        (1001, [("collect", 600), ("collect", 401)], None),
        (1001, [("collect", 1001)], 1001),
        (1000, [("collect", 600), ("collect", 400)], 1000),
        (1500, [("collect", 1000), ("return", 500), ("collect", 500)], 1000),
        (1000, [("collect", 1000), ("return", 400), ("return", 600), ("collect", 1000)], 1000),
        (0, [("collect", 1000), ("return", 400), ("return", 600), ("return", 1000)], 0),
        (1000, [("collect", 1000), ("return", 900), ("return", 100)], 0),
        (500, [("collect", 500), ("return", 500), ("collect", 500)], 500),
        (1000, [("collect", 500), ("return", 500), ("collect", 500)], 500),
        (400, [("collect", 500), ("return", 500), ("collect", 500)], None),
    ],
)
def test_a_stake_taken_by_mistake_is_put_back(
    taken: int | None, moved: list[tuple[str, int]], kept: int | None
) -> None:
    decoded = decode_lines(json.dumps(swept(taken, *moved)).encode(), file="log", first_line=1, known_games={GAME})
    assert [int(mask) for batch in decoded.batches for mask in batch.stakes.taken] == ([] if kept is None else [kept])
    assert len(decoded.quarantined) == (kept is None)


def list_quarantined(acts: set[str], *records: Record) -> list[tuple[int, str]]:
    known = {GAME: KnownGame(acts=acts, cards=52)}
    text = b"\n".join(json.dumps(each).encode() for each in records)
    decoded = decode_lines(text, file="log", first_line=1, known_games=known)
    return [(entry.line or 0, entry.reason) for entry in decoded.quarantined]


def test_what_is_not_done_in_a_game_is_set_aside_where_it_is_known_what_is() -> None:
    drawn, tucked, told = (record() for _ in range(3))
    drawn["events"] = [*drawn["events"], {"event": "draw", "place": "burn", "cards": "5h"}]
    tucked["events"] = [*tucked["events"], {"event": "tuck", "seat": 1, "wager": "main"}]
    told["events"] = [*told["events"], {"event": "arrive", "seat": 4}, {"event": "device", "what": "lamp"}]
    acts = {"pay", "collect", "withdraw", "tuck"}
    reason = "event 16 is a `draw`, which the rules of the game do not provide for"
    assert list_quarantined(acts, record(), drawn, told, tucked) == [(2, reason)]
    assert list_quarantined({*acts, "draw"}, record(), drawn, told, tucked) == []
    assert list_quarantined(acts - {"tuck"}, tucked)[0][1].startswith("event 16 is a `tuck`")


def test_what_is_done_only_at_a_place_is_set_aside_elsewhere() -> None:
    places: list[Record] = [{"place": "player", "seat": 4}, {"place": "community"}, {"place": "deck"}]
    cards = ["2c", "4c", "2d"]
    told = [record() for _ in places]
    for round_, place, card in zip(told, places, cards, strict=True):
        round_["events"] = [*round_["events"], {"event": "discard", **place, "cards": card}]
    acts = {"pay", "collect", "withdraw"}
    reason = "event 16 is a `discard` at the place `{}`, which the rules of the game do not provide for"
    elsewhere = [(1, reason.format("player"))]  # the rest of the deck may be put aside in any game
    assert list_quarantined({*acts, "discard/community"}, *told) == elsewhere
    assert list_quarantined({*acts, "discard"}, *told) == []


def test_a_game_is_not_asked_what_it_knows_without_such_an_act() -> None:
    quiet = record()
    quiet["events"] = [event for event in quiet["events"] if event["event"] in ("deal", "decide", "wager")]
    quiet["events"] = [event for event in quiet["events"] if event["event"] != "wager"]
    quiet["unrecorded"] = ["wager", "withdraw", "pay", "collect"]

    class Asked(dict[str, KnownGame]):
        def __getitem__(self, game: str) -> KnownGame:
            raise AssertionError(game)

    known = Asked({GAME: KnownGame(acts=set(), cards=52)})
    decoded = decode_lines(json.dumps(quiet).encode(), file="log", first_line=1, known_games=known)
    assert not decoded.quarantined


def test_no_more_cards_are_lifted_in_a_cut_than_there_are() -> None:
    told = [record() for _ in range(4)]
    for round_, lifted in zip(told, (53, 52, 1, None), strict=True):
        cut = {"event": "cut", "by": "dealer", "number": lifted}
        round_["events"] = [{key: value for key, value in cut.items() if value is not None}, *round_["events"]]
    assert list_quarantined({"pay", "collect", "withdraw"}, *told) == [
        (1, "event 1 cuts 53 cards, but only 52 are in play")
    ]


DEALT = {"event": "deal", "place": "player", "seat": 4, "cards": "5h"}
FELL = {"event": "fault", "what": "off-the-table", "cards": "5h"}
ASIDE = {"event": "remedy", "what": "set-aside", "cards": "5h"}
AT_4 = {"place": "player", "seat": 4}


@pytest.mark.parametrize(
    ("told", "lay"),
    [
        ([DEALT, FELL, ASIDE], False),
        ([DEALT, {**FELL, **AT_4}, {**ASIDE, **AT_4}], False),
        ([DEALT, ASIDE], False),
        ([FELL, ASIDE], False),
        ([{**DEALT, "cards": "??"}, FELL, {**ASIDE, **AT_4, "cards": "??"}], False),
        ([{**DEALT, "cards": "??"}, FELL, {**ASIDE, "cards": "??"}], True),
        ([DEALT, FELL, {**ASIDE, "place": "player", "seat": 1}], True),
        ([DEALT, FELL, {**ASIDE, "place": "dealer"}], True),
        ([DEALT, FELL, {**ASIDE, "place": "deck"}], True),
        ([DEALT, FELL, {**ASIDE, "cards": "5h6h"}], True),
        ([DEALT, FELL, {**ASIDE, "cards": "6h"}], True),
        ([DEALT, FELL, {**ASIDE, "what": "reconstructed"}], True),
        ([DEALT, FELL, {"event": "count", "what": "stub", "number": 3}, ASIDE], False),
        ([DEALT, {"event": "announce", "what": "supervisor-called"}, FELL, ASIDE], False),
        ([DEALT, {"event": "arrive", "seat": 4}, ASIDE], False),
        ([DEALT, FELL, {"event": "shuffle", "by": "dealer"}, ASIDE], True),
        ([DEALT, FELL, {**DEALT, "cards": "6h"}, ASIDE], True),
        ([DEALT, FELL], True),
    ],
)
def test_cards_that_are_put_aside_as_they_are_dealt_never_lay_there(told: list[Record], lay: bool) -> None:
    """Seat 4 lists one card, the two of clubs, which it is dealt after that."""
    one = record()
    at = one["events"].index({"event": "deal", "place": "player", "seat": 4, "cards": "2c"})
    one["events"][at:at] = told
    assert bool(reasons(one)) == lay


def test_what_was_taken_may_have_been_put_back_where_returns_are_not_recorded() -> None:
    altered = alter("seats.0.wagers.1.taken", 0)
    assert reasons({**altered, "unrecorded": ["return"]}) == []
    assert reasons({**altered, "unrecorded": ["pay"]})
    more = alter("seats.0.wagers.1.taken", 101)
    assert reasons({**more, "unrecorded": ["return"]})


def test_a_payment_on_a_tip_needs_the_tip_unless_it_is_a_bonus_of_the_game() -> None:
    whole = record()
    whole["events"].append({"event": "pay", "seat": 1, "wager": "extra", "amount": 10, "tip": True})
    assert "a tip on `extra`: 0 paid in the summary, but 10 in the events" in contradiction(whole)
    for stake in whole["seats"][0]["wagers"]:
        del stake["paid"], stake["taken"]
    assert "a tip on `extra`: 0 paid in the summary, but 10 in the events" in contradiction(whole)
    assert reasons_with_bonus(whole) == []


def test_cards_may_have_been_put_aside_or_laid_down_again_where_remedies_are_not_recorded() -> None:
    dealt = record()
    dealt["events"].insert(4, {"event": "deal", "place": "player", "seat": 1, "cards": "5d"})
    assert reasons(dealt)
    assert reasons({**dealt, "unrecorded": ["remedy"]}) == []
    taken_up: Record = {"event": "collect-cards", "place": "player", "seat": 1, "cards": "AsKdTc"}
    shown: Record = {"event": "reveal", "place": "player", "seat": 1, "cards": "AsKdTc"}
    gone = record()
    gone["events"] += [taken_up, shown]
    assert reasons(gone)
    assert reasons({**gone, "unrecorded": ["remedy"]}) == []
