"""Lawful rounds are clean in whatever way a log records them: kinds left out together, stops, keys missing."""

from __future__ import annotations

import pytest

from tests.lawful.judge import MODULES, judge, write_rounds
from tests.lawful.known import POKER
from tests.lawful.recordings import WAYS, make_recorder

HOUSE_GAMES = sorted(MODULES.keys() - {POKER})


@pytest.mark.parametrize("game", HOUSE_GAMES)
def test_no_way_to_record_a_lawful_round_is_accused(game: str) -> None:
    records, submissions = write_rounds(game, 31, 20 * len(WAYS), make_recorder())
    judgement = judge(records, submissions)
    assert judgement.is_clean(), judgement.describe()
    assert judgement.passed > 20


def test_every_way_records_something_else() -> None:
    records = {name: write_rounds(HOUSE_GAMES[0], 32, 20, make_recorder(name))[0] for name in WAYS}
    assert len({str(record) for record in records.values()}) == len(WAYS)
