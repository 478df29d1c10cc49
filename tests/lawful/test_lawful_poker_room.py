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


def test_without_the_button_a_short_call_is_one_of_two_violations() -> None:
    """Every place of the button breaks a requirement, but no requirement is broken by every place."""
    (build,) = (item.build for item in FURTHER if item.name == "short-call-of-a-raise-that-was-answered")
    (record,) = build(1).records
    places = [{**record, "round": f"button at {seat}", "button": seat} for seat in range(1, 10)]
    failures = judge(places, [], PROFILE).failures
    broken = [{finding.requirement for finding in failures[place["round"]]} for place in places]
    assert all(broken)
    assert not set.intersection(*broken)
