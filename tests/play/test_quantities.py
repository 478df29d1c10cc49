"""Quantities: their values, where they are unknown, and what is decided nevertheless."""

from __future__ import annotations

import pytest

from tests.facade.text import InputError
from tests.play.table import NOTHING, Data, answers, describe, event, measures, room, round_of

METERS = [{"meter": "jackpot", "opening": 1000, "shown": 1100, "closing": 900}, {"meter": "other", "shown": 5}]


def stake(main: int = 100, **side: int) -> Data:
    """Build a seat with a stake on the main wager, and the result of a side stake."""
    wagers: list[Data] = [{"wager": "main", "amount": main}]
    if side:
        wagers.append({"wager": "side", "amount": 100, **side})
    return {"wagers": wagers}


def test_meters_of_a_round() -> None:
    records = [round_of({}, meters=METERS), round_of({}, number=2), round_of({}, meters=METERS[1:], number=3)]

    def read(name: str, at: str) -> list[object]:
        return [*measures({"meter": {name: at}}, records, "round")]

    assert read("jackpot", "opening") == [1000, NOTHING, NOTHING]
    assert read("jackpot", "shown") == [1100, NOTHING, NOTHING]
    assert read("jackpot", "closing") == [900, NOTHING, NOTHING]
    assert read("other", "shown") == [5, NOTHING, 5]
    assert read("other", "opening") == [NOTHING] * 3


def test_differences_go_below_zero() -> None:
    shown, closing = ({"meter": {"jackpot": at}} for at in ("shown", "closing"))
    records = [round_of({}, meters=METERS), round_of({}, number=2)]
    assert measures({"difference": shown, "less": closing}, records, "round") == [200, NOTHING]
    assert measures({"difference": closing, "less": shown}, records, "round") == [-200, NOTHING]
    less = {"difference": closing, "less": shown, "at-most": 0}
    assert answers(less, records, "round") == ["yes", "unknown"]


def test_terms_and_numbers_of_the_submission() -> None:
    records = [round_of({}, {})]
    submission = {"meters": [{"meter": "jackpot", "seed": 50}], "hands-per-player": 2}
    seed, increment = ({"meter": {"jackpot": term}} for term in ("seed", "increment"))
    assert measures(seed, records, "round", submission=submission) == [5000]
    assert measures(increment, records, "round", submission=submission) == [NOTHING]
    assert measures(seed, records, "round", submission={}) == measures(seed, records, "round") == [NOTHING]
    twice = {"meters": [{"meter": "jackpot", "seed": 0.01}, {"meter": "jackpot", "seed": 0.02}]}
    assert measures(seed, records, "round", submission=twice) == [NOTHING]
    hands = {"submitted": "hands-per-player"}
    assert measures(hands, records, submission=submission) == [2, 2]
    assert measures(hands, records, submission={}) == measures(hands, records) == [NOTHING, NOTHING]


def test_what_was_paid_and_taken() -> None:
    seats = [stake(paid=500, taken=0), stake(), stake(taken=100), stake(paid=0, taken=100)]
    assert measures({"paid": "side"}, [round_of(*seats)]) == [500, 0, NOTHING, 0]
    assert measures({"taken": "side"}, [round_of(*seats)]) == [0, 0, 100, 100]
    this = [{"wagers": [{"wager": "main", "amount": 100, "paid": 7}], "bonuses": [{"bonus": "bonus", "paid": 9}]}]
    assert measures({"paid": "this"}, [round_of(*this)], "stake") == [7, 9]
    assert measures({"taken": "this"}, [round_of(*this)], "stake") == [NOTHING, 0]
    assert measures({"paid": "bonus"}, [round_of(*this)]) == [9]
    tip = {"wagers": [{"wager": "side", "amount": 100, "tip": True, "paid": 5}]}
    assert measures({"paid": "side"}, [round_of(tip)]) == [0]  # the dealer's


def test_seats_are_counted_as_far_as_they_are_known() -> None:
    pair = {"seats": {"holds": {"hand": "dealt", "at-least": "pair"}}}
    records = [
        round_of({"cards": "AsAdKc"}, {"cards": "2s2d3c"}, {"cards": "4s5d7c"}, number=1),
        round_of({"cards": "AsAdKc"}, {"cards": "2s2d3c"}, {}, number=2),
        round_of({"cards": "9s8d6c"}, {}, number=3),
    ]
    assert measures(pair, records, "round") == [2, (2, 3), (0, 1)]
    assert answers({**pair, "at-least": 2}, records, "round") == ["yes", "yes", "no"]
    assert answers({**pair, "at-most": 2}, records, "round") == ["yes", "unknown", "yes"]
    assert answers({**pair, "equals": 2}, records, "round") == ["yes", "unknown", "no"]
    assert answers({**pair, "differs-from": 2}, records, "round") == ["no", "unknown", "yes"]
    assert answers({**pair, "more-than": 1}, records, "round") == ["yes", "yes", "no"]


def test_totals_over_seats() -> None:
    total = {"total": {"paid": "side"}, "when": {"holds": {"hand": "dealt", "at-least": "pair"}}}
    pair, none = {"cards": "AsAdKc"}, {"cards": "9s8d6c"}
    records = [
        round_of({**pair, **stake(paid=300)}, {**none, **stake(paid=50)}, {**pair, **stake(paid=4)}, number=1),
        round_of({**pair, **stake(paid=300)}, stake(paid=50), number=2),
        round_of({**pair, **stake(taken=100)}, {**none, **stake(paid=50)}, number=3),
        round_of(none, number=4),
    ]
    assert measures(total, records, "round") == [304, (300, 350), NOTHING, 0]
    assert measures({"largest": total["total"], "when": total["when"]}, records, "round") == [300, 300, (0, None), 0]


def test_the_largest_over_seats_is_between_bounds_where_a_seat_may_or_may_not_count() -> None:
    largest = {"largest": {"paid": "side"}, "when": {"holds": {"hand": "dealt", "at-least": "pair"}}}
    pair, none = {"cards": "AsAdKc"}, {"cards": "9s8d6c"}
    records = [
        round_of({**pair, **stake(paid=30)}, {**none, **stake(paid=50)}, number=1),
        round_of({**pair, **stake(paid=30)}, stake(paid=50), number=2),
        round_of({**none, **stake(paid=50)}, number=3),
    ]
    assert measures(largest, records, "round") == [30, (30, 50), 0]


def test_sums_and_multiples() -> None:
    records = [round_of(stake(300), {}, dealer="AsKdQc"), round_of(stake(100), number=2)]
    three = {"times": {"amount": "main"}, "by": 3}
    assert measures(three, records) == [900, 300, 300]
    assert measures({"sum": [three, {"cards": "dealer"}, 7]}, records) == [910, 310, NOTHING]
    cards = {"times": {"cards": "dealer"}, "by": 1000}
    assert measures(cards, records, "round") == [3000, NOTHING]
    seats = {"times": {"seats": {"claimed": "side"}}, "by": 2}
    assert measures(seats, records, "round") == [(0, 4), (0, 2)]


def test_what_is_left_of_a_number_that_is_divided() -> None:
    records = [round_of(dealer="AsKdQc"), round_of(dealer="AsKdQcJh", number=2), round_of(number=3)]
    odd = {"remainder": {"cards": "dealer"}, "by": 2}
    assert measures(odd, records, "round") == [1, 0, (0, 1)]
    assert answers({**odd, "equals": 0}, records, "round") == ["no", "yes", "unknown"]
    claims = {"remainder": {"seats": {"claimed": "side"}}, "by": 3}
    assert measures(claims, [round_of({}, {}), round_of({}, {}, {}, number=2)], "round") == [(0, 2), (0, 2)]


def test_numbers_that_events_state() -> None:
    counts = [event("count", what="stub", number=5), event("count", what="stub", number=4)]
    records = [
        round_of({}, events=[event("cut"), *counts, event("cut", number=12)], number=1),
        round_of({}, events=[], number=2),
        round_of({}, number=3),
        round_of({}, events=[], unrecorded=["count"], number=4),
    ]
    assert measures({"counted": "stub-count"}, records, "round") == [4, NOTHING, NOTHING, NOTHING]
    assert measures({"events": "short-count"}, records, "round") == [1, 0, NOTHING, NOTHING]
    assert measures({"counted": "cut"}, records, "round") == [12, NOTHING, NOTHING, NOTHING]
    assert measures({"stated": "this"}, records, "event") == [NOTHING, 5, 4, 12]
    ten = {"stated": "this", "at-least": 10}
    assert answers(ten, records, "event") == ["unknown", "no", "no", "yes"]


@pytest.mark.parametrize(
    ("unrecorded", "shown", "board"),
    [("reveal", False, False), ("reveal/player", False, True), ("reveal/burn", True, True)],
)
def test_events_of_a_step_are_counted_where_its_place_is_recorded(unrecorded: str, shown: bool, board: bool) -> None:
    records = [round_of({}, events=[event("reveal", 1, cards="??")], unrecorded=[unrecorded])]
    assert measures({"events": "shown"}, records) == [1 if shown else NOTHING]
    assert measures({"events": "board-shown"}, records, "round") == [0 if board else NOTHING]


def test_numbers_that_events_of_a_seat_state() -> None:
    events = [event("announce", what="award"), *(event("announce", 2, what="award", amount=n) for n in (300, 400))]
    assert measures({"counted": "announced"}, [round_of({}, {}, events=events)]) == [NOTHING, 400]


def test_steps_may_ask_how_cards_lie() -> None:
    washed = [event("deck", what="washed", face="up"), event("deck", what="washed", face="down")]
    records = [round_of({}, events=[*washed, event("deck", what="washed")])]
    assert measures({"events": "washed-up"}, records, "round") == [(1, 2)]  # the last may have been


def test_quantities_of_a_seat_are_not_known_of_events_without_one() -> None:
    records = [round_of({"cards": "AsKdQc"}, events=[event("cut"), event("reveal", 1, cards="As")])]
    assert measures({"cards": "player"}, records, "event") == [NOTHING, 3]
    assert measures({"amount": "main"}, records, "event") == [NOTHING, 100]


def test_positions_that_the_hands_of_a_player_span() -> None:
    seats: list[Data] = [
        {"seat": 1, "player": "a"},
        {"seat": 4, "player": "b"},
        {"seat": 3, "player": "a"},
        {"seat": 7},
    ]
    records = [round_of(*seats, number=1), round_of({"seat": 2, "player": "a"}, number=2)]
    assert measures({"hands-of-player": "span"}, records) == [3, 1, 3, NOTHING, 1]


def test_a_seat_without_stake_and_cards_is_no_hand_of_its_player() -> None:
    idle: Data = {"player": "a", "wagers": [], "cards": ""}
    records = [
        round_of({"player": "a"}, idle, {"player": "a"}, {**idle, "player": None}, number=1),
        round_of({"player": "a"}, {"player": "a", "wagers": []}, {"player": "a"}, number=2),
    ]
    assert measures({"hands-of-player": "so-far"}, records) == [1, 0, 2, 0, 1, (0, 2), (2, 3)]
    assert measures({"hands-of-player": "span"}, records) == [3, 0, 3, 0, 3, (0, 3), 3]


def test_a_dealt_hand_without_a_stake_is_a_hand_of_its_player() -> None:
    dealt: Data = {"player": "a", "wagers": [], "cards": "4s5d7c"}
    assert measures({"hands-of-player": "so-far"}, [round_of({"player": "a"}, dealt)]) == [1, 2]


def test_lengths_of_hands() -> None:
    seats = [{"cards": "AsKs3d"}, {"cards": "2s2d2c"}, {"cards": "4s5d7c"}, {"cards": "4s??7c"}]
    exchanged: Data = {"dealer-discarded": "", "dealer-drawn": ""}
    records = [round_of(*seats, dealer="9h8h7h", **exchanged)]
    assert measures({"length": "suited"}, records) == [2, 3, 1, NOTHING]
    margin = {"difference": {"length": "suited"}, "less": {"length": "dealer-suited"}}
    assert measures(margin, records) == [-1, 0, -2, NOTHING]
    assert answers({**margin, "at-least": 0}, records) == ["no", "yes", "no", "unknown"]


BOARD: Data = {"dealer": "2c3c4c", "dealer-drawn": "", "community": "5c6c"}
DEALT = [
    event("deal", 1, cards="AsKdQc"),
    event("deal", place="dealer", cards="2c3c4c"),
    event("deal", place="community", cards="5c6c"),
]


@pytest.mark.parametrize(
    ("events", "cards"),
    [
        ([], 9),
        ([event("deal", place="burn", cards="??")], 10),
        ([event("expose", place="burn", cards="7c")], 10),
        ([event("deal", place="burn", cards="7c"), event("expose", place="burn", cards="7c")], 10),
        ([event("expose", place="burn", cards="7c"), event("expose", place="burn", cards="7c")], 10),
        ([event("expose", place="burn", cards="Js")], 9),  # which was drawn after that
        ([event("draw", place="burn", cards="7c")], 10),
        ([event("draw", place="burn", cards="5c")], 9),  # it was the next card
        ([event("draw", place="burn", cards="??")], NOTHING),
    ],
)
def test_cards_out_of_the_deck(events: list[Data], cards: object) -> None:
    seat = {"cards": "AsKdQc", "drawn": "Js"}
    told_so = round_of(seat, events=[*DEALT, *events, event("draw", 1, cards="Js")], **BOARD)
    assert measures({"cards": "everywhere"}, [told_so], "round") == [cards]


def test_a_card_that_comes_to_light_before_the_shuffle_is_in_the_deck_again() -> None:
    dealt = [*DEALT, event("draw", 1, cards="Js")]
    shown, shuffle = event("expose", place="burn", cards="7c"), event("shuffle")
    for events, cards in (
        ([shown, shuffle, *dealt], 9),
        ([shuffle, shown, *dealt], 10),
        ([*dealt, shown, shuffle], 10),
    ):
        record = round_of({"cards": "AsKdQc", "drawn": "Js"}, events=events, **BOARD)
        assert measures({"cards": "everywhere"}, [record], "round") == [cards]


def test_a_card_that_is_dealt_once_it_came_to_light_is_the_same_card() -> None:
    shown = event("expose", place="burn", cards="As")
    for events, expected in (([shown, *DEALT], "yes"), ([*DEALT, shown], "no")):
        record = round_of({"cards": "AsKdQc", "drawn": ""}, events=events, **BOARD)
        assert answers({"cards-from-deck": True}, [record], "round") == [expected]


def test_cards_out_of_the_deck_are_not_known_of_a_summary() -> None:
    seat = {"cards": "AsKdQc", "drawn": "Js"}
    assert measures({"cards": "everywhere"}, [round_of(seat, **BOARD)], "round") == [NOTHING]
    silent: Data = {key: value for key, value in BOARD.items() if key != "community"}
    dealt = [event("deal", 1, cards="AsKdQc"), event("deal", place="dealer", cards="2c3c4c")]
    unseen = round_of(seat, events=dealt, unrecorded=["deal/community"], **silent)
    assert measures({"cards": "everywhere"}, [unseen], "round") == [NOTHING]
    # Where dealing to the community is recorded, none was dealt.
    assert measures({"cards": "everywhere"}, [round_of(seat, events=dealt, **silent)], "round") == [7]
    # Where the record breaks off some may have been dealt after that.
    broken_off = round_of(seat, events=dealt, complete=False, **silent)
    assert measures({"cards": "everywhere"}, [broken_off], "round") == [NOTHING]
    # After any decision the deal is over.
    decided = [*dealt, event("decide", 1, decision="play")]
    silent = round_of({"drawn": ""}, events=decided, complete=False, **silent)
    assert measures({"cards": "player"}, [silent], "seat") == [3]
    assert measures({"cards": "community"}, [silent], "round") == [0]


def test_a_card_drawn_in_error_that_was_dealt_before_is_there_twice() -> None:
    """This does not hold if it is dealt, burnt or shown afterwards, or if the order of the deal is unknown."""
    drawn, burnt = event("draw", place="burn", cards="As"), event("deal", place="burn", cards="7c")
    other, light = event("draw", place="burn", cards="7c"), event("expose", place="burn", cards="7c")
    for events, unrecorded, expected in (
        ([drawn, *DEALT], [], "yes"),
        ([*DEALT, drawn], [], "no"),
        ([*DEALT, drawn], ["deal/order"], "yes"),
        ([*DEALT, other, other], [], "yes"),
        ([*DEALT, other, burnt], [], "yes"),
        ([*DEALT, other, light], [], "yes"),
    ):
        record = round_of({"cards": "AsKdQc", "drawn": ""}, events=events, unrecorded=unrecorded, **BOARD)
        assert answers({"cards-from-deck": True}, [record], "round") == [expected]


def shows(*cards: str, place: str | None = None) -> list[Data]:
    """Show hands of the first seat, or of a place, one after the other."""
    return [event("reveal", None if place else 1, cards=card, **({"place": place} if place else {})) for card in cards]


@pytest.mark.parametrize(
    ("cards", "number"),
    [
        (["AsKdQc"], 3),
        (["As", "Kd", "Qc"], 3),
        (["AsKd", "As"], 2),
        (["AsAs"], 1),
        (["As??"], 2),
        (["As", "??"], (1, 2)),  # it may be the ace again
        (["As??", "Kd"], (2, 3)),
        ([], 0),
    ],
)
def test_a_card_that_is_shown_again_is_one_card(cards: list[str], number: object) -> None:
    seat = {"cards": "AsKdQc", "discarded": "", "drawn": ""}
    record = round_of(seat, {"cards": "2h3h4h"}, events=shows(*cards))
    assert measures({"cards-in": "shown"}, [record]) == [number, 0]
    together = round_of(seat, community="9c9d", events=shows("9c", "9c9d", "9d", place="community"))
    assert measures({"cards-in": "board-shown"}, [together], "round") == [2]


def test_of_several_decks_a_face_may_be_shown_as_often_as_it_comes() -> None:
    record = round_of({"cards": "AsAsQc"}, events=shows("As", "As"))
    assert measures({"cards-in": "shown"}, [record], deck={"cards": "standard-52", "decks": 2}) == [2]


@pytest.mark.parametrize(
    ("discarded", "cards", "number"),
    [
        ("Qc", ["AsKd"], 2),
        ("Qc", ["AsQc"], 1),
        ("Qc", ["AsKdQc"], 2),
        ("Qc", ["As", "Kd", "Kd"], 2),
        ("", ["AsKdQc"], 3),
        ("??", ["AsQc"], 2),  # nobody saw which was put aside
    ],
)
def test_cards_kept_are_counted_without_those_put_aside(discarded: str, cards: list[str], number: object) -> None:
    seat = {"cards": "AsKdQc", "discarded": discarded, "drawn": ""}
    assert measures({"kept-cards-in": "shown"}, [round_of(seat, events=shows(*cards))]) == [number]
    racked = [event("collect-cards", 1, cards="".join(cards))]
    if "KdKd" not in racked[0]["cards"]:
        assert measures({"kept-cards-in": "rack"}, [round_of(seat, events=racked)]) == [number]


def test_a_step_without_a_place_keeps_no_cards() -> None:
    with pytest.raises(InputError, match="deal names no place whose cards can be discarded"):
        room(facts={"asked": {"kept-cards-in": "deal", "at-least": 1}})


def test_drawn_and_burnt_cards_count_against_the_deck() -> None:
    from_deck = {"cards-from-deck": True}
    dealt, board = {"cards": "AsKdQc"}, BOARD
    assert answers(from_deck, [round_of({**dealt, "drawn": "Js"}, **board)], "round") == ["yes"]
    assert answers(from_deck, [round_of({**dealt, "drawn": "2c"}, **board)], "round") == ["no"]
    assert answers(from_deck, [round_of(dealt, **board)], "round") == ["unknown"]
    burnt = [event("draw", 1, cards="Js"), event("expose", place="burn", cards="As")]
    assert answers(from_deck, [round_of({**dealt, "drawn": "Js"}, events=burnt, **board)], "round") == ["no"]
    twice = [event("draw", 1, cards="Js"), *(event("expose", place="burn", cards="9s") for _ in range(2))]
    assert answers(from_deck, [round_of({**dealt, "drawn": "Js"}, events=twice, **board)], "round") == ["yes"]


def money(of: Data, equals: Data | int) -> Data:
    return {**of, "equals": equals}


@pytest.mark.parametrize(
    ("condition", "expected", "observed"),
    [
        (
            money({"discarded": "player"}, 0),
            "the player's number of cards discarded must be 0",
            "the player's number of cards discarded: 1",
        ),
        (
            money({"counted": "stub-count"}, {"cards": "everywhere"}),
            "the number stated when stub count must equal the cards out of the deck",
            "the number stated when stub count: 7; the cards out of the deck: not known",
        ),
        (
            money({"paid": "side"}, {"times": {"amount": "main"}, "by": 2}),
            "the amount paid on Side must equal 2 times the Main wager (2.00)",
            "the amount paid on Side: 5.00; 2 times the Main wager: 2.00",
        ),
        (
            money({"difference": {"meter": {"jackpot": "closing"}}, "less": 1000}, 0),
            "the meter jackpot after the round less 10.00 must be 0.00",
            "the meter jackpot after the round less 10.00: -1.00",
        ),
        (
            money({"seats": {"claimed": "side"}}, 3),
            "the number of seats with a win declared on Side must be 3",
            "the number of seats with a win declared on Side: 1 to 2, exact value unknown",
        ),
        (
            money({"total": {"paid": "side"}, "when": {"placed": "side"}}, {"taken": "main"}),
            "the amount paid on Side of all seats together must equal the amount taken on Main",
            "the amount paid on Side of all seats together: 5.00; the amount taken on Main: not known",
        ),
        (
            money(
                {"sum": [{"length": "suited"}, {"drawn": "player"}, {"held": "player"}]}, {"submitted": "deck.decks"}
            ),
            "the number of cards that count in the longest flush plus the player's number of cards drawn plus the "
            "player's number of cards held must equal “decks” of “deck” as submitted (1)",
            "the number of cards that count in the longest flush plus the player's number of cards drawn plus the "
            "player's number of cards held: 3; “decks” of “deck” as submitted: 1",
        ),
        (
            money({"meter": {"jackpot": "seed"}}, {"meter": {"jackpot": "opening"}}),
            "the submitted seed of the meter jackpot must equal the meter jackpot before the wagers (10.00)",
            "the submitted seed of the meter jackpot: 50.00; the meter jackpot before the wagers: 10.00",
        ),
        (
            money({"hands-of-player": "span"}, 1),
            "the number of positions that the hands of this player span must be 1",
            "the number of positions that the hands of this player span: 2",
        ),
    ],
)
def test_quantities_in_words(condition: Data, expected: str, observed: str) -> None:
    wagers = [{"wager": "main", "amount": 100}, {"wager": "side", "amount": 100, "paid": 500, "claimed": True}]
    one = {"cards": "4s5d7c", "discarded": "4s", "drawn": "", "player": "a", "wagers": wagers}
    records = [
        round_of(
            one, {"player": "a"}, meters=METERS, events=[event("count", what="stub", number=7)], unrecorded=["claim"]
        )
    ]
    submission = {"meters": [{"meter": "jackpot", "seed": 50}], "deck": {"cards": "standard-52", "decks": 1}}
    assert describe(condition, records, 0, submission=submission) == (expected, observed)


def test_the_number_of_an_event_in_words() -> None:
    cut = money({"stated": "this"}, 10)
    records = [round_of({}, events=[event("cut", number=9), event("cut")])]
    assert describe(cut, records, 0, "event") == ("the number stated must be 10", "the number stated: 9")
    assert describe(cut, records, 1, "event") == ("the number stated must be 10", "the number stated: not known")


def test_cards_shown_whose_faces_are_not_recorded_may_be_others() -> None:
    shown = [event("reveal", 1, cards="AsKd"), event("reveal", 2, cards="As??"), event("reveal", 2, cards="As")]
    records = [round_of({}, {}, {}, events=shown), round_of({}, events=[event("reveal", 1, cards="????")], number=2)]
    assert measures({"shown-cards": "player"}, records) == [2, (1, 2), 0, (0, 2)]
