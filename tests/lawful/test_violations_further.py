"""Further violations of each game are found, and the same rounds without them are clean."""

from __future__ import annotations

import pytest

from tests.lawful.judge import MODULES, load_generator
from tests.lawful.violations import find_misses, judge_controls
from tests.lawful.violations_further import build_cases


@pytest.mark.parametrize("game", MODULES)
def test_every_further_violation_is_found(game: str) -> None:
    cases, profile = build_cases(game), getattr(load_generator(game), "PROFILE", None)
    assert len(cases) >= 5
    assert find_misses(cases, profile) == set()
    assert not judge_controls(cases, profile)
