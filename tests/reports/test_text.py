"""The text report beyond its golden file: bounds, colours, harmless terminals."""

from __future__ import annotations

import re
from io import BytesIO

from tests.reports import sample
from tests.reports.helpers import rendered
from validator.reports.text_report import COLOR, place, write_text
from validator.verdicts import Results, Where


def text(results: Results) -> str:
    return rendered("text", results).decode()


def test_the_verdict_is_the_first_line() -> None:
    assert [text(r).splitlines()[0] for r in (sample.RESULTS, sample.EMPTY, sample.COMPLIANT)] == [
        "x VIOLATIONS",
        "? INCONCLUSIVE",
        "+ COMPLIANT",
    ]


def test_twenty_findings_of_a_requirement_are_shown_and_the_rest_counted() -> None:
    shown = text(sample.crowded(many=21))
    assert len(re.findall(r"^  at logs/2026-03\.jsonl:\d+:1, casino Blue Lantern table HD-3", shown, re.M)) == 20
    assert shown.count("\n  and 1 more\n") == 2  # of the findings, and of the quarantined records
    assert " more\n" not in text(sample.crowded(many=20))


def test_ten_tables_are_shown_and_the_rest_counted() -> None:
    ten, eleven = (text(sample.crowded(many=many)).partition("What the logs cover")[2] for many in (10, 11))
    assert ten.startswith("\n")
    assert eleven.startswith(": 11 tables\n")
    assert ten.count("\n  table ") == eleven.count("\n  table ") == 10
    assert "\n  and 1 more table\n" in eleven
    assert "more table" not in ten


def test_colour_only_adds_to_the_plain_text() -> None:
    stream = BytesIO()
    write_text(sample.RESULTS, stream, style=COLOR)
    coloured = stream.getvalue().decode()
    assert "\x1b[1;31mx VIOLATIONS\x1b[0m\n" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text(sample.RESULTS)


def test_hostile_text_cannot_steer_the_terminal() -> None:
    shown = rendered("text", sample.hostile()).decode()
    assert not re.search(r"[^\n\x20-\x7e\u0301“”`]", shown)
    assert "<script>alert(1)</script>" in shown
    assert "[U+001B][31m" in shown
    assert "[U+202E]txt.exe" in shown


def test_plain_words_need_no_more_than_ascii() -> None:
    assert rendered("text", sample.EMPTY).isascii()


def test_place_names_only_what_is_known() -> None:
    assert place(Where()) == "no single place"
    assert place(Where(file="a.yaml")) == "a.yaml"
    assert place(Where(file="a.yaml", line=3, column=9, pointer="/x")) == "a.yaml:3:9 (/x)"
    assert place(Where(pointer="")) == "(the whole of it)"
    assert place(Where(table="T", round="9", seat=2, wager="w", event=4)) == "table T round 9 seat 2 wager w event 4"
    assert place(Where(file="a", line=1, round="9")) == "a:1, round 9"
