"""A decision that a log leaves out is one finding, at the event that passes over its seat."""

from __future__ import annotations

import random

from tests.lawful.judge import judge, load_generator, write_rounds
from tests.lawful.known import POKER
from tests.lawful.record import Record


def drop_a_fold(record: Record, rng: random.Random) -> bool:
    """Remove a fold from a round; return whether it has one."""
    events = record.get("events", [])
    folds = [event for event in events if event["event"] == "decide" and event["decision"] == "fold"]
    if folds:
        events.remove(rng.choice(folds))
    return bool(folds)


def test_a_fold_left_out_is_one_finding_at_most() -> None:
    records, submissions = write_rounds(POKER, 5, 500)
    rng = random.Random(5)
    changed = [record["round"] for record in records if "round" in record and drop_a_fold(record, rng)]
    failures = judge(records, submissions, load_generator(POKER).PROFILE).failures
    counts = [len({finding.requirement for finding in failures.get(id_, [])}) for id_ in changed]
    # A player may fold without a bet to answer; whoever reads that record misses a showdown as well.
    assert sum(count > 1 for count in counts) <= 0.02 * len(changed)
    assert sum(count == 1 for count in counts) >= 0.5 * len(changed)
