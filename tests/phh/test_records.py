"""Records of single hands, key by key."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.validator.evidence.poker.hand_recorder import UnreadableHandError
from tests.facade.evidence import KINDS
from tests.phh.audited import failures
from tests.phh.games import CARD_ROOM, decisions, record, records
from tests.phh.samples import SOUND


def test_a_whole_hand() -> None:
    found = record(SOUND["no-limit"], file="a/hands.phh")
    unrecorded = found.pop("unrecorded")
    assert set(unrecorded) == {*KINDS, "deal/player", "deal/dealer", "deal/burn"} - {
        "wager",
        "decide",
        "deal",
        "reveal",
        "misdeal",
    }
    assert found == {
        "round": "NL 1",
        "table": "Oak",
        "time": "2026-02-03T21:05:30Z",
        "game": CARD_ROOM.game,
        "button": 5,
        "community": "2h9hJs4c5h",
        "seats": [
            {
                "seat": 8,
                "player": "Ann",
                "cards": "AhKh",
                "stack": 100000,
                "stack-after": 128550,
                "wagers": [{"wager": "small-blind", "amount": 500}, {"wager": "bets", "amount": 27050}],
            },
            {
                "seat": 2,
                "cards": "7c2d",
                "stack": 100000,
                "stack-after": 99000,
                "wagers": [{"wager": "big-blind", "amount": 1000}],
            },
            {
                "seat": 5,
                "player": "Cy",
                "cards": "QsQd",
                "stack": 100000,
                "stack-after": 72450,
                "wagers": [{"wager": "bets", "amount": 27550}],
            },
        ],
        "events": [
            {"event": "wager", "seat": 8, "wager": "small-blind", "amount": 500},
            {"event": "wager", "seat": 2, "wager": "big-blind", "amount": 1000},
            {"event": "decide", "seat": 5, "decision": "raise", "amount": 3000},
            {"event": "decide", "seat": 8, "decision": "call", "amount": 2500},
            {"event": "decide", "seat": 2, "decision": "fold"},
            {"event": "deal", "place": "community", "cards": "2h9hJs", "face": "up"},
            {"event": "decide", "seat": 8, "decision": "check"},
            {"event": "decide", "seat": 5, "decision": "bet", "amount": 4550},
            {"event": "decide", "seat": 8, "decision": "call", "amount": 4550},
            {"event": "deal", "place": "community", "cards": "4c", "face": "up"},
            {"event": "decide", "seat": 8, "decision": "check"},
            {"event": "decide", "seat": 5, "decision": "check"},
            {"event": "deal", "place": "community", "cards": "5h", "face": "up"},
            {"event": "decide", "seat": 8, "decision": "bet", "amount": 20000},
            {"event": "decide", "seat": 5, "decision": "call", "amount": 20000},
            {"event": "reveal", "place": "player", "seat": 8, "cards": "AhKh"},
            {"event": "decide", "seat": 5, "decision": "concede"},
        ],
    }


def test_heads_up_the_last_player_has_the_button_and_the_first_entries() -> None:
    found = record(SOUND["heads-up"])
    assert found["button"] == 2
    assert found["events"][:3] == [
        {"event": "wager", "seat": 2, "wager": "ante", "amount": 100},
        {"event": "wager", "seat": 2, "wager": "small-blind", "amount": 500},
        {"event": "wager", "seat": 1, "wager": "big-blind", "amount": 1000},
    ]


def test_who_is_short_posts_what_there_is() -> None:
    antes = record(SOUND["antes"])
    assert antes["seats"][3]["wagers"] == [{"wager": "ante", "amount": 100}]
    assert [event["wager"] for event in antes["events"][:6]] == ["ante"] * 4 + ["small-blind", "big-blind"]
    big_blind = record(SOUND["big-blind-ante"])["seats"][1]
    assert big_blind["wagers"] == [{"wager": "ante", "amount": 1000}, {"wager": "big-blind", "amount": 500}]


def test_a_dead_blind_does_not_count_towards_the_bet() -> None:
    found = record(SOUND["dead-blind"])
    assert found["seats"][2]["wagers"] == [{"wager": "dead-blind", "amount": 500}, {"wager": "bets", "amount": 3000}]


@pytest.mark.parametrize(
    ("blinds", "stakes", "call"),
    [
        ("[5, 10, -4]", {"dead-blind": 400}, 1000),
        ("[5, 10, -10]", {"big-blind": 1000}, 0),
        ("[5, 10, -15]", {"dead-blind": 500, "big-blind": 1000}, 0),
    ],
)
def test_what_is_posted_late_counts_up_to_the_bet(blinds: str, stakes: dict[str, int], call: int) -> None:
    """A late post counts up to the big blind; less does not count."""
    text = SOUND["partial"].replace("[5, 10, 0]", blinds)
    found = record(text)
    late = {stake["wager"]: stake["amount"] for stake in found["seats"][2]["wagers"]}
    assert late == stakes | ({"bets": call} if call else {})
    assert decisions(found)[0].get("amount", 0) == call


@pytest.mark.parametrize("blinds", ["[10, 0, 0]", "[0, 10, 0]"])
def test_a_blind_posted_alone_is_the_big_one(blinds: str) -> None:
    found = record(SOUND["partial"].replace("[5, 10, 0]", blinds))
    posted = [event for event in found["events"] if event["event"] == "wager"]
    assert [(event["wager"], event["amount"]) for event in posted] == [("big-blind", 1000)]


def test_a_blind_of_which_nothing_is_left_is_posted_as_nothing() -> None:
    """The record then shows that the bet to call is not known."""
    found = record(SOUND["big-blind-ante"].replace("[100, 15, 100]", "[100, 10, 100]"))
    assert [event["amount"] for event in found["events"] if event.get("wager") == "big-blind"] == [0]


def test_winnings_of_nobody_tell_nothing() -> None:
    text = SOUND["walk"].replace("winnings = [0, 10, 0]", "winnings = [0, 0, 0]")
    assert not any("won" in seat for seat in record(text)["seats"])


def test_a_call_of_a_blind_posted_short_is_of_no_known_amount() -> None:
    """Everything that depends on the call is unknown too.

    Bets after a raise are known again, remaining stacks are not.
    """
    found = record(SOUND["short-big-blind"])
    assert [(decision["decision"], decision.get("amount")) for decision in decisions(found)] == [
        ("call", None),
        ("raise", 2500),
        ("call", None),
        ("check", None),
        ("check", None),
    ]
    assert found["seats"][2]["wagers"] == []


def test_a_bet_of_more_than_there_is_stands_as_it_was_written() -> None:
    text = SOUND["walk"].replace("'p3 f', 'p1 f'", "'p3 cbr 500', 'p1 f', 'p2 cc'")
    assert [decision.get("amount") for decision in decisions(record(text))] == [50000, None, 9000]


def test_cards_shown_stand_for_cards_that_were_dealt_unseen() -> None:
    text = SOUND["fixed-limit"].replace('"p3 f"]', '"p3 cc", "p2 sm AsAd", "p3 sm -"]').replace("p3 8h8c", "p3 ????")
    found = record(text.replace('"d dh p2 AsAd"', '"d dh p2 ????"'))
    assert [seat["cards"] for seat in found["seats"]] == ["????", "AsAd", "????"]
    assert [event["cards"] for event in found["events"] if event["event"] == "reveal"] == ["AsAd", "????"]


@pytest.mark.parametrize(("shown", "cards"), [("KhAh", "AhKh"), ("Ah", "AhKh"), ("Ah??", "AhKh"), ("AhQc", "AhKhQc")])
def test_cards_shown_that_were_not_dealt_are_in_the_hand_too(shown: str, cards: str) -> None:
    found = record(SOUND["no-limit"].replace("p1 sm AhKh", f"p1 sm {shown}"))
    assert found["seats"][0]["cards"] == cards


def test_what_is_shown_twice_is_shown_as_it_was_said_last() -> None:
    text = SOUND["no-limit"].replace("'p3 sm',", "'p3 sm', 'p3 sm QsQd',")
    found = record(text)["events"]
    assert [(event["event"], event["seat"]) for event in found[-2:]] == [("reveal", 8), ("reveal", 5)]


@pytest.mark.parametrize(
    ("name", "change", "complete"),
    [
        ("partial", ("", ""), False),
        ("no-limit", ("finishing_stacks", "_was"), None),
        ("walk", ("finishing_stacks", "_was"), None),
        ("short-raise", ("finishing_stacks", "_was"), False),  # hands may have been shown with cards yet to come
        ("walk", ("'p3 f', 'p1 f'", "'p3 f'"), None),  # the stacks at the end are there
    ],
)
def test_whether_a_hand_goes_on(name: str, change: tuple[str, str], complete: bool | None) -> None:
    assert record(SOUND[name].replace(*change)).get("complete") is complete


def test_a_machine_made_hand_proves_no_order_of_showing() -> None:
    assert "reveal" in record(SOUND["walk"])["unrecorded"]
    assert "reveal" not in record(SOUND["walk"] + "event = 'A tournament'\n")["unrecorded"]
    assert "reveal" not in record(SOUND["partial"])["unrecorded"]


@pytest.mark.parametrize(
    ("change", "untold"),
    [
        (("", ""), False),
        ((", 'p3 sm',", ","), True),  # the loser may have mucked, and the record does not show it
        (("'p1 sm AhKh', ", ""), False),  # the winner may not
        (("'p1 sm AhKh', 'p3 sm',", ""), False),
    ],
)
def test_who_won_nothing_may_be_passed_over_at_the_showdown(change: tuple[str, str], untold: bool) -> None:
    assert ("reveal" in record(SOUND["no-limit"].replace(*change))["unrecorded"]) is untold


def test_a_straddle() -> None:
    found = record(SOUND["straddle"])
    assert [event for event in found["events"] if event["event"] == "wager"][2:] == [
        {"event": "wager", "seat": 3, "wager": "straddle", "amount": 2000}
    ]
    assert [(decision["decision"], decision.get("amount")) for decision in decisions(found)][:3] == [
        ("call", 2000),
        ("fold", None),
        ("call", 1000),
    ]


def test_nobody_has_to_meet_more_of_a_straddle_than_there_is() -> None:
    found = record(SOUND["straddle"].replace("[100, 100, 100, 100]", "[100, 100, 15, 100]"))
    assert decisions(found)[0]["amount"] == 1500


def test_a_late_post_of_all_chips_is_the_big_blind_where_it_would_be_no_more() -> None:
    late = record(SOUND["dead-blind"].replace("-5", "-10").replace("[100, 100, 100, 100]", "[100, 100, 6, 100]"))
    assert late["seats"][2]["wagers"][0] == {"wager": "big-blind", "amount": 600}


@pytest.mark.parametrize("field", ["table", "seats"])
def test_no_session_is_pretended_where_seats_or_table_are_not_told(field: str) -> None:
    lines = [line for line in SOUND["no-limit"].splitlines() if not line.startswith(f"{field} ")]
    assert record("\n".join(lines), file="day/one.phh")["table"] == "day/one.phh"
    of_many = "\n".join(["[7]", *lines])
    (found,) = records(of_many.encode(), file="day/one.phhs")
    assert isinstance(found, dict)
    assert found["table"] == "day/one.phhs [7]"


def test_a_hand_without_a_name_has_that_of_its_file_or_table() -> None:
    assert record(SOUND["walk"], file="day/one.phh")["round"] == "one.phh"
    (found,) = records(b"[7]\n" + SOUND["walk"].encode(), file="day/one.phhs")
    assert isinstance(found, dict)
    assert found["round"] == "7"


def test_stacks_that_nobody_knows() -> None:
    found = record(SOUND["walk"].replace("[100, 100, 100]", "[100, inf, 100.00]"))
    assert [seat.get("stack") for seat in found["seats"]] == [10000, None, 10000]
    called = SOUND["partial"].replace("[100, 100, 100]", "[inf, inf, inf]")
    assert decisions(record(called))[0]["amount"] == 1000


@pytest.mark.parametrize(
    ("change", "reason", "at"),
    [
        (("'NT'", "'PO'"), "the variant `PO` belongs to no game of the rulebook; its variants are FT, NT", "variant"),
        (("variant = 'NT'\n", ""), "the field `variant` is missing", ""),
        (("antes = [0, 0, 0]\n", ""), "the field `antes` is missing", ""),
        (("antes = [0, 0, 0]", "antes = [0, 0]"), "`antes`: expected a list of 3 entries, one per player", "antes"),
        (("antes = [0, 0, 0]", "antes = [0, 0, '1']"), "`antes`: expected numbers", "antes"),
        (("antes = [0, 0, 0]", "antes = [0, 0, true]"), "`antes`: expected numbers", "antes"),
        (("antes = [0, 0, 0]", "antes = [0, 0, inf]"), "`antes`: an amount must be finite", "antes"),
        (("antes = [0, 0, 0]", "antes = [0, 0, -1]"), "`antes`: an amount must not be negative", "antes"),
        (("[5, 10, 0]", "[5, 10, 10]"), "what p3 posts there is not above the current bet", "blinds_or_straddles"),
        (("[5, 10, 0]", "[0, 10, -20]"), "the hand does not state the size of the big blind", "blinds_or_straddles"),
        (("[5, 10, 0]", "[5, 100, -150]"), "the hand does not state the size of the big blind", "blinds_or_straddles"),
        (("[5, 10, 0]", "[5, 10, -101]"), "a player posts a whole stack, and the hand", "blinds_or_straddles"),
        (("[100, 100, 100]", "[100, 100, 100.005]"), "100.005 is not a whole number of minor", "starting_stacks"),
        (("[100, 100, 100]", "[100, 100, nan]"), "`nan` is not an amount", "starting_stacks"),
        (("[100, 100, 100]", "[100, 100, 1e15]"), "an amount must be at most 10000000000", "starting_stacks"),
        (("[100, 100, 100]", "[100, 100, 1e999999]"), "an amount must be at most 10000000000", "starting_stacks"),
        (("[100, 100, 100]", "[100, 100, 1e-999999]"), "is not a whole number of minor units", "starting_stacks"),
        (("[100, 100, 100]", f"[100, 100, {10**30}]"), "an amount must be at most 10000000000", "starting_stacks"),
        (("[100, 100, 100]", "[100]"), "expected from 2 to 32 amounts", "starting_stacks"),
        (("[100, 100, 100]", "100"), "expected from 2 to 32 amounts", "starting_stacks"),
        (("'p3 f'", "'p4 f'"), "p4 is not a player of this hand", "p4 f"),
        (("'p3 f'", "'p33 f'"), "`p33` is not a player", "p33 f"),
        (("'p3 f'", "'P3 f'"), "`P3` is not a player", "P3 f"),
        (("'p3 f'", "'p3 pb'"), "the game, or the hand, has no bring-in", "p3 pb"),
        (("'p3 f'", "'p3'"), "unknown action `p3`", "p3"),
        (("'p3 f'", "'p3 cbr 1e3'"), "`1e3` is not an amount of chips", "p3 cbr 1e3"),
        (("'p3 f'", "'p3 cbr -5'"), "`-5` is not an amount of chips", "p3 cbr -5"),
        (("'p3 f'", "'p3 cbr ٣'"), "`٣` is not an amount of chips", "p3 cbr ٣"),
        (("'p3 f'", "'p3 cbr 12.345'"), "12.345 is not a whole number of minor units", "actions"),
        (("'p3 f'", "'p3 cbr 0'"), "p3 bets or raises to no more than it has already put in", "p3 cbr"),
        (("'p3 f'", "'d db 1s'"), "`1s` is not a list of cards", "d db 1s"),
        (("'p3 f'", """'d db \\"},{'"""), "is not a list of cards", "d db"),
        (("'p3 f'", "3"), "`actions`: expected text", "actions"),
        (("'A Network'", "'A'\nseats = [3, 1]"), "`seats`: expected a list of 3 entries", "seats"),
        (("'A Network'", "'A'\nseats = [3, 2, 1]"), "expected different numbers from 1 to 99 that rise", "seats"),
        (("'A Network'", "'A'\nseats = [3, 3, 1]"), "expected different numbers from 1 to 99 that rise", "seats"),
        (("'A Network'", "'A'\nseats = [0, 1, 2]"), "expected different numbers from 1 to 99 that rise", "seats"),
        (("'A Network'", "'A'\nplayers = ['a', 'b', 3]"), "`players`: expected text", "players"),
        (("'A Network'", "'A'\nhand = 1.5"), "`hand`: expected a whole number or a text", "hand"),
        (("'A Network'", "'A'\ntime = '21:00'"), "`time`: expected a time of day", "time"),
        (("'A Network'", "'A'\nyear = 2026\nmonth = 2\nday = 30"), "are not a date of the calendar", "day"),
        (("finishing_stacks", "finishing_stack"), "unknown field `finishing_stack`; did you mean", "finishing"),
    ],
)
def test_hands_that_cannot_be_read(change: tuple[str, str], reason: str, at: str) -> None:
    text = SOUND["walk"].replace(*change)
    assert text != SOUND["walk"]
    with pytest.raises(UnreadableHandError) as refused:
        record(text)
    assert reason in refused.value.reason
    assert refused.value.at.startswith(at)


def test_a_card_that_nobody_saw_stays_in_the_hand_whose_others_are_shown(tmp_path: Path) -> None:
    hand = SOUND["no-limit"].replace("AhKh", "AhKh??", 1)
    assert hand != SOUND["no-limit"]
    assert next(iter(record(hand)["seats"]))["cards"] == "AhKh??"
    found, aside = failures({"three": hand}, tmp_path, profile=None)
    assert not aside
    (finding,) = (finding for finding in found["three"] if finding.requirement.endswith("/two-hole-cards"))
    assert (finding.where.seat, finding.observed) == (8, "the player's number of cards: 3")


@pytest.mark.parametrize(
    ("dealt", "shown", "held"),
    [("????", "AhKh", "AhKh"), ("Ah??", "AhKh", "AhKh"), ("??????", "AhKh", "AhKh??"), ("Ah??", "KhQh", "AhKhQh")],
)
def test_what_is_shown_takes_the_place_of_what_was_dealt_unseen(dealt: str, shown: str, held: str) -> None:
    hand = SOUND["no-limit"].replace("d dh p1 AhKh", f"d dh p1 {dealt}").replace("p1 sm AhKh", f"p1 sm {shown}")
    assert next(iter(record(hand)["seats"]))["cards"] == held
