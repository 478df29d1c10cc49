"""Layout of diagnostics, and how they make hostile text harmless."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.text.diagnostics import (
    Diagnostic,
    InputError,
    find_similar,
    limit_diagnostics,
    merge_repeated,
    render_diagnostic,
)
from tests.facade.text import quote, sanitize

EXAMPLE = Diagnostic(
    code="unknown-key",
    message="`rank-buy` is not a key of a hand",
    file="folder/game.yaml",
    line=12,
    column=5,
    length=8,
    source_line="    rank-buy: five-card",
    expected="one of best, from, rank-by",
    help="did you mean `rank-by`?",
)


def test_layout() -> None:
    assert render_diagnostic(EXAMPLE, color=False) == (
        "error[unknown-key]: `rank-buy` is not a key of a hand\n"
        "  --> folder/game.yaml:12:5\n"
        "   |\n"
        "12 |     rank-buy: five-card\n"
        "   |     ^^^^^^^^\n"
        "   = expected: one of best, from, rank-by\n"
        "   = help: did you mean `rank-by`?"
    )


def test_layout_with_colour_is_the_same_text() -> None:
    painted = render_diagnostic(EXAMPLE, color=True)
    assert painted.startswith("\x1b[1;31merror[unknown-key]\x1b[0m\x1b[1m: `rank-buy`")
    plain = painted
    for code in ("\x1b[1;31m", "\x1b[1;34m", "\x1b[1m", "\x1b[0m"):
        plain = plain.replace(code, "")
    assert plain == render_diagnostic(EXAMPLE, color=False)
    assert "\x1b[1;33mwarning" in render_diagnostic(replace(EXAMPLE, severity="warning"), color=True)


def test_without_a_place() -> None:
    assert render_diagnostic(Diagnostic(code="c", message="m"), color=False) == "error[c]: m"
    assert render_diagnostic(Diagnostic(code="c", message="m", file="f", severity="warning"), color=False) == (
        "warning[c]: m\n --> f"
    )
    assert (
        render_diagnostic(Diagnostic(code="c", message="m", file="f", line=3), color=False) == "error[c]: m\n --> f:3"
    )


def lines_of(line: str, column: int, length: int = 1) -> tuple[str, str]:
    shown = render_diagnostic(
        Diagnostic(code="c", message="m", file="f", line=1, column=column, length=length, source_line=line),
        color=False,
    ).split("\n")
    return shown[3], shown[4]


@pytest.mark.parametrize(
    ("line", "column", "length", "shown", "carets"),
    [
        ("a\tb", 3, 1, "1 | a   b", "  |     ^"),
        ("\ta: b", 2, 1, "1 |     a: b", "  |     ^"),
        ("\t\tx", 2, 1, "1 |         x", "  |     ^^^^"),
        ("a\x1b[2Jb", 2, 1, "1 | a[U+001B][2Jb", "  |  ^^^^^^^^"),
        ("ab\u202ecd", 4, 1, "1 | ab[U+202E]cd", "  |           ^"),
        ("中文: x", 5, 1, "1 | 中文: x", "  |       ^"),
        ("中文: x", 1, 2, "1 | 中文: x", "  | ^^^^"),
        ("e\u0301 x", 4, 1, "1 | e\u0301 x", "  |   ^"),
        ("abc", 4, 1, "1 | abc", "  |    ^"),
        ("abc", 2, 50, "1 | abc", "  |  ^^"),
        ("abc", 2, 0, "1 | abc", "  |  ^"),
        ("", 1, 1, "1 |", "  | ^"),
    ],
)
def test_carets_stand_under_what_they_mean(line: str, column: int, length: int, shown: str, carets: str) -> None:
    assert lines_of(line, column, length) == (shown, carets)


@pytest.mark.parametrize("column", [1, 30, 61, 62, 5000, 9960, 9961, 9998])
def test_long_lines_are_shown_through_a_window(column: int) -> None:
    line = "".join(chr(ord("a") + index % 26) for index in range(10_000))
    shown, carets = lines_of(line, column, 3)
    caret = carets.index("^")
    assert len(shown) <= 4 + 3 + 100 + 3
    assert shown[caret : caret + carets.count("^")] == line[column - 1 : column + 2]
    assert shown.startswith("1 | ...") == (column > 61)
    assert shown.endswith("...") == (column < 9961)


def test_hostile_text_in_every_part() -> None:
    evil = "a\x1b[2J\nb\u202ec"
    shown = render_diagnostic(
        Diagnostic(code="c", message=evil, file=evil, expected=evil, help=evil, line=1, column=1), color=False
    )
    assert shown.count("\n") == 3
    assert shown.count("a[U+001B][2J[U+000A]b[U+202E]c") == 4


def test_long_messages_are_cut() -> None:
    assert len(render_diagnostic(Diagnostic(code="c", message="x" * 10**6), color=False)) < 2100


@given(st.text(), st.integers(1, 300), st.integers(0, 300))
def test_nothing_unprintable_is_ever_shown(line: str, column: int, length: int) -> None:
    shown = render_diagnostic(
        Diagnostic(
            code="c", message=line, file=line, line=1, column=column, length=length, source_line=line, help=line
        ),
        color=False,
    )
    rows = shown.split("\n")
    assert len(rows) == 6
    assert all(row.isprintable() for row in rows)
    assert "^" in rows[4]


def test_visible() -> None:
    assert sanitize("plain ünïcode 中") == "plain ünïcode 中"
    assert sanitize("\u200b\xa0\ufeff\ud800\U000e0041") == "[U+200B][U+00A0][U+FEFF][U+D800][U+E0041]"


def test_quoted() -> None:
    assert quote("a") == "`a`"
    assert quote("a`b") == "'a`b'"
    assert quote("x" * 61) == "`" + "x" * 60 + "...`"


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("rank-buy", "rank-by"),
        ("rank_by", "rank-by"),
        ("RANK-BY", "rank-by"),
        ("bset", "best"),
        ("entirely", None),
        ("", None),
        ("rank-by" * 1000, None),
    ],
)
def test_did_you_mean(word: str, meant: str | None) -> None:
    assert find_similar(word, ["from", "best", "rank-by"]) == meant
    assert find_similar(word, []) is None


def test_did_you_mean_does_not_hang_on_order() -> None:
    assert find_similar("ab", ["abc", "abd"]) == find_similar("ab", ["abd", "abc"])


def test_at_most() -> None:
    problems = [replace(EXAMPLE, line=line) for line in range(1, 24)]
    assert limit_diagnostics(problems[:20]) == tuple(problems[:20])
    assert limit_diagnostics(problems[:21])[20] == Diagnostic(
        code="more-problems", message="and 1 more problem", file="folder/game.yaml"
    )
    assert render_diagnostic(limit_diagnostics(problems)[-1], color=False) == (
        "error[more-problems]: and 3 more problems\n --> folder/game.yaml"
    )


def test_at_most_counts_what_has_no_diagnostic() -> None:
    assert limit_diagnostics([EXAMPLE], unnamed=1500)[1].message == "and 1,500 more problems"
    assert limit_diagnostics([EXAMPLE] * 21, unnamed=2)[20].message == "and 3 more problems"
    assert limit_diagnostics([]) == limit_diagnostics([], unnamed=1) == ()


def test_what_is_said_of_many_places_is_said_once() -> None:
    problems = [replace(EXAMPLE, line=line) for line in (3, 5, 5, 8)]
    assert merge_repeated(problems[:3]) == tuple(problems[:3])
    (merged,) = merge_repeated(problems)
    assert (merged.line, merged.help) == (3, f"{EXAMPLE.help}; the same at lines 5, 8")
    elsewhere = replace(EXAMPLE, file="other.yaml")
    assert merge_repeated([*problems, elsewhere]) == (merged, elsewhere)


def test_input_error_survives_a_process_boundary() -> None:
    error = InputError((EXAMPLE,))
    assert pickle.loads(pickle.dumps(error)).diagnostics == (EXAMPLE,)
    assert str(InputError((EXAMPLE, EXAMPLE))) == f"{error}\n\n{error}"
