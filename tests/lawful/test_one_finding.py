"""One thing changed in a sound hand gives one finding, and none is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from tests.facade.rounds import judged_without_causes
from tests.lawful.judge import judge
from tests.lawful.poker_room import PROFILE
from tests.lawful.single_changes import CHANGES, write

HANDS = 210


@pytest.fixture(scope="module")
def found() -> Iterator[tuple[dict[str, set[str]], dict[str, set[str]], dict[str, str]]]:
    """What fails in each hand, what fails where causes are not looked for, and what was changed."""
    changed, submission = write(7, HANDS)
    records = [item.record for item in changed]
    told = judge(records, [submission], PROFILE)
    with judged_without_causes():
        each = judge(records, [submission], PROFILE)
    yield (
        {id_: {item.requirement for item in items} for id_, items in told.failures.items()},
        {id_: {item.requirement for item in items} for id_, items in each.failures.items()},
        {item.record["round"]: item.change for item in changed},
    )


Found = Sequence[dict[str, set[str]]]


def test_nearly_every_change_is_told_by_one_requirement(found: Found) -> None:
    told, each, changes = found
    several = [id_ for id_, requirements in told.items() if len(requirements) > 1]
    assert len(several) <= len(told) // 20, Counter(str(changes[id_]) for id_ in several)
    assert sum(len(requirements) > 1 for requirements in each.values()) > len(each) // 3


def test_no_hand_with_a_failure_is_left_without_one(found: Found) -> None:
    told, each, _ = found
    assert told.keys() == each.keys()
    assert all(told[id_] and told[id_] <= each[id_] for id_ in each)


def test_every_kind_of_change_is_found(found: Found) -> None:
    told, _, changes = found
    assert {str(changes[id_]) for id_ in told} == {change.__name__ for change in CHANGES}
