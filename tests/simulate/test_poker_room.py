"""Rounds of the poker room: clean runs have no finding, every fault has its own, and PokerKit plays them alike."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Set
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from msgspec.structs import replace

from fairdeal.api import load_rulebook
from fairdeal.validator.rulebook.rulebook import open_with_profile
from tests.facade.results import Evidence, Results, Status
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import Rulebook, load_regulation, rules_folder
from tests.facade.simulation import (
    Record,
    Simulation,
    audit_log,
    change_fields,
    compare_planted_and_failed,
    count_rounds,
    is_plantable,
    list_planted,
    load_simulation,
    simulate,
    simulate_log,
    simulate_records,
)
from tests.facade.submissions import FixedLimit, Notice, SubmittedWager
from tests.simulate.pokerkit_table import replay

GAME = "poker-room"
CUSTOM = str(rules_folder() / GAME / "profiles" / "card-room-custom.yaml")
REQUIREMENTS = load_regulation(GAME).requirements
PLANTABLE = [name.requirement for name in REQUIREMENTS if is_plantable(name)]

OTHER_READINGS = {
    "a-blind-posted": {"vacant-small-blind": "left-out"},
    "betting-completed-at-the-showdown": {"hands-shown-early": "not-before-the-showdown"},
    "button-moves-by-position": {"how-the-button-moves": "next-seat", "button-at-an-empty-seat": "allowed"},
    "button-passes-newcomers-only": {"how-the-button-moves": "past-newcomers"},
    "fold-only-against-a-bet": {"fold-unfaced": "may-not"},
    "no-chips-removed-in-the-round": {"ongoing-play": "during-rounds"},
    "no-dead-blinds": {"missed-blinds": "not-allowed"},
    "one-chip-bets-the-smallest": {"one-chip-with-nothing-to-call": "smallest-bet"},
    "raise-is-open": {"short-all-in": "closed"},
    "shown-after-the-last-card": {"tabling-when-all-in": "after-the-last-card"},
    "stack-within-the-table-maximum": {"table-maximum": "stack"},
    "wager-within-the-table-maximum": {"table-maximum": "wager"},
}
"""Requirements that apply only under another reading, with that reading."""

SHIPPED = load_simulation(load_regulation(GAME)).submission
ANTE = SubmittedWager.model_validate({"wager": "ante", "minimum": 1, "posted": ["signage"]})
NO_CHECK_RAISE = Notice.model_validate({"of": "no-check-raise"})
WITH_ANTES = {"options": {**SHIPPED.options, "ante": "each-player"}, "wagers": [*(SHIPPED.wagers or []), ANTE]}
OTHER_HOUSES: dict[str, dict[str, Any]] = {
    "antes-posted": WITH_ANTES,
    "blinds-besides-antes": WITH_ANTES,
    "fixed-limit-sizes": {"fixed_limit": FixedLimit.model_validate({"small-bet": 2, "big-bet": 4})},
    "check-raise": {"options": {**SHIPPED.options, "check-raise": False}, "notices": [NO_CHECK_RAISE]},
}
"""Requirements that apply only to another house, with the submission of that house."""

_ON_THE_RIVER = {"betting-completed-at-the-showdown", "betting-completed-at-the-award"}
_TOO_SOON = {"betting-completed", "betting-completed-before-the-burn", "blinds-may-raise"}
_OUT_OF_TURN = {"last-bettor-shows-first"}
FOLLOWS = {
    # A third blind makes the blinds more than half of the big one.
    "blinds-from-their-seats": {"big-blind-is-double"},
    # A player who is out cannot act in turn, nor before the betting is complete.
    "only-players-act": {"no-act-after-the-end"},
    # The cards come while others, the big blind perhaps, are still to act; pots are awarded while they are.
    **dict.fromkeys(_TOO_SOON, _TOO_SOON),
    **dict.fromkeys(_ON_THE_RIVER, _ON_THE_RIVER),
    # A pot that is awarded too soon is awarded before hands are shown and those of losers collected.
    "betting-completed-at-the-award": {*_ON_THE_RIVER, "losers-collected-first", "winning-hand-shown"},
    # A hand that is out wins only if it is played on, perhaps after everybody else has folded.
    "no-redress-for-an-unprotected-hand": {"hand-out-stays-out"},
    "hand-of-who-leaves": {"hand-out-stays-out", "no-act-after-the-end"},
    # A call with more chips than exist is a call with more than is missing.
    "table-stakes": {"call-meets-the-bet"},
    # A round is declared dead and its pots are awarded.
    # Chips that nobody gave back are counted among the player's.
    "dead-round-returns-the-chips": {"chips-accounted-for"},
    "misdeal-only-for-its-causes": {"dead-round-returns-the-chips"},
    # Cards dealt only after the round is dead follow the error in their deal.
    "dead-round-is-over": {"wrong-deal-found-once-cards-are-dealt"},
    # If the deal is valid after all, play continues in a round that was declared dead.
    "no-misdeal-after-two-wagers": {"dead-round-returns-the-chips", "dead-round-is-over"},
    # A lost hand is no cause to declare a round dead, and the winners got the chips.
    "round-resumed-without-the-player": {"misdeal-only-for-its-causes", "dead-round-returns-the-chips"},
    # A late concession follows others; of two awards before the last card one may be the first event.
    "conceded-before-the-award": _OUT_OF_TURN,
    # If two winners show late, the award was too early, and each of them shows after it.
    "shown-before-the-award": {*_OUT_OF_TURN, "shown-before-it-is-settled"},
    "awarded-after-the-last-card": {
        "no-rake-after-the-award",
        "shown-before-the-award",
        "winning-hand-shown",
        "losers-collected-first",
    },
    "uncalled-bet-returned": {"chips-accounted-for"},
    # A player who may not raise may have too few chips for a full raise; a hand shown too soon precedes the final bet.
    "raise-is-open": {"raise-exceeds-the-bet"},
    "shown-after-the-last-card": {"betting-completed-at-the-showdown", "last-bettor-shows-first"},
    # A hole card dealt after the flop follows acts. Cards of a player who folded before the flop are dealt before it,
    # so that some are dealt early and some late.
    "course-of-the-board": {"hole-cards-before-the-betting", "hole-cards-in-turn"},
    "hole-cards-before-the-betting": {"hole-cards-in-turn"},
    # Six community cards are not five.
    "number-of-community-cards": {"board-complete-at-the-showdown"},
}
"""Requirements that are broken along with the one a fault is for."""
LEAVES_OPEN = {
    "a-blind-posted",
    "antes-only-where-required",
    "board-complete-at-the-showdown",
    "betting-completed-at-the-showdown",
    "no-chips-added-in-the-round",
    "no-chips-removed",
    "no-chips-removed-in-the-round",
    "number-of-community-cards",
    "only-chips-play",
    "two-hole-cards",
}
"""Faults after which the amount due, or the expected chips, are not evident."""
SELDOM = {"button-starts-right-of-the-dealer"}
"""Faults that a run can rarely plant."""
BY_THEMSELVES = {*OTHER_READINGS, *OTHER_HOUSES, *SELDOM}
"""Faults that need a log of their own."""
IN_TURN = [name for name in PLANTABLE if name not in BY_THEMSELVES | LEAVES_OPEN]
OPEN_IN_TURN = [name for name in PLANTABLE if name in LEAVES_OPEN - BY_THEMSELVES]
EACH = 3
"""Rounds that have each fault."""


@cache
def rulebook() -> Rulebook:
    return load_rulebook()


@cache
def read_for(fault: str | None) -> Rulebook:
    """Return the rulebook under the readings in which a fault can be planted."""
    if fault not in OTHER_READINGS:
        return rulebook()
    chosen = OTHER_READINGS[fault].items()
    choices = [{"document": GAME, "reading": reading, "is": option} for reading, option in chosen]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "profile.yaml"
        path.write_text(json.dumps({"profile": "other", "title": "Another reading", "choices": choices}), "utf-8")
        return open_with_profile(rulebook(), str(path))


@cache
def room(fault: str | None = None) -> tuple[CompiledGame, Simulation]:
    """Return the compiled game and the simulation in which a fault can be planted."""
    regulation = read_for(fault).regulation(GAME)
    simulation = load_simulation(regulation)
    submission = change_fields(simulation.submission, **OTHER_HOUSES.get(fault or "", {}))
    return compile_game(regulation), simulation.model_copy(update={"submission": submission})


@cache
def public_room() -> tuple[CompiledGame, Simulation]:
    """Return a room that plays like public ones, without a rake, so that chips alone show who won what."""
    regulation = open_with_profile(rulebook(), CUSTOM).regulation(GAME)
    simulation = load_simulation(regulation)
    return compile_game(regulation), simulation.model_copy(
        update={"submission": change_fields(simulation.submission, rake=None)}
    )


def judge(fault: str | None = None, **run: Any) -> tuple[Results, bytes]:
    """Return the results of an audit of a run, and its log.

    If a fault is named, it is planted unless other `faults` are, with the readings and the house that it needs.
    """
    prepared, simulation = room(fault)
    run.setdefault("faults", [] if fault is None else [fault])
    log = simulate_log(prepared, simulation, **run)
    return audit_log(read_for(fault), log, simulation.submission), log


@cache
def clean_run() -> tuple[Results, list[Record]]:
    found, log = judge(rounds=400, seed=1)
    return found, [json.loads(line) for line in log.splitlines()]


def test_a_clean_run_has_no_finding_and_leaves_nothing_open() -> None:
    found = clean_run()[0]
    assert not found.findings
    assert {status for requirement in found.requirements for status, count in requirement.totals.items() if count} == {
        Status.PASS,
        Status.NOT_APPLICABLE,
    }


@pytest.mark.parametrize("fault", [*OTHER_READINGS, *OTHER_HOUSES])
def test_a_clean_run_has_no_finding_under_other_readings_and_in_other_houses(fault: str) -> None:
    found, _ = judge(fault, rounds=45, seed=4, faults=[])
    assert not found.findings
    # In a complying room nobody takes chips away during a round: the check never applies.
    arises = fault != "no-chips-removed-in-the-round"
    assert count_rounds(found, Status.PASS if arises else Status.NOT_APPLICABLE)[fault]


def test_a_button_that_moves_by_position_comes_to_empty_seats() -> None:
    _, log = judge("button-moves-by-position", rounds=150, seed=4, faults=[])
    records = [json.loads(line) for line in log.splitlines()]
    empty = [record for record in records if record["button"] not in {seat["seat"] for seat in record["seats"]}]
    assert len(empty) >= 5


def test_a_clean_run_has_no_failure_where_it_is_played_as_public_rooms_do() -> None:
    read = open_with_profile(rulebook(), CUSTOM)
    simulation = load_simulation(read.regulation(GAME))
    log = simulate_log(compile_game(read.regulation(GAME)), simulation, rounds=150, seed=2)
    found = audit_log(read, log, simulation.submission)
    assert not count_rounds(found, Status.FAIL)
    assert {*count_rounds(found, Status.NOT_EVIDENCED)} <= {"pots-to-the-winners"}  # the seat that gets an odd cent


def test_what_can_be_broken_comes_up_in_clean_runs() -> None:
    passed = {*count_rounds(clean_run()[0], Status.PASS)}
    assert {*PLANTABLE} - passed - {*OTHER_READINGS, *OTHER_HOUSES} == {
        # Nothing that these speak of happens in a room that keeps to the rules.
        "antes-only-where-required",
        "deck-stays-for-the-round",
        "hand-of-who-leaves",
        "hand-out-stays-out",
        "no-chips-removed",
        "no-redress-for-an-unprotected-hand",
        "opened-step-by-step",
        "only-the-seated-bet",
        "owed-wager-stays-owed",
        "no-misdeal-after-two-wagers",
    }


def test_all_kinds_of_rounds_come_up() -> None:
    records = clean_run()[1]
    events = Counter(event["event"] for record in records for event in record["events"])
    decisions = Counter(event.get("decision") for record in records for event in record["events"])
    boards = Counter(len(record.get("community", "")) // 2 for record in records)
    assert min(decisions[kind] for kind in ("fold", "check", "call", "bet", "raise", "concede")) >= 100
    assert min(boards[cards] for cards in (0, 3, 4, 5)) >= 10 and {*boards} == {0, 3, 4, 5}
    assert min(events[kind] for kind in ("chips-in", "return", "rake", "drop", "award", "reveal")) >= 100
    side = [record for record in records if any(event.get("pot", 0) > 0 for event in record["events"])]
    split = [record for record in records if len({*_winners(record, 0)}) > 1]
    heads_up = [record for record in records if len(record["seats"]) == 2]
    assert min(map(len, (side, split, heads_up))) >= 20


def _winners(record: Record, pot: int) -> list[int]:
    return [event["seat"] for event in record["events"] if event["event"] == "award" and event["pot"] == pot]


def test_the_button_goes_round_and_chips_are_carried_over() -> None:
    """Computed by hand, without the program."""
    before: dict[str, Record] = {}
    kept = 0
    for record in clean_run()[1]:
        seats = {seat["seat"]: seat for seat in record["seats"]}
        assert record["button"] in seats
        bought = {event["seat"]: event["amount"] for event in record["events"] if event["event"] == "chips-in"}
        earlier = before.get(record["table"])
        if record["number"] == 1:
            assert record["button"] == max(*seats, record["button"]) and not bought
        else:
            assert earlier is not None and record["number"] == earlier["number"] + 1
            following = [seat for seat in seats if seat > earlier["button"]]
            assert record["button"] == min(following or seats)
            had = {seat["player"]: seat for seat in earlier["seats"]}
            for seat, held in seats.items():
                there = had.get(held["player"])
                assert there is None or there["seat"] == seat
                assert held["stack"] == (there["stack-after"] if there else 0) + bought.get(seat, 0)
                kept += there is not None and seat not in bought
        before[record["table"]] = record
    assert kept >= 400


def test_chips_neither_appear_nor_vanish() -> None:
    for record in clean_run()[1]:
        raked = sum(event["amount"] for event in record["events"] if event["event"] == "rake")
        assert sum(seat["stack"] for seat in record["seats"]) == raked + sum(
            seat["stack-after"] for seat in record["seats"]
        )


def test_every_requirement_on_rounds_and_sessions_can_be_planted() -> None:
    asked = {name.requirement for name in REQUIREMENTS if name.evidence in (Evidence.ROUND, Evidence.SESSION)}
    assert asked - {*PLANTABLE} == {
        # Blinds that are not in proportion are not as posted, unless the house posts them so.
        "big-blind-is-double",
        "big-blind-is-larger",
        # No fault changes how a dealt card is recorded.
        "set-aside-stays-out",
        # A wrong award is reported at its seat, whose share every simulated round shows.
        "pots-add-up",
        # A complete hand shown after it was collected contradicts the record before any rule is evaluated.
        "shown-before-it-is-settled",
        # No fault places a wager of no name, has anybody leave the game, or cuts a deck for a round that is dead.
        "known-wagers",
        "no-misdeal-of-a-cut-deck",
        "who-leaves-takes-all-chips",
    }


@pytest.mark.parametrize("fault", [name for name in PLANTABLE if name in BY_THEMSELVES])
def test_a_fault_is_found_where_it_was_planted(fault: str) -> None:
    found, log = judge(rounds=400 if fault in SELDOM else 24, seed=21, fault=fault, every=8)
    planted = compare_planted_and_failed(log, found)[0][fault]
    assert len(planted) >= EACH
    failed = count_rounds(found, Status.FAIL)
    assert failed[fault] == len(planted) and {*failed} <= {fault} | FOLLOWS.get(fault, set())
    own = [
        finding
        for finding in found.findings
        if finding.status is Status.FAIL and finding.requirement == f"{GAME}/{fault}"
    ]
    assert {finding.where.round for finding in own} <= planted
    assert fault in LEAVES_OPEN or not count_rounds(found, Status.NOT_EVIDENCED)


@cache
def in_turn(leaves_open: bool) -> tuple[Results, Mapping[str, Set[str]], Mapping[str, Set[str]]]:
    """Run with a fault in every other round: those that leave something open, or all others.

    Returns the results, the rounds of each fault, and the failures of each round.
    """
    faults = OPEN_IN_TURN if leaves_open else IN_TURN
    found, log = judge(rounds=2 * EACH * len(faults), seed=21, faults=faults, every=2)
    return found, *compare_planted_and_failed(log, found)


@pytest.mark.parametrize("fault", [*IN_TURN, *OPEN_IN_TURN])
def test_a_fault_among_others_is_found_where_it_was_planted(fault: str) -> None:
    _, planted, failed = in_turn(fault in OPEN_IN_TURN)
    assert len(planted[fault]) == EACH
    for round_ in planted[fault]:
        besides = [fault for fault in planted if round_ in planted[fault]]
        assert (
            fault in failed[round_] <= {*besides}.union(*(FOLLOWS.get(requirement, set()) for requirement in besides))
        )


@pytest.mark.parametrize("leaves_open", [False, True])
def test_of_faults_in_turn_nothing_is_found_elsewhere(leaves_open: bool) -> None:
    found, planted, failed = in_turn(leaves_open)
    assert {*failed} == set[str]().union(*planted.values())
    assert sum(count_rounds(found, Status.FAIL).values()) == sum(map(len, failed.values()))
    if not leaves_open:
        # If the others fold to a hand that is out, nobody is left who may win.
        open_rounds = {finding.where.round for finding in found.findings if finding.status is Status.NOT_EVIDENCED}
        assert open_rounds <= planted["hand-of-who-leaves"]
        assert {*count_rounds(found, Status.NOT_EVIDENCED)} <= {"pots-to-the-winners"}


def test_rounds_without_faults_stay_as_they_were() -> None:
    """Only the seating and the chips may differ, since they depend on the previous round."""
    prepared, simulation = room()
    faulty = simulate_records(prepared, simulation, rounds=64, seed=5, faults=["in-turn"], every=8)
    clean = simulate_records(prepared, simulation, rounds=64, seed=5)
    assert sum(map(bool, map(list_planted, faulty))) == 8
    for record, other in zip(faulty, clean, strict=True):
        if not list_planted(record):
            assert _acts(record) == _acts(other)


def _acts(record: Record) -> list[tuple[Any, ...]]:
    return [(event["decision"], event.get("amount")) for event in record["events"] if event["event"] == "decide"]


def test_the_same_seed_gives_the_same_rounds() -> None:
    prepared, simulation = room()
    assert simulate_log(prepared, simulation, rounds=50, seed=3) == simulate_log(
        prepared, simulation, rounds=50, seed=3
    )
    assert simulate_log(prepared, simulation, rounds=50, seed=3) != simulate_log(
        prepared, simulation, rounds=50, seed=4
    )


def test_pokerkit_plays_every_round_alike() -> None:
    prepared, simulation = public_room()
    split = 0
    for record in simulate_records(prepared, simulation, rounds=200, seed=8):
        posted = {event["wager"]: event["amount"] for event in record["events"] if event["event"] == "wager"}
        if posted != {"small-blind": 100, "big-blind": 200}:
            continue  # PokerKit has another rule for the amount to call after a short blind
        if any(event["event"] == "misdeal" for event in record["events"]):
            continue
        after = {seat["seat"]: seat["stack-after"] for seat in record["seats"] if seat.get("playing", True)}
        theirs = replay(record, blinds=(100, 200))
        if any(event["event"] == "reveal" for event in record["events"]):  # else chips are pushed before there are pots
            assert sum(event["amount"] for event in record["events"] if event["event"] == "award") == theirs.pots
        apart = {seat: after[seat] - theirs.stacks[seat] for seat in after if after[seat] != theirs.stacks[seat]}
        # Pots that do not divide evenly are split by other rules: a chip of each may go elsewhere.
        pots = 1 + max((event.get("pot", 0) for event in record["events"]), default=0)
        shared = any(len(_winners(record, pot)) > 1 for pot in range(pots))
        assert not apart or (shared and max(map(abs, apart.values())) <= 100 * pots), (record["round"], apart)
        split += shared
    assert split >= 10


def test_as_many_seats_as_the_game_is_for() -> None:
    prepared, simulation = room()
    for seats in ((2, 2), (11, 11)):
        records = simulate_records(prepared, simulation, rounds=40, seed=1, seats=seats)
        assert {sum(seat.get("playing", True) for seat in record["seats"]) for record in records} == {seats[0]}
    with pytest.raises(ValueError, match="the game needs 2 to 11 players"):
        simulate_records(prepared, simulation, rounds=1, seed=1, seats=(1, 4))


@pytest.mark.parametrize(
    ("left_out", "says"),
    [
        ("smallest_chip", "does not state the smallest chip"),
        ("wagers", "posts no minimum for `small-blind`"),
    ],
)
def test_what_a_submission_must_say(left_out: str, says: str) -> None:
    prepared, simulation = room()
    with pytest.raises(ValueError, match=says):
        simulate_records(
            prepared,
            simulation,
            submission=change_fields(simulation.submission, **{left_out: None}),
            rounds=1,
            seed=1,
        )


@pytest.mark.parametrize("kind", ["fold", "check", "call"])
def test_betting_without_a_decision_that_it_needs_is_refused_before_the_first_batch(kind: str) -> None:
    prepared, simulation = room()
    others = {name: decision for name, decision in prepared.game.decisions.items() if decision.kind != kind}
    lacking = replace(prepared, game=prepared.game.model_copy(update={"decisions": others}))
    with pytest.raises(ValueError, match=f"betting cannot be simulated without a decision to {kind}"):
        simulate(lacking, simulation, submission=simulation.submission, rounds=1, seed=1)


def test_what_nobody_puts_in_needs_no_minimum() -> None:
    """Antes are put in where the house has chosen them; only then must it state their amount."""
    prepared, simulation = room()
    house = simulation.submission
    assert all(wager.wager != "ante" for wager in house.wagers or [])
    assert len(simulate_records(prepared, simulation, rounds=2, seed=1)) == 2
    options = {**(house.options or {}), "ante": "each-player"}
    with pytest.raises(ValueError, match="posts no minimum for `ante`"):
        simulate_records(prepared, simulation, submission=change_fields(house, options=options), rounds=1, seed=1)
