"""Overview of a report, shown before any list."""

from __future__ import annotations

from msgspec.structs import replace

from fairdeal.validator.reports import finding_groups as module
from fairdeal.validator.reports.finding_groups import summarize_findings
from fairdeal.validator.reports.overview import format_tables, summarize_group
from fairdeal.validator.reports.report_wording import (
    describe_amounts,
    format_day,
    format_period,
    format_short_period,
    format_time,
    list_licensees,
    summarize_subject,
)
from tests.facade.results import EvidencePlace, Finding, Results, Severity, Status
from tests.reports import sample
from tests.reports.many import REQUIREMENTS, many


def finding(number: int, **changes: object) -> Finding:
    one = sample.FINDINGS[4]
    return replace(one, requirement=f"r{number}", **changes)


def results(*findings: Finding) -> Results:
    return replace(sample.RESULTS, findings=findings)


def test_findings_are_summed_up_by_requirement() -> None:
    found = summarize_findings(sample.RESULTS, shown=2)
    settled = next(group for group in found.groups if group.requirement == "settled-in-full")
    assert (settled.total, settled.unshown, settled.money) == (3, 1, {None: (2_500, 2_500)})
    assert summarize_group(settled, "USD") == (
        "3 findings, $25.00 owed to players, $25.00 overpaid, table HD-3, on 14 March 2026"
    )
    assert settled.shown == list(sample.FINDINGS[4:6])
    assert found.totals.findings[Status.FAIL] == 7
    assert found.total == 10


def test_what_is_told_one_by_one_is_numbered_first() -> None:
    found = summarize_findings(sample.RESULTS, shown=1)
    assert [group.status for group in found.groups] == [
        *[Status.FAIL] * 4,
        Status.ERROR,
        Status.NOT_EVIDENCED,
        Status.NEEDS_ATTESTATION,
    ]
    assert [group.number for group in found.groups] == [1, 2, 3, 4, 5, 6, 7]
    assert found.find_unexplained(sample.RESULTS) == ()
    older = replace(sample.RESULTS, open=())
    assert [group.requirement for group in found.find_unexplained(older)] == ["cut-before-deal", "deck-inspected"]
    assert len(found.shown_numbers(older)) == len(found.shown_numbers(sample.RESULTS)) + 2 == 7


def test_findings_out_of_order_still_make_one_group() -> None:
    found = summarize_findings(results(finding(1), finding(2), finding(1)), shown=5)
    assert [(group.requirement, group.total) for group in found.groups] == [("r1", 2), ("r2", 1)]


def test_the_worst_are_the_gravest_then_the_dearest_then_the_most() -> None:
    minor = finding(1, severity=Severity.MINOR, owed=9_999_999)
    often, dear = finding(2, owed=0), finding(3, owed=500)
    waived = finding(4, owed=90_000, waived=sample.WAIVER)
    open_ = finding(5, status=Status.NOT_EVIDENCED)
    found = summarize_findings(results(minor, often, often, finding(6, owed=0), dear, waived, open_), shown=1)
    assert [group.requirement for group in found.worst()] == ["r3", "r2", "r6"]
    assert next(group for group in found.groups if group.requirement == "r4").money == {}


def test_a_file_of_many_requirements_does_not_fill_memory() -> None:
    most = module.GROUP_LIMIT
    found = summarize_findings(results(*map(finding, range(most + 7))), shown=1)
    assert (len(found.groups), found.beyond, found.total) == (most, 7, most + 7)


def test_tables_are_told_with_their_casinos_where_there_are_several() -> None:
    def summarize_places(*places: tuple[str | None, str], most: int = 6) -> str:
        findings = (finding(1, where=EvidencePlace(casino=casino, table=table)) for casino, table in places)
        (group,) = summarize_findings(results(*findings), shown=1).groups
        return format_tables(group.tables, group.tables_beyond, most=most)

    assert summarize_places(("A", "1"), ("A", "1")) == "table 1"
    assert summarize_places(("A", "1"), ("A", "2"), ("A", "2")) == "tables 2 (2) and 1 (1)"
    assert summarize_places(("A", "1"), ("B", "1"), (None, "1")) == "tables 1 (1), 1 of A (1) and 1 of B (1)"
    assert summarize_places(("A", "1"), ("A", "2"), ("A", "3"), most=1) == "tables 1 (1) and 2 more tables"


def test_many_findings_are_summed_up_exactly() -> None:
    run = many(1_234)
    found = summarize_findings(run, shown=3)
    assert len(found.groups) == REQUIREMENTS
    assert sum(group.total for group in found.groups) == found.total == 1_234
    assert sum(group.money.get(None, (0, 0))[0] for group in found.groups) == sum(
        finding.owed or 0 for finding in run.findings
    )
    assert sum(found.states.values()) == 1_234


def test_the_subject_is_told_in_words() -> None:
    assert summarize_subject(sample.RESULTS) == (
        "Blue Lantern (license HD-114); Harbour House, Harbour Draw, 1 March 2026 to 31 March 2026, "
        "2 tables, 12,480 rounds"
    )
    assert summarize_subject(sample.EMPTY) == "casino not stated, game not stated, not stated, no rounds of play"
    assert describe_amounts(sample.MONEY, None) == "players received 25.00 too little and 25.00 too much (3 findings)"
    assert describe_amounts(sample.NOTHING, "USD") == "no finding concerns money"
    only_logs = replace(sample.SUBJECT, licensees=())
    assert [licensee.name for licensee in list_licensees(only_logs)] == ["Blue Lantern", "Harbour House"]


def test_days_are_told_as_people_write_them() -> None:
    assert format_day("2026-03-02") == "2 March 2026"
    assert [format_day(text) for text in ("2026-13-02", "now", "2026-03", "", "x-03-02")] == [
        "2026-13-02",
        "now",
        "2026-03",
        "",
        "x-03-02",
    ]
    assert format_period("2026-03-02", "2026-03-02") == "2 March 2026"
    assert format_period(None, None) == "not stated"
    assert format_short_period("2026-03-02", "2026-03-25") == "2 to 25 March 2026"
    assert format_short_period("2026-03-02", "2026-04-01") == "2 March to 1 April 2026"
    assert format_short_period("2025-12-31", "2026-01-01") == "31 December 2025 to 1 January 2026"
    assert format_short_period("2026-19-02", "2026-19-03") == "2026-19-02 to 2026-19-03"
    assert format_time("2026-03-02T17:20:00Z") == "2026-03-02 17:20:00Z"
    assert format_time("Table T") == "Table T"
