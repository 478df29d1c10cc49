"""Contradictory rule files, logs and hand histories of stud: refused with the place, or evaluated, without a crash."""

from __future__ import annotations

import copy
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run
from tests.facade.evidence import decode_records
from tests.facade.rounds import evaluate_batch
from tests.facade.rules import load_regulation
from tests.facade.text import InputError
from tests.variants.hands import GAMES
from tests.variants.stud_rounds import Event, deal_round
from tests.variants.test_stud import ACTIONS, BASE, history, submission
from tests.variants.test_stud_listener import stud

DOOR = "cards: open, through: third-street"
FIFTH = "{stage: fifth-street, burn: 1, first: left, cards: {player: 1}, face: up, clauses: [deal]}"
HIGH = "from: [player], rank-by: five-card}"
COMMON = "{stage: middle, burn: 1, first: left, cards: {community: 1}, face: up, clauses: [deal]}"

REFUSED: dict[str, tuple[str, str, str]] = {
    "a stage that is none": (DOOR, "cards: open, through: eighth-street", "there is no stage"),
    "cards up to a stage that do not lie open": (
        DOOR,
        "through: third-street",
        "door-card is no hand of `open` cards",
    ),
    "open cards of the dealer": (f"[player], {DOOR}", f"[dealer], {DOOR}", "dealt no cards"),
    "open cards of two places": (f"[player], {DOOR}", f"[player, community], {DOOR}", "dealt no cards"),
    "a ranking of other hands": ("rank-by: one-open-card", "rank-by: two-open-cards", "this hand holds 1"),
    "nothing lies open": ("{to: [player], each: 1, face: up}", "{to: [player], each: 1}", "this hand holds 0"),
    "shown by a hidden hand": ("worst-showing: door-card", "worst-showing: high", "no hand of `open` cards"),
    "opened by cards to come": (
        "opens: brings-in",
        "opens: high-on-fifth",
        "depends on cards of the later stage fifth-street",
    ),
    "opened by the last cards": (DOOR, "cards: open", "depends on cards of the later stage seventh-street"),
    "larger than no size": (
        "    size: {minimum: bets}\n    or-larger",
        "    or-larger",
        "requires the fixed `size`",
    ),
    "two betting rounds after a step": ("after: fifth-street", "after: fourth-street", "another betting round"),
    "no card": (FIFTH, FIFTH.replace("player: 1", "player: 0"), "at least 1"),
    "forty cards": (FIFTH, FIFTH.replace("player: 1", "player: 40"), "at most 12"),
    "exchanges in the middle": (FIFTH, FIFTH.replace("cards: {player: 1}", "exchanges: {player: 12}"), "holds 2"),
    "uses none": (HIGH, HIGH.replace("rank", "uses: {player: 0}, rank"), "at least 1"),
    "uses more than there are": (HIGH, HIGH.replace("rank", "uses: {player: 9}, rank"), "the player holds 7"),
    "through cards of nobody": (
        f"  - {FIFTH}",
        f"  - {COMMON}\n  - {FIFTH}",
        "",
    ),
}
"""Replaced text, its replacement and the message; no message where the result is valid."""


@pytest.mark.parametrize("name", REFUSED)
def test_rule_files(name: str, tmp_path: Path) -> None:
    old, new, said = REFUSED[name]
    shutil.copytree(GAMES, tmp_path / "games")
    path = tmp_path / "games" / "stud" / "game.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    if not said:
        load_regulation("stud", tmp_path / "games")
        return
    with pytest.raises(InputError) as refused:
        load_regulation("stud", tmp_path / "games")
    found = refused.value.diagnostics
    assert any(said in problem.message for problem in found)
    assert all(problem.line and problem.column and problem.source_line for problem in found)


def _spoil(record: Event, chance: random.Random) -> Event:
    found: dict[str, Any] = copy.deepcopy(record)
    events = found["events"]
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(events))
        event = events[at]
        match chance.randrange(9):
            case 0:
                del events[at]
            case 1:
                events.insert(chance.randrange(len(events)), dict(event))
            case 2:
                events[at], events[0] = events[0], events[at]
            case 3 if event["event"] == "deal":
                event["cards"] = chance.choice(["AsAsAs", "??" * 12, "2c3c4c5c6c7c8c9cTcJcQcKc", "As"])
                event["face"] = chance.choice(["up", "down"])
            case 4 if "seat" in event:
                event["seat"] = chance.choice(found["seats"])["seat"]
            case 5 if event["event"] == "decide":
                event["decision"] = chance.choice(["fold", "concede", "bring-in", "complete", "unheard-of"])
            case 6:
                chance.choice(found["seats"])["playing"] = False
            case 7:
                places = ["deal/order", "deal/player", "deal/burn", "deal", "decide", "wager", "reveal"]
                found["unrecorded"] = sorted({*found["unrecorded"], *chance.sample(places, 2)})
            case _:
                chance.choice(found["seats"]).pop("cards", None)
                found.pop("button", None)
        if not events:
            break
    return found


def test_spoiled_rounds_are_judged_or_set_aside() -> None:
    records = [_spoil(deal_round(seed).record, random.Random(seed)) for seed in range(400)]
    batches, bad = decode_records(records, file="log", games={"stud"})
    assert len(bad) < len(records) - 150
    for batch in batches:
        for weighed in evaluate_batch(stud(), batch, None):
            list(weighed.build_findings())
            weighed.find_gap()


ODD_HANDS = {
    "brought in twice": (ACTIONS.replace("p2 pb|", "p2 pb|p2 pb|"), 1),
    "brought in by nobody": (ACTIONS.replace("p2 pb|", "pb|"), 3),
    "brought in by no player": (ACTIONS.replace("p2 pb|", "p9 pb|"), 3),
    "brought in before the cards": (f"p2 pb|{ACTIONS}", 1),
    "cards put away": (ACTIONS.replace("p2 f|", "p2 sd 2h|p2 f|"), 3),
    "thirteen cards": (ACTIONS.replace("p1 2h9d4h", "p1 2h3h4h5h6h7h8h9hThJhQhKhAh"), 3),
    "a card after the end": (f"{ACTIONS}|d dh p1 5c", 1),
    "a thousand cards": (ACTIONS + "|d dh p1 2c" * 1000, 3),
}


@pytest.mark.parametrize("name", ODD_HANDS)
def test_hand_histories(name: str, tmp_path: Path) -> None:
    actions, code = ODD_HANDS[name]
    assert _audit(history(actions), tmp_path) == code


@pytest.mark.parametrize("amount", ["inf", "nan", "-3", "'x'", "1e300", "[3]", "true", "0.001"])
def test_amounts_that_are_none(amount: str, tmp_path: Path) -> None:
    base = BASE.replace("bring_in = 3", f"bring_in = {amount}")
    text = base.format(", ".join(f'"{action}"' for action in ACTIONS.split("|")), "[429, 489, 582]")
    assert _audit(text, tmp_path) == 3


def _audit(text: str, folder: Path) -> int:
    (folder / "hand.phh").write_text(text)
    done = run("audit", folder / "hand.phh", "--rules", GAMES, "-s", submission(folder, "stud"))
    assert "Traceback" not in done.text + done.err
    return done.code


def test_a_card_after_the_end_is_found_once(tmp_path: Path) -> None:
    (tmp_path / "hand.phh").write_text(history(f"{ACTIONS}|d dh p1 5c"))
    done = run("audit", tmp_path / "hand.phh", "--rules", GAMES, "-s", submission(tmp_path, "stud"), "-o", "json")
    found = [finding["requirement"] for finding in done.results["findings"] if finding["status"] == "fail"]
    assert found == ["stud/cards-in-number"]
