"""Irregularities with cards and their handling: causes, remedies, cut-offs, cards that are out of play."""

from __future__ import annotations

import pytest

from tests.play.betting.game import GAME, POSTED, play_acts
from tests.play.table import NOTHING, Data, answers, event, judge, measures, round_of, step
from tests.play.test_stages import IN_STAGES, burn, hole, holes

STEPS: Data = {
    **IN_STAGES["other-events"],
    **step("start-or-seat", "fault", what=["wrong-start", "seat-missed"]),
    **step("missed", "fault", what="seat-missed", each="seat"),
    **step("set-aside", "remedy", what="set-aside"),
    **step("found", "fault", what="off-the-table"),
    **step("dead", "misdeal", place="table"),
}
IRREGULAR: Data = {**IN_STAGES, "other-events": STEPS}
AMONG: Data = {"cards-among": ["found", "set-aside"]}
UNUSED: Data = {"cards-unused": "set-aside"}


def board(cards: str) -> Data:
    return event("deal", place="community", cards=cards, face="up")


def set_aside(cards: str | None) -> Data:
    told = {} if cards is None else {"cards": cards}
    return {"event": "remedy", "what": "set-aside", "place": "deck", **told}


def at_the_flop(put_out: list[Data], flop: str = "2c3c4c", hands: tuple[str, str] = ("AsKs", "QdJd")) -> Data:
    """Build a round of two seats that ends with the flop."""
    dealt = [hole(seat, hands[seat - 1][at : at + 2]) for at in (0, 2) for seat in (1, 2)]
    seats: list[Data] = [{"cards": cards} for cards in hands]
    return round_of(*seats, community=flop, events=[*dealt, *put_out, burn(), board(flop)])


@pytest.mark.parametrize(
    ("put_out", "flop", "hands", "answer"),
    [
        ([], "2c3c4c", ("AsKs", "QdJd"), "yes"),
        ([set_aside("9h")], "2c3c4c", ("AsKs", "QdJd"), "yes"),
        ([set_aside("3c")], "2c3c4c", ("AsKs", "QdJd"), "no"),
        ([set_aside("Jd")], "2c3c4c", ("AsKs", "QdJd"), "no"),
        ([set_aside("9h")], "2c3c4c", ("????", "QdJd"), "unknown"),
        ([set_aside("3c")], "2c3c4c", ("????", "QdJd"), "no"),
        ([set_aside(None)], "2c3c4c", ("AsKs", "QdJd"), "unknown"),
        ([set_aside("??")], "2c3c4c", ("AsKs", "QdJd"), "unknown"),
        ([set_aside("9h"), set_aside("9h")], "2c3c4c", ("AsKs", "QdJd"), "yes"),
    ],
)
def test_a_card_set_aside_is_in_nobodys_hand(
    put_out: list[Data], flop: str, hands: tuple[str, str], answer: str
) -> None:
    assert answers(UNUSED, [at_the_flop(put_out, flop, hands)], "round", **IRREGULAR) == [answer]


@pytest.mark.parametrize(
    ("found", "put_out", "unrecorded", "answer"),
    [
        (None, None, [], "yes"),
        (None, "9h", [], "yes"),
        ("9h", "9h", [], "yes"),
        ("9h", "8h9h", [], "yes"),
        ("9h", "8h", [], "no"),
        ("9h8h", "8h", [], "no"),
        ("9h", None, [], "no"),
        ("9h", "??", [], "unknown"),
        ("9h", "9h??", [], "yes"),
        ("9h??", "8h", [], "no"),
        ("??", "9h", [], "unknown"),
        ("9h", None, ["remedy"], "unknown"),
        (None, None, ["remedy"], "yes"),
        (None, "9h", ["fault"], "unknown"),
    ],
)
def test_cards_of_one_step_are_looked_for_among_those_of_another(
    found: str | None, put_out: str | None, unrecorded: list[str], answer: str
) -> None:
    told = [] if found is None else [event("fault", what="off-the-table", cards=found)]
    told += [] if put_out is None else [set_aside(put_out)]
    plain = at_the_flop(told)
    record = {**plain, "unrecorded": [*plain["unrecorded"], *unrecorded]}
    assert answers(AMONG, [at_the_flop([]), record], "round", **IRREGULAR) == ["yes", answer]


def test_what_is_set_aside_is_not_known_where_it_is_not_recorded() -> None:
    plain = at_the_flop([])
    silent = {**plain, "unrecorded": [*plain["unrecorded"], "remedy"]}
    assert answers(UNUSED, [plain, {**silent, "round": "R2"}], "round", **IRREGULAR) == ["yes", "unknown"]


def test_a_round_that_ended_before_the_board_holds_no_cards_there() -> None:
    dealt = [hole(seat, cards) for cards, seat in (("As", 1), ("Qd", 2), ("Ks", 1), ("Jd", 2))]
    record = round_of({"cards": "AsKs"}, {"cards": "QdJd"}, events=[*dealt, set_aside("9h")])
    assert answers(UNUSED, [record], "round", **IRREGULAR) == ["yes"]


def test_the_finding_names_the_card() -> None:
    check = {"each": "round", "must": UNUSED}
    [found] = judge(check, [at_the_flop([set_aside("3c")])], **IRREGULAR)[1]
    assert found[3:] == ("no card of “set aside” in use", "in use: 3♣")


def test_faults_without_cards_are_counted_in_a_record_that_lists_none() -> None:
    found = [event("fault", what="off-the-table")] * 2
    record = round_of({"cards": "????"}, {"cards": "????"}, events=found)
    assert measures({"cards-in": "found"}, [record], "round", **IRREGULAR) == [NOTHING]
    [shown] = measures(
        {"cards-in": "found"}, [{**record, "events": [*found, {**found[0], "cards": "9h"}]}], "round", **IRREGULAR
    )
    assert shown == NOTHING


def test_a_step_may_be_of_several_words() -> None:
    faults = [{"event": "fault", "what": what} for what in ("wrong-start", "face-up-in-deck", "seat-missed")]
    record = round_of({"cards": "????"}, {"cards": "????"}, events=[*holes(2), *faults])
    assert measures({"events": "start-or-seat"}, [record], "round", **IRREGULAR) == [2]


CUT_OFF: Data = {
    **GAME["other-events"],
    **step("start-or-seat", "fault", what=["wrong-start", "seat-missed"]),
    **step("dead", "misdeal", place="table"),
}
BETTING: Data = {**GAME, "other-events": CUT_OFF}
VOLUNTARY: Data = {"betting": "voluntary-players", "less-than": 2}
DEAD: Data = {"events": "dead", "at-least": 1}
MUST_DIE: Data = {"each": "event", "of": "start-or-seat", "when": VOLUNTARY, "must": DEAD}
MAY_DIE: Data = {
    "each": "event",
    "of": "dead",
    "when": {"events": "start-or-seat", "at-least": 1},
    "must": VOLUNTARY,
}


def notice(after: str, *, dead: bool) -> Data:
    """Build a round whose wrong start is noticed after these acts; the blinds are posted."""
    record = play_acts(f"1 small 100; 2 big 200; {after}", stacks=dict.fromkeys(range(1, 5), 10_000), button=4)
    kill = [{"event": "misdeal", "place": "table"}] if dead else []
    events = [*record["events"], {"event": "fault", "what": "wrong-start"}, *kill]
    return {**record, "events": events, "unrecorded": [kind for kind in record["unrecorded"] if kind != "decide"]}


@pytest.mark.parametrize(
    ("acts", "players"),
    [("", 0), ("3 call 200", 1), ("3 fold", 0), ("3 call 200; 4 call 200", 2), ("3 call 200; 4 fold; 1 call 100", 2)],
)
def test_a_misdeal_hangs_on_how_many_players_have_put_in_chips(acts: str, players: int) -> None:
    early = players < 2
    for dead, (must, may) in {
        True: ("pass" if early else "not-applicable", "pass" if early else "fail"),
        False: ("fail" if early else "not-applicable", "not-applicable"),
    }.items():
        record = notice(acts, dead=dead)
        assert judge(MUST_DIE, [record], submission=POSTED, **BETTING)[0] == [must]
        assert judge(MAY_DIE, [record], submission=POSTED, **BETTING)[0] == [may]
