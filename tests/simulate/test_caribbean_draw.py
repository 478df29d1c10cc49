"""Caribbean Draw simulated and judged as its log is read: a clean run has no finding, a fault its own and those that
follow from it."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import numpy as np
import pytest

from fairdeal.api import load_rulebook
from fairdeal.validator.engine.payouts.line_settlement import settle_lines
from fairdeal.validator.simulate import game_simulation
from tests.facade.evidence import Batch, read_batch, to_lines
from tests.facade.results import Evidence, Status
from tests.facade.rounds import CompiledGame, EvaluationContext, compile_game
from tests.facade.rules import Profile, apply_profile, build_tree, load_regulation
from tests.facade.simulation import (
    Record,
    audit_log,
    compare_planted_and_failed,
    is_plantable,
    judge_rounds,
    list_planted,
    load_simulation,
    simulate,
    simulate_log,
    simulate_records,
)
from tests.facade.submissions import FiledSubmission, build_configuration, evaluate_submission

GAME = "caribbean-draw"
REGULATION = load_regulation(GAME)
SIMULATION = load_simulation(REGULATION)
UNDER = build_configuration(SIMULATION.submission)
PLANTABLE = [
    requirement.requirement
    for requirement in REGULATION.requirements
    if is_plantable(requirement) and requirement.evidence is Evidence.ROUND
]

OTHER_READINGS = {
    "shuffled-by-the-dealer": ("who-shuffles", "dealer-only"),
    "drawn-face-down": ("face-of-drawn-cards", "down"),
    "antes-from-the-right-without-a-hand": ("order-of-antes-without-a-hand", "same-order"),
    "folds-collected-before-the-reveal": ("when-a-fold-is-collected", "before-the-reveal"),
    "jackpot-hand-plays-on": ("cards-of-a-jackpot-winner", "hand-is-over"),
    "misdeal-declared-once": ("said-again", "once"),
    "no-hand-announced-once": ("said-again", "once"),
    "cleared-once": ("said-again", "once"),
    "one-decision": ("said-again", "once"),
}
"""Requirements that never apply as the text is read, and the option under which they do."""

FOLLOWS = {
    # Its hand is racked before it is settled, which another requirement forbids for every hand.
    "winners-cards-stay": {"cards-collected-without-a-hand"},
    # A Bet with a fold, or a call without a Bet, must exist before it can be settled wrongly.
    "folded-bet-returned": {"bet-goes-with-the-call"},
    "ante-without-a-bet": {"bet-goes-with-the-call"},
}
"""Other requirements that fail where a requirement is broken."""
AT_TIMES = {"misdeal-to-the-table-in-its-place": {"no-misdeal-without-a-miscount"}}
"""Other requirements that may fail: where only the misdeal is recorded of the deal, it has no cause yet either."""

OTHER_HOUSES = {"wager-is-offered"}
"""Requirements that no round of the shipped house can break, as it offers every wager (`test_all_faults`)."""
ADOPTED = [name for name in PLANTABLE if name not in OTHER_READINGS.keys() | OTHER_HOUSES]

UNTOLD = {
    "hands-racked-whole",
    "discards-racked-whole",
    "meter-advances-by-the-increment",
    "meter-moves-by-tokens-and-awards",
    "deal-carried-through",
}
"""Requirements on facts that simulated rounds omit: racked cards, the feed of a shared meter, a stopped deal."""


@cache
def prepare(reading: str = "", option: str = "") -> CompiledGame:
    """Compile the game as its text is read, or with another option of one reading."""
    if not reading:
        return compile_game(REGULATION)
    choice = {"document": GAME, "reading": reading, "is": option}
    profile = Profile.model_validate({"profile": "other", "title": "Another authority", "choices": [choice]})
    return compile_game(apply_profile(REGULATION, profile))


def judge(game: CompiledGame, **run: object) -> tuple[Counter[tuple[str, Status]], list[set[str]], list[set[str]]]:
    """Return the rounds by requirement and status, and for each round its failed and its planted requirements."""
    batches: list[Batch] = []
    planted: list[set[str]] = []
    for played, names in simulate(game, SIMULATION, submission=SIMULATION.submission, **run):  # type: ignore[arg-type]
        batches.append(read_batch([json.loads(line) for line in to_lines(played).splitlines()], GAME))
        planted += [{requirement.removeprefix(f"{GAME}/") for requirement in several} for several in names]
    return *judge_rounds(game, batches, SIMULATION.submission), planted


@cache
def clean_batches() -> list[Batch]:
    """Return the batches of a run that keeps to the rules."""
    run = simulate(prepare(), SIMULATION, submission=SIMULATION.submission, rounds=1000, seed=20)
    return [batch for batch, _ in run]


@cache
def clean_records() -> list[Record]:
    """Return the same run as log records."""
    return [json.loads(line) for batch in clean_batches() for line in to_lines(batch).splitlines()]


@cache
def broken() -> dict[str, list[set[str]]]:
    """Return the failures of each round by the requirement planted in it; "" holds all other rounds."""
    _, failed, planted = judge(prepare(), rounds=4 * len(ADOPTED), seed=22, faults=ADOPTED, every=2)
    found: dict[str, list[set[str]]] = {}
    for fails, names in zip(failed, planted, strict=True):
        found.setdefault("".join(names), []).append(fails)
    return found


def test_the_house_s_own_submission_complies() -> None:
    data = SIMULATION.submission.model_dump(mode="json", by_alias=True, exclude_unset=True)
    filed = FiledSubmission(submission=SIMULATION.submission, tree=build_tree(data, "submission"))
    statuses = {finding.requirement: finding.status for finding in evaluate_submission(REGULATION, filed)}
    assert {*statuses.values()} <= {Status.PASS, Status.NOT_APPLICABLE}, statuses


def test_every_requirement_on_rounds_has_a_fault_but_those_of_what_no_round_tells() -> None:
    asked = {
        requirement.requirement for requirement in REGULATION.requirements if requirement.evidence is Evidence.ROUND
    }
    assert asked == {*PLANTABLE} | UNTOLD


def test_a_clean_run_has_no_finding_and_proves_every_requirement_it_can_reach() -> None:
    statuses, failed = judge_rounds(prepare(), [read_batch(clean_records(), GAME)], SIMULATION.submission)
    assert not any(failed)
    assert {status for _, status in statuses} == {Status.PASS, Status.NOT_APPLICABLE}
    passed = {name for name, status in statuses if status is Status.PASS}
    # No complying round has a Bet with a fold, or an Ante without either. None moves a stake, or clears slots for
    # another token.
    never = {"folded-bet-returned", "ante-without-a-bet", "stakes-stay", "slots-locked-again"}
    unreached = {*OTHER_READINGS, *UNTOLD, *never} - {"deal-carried-through", "one-decision"}  # which every deal proves
    assert {name for name, _ in statuses} - passed == unreached


@pytest.mark.parametrize("name", ADOPTED)
def test_a_fault_is_found_where_it_was_planted_with_what_follows_from_it(name: str) -> None:
    assert broken()[name]
    for requirement in broken()[name]:
        assert requirement - AT_TIMES.get(name, set()) == {name} | FOLLOWS.get(name, set())


@pytest.mark.parametrize(
    ("name", "later"),
    [("shuffled-before-every-round", 0), ("cut-before-the-deal", 0), ("lockout-cleared-for-the-next-hand", 1)],
)
def test_what_spans_rounds_is_found_in_the_round_or_in_the_next(name: str, later: int) -> None:
    log = simulate_log(prepare(), SIMULATION, rounds=64, seed=21, faults=[name], every=8)
    planted, failed = compare_planted_and_failed(log, audit_log(load_rulebook(), log, SIMULATION.submission))
    places = {record["round"]: (record["table"], record["number"]) for record in map(json.loads, log.splitlines())}
    due = {(places[fault][0], places[fault][1] + later) for fault in planted[name]} & {*places.values()}
    assert len(due) >= 5
    assert {places[round_]: failures for round_, failures in failed.items()} == {place: {name} for place in due}


def test_rounds_without_a_fault_stay_clean() -> None:
    assert len(broken()[""]) >= 2 * len(ADOPTED) and not any(broken()[""])


@pytest.mark.parametrize(("name", "reading"), OTHER_READINGS.items())
def test_what_other_readings_ask_for_is_found_under_them_alone(
    name: str, reading: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses, failed, planted = judge(prepare(*reading), rounds=90, seed=23, faults=[name], every=9)
    assert any(planted) and failed == planted
    assert statuses[name, Status.PASS]
    if name != "jackpot-hand-plays-on":
        with pytest.raises(ValueError, match="it applies only if"):
            judge(prepare(), rounds=20, seed=23, faults=[name], every=3)
        return
    # This requirement also applies as the text is read, and cannot be broken then.
    monkeypatch.setattr(game_simulation, "LONGEST_SEARCH", 2)
    _, failed, planted = judge(prepare(), rounds=20, seed=23, faults=[name], every=3)
    assert not any(planted) and not any(failed)


def test_a_declared_hand_is_shown_as_it_was_dealt_though_some_of_it_is_put_aside() -> None:
    shown = [
        (sorted(split_cards(seat["cards"])), sorted(split_cards(event["cards"])), seat["discarded"])
        for record in clean_records()
        for seat in record["seats"]
        for event in record["events"]
        if event["event"] == "reveal" and event.get("seat") == seat["seat"]
    ]
    assert any(away for _, _, away in shown)
    assert all(dealt == cards for dealt, cards, _ in shown)


def split_cards(cards: str) -> list[str]:
    """Split a text into its cards."""
    return [cards[at : at + 2] for at in range(0, len(cards), 2)]


def test_every_case_and_every_row_comes_up() -> None:
    seen: set[str] = set()
    paid: Counter[str] = Counter()
    for batch in clean_batches():
        settled = settle_lines(EvaluationContext(batch, prepare(), UNDER))
        game = prepare().game
        seen |= {game.settlement.cases[case].case for line in settled.values() for case in np.unique(line.case)}
    assert seen == {
        "token-of-a-dead-hand", "folded-token", "win-not-declared", "jackpot-award", "folded-ante", "dealer-misdealt",
        "player-misdealt", "no-hand-ante", "no-hand-bet-returned", "tied", "player-higher-ante", "player-higher-bet",
        "dealer-higher",
    }  # fmt: skip
    for record in clean_records():
        for seat in record["seats"]:
            for stake in seat["wagers"]:
                if stake["wager"] == "bet" and stake["paid"]:
                    paid[f"{stake['paid'] // stake['amount']} to 1"] += 1
                if stake["wager"] == "progressive" and stake["paid"]:
                    fixed = stake["paid"] in (5000, 10000, 50000)
                    shown = record["meters"][0]["shown"]
                    paid[str(stake["paid"]) if fixed else f"{round(100 * stake['paid'] / shown)}%"] += 1
    assert {*paid} == {
        "100 to 1", "50 to 1", "20 to 1", "7 to 1", "5 to 1", "3 to 1", "2 to 1", "1 to 1",
        "100%", "50%", "10%", "50000", "10000", "5000",
    }  # fmt: skip


def test_the_meter_gives_what_was_won_of_it_and_goes_on() -> None:
    last: dict[str, int] = {}
    for record in clean_records():
        (meter,) = record["meters"]
        tokens = [wager for seat in record["seats"] for wager in seat["wagers"] if wager["wager"] == "progressive"]
        assert meter["opening"] == last.get(record["table"], 1234567)
        assert meter["shown"] == meter["opening"] + 70 * len(tokens)
        of_it = [token["paid"] for token in tokens if token["paid"] not in (0, 5000, 10000, 50000)]
        whole = sum(of_it) > meter["shown"] // 2
        assert meter["closing"] == (1000000 if whole else meter["shown"] - sum(of_it))
        last[record["table"]] = meter["closing"]


def test_no_tip_is_larger_than_the_ante_and_some_are_as_large() -> None:
    tips = Counter[bool]()
    for record in clean_records():
        for seat in record["seats"]:
            amounts = {(wager["wager"], wager.get("tip", False)): wager["amount"] for wager in seat["wagers"]}
            tip = amounts.get(("ante", True), 0)
            assert tip <= amounts["ante", False] and ("bet", True) not in amounts
            tips[tip == amounts["ante", False]] += tip > 0
    assert min(tips.values()) > 20


def test_tied_hands_and_shared_jackpots_are_stacked() -> None:
    royal = [
        [seat for seat in record["seats"] if len({*seat["cards"][1::2]}) == 1 and {*seat["cards"][::2]} == {*"TJQKA"}]
        for record in clean_records()
    ]
    assert {len(seats) for seats in royal} == {0, 1, 2}


def test_discards_are_racked_where_there_are_any() -> None:
    for record in clean_records()[:300]:
        racked = [event["seat"] for event in record["events"] if event.get("what") == "discards" and "seat" in event]
        assert racked == [seat["seat"] for seat in record["seats"] if seat["discarded"]]


def records_with(name: str, **run: object) -> list[Record]:
    records = simulate_records(prepare(), SIMULATION, rounds=30, seed=26, faults=[name], every=1, **run)
    return [record for record in records if list_planted(record)]


def test_what_is_taken_back_too_late_was_placed_besides() -> None:
    for record in records_with("stakes-stay"):
        (back,) = [at for at, event in enumerate(record["events"]) if event["event"] == "withdraw"]
        withdrawn = record["events"][back]
        assert record["events"][back - 1]["event"] == "deal" and withdrawn["amount"] == 50
        (seat,) = [seat for seat in record["seats"] if seat["seat"] == withdrawn["seat"]]
        (placed,) = [
            event["amount"]
            for event in record["events"]
            if (event["event"], event.get("seat"), event.get("wager")) == ("wager", seat["seat"], "ante")
            and not event.get("tip")
        ]
        assert placed - 50 == next(wager["amount"] for wager in seat["wagers"] if wager["wager"] == "ante")


def test_a_hand_that_may_not_put_cards_aside_does_so_unasked() -> None:
    for record in records_with("drawing-after-a-call"):
        (odd,) = [seat for seat in record["seats"] if seat.get("decision") == "fold" and seat["discarded"]]
        told = [event for event in record["events"] if event["event"] == "discard" and event.get("seat") == odd["seat"]]
        assert [event["cards"] for event in told] == [odd["discarded"]] and len(odd["drawn"]) == 2


def test_what_goes_wrong_before_is_in_the_same_round() -> None:
    for record in records_with("folded-bet-returned"):
        bets = [
            wager for seat in record["seats"] if seat.get("decision") == "fold" for wager in seat["wagers"]
            if wager["wager"] == "bet"
        ]  # fmt: skip
        assert bets == [{"wager": "bet", "amount": 200, "paid": 0, "taken": 200}]
