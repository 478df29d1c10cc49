"""Rules of templates agree with referees that know texts alone: lawful rounds pass, and violations are found."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.templates.referees.judge import GAMES, build_cases, find_misses, has_rules, judge, load_referee
from tests.templates.referees.known_gaps import MISSES, find_accusations
from tests.templates.referees.other_records import write_other_records
from tests.templates.test_texts import FOLDER, read_ids


def require_rules(game: str) -> None:
    if not has_rules(game):
        pytest.skip("the template has no rules yet")


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_found_in_lawful_rounds(game: str) -> None:
    require_rules(game)
    judgement = judge(game, *load_referee(game).write(1, 40))
    assert not find_accusations(game, judgement), judgement.describe()
    assert judgement.passed > 2


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_found_in_other_records_of_lawful_rounds(game: str) -> None:
    require_rules(game)
    judgement = judge(game, *write_other_records(load_referee(game), 2, 50))
    assert not find_accusations(game, judgement), judgement.describe()


@pytest.mark.parametrize("game", GAMES)
def test_every_violation_is_found_but_those_listed(game: str) -> None:
    require_rules(game)
    misses, controls = find_misses(game, build_cases(load_referee(game)))
    assert misses <= MISSES.get(game, set())
    assert not find_accusations(game, controls), controls.describe()


@pytest.mark.parametrize("game", GAMES)
def test_violations_cite_the_text_and_change_the_record(game: str) -> None:
    referee = load_referee(game)
    ids = read_ids((FOLDER / game / "text.md").read_text(encoding="utf-8"))
    names = [violation.name for violation in referee.violations]
    assert len(names) == len(set(names)) >= 20
    assert {violation.clause for violation in referee.violations} <= set(ids)
    for violation in referee.violations[::7]:
        case = violation.build(referee)
        assert case.records != case.controls, violation.name
        assert [record["round"] for record in case.records] == [record["round"] for record in case.controls]


@pytest.mark.parametrize("game", GAMES)
def test_rounds_are_reproducible_and_settle_each_stake_once(game: str) -> None:
    referee = load_referee(game)
    assert referee.write(3, 24) == referee.write(3, 24)
    rounds = list(referee.open_session(5, "C", 12))
    assert all(before.time < after.time for before, after in pairwise(rounds))
    for round_ in rounds:
        for key, stake in round_.stakes().items():
            assert 0 <= stake.kept <= stake.amount or key[1] in round_.bonuses, (round_.id, key)
            assert not (stake.kept and stake.paid), (round_.id, key)
