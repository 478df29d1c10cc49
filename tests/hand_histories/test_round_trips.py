"""Hands of home games: an imported log records what was played, and is judged as the log of the table itself."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

from tests.hand_histories.history_writers import write_ohh, write_record, write_text
from tests.hand_histories.imported import import_text, list_findings, normalize
from tests.hand_histories.played_hands import PlayedHand, play_hand

SEEDS = range(70)


@pytest.fixture(scope="module")
def hands() -> list[PlayedHand]:
    played = [play_hand(seed) for seed in SEEDS]
    return [hand for hand in played if sum(len(act.cards) for act in hand.acts if act.kind == "board") <= 24]


def test_the_hands_are_of_every_kind(hands: list[PlayedHand]) -> None:
    kinds = Counter(act.kind for hand in hands for act in hand.acts)
    assert set(kinds) == {"ante", "small", "big", "late", "dead", "straddle", "fold", "check", "call", "bet", "raise",
                          "board", "show", "muck"}  # fmt: skip
    assert {len(hand.seats) for hand in hands} == set(range(2, 10))
    assert sum(hand.runs == 2 for hand in hands) > 3
    assert sum(hand.rake > 0 for hand in hands) > 12
    assert sum(any(hand.returned) for hand in hands) > 12
    assert sum(hand.is_fixed for hand in hands) > 6


def _import_ohh(folder: Path, hands: list[PlayedHand]) -> Path:
    import_text(folder, "\n\n".join(map(write_ohh, hands)), name="hands.ohh")
    return folder / "hands.ohh.jsonl"


def _import_text(folder: Path, hands: list[PlayedHand], site: str) -> Path:
    options = () if site == "PokerStars" else ("--timezone", "UTC")
    import_text(folder, "".join(write_text(hand, site=site) for hand in hands), *options, name=f"{site}.txt")
    return folder / f"{site}.txt.jsonl"


def test_an_imported_open_hand_history_records_what_was_played(hands: list[PlayedHand], tmp_path: Path) -> None:
    records, messages = import_text(tmp_path, "\n\n".join(map(write_ohh, hands)), name="hands.ohh")
    assert messages == f"{len(hands)} rounds written to {tmp_path / 'hands.ohh.jsonl'}\n"
    sizes = ("context", "small-bet", "big-bet")  # the format does not state them
    for hand, record in zip(hands, records, strict=True):
        assert normalize(record, without=sizes) == normalize(write_record(hand, returned=False), without=sizes)


@pytest.mark.parametrize("site", ["PokerStars", "GGPoker"])
def test_an_imported_text_records_what_was_played(hands: list[PlayedHand], tmp_path: Path, site: str) -> None:
    options = () if site == "PokerStars" else ("--timezone", "UTC")
    text = "".join(write_text(hand, site=site) for hand in hands)
    records, messages = import_text(tmp_path, "﻿" + text, *options)
    assert f"{len(hands)} rounds written" in messages, messages
    without = ("context", "time", "currency", "round")
    for hand, record in zip(hands, records, strict=True):
        assert record["round"].endswith(str(hand.number))
        assert record["time"] == ("2024-04-07T10:32:50-04:00" if site == "PokerStars" else "2024-04-07T14:32:50Z")
        assert record.get("currency") == ("USD" if site == "PokerStars" else None)
        assert normalize(record, without=without) == normalize(write_record(hand, returned=True), without=without)


def test_no_lawful_hand_fails(hands: list[PlayedHand], tmp_path: Path) -> None:
    assert list_findings(_import_ohh(tmp_path, hands)) == set()
    assert list_findings(_import_text(tmp_path, hands, "PokerStars")) == set()
    assert list_findings(_import_text(tmp_path, hands, "GGPoker")) == set()


Tamper = Callable[[PlayedHand, random.Random], bool]


def _pay_another(hand: PlayedHand, chance: random.Random) -> bool:
    winner = max(range(len(hand.won)), key=hand.won.__getitem__)
    other = chance.choice([player for player in range(len(hand.won)) if player != winner])
    hand.won[winner] -= 100
    hand.won[other] += 100
    return hand.won[winner] > 0


def _pay_less(hand: PlayedHand, chance: random.Random) -> bool:
    winner = max(range(len(hand.won)), key=hand.won.__getitem__)
    hand.won[winner] -= chance.choice([1, 100])
    return hand.won[winner] > 0


def _act_out_of_turn(hand: PlayedHand, chance: random.Random) -> bool:
    places = [
        at
        for at in range(1, len(hand.acts))
        if {hand.acts[at - 1].kind, hand.acts[at].kind} <= {"fold", "check"}
        and hand.acts[at - 1].player != hand.acts[at].player
    ]
    if places:
        at = chance.choice(places)
        hand.acts[at - 1], hand.acts[at] = hand.acts[at], hand.acts[at - 1]
    return bool(places)


def _deal_one_card_less(hand: PlayedHand, _: random.Random) -> bool:
    flops = [act for act in hand.acts if act.kind == "board" and len(act.cards) == 6]
    for flop in flops[:1]:
        flop.cards = flop.cards[:4]
    return bool(flops) and hand.runs == 1


def _bet_more_than_the_stack(hand: PlayedHand, _: random.Random) -> bool:
    last = next((act for act in reversed(hand.acts) if act.is_all_in and act.kind in ("call", "raise", "bet")), None)
    if last is not None:
        hand.stacks[last.player] -= 1
    return last is not None


@pytest.mark.parametrize(
    "tamper", [_pay_another, _pay_less, _act_out_of_turn, _deal_one_card_less, _bet_more_than_the_stack]
)
def test_what_was_played_wrongly_is_found_as_in_the_log_of_the_table(
    hands: list[PlayedHand], tmp_path: Path, tamper: Tamper
) -> None:
    chance = random.Random(1)
    wrong = [changed for hand in hands[:100] if tamper(changed := deepcopy(hand), chance)]
    assert len(wrong) > 5
    direct = tmp_path / "direct.jsonl"
    for returned in (False, True):
        direct.write_text("".join(json.dumps(write_record(hand, returned=returned)) + "\n" for hand in wrong))
        imported = _import_text(tmp_path, wrong, "PokerStars") if returned else _import_ohh(tmp_path, wrong)
        findings = list_findings(direct)
        assert list_findings(imported) == findings
        assert len({name for name, _, _ in findings}) > len(wrong) // 2
