"""The text report beyond its golden file: bounds, colours, harmless terminals."""

from __future__ import annotations

import re
from io import BytesIO

from msgspec.structs import replace

from fairdeal.validator.reports.text_report import COLOR, format_place, write_text
from tests.facade.reports import render
from tests.facade.results import EvidencePlace, Results
from tests.reports import sample


def text(results: Results) -> str:
    return render("text", results).decode()


def test_the_verdict_is_the_first_line() -> None:
    assert [text(r).splitlines()[0] for r in (sample.RESULTS, sample.EMPTY, sample.COMPLIANT)] == [
        "x VIOLATIONS",
        "? INCONCLUSIVE",
        "+ COMPLIANT",
    ]


def test_twenty_findings_of_a_requirement_are_shown_and_the_rest_counted() -> None:
    shown = text(sample.crowd(many=21))
    assert len(re.findall(r"^  at logs/2026-03\.jsonl:\d+:1, casino Blue Lantern table HD-3", shown, re.M)) == 20
    assert shown.count("\n  and 1 more\n") == 2  # of the findings, and of the quarantined records
    assert " more\n" not in text(sample.crowd(many=20))


def test_ten_tables_are_shown_and_the_rest_counted() -> None:
    ten, eleven = (text(sample.crowd(many=many)).partition("Rounds in the logs")[2] for many in (10, 11))
    assert ten.startswith("\n")
    assert eleven.startswith(": 11 tables\n")
    assert ten.count("\n  table ") == eleven.count("\n  table ") == 10
    assert "\n  and 1 more table\n" in eleven
    assert "more table" not in ten


def test_whose_evidence_what_it_comes_to_and_what_is_worst_stand_first() -> None:
    assert text(sample.RESULTS).splitlines()[1:16] == [
        "The casinos violated 4 of the 10 rules checked. A waiver applies to 1 of them.",
        "Blue Lantern (license HD-114); Harbour House, Harbour Draw, 1 March 2026 to 31 March 2026, "
        "2 tables, 12,480 rounds.",
        "Rule 7, Harbour Draw, (1) to (24); Gaming Division.",
        "Players received $25.00 too little and $25.00 too much (3 findings).",
        "Compared with the audit of 2026-03-02 08:15:00Z (results-of-february.json): "
        "1 new, 9 known, 2 no longer found; 1 record newly quarantined.",
        "Violations: 2 critical, 1 major, 1 minor. Other rules: 1 could not be checked, 1 could not be confirmed, "
        "1 without attestation, 1 without violation, 1 did not arise, 1 not in force.",
        "12,483 records read from 2 files, 12,481 checked, 2 quarantined.",
        "",
        "Most serious violations",
        "  1. The dealer did not pay a wager what it was due.",
        "     3 findings, $25.00 owed to players, $25.00 overpaid, table HD-3, on 14 March 2026",
        "  2. Every row of the pay table pays at least the published floor",
        "     2 findings",
        "  3. Each betting area carries the legend of its wager",
        "     1 finding",
    ]


def test_what_is_open_is_told_once_a_cause() -> None:
    shown = text(sample.RESULTS).partition("Could not be confirmed\n")[2].partition("\n\n")[0]
    assert shown.splitlines() == [
        "  ? NOT EVIDENCED  The log records no events of 27 rounds (of 12,480).",
        "    2 rules of xx-rule7-harbour-draw: cut-before-deal, not-in-this-report",
        "    first at logs/2026-03.jsonl:301, casino Blue Lantern table HD-1 round 301",
        "    Request: a log with the events of every round.",
        "  * NEEDS ATTESTATION  No attestation was submitted.",
        "    1 rule of xx-rule7-harbour-draw: deck-inspected",
        "    Request: an attestation in the submission.",
    ]


def test_what_an_older_file_leaves_open_is_told_by_requirement() -> None:
    shown = text(replace(sample.RESULTS, open=(), money=None))
    assert "? NOT EVIDENCED (major)  The cards are cut before they are dealt" in shown
    assert "  * NEEDS ATTESTATION  deck-inspected: A dealer inspected both decks before the table opened" in shown
    assert "An older version wrote these results, without amounts" in shown


def test_colour_only_adds_to_the_plain_text() -> None:
    stream = BytesIO()
    write_text(sample.RESULTS, stream, style=COLOR)
    coloured = stream.getvalue().decode()
    assert "\x1b[1;31mx VIOLATIONS\x1b[0m\n" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text(sample.RESULTS)


def test_hostile_text_cannot_steer_the_terminal() -> None:
    shown = render("text", sample.hostile()).decode()
    assert not re.search(r"[^\n\x20-\x7e\u0301“”`]", shown)
    assert "<script>alert(1)</script>" in shown
    assert "[U+001B][31m" in shown
    assert "[U+202E]txt.exe" in shown


def test_plain_words_need_no_more_than_ascii() -> None:
    assert render("text", sample.EMPTY).isascii()


def test_place_names_only_what_is_known() -> None:
    assert format_place(EvidencePlace()) == "no single place"
    assert format_place(EvidencePlace(file="a.yaml")) == "a.yaml"
    assert format_place(EvidencePlace(file="a.yaml", line=3, column=9, pointer="/x")) == "a.yaml:3:9 (/x)"
    assert format_place(EvidencePlace(pointer="")) == "(the whole document)"
    assert (
        format_place(EvidencePlace(table="T", round="9", seat=2, wager="w", event=4))
        == "table T round 9 seat 2 wager w event 4"
    )
    assert format_place(EvidencePlace(file="a", line=1, round="9")) == "a:1, round 9"
