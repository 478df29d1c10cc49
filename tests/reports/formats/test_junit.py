"""JUnit, checked against Jenkins' schema (junit-10) and a library that reads such reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import junitparser
import pytest
from msgspec.structs import replace

from tests.facade.reports import render
from tests.facade.results import Results
from tests.reports import sample
from tests.reports.formats.helpers import ALL

ALLOWED: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, set()),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name"},
        {"time", "classname", "group"},
    ),
    "failure": (set(), set(), {"type", "message"}),
    "error": (set(), set(), {"type", "message"}),
    "skipped": (set(), set(), {"type", "message"}),
    "system-out": (set(), set(), set()),
}
"""For each element: the elements it may contain, its required attributes, and its optional attributes."""


def report(results: Results = sample.RESULTS) -> ElementTree.Element:
    return ElementTree.fromstring(render("junit", results))


def cases(results: Results = sample.RESULTS) -> dict[str, ElementTree.Element]:
    return {case.attrib["name"]: case for case in report(results).iter("testcase")}


@pytest.mark.parametrize("name", sorted(ALL))
def test_it_has_the_form_that_build_servers_ask_for(name: str) -> None:
    root = report(ALL[name])
    assert root.tag == "testsuites"
    for element in root.iter():
        children, must, may = ALLOWED[element.tag]
        assert {child.tag for child in element} <= children
        assert must <= set(element.attrib) <= must | may


@pytest.mark.parametrize("name", sorted(ALL))
def test_the_counts_add_up(name: str, tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_bytes(render("junit", ALL[name]))
    read: Any = junitparser.JUnitXml.fromfile(str(path))
    said = [(suite.tests, suite.failures, suite.errors, suite.skipped) for suite in read]
    total = (read.tests, read.failures, read.errors)
    read.update_statistics()
    assert said == [(suite.tests, suite.failures, suite.errors, suite.skipped) for suite in read]
    assert total == (read.tests, read.failures, read.errors)
    requirements, inputs = ALL[name].requirements, ALL[name].provenance.inputs
    assert read.tests == len(requirements) + len(inputs)


def test_every_requirement_is_a_test_by_its_status() -> None:
    outcomes = {name: next((child.tag for child in case), "passed") for name, case in cases().items()}
    assert outcomes == {
        "pay-table-floor": "failure",
        "settled-in-full": "failure",
        "legend-in-each-area": "failure",
        "meter-displayed": "skipped",
        "tip-is-no-wager": "error",
        "cut-before-deal": "skipped",
        "deck-inspected": "skipped",
        "dealer-draws-last": "passed",
        "decks-alternate": "skipped",
        "odds-wording": "skipped",
        sample.SUBMISSION: "passed",
        sample.LOG: "error",
        sample.WAIVER.file: "passed",
    }
    types = {name: case[0].attrib["type"] for name, case in cases().items() if len(case)}
    assert types["settled-in-full"] == "critical"
    assert types["meter-displayed"] == "waived"
    assert types["cut-before-deal"] == "not-evidenced"
    assert types[sample.LOG] == "quarantined"


def test_a_failure_tells_its_findings() -> None:
    (failure,) = cases()["settled-in-full"]
    assert failure.attrib["message"] == (
        "Fail: The dealer did not pay a wager what it was due. Rule: Every wager is paid what the settlement gives it."
    )
    text = failure.text or ""
    assert f"{sample.LOG}:4417:1, casino Blue Lantern table HD-3" in text
    assert "Required: push: $0.00. Observed: paid $25.00, $25.00 over." in text
    assert "counted: 3 fail, 12,477 pass" in text
    (crowd,) = cases(sample.crowd())["settled-in-full"]
    assert (crowd.text or "").endswith("and 430 more")


def test_a_requirement_is_called_as_in_its_document() -> None:
    one = replace(sample.REQUIREMENTS[0], requirement=f"{sample.DOCUMENT}/pay-table-floor")
    (case,) = report(replace(sample.EMPTY, requirements=(one,))).iter("testcase")
    assert case.attrib == {"classname": sample.DOCUMENT, "name": "pay-table-floor"}


def test_what_xml_has_no_form_for_is_shown_by_its_number() -> None:
    text = render("junit", ALL["xml"]).decode()
    assert "[U+000B]" in text
    assert "[U+FFFE]" in text
    assert "[U+D800]" in text
    assert "]]&gt;&lt;/failure&gt;" in text
