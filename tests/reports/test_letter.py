"""Letter to the licensee: it says what the results say, in every case, and runs nothing."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from tests.facade.reports import render
from tests.facade.results import Results, Status
from tests.facade.text import sanitize
from tests.reports import sample
from tests.reports.test_html import ALL, Page


def read_letter(results: Results) -> Page:
    return Page(render("letter", results).decode())


def words(results: Results) -> str:
    return " ".join(read_letter(results).text.split())


def test_a_letter_gives_notice_and_requests_what_is_open() -> None:
    text = words(sample.RESULTS)
    assert text.startswith("Notice of violation and request for information")
    assert "Blue Lantern (license HD-114); Harbour House" in text
    broken = {finding.headline for finding in sample.FINDINGS if finding.status is Status.FAIL and not finding.waived}
    assert broken
    for headline in broken:
        assert sanitize(headline).rstrip(".") in text
    assert "A log with the events of every round." in text
    assert "An attestation in the submission." in text
    assert "Schedule A: violations" in text


def test_each_part_is_there_only_if_it_is_called_for() -> None:
    assert "Request for information" not in words(replace(sample.COMPLIANT, open=(), quarantined=(), sessions=()))
    assert "No violation was found, and nothing was left open." in words(sample.EMPTY)
    only_open = replace(sample.RESULTS, findings=())
    assert words(only_open).startswith("Request for information")
    assert "Notice of violation" not in words(only_open)


def test_a_waived_violation_is_no_item_of_the_notice() -> None:
    failed = next(finding for finding in sample.FINDINGS if finding.status is Status.FAIL)
    assert "Notice of violation" in words(replace(sample.RESULTS, findings=(failed,)))
    waived = replace(failed, waived=sample.WAIVER)
    assert "Notice of violation" not in words(replace(sample.RESULTS, findings=(waived,)))


@pytest.mark.parametrize("name", ALL)
def test_a_letter_runs_and_fetches_nothing(name: str) -> None:
    page = read_letter(ALL[name])
    assert page.scripts == []
    assert page.tags["style"] == 1
    for tag, attribute, _ in page.attributes:
        assert attribute not in {"style", "src", "href", "action"} and not attribute.startswith("on"), (tag, attribute)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", render("letter", ALL[name]).decode())
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert page.tags["table"] == page.tags["caption"]
