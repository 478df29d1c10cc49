"""Mishaps in the deal: they happen only where they can, the rules decide what follows, and contradictions are
refused.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import load_regulation, rules_folder
from tests.facade.simulation import Occurrence, Record, Simulation, load_simulation, simulate_log
from tests.facade.text import InputError
from tests.simulate.oracle import cards_in

GAME = "s38"


def play(*mishaps: dict[str, Any], rounds: int = 120, **fields: Any) -> list[Record]:
    regulation = load_regulation(GAME)
    prepared, simulation = compile_game(regulation), load_simulation(regulation)
    wrong = [Occurrence.model_validate(mishap) for mishap in mishaps]
    update = {"occurrences": [*wrong, *simulation.regular_occurrences], **fields}
    return records(prepared, simulation.model_copy(update=update), rounds)


def records(prepared: CompiledGame, simulation: Simulation, rounds: int) -> list[Record]:
    return [json.loads(line) for line in simulate_log(prepared, simulation, rounds=rounds, seed=5).splitlines()]


def events(record: Record, kind: str, **fields: Any) -> list[Record]:
    found = [event for event in record["events"] if event["event"] == kind]
    return [event for event in found if all(event.get(key) == value for key, value in fields.items())]


def between_packets(record: Record, event: Record) -> bool:
    at = record["events"].index(event)
    deals = [index for index, event in enumerate(record["events"]) if event["event"] == "deal"]
    return deals[0] < at < deals[-1]


def test_a_card_found_face_up_is_nobodys_and_the_round_goes_on() -> None:
    for record in play({"steps": ["card-face-up"], "of": "unused-card", "chance": 1000}):
        (found,) = events(record, "expose")
        dealt = [card for seat in record["seats"] for card in cards_in(seat["cards"])] + cards_in(record["community"])
        assert found["place"] == "burn" and found["cards"] not in dealt and between_packets(record, found)
        counts = events(record, "count", what="stub")
        assert all(count["number"] == 52 - len(dealt) - 1 for count in counts)
        if not events(record, "misdeal", place="table"):
            assert any("decision" in seat for seat in record["seats"])


def test_two_cards_found_face_up_void_the_round() -> None:
    for record in play({"steps": ["card-face-up"] * 2, "of": "unused-card", "chance": 1000}):
        first, second = events(record, "expose")
        assert first["cards"] != second["cards"]
        assert events(record, "misdeal", place="table") and not events(record, "decide")
        wagers = [wager for seat in record["seats"] for wager in seat["wagers"]]
        assert all(wager["paid"] == wager["taken"] == 0 for wager in wagers)
        assert len(events(record, "return")) == len(wagers)


def test_a_card_drawn_in_error_is_dealt_next() -> None:
    for record in play({"steps": ["drawn-in-error"], "chance": 1000}):
        (drawn,) = events(record, "draw")
        after = record["events"][record["events"].index(drawn) + 1]
        assert after["event"] == "deal" and cards_in(after["cards"])[0] == cards_in(drawn["cards"])[0]
        assert between_packets(record, drawn)


def test_a_mishap_comes_where_it_can_and_as_often_as_it_should() -> None:
    two = {"some-seat": {"placed": "bonus"}}
    rounds = play({"steps": ["drawn-in-error"], "chance": 300, "when": two}, rounds=600)
    fits = [any(wager["wager"] == "bonus" for seat in record["seats"] for wager in seat["wagers"]) for record in rounds]
    happened = [bool(events(record, "draw")) for record in rounds]
    assert not any(drawn and not fit for drawn, fit in zip(happened, fits, strict=True))
    assert 0.24 < sum(happened) / sum(fits) < 0.36


def test_a_mishap_may_look_at_those_before_it() -> None:
    none_yet = {"events": "drawn-in-error", "equals": 0}
    for record in play(
        {"steps": ["drawn-in-error"], "chance": 500},
        {"steps": ["card-face-up"], "of": "unused-card", "chance": 1000, "when": none_yet},
    ):
        assert len(events(record, "draw")) + len(events(record, "expose")) == 1


def test_two_mishaps_never_come_together() -> None:
    drawn = shown = 0
    for record in play(
        {"steps": ["drawn-in-error"], "chance": 500},
        {"steps": ["card-face-up"], "of": "unused-card", "chance": 500},
    ):
        assert len(events(record, "draw")) + len(events(record, "expose")) == 1
        drawn, shown = drawn + len(events(record, "draw")), shown + len(events(record, "expose"))
    assert min(drawn, shown) > 40


def test_a_deck_that_misses_a_card_is_replaced_before_it_is_dealt_again() -> None:
    short = {"difference": 51, "less": {"cards": "everywhere"}}
    rounds = play({"steps": ["stub-count"], "chance": 100, "states": short}, rounds=300)
    wrong: dict[str, bool] = {}
    short_decks = 0
    for record in rounds:
        replaced = events(record, "deck", what="removed") and events(record, "deck", what="opened")
        assert replaced or not wrong.get(record["table"])
        dealt = sum(len(cards_in(seat["cards"])) for seat in (*record["seats"],)) + len(cards_in(record["community"]))
        counts = [event["number"] + dealt for event in events(record, "count", what="stub")]
        assert len(counts) < 2 and {*counts} <= {51, 52}  # counted decks are not counted again
        wrong[record["table"]] = counts == [51]
        assert counts != [51] or events(record, "misdeal", place="table")
        short_decks += counts == [51]
    assert short_decks > 15


@pytest.mark.parametrize(
    ("mishap", "says"),
    [
        (
            "{steps: [deal], chance: 1}",
            "a mishap is a single one of the `other-events`, of the whole round",
        ),
        (
            "{steps: [leave], chance: 1}",
            "a mishap is a single one of the `other-events`, of the whole round",
        ),
        ("{steps: [card-shown], chance: 1}", "a mishap with a card of the deck has the place `burn`"),
        (
            "{steps: [card-face-up], chance: 1}",
            "an exposed card of the deck requires `of: unused-card`, and the reverse",
        ),
        (
            "{steps: [drawn-in-error], chance: 985}",
            "mishaps occur in 1001 of 1000 rounds, but a round has at most one",
        ),
        ("{steps: [drawn-in-error], chance: 1, of: each-deck}", "applies only to regular occurrences"),
        ("{steps: [shoe-fault], chance: 1, before: deal}", "applies only to regular occurrences"),
        ("{steps: [stub-count], rounds: 5, when: void}", "applies only to mishaps by chance"),
        ("{steps: [stub-count], rounds: 5, of: bystander}", "applies only to mishaps by chance"),
        (
            "{steps: [shoe-fault], chance: 1, after: shoe-fault}",
            "`shoe-fault` is not an act of a usual round",
        ),
        (
            "{steps: [leave], chance: 1, after: deal, of: bystander}",
            "a bystander is dealt cards only if players bet against each other",
        ),
        ("{steps: [stub-count], chance: 1}", "`states` is required for a count, and not allowed otherwise"),
        (
            "{steps: [drawn-in-error], chance: 1, states: 3}",
            "`states` is required for a count, and not allowed otherwise",
        ),
        (
            "{steps: [drawn-in-error], chance: 1, when: {placed: bonus}}",
            "applies to each seat, but is used for each round",
        ),
    ],
)
def test_a_mishap_that_makes_no_sense_is_refused(tmp_path: Path, mishap: str, says: str) -> None:
    assert problem(tmp_path, "- {chance: 5, steps: [drawn-in-error]}", f"- {mishap}") == says


def test_what_an_occasion_follows_is_asked_of_rounds(tmp_path: Path) -> None:
    problem_text = problem(tmp_path, "- following: void-for-missing-cards", "- following: {placed: bonus}")
    assert problem_text == "applies to each seat, but is used for each round"


def problem(tmp_path: Path, old: str, new: str) -> str:
    """Return the message about the simulation file after a line of it is replaced."""
    text = (rules_folder() / GAME / "simulation.yaml").read_text("utf-8")
    assert old in text
    (tmp_path / GAME).mkdir()
    (tmp_path / GAME / "simulation.yaml").write_text(text.replace(old, new), "utf-8")
    with pytest.raises(InputError) as caught:
        load_simulation(load_regulation(GAME), tmp_path)
    (found,) = caught.value.diagnostics
    return found.message
