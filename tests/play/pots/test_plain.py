"""Columns of regular pots and uncalled bets give what the plain division of one pot gives, for any kind of round."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.pots.plain_credit import credit_owner
from fairdeal.validator.engine.pots.plain_split import (
    Chip,
    ComparedHands,
    RakedPot,
    SeatShare,
    divide_pot,
    take_board_part,
)
from fairdeal.validator.engine.pots.pot_receipts import NOT_RECORDED, credit_received
from fairdeal.validator.engine.pots.pot_shares import pot_division, settle_pots
from fairdeal.validator.engine.pots.side_pots import LayeredPots, UncalledBets
from fairdeal.validator.engine.pots.split_pots import (
    ChipUnit,
    Contest,
    NetPots,
    PotDue,
    Showdown,
    share_each_pot,
    take_board_parts,
)
from tests.facade.evidence import Batch, read_batch
from tests.facade.rounds import compile_game
from tests.facade.rules import load_regulation
from tests.facade.simulation import load_simulation, simulate
from tests.facade.submissions import build_configuration
from tests.lawful.poker_room import GAME, write

LeftOver = Literal["each", "all", "any"]


def share_plainly(pots: LayeredPots, net: NetPots, showdown: Showdown, chips: ChipUnit) -> Any:
    """Divide every pot that somebody can win as if it were an irregular one."""
    return share_each_pot(pots, net, replace(showdown, is_shared=pots.eligible > 0), chips)


def assert_divided_alike(pots: LayeredPots, net: NetPots, showdown: Showdown, chips: ChipUnit) -> None:
    by_columns, plainly = (divide(pots, net, showdown, chips) for divide in (share_each_pot, share_plainly))
    for name in ("least", "most", "by_rule", "equal_split"):
        np.testing.assert_array_equal(getattr(by_columns, name), getattr(plainly, name), name)


@st.composite
def _pots(draw: st.DrawFn) -> tuple[LayeredPots, NetPots, list[Contest]]:
    rows, rounds = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    of_rounds = sorted(draw(st.lists(st.integers(0, rounds - 1), max_size=6)))

    def column(values: st.SearchStrategy[int]) -> Any:
        return np.array(draw(st.lists(values, min_size=len(of_rounds), max_size=len(of_rounds))), np.int64)

    eligible = column(st.integers(0, (1 << rows) - 1)).astype(np.uint32)
    pots = LayeredPots.build(rounds, np.array(of_rounds, np.int64), column(st.integers(1, 99)), eligible)
    by_rule, is_known = np.maximum(pots.amount - column(st.integers(0, 9)), 0), column(st.integers(0, 2)) > 0
    net = NetPots(
        least=np.where(is_known, by_rule, np.maximum(by_rule - column(st.integers(0, 9)), 0)),
        most=np.where(is_known, by_rule, by_rule + column(st.integers(0, 9))),
        by_rule=by_rule,
        is_rake_known=is_known,
    )
    strengths = st.lists(st.integers(-1, 2), min_size=rows * rounds, max_size=rows * rounds)
    contests = [
        Contest(strength=np.array(draw(strengths), np.int32).reshape(rows, rounds), lowest_winning=lowest)
        for lowest in draw(st.lists(st.integers(0, 2), min_size=1, max_size=2))
    ]
    return pots, net, contests


@given(_pots(), st.sampled_from([None, 1, 5]), st.integers(1, 20), st.sampled_from(["each", "all", "any"]))
def test_random_pots(
    drawn: tuple[LayeredPots, NetPots, list[Contest]], unit: int | None, largest: int, left_over: LeftOver
) -> None:
    pots, net, contests = drawn
    chips = ChipUnit(unit=unit, largest=np.full(len(pots.count), largest), left_over=left_over)
    assert_divided_alike(pots, net, Showdown.compare(pots, contests), chips)
    for boards in range(1, 5):
        count, chip = np.full(len(pots.amount), boards), Chip(largest, unit, left_over)
        for number in range(4):
            part = take_board_parts(net, chips, count, number, pots.round)
            for at in range(len(pots.amount)):
                whole = RakedPot(*(column[at] for column in (net.least, net.most, net.by_rule, net.is_rake_known)))
                found = tuple(column[at] for column in (part.least, part.most, part.by_rule, part.is_rake_known))
                assert found == take_board_part(whole, chip, boards, number)


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=2),
    st.tuples(st.integers(1, 60), st.integers(0, 9), st.integers(1, 9), st.integers(1, 3), st.integers(2, 4)),
)
def test_bounds_contain_the_share_of_every_possible_amount_and_chip(
    strengths: list[list[int]], sizes: tuple[int, int, int, int, int]
) -> None:
    """The rake may be any of several, and the chip may divide a larger one."""
    least, range_, unit, times, boards = sizes
    hands = [ComparedHands(dict(enumerate(strength)), lowest_winning=1) for strength in strengths]
    hands = [ComparedHands(hands[0].strength, 0), *hands[1:]]
    chip = Chip(unit, unit, "each")
    possible = RakedPot(least, least + range_, least, is_rake_known=False)
    bounds = [divide_pot(possible, hands, each) for each in (chip, Chip(unit * times, None, "each"))]
    for amount in range(least, least + range_ + 1):
        pot = RakedPot(amount, amount, amount, is_rake_known=True)
        shares = divide_pot(pot, hands, chip)
        assert sum(share.by_rule for share in shares.values()) == amount
        for row, share in shares.items():
            assert all(bound[row].least <= share.by_rule <= bound[row].most for bound in bounds)
        parts = [take_board_part(pot, chip, boards, number) for number in range(boards)]
        assert sum(part.by_rule for part in parts) == amount
        for number, part in enumerate(parts):
            for each in (chip, Chip(unit * times, None, "each")):
                bound = take_board_part(possible, each, boards, number)
                assert bound.least <= part.by_rule <= bound.most


@pytest.mark.parametrize("apart", [True, False])
def test_random_uncalled_bets(apart: bool) -> None:
    """The columns credit owners as if every bet came back irregularly."""
    rng = np.random.default_rng(6)
    bets, least = rng.integers(1, 9, 2000), rng.integers(0, 9, 2000)
    most = least + rng.choice([0, 0, 3], 2000)
    by_rule, equal_split = (np.where(rng.random(2000) < 0.3, -1, rng.integers(least, most + 1)) for _ in range(2))
    won, back, both = (np.where(rng.random(2000) < 0.3, NOT_RECORDED, rng.integers(0, 20, 2000)) for _ in range(3))
    back = np.where(rng.random(2000) < 0.3, bets, back)
    found = credit_received(
        UncalledBets(amount=bets, row=np.zeros(2000, np.int8)),
        PotDue(least=least[None], most=most[None], by_rule=by_rule[None], equal_split=equal_split[None]),
        won[None],
        back[None],
        both[None],
        undue=np.zeros((1, 2000), np.int64),
        apart=apart,
    )
    won = np.where(won == NOT_RECORDED, both, won)
    columns = (bets, won, back, both, least, most, by_rule, equal_split)
    expected = [
        credit_owner(bet, one_won, one_back, one_both, SeatShare(*due), apart=apart)
        for bet, one_won, one_back, one_both, *due in zip(*(column.tolist() for column in columns), strict=True)
    ]
    credited = (found.won[0], found.uncertain_part[0], found.is_bet_returned, found.bet_returned)
    np.testing.assert_array_equal(np.stack(credited, axis=1), expected)
    np.testing.assert_array_equal(found.received, found.won)


def _lawful() -> Iterator[tuple[Batch, Any]]:
    records, _ = write(33, 60)
    for record in records:
        yield read_batch([record], GAME), None


def _faulty() -> Iterator[tuple[Batch, Any]]:
    regulation = load_regulation(GAME)
    simulation = load_simulation(regulation)
    submission = simulation.submission
    for fault in ("pots-to-the-winners", "uncalled-bet-returned"):
        run = simulate(compile_game(regulation), simulation, submission=submission, rounds=80, seed=4, faults=[fault])
        for batch, _ in run:
            yield batch, build_configuration(submission)


@pytest.mark.parametrize("rounds", [_lawful, _faulty])
def test_rounds_of_the_poker_room(rounds: Any) -> None:
    game, shared = compile_game(load_regulation(GAME)), 0
    for batch, configuration in rounds():
        scope = EvaluationContext(batch, game, configuration)
        pots, division = settle_pots(scope).pots, pot_division(scope)
        for board, unit, left_over in product(division.boards, (None, 100), ("each", "all", "any")):
            chips = replace(division.chips, unit=unit, left_over=left_over)
            assert_divided_alike(pots, board.net, board.showdown, chips)
            shared += int(board.showdown.is_shared.sum())
    assert shared
