"""Deals in stages: the stage of each card, and the findings where one goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.facade.text import InputError
from tests.play.table import PLAY, Data, answers, event, judge, measures, room, round_of, step

BOARD = ("flop", "turn", "river")
STAGES: list[Data] = [
    {"stage": "hole-cards", "cards": {"player": 2}, "each": 1, "face": "down", "by": "dealer", "clauses": ["1"]},
    {"stage": "flop", "burn": 1, "cards": {"community": 3}, "face": "up", "clauses": ["1"]},
    {"stage": "turn", "burn": 1, "cards": {"community": 1}, "face": "up", "clauses": ["1"]},
    {"stage": "river", "burn": 1, "cards": {"community": 1}, "face": "up", "clauses": ["1"]},
]
EVENTS: Data = {
    **PLAY["other-events"],
    **{
        name: made
        for stage in BOARD
        for what, place in (("burn", "burn"), ("board", "community"))
        for name, made in step(f"{stage}-{what}", "deal", stage=stage, place=place).items()
    },
    **step("hole", "deal", stage="hole-cards", each="seat"),
}
IN_STAGES: Data = {
    "deal": {"stages": STAGES},
    "hands": {"high": {"title": "the best five", "from": ["player", "community"], "rank-by": "five-card"}},
    "pay-tables": {},
    "other-events": EVENTS,
}
TURN: Data = {"dealt": {"stage": "hole-cards"}}
BURN: Data = {"dealt": {"stage": list(BOARD), "asks": "burn"}}
COUNT: Data = {"dealt": {"stage": list(BOARD), "asks": "count"}}


def hole(seat: int, cards: str = "??") -> Data:
    return event("deal", seat, cards=cards, by="dealer")


def burn(cards: str = "??") -> Data:
    return event("deal", place="burn", cards=cards)


def board(cards: int) -> Data:
    return event("deal", place="community", cards="??" * cards, face="up")


def holes(seats: int) -> list[Data]:
    return [hole(seat) for _ in range(2) for seat in range(1, seats + 1)]


def whole(seats: int = 3) -> list[Data]:
    return [*holes(seats), burn(), board(3), burn(), board(1), burn(), board(1)]


def play(events: Sequence[Data], seats: int = 3, number: int = 1) -> Data:
    """Build a round of these events, with a summary that agrees with them."""
    held = {
        seat: "".join(event["cards"] for event in events if event.get("seat") == seat) for seat in range(1, seats + 1)
    }
    on_board = "".join(event["cards"] for event in events if event["place"] == "community")
    around = {"community": on_board} if on_board else {}
    return round_of(*({"cards": held[seat]} for seat in held), number=number, events=list(events), **around)


def outcomes(events: Sequence[Data], seats: int = 3) -> tuple[str, str, str]:
    """Return the statuses of the turn of the hole cards, the burning and the number of board cards."""
    turn, burning, number = (judge(check, [play(events, seats)], **IN_STAGES)[0][0] for check in (TURN, BURN, COUNT))
    return turn, burning, number


def finding(check: Data, events: Sequence[Data]) -> tuple[Any, ...]:
    [found] = judge(check, [play(events)], **IN_STAGES)[1]
    return found[1:]


@pytest.mark.parametrize("end", [6, 7, 8, 9, 10, 11, 12])
def test_a_round_that_is_over_early_is_no_miscount(end: int) -> None:
    of_the_board = "pass" if end > 7 else "not-applicable"  # before that no card of the board has come
    assert outcomes(whole()[:end]) == ("pass", of_the_board, of_the_board)


def test_hole_cards_go_twice_round() -> None:
    events = whole()
    events[0], events[1] = events[1], events[0]
    assert outcomes(events) == ("fail", "pass", "pass")
    assert finding(TURN, events) == (2, 1, "1 card to seat 1", "1 card to seat 2")


def test_a_second_hole_card_before_the_first_round_is_over() -> None:
    events = [hole(1), hole(2), hole(2), hole(3), hole(1), hole(3), *whole()[6:]]
    assert finding(TURN, events) == (2, 3, "1 card to seat 3", "1 card to seat 2")


@pytest.mark.parametrize(("at", "stage"), [(6, "flop"), (8, "turn"), (10, "river")])
def test_a_missing_burn_is_found_at_its_stage_alone(at: int, stage: str) -> None:
    events = [event for index, event in enumerate(whole()) if index != at]
    assert outcomes(events) == ("pass", "fail", "pass")
    assert finding(BURN, events) == (None, at + 1, f"1 card burnt before the {stage}", "no cards")


def test_two_cards_are_burnt() -> None:
    apart = [*whole()[:8], burn(), *whole()[8:]]
    assert finding(BURN, apart) == (None, 11, "1 card burnt before the turn", "2 cards")
    together = [*whole()[:8], burn("????"), *whole()[9:]]
    assert finding(BURN, together) == (None, 10, "1 card burnt before the turn", "2 cards")
    assert outcomes(apart)[::2] == outcomes(together)[::2] == ("pass", "pass")


def test_an_event_that_deals_no_cards_moves_nothing() -> None:
    for nothing in (hole(2, ""), board(0)):
        for at in range(len(whole()) + 1):
            assert outcomes([*whole()[:at], nothing, *whole()[at:]]) == ("pass", "pass", "pass")


def test_a_card_burnt_in_the_middle_of_a_stage_is_one_too_many_or_too_late() -> None:
    late = [*whole()[:6], board(1), burn(), board(2), burn(), board(1), burn(), board(1)]
    assert outcomes(late)[1] == "fail"


def test_a_card_burnt_in_the_middle_of_a_stage_moves_no_cards_where_players_go_on_to_act() -> None:
    acts = [event("decide", seat, decision="stay") for seat in (1, 2, 3)]
    for flop in ([board(1), burn(), board(2)], [board(1), burn(), board(1), burn(), board(1)]):
        events = [*whole()[:7], *flop, *acts, *whole()[8:10], *acts, *whole()[10:]]
        record = {**play([event for event in events if "place" in event]), "events": events}
        assert judge(COUNT, [record], **IN_STAGES)[0] == ["pass"]
        [found] = judge(BURN, [record], **IN_STAGES)[1]
        burnt = f"{1 + sum(card['place'] == 'burn' for card in flop)} cards"
        assert found[1:] == (None, 8, "1 card burnt before the flop", burnt)
    # a flop is too small if an act precedes the next card
    short = [*whole()[:7], board(2), *acts, burn(), board(1), *acts, burn(), board(1)]
    record = {**play([event for event in short if "place" in event]), "events": short}
    assert judge(COUNT, [record], **IN_STAGES)[1][0][1:] == (None, 8, "3 cards in the flop", "2 cards")


ACTS = [event("decide", seat, decision="stay") for seat in (1, 2, 3)]


def street_by_street(*streets: list[Data], burns: bool = True) -> Data:
    """Deal the board street by street, each after a burn, with acts before and after each."""
    events = holes(3)
    for street in streets:
        events += [*ACTS, *([burn()] * burns), *street]
    record = {**play([event for event in events if "place" in event]), "events": [*events, *ACTS]}
    return record if burns else {**record, "unrecorded": [*record["unrecorded"], "deal/burn"]}


@pytest.mark.parametrize("burns", [True, False])
@pytest.mark.parametrize(
    ("streets", "told"),
    [
        ([[board(3)], [board(1)], [board(1)]], None),
        ([[board(1), board(1), board(1)], [board(1)], [board(1)]], None),
        ([[board(2)], [board(1)], [board(1)]], ("3 cards in the flop", "2 cards")),
        ([[board(1), board(1)], [board(1)], [board(1)]], ("3 cards in the flop", "2 cards")),
        ([[board(3), board(1)], [board(1)], [board(1)]], ("3 cards in the flop", "4 cards")),
        ([[board(3)], [board(1), board(1)], [board(1)]], ("1 card in the turn", "2 cards")),
        ([[board(3)], [board(1)], [board(1), board(1)]], ("1 card in the river", "2 cards")),
        ([[board(3), board(1)], [board(1)]], None),  # the turn was dealt at once, which is no miscount
    ],
)
def test_a_wrong_number_on_the_board_is_found_on_its_street(
    streets: list[list[Data]], told: tuple[str, str] | None, burns: bool
) -> None:
    found = judge(COUNT, [street_by_street(*streets, burns=burns)], **IN_STAGES)[1]
    assert [finding[3:] for finding in found] == ([] if told is None else [told])


def test_a_board_that_is_dealt_out_at_once_goes_by_the_numbers() -> None:
    apart = street_by_street([board(3)], [board(1), burn(), board(1)])
    at_once = street_by_street([board(3), board(1), board(1)], burns=False)
    assert judge(COUNT, [apart, at_once], **IN_STAGES) == (["pass", "pass"], [])


@pytest.mark.parametrize("cards", [1, 2, 4, 5])
def test_a_flop_of_another_number_does_not_move_the_cards_after_it(cards: int) -> None:
    events = [*whole()[:7], board(cards), *whole()[8:]]
    assert outcomes(events) == ("pass", "pass", "fail")
    told = "1 card" if cards == 1 else f"{cards} cards"
    assert finding(COUNT, events) == (None, 8, "3 cards in the flop", told)


def test_two_cards_on_the_turn() -> None:
    assert finding(COUNT, [*whole()[:9], board(2), *whole()[10:]]) == (None, 10, "1 card in the turn", "2 cards")


def test_without_burns_and_without_errors_stages_go_by_their_number() -> None:
    plain = [{key: value for key, value in stage.items() if key != "burn"} for stage in STAGES]
    asked = {**IN_STAGES, "deal": {"stages": plain}}
    events = [*holes(3), board(3), board(1), board(1)]
    counts = [measures({"events": f"{stage}-board"}, [play(events)], "round", **asked) for stage in BOARD]
    assert counts == [[1], [1], [1]]
    singly = [*holes(3), *(board(1) for _ in range(5))]
    counts = [measures({"events": f"{stage}-board"}, [play(singly)], "round", **asked) for stage in BOARD]
    assert counts == [[3], [1], [1]]


def test_steps_go_by_stage() -> None:
    records = [play(whole()), play(whole()[:9], number=2), play(whole()[:6], number=3)]
    for stage, counts in (("flop", [1, 1, 0]), ("turn", [1, 0, 0]), ("river", [1, 0, 0])):
        assert measures({"events": f"{stage}-board"}, records, "round", **IN_STAGES) == counts
    assert measures({"events": "turn-burn"}, records, "round", **IN_STAGES) == [1, 1, 0]
    assert measures({"events": "hole"}, records, "seat", **IN_STAGES) == [2] * 9


def test_the_order_of_stages_is_a_sequence() -> None:
    steps = [{"step": f"{stage}-{what}", "times": "optional"} for stage in BOARD for what in ("burn", "board")]
    check = {"sequence": {"steps": [{"step": "hole", "times": "at-least-one"}, *steps]}}
    swapped = [*whole()[:7], burn(), board(3), board(1), burn(), board(1)]
    statuses, _ = judge(check, [play(whole()), play(whole()[:9], number=2), play(swapped, number=3)], **IN_STAGES)
    assert statuses == ["pass", "pass", "fail"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, str, int]:
    return (
        draw(st.integers(1, 9)),
        draw(st.integers(0, 3)),
        draw(st.sampled_from(["none", "burn", "count"])),
        draw(st.integers(0, 2)),
    )


@given(st.lists(tables(), min_size=1, max_size=6))
def test_one_error_is_one_finding_whatever_stands_around_it(rounds: list[tuple[int, int, str, int]]) -> None:
    records, wanted = [], []
    for number, (seats, last, error, where) in enumerate(rounds, 1):
        stages = [[burn(), board(3)], [burn(), board(1)], [burn(), board(1)]][:last]
        happens = error if where < last else "none"
        if happens == "burn":
            stages[where] = stages[where][1:]
        elif happens == "count":
            stages[where] = [burn(), board(5)]
        records.append(play([*holes(seats), *(event for stage in stages for event in stage)], seats, number))
        fine = "pass" if last else "not-applicable"
        wanted.append(("pass", "fail" if happens == "burn" else fine, "fail" if happens == "count" else fine))
    for index, check in enumerate((TURN, BURN, COUNT)):
        assert judge(check, records, **IN_STAGES)[0] == [expected_item[index] for expected_item in wanted]


STREETS: list[Data] = [
    {"stage": "hole", "cards": {"player": 2}, "each": 1, "face": "down", "clauses": ["1"]},
    {"stage": "door", "cards": {"player": 1}, "face": "up", "clauses": ["1"]},
    {"stage": "fourth", "burn": 1, "cards": {"player": 1}, "face": "up", "clauses": ["1"]},
    {"stage": "fifth", "burn": 1, "cards": {"player": 1}, "face": "up", "clauses": ["1"]},
]
STREET_EVENTS: Data = {
    **PLAY["other-events"],
    **{
        name: made
        for street in STREETS
        for name, made in step(street["stage"], "deal", stage=street["stage"], each="seat").items()
    },
}
IN_STREETS: Data = {
    **IN_STAGES,
    "deal": {"stages": STREETS},
    "hands": {"high": {"title": "five cards", "from": ["player"], "rank-by": "five-card"}},
    "other-events": STREET_EVENTS,
}


def street(*seats: int) -> list[Data]:
    return [burn(), *(hole(seat) for seat in seats)]


def test_stages_of_the_players_own_cards() -> None:
    third = [hole(seat) for _ in range(3) for seat in (1, 2, 3)]
    # Seat 2 is out before the fourth card; seat 3 is passed over, and gets its fifth card with the others.
    records = [
        play([*third, *street(1, 2, 3), *street(1, 2, 3)]),
        play([*third, *street(1), *street(1, 3)], number=2),
    ]
    found = {
        street["stage"]: measures({"events": street["stage"]}, records, "seat", **IN_STREETS) for street in STREETS
    }
    assert found == {
        "hole": [2] * 6,
        "door": [1] * 6,
        "fourth": [1, 1, 1, 1, 0, 0],
        "fifth": [1, 1, 1, 1, 0, 1],
    }
    assert judge({"dealt": {"asks": "count"}}, records, **IN_STREETS)[0] == ["pass", "pass"]
    assert judge({"dealt": {"asks": "burn"}}, records, **IN_STREETS)[0] == ["pass", "pass"]
    assert judge({"dealt": {}}, records, **IN_STREETS)[0] == ["pass", "pass"]


def with_ways(stage: Data, **ways: list[Data]) -> Data:
    kept = {key: value for key, value in stage.items() if key in ("stage", "cards", "face")}
    return {**kept, "ways": {name: {"clauses": ["1"], "passes": passes} for name, passes in ways.items()}}


SEVERAL_WAYS: Data = {
    **IN_STAGES,
    "deal": {
        "stages": [
            with_ways(
                STAGES[0],
                singly=[{"to": ["player"], "each": 1, "times": 2}],
                packets=[{"to": ["player"], "each": 2}],
            ),
            *STAGES[1:],
        ]
    },
}


def test_a_stage_may_be_dealt_in_several_ways() -> None:
    packets = [event("deal", seat, cards="????") for seat in (1, 2, 3)]
    records = [play(whole()), play([*packets, *whole()[6:]], number=2)]
    assert judge(TURN, records, **SEVERAL_WAYS)[0] == ["pass", "pass"]
    assert answers({"dealt-as": "singly"}, records, "round", **SEVERAL_WAYS) == ["yes", "no"]
    assert answers({"dealt-as": "packets"}, records, "round", **SEVERAL_WAYS) == ["no", "yes"]


@pytest.mark.parametrize(
    ("stages", "problem"),
    [
        ([*STAGES, STAGES[1]], "the stage flop is listed twice"),
        ([{**STAGES[0], "each": 2, "cards": {"player": 3}}], "3 cards are not dealt 2 at a time"),
        ([{**STAGES[0], "cards": {"player": 2, "dealer": 3}}], "places that receive different numbers of cards"),
        ([{key: value for key, value in STAGES[0].items() if key != "clauses"}], "`clauses` must name"),
        ([{**SEVERAL_WAYS["deal"]["stages"][0], "burn": 1}], "each way has its own `burn`"),
        (
            [
                *SEVERAL_WAYS["deal"]["stages"],
                with_ways({**STAGES[1], "stage": "more"}, singly=[{"to": ["community"], "each": 3}]),
            ],
            "another stage has the way `packets`",
        ),
        ([{**STAGES[0], "first": "cutoff"}], "there is no first seat `cutoff`"),
        (
            [STAGES[0], *({**stage, "when": {"some-seat": {"placed": "main"}}} for stage in STAGES[1:])],
            "holds 2 to 7 cards.*needs no `when`",
        ),
    ],
)
def test_stages_that_cannot_be_meant_are_refused(stages: list[Data], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        room(**{**IN_STAGES, "deal": {"stages": stages}, "other-events": PLAY["other-events"]})


FROM_THE_BUTTON: Data = {
    **IN_STAGES,
    "deal": {"stages": [{**STAGES[0], "first": "button-left"}, *STAGES[1:]]},
    "table": {"players": {"at-least": 2, "at-most": 9}, "positions": {"button-left": [{"after": "button"}]}},
}


def from_seat(*seats: int) -> list[Data]:
    return [hole(seat) for _ in range(2) for seat in seats]


@pytest.mark.parametrize(
    ("button", "order", "status"),
    [
        (1, (2, 3, 1), "pass"),
        (3, (1, 2, 3), "pass"),
        (2, (3, 1, 2), "pass"),
        (2, (1, 2, 3), "fail"),
        (9, (1, 2, 3), "pass"),
        (None, (1, 2, 3), "not-evidenced"),
    ],
)
def test_the_first_card_goes_to_a_position_of_the_table(
    button: int | None, order: tuple[int, ...], status: str
) -> None:
    record = {**play(from_seat(*order)), **({} if button is None else {"button": button})}
    assert judge(TURN, [record], **FROM_THE_BUTTON)[0] == [status]


def test_a_seat_that_takes_no_part_is_not_served() -> None:
    out: Data = {"seat": 2, "playing": False, "wagers": []}
    record = round_of({"cards": "????"}, out, {"cards": "????"}, events=from_seat(3, 1), button=1)
    assert judge(TURN, [record], **FROM_THE_BUTTON)[0] == ["pass"]


def test_what_the_log_does_not_record_of_the_deal_is_not_evidenced() -> None:
    record = {
        **play([event for event in whole() if event["place"] != "burn"]),
        "unrecorded": ["deal/burn", "wager", "pay"],
    }
    assert [judge(check, [record], **IN_STAGES)[0] for check in (TURN, BURN, COUNT)] == [
        ["pass"],
        ["not-evidenced"],
        ["pass"],
    ]


def test_a_burn_is_of_no_known_stage_where_the_log_does_not_record_what_it_was_for() -> None:
    events = [event for event in whole() if event["place"] != "community"]
    record = {**play(events), "community": "??" * 5, "unrecorded": ["deal/community", "wager", "pay"]}
    for stage in BOARD:
        assert measures({"events": f"{stage}-burn"}, [record], "round", **IN_STAGES) == [(0, 3)]
    assert [judge(check, [record], **IN_STAGES)[0] for check in (TURN, BURN, COUNT)] == [
        ["pass"],
        ["not-evidenced"],
        ["not-evidenced"],
    ]


@pytest.mark.parametrize(("declared", "stopped"), [((2, 3), "no"), ((3,), "yes"), ((), "yes")])
def test_hands_declared_misdealt_one_by_one_stop_no_deal_although_no_board_was_dealt(
    declared: tuple[int, ...], stopped: str
) -> None:
    record = play(holes(3)[:-2])
    record["events"] += [event("misdeal", seat, place="player") for seat in declared]
    assert {*answers({"dealt-in-turn": "broken-off"}, [record], **IN_STAGES)} == {stopped}


def test_cards_of_which_the_text_says_no_number_at_a_time_come_in_one_packet_or_in_several() -> None:
    singly = [*holes(3), burn(), board(1), board(1), board(1), *whole()[8:]]
    at_a_time = {**STAGES[1], "each": 3}
    asked = {"dealt": {"stage": "flop"}}
    assert judge(asked, [play(whole()), play(singly, number=2)], **IN_STAGES)[0] == ["pass", "pass"]
    at_once = {**IN_STAGES, "deal": {"stages": [STAGES[0], at_a_time, *STAGES[2:]]}}
    assert judge(asked, [play(whole()), play(singly, number=2)], **at_once)[0] == ["pass", "fail"]


def test_places_may_receive_different_numbers_where_the_text_says_no_number_at_a_time() -> None:
    first = {key: value for key, value in STAGES[0].items() if key != "each"}
    deal = {"stages": [{**first, "cards": {"player": 2, "community": 3}}]}
    unequal = {**IN_STAGES, "deal": deal, "other-events": PLAY["other-events"]}
    packets = [hole(1, "????"), hole(2, "????"), board(3)]
    singly = [*(hole(seat) for seat in (1, 1, 2, 2)), *(board(1) for _ in range(3))]
    swapped = [packets[0], packets[2], packets[1]]
    in_rotation = [*(hole(seat) for seat in (1, 2, 1, 2)), board(3)]
    records = [play(events, 2, at) for at, events in enumerate([packets, singly, swapped, in_rotation], 1)]
    assert judge({"dealt": {}}, records, **unequal)[0] == ["pass", "pass", "fail", "fail"]
