"""Lawful hands of the poker room are clean, and violations are found; lists of known exceptions only shrink."""

from __future__ import annotations

import pytest

from tests.lawful.judge import judge
from tests.lawful.known import MISSES, is_known
from tests.lawful.poker_room import GAME, PROFILE, write
from tests.lawful.violations import find_misses, judge_controls
from tests.lawful.violations_poker_room import VIOLATIONS
from tests.lawful.violations_poker_surveillance import VIOLATIONS as FURTHER


@pytest.mark.parametrize("seed", [11, 12])
def test_nothing_is_found_in_lawful_rounds(seed: int) -> None:
    records, submissions = write(seed, 150)
    judgement = judge(records, submissions, PROFILE)
    unknown = {line for line in judgement.describe().splitlines() if not is_known(line, GAME)}
    assert not unknown, judgement.describe()
    assert judgement.passed > 20


def test_every_violation_is_found_but_those_listed() -> None:
    cases = {violation.name: violation.build(1) for violation in (*VIOLATIONS, *FURTHER)}
    assert len(cases) == len(VIOLATIONS) + len(FURTHER) >= 120
    assert find_misses(cases, PROFILE) == set(MISSES[GAME])
    assert not judge_controls(cases, PROFILE)
