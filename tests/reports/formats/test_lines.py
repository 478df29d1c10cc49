"""Formats of one line a finding: concise, annotations of GitHub, code quality of GitLab."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from fairdeal.validator.reports.formats.code_review import LONGEST, PER_REQUIREMENT
from tests.facade.reports import render
from tests.facade.results import EvidencePlace, Results
from tests.facade.text import sanitize
from tests.reports import sample
from tests.reports.formats.helpers import ALL, as_json

_LINE = re.compile(
    r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): "
    r"(?P<word>critical|major|minor|waived|error|not-evidenced|needs-attestation|quarantined) "
    r"(?P<requirement>\S+) (?P<text>.+)"
)


def lines(name: str, results: Results = sample.RESULTS) -> list[str]:
    text = render(name, results).decode()
    assert text.endswith("\n") or not text
    return text.split("\n")[:-1]


@pytest.mark.parametrize("name", sorted(ALL))
def test_concise_has_a_line_for_each_finding_and_each_record_set_aside(name: str) -> None:
    results = ALL[name]
    unlisted = sum(file.quarantined for file in results.provenance.inputs) > len(results.quarantined)
    assert len(lines("concise", results)) == len(results.findings) + len(results.quarantined) + unlisted
    assert all(line == sanitize(line) for line in lines("concise", results))


def test_concise_is_what_editors_read() -> None:
    read = [match.groupdict() for line in lines("concise") if (match := _LINE.fullmatch(line))]
    assert len(read) == len(sample.FINDINGS) + 2
    assert [row["word"] for row in read] == [
        *("major", "waived", "critical", "critical", "critical", "critical", "critical"),
        *("error", "not-evidenced", "needs-attestation", "quarantined", "quarantined"),
    ]
    first, unknown = read[0], read[9]
    assert (first["file"], first["line"], first["column"]) == (sample.SUBMISSION, "48", "15")
    assert first["requirement"] == "legend-in-each-area"
    assert first["text"].endswith("carries the legend of another wager. Required: SECOND. Observed: BONUS. [known]")
    assert (unknown["file"], unknown["line"], unknown["column"]) == ("-", "1", "1")
    assert lines("concise")[4].endswith("wager opening, event 51) [known]")
    assert lines("concise", sample.COMPLIANT) == []


def commands(results: Results) -> list[tuple[str, dict[str, str], str]]:
    """Parse the lines as the runner of GitHub Actions does: a command, its properties and its message."""
    read = []
    for line in lines("github", results):
        # As its runner cuts: at the first `::` behind the command, then at commas, then at the first `=`.
        assert line.startswith("::")
        head, message = line[2:].split("::", 1)
        command, _, given = head.partition(" ")
        pairs = (part.split("=", 1) for part in given.split(",") if part)
        read.append((command, {name: _decode(value) for name, value in pairs}, _decode(message)))
    return read


def _decode(text: str) -> str:
    known = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}
    return re.sub("%(25|0D|0A|3A|2C)", lambda match: known[match[0]], text)


@pytest.mark.parametrize("name", sorted(ALL))
def test_github_reads_nothing_but_annotations(name: str) -> None:
    read = commands(ALL[name])
    assert {command for command, _, _ in read} <= {"error", "warning", "notice"}
    assert all(set(given) <= {"file", "line", "col", "title"} for _, given, _ in read)
    assert all(len(message) <= LONGEST + 3 for _, _, message in read)


def test_github_has_the_worst_of_every_requirement_first() -> None:
    read = commands(sample.RESULTS)
    titles = [given["title"] for _, given, _ in read]
    assert titles == [
        "critical: pay-table-floor",
        "critical: settled-in-full",
        "major: legend-in-each-area",
        "error: tip-is-no-wager",
        "not-evidenced: cut-before-deal",
        "needs-attestation: deck-inspected",
        "waived: meter-displayed",
        "critical: pay-table-floor",
        "critical: settled-in-full",
        "critical: settled-in-full",
        "quarantined",
        "quarantined",
        "fairdeal: violations",
    ]
    levels = ["error"] * 3 + ["notice"] * 4 + ["error"] * 3 + ["warning"] * 2 + ["notice"]
    assert [command for command, _, _ in read] == levels
    _, given, message = read[0]
    assert given == {"file": sample.SUBMISSION, "line": "23", "col": "17", "title": "critical: pay-table-floor"}
    assert message.split("\n")[-1] == "1 finding more of this requirement"
    assert "file" not in read[5][1]


def test_github_says_what_comes_back_as_it_was() -> None:
    finding = replace(
        sample.FINDINGS[4], broken="100% of it, a::b: c", where=EvidencePlace(file="a,b:c%0A.yaml", line=3)
    )
    _, given, message = commands(replace(sample.RESULTS, findings=(finding,)))[0]
    assert given["file"] == "a,b:c%0A.yaml"
    assert message.startswith("100% of it, a::b: c. Required: ")


def test_github_leaves_out_what_no_step_shows_and_counts_it() -> None:
    results = sample.crowd()
    read = commands(results)
    of_one = [given for _, given, _ in read if given["title"] == "critical: settled-in-full"]
    assert len(of_one) == PER_REQUIREMENT
    assert "440 findings more without an annotation" in read[-1][2]


_GITLAB: Any = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "minLength": 1, "not": {"pattern": r"^\./"}},
                    "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"minimum": 1}}},
                },
            },
        },
    },
}
"""Attributes that GitLab requires of an issue."""


@pytest.mark.parametrize("name", sorted(ALL))
def test_gitlab_gets_what_it_asks_for(name: str) -> None:
    issues = as_json("gitlab", ALL[name])
    jsonschema.validate(issues, _GITLAB)
    assert len(issues) == len(ALL[name].findings) + len(ALL[name].quarantined)


def test_gitlab_tells_every_finding_apart() -> None:
    issues = as_json("gitlab", sample.crowd())
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_gitlab_has_a_line_for_each_issue() -> None:
    assert lines("gitlab", sample.COMPLIANT) == ["[]"]
    first = json.loads(lines("gitlab")[1].rstrip(","))
    assert first["location"] == {"path": sample.SUBMISSION, "lines": {"begin": 48}}
    assert [issue["severity"] for issue in as_json("gitlab", sample.RESULTS)] == [
        *("major", "info", "critical", "critical", "critical", "critical", "critical"),
        *("info", "info", "info", "info", "info"),
    ]
    assert [issue["check_name"] for issue in as_json("gitlab", sample.RESULTS)][-2:] == ["quarantined", "quarantined"]
    known = replace(sample.FINDINGS[0], id="abc", where=replace(sample.FINDINGS[0].where, file="./a.yaml"))
    issue = as_json("gitlab", replace(sample.RESULTS, findings=(known,)))[0]
    assert (issue["fingerprint"], issue["location"]["path"]) == ("abc", "a.yaml")
