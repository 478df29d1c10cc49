"""Exchanges of cards as stages of the deal: the stage of each event, and the conditions on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.facts.final_hands import final_cards
from fairdeal.validator.engine.timeline.deal_stages import stage_of_events
from tests.facade.cards import format_cards
from tests.facade.text import InputError
from tests.play.table import NOTHING, PLAY, Data, answers, batch_of, event, judge, measures, room, round_of, step

SEATS = 3
DRAWS = ("first-draw", "second-draw", "third-draw")
HAND: Data = {"stage": "hand", "cards": {"player": 5}, "each": 5, "face": "down", "clauses": ["1"]}
STAGES: list[Data] = [
    HAND,
    *({"stage": name, "exchanges": {"player": 4}, "burn": 1, "face": "down", "clauses": ["1"]} for name in DRAWS),
]
WORDS = ("discard", "stand-pat")


def _steps_of(name: str) -> Data:
    """Build the events of an exchange."""
    return {
        **step(name, "discard", "draw", "decide", each="seat", decisions=[*WORDS], stage=name),
        **step(f"{name}-away", "discard", each="seat", stage=name),
        **step(f"{name}-drawn", "draw", each="seat", stage=name),
        **step(f"{name}-drawn-by-all", "draw", stage=name),
        **step(f"{name}-burn", "deal", stage=name, place="burn"),
    }


EVENTS: Data = {
    **PLAY["other-events"],
    **{name: made for stage in DRAWS for name, made in _steps_of(stage).items()},
}
ACTS = ("fold", "check", "call", "bet", "raise")
GAME: Data = {
    "deal": {"stages": STAGES},
    "hands": {"high": {"title": "the hand", "from": ["player"], "cards": "held", "rank-by": "five-card"}},
    "pay-tables": {},
    "other-events": EVENTS,
    "table": {"players": {"at-least": 2, "at-most": 6}, "positions": {"left": [{"after": "button"}]}},
    "decisions": {kind: {"title": kind, "kind": kind} for kind in (*ACTS, "concede", *WORDS)},
    "betting": {
        "wager": "side",
        "rounds": [
            {"round": "before", "opens": "left"},
            *({"round": f"after-the-{name}", "after": name, "opens": "left"} for name in DRAWS),
        ],
        "sizes": {"opening": [{"at-least": 1}], "raise": [{"as-last": True}]},
        "reopens": [{"by": "any-raise"}],
    },
}


def says(seat: int, decision: str) -> Data:
    return event("decide", seat, decision=decision)


def pat(seat: int) -> Data:
    return says(seat, "stand-pat")


def discard(seat: int, cards: int = 1) -> Data:
    return event("discard", seat, cards="??" * cards)


def draw(seat: int, cards: int = 1) -> Data:
    return event("draw", seat, cards="??" * cards)


def exchanges(seat: int, cards: int = 1) -> list[Data]:
    return [says(seat, "discard"), discard(seat, cards), draw(seat, cards)]


def checks(seat: int) -> Data:
    return says(seat, "check")


def burn() -> Data:
    return event("deal", place="burn", cards="??")


HANDS = [event("deal", seat, cards="??" * 5) for seat in range(1, SEATS + 1)]


def play(events: Sequence[Data], **more: Any) -> Data:
    seats = [{"cards": "??" * 5, "stack": 10_000} for _ in range(SEATS)]
    record = round_of(*seats, events=[*HANDS, *events], button=SEATS, **more)
    return record_all(record, *more.get("unrecorded", ()))


def stages(*events: Data) -> list[int]:
    """Return the stage of each event except the dealt hands; -1 where it has none."""
    found = stage_of_events(room(**GAME).scope([play(events)])).tolist()
    assert found[:SEATS] == [0] * SEATS
    return found[SEATS:]


def test_an_act_of_its_seat_lies_between_two_draws() -> None:
    betting = [checks(seat) for seat in (1, 2, 3)]
    events = [*exchanges(1), pat(2), *exchanges(3), *betting, pat(1), *exchanges(2), pat(3), *betting, pat(1)]
    assert stages(*events) == [1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 2, 2, 2, 2, 2, -1, -1, -1, 3]


def test_players_who_are_all_in_draw_again_and_again() -> None:
    assert stages(*exchanges(1), pat(2), *exchanges(1), pat(2), pat(1), *exchanges(2)) == [1] * 4 + [2] * 4 + [3] * 4


def test_to_put_no_card_away_is_to_stand_pat() -> None:
    nothing = event("discard", 1, cards="")
    assert stages(nothing, *exchanges(2), nothing, pat(2), discard(1)) == [1] * 4 + [2] * 2 + [3]


def test_to_stand_pat_may_be_told_by_a_word_and_by_no_cards_put_away() -> None:
    nothing = [event("discard", seat, cards="") for seat in (1, 2)]
    first, second = [pat(1), nothing[0], nothing[1], pat(2)], [nothing[0], pat(1), *exchanges(2)]
    assert stages(*first, *second, *first) == [1] * 4 + [2] * 5 + [3] * 4
    assert stages(*first, checks(1), checks(2), *second) == [1] * 4 + [-1] * 2 + [2] * 5
    # a seat that says it twice says it in two draws
    assert stages(pat(1), pat(1), nothing[0], nothing[0]) == [1, 2, 2, 3]


def test_all_put_away_before_any_draws() -> None:
    both = [discard(1), discard(2, 2), draw(1), draw(2, 2)]
    assert stages(*both, *both, pat(1), discard(2), draw(2)) == [1] * 4 + [2] * 4 + [3] * 3


def test_who_acts_before_the_draw_is_over_moves_nobody() -> None:
    assert stages(*exchanges(1), checks(1), *exchanges(2), checks(2), pat(1)) == [1, 1, 1, -1, 1, 1, 1, -1, 2]
    # discards are replaced in the same draw, for any words in between
    assert stages(discard(1), checks(1), draw(1), pat(2)) == [1, -1, 1, 1]


def test_who_was_passed_over_comes_in_where_the_others_are() -> None:
    assert stages(pat(1), checks(1), checks(2), pat(1), pat(2)) == [1, -1, -1, 2, 2]


def test_more_draws_than_there_are_belong_to_the_last() -> None:
    assert stages(*(pat(1) for _ in range(5))) == [1, 2, 3, 3, 3]


def test_what_is_burnt_belongs_to_the_draw_that_follows() -> None:
    events = [burn(), *exchanges(1), pat(2), checks(1), checks(2), discard(1), burn(), draw(1), pat(2), burn()]
    assert stages(*events) == [1, 1, 1, 1, 1, -1, -1, 2, 2, 2, 2, 3]


def test_cards_dealt_later_end_the_draws_before_them() -> None:
    between: Data = {"stage": "middle", "cards": {"community": 1}, "face": "up", "clauses": ["1"]}
    asked = {**GAME, "deal": {"stages": [HAND, STAGES[1], between, STAGES[2], STAGES[3]]}}
    card = event("deal", place="community", cards="??")
    record = play([discard(1), draw(1), card, pat(2), checks(2), pat(2)], community="??")
    found = stage_of_events(room(**asked).scope([record])).tolist()[SEATS:]
    assert found == [1, 1, 2, 3, -1, 4]


def test_who_else_exchanges_cards_does_so_in_stages_of_its_own() -> None:
    dealer: Data = {"stage": "dealer-draw", "exchanges": {"dealer": 5}, "face": "down", "clauses": ["1"]}
    hand = {**HAND, "cards": {"player": 5, "dealer": 5}}
    asked = {**GAME, "deal": {"stages": [hand, STAGES[1], dealer, STAGES[2], STAGES[3]]}}
    record = play(
        [
            event("deal", place="dealer", cards="??" * 5),
            *(discard(1), draw(1), pat(2)),
            event("discard", place="dealer", cards="????"),
            event("draw", place="dealer", cards="????"),
            *(pat(2), pat(1), pat(2)),
        ],
        dealer="??" * 5,
    )
    found = stage_of_events(room(**asked).scope([record])).tolist()[SEATS + 1 :]
    assert found == [1, 1, 1, 2, 2, 3, 3, 4]


def listen(events: Sequence[Data]) -> list[int]:
    """Return the stages of a round as a listener counts them from its beginning."""
    number, began = 0, -1
    over: dict[int, int] = {}  # by seat: the draw it has drawn or stood pat in
    begun: dict[int, int] = {}  # the draw in which it has put cards away
    acted: dict[int, int] = {}
    found = []
    for at, entry in enumerate(events):
        seat, decision = entry["seat"], entry.get("decision")
        if decision == "check":
            acted[seat] = at
            found.append(-1)
            continue
        draws = entry["event"] == "draw"
        answers_discards = draws and begun.get(seat) == number and over.get(seat) != number
        again = not draws and over.get(seat) == number
        next_one = number == 0 or (not answers_discards and (again or acted.get(seat, -1) > began))
        if next_one and number < len(DRAWS):
            number, began = number + 1, at
        if draws or decision == "stand-pat":
            over[seat] = number
        if not draws:
            begun[seat] = number
        found.append(number)
    return found


ANY_EVENT = st.builds(lambda kind, seat: kind(seat), st.sampled_from([pat, discard, draw, checks]), st.integers(1, 3))


@given(st.lists(st.lists(ANY_EVENT, max_size=14), min_size=1, max_size=4))
def test_rounds_side_by_side_are_heard_as_by_a_listener(rounds: list[list[Data]]) -> None:
    def sensible(events: list[Data]) -> bool:
        return sum(event["event"] == "discard" for event in events if event["event"] == "discard") <= 5

    rounds = [events for events in rounds if sensible(events)]
    if rounds:
        records = [play(events, number=number) for number, events in enumerate(rounds, 1)]
        found = stage_of_events(room(**GAME).scope(records)).tolist()
        assert found == [seat for events in rounds for seat in [0] * SEATS + listen(events)]


ROUND = [burn(), *exchanges(1, 2), *exchanges(2, 4), pat(3), *(checks(seat) for seat in (1, 2, 3))]
ALL_DRAWS: Data = {"stage": [*DRAWS]}


def test_what_is_asked_of_a_draw() -> None:
    records = [play([*ROUND, *ROUND]), play(ROUND, number=2)]
    assert measures({"cards-in": "first-draw-away"}, records, **GAME) == [2, 4, 0] * 2
    assert measures({"cards-in": "second-draw-drawn"}, records, **GAME) == [2, 4, 0, 0, 0, 0]
    assert measures({"cards-in": "second-draw-drawn-by-all"}, records, "round", **GAME) == [6, 0]
    assert measures({"events": "second-draw"}, records, **GAME) == [3, 3, 1, 0, 0, 0]
    for asks in ("turn", "burn", "count"):
        assert judge({"dealt": {**ALL_DRAWS, "asks": asks}}, records, **GAME) == (["pass", "pass"], [])


def test_a_number_that_no_event_tells_is_not_known() -> None:
    record = play([says(1, "discard"), event("discard", 1), draw(1)])
    assert measures({"cards-in": "first-draw-away"}, [record], **GAME) == [NOTHING, 0, 0]
    assert judge({"dealt": {**ALL_DRAWS, "asks": "count"}}, [record], **GAME)[0] == ["not-evidenced"]
    by_places = play([says(1, "discard"), event("discard", 1, positions="24"), draw(1, 2)])
    assert measures({"cards-in": "first-draw-away"}, [by_places], **GAME) == [2, 0, 0]


@pytest.mark.parametrize("kind", ["discard", "draw", "decide"])
def test_draws_are_told_apart_by_all_that_is_done_in_them(kind: str) -> None:
    record = play(ROUND, unrecorded=[kind])
    assert measures({"cards-in": "first-draw-drawn"}, [record], **GAME) == [NOTHING] * 3
    assert judge({"dealt": {**ALL_DRAWS, "asks": "count"}}, [record], **GAME)[0] == ["not-evidenced"]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (
            [*exchanges(1)[:2], draw(1, 2)],
            (1, 6, "1 card drawn in the first draw, as many as put away", "2 cards drawn"),
        ),
        ([draw(1)], (1, 4, "no cards drawn in the first draw, as many as put away", "1 card drawn")),
        (exchanges(1)[:2], (1, 5, "1 card drawn in the first draw, as many as put away", "no cards drawn")),
        (exchanges(2, 5), (2, 6, "4 cards put away in the first draw at the most", "5 cards put away")),
    ],
)
def test_a_wrong_number(events: list[Data], told: tuple[object, ...]) -> None:
    outcomes, [found] = judge({"dealt": {**ALL_DRAWS, "asks": "count"}}, [play(events)], **GAME)
    assert (outcomes, found[1:]) == (["fail"], told)


def test_a_record_that_breaks_off_does_not_show_how_many_were_drawn() -> None:
    record = play(exchanges(1)[:2], complete=False)
    assert judge({"dealt": {**ALL_DRAWS, "asks": "count"}}, [record], **GAME)[0] == ["not-evidenced"]
    too_many = play([*exchanges(1)[:2], draw(1, 2)], complete=False)
    assert judge({"dealt": {**ALL_DRAWS, "asks": "count"}}, [too_many], **GAME)[0] == ["fail"]


def test_cards_drawn_out_of_turn() -> None:
    events = [discard(1), discard(3, 2), draw(3, 2), draw(1)]
    found = judge({"dealt": {**ALL_DRAWS}}, [play(events)], **GAME)
    assert found[0] == ["fail"]
    assert found[1][0][1:] == (3, 6, "1 card to seat 1", "2 cards to seat 3")
    one_by_one = [discard(1, 2), discard(3, 2), draw(1), draw(3), draw(1), draw(3)]
    assert judge({"dealt": {**ALL_DRAWS}}, [play(one_by_one)], **GAME)[0] == ["pass"]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (exchanges(1), (None, 6, "1 card burnt before the first draw", "no cards")),
        ([burn(), burn(), *exchanges(1)], (None, 8, "1 card burnt before the first draw", "2 cards")),
        ([*exchanges(1), burn(), *exchanges(2)], (None, 6, "1 card burnt before the first draw", "no cards")),
    ],
)
def test_what_is_burnt_before_a_draw(events: list[Data], told: tuple[object, ...]) -> None:
    [found] = judge({"dealt": {**ALL_DRAWS, "asks": "burn"}}, [play(events)], **GAME)[1]
    assert found[1:] == told


def test_where_all_stand_pat_nothing_is_burnt() -> None:
    record = play([pat(1), pat(2), pat(3)])
    assert judge({"dealt": {**ALL_DRAWS, "asks": "burn"}}, [record], **GAME)[0] == ["not-applicable"]


def record_all(record: Data, *but: str) -> Data:
    """Return the round with all kinds recorded that these tests evaluate, even where none happened."""
    return {**record, "unrecorded": ["wager", "pay", "collect", "return", *but]}


DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def deal_and_draw(*changes: int) -> tuple[Data, list[str]]:
    """Build a round of one seat that changes a number of cards in each draw. Returns it with the final hand."""
    left = list(DECK)
    hand = [left.pop() for _ in range(5)]
    events = [event("deal", 1, cards="".join(hand))]
    for number in changes:
        gone, hand = hand[:number], hand[number:]
        new = [left.pop() for _ in range(number)]
        hand += new
        events += [event("discard", 1, cards="".join(gone)), event("draw", 1, cards="".join(new))]
    return record_all(round_of({"cards": events[0]["cards"]}, events=events)), hand


@pytest.mark.parametrize("changes", [(5, 5, 5), (0, 5, 3), (1, 2, 3), (4, 4, 4)])
def test_three_draws_may_be_of_fifteen_cards(changes: tuple[int, ...]) -> None:
    record, hand = deal_and_draw(*changes)
    scope = room(**GAME).scope([record])
    hands = final_cards(scope, "player")
    assert format_cards(hands.cards[0, : hands.count[0]].tolist()) == "".join(hand)
    assert measures({"drawn": "player"}, [record], **GAME) == [sum(changes)]
    # also next to seats with fewer cards
    few, _ = deal_and_draw(1)
    both = room(**GAME).scope([{**few, "round": "R2"}, record])
    assert final_cards(both, "player").count.tolist() == [5, 5]


SHUFFLE = event("shuffle")
KNOWN = [
    event("deal", 1, cards="2c3c4c5c7d"),
    event("deal", 2, cards="2d3d4d5d8d"),
    event("deal", 3, cards="9cTcJcQcAd"),
]


def know(*events: Data, **more: Any) -> Data:
    return record_all(
        round_of(*({"cards": known_name["cards"]} for known_name in KNOWN), events=[*KNOWN, *events], button=3, **more)
    )


def moves(seat: int, gone: str, new: str) -> list[Data]:
    return [event("discard", seat, cards=gone), event("draw", seat, cards=new)]


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        ([*moves(1, "2c", "Kc"), *moves(2, "2d", "Kd")], "yes"),
        ([*moves(1, "2c", "Kc"), *moves(2, "2d", "2c")], "no"),
        ([*moves(1, "2c", "Kc"), SHUFFLE, *moves(2, "2d", "2c")], "yes"),
        ([SHUFFLE, *moves(1, "2c", "Kc"), *moves(2, "2d", "2c")], "no"),  # which was before it was put away
        ([*moves(1, "2c", "Kc"), SHUFFLE, *moves(2, "2d", "3c")], "no"),  # which another still holds
        ([*moves(1, "2c", "Kc"), SHUFFLE, *moves(2, "2d", "2c"), *moves(3, "9c", "2c")], "no"),
        ([*moves(1, "2c", "Kc"), SHUFFLE, *moves(2, "2d", "2c"), pat(3), SHUFFLE, *moves(2, "2c", "2d")], "yes"),
        ([says(3, "fold"), SHUFFLE, *moves(1, "2c", "Ad")], "yes"),
        ([says(3, "fold"), *moves(1, "2c", "Ad")], "no"),
        ([*moves(3, "Ad", "As"), says(3, "fold"), SHUFFLE, *moves(1, "2c3c", "AdAs")], "yes"),
        ([event("deal", place="burn", cards="6h"), SHUFFLE, *moves(1, "2c", "6h")], "yes"),
        ([event("deal", place="burn", cards="6h"), *moves(1, "2c", "6h")], "no"),
        ([*moves(1, "2c", "Kc"), {**SHUFFLE, "deck": "red"}, *moves(2, "2d", "2c")], "no"),
    ],
)
def test_cards_put_away_may_be_shuffled_and_dealt_again(events: list[Data], answer: str) -> None:
    assert answers({"cards-from-deck": True}, [know(*events, deck="blue")], "round", **GAME) == [answer]


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        ([*moves(1, "2c", "Kc"), *moves(2, "2d", "2c")], "unknown"),
        ([*moves(1, "2c", "Kc"), *moves(2, "2d", "3c")], "no"),
        ([*moves(1, "2c", "Kc"), *moves(2, "2d", "Kd")], "yes"),
        ([*moves(1, "??", "Kc"), *moves(2, "2d", "3c")], "unknown"),  # it may have been this one
        ([*moves(1, "??", "Kc"), *moves(2, "2d", "9c")], "no"),
    ],
)
def test_where_shuffles_are_not_recorded(events: list[Data], answer: str) -> None:
    record = record_all(know(*events), "shuffle")
    assert answers({"cards-from-deck": True}, [record], "round", **GAME) == [answer]
    summed_up = record_all({**record, "events": events}, "shuffle", "deal")
    assert answers({"cards-from-deck": True}, [summed_up], "round", **GAME) == [answer]


def hide(*kinds: str) -> Data:
    """Build a round in which seat 2 is dealt a card of seat 1 and draws a card of seat 3.

    Events of the given kinds hide the faces of seat 2's cards, which the summary lists.
    """
    moved = [event("discard", 2, cards="2d5d"), event("draw", 2, cards="Jh9c")]
    record = know(*moved)
    record["seats"][1] |= {"cards": "2d3c4d5d8d", "drawn": "Jh9c", "discarded": "2d5d"}
    record["events"] = [
        {**event, "cards": "2d3c4d5d8d"} if event is KNOWN[1] and "deal" not in kinds else event
        for event in record["events"]
    ]
    for changed in record["events"]:
        if changed["seat"] == 2 and changed["event"] in kinds:
            at = record["events"].index(changed)
            record["events"][at] = {**changed, "cards": "??" * (len(changed["cards"]) // 2)}
    return record


@pytest.mark.parametrize("kinds", [(), ("deal",), ("draw",), ("deal", "draw")])
def test_faces_that_only_the_summary_lists_count_as_well(kinds: tuple[str, ...]) -> None:
    check: Data = {"each": "round", "must": {"cards-from-deck": True}}
    outcomes, [found] = judge(check, [hide(*kinds)], **GAME)
    assert (outcomes, found[4]) == (["fail"], "3♣ 2 times, 9♣ 2 times")


@pytest.mark.parametrize("which", ["deal", "draw"])
def test_a_card_twice_that_only_the_summary_lists(which: str) -> None:
    record = hide("deal", "draw")
    if which == "deal":
        record["seats"][1]["drawn"] = "JhQh"
    else:
        record["seats"][1]["cards"] = "2d3d4d5d8d"
    assert answers({"cards-from-deck": True}, [record], "round", **GAME) == ["no"]


def refuse(**changes: object) -> str:
    with pytest.raises(InputError) as caught:
        room(**{**GAME, **changes})
    return str(caught.value)


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ({"exchanges": {"player": 5}, "cards": {"player": 5}}, "either `cards`, `exchanges` or `takes`"),
        ({}, "either `cards`, `exchanges` or `takes`"),
        ({"exchanges": {"dealer": 5}}, "the dealer has been dealt no cards to discard"),
        ({"exchanges": {"player": 5}, "each": 1}, "no way of dealing applies"),
        ({"exchanges": {"player": 5}, "clauses": []}, "`clauses` must name"),
    ],
)
def test_stages_that_cannot_be_meant(stage: Data, said: str) -> None:
    last = {"stage": "third-draw", "face": "down", "clauses": ["1"], **stage}
    assert said in refuse(deal={"stages": [*STAGES[:-1], last]})


def test_a_betting_round_must_hear_that_all_stand_pat() -> None:
    silent = {"first-draw": {**EVENTS["first-draw"], "event": ["discard", "draw"], "decisions": []}}
    assert "the step lacks the decision to stand pat" in refuse(**{"other-events": {**EVENTS, **silent}})


def test_no_events_no_stages() -> None:
    scope = room(**GAME).scope([round_of({"cards": "??" * 5})])
    assert stage_of_events(scope).tolist() == []
    assert len(batch_of([round_of({})])) == 1
