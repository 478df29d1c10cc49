"""Hands that cannot be read are left out by themselves, and named; hostile files give no traceback."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run
from tests.hand_histories.history_writers import write_ohh, write_text
from tests.hand_histories.imported import import_text
from tests.hand_histories.played_hands import PlayedHand, play_hand

SIMPLE = play_hand(35)
"""A hand of several players with a flop, in which nothing happens that only some formats can write."""


def test_the_hand_is_simple() -> None:
    kinds = {act.kind for act in SIMPLE.acts}
    assert len(SIMPLE.seats) > 3 and SIMPLE.runs == 1 and "board" in kinds and not SIMPLE.is_fixed
    assert not kinds & {"ante", "late", "dead", "straddle"} and not any(act.is_all_in for act in SIMPLE.acts)


def _change_ohh(**changes: Any) -> str:
    return json.dumps({"ohh": {**json.loads(write_ohh(SIMPLE))["ohh"], **changes}})


def _insert(line: str, *, before: str = "*** SUMMARY ***") -> str:
    return write_text(SIMPLE).replace(before, f"{line}\n{before}")


def _replace_actions(change: Callable[[dict[str, Any]], None]) -> str:
    hand = json.loads(write_ohh(SIMPLE))
    change(hand["ohh"])
    return json.dumps(hand)


def _add_extra_blind(hand: dict[str, Any]) -> None:
    hand["rounds"][0]["actions"].insert(2, {"player_id": 3, "action": "Post Extra Blind", "amount": 0.01})


def _repeat_the_flop(hand: dict[str, Any]) -> None:
    hand["rounds"][2]["cards"] = hand["rounds"][1]["cards"] + hand["rounds"][2]["cards"]


OHH = {
    _change_ohh(tournament=True): "hands of tournaments are not read",
    _change_ohh(game_type="Stud"): "the game `Stud NL` is not read",
    _change_ohh(game_type="Omaha", bet_limit={"bet_type": "PL"}): "the variant `PO` belongs to no game of the rulebook",
    _change_ohh(start_date_utc="yesterday"): "`start_date_utc`: `yesterday` is not a time",
    _change_ohh(dealer_seat=0): "must have numbers from 1 to 99",
    _change_ohh(dealer_seat="one"): "Expected `int`, got `str` - at `$.ohh.dealer_seat`",
    _change_ohh(players=[]): "who is not listed",
    _change_ohh(table_name="x" * 300): "does not have from 1 to 200 characters",
    _change_ohh(currency="JPY"): "is not a whole number of minor units",
    _replace_actions(_add_extra_blind): "how much of an extra blind counts",
    '{"ohh": {"game_number": "1", ': "the record ends too early",
    '{"ohh": ' + '{"a": ' * 40 + "}" * 41: "more than 32 objects",
    '{"ohh": {"a": "' + "x" * (9 << 17) + '"}}': "the record is longer than 1 MiB",
    '{"ohh": ' + "[" * 5000 + "]" * 5000 + "}": "this is not a hand",
    "garbage": "expected a JSON object",
}


@pytest.mark.parametrize("broken", OHH, ids=list(OHH.values()))
def test_a_broken_object_is_left_out_between_others(tmp_path: Path, broken: str) -> None:
    good = write_ohh(SIMPLE)
    records, messages = import_text(tmp_path, f"{good}\n\n{broken}\n\n{good}\n")
    assert [record["round"] for record in records] == [str(SIMPLE.number)] * 2
    assert OHH[broken] in messages
    assert "hands:3" in messages


TEXTS = {
    _insert("Ann: juggles"): "the line `Ann: juggles` is not understood",
    _insert("*** BOMB POT ***"): "is not understood",
    _insert("Cash Drop to Pot : total $2.50", before="*** HOLE CARDS ***"): "is not understood",
    _insert("Nobody collected $1 from pot"): "`Nobody` has no seat",
    _insert("Ann: posts straddle $0.01", before="*** HOLE CARDS ***"): "a straddle is not above the current bet",
    _insert("Ann: posts big blind $1"): "a player posts after another act",
    _insert("Hand cancelled"): "the hand was cancelled",
    _insert("Uncalled bet ($900,000) returned to Ann"): "more of a bet is returned than the player put in",
    write_text(SIMPLE).replace("Hold'em", "Tournament #7, $5+$0.50 USD Hold'em"): "hands of tournaments are not read",
    write_text(SIMPLE).replace("Hold'em", "5 Card Omaha"): "is not read; expected Hold'em or Omaha",
    write_text(SIMPLE).replace("2024/04/07", "2024/02/30"): "there is no time 2024/02/30",
    write_text(SIMPLE).replace("Ann (", "Ann ($"): "in chips)` is not understood",
    write_text(SIMPLE).replace("*** FLOP *** [", "*** FLOP *** [Zz "): "are not cards",
}


@pytest.mark.parametrize("broken", TEXTS, ids=list(TEXTS.values()))
def test_a_broken_text_is_left_out_between_others(tmp_path: Path, broken: str) -> None:
    good = write_text(SIMPLE)
    records, messages = import_text(tmp_path, f"{good}{broken}\n{good}\n")
    assert len(records) == 2
    assert "1 problem in rounds that are left out" in messages
    assert TEXTS[broken] in messages


def test_a_time_needs_a_zone(tmp_path: Path) -> None:
    text = write_text(SIMPLE, site="GGPoker")
    records, messages = import_text(tmp_path, text)
    assert not records
    assert "name it, such as `--timezone America/Denver`" in messages
    records, _ = import_text(tmp_path, text, "--timezone", "America/Denver")
    assert records[0]["time"] == "2024-04-07T14:32:50-06:00"


def test_hands_of_fast_tables_are_played_at_tables_of_their_own(tmp_path: Path) -> None:
    zoom = write_text(SIMPLE).replace("PokerStars Hand", "PokerStars Zoom Hand")
    rush = write_text(SIMPLE, site="GGPoker").replace("#HD", "#RC")
    for text in (zoom, rush, _change_ohh(flags=["Fast"])):
        records, _ = import_text(tmp_path, text, "--timezone", "UTC")
        assert records[0]["table"] == f"hand {records[0]['round']}"


def test_a_player_who_cashed_out_leaves_open_who_was_paid(tmp_path: Path) -> None:
    line = "Ann cashed out the hand for $5 | Cash Out Fee $0.05"
    for text in (_insert(line), _insert("Ann: Pays Cashout Risk ($0.10)")):
        records, _ = import_text(tmp_path, text)
        assert not any("won" in seat for seat in records[0]["seats"])
        assert "rake" in records[0]["unrecorded"]


def test_a_rake_next_to_other_deductions_is_not_known(tmp_path: Path) -> None:
    text = write_text(SIMPLE, site="GGPoker").replace("Jackpot $0 ", "Jackpot $0.10 ")
    records, _ = import_text(tmp_path, text, "--timezone", "UTC")
    assert "rake" in records[0]["unrecorded"]


def test_amounts_in_binary_fractions_are_read_as_they_are_meant(tmp_path: Path) -> None:
    players = json.loads(write_ohh(SIMPLE))["ohh"]["players"]
    text = _change_ohh(players=[{**player, "starting_stack": 0.1 + 0.2} for player in players])
    assert "0.30000000000000004" in text
    records, _ = import_text(tmp_path, text)
    assert {seat["stack"] for seat in records[0]["seats"]} == {30}


def test_objects_may_spread_over_lines_or_lie_in_a_list(tmp_path: Path) -> None:
    spread = f"{write_ohh(SIMPLE, indent=2)}\n\n" * 3
    listed = f"[{','.join([write_ohh(SIMPLE)] * 3)}]"
    bare = json.dumps(json.loads(write_ohh(SIMPLE))["ohh"])
    for text in (spread, listed, f"{bare}\n{bare}\n{bare}"):
        records, messages = import_text(tmp_path, text)
        assert len(records) == 3, messages


@pytest.mark.parametrize("write", [write_ohh, write_text])
def test_bytes_at_random_places_give_no_traceback(tmp_path: Path, write: Callable[[PlayedHand], str]) -> None:
    chance = random.Random(3)
    text = b"\n\n".join(write(play_hand(seed)).encode() for seed in range(12))
    for _ in range(12):
        changed = bytearray(text)
        for _ in range(60):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        source = tmp_path / "hands"
        source.write_bytes(bytes(changed))
        made = run("import", source, "-o", tmp_path / "log.jsonl")
        assert made.code in (0, 3)
        assert "Traceback" not in made.err
        assert "internal" not in made.err


@pytest.mark.parametrize("text", [write_ohh(SIMPLE), write_ohh(SIMPLE, indent=1), write_text(SIMPLE)])
def test_an_audit_of_such_a_file_names_the_command(tmp_path: Path, text: str) -> None:
    source = tmp_path / "hands.ohh"
    source.write_text(text)
    made = run("audit", source)
    assert made.code == 3
    assert "`fairdeal import FILE -o LOG.jsonl`" in made.err


def test_options_of_tables_are_refused_for_hands(tmp_path: Path) -> None:
    source = tmp_path / "hands.ohh"
    source.write_text(write_ohh(SIMPLE))
    assert "hand histories need no --map, --game or --sheet" in run("import", source, "--game", "poker-room").err
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,2\n")
    assert "--timezone is for hand histories" in run("import", table, "--timezone", "UTC").err
