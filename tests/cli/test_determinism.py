"""The same input gives the same bytes, however the work is shared out and however a log is packed."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.cli.helpers import drop_places
from tests.facade.commands import ROOT, run
from tests.facade.demo import DEMO, GAME, comply, demo_lines, demo_submission, to_log
from tests.facade.evidence import HandLog

LOG, HOUSE = DEMO / "hand-log.jsonl", DEMO / "submission.yaml"


PRINTING = (
    ["check", str(HOUSE), "-o", "text", "-o", "json", "-o", "html"],
    ["audit", str(LOG), "-s", str(HOUSE), "-o", "text", "-o", "json", "-o", "html"],
    ["simulate", GAME, "--rounds", "30", "--seed", "5", "--fault", "two-hands-at-most", "--write-submission", "-"],
)
PROGRAM = """
import json, sys
from tests.facade.commands import run
ended = [run(*command) for command in json.loads(sys.argv[1])]
print(json.dumps([(command.code, command.text, command.err) for command in ended]))
"""


def test_the_program_gives_the_same_bytes_whatever_the_order_of_sets() -> None:
    command = [sys.executable, "-c", PROGRAM, json.dumps(PRINTING)]
    first, second = (
        json.loads(
            subprocess.run(
                command,
                check=True,
                capture_output=True,
                env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            ).stdout
        )
        for seed in ("1", "2")
    )
    for words, answer, again in zip(PRINTING, first, second, strict=True):
        assert answer == again, words
        assert len(answer[1]) > 1000, words


def test_only_the_time_differs_from_run_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("check", HOUSE, "-o", "json").results
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    second = run("check", HOUSE, "-o", "json").results
    assert (first["provenance"].pop("generated"), second["provenance"].pop("generated")) == (
        "2026-03-02T00:00:00Z",
        "1970-01-01T00:00:00Z",
    )
    assert first == second


def test_any_number_of_processes_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is cut into some thirty blocks, broken lines among them, which several processes judge."""
    everything: list[str | Path] = ["audit", LOG, "-s", HOUSE, "-o", "text", "-o", "json", "-o", "html"]
    with monkeypatch.context() as cut:
        assert HandLog.__init__.__kwdefaults__ is not None
        cut.setitem(HandLog.__init__.__kwdefaults__, "block_bytes", 20_000)
        assert len(list(HandLog(str(LOG)).blocks())) > 20
        alone, shared = (run(*everything, "--jobs", jobs) for jobs in ("1", "2"))
    assert alone == shared == run(*everything)


def _content(results: Any) -> Any:
    """Results without the names, lines and hashes of their inputs."""
    findings = drop_places(results["findings"], "file", "line")
    inputs = [
        {key: source[key] for key in ("kind", "read", "checked", "quarantined")}
        for source in results["provenance"]["inputs"]
    ]
    return findings, inputs, results["requirements"], results["totals"], results["verdict"], results["readings"]


FAULTS = ("two-hands-at-most", "play-equals-ante", "super-6-by-table", "dealt-face-down")


def test_however_a_log_is_packed_it_says_the_same() -> None:
    plant = [part for fault in FAULTS for part in ("--fault", fault)]
    audited = {}
    for name in ("night.jsonl", "night.jsonl.gz", "night.jsonl.zst", "night.parquet"):
        run("simulate", GAME, "--rounds", "80", "--seed", "3", "--fault-every", "4", *plant, "-o", name)
        audited[name] = run("audit", name, "-s", HOUSE, "-o", "json").results
        assert [source["file"] for source in audited[name]["provenance"]["inputs"]] == [str(HOUSE), name]
    plain = audited.pop("night.jsonl")
    assert {finding["requirement"].partition("/")[2] for finding in plain["findings"]} >= set(FAULTS)
    for other in audited.values():
        assert _content(other) == _content(plain)
        assert [finding["where"]["line"] for finding in other["findings"]] == [
            finding["where"]["line"] for finding in plain["findings"]
        ]


def test_the_name_of_a_log_does_not_matter() -> None:
    data = to_log(demo_lines()[:20])
    for name, packed in (("a.txt", data), ("b", gzip.compress(data)), ("c.jsonl", zstandard.compress(data))):
        Path(name).write_bytes(packed)
    found = [_content(run("audit", name, "-s", HOUSE, "-o", "json").results) for name in ("a.txt", "b", "c.jsonl")]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstd"])
def test_a_log_from_standard_input_is_the_same_log(pack: Any) -> None:
    packed = pack(to_log(demo_lines()[:26]))  # once: gzip notes the time
    Path("night").write_bytes(packed)
    named, piped = run("audit", "night", "-o", "json"), run("audit", "-", "-o", "json", stdin=packed)
    assert json.loads(named.out.replace(b'"night"', b'"<stdin>"')) == piped.results
    assert named.code == piped.code == 1


def test_a_submission_from_standard_input_is_the_same_submission() -> None:
    text = demo_submission()
    Path("house.yaml").write_text(text)
    named, piped = run("check", "house.yaml"), run("check", "-", stdin=text.encode())
    assert named.out.replace(b"house.yaml", b"<stdin>") == piped.out
    Path("log.jsonl").write_bytes(to_log(demo_lines()[:20]))
    audited = run("audit", "log.jsonl", "-s", "-", stdin=text.encode())
    assert audited.out == run("audit", "log.jsonl", "-s", "house.yaml").out.replace(b"house.yaml", b"<stdin>")


def test_json_and_yaml_submissions_say_the_same() -> None:
    import yaml

    Path("house.yaml").write_text(demo_submission())
    data = yaml.safe_load(demo_submission())
    Path("house.json").write_text(json.dumps(data, default=str))
    written, other = (run("check", name, "-o", "json").results for name in ("house.yaml", "house.json"))
    for results in (written, other):
        del results["provenance"]["inputs"], results["layouts"][0]["file"]
        results["claims"] = [{**claim, "file": None, "line": None, "column": None} for claim in results["claims"]]
        results["findings"] = drop_places(results["findings"], "file", "line", "column")
        for entry in results["open"]:
            entry["first"] = None
    assert written == other


def test_the_order_of_logs_changes_nothing() -> None:
    lines = demo_lines()
    for name, part in (("a.jsonl", lines[:18]), ("b.jsonl", lines[18:60])):
        Path(name).write_bytes(to_log(part))
    forward, backward = (
        run("audit", *names, "-s", HOUSE, "-o", "json").out
        for names in (["a.jsonl", "b.jsonl"], ["b.jsonl", "a.jsonl"])
    )
    assert forward == backward


def test_the_order_of_submissions_does_not_change_a_verdict_on_rounds() -> None:
    Path("one.yaml").write_text(comply())
    Path("two.yaml").write_text(comply().replace("effective: 2026-02-01", "effective: 2026-03-01"))
    Path("log.jsonl").write_bytes(to_log(demo_lines()[:24]))
    results = [
        run("audit", "log.jsonl", "-s", a, "-s", b, "-o", "json").results
        for a, b in (("one.yaml", "two.yaml"), ("two.yaml", "one.yaml"))
    ]
    assert results[0]["findings"] == results[1]["findings"]
    assert results[0]["requirements"] == results[1]["requirements"]
