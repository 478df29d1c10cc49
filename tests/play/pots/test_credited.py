"""Chips before and after a round, which show whether an uncalled bet was returned to its owner."""

from __future__ import annotations

import numpy as np
import pytest

from fairdeal.validator.engine.pots.pot_receipts import NOT_RECORDED, credit_received
from fairdeal.validator.engine.pots.side_pots import UncalledBets
from fairdeal.validator.engine.pots.split_pots import PotDue
from tests.facade.evidence import Truths
from tests.facade.rounds import NO, UNKNOWN, YES


def credit_first_seat(both: int, least: int, most: int, ruled: int) -> Truths:
    """Credit a round in which the first seat has an uncalled bet of 100 and is due 260 from the pots before rake."""
    untold = np.full((2, 1), NOT_RECORDED, np.int64)
    return credit_received(
        UncalledBets(row=np.zeros(1, np.int8), amount=np.full(1, 100, np.int64)),
        PotDue(
            least=np.array([[least], [20]]),
            most=np.array([[most], [120]]),
            by_rule=np.array([[ruled], [20]]),
            equal_split=np.array([[ruled], [20]]),
        ),
        untold,
        untold,
        np.array([[both], [120]]),
        undue=np.zeros((2, 1), np.int64),
        apart=False,
    ).is_bet_returned


@pytest.mark.parametrize(
    ("both", "least", "most", "ruled", "came"),
    [
        (260, 260, 260, 260, NO),
        (360, 260, 260, 260, YES),
        (260, 160, 260, 260, UNKNOWN),  # with the bet back, a rake of 100 may have come out of the share
        (250, 160, 260, 250, NO),
    ],
)
def test_what_comes_out_exactly_is_no_proof_where_a_rake_may_be_missing(
    both: int, least: int, most: int, ruled: int, came: int
) -> None:
    assert credit_first_seat(both, least, most, ruled).tolist() == [came]
