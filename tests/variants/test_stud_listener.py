"""Thousands of rounds of stud, lawful and not, checked by a listener who counts cards and chips one by one."""

from __future__ import annotations

import random
from functools import cache

import pytest

from tests.facade.evidence import decode_records
from tests.facade.rounds import STATUSES, CompiledGame, compile_game, evaluate_batch
from tests.facade.rules import load_regulation
from tests.facade.submissions import read_configuration
from tests.variants.hands import GAMES
from tests.variants.less_told import LESS, withhold
from tests.variants.stud_listener import BRING_IN, FAIL, NOT_ASKED, OPEN, PASS, SMALL, Listener
from tests.variants.stud_rounds import ACT_FAULTS, DEAL_FAULTS, OTHER_FAULTS, Dealt, Event, deal_round

HOUSE = (
    "submission: house\ndocument: stud\neffective: 1970-01-01\nlicensee: {name: nobody}\n"
    f"wagers: [{{wager: bring-in, minimum: {BRING_IN // 100}}}, {{wager: bets, minimum: {SMALL // 100}}}]\n"
)
ROUNDS = 350


@cache
def stud() -> CompiledGame:
    return compile_game(load_regulation("stud", GAMES))


def judge(records: list[Event], prepared: CompiledGame | None = None) -> list[dict[str, str]]:
    """Return the result of each requirement for each round."""
    house = read_configuration(HOUSE)
    batches, bad = decode_records(records, file="log", games={"stud"})
    assert not bad, bad[0].reason
    found: list[dict[str, str]] = [{} for _ in records]
    for batch in batches:
        for weighed in evaluate_batch(prepared or stud(), batch, house):
            for line, mark in zip(batch.line.tolist(), weighed.status_codes.tolist(), strict=True):
                found[line - 1][weighed.requirement.requirement] = str(STATUSES[mark])
    return found


@cache
def rounds() -> tuple[Dealt, ...]:
    return tuple(deal_round(seed) for seed in range(ROUNDS))


@cache
def listen_to_all() -> tuple[dict[str, str], ...]:
    return tuple(judge([round_.record for round_ in rounds()]))


def differences(played: list[Dealt], found: list[dict[str, str]]) -> list[tuple[str, str | None, str, str, str]]:
    return [
        (round_.record["round"], round_.fault, name, "/".join(sorted(may)), came[name])
        for round_, came in zip(played, found, strict=True)
        for name, may in Listener(round_.record, round_.streets).hear().items()
        if came[name] not in may
    ]


def test_the_listener_agrees() -> None:
    planted = {round_.fault for round_ in rounds() if round_.planted}
    assert planted == {*ACT_FAULTS, *DEAL_FAULTS, *OTHER_FAULTS}
    assert differences(list(rounds()), list(listen_to_all())) == []


def test_what_is_lawful_breaks_nothing() -> None:
    clean = [statuses for round_, statuses in zip(rounds(), listen_to_all(), strict=True) if not round_.planted]
    assert len(clean) > ROUNDS / 3
    assert {status for statuses in clean for status in statuses.values()} == {PASS, NOT_ASKED}


def test_rounds_are_judged_by_themselves() -> None:
    records = [round_.record for round_ in rounds()[:200]]
    shuffled = list(range(len(records)))
    random.Random(1).shuffle(shuffled)
    found = judge([records[at] for at in shuffled])
    assert [found[shuffled.index(at)] for at in range(len(records))] == list(listen_to_all()[:200])
    for at in range(0, 200, 8):
        assert judge([records[at]]) == [listen_to_all()[at]]


MAY_BECOME = {PASS: {PASS, OPEN}, FAIL: {FAIL, OPEN}, OPEN: {OPEN}, NOT_ASKED: {NOT_ASKED, OPEN}}
WITHOUT = {
    # A seat without any dealt card is out of turn if the summary does not state that it has no cards.
    ("first-left-out", "dealt-in-turn"): {"no_summary_cards", "hidden_open_card"},
    # Without records of burnt cards or acts, only the number of cards of each seat distinguishes the stages.
    ("packet-more", "last-card-down"): {"no_burns"},
    ("left-out", "last-card-down"): {"no_burns"},
    ("packet-more", "betting-completed"): {"no_burns"},
    ("left-out", "betting-completed"): {"no_burns"},
    # Without the decisions the summary must list no bets either; unlisted amounts were not staked.
    ("over", "table-stakes"): {"no_decisions"},
    ("size", "table-stakes"): {"no_decisions"},
}


@pytest.mark.parametrize("how", LESS)
def test_evidence_left_out_proves_nothing(how: str) -> None:
    played = rounds()
    found = judge([withhold(round_.record, how, seed) for seed, round_ in enumerate(played)])
    wrong = [
        (round_.record["round"], round_.fault, name, whole[name], status)
        for round_, whole, came in zip(played, listen_to_all(), found, strict=False)
        for name, status in came.items()
        if status not in MAY_BECOME[whole[name]] and how not in WITHOUT.get((round_.fault or "", name), ())
    ]
    assert wrong == []
