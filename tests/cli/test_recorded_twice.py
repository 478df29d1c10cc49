"""Rounds of which logs hold more than one record: repeated ones count once, contradictory ones are all judged."""

from __future__ import annotations

import copy
import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal import api
from fairdeal.validator.audit import duplicate_rounds
from fairdeal.validator.evidence.jsonl.line_reader import decode_records
from tests.cli.helpers import list_failures
from tests.facade.commands import run
from tests.facade.demo import GAME, Record, comply, demo_lines, demo_round, to_log
from tests.facade.text import InputError

WRONG = demo_round("hand-16")
"""A round in which Play is paid 20.00 that was a push."""
COUNTS = ("read", "checked", "quarantined", "repeated", "contradicted")


def correct_payment(record: Record) -> Record:
    """Return the same round with the correct settlement."""
    doctored = copy.deepcopy(record)
    doctored["seats"][0]["wagers"][1]["paid"] = 0
    doctored["events"] = [
        event for event in doctored["events"] if not (event["event"] == "pay" and event["wager"] == "play")
    ]
    return doctored


def write(**logs: list[Record]) -> list[str]:
    for name, rounds in logs.items():
        Path(f"{name}.jsonl").write_bytes(to_log(rounds))
    return [f"{name}.jsonl" for name in logs]


def audit(*logs: str, jobs: int = 1) -> Any:
    return run("audit", *logs, "-j", str(jobs), "-o", "json").results


def counts(results: Any) -> list[tuple[int, ...]]:
    return [tuple(source[key] for key in COUNTS) for source in results["provenance"]["inputs"]]


def read_totals(results: Any) -> dict[str, dict[str, int]]:
    return {requirement["requirement"]: requirement["totals"] for requirement in results["requirements"]}


def test_a_log_under_another_name_counts_once() -> None:
    rounds = [json.loads(line) for line in demo_lines()[26:60]]
    once = audit(*write(a=rounds))
    Path("b.jsonl.gz").write_bytes(gzip.compress(Path("a.jsonl").read_bytes()))
    for jobs in (1, 2):
        twice = audit("a.jsonl", "b.jsonl.gz", jobs=jobs)
        assert counts(twice) == [(34, 34, 0, 0, 0), (34, 0, 0, 34, 0)]
        assert (read_totals(twice), twice["findings"], twice["verdict"]) == (
            read_totals(once),
            once["findings"],
            once["verdict"],
        )


def test_a_record_twice_in_a_log_counts_once_wherever_blocks_are_cut() -> None:
    rounds = [json.loads(line) for line in demo_lines()[26:46]]
    again = [*rounds, {key: rounds[3][key] for key in reversed(rounds[3])}, rounds[0]]
    once, twice = audit(*write(a=rounds)), audit(*write(b=again))
    assert counts(twice) == [(22, 20, 0, 2, 0)]
    assert read_totals(twice) == read_totals(once)
    shown = run("audit", "b.jsonl").text
    assert "22 records read from 1 file, 20 checked, 0 quarantined, 2 repeated" in shown
    assert "b.jsonl: 2 records repeat another record of the same round; the round counts once" in shown
    assert "2 records repeat another record" in run("audit", "b.jsonl", "-o", "html").text


@pytest.mark.parametrize("order", [("true", "doctored"), ("doctored", "true")])
def test_of_two_records_of_a_round_that_differ_both_are_judged(order: tuple[str, str]) -> None:
    write(true=[WRONG, demo_round("hand-13")], doctored=[correct_payment(WRONG)])
    assert list_failures(audit("true.jsonl")) == [("hand-16", "dealer-not-qualified")]
    found = run("audit", *(f"{name}.jsonl" for name in order), "-o", "json")
    assert found.code == 1
    results = found.results
    assert list_failures(results) == [("hand-16", "dealer-not-qualified")]
    assert counts(results) == [(1, 1, 0, 0, 1), (2, 2, 0, 0, 1)]  # in the order of the names of the logs
    assert results["quarantined"] == []
    (failed,) = [finding for finding in results["findings"] if finding["status"] == "fail"]
    assert failed["where"]["file"] == "true.jsonl"
    assert failed["version"] == 2
    assert failed["observed"].endswith("; another record of this round, at doctored.jsonl:1, contradicts it")


def test_two_records_alone_that_differ_leave_nothing_proven() -> None:
    found = run(
        "audit",
        *write(log=[correct_payment(WRONG), {**correct_payment(WRONG), "button": 1}]),
        "-o",
        "json",
        "--allow-unproven",
    )
    statuses = {requirement["status"] for requirement in found.results["requirements"]}
    assert (found.results["verdict"], statuses - {"not-applicable"}) == ("inconclusive", {"not-evidenced"})
    contradicted = [item for item in found.results["open"] if item["cause"] == "contradicted"]
    assert [message["says"] for message in contradicted] == ["2 rounds have records that contradict each other (of 2)."]


def test_a_repetition_of_a_contradicted_record_counts_once() -> None:
    results = audit(*write(log=[WRONG, WRONG, correct_payment(WRONG)]))
    assert counts(results) == [(3, 2, 0, 1, 2)]
    assert list_failures(results) == [("hand-16", "dealer-not-qualified")]


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"time": "2026-03-02T19:00:00Z"}, True),
        ({"time": "2026-03-03T17:18:00Z"}, False),
        ({"table": "S2"}, False),
        ({"casino": "Another Casino"}, False),
        ({"casino": None}, False),
        ({"round": "hand-16b"}, False),
        ({"annotations": {"planted": ["x"]}}, None),
        ({"context": {"note": "x"}}, None),
    ],
)
def test_what_a_round_is_known_by(change: Record, same: bool | None) -> None:
    """By casino, table, game, id and day; no rule looks at annotations, nor at the context."""
    (found,) = counts(audit(*write(log=[WRONG, {**WRONG, **change}])))
    assert found == {True: (2, 2, 0, 0, 2), False: (2, 2, 0, 0, 0), None: (2, 1, 0, 1, 0)}[same]


def test_standard_input_and_pipes_can_be_looked_at_twice() -> None:
    log = to_log([WRONG, correct_payment(WRONG), demo_round("hand-13"), demo_round("hand-13")])
    for text in (log, gzip.compress(log)):
        found = run("audit", "-", "-o", "json", stdin=text).results
        assert counts(found) == [(4, 3, 0, 1, 2)]
    reading, writing = os.pipe()
    os.write(writing, log)
    os.close(writing)
    assert counts(audit(f"/dev/fd/{reading}")) == [(4, 3, 0, 1, 2)]
    os.close(reading)


def test_a_log_and_its_table_say_the_same(tmp_path: Path) -> None:
    run("simulate", GAME, "--rounds", "30", "--seed", "1", "-o", "a.jsonl", "--write-submission", "own.yaml")
    run("simulate", GAME, "--rounds", "30", "--seed", "1", "-o", "a.parquet")
    assert counts(audit("a.parquet", "a.jsonl")) == [(30, 30, 0, 0, 0), (30, 0, 0, 30, 0)]


def test_a_log_that_changes_between_two_looks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    write(log=[WRONG, WRONG])

    def altering(noted: Any) -> Any:
        found = duplicate_rounds.find_duplicates(noted)
        write(log=[WRONG, WRONG, WRONG])
        return found

    monkeypatch.setattr("fairdeal.validator.audit.run.audit_merge.find_duplicates", altering)
    with pytest.raises(InputError, match="changed while it was read"):
        api.audit(api.load_rulebook(), "log.jsonl")


def test_a_log_that_is_named_twice_is_refused_from_python() -> None:
    write(log=[WRONG])
    with pytest.raises(InputError, match="named twice"):
        api.audit(api.load_rulebook(), "log.jsonl", "log.jsonl")


def test_a_submission_beside_repeated_rounds_is_judged_once() -> None:
    Path("house.yaml").write_text(comply())
    write(a=[demo_round("hand-13")], b=[demo_round("hand-13")])
    found = run("audit", "a.jsonl", "b.jsonl", "-s", "house.yaml", "-o", "json").results
    assert {sum(requirement["totals"].values()) for requirement in found["requirements"]} == {1}


@given(
    st.lists(
        st.lists(st.sampled_from([0, 1, 2**56 - 1, 2**56, 2**63, 2**64 - 1]) | st.integers(0, 2**64 - 1)), max_size=8
    )
)
def test_what_came_more_than_once_is_known_beyond_what_memory_holds(blocks: list[list[int]]) -> None:
    came = Counter(number for block in blocks for number in block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicate_rounds, "IN_MEMORY", 3)
        seen = duplicate_rounds.RoundHashStore()
        for block in blocks:
            seen.add(np.array(block, np.uint64))
        assert seen.duplicate_round_ids().tolist() == sorted(number for number, times in came.items() if times > 1)


def test_rounds_and_tables_with_the_same_numbers_have_hashes_of_their_own() -> None:
    records = [{**demo_round("hand-13"), "round": str(number), "table": f"hands [{number}]"} for number in range(3000)]
    batches, _ = decode_records(records, file="log.jsonl", games=[GAME])
    assert len(set(duplicate_rounds.hash_rounds(batches).tolist())) == len(records)
