"""Rounds of a log settle as the odds settle the same deals and decisions, in every shipped game and in another one."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from msgspec.structs import replace

from fairdeal.api import audit
from fairdeal.validator.cards.card_codes import format_cards
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.engine.facts.final_hands import exchanged_cards
from fairdeal.validator.engine.facts.outcome_values import outcome_values
from fairdeal.validator.engine.payouts.line_settlement import settle_lines
from fairdeal.validator.evidence.jsonl.line_reader import decode_records
from fairdeal.validator.hold import win_distribution
from fairdeal.validator.odds.player_options import OddsTable, list_wager_groups, set_up_table
from fairdeal.validator.odds.sample_rounds import SampleRounds
from fairdeal.validator.odds.wager_odds import NO_CHOICES, list_variants
from fairdeal.validator.rules.regulation import build_known_games
from fairdeal.validator.rules.rule_files import list_templates, rules_folder
from tests.facade.commands import run
from tests.facade.evidence import KINDS, read_batch
from tests.facade.results import Status
from tests.facade.rounds import CompiledGame, EvaluationContext, compile_game
from tests.facade.rules import Rulebook, load_regulation
from tests.facade.simulation import load_simulation, simulate_records
from tests.facade.submissions import build_configuration
from tests.odds.plain import five_cards
from tests.odds.rulebooks import regulation, rulebook

SHIPPED = ("s38", "co-rule10-3card-shine", "co-rule10-flushes-gone-wild", "caribbean-draw")
NOT_BY_ROUNDS = ("blackjack", "pai-gow-poker")
"""Templates whose odds do not settle whole rounds of one seat: splits and draws follow each other, or hands are set."""
GAME = "pa-643a"
UNITS = (-1, 0, 2, 3, 5, 8, 11, 50, 200, 1000)
"""The win of a unit on each category of five cards; a pair of tens or better wins one."""


def make_up_round(scope: EvaluationContext, seat: int, decided: tuple[str, ...]) -> SampleRounds:
    """Return one seat of a log as the odds make up its deal: the cards that each place keeps, stakes and decisions."""
    batch, prepared = scope.batch, scope.compiled_game
    round_ = int(batch.seats.round[seat])

    def cut_hand(place: Any, kind: Literal["discard", "draw"] | None = None) -> Any:
        row = seat if place == "player" else round_
        found = scope.dealt_hands(place) if kind is None else exchanged_cards(scope, place, kind)
        return found.cards[row : row + 1, : max(int(found.count[row]), 0)]

    dealt, aside, drawn = {}, {}, {}
    exchanging = {place for stage in prepared.game.deal.stages for place in stage.exchanges or ()}
    exchanging |= {drawing.place for drawing in prepared.game.drawing.values()}
    exchanging |= {"player"} if any(decision.discards for decision in prepared.game.decisions.values()) else set()
    for place in prepared.game.deal.cards:
        if place in exchanging:
            dealt[place], aside[place], drawn[place] = (
                cut_hand(place),
                cut_hand(place, "discard"),
                cut_hand(place, "draw"),
            )
        else:
            gone = cut_hand(place, "discard")[0]
            dealt[place] = np.array([[card for card in cut_hand(place)[0] if card not in gone]], np.uint8)
    own = np.flatnonzero((batch.stakes.seat == seat) & ~batch.stakes.tip & ~batch.stakes.bonus)
    stakes = {batch.stakes.wager.text(stake) or "": int(batch.stakes.amount[stake]) for stake in own.tolist()}
    read = range(int(batch.meters.offsets[round_]), int(batch.meters.offsets[round_ + 1]))
    meters = {batch.meters.meter.text(cut_hand) or "": int(batch.meters.shown[cut_hand]) for cut_hand in read}
    outcomes = {name: outcome_values(scope, name)[round_ : round_ + 1] for name in prepared.outcomes}
    return SampleRounds(
        dealt=dealt,
        discarded=aside,
        drawn=drawn,
        stakes=stakes,
        decisions=decided,
        meters=meters,
        outcomes=outcomes,
    )


def is_regular(scope: EvaluationContext, seat: int, rounds: SampleRounds) -> bool:
    """Return whether every place has its cards and nothing irregular happened."""
    batch, deal = scope.batch, scope.compiled_game.game.deal
    whole = all(
        deal.fewest_cards.get(place, 0) <= rounds.dealt[place].shape[1] <= size for place, size in deal.cards.items()
    )
    round_ = int(batch.seats.round[seat])
    here = slice(int(batch.events.offsets[round_]), int(batch.events.offsets[round_ + 1]))
    irregular = {"misdeal", "fault", "remedy", "expose", "withdraw"} & {KINDS[kind] for kind in batch.events.kind[here]}
    return bool(whole and not irregular)


def dues(scope: EvaluationContext, table: OddsTable, seat: int) -> dict[str, set[tuple[Fraction, Fraction]]]:
    """Return what each line of a group may be due at a seat, by the tables that may be in use: paid and decided."""
    found = {}
    for name in table.group.lines:
        bonus, line = scope.compiled_game.game.bonuses.get(name), settle_lines(scope)[name]
        at = np.flatnonzero((line.seat == seat) & ~line.tip)
        if len(at) and (bonus is None or bonus.earned_by is None):
            assert line.is_settled[at].all()
            found[name] = set(line.list_possible_dues(int(at[0])))
    return found


def is_declared(scope: EvaluationContext, seat: int) -> bool:
    """Return whether the seat declared its wins, where they must be declared."""
    return bool((scope.batch.stakes.claimed[scope.batch.stakes.seat == seat] != 0).all())


def tables(prepared: CompiledGame, configuration: LicenseeConfiguration) -> Iterator[OddsTable]:
    """Return the tables of all groups but those whose stakes stay for later rounds."""
    for group in list_wager_groups(prepared.game):
        if group.wager in prepared.game.staying_wagers:
            continue
        variant = next(list_variants(prepared, group, configuration))
        yield set_up_table(prepared, variant.configuration, group)


def list_selections(scope: EvaluationContext, seat: int, wager: str) -> list[str | None]:
    """Return the selection of each stake of a seat on a wager, without tips."""
    stakes = scope.batch.stakes
    own = (stakes.seat == seat) & (stakes.wager.codes == stakes.wager.code(wager)) & ~stakes.tip
    return [stakes.selection.text(stake) for stake in np.flatnonzero(own).tolist()]


def compare_seats(scope: EvaluationContext, decided: Mapping[int, tuple[str, ...]]) -> Counter[str]:
    """Compare every regular seat of a log with its made-up round; count the seats, by wager."""
    seen, round_of = Counter[str](), scope.batch.seats.round.tolist()
    for table in tables(scope.compiled_game, scope.configuration or NO_CHOICES):
        for seat in range(scope.count_items("seat")):
            rounds = make_up_round(scope, seat, decided[seat])
            selections = list_selections(scope, seat, table.group.wager)
            if len(selections) == 1 and is_regular(scope, seat, rounds):
                own = replace(table, selections={table.group.wager: selections[0]} if selections[0] else {})
                expected, found = dues(scope, table, seat), dues(own.open_rounds(rounds), table, 0)
                wins = any(paid for line in found.values() for paid, _ in line)
                if is_declared(scope, seat) or not wins:
                    assert found.keys() == expected.keys()
                    assert all(found[line] <= expected[line] for line in found), scope.batch.round[round_of[seat]]
                    seen[table.group.wager] += 1
    return seen


def read_decisions(scope: EvaluationContext, seat: int) -> tuple[str, ...]:
    """Return the decisions of a seat, in log order."""
    events = scope.batch.events
    own = np.flatnonzero((events.kind == KINDS.index("decide")) & (events.seat == seat))
    return tuple(events.decision.text(event) or "" for event in own.tolist())


@pytest.mark.parametrize("game", [*SHIPPED, *(name for name in list_templates() if name not in NOT_BY_ROUNDS)])
def test_simulated_rounds_settle_as_odds_settle_them(game: str) -> None:
    folder = rules_folder() if game in SHIPPED else list_templates()[game].parent
    regulation = load_regulation(game, folder)
    prepared, simulation = compile_game(regulation), load_simulation(regulation, folder)
    records = simulate_records(prepared, simulation, rounds=30, seed=5)
    plain = [{key: record[key] for key in record if key != "annotations"} for record in records]
    (batch,), _ = decode_records(plain, file="log", games=build_known_games(regulation))
    scope = EvaluationContext(batch, prepared, build_configuration(simulation.submission))
    seen = compare_seats(scope, {seat: read_decisions(scope, seat) for seat in range(scope.count_items("seat"))})
    assert sum(seen.values()) > 20
    assert game not in SHIPPED or all(number > 10 for number in seen.values())


# Let It Ride, dealt and settled by hand


def lawful_round(rng: random.Random, number: int) -> tuple[dict[str, Any], dict[int, tuple[str, ...]]]:
    """Return a whole round of random deals and decisions, settled from the text, and what each seat decides."""
    deck = rng.sample(range(52), 52)
    seats = sorted(rng.sample(range(1, 7), rng.randint(1, 4)))
    own = {seat: [deck.pop() for _ in range(3)] for seat in seats}
    stack = [deck.pop() for _ in range(3)]
    shown, racked = stack[:2], stack[2]
    decided: dict[int, tuple[str, ...]] = {
        seat: (rng.choice(["withdraw-1", "ride-1"]), rng.choice(["withdraw-2", "ride-2"])) for seat in seats
    }
    unit = {seat: rng.choice([500, 1000, 2500]) for seat in seats}
    events: list[dict[str, Any]] = [{"event": "shuffle", "by": "machine"}]
    wagers: dict[int, list[dict[str, Any]]] = {seat: [] for seat in seats}
    for seat in seats:
        placed = ("number-1", "number-2", "number-3")
        events += [{"event": "wager", "seat": seat, "wager": name, "amount": unit[seat]} for name in placed]
    for seat in seats:
        cards = format_cards(own[seat])
        events.append(
            {"event": "deal", "place": "player", "seat": seat, "cards": cards, "face": "down", "by": "machine"}
        )
    of_stack = {"place": "community", "cards": format_cards(stack)}
    events.append({"event": "deal", **of_stack, "face": "down", "by": "machine"})
    events.append({"event": "discard", "place": "community", "cards": format_cards([racked])})
    for turn, card in enumerate(shown):
        for seat in seats:
            events.append({"event": "decide", "seat": seat, "decision": decided[seat][turn]})
            if decided[seat][turn].startswith("withdraw"):
                events.append({"event": "return", "seat": seat, "wager": f"number-{turn + 1}", "amount": unit[seat]})
        events.append({"event": "reveal", "place": "community", "cards": format_cards([card])})
    for seat in reversed(seats):
        (category,), (pair,) = five_cards(np.array([own[seat] + shown]))
        units = UNITS[category] if category != 1 else 1 if pair >= 8 else -1
        for at, name in enumerate(("number-1", "number-2", "number-3")):
            back = at < 2 and decided[seat][at].startswith("withdraw")
            paid, taken = (0, 0) if back else (max(units, 0) * unit[seat], unit[seat] if units < 0 else 0)
            wagers[seat].append({"wager": name, "amount": unit[seat], "paid": paid, "taken": taken})
            if not back:
                kind = "pay" if paid else "collect"
                events.append({"event": kind, "seat": seat, "wager": name, "amount": paid or taken})
        events.append({"event": "collect-cards", "place": "player", "seat": seat})
    record: dict[str, Any] = {
        "round": f"R{number}",
        "table": "T1",
        "time": f"2026-03-01T20:{number % 60:02d}:00Z",
        "game": GAME,
        "seats": [
            {"seat": seat, "player": f"P{seat}", "cards": format_cards(own[seat]), "wagers": wagers[seat]}
            for seat in seats
        ],
        "community": format_cards(stack),
        "community-discarded": format_cards([racked]),
        "events": events,
    }
    return record, decided


@pytest.mark.parametrize("kept", ["{held: community, equals: 2}", "{cards: community, equals: 3}"])
def test_random_deals_settle_as_the_text_and_the_odds_have_it(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(win_distribution, "_SHARED", 300)  # only the advantage is compared, which is counted
    changes = {"{held: community, equals: 2}": kept}
    rng = random.Random(3)
    rounds = [lawful_round(rng, number) for number in range(30)]
    prepared = compile_game(regulation(tmp_path / "own", GAME, changes))
    scope = EvaluationContext(read_batch([record for record, _ in rounds], GAME), prepared, None)
    decided = dict(enumerate(words for _, of_round in rounds for words in of_round.values()))
    assert compare_seats(scope, decided)["number-1"] == len(decided)
    folder, log = rulebook(tmp_path / "rules", GAME, changes), tmp_path / "log.jsonl"
    log.write_text("\n".join(json.dumps(record) for record, _ in rounds), "utf-8")
    found = audit(Rulebook(folder=folder), log, submissions=[])
    assert not found.quarantined
    assert [(finding.requirement, finding.where) for finding in found.findings if finding.status is Status.FAIL] == []
    (theory,) = run("hold", log, "--rules", folder, "-o", "json").results["statistics"]["wagers"]
    assert (theory["wager"], theory["house-advantage"], theory["exact"]) == ("number-1", "37963/1082900", True)
