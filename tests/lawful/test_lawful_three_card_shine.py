"""Lawful rounds of 3 Card Shine are clean, and violations are found; lists of known exceptions only shrink."""

from __future__ import annotations

import pytest

from tests.lawful.judge import judge
from tests.lawful.known import MISSES, is_known
from tests.lawful.three_card_shine import GAME, write
from tests.lawful.violations import find_misses, judge_controls, without_kinds
from tests.lawful.violations_three_card_shine import VIOLATIONS


@pytest.mark.parametrize("seed", [11, 12])
def test_nothing_is_found_in_lawful_rounds(seed: int) -> None:
    records, submissions = write(seed, 150)
    judgement = judge(records, submissions)
    unknown = {line for line in judgement.describe().splitlines() if not is_known(line, GAME)}
    assert not unknown, judgement.describe()
    assert judgement.passed > 20


def test_every_violation_is_found_but_those_listed() -> None:
    cases = {violation.name: violation.build(1) for violation in VIOLATIONS}
    assert len(cases) == len(VIOLATIONS) >= 80
    assert find_misses(cases) == set(MISSES[GAME])
    assert not judge_controls(cases)
    unpaid = without_kinds(cases, ["pay"])
    assert len(unpaid) > 40
    assert find_misses(unpaid) <= set(MISSES[GAME]), (
        "outcomes of the summary are judged where the log does not record payments"
    )
