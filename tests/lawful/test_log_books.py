"""Lawful rounds are clean however a casino keeps its log, and in whatever currency."""

from __future__ import annotations

import random

import pytest

from tests.lawful.judge import MODULES, judge, load_generator, write_rounds
from tests.lawful.log_books import keep_otherwise


@pytest.mark.parametrize("game", MODULES)
def test_nothing_is_found_in_logs_that_are_kept_otherwise(game: str) -> None:
    records, submissions = keep_otherwise(random.Random(game), write_rounds(game, 61, 60))
    judgement = judge(records, submissions, getattr(load_generator(game), "PROFILE", None))
    assert judgement.is_clean(), judgement.describe()
    assert judgement.passed > 10
