"""Rounds that `--vary` changes as the rules permit: every game has variety, and the audit finds nothing in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import pytest

from fairdeal.api import load_rulebook
from tests.facade.results import Status
from tests.facade.rounds import compile_game
from tests.facade.rules import list_games
from tests.facade.simulation import Record, audit_log, load_simulation, simulate_log
from tests.lawful.known import POKER

RULEBOOK = load_rulebook()
GAMES = sorted(list_games())
ROUNDS = 200


@cache
def simulate_varied(game: str, vary: int = 100, seed: int = 34) -> bytes:
    regulation = RULEBOOK.regulation(game)
    simulation = load_simulation(regulation)
    return simulate_log(compile_game(regulation), simulation, rounds=ROUNDS, seed=seed, vary=vary)


def read_records(game: str, vary: int = 100, seed: int = 34) -> list[Record]:
    return [json.loads(line) for line in simulate_varied(game, vary, seed).splitlines()]


@pytest.mark.parametrize("game", GAMES)
def test_no_varied_round_is_accused(game: str) -> None:
    submission = load_simulation(RULEBOOK.regulation(game)).submission
    found = audit_log(RULEBOOK, simulate_varied(game), submission)
    assert [
        f"{finding.where.round}: {finding.requirement}"
        for finding in found.findings
        if finding.status in (Status.FAIL, Status.ERROR)
    ] == []


def has_kind(*kinds: str) -> Callable[[Record], bool]:
    return lambda record: {event["event"] for event in record["events"]} >= {*kinds}


def has_repeated(*kinds: str) -> Callable[[Record], bool]:
    """Return whether a record has two events of some kind that differ in their cards or amount alone, in a row."""

    def repeats(record: Record) -> bool:
        parts = ("cards", "amount")
        events = [{key: value for key, value in event.items() if key not in parts} for event in record["events"]]
        return any(event == other and event["event"] in kinds for event, other in pairwise(events))

    return repeats


def returns_winning_stake(record: Record) -> bool:
    lines = [
        (event["event"], event["seat"], event["wager"])
        for event in record["events"]
        if event["event"] in ("pay", "return") and not event.get("tip")
    ]
    return any(("return", *line) in lines for kind, *line in lines if kind == "pay")


def place_of_last(record: Record, kind: str) -> int:
    """Return the index of the last event of a kind; -1 if there is none."""
    return max((at for at, event in enumerate(record["events"]) if event["event"] == kind), default=-1)


def says_twice(record: Record) -> bool:
    return any(event == other and event["event"] == "declare" for event, other in pairwise(record["events"]))


def calls_in_motions(record: Record) -> bool:
    """Return whether a call is said, and then placed in two motions."""
    kinds = [event.get("decision", event["event"]) for event in record["events"]]
    wanted = ["call", "tender", "tender", "call"]
    return any(kinds[at : at + 4] == wanted for at in range(len(kinds)))


def stops_at(cards: int) -> Callable[[Record], bool]:
    """Return whether a record stops with so many community cards, once a decision is recorded."""
    return lambda record: (
        not record.get("complete", True)
        and place_of_last(record, "decide") >= 0
        and len(record.get("community", "")) == 2 * cards
    )


BETWEEN_PLAYERS: Sequence[Callable[[Record], bool]] = (
    says_twice,
    calls_in_motions,
    has_repeated("award"),
    lambda record: any(event["event"] == "decide" and event.get("amount") == 0 for event in record["events"]),
    lambda record: -1 < place_of_last(record, "award") < place_of_last(record, "return"),
    *(stops_at(cards) for cards in (0, 3, 4, 5)),
)
AGAINST_HOUSE: Sequence[Callable[[Record], bool]] = (
    has_kind("arrive"),
    has_kind("leave"),
    has_kind("withdraw"),
    has_repeated("wager"),
    has_repeated("pay", "collect", "return"),
    returns_winning_stake,
)
EVERYWHERE: Sequence[Callable[[Record], bool]] = (
    lambda record: not record.get("complete", True),
    lambda record: bool(record.get("unrecorded")),
    has_repeated("reveal"),
    has_repeated("shuffle", "cut"),
)


@pytest.mark.parametrize("game", GAMES)
def test_varied_rounds_have_each_motion(game: str) -> None:
    expected = (*EVERYWHERE, *(BETWEEN_PLAYERS if game == POKER else AGAINST_HOUSE))
    varied, plain = read_records(game), read_records(game, vary=0)
    assert [sum(map(has_motion, varied)) > 0 for has_motion in expected] == [True] * len(expected)
    assert sum(map(has_repeated("shuffle", "cut", "wager"), plain)) == 0


@pytest.mark.parametrize("game", GAMES)
def test_irregularities_happen_more_often(game: str) -> None:
    kinds = ("misdeal", "expose", "fault", "remedy")

    def count(records: Sequence[Record]) -> int:
        return sum(any(event["event"] in kinds for event in record["events"]) for record in records)

    assert count(read_records(game)) > max(ROUNDS // 20, count(read_records(game, vary=0)))


def test_a_varied_round_may_have_two_irregularities() -> None:
    both = has_kind("expose", "draw")
    varied, plain = ([record for seed in (34, 35) for record in read_records("s38", vary, seed)] for vary in (100, 0))
    assert any(map(both, varied))
    assert not any(map(both, plain))


def test_only_the_given_share_is_varied() -> None:
    game = GAMES[0]
    counts = [sum(not record.get("complete", True) for record in read_records(game, vary)) for vary in (0, 20, 100)]
    assert counts[0] == 0 < counts[1] < counts[2]


def test_the_summary_of_a_record_that_stops_agrees_with_its_events() -> None:
    stopped = [record for game in GAMES for record in read_records(game) if not record.get("complete", True)]
    for record in (record for record in stopped if not record.get("unrecorded")):
        for seat in record["seats"]:
            own = [event for event in record["events"] if event.get("seat") == seat["seat"]]
            dealt = "".join(event["cards"] for event in own if event["event"] == "deal")
            assert seat.get("cards", "") == dealt
            assert all("paid" not in wager and "taken" not in wager for wager in seat["wagers"])
    assert stopped


def test_rounds_with_a_planted_fault_are_not_varied() -> None:
    game = "co-rule10-3card-shine"
    regulation = RULEBOOK.regulation(game)
    simulation, name = load_simulation(regulation), "dealt-in-turn"
    run = {"rounds": 60, "seed": 3, "faults": [name], "every": 5, "vary": 100}
    log = simulate_log(compile_game(regulation), simulation, **run)
    planted = [record for record in map(json.loads, log.splitlines()) if record.get("annotations")]
    assert planted and all(record.get("complete", True) for record in planted)
    found = audit_log(RULEBOOK, log, simulation.submission)
    failed = {finding.where.round: finding.requirement for finding in found.findings if finding.status is Status.FAIL}
    assert failed == {record["round"]: f"{game}/{name}" for record in planted}


def test_an_uncalled_bet_may_be_awarded_instead_of_returned() -> None:
    plain, varied = read_records(POKER, vary=0), read_records(POKER)

    def count(records: Sequence[Record]) -> int:
        whole = [record for record in records if place_of_last(record, "award") >= 0 and not record.get("unrecorded")]
        return sum(place_of_last(record, "return") < 0 for record in whole) - sum(
            place_of_last(record, "return") >= 0 for record in whole
        )

    assert count(varied) > count(plain)
