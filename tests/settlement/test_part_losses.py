"""Stakes of which a part is taken and the rest returned."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.facade.results import Status
from tests.facade.rounds import compile_game, evaluate_batch
from tests.facade.rules import Regulation
from tests.facade.simulation import Simulation, simulate
from tests.facade.submissions import build_configuration
from tests.facade.text import InputError
from tests.settlement.helpers import GAME, NOTHING, judge, load, round_of, rule_file, seat, stake
from tests.settlement.test_simulated import SIMULATION

WHOLE = (
    "{case: folded, lines: [main, twin, side], when: {decided: fold}, due: lost,",
    "{case: folded, lines: [main, twin, side], when: {decided: fold}, due: {loses: 1 to 2},",
)
SPENT = (
    "lines: [token], when: {decided: fold}, due: returned",
    "lines: [token], when: {decided: fold}, due: {loses: 1 to 4}",
)


@cache
def halving() -> Regulation:
    """Load the toy game in which a fold costs half of the stakes, and a quarter of a spent one."""
    game = GAME
    for old, new in (WHOLE, SPENT):
        assert old in game
        game = game.replace(old, new)
    return load(game)


def folded(amount: int, paid: int, taken: int, wager: str = "main", **readings: str) -> tuple[str, Any]:
    record = round_of(seat(NOTHING, stake(wager, amount, paid, taken), decision="fold"))
    found = judge(record, of=halving(), readings=readings)
    name = {"main": "main-settled", "side": "side-settled", "token": "token-settled"}[wager]
    return found.statuses[0][name].value, found.said[0] if found.said else None


@pytest.mark.parametrize(
    ("taken", "balance"), [(1000, "is owed $5.00"), (501, "is owed"), (499, "overpaid"), (0, "overpaid")]
)
def test_any_other_part_is_a_finding_of_the_difference(taken: int, balance: str) -> None:
    status, said = folded(1000, 0, taken)
    assert status == "fail"
    assert "should have lost 5.00" in said[3] and balance.replace("$", "") in said[4]


def test_the_part_itself_is_right() -> None:
    assert folded(1000, 0, 500) == ("pass", None)
    assert folded(1000, 1, 501)[0] == "fail"


@pytest.mark.parametrize(("cents", "right"), [("none", set()), ("either", {2, 3}), ("down", {2}), ("up", {3})])
def test_a_part_that_is_no_whole_amount_follows_the_rule_of_fractions(cents: str, right: set[int]) -> None:
    assert {taken for taken in range(6) if folded(5, 0, taken, cents=cents)[0] == "pass"} == right


def test_of_a_spent_stake_the_rest_is_paid() -> None:
    assert folded(400, 300, 400, "token") == ("pass", None)
    assert folded(400, 0, 100, "token")[0] == "pass"  # only the balance of a spent stake counts
    assert folded(400, 299, 400, "token")[0] == "fail"


def test_what_was_collected_may_have_been_put_back_if_returns_are_not_recorded() -> None:
    unrecorded = ["return", "deal", "decide", "wager"]

    def status(taken: int) -> Status:
        record = round_of(seat(NOTHING, stake("main", 1000, 0, taken), decision="fold"))
        collected = {"event": "collect", "seat": 1, "wager": "main", "amount": taken}
        found = judge({**record, "events": [collected], "unrecorded": unrecorded}, of=halving())
        return found.statuses[0]["main-settled"]

    assert [status(taken) for taken in (1000, 500)] == [Status.NOT_EVIDENCED, Status.PASS]
    assert status(499) is Status.FAIL


def test_a_part_of_a_bonus_or_more_than_the_stake_is_refused() -> None:
    for old, new, said in (
        ("due: {pay-table: gift}", "due: {loses: 1 to 2}", "gift has no stake, so no part of it can be taken"),
        (WHOLE[0], WHOLE[1].replace("1 to 2", "2 to 2"), "is no part of a stake"),
        (WHOLE[0], WHOLE[1].replace("1 to 2", "3 for 2"), "is no part of a stake"),
    ):
        assert old in GAME
        with pytest.raises(InputError) as caught:
            load(GAME.replace(old, new))
        assert any(said in diagnostic.message for diagnostic in caught.value.diagnostics)


def test_simulated_rounds_lose_the_part_and_are_settled_as_the_checks_require() -> None:
    simulation = rule_file("simulation.yaml", SIMULATION, Simulation).model
    assert isinstance(simulation, Simulation)
    prepared, submission = compile_game(halving()), simulation.submission
    halves = 0
    for batch, _ in simulate(prepared, simulation, submission=submission, rounds=300, seed=3):
        for weighed in evaluate_batch(prepared, batch, build_configuration(submission)):
            assert not weighed.find_gap() and not list(weighed.build_findings())
        stakes = batch.stakes
        halves += int(((stakes.taken * 2 == stakes.amount) & (stakes.amount > 0)).sum())
    assert halves > 50
