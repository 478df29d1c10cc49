"""Attributes of an event: the cards dealt next, other forms of the same wager, and the player who placed it."""

from __future__ import annotations

import pytest

from tests.play.table import Data, answers, event, judge, round_of, step

NEXT: Data = {"event": {"dealt-next": True}}
WITH_CHIPS: Data = {"event": {"also-in": ["chips", "plaques"]}}


def draw(cards: str) -> Data:
    return {"event": "draw", "place": "burn", "cards": cards}


def deal(seat: int, cards: str) -> Data:
    return event("deal", seat, cards=cards)


def burnt(cards: str) -> Data:
    return {"event": "deal", "place": "burn", "cards": cards}


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        ([draw("7h"), deal(1, "7h")], "yes"),
        ([draw("7h"), deal(1, "8h"), deal(2, "7h")], "no"),
        ([draw("7h"), burnt("9c"), deal(1, "7h")], "yes"),  # burnt cards belong to nobody
        ([draw("7h"), deal(1, "8h7h9h")], "yes"),  # the first card of a packet is unknown
        ([draw("7h8h"), deal(1, "8h"), deal(2, "7h")], "yes"),
        ([draw("7h8h"), deal(1, "8h"), deal(2, "9h"), deal(1, "7h")], "no"),
        ([draw("7h8h"), deal(1, "8h")], "unknown"),
        ([draw("??"), deal(1, "7h")], "unknown"),
        ([draw("7h"), deal(1, "??")], "unknown"),
        ([draw("7h8h"), deal(1, "9h??")], "no"),  # one unknown card cannot be both
        ([deal(1, "7h"), draw("8h")], "yes"),  # no card follows
        ([deal(1, "7h"), draw("7h")], "yes"),
    ],
)
def test_cards_that_left_the_deck_are_dealt_next(events: list[Data], answer: str) -> None:
    [place] = [at for at, event in enumerate(events) if event["event"] == "draw"]
    assert answers(NEXT, [round_of({}, {}, events=events)], "event")[place] == answer


def test_of_other_events_it_is_not_so_and_a_silent_log_proves_nothing() -> None:
    plain = round_of({}, {}, events=[draw("7h"), deal(1, "8h")])
    dark = {**plain, "round": "R2", "unrecorded": [*plain.get("unrecorded", []), "deal/order"]}
    short = round_of({}, {}, number=3, events=[draw("7h")], complete=False)
    assert answers(NEXT, [plain, dark, short], "event") == ["no", "no", "unknown", "no", "unknown"]


def wager(seat: int, in_: str | None, wager: str = "main", amount: int = 50, *, tip: bool = False) -> Data:
    told = {} if in_ is None else {"in": in_}
    return {"event": "wager", "seat": seat, "wager": wager, "amount": amount, **told, **({"tip": True} if tip else {})}


def two_seats(*events: Data, number: int = 1, **more: Data) -> Data:
    """Build a round of two seats with the stakes of the events."""
    seats: list[Data] = []
    for seat in (1, 2):
        staked: dict[tuple[str, bool], int] = {}
        for entry in events:
            if entry.get("seat") == seat:
                key = (entry["wager"], entry.get("tip", False))
                staked[key] = staked.get(key, 0) + entry["amount"]
        wagers = [
            {"wager": name, "amount": much, **({"tip": True} if tip else {})} for (name, tip), much in staked.items()
        ]
        seats.append({"wagers": wagers})
    return round_of(*seats, number=number, events=list(events), **more)


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([wager(1, "coupon"), wager(1, "chips")], ["yes", "yes"]),
        ([wager(1, "plaques"), wager(1, "coupon")], ["yes", "yes"]),
        ([wager(1, "coupon"), wager(2, "chips")], ["no", "yes"]),
        ([wager(1, "coupon"), wager(1, "chips", "side")], ["no", "yes"]),
        ([wager(1, "coupon"), wager(1, "chips", tip=True)], ["no", "yes"]),
        ([wager(1, "coupon"), wager(1, "cash")], ["no", "no"]),
        ([wager(1, "coupon"), wager(1, None)], ["unknown", "unknown"]),
        ([wager(1, "coupon"), wager(2, None)], ["no", "unknown"]),
    ],
)
def test_the_same_wager_was_placed_in_something_else_too(events: list[Data], found: list[str]) -> None:
    assert answers(WITH_CHIPS, [two_seats(*events)], "event") == found


def test_chips_that_may_have_followed_are_not_missed() -> None:
    alone = two_seats(wager(1, "coupon"))
    assert answers(WITH_CHIPS, [{**alone, "complete": False}], "event") == ["unknown"]
    assert answers(WITH_CHIPS, [{**alone, "unrecorded": [*alone.get("unrecorded", []), "wager"]}], "event") == [
        "unknown"
    ]


def test_findings_say_in_what_the_wager_was_placed() -> None:
    check: Data = {"each": "event", "of": "opening", "must": WITH_CHIPS}
    [found] = judge(check, [two_seats(wager(1, "coupon"), wager(2, "chips"))])[1]
    assert found[1:] == (1, 1, "with chips or plaques on the same wager", "in a coupon")


def test_findings_say_which_card_was_kept_back() -> None:
    check: Data = {"each": "event", "of": "drawn", "must": NEXT}
    record = round_of({}, {}, events=[draw("7h"), deal(1, "8h")])
    [found] = judge(check, [record], **{"other-events": step("drawn", "draw", place="burn")})[1]
    assert found[2:] == (1, "the cards that are dealt next", "7♥")


def test_a_wager_that_an_event_names_is_placed_by_its_seat_or_is_of_no_game_or_lies_nowhere() -> None:
    events = [{"event": "tuck", "seat": seat, "wager": wager} for seat, wager in WHERE]
    seats = ([{"wager": "main", "amount": 50}], [{"wager": "insurance", "amount": 50}, {"wager": "side", "amount": 0}])
    record = round_of(*({"wagers": wagers} for wagers in seats), events=events)
    found = {answer: answers({"event": {"wager": answer}}, [record], "event") for answer in ANSWERS}
    assert found == ANSWERS


WHERE = [(1, "main"), (2, "main"), (1, "insurance"), (2, "insurance"), (2, "side"), (1, "never-heard-of")]
ANSWERS = {
    "placed": ["yes", "no", "no", "no", "no", "no"],
    "not-of-the-game": ["no", "no", "no", "yes", "no", "no"],
    "not-placed": ["no", "yes", "yes", "no", "yes", "yes"],
}
