"""Counts are the same however rounds are cut into blocks, and whether or not counts are serialized."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

import pytest

from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.hold import hold_counts, stake_counts
from fairdeal.validator.hold.hold_counts import HoldCounts, HouseTerms
from fairdeal.validator.hold.stake_counts import StakeGroup, StakeSums
from fairdeal.validator.results.game_statistics import Grouping
from tests.facade.evidence import decode_records
from tests.facade.rounds import EvaluationContext, compile_game
from tests.facade.rules import load_regulation
from tests.hold.logs import rounds

GAME = "co-rule10-3card-shine"
ANTE = 123_456_789
"""The sum of a few of its squares is no number that floating point has."""


def no_house(number: int) -> LicenseeConfiguration:
    raise LookupError(number)


def blocks(cuts: list[int]) -> Iterator[HoldCounts]:
    """Return the same rounds, cut at these places."""
    prepared = compile_game(load_regulation(GAME))
    records: list[dict[str, Any]] = list(islice(rounds(60, 7, seats=3, ante=ANTE, pair=ANTE + 2), 60))
    for start, end in pairwise([0, *cuts, len(records)]):
        (batch,), _ = decode_records(records[start:end], file="log", games={GAME})
        found = HoldCounts()
        found.count(EvaluationContext(batch, prepared, None))
        yield found


def test_sums_of_large_stakes_do_not_hang_on_where_the_log_is_cut() -> None:
    totals = []
    for cuts in ([], [1], [17, 18, 40]):
        total = HoldCounts()
        for block in blocks(cuts):
            total.add(block)
        totals.append(total)
    whole = totals[0]
    (ante,) = [sums for (by, _, wager, _), sums in whole.stakes.items() if (by, wager) == (Grouping.TABLE, "ante")]
    assert ante.s2 == 180 * ANTE**2
    assert ante.sizes == {(3, ANTE): 180}
    assert ante.round_s2 == 60 * (3 * ANTE) ** 2
    assert {total.to_bytes() for total in totals} == {whole.to_bytes()}


def test_a_block_that_is_added_stays_what_it_was() -> None:
    first, second = blocks([30])
    before = first.to_bytes()
    total = HoldCounts()
    total.add(first)
    total.add(second)
    assert first.to_bytes() == before


def test_what_is_put_together_beyond_a_bound_does_not_hang_on_whether_counts_travelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hold_counts, "MOST_PLACES", 3)
    places = [StakeGroup(casino=None, table=table, day=None, dealer=None, currency=None) for table in "EDCBA"]
    block = HoldCounts(
        terms=[HouseTerms("b", None), HouseTerms("a", None)],
        stakes={(Grouping.TABLE, at % 2, "ante", place): StakeSums(stakes=1 + at) for at, place in enumerate(places)},
    )
    here, away = HoldCounts(), HoldCounts()
    here.add(block)
    away.add(HoldCounts.from_bytes(block.to_bytes(), no_house))
    assert here.to_bytes() == away.to_bytes()


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_sizes_beyond_a_bound_are_rounded_alike_in_whatever_parts_they_are_counted(
    monkeypatch: pytest.MonkeyPatch, parts: int
) -> None:
    monkeypatch.setattr(stake_counts, "MOST_SIZES", 20)
    every = [(1 + size % 3, 100 + 37 * size) for size in range(50)]
    total = StakeSums()
    for number in range(parts):
        total.add(StakeSums(stakes=1, sizes=dict.fromkeys(every[number::parts], 2)))
    assert total.coarse
    assert sum(total.sizes.values()) == 100
    assert all(size % 10 ** (len(str(size)) - 2) == 0 for _, size in total.sizes)
    whole = StakeSums()
    whole.add(StakeSums(sizes=dict.fromkeys(every, 2)))
    assert total.sizes == whole.sizes
    assert StakeSums.from_text(total.as_text()) == total
