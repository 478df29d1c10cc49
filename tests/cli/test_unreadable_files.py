"""A file that cannot be read is named by every output that a pipeline reads, with exit code 3."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from fairdeal.cli.common.verdict_run import OF_PIPELINES
from tests.facade.commands import run
from tests.facade.demo import DEMO
from tests.facade.reports import BINARY_OUTPUTS, RENDERERS, read_json, render
from tests.facade.results import Quarantined
from tests.reports import sample

REASON = "a value is missing before this"


@pytest.fixture(autouse=True)
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text("submission: [\n", "utf-8")


def check_all(command: tuple[str, ...]) -> None:
    """Check that a command writes each output for pipelines, and that each names the broken file."""
    outputs = [part for form in sorted(OF_PIPELINES) for part in ("-o", f"{form}:out.{form}")]
    assert run(*command, *outputs).code == 3
    assert f"bad.yaml:2:1: unreadable - {REASON}\n" in Path("out.concise").read_text("utf-8")
    github = Path("out.github").read_text("utf-8")
    assert f"::error file=bad.yaml,line=2,col=1,title=unreadable::{REASON}\n" in github
    (issue,) = (issue for issue in json.loads(Path("out.gitlab").read_bytes()) if issue["check_name"] == "unreadable")
    assert (issue["severity"], issue["location"]) == ("critical", {"path": "bad.yaml", "lines": {"begin": 2}})
    (invocation,) = json.loads(Path("out.sarif").read_bytes())["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    (note,) = (note for note in invocation["toolExecutionNotifications"] if note["level"] == "error")
    assert note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad.yaml"
    suites = ElementTree.fromstring(Path("out.junit").read_bytes())
    (error,) = suites.findall(".//error[@type='unreadable']")
    assert error.text == f"bad.yaml:2:1: {REASON}"


def test_a_submission_alone() -> None:
    check_all(("check", "bad.yaml"))


def test_a_submission_among_others() -> None:
    check_all(("check", "bad.yaml", str(DEMO / "submission.yaml")))


def test_a_submission_of_an_audit() -> None:
    check_all(("audit", str(DEMO / "hand-log.jsonl"), "-s", "bad.yaml", "-s", str(DEMO / "submission.yaml")))


def test_a_report_is_written_only_if_something_was_read() -> None:
    assert run("check", "bad.yaml", "-o", "html:report.html", "-o", "json:results.json").code == 3
    assert not Path("report.html").exists()
    assert not Path("results.json").exists()
    known = (str(DEMO / "submission.yaml"), "-o", "html:report.html", "-o", "json:results.json")
    assert run("check", "bad.yaml", *known).code == 3
    assert REASON in Path("report.html").read_text("utf-8")
    (file,) = read_json("results.json").unreadable
    assert (file.file, file.line, file.column, file.reason) == ("bad.yaml", 2, 1, REASON)


def test_a_readable_file_is_not_named() -> None:
    run("check", str(DEMO / "submission.yaml"), "-o", "json:results.json", "-o", "sarif:out.sarif")
    assert read_json("results.json").unreadable == ()
    (invocation,) = json.loads(Path("out.sarif").read_bytes())["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is True


def test_results_that_name_an_unreadable_file_are_verified() -> None:
    evidence = (str(DEMO / "hand-log.jsonl"), str(DEMO / "submission.yaml"))
    run("audit", evidence[0], "missing.jsonl", "-s", evidence[1], "-o", "json:results.json")
    assert len(read_json("results.json").unreadable) == 1
    verified = run("verify", "results.json", *evidence)
    assert "- not shown by the inputs: the files that could not be read (1)\n" in verified.text
    assert "\nx " not in f"\n{verified.text}"


@pytest.mark.parametrize("output", sorted(RENDERERS.keys() - BINARY_OUTPUTS - {"json", "csv"}))
def test_a_hostile_name_stays_text(output: str) -> None:
    hostile = "\u202e]]><script>alert(1)</script>\n::error::"
    unreadable = (Quarantined(file=hostile, line=1, column=None, reason=hostile),)
    written = render(output, replace(sample.RESULTS, unreadable=unreadable)).decode()
    assert "\u202e" not in written
    assert output == "junit" or "\n::error::" not in written
    if output in {"html", "letter", "junit", "markdown"}:
        assert "<script>alert" not in written
