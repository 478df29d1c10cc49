"""Runs as a whole: the same seed plays the same rounds, logs are read back, and nonsense is refused."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.facade.evidence import Batch, decode_lines, to_lines
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.simulation import (
    Simulation,
    WorkPlan,
    change_fields,
    list_planted,
    simulate,
    simulate_log,
    simulate_records,
)
from tests.facade.submissions import Submission, SubmittedPayTable
from tests.facade.text import parse_odds
from tests.simulate.helpers import GAME, list_plantable, load_first

FAULTS = ["dealer-beats-player", "dealt-in-turn", "known-wagers"]


def batches(prepared: CompiledGame, simulation: Simulation, **run: Any) -> Iterator[Batch]:
    for batch, _ in simulate(prepared, simulation, submission=simulation.submission, **run):
        yield batch


def test_the_same_seed_plays_the_same_rounds(first_game: CompiledGame, simulation: Simulation) -> None:
    run: dict[str, Any] = {"rounds": 150, "faults": FAULTS, "every": 3, "batch_rounds": 64}
    assert simulate_log(first_game, simulation, seed=5, **run) == simulate_log(first_game, simulation, seed=5, **run)
    assert simulate_log(first_game, simulation, seed=5, **run) != simulate_log(first_game, simulation, seed=6, **run)


def test_another_process_plays_the_same_rounds(first_game: CompiledGame, simulation: Simulation) -> None:
    program = (
        "import hashlib; from tests.facade.simulation import simulate_log; from "
        "tests.simulate.helpers import load_first; "
        f"log = simulate_log(*load_first(), rounds=100, seed=3, faults={FAULTS}, every=4); "
        "print(hashlib.sha256(log).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    ours = simulate_log(first_game, simulation, rounds=100, seed=3, faults=FAULTS, every=4)
    assert other.stdout.strip() == hashlib.sha256(ours).hexdigest()


def test_batches_follow_each_other_without_a_seam(first_game: CompiledGame, simulation: Simulation) -> None:
    found = list(batches(first_game, simulation, rounds=150, seed=5, batch_rounds=64))
    assert [len(batch) for batch in found] == [64, 64, 22]
    assert np.concatenate([batch.line for batch in found]).tolist() == list(range(1, 151))
    ids = [name for batch in found for name in batch.round]
    assert ids[62:66] == ["T3-000016", "T4-000016", "T1-000017", "T2-000017"]
    assert (np.diff(np.concatenate([batch.time for batch in found])) > 0).all()


def test_planting_goes_on_over_batches(first_game: CompiledGame, simulation: Simulation) -> None:
    names = ["cut-after-the-shuffle", "play-equals-ante"]
    run: dict[str, Any] = {"rounds": 100, "seed": 5, "faults": names, "every": 7, "batch_rounds": 16}
    planted = [list_planted(record) for record in simulate_records(first_game, simulation, **run)]
    assert [(at, names) for at, names in enumerate(planted) if names] == [
        (7 * turn, [f"{GAME}/{names[turn % 2]}"]) for turn in range(15)
    ]


def test_rounds_without_a_fault_are_those_of_the_clean_run(first_game: CompiledGame, simulation: Simulation) -> None:
    clean = simulate_records(first_game, simulation, rounds=60, seed=5, batch_rounds=25)
    faulty = simulate_records(first_game, simulation, rounds=60, seed=5, batch_rounds=25, faults=FAULTS)
    assert [record for at, record in enumerate(faulty) if at % 10] == [
        record for at, record in enumerate(clean) if at % 10
    ]


def test_a_log_is_read_back_as_it_was_written(first_game: CompiledGame, eventful: Simulation) -> None:
    log = simulate_log(first_game, eventful, rounds=250, seed=5)
    decoded = decode_lines(log, file="log.jsonl", first_line=1, known_games=[GAME])
    assert not decoded.quarantined and decoded.read == 250
    assert b"".join(to_lines(batch) for batch in decoded.batches) == log


def test_planted_rounds_are_read_back_too(first_game: CompiledGame, simulation: Simulation) -> None:
    names = list_plantable()
    log = simulate_log(first_game, simulation, rounds=len(names), seed=5, faults=names, every=1)
    assert not decode_lines(log, file="log.jsonl", first_line=1, known_games=[GAME]).quarantined


def test_columns_have_the_types_of_a_batch(first_game: CompiledGame, simulation: Simulation) -> None:
    (played,) = batches(first_game, simulation, rounds=50, seed=5)
    log = simulate_log(first_game, simulation, rounds=50, seed=5)
    (read,) = decode_lines(log, file="log.jsonl", first_line=1, known_games=[GAME]).batches
    for mine, theirs in (
        (played, read),
        (played.seats, read.seats),
        (played.stakes, read.stakes),
        (played.events, read.events),
        (played.events.hands, read.events.hands),
        (played.seats.hands, read.seats.hands),
    ):
        for field in mine.__struct_fields__:
            one, other = getattr(mine, field), getattr(theirs, field)
            if isinstance(one, np.ndarray):
                assert one.dtype == other.dtype and one.shape[1:] == other.shape[1:], field
                if field not in ("line", "cards_row") and mine is not played.events.hands:
                    assert np.array_equal(one, other), field


def test_no_rounds_are_no_batches(first_game: CompiledGame, simulation: Simulation) -> None:
    assert list(batches(first_game, simulation, rounds=0, seed=5)) == []


def test_seats_can_be_fixed(first_game: CompiledGame, simulation: Simulation) -> None:
    (batch,) = batches(first_game, simulation, rounds=100, seed=5, seats=(6, 6))
    assert set(np.diff(batch.seats.offsets).tolist()) == {6}
    assert 45 < len(batch.events.round) / 100 < 56


def test_rounds_are_spread_over_days_shifts_and_dealers(first_game: CompiledGame, simulation: Simulation) -> None:
    run: dict[str, Any] = {"rounds": 120, "seed": 5, "work": WorkPlan(days=3, shifts=2, dealers=5)}
    log = simulate_log(first_game, simulation, **run)
    assert log == simulate_log(first_game, simulation, **run, jobs=2, batch_rounds=2048)
    records = [json.loads(line) for line in log.splitlines()]
    first = datetime.fromisoformat(records[0]["time"])
    slots = [divmod((datetime.fromisoformat(record["time"]) - first) // timedelta(hours=12), 2) for record in records]
    assert Counter(slots) == dict.fromkeys(((day, shift) for day in range(3) for shift in range(2)), 20)
    assert {(shift, record["context"]["shift"]) for (_, shift), record in zip(slots, records, strict=True)} == {
        (0, "1"),
        (1, "2"),
    }
    at_once = {(record["time"], record["context"]["dealer"]) for record in records}
    assert len(at_once) == len(records)
    assert {dealer for _, dealer in at_once} == {f"D{number}" for number in range(1, 6)}


def test_no_round_is_played_before_the_submission_takes_effect(
    first_game: CompiledGame, simulation: Simulation
) -> None:
    later = change_fields(simulation.submission, effective=date(2027, 5, 1))
    records = simulate_records(first_game, simulation, submission=later, rounds=2, seed=1)
    assert [record["time"] for record in records] == ["2027-05-01T00:00:00Z", "2027-05-01T00:00:20Z"]


def test_tables_are_the_submission_s_or_else_the_simulation_s(first_game: CompiledGame, simulation: Simulation) -> None:
    anywhere = change_fields(simulation.submission, tables=[])
    records = simulate_records(first_game, simulation, submission=anywhere, rounds=3, seed=1)
    assert [record["round"] for record in records] == ["T1-000001", "T1-000002", "T1-000003"]


def test_only_what_is_offered_is_placed(first_game: CompiledGame, simulation: Simulation) -> None:
    for gone in ("ante", "play", "pair-xxx", "super-6"):
        wagers = [wager for wager in simulation.submission.wagers or [] if wager.wager != gone]
        records = simulate_records(
            first_game, simulation, submission=change_fields(simulation.submission, wagers=wagers), rounds=80, seed=1
        )
        stakes = [stake["wager"] for record in records for seat in record["seats"] for stake in seat["wagers"]]
        assert gone not in stakes and stakes


def test_limits_without_a_unit_between_them_are_kept(first_game: CompiledGame, simulation: Simulation) -> None:
    wagers = [wager.model_copy(update={"minimum": 750, "maximum": 800}) for wager in simulation.submission.wagers or []]
    submission = change_fields(simulation.submission, wagers=wagers)
    records = simulate_records(first_game, simulation, submission=submission, rounds=30, seed=1)
    stakes = [stake for record in records for seat in record["seats"] for stake in seat["wagers"]]
    assert {stake["amount"] for stake in stakes if not stake.get("tip")} == {750}


def test_odds_with_halves_are_paid_in_whole(simulation: Simulation) -> None:
    submission = _pair_pays(simulation.submission, "7 to 4")
    records = simulate_records(_prints_pair_at("7 to 4"), simulation, submission=submission, rounds=200, seed=1)
    paid = [
        (stake["paid"], stake["amount"])
        for record in records
        for seat in record["seats"]
        for stake in seat["wagers"]
        if stake["wager"] == "pair-xxx" and 0 < stake["paid"] < 3 * stake["amount"]
    ]
    assert paid and all(4 * won == 7 * amount for won, amount in paid)


def test_a_posted_table_that_is_not_printed_pays_nobody(first_game: CompiledGame, simulation: Simulation) -> None:
    submission = _pair_pays(simulation.submission, "7 to 4")
    records = simulate_records(first_game, simulation, submission=submission, rounds=200, seed=1)
    paid = [
        (stake["paid"], stake["amount"])
        for record in records
        for seat in record["seats"]
        for stake in seat["wagers"]
        if stake["wager"] == "pair-xxx" and 0 < stake["paid"] < 3 * stake["amount"]
    ]
    assert paid and all(won == amount for won, amount in paid)


def _prints_pair_at(odds: str) -> CompiledGame:
    """Compile the shipped game with these odds for a pair in the printed table of the simulated house."""
    regulation = load_first()[0].regulation
    game = regulation.game
    assert game is not None
    table = game.pay_tables["pair-xxx-b"]
    printed = table.model_copy(update={"rows": table.rows | {"pair": parse_odds(odds)}})
    tables = game.pay_tables | {"pair-xxx-b": printed}
    return compile_game(replace(regulation, game=game.model_copy(update={"pay_tables": tables})))


def _pair_pays(submission: Submission, odds: str) -> Submission:
    def with_row(table: SubmittedPayTable) -> SubmittedPayTable:
        rows = [row.model_copy(update={"odds": parse_odds(odds)}) if row.hand == "pair" else row for row in table.rows]
        return table.model_copy(update={"rows": rows})

    return change_fields(submission, pay_tables=[with_row(table) for table in submission.pay_tables or []])


def test_what_cannot_be_played_is_refused_before_the_first_round(
    first_game: CompiledGame, simulation: Simulation
) -> None:
    whole = simulation.submission
    layout = whole.layout
    assert layout is not None
    super_6 = [wager for wager in whole.wagers or [] if wager.wager == "super-6"]
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"rounds": -1}, "rounds and seed must be at least 0, every and batch_rounds at least 1"),
        ({"seed": -1}, "rounds and seed must be at least 0, every and batch_rounds at least 1"),
        (
            {"work": WorkPlan(days=1), "rounds": 10**6},
            f"a table has time for 1,080 rounds in 1 day, and {-(-(10**6) // len(whole.tables or [])):,} are wanted",
        ),
        ({"work": WorkPlan(shifts=2)}, "shifts divide gaming days: state the number of days"),
        ({"every": 0}, "rounds and seed must be at least 0, every and batch_rounds at least 1"),
        (
            {"faults": ["dealing-method"]},
            "the requirement `dealing-method` cannot be broken in a simulation: it has no fault",
        ),
        ({"seats": (0, 3)}, "a round cannot have at least 0 and at most 3 hands"),
        ({"seats": (4, 3)}, "a round cannot have at least 4 and at most 3 hands"),
        ({"seats": (7, 7)}, "7 hands do not fit a layout of 6 positions"),
        (
            {"seats": (14, 14), "submission": change_fields(whole, layout=layout.model_copy(update={"positions": 14}))},
            "14 hands may need 60 cards, and the game has 52",
        ),
        ({"submission": change_fields(whole, document="other")}, f"the submission is for other, not for {GAME}"),
        (
            {"submission": change_fields(whole, dealing="thrown")},
            "the game is not dealt by `thrown`, only by one-at-a-time, three-card-packets",
        ),
        (
            {"submission": change_fields(whole, wagers=super_6)},
            "the submission offers no wager that a round can be started with",
        ),
        (
            {"submission": change_fields(whole, tables=["T" * 151])},
            "the licensee or a table has a name of more than 150 characters",
        ),
        (
            {"submission": _pair_pays(whole, "10007 to 10006")},
            "the odds of the pay tables have no common denominator up to 10000",
        ),
    ]
    for arguments, says in refusals:
        with pytest.raises(ValueError) as caught:
            simulate(first_game, simulation, **{"submission": whole, "rounds": 1, "seed": 1, **arguments})
        assert str(caught.value) == says
