"""Inputs that cannot be read: one message that names the file, exit code 3, and never a traceback."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from tests.cli.bad_files import BAD_LINES, CUT_LOGS, LOST_LOGS, NO_DATA, NO_MODEL, NO_TEXT
from tests.facade.commands import Finished, run
from tests.facade.demo import GAME, comply, demo_round, to_log
from tests.facade.rules import rules_folder

SMALL = "co-rule8-burnout"

READING = {
    "check": "check {}",
    "check --profile": "check good.yaml --profile {}",
    "audit --submission": "audit good.jsonl --submission {}",
    "explain --submission": "explain good.jsonl --round hand-01 --submission {}",
    "simulate --submission": f"simulate {GAME} --rounds 1 --seed 1 --submission {{}}",
    "report": "report {} --output text",
}
"""Every way to have a command read a file that is not a log."""


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "good.yaml").write_text(comply())
    (place / "good.jsonl").write_bytes(to_log([demo_round("hand-01")]))


def assert_refused(finished: Finished, name: str) -> None:
    """Assert that a command ended because of one file that it could not read."""
    assert finished.code == 3
    first, place = finished.err.splitlines()[:2]
    assert re.fullmatch(r"error\[[a-z0-9-]+\]: .+", first)
    assert re.fullmatch(rf" *--> {re.escape(name)}(:\d+)*", place)
    assert "Traceback" not in finished.err
    assert len(finished.err) < 5000


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("kind", [*NO_TEXT, *NO_DATA, *NO_MODEL])
def test_a_bad_file_is_refused(command: str, kind: str) -> None:
    Path("bad").write_bytes({**NO_TEXT, **NO_DATA, **NO_MODEL}[kind])
    finished = run(*READING[command].format("bad").split())
    if kind == "too-large" and command == "report":  # of results, much more is read
        assert finished.code == 3
        return
    assert_refused(finished, "bad")
    assert finished.out == b"" or command == "audit --submission"  # a log is audited without it


@pytest.mark.parametrize("kind", ["utf-16", "latin-1", "cut-off", "deep-lists", "list"])
def test_a_bad_file_on_standard_input_is_refused(kind: str) -> None:
    bad = {**NO_TEXT, **NO_DATA, **NO_MODEL}[kind]
    for command in ("check -", "report - -o text", "check good.yaml --profile -", "audit good.jsonl -s -"):
        assert_refused(run(*command.split(), stdin=bad), "<stdin>")


LOGS = ("audit {}", "explain {} --round hand-01")


@pytest.mark.parametrize("command", [*READING.values(), *LOGS])
def test_a_path_that_leads_nowhere_is_refused(command: str) -> None:
    Path("folder").mkdir()
    for path, reason in (
        ("missing", "there is no such file"),
        ("folder", "this is a folder"),
        ("good.yaml/below", "part of the path is not a folder"),
        ("x" * 300, "the path is too long"),
    ):
        finished = run(*command.format(path).split())
        assert_refused(finished, path)
        assert reason in finished.err


@pytest.mark.parametrize("command", [*READING.values(), *LOGS])
def test_a_file_that_may_not_be_read_is_refused(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may be allowed to read everything, so the refusal is played."""
    real = os.open

    def guarded_open(file: Any, *arguments: Any, **options: Any) -> int:
        if file == "secret":
            raise PermissionError(13, "Permission denied", "secret")
        return real(file, *arguments, **options)

    Path("secret").write_text("x")
    monkeypatch.setattr(os, "open", guarded_open)
    finished = run(*command.format("secret").split())
    assert_refused(finished, "secret")
    assert "there is no permission to read this file" in finished.err


@pytest.mark.parametrize("kind", CUT_LOGS)
def test_of_a_log_cut_off_the_good_rounds_are_audited(kind: str) -> None:
    Path(kind).write_bytes(CUT_LOGS[kind])
    audited = run("audit", kind, "-s", "good.yaml", "-o", "json")
    assert (audited.code, audited.err) == (1, "")  # hand-07 is paid by another table
    log = audited.results["provenance"]["inputs"][1]
    assert log["checked"] >= 13
    assert log["quarantined"] == 1
    assert log["read"] == log["checked"] + log["repeated"] + 1
    assert [entry["line"] for entry in audited.results["quarantined"]] == [log["read"]]


@pytest.mark.parametrize("kind", LOST_LOGS)
@pytest.mark.parametrize("command", LOGS)
def test_a_packed_log_of_which_nothing_can_be_read_is_refused(kind: str, command: str) -> None:
    Path(kind).write_bytes(LOST_LOGS[kind])
    assert_refused(run(*command.format(kind).split()), kind)


@pytest.mark.parametrize("kind", [kind for kind in NO_TEXT if kind != "blank"])
def test_a_log_without_text_is_refused(kind: str) -> None:
    Path("bad").write_bytes(NO_TEXT[kind])
    assert_refused(run("audit", "bad"), "bad")


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_bad_line_is_set_aside_and_the_others_are_audited(kind: str) -> None:
    good = to_log([demo_round("hand-01")])
    Path("log").write_bytes(good + BAD_LINES[kind] + to_log([demo_round("hand-03")]))
    audited = run("audit", "log", "-s", "good.yaml", "-o", "json:results.json", "-o", "text")
    assert (audited.code, audited.err) == (4, "")
    results = json.loads(Path("results.json").read_bytes())
    log = results["provenance"]["inputs"][1]
    assert (log["read"], log["checked"], log["quarantined"]) == (3, 2, 1)
    (entry,) = results["quarantined"]
    assert entry["line"] == 2
    assert 10 < len(entry["reason"]) < 300
    assert f"  log:2{'' if entry['column'] is None else ':' + str(entry['column'])}: " in audited.text


@pytest.mark.parametrize(("violation", "code"), [("hand-01", 4), ("hand-16", 1)])
def test_a_log_cut_off_within_a_line_is_never_compliant(violation: str, code: int) -> None:
    whole = to_log([demo_round("hand-02"), demo_round(violation), demo_round("hand-03")])
    Path("cut.jsonl").write_bytes(whole[:-700])
    audited = run("audit", "cut.jsonl", "-s", "good.yaml", "-o", "json")
    assert audited.code == code
    assert audited.results["quarantined"][0]["reason"] == "the line ends in the middle of a record"
    told = run("audit", "cut.jsonl", "-s", "good.yaml").text
    assert "4 records read from 2 files, 3 checked, 1 quarantined." in told
    assert "Quarantined: 1 record, unreadable or contradictory, not checked\n  cut.jsonl:3:" in told
    Path("whole.jsonl").write_bytes(whole)
    assert run("audit", "whole.jsonl", "-s", "good.yaml").code == (0 if code == 4 else 1)


def test_a_damaged_parquet_log_keeps_what_was_read_before_the_damage() -> None:
    import pyarrow.parquet as pq

    run("simulate", GAME, "--rounds", "30", "--seed", "1", "-o", "night.parquet")
    pq.write_table(pq.read_table("night.parquet"), "night.parquet", row_group_size=10)
    column = pq.ParquetFile("night.parquet").metadata.row_group(1).column(0)
    data = bytearray(Path("night.parquet").read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 30] = bytes(30)
    Path("night.parquet").write_bytes(data)
    audited = run("audit", "night.parquet", "-o", "json")
    assert_refused(audited, "night.parquet")
    (log,) = audited.results["provenance"]["inputs"]
    assert (log["read"], log["checked"]) == (10, 10)
    assert log["sha256"] == "none: the log could not be read to its end"
    assert {sum(requirement["totals"].values()) for requirement in audited.results["requirements"]} == {10}


def test_parquet_with_other_columns_is_refused() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"round": ["a"], "croupier": ["b"]}), "night.parquet")
    finished = run("audit", "night.parquet")
    assert_refused(finished, "night.parquet")
    assert "croupier" in finished.err


def test_many_problems_of_one_file_are_told_up_to_a_bound() -> None:
    Path("bad.yaml").write_text(comply() + "".join(f"wrong-{number}: 1\n" for number in range(500)))
    finished = run("check", "bad.yaml")
    assert finished.code == 3
    assert finished.err.count("error[unknown-key]") == 20
    assert "and 480 more problems" in finished.err


def break_rules(edits: Mapping[str, tuple[str, str]]) -> str:
    """Write a rules folder of two documents, with the first occurrence of a text in some files replaced."""
    for name in (GAME, SMALL, "vocabulary"):
        shutil.copytree(rules_folder() / name, Path("rules", name), ignore=shutil.ignore_patterns("demo"))
    for name, (old, new) in edits.items():
        path = Path("rules", name)
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1))
    return "rules"


@pytest.mark.parametrize(
    ("name", "old", "new", "caret", "said"),
    [
        (f"{GAME}/requirements/wagers.yaml", "severity: critical", "severety: critical", "severety", "`severity`"),
        (f"{GAME}/requirements/wagers.yaml", "each: seat", "each: seta", "seta", "`seat`"),
        (
            f"{GAME}/game.yaml",
            "rank-by: three-card-aces",
            "rank-by: three-card-acess",
            "three-card-acess",
            "three-card",
        ),
        (f"{GAME}/game.yaml", "when: must-decide", "when: must-decied", "must-decied", "decide`"),
        (f"{GAME}/game.yaml", "5 to 1", "5:1", "5:1", '"5 to 1"'),
        (f"{GAME}/document.yaml", "status: option", "status: opton", "opton", "`option`"),
        (f"{GAME}/readings.yaml", "adopted: {always: ", "adopted: always # ", "always", "`adopted: {NAME: MEANING}`"),
        (
            f"{GAME}/readings.yaml",
            "  adopted:",
            "  options: []\n  adopted:",
            "options",
            "the others in the same form under `alternatives`",
        ),
        ("vocabulary/rankings.yaml", "rankings:", "ranking:", "ranking", "`rankings`"),
        (f"{SMALL}/requirements/equipment.yaml", "each: submission", "each: submision", "submision", "or submission"),
    ],
)
def test_a_typo_in_a_rule_file_is_shown_with_a_caret_and_the_word_that_was_meant(
    name: str, old: str, new: str, caret: str, said: str
) -> None:
    rules = break_rules({name: (old, new)})
    finished = run("rules", "list", "--rules", rules)
    assert finished.code == 3
    file, line, column, word = locate_underlined(finished.err)
    assert Path(file).resolve() == Path(rules, name).resolve()
    assert Path(rules, name).read_text("utf-8").splitlines()[line - 1].startswith(caret, column - 1)
    assert word == caret
    assert said in finished.err


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (
            f"{SMALL}/document.yaml",
            f"document: {SMALL}",
            "document: burnout",
            f"must be the name of its folder, `{SMALL}`",
        ),
        (f"{SMALL}/document.yaml", "lines: [", "lines: [999999, ", "the first and the last line of the clause"),
        (f"{SMALL}/document.yaml", "lines: [13, 13]", "lines: [13, 13]\n  reason: None.", "which has no `reason`"),
        (f"{SMALL}/document.yaml", "status: attested", "status: checked", "has the status checked, but no requirement"),
        (
            f"{GAME}/readings.yaml",
            "alternatives: {as-best-listed-row:",
            "alternatives: {as-three-of-a-kind: Again., as-best-listed-row:",
            "`as-three-of-a-kind` is the option adopted",
        ),
        (f"{GAME}/simulation.yaml", "effective: 2026-01-01", "effective: 2030-01-01", "not in force before 2030-01-01"),
        (f"{GAME}/simulation.yaml", "tables:", "tabels:", "did you mean `tables`?"),
        (f"{GAME}/game.yaml", "  order: [", "  order: [ante, ", "`order` of the settlement must list every wager"),
        (f"{GAME}/examples/wagers.yaml", "set: {/seats/0/", "set: {/seats/9/", "there is no place `/seats/9/cards`"),
        (f"{GAME}/examples/wagers.yaml", "base: one-hand", "base: no-hand", "there is no base no-hand"),
    ],
)
def test_what_makes_no_sense_in_a_rule_file_is_found_by_its_check(name: str, old: str, new: str, said: str) -> None:
    rules = break_rules({name: (old, new)})
    finished = run("rules", "check", rules)
    assert finished.code == 3
    assert Path(locate_underlined(finished.err)[0]).resolve() == Path(rules, name).resolve()
    assert said in finished.err


def test_a_clause_without_a_status_that_nothing_checks_is_shown_where_it_begins() -> None:
    rules = break_rules({f"{SMALL}/document.yaml": ("  status: attested\n", "")})
    finished = run("rules", "check", rules)
    assert finished.code == 3
    file, line, _, _ = locate_underlined(finished.err)
    assert Path(file).read_text("utf-8").splitlines()[line - 1] == "- clause: lead"
    assert "clause lead has no status and so is checked, but no requirement that can fail cites it" in finished.err


def test_a_mark_that_no_hand_begins_with_is_refused() -> None:
    rules = break_rules({"vocabulary/rankings.yaml": ("ranks: [Q]}", "ranks: [Q, Q]}")})
    finished = run("rules", "check", rules)
    assert finished.code == 3
    file, line, _, _ = locate_underlined(finished.err)
    assert Path(file).name == "rankings.yaml"
    assert "queen-high" in Path(file).read_text("utf-8").splitlines()[line - 1]
    assert "no high-card begins with the ranks Q, Q" in finished.err


def locate_underlined(diagnostic: str) -> tuple[str, int, int, str]:
    """Return the place that a diagnostic names - file, line, column - and the text that its carets underline."""
    rows = diagnostic.splitlines()
    file, line, column = next(row.partition("--> ")[2] for row in rows if "--> " in row).rsplit(":", 2)
    at = next(index for index, row in enumerate(rows) if row.strip(" |^") == "" and "^" in row)
    first = rows[at].index("^")
    return file, int(line), int(column), rows[at - 1][first : first + rows[at].count("^")]


def test_a_rule_file_that_is_not_yaml_is_refused_by_every_command() -> None:
    rules = break_rules({f"{GAME}/game.yaml": ("deck: {cards", "deck: {{cards")})
    for command in (
        "rules list",
        "rules coverage",
        "rules test",
        "rules check",
        "rules show (1)",
        "check good.yaml",
        "audit good.jsonl",
        "explain good.jsonl --round hand-01",
        f"simulate {GAME} --rounds 1 --seed 1",
    ):
        assert_refused(run(*command.split(), "--rules", rules), f"rules/{GAME}/game.yaml")


def test_other_documents_do_without_the_broken_one() -> None:
    rules = break_rules({f"{SMALL}/document.yaml": ("title:", "titel:")})
    assert run("check", "good.yaml", "--rules", rules).code == 0
    checked = run("rules", "check", "--rules", rules)
    assert checked.code == 3
    assert f"{GAME}: " in checked.text
    assert "did you mean `title`?" in checked.err


def test_what_is_wrong_with_rules_is_told_in_json_too() -> None:
    rules = break_rules({f"{SMALL}/document.yaml": ("title:", "titel:")})
    finished = run("rules", "check", "--rules", rules, "--output", "json")
    found = {entry["document"]: entry for entry in finished.results}
    assert finished.code == 3
    assert (found[GAME]["sound"], found[GAME]["problems"]) == (True, [])
    assert found[SMALL]["sound"] is False
    assert found[SMALL]["problems"][0]["code"] == "unknown-key"
    assert found[SMALL]["problems"][0]["file"].endswith(f"rules/{SMALL}/document.yaml")


def test_an_example_that_fails_is_told_in_json_too() -> None:
    rules = break_rules(
        {f"{SMALL}/requirements/equipment.yaml": ("cards: standard-52, decks: 6", "cards: standard-52, decks: 7")}
    )
    finished = run("rules", "test", SMALL, "--rules", rules, "-o", "json")
    assert finished.code == 1
    assert {result["document"] for result in finished.results} == {SMALL}
    assert [bool(result["problems"]) for result in finished.results] == [
        not result["holds"] for result in finished.results
    ]
    assert not all(result["holds"] for result in finished.results)


def test_one_broken_example_is_named() -> None:
    rules = break_rules({f"{GAME}/examples/wagers.yaml": ("- example: ", "- exampel: ")})
    for command in ("rules check", "rules test", "rules coverage"):
        finished = run(*command.split(), "--rules", rules)
        assert_refused(finished, f"rules/{GAME}/examples/wagers.yaml")


def test_an_example_that_gives_something_else_fails_the_rules() -> None:
    rules = break_rules(
        {f"{SMALL}/requirements/equipment.yaml": ("cards: standard-52, decks: 6", "cards: standard-52, decks: 7")}
    )
    finished = run("rules", "test", SMALL, "--rules", rules)
    assert (finished.code, finished.err) == (1, "")
    assert re.search(rf"^{SMALL}/[a-z-]+ \(equipment.yaml:\d+:3\)$", finished.text, re.M)
    assert re.search(rf"^{SMALL}: \d+ of \d+ examples are as stated$", finished.text, re.M)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (to_log([demo_round("hand-01")]), "this is a hand log, not a submission"),
        (to_log([demo_round("hand-01"), demo_round("hand-02")]), "this is a hand log, not a submission"),
        (b'{"fairdeal-results": 1, "verdict": "compliant"}', "this is a file of results, not a submission"),
        (b"profile: a\ntitle: b\nchoices: []\n", "this is a profile, not a submission"),
        (gzip.compress(b"submission: a\n", mtime=0), "this is gzip data, not text"),
        (gzip.compress(b"submission: a\n", mtime=0), "`fairdeal audit` reads hand logs, compressed or not"),
        (b"PAR1....PAR1", "this is a Parquet file, not text"),
        (b"[1]\nvariant = 'NT'\n", "this is a log of poker hand histories, not a submission"),
        (b"wager;minimum\nante;5\n", "this is a text without keys, not a submission"),
    ],
)
@pytest.mark.parametrize(
    "command", ["check bad", "audit good.jsonl -s bad", f"simulate {GAME} --rounds 1 --seed 1 -s bad"]
)
def test_what_is_given_for_a_submission_is_told_what_it_is(command: str, text: bytes, said: str) -> None:
    Path("bad").write_bytes(text)
    finished = run(*command.split())
    assert finished.code == 3
    assert finished.err.count("error[") == 1
    assert said in finished.err
    assert "= help: " in finished.err


@pytest.mark.parametrize("text", ['submission = "house"\n', 'submission = "house"\ndealing: shoe\n'])
def test_toml_is_no_submission(text: str) -> None:
    Path("house.toml").write_text(text, "utf-8")
    finished = run("check", "house.toml")
    assert (finished.code, finished.err.count("error[")) == (3, 1)
    assert "this is TOML, not a submission" in finished.err and "YAML, JSON or a workbook" in finished.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (comply().encode(), "this is a submission, not a hand log"),
        (gzip.compress(comply().encode(), mtime=0), "this is a submission, not a hand log"),
        (json.dumps({"licensee": {"name": "A"}, "submission": "a"}).encode(), "this is a submission, not a hand log"),
        (json.dumps({"submission": "a"}, indent=1).encode(), "this is a submission, not a hand log"),
        (b'{\n"fairdeal-results": 1,\n"verdict": "compliant"}', "this is a file of results, not a hand log"),
        (b"profile: a\ntitle: b\nchoices: []\n", "this is a profile, not a hand log"),
    ],
)
@pytest.mark.parametrize("command", ["audit bad", "audit good.jsonl bad", "audit -", "explain bad --round 1"])
def test_what_is_given_for_a_hand_log_is_told_what_it_is(command: str, text: bytes, said: str) -> None:
    Path("bad").write_bytes(text)
    finished = run(*command.split(), stdin=text)
    assert finished.code == 3
    assert finished.err.count("error[") == 1
    assert said in finished.err
    assert "= help: " in finished.err


def _spreadsheet() -> bytes:
    stream = io.BytesIO()
    Workbook().save(stream)
    return stream.getvalue()


SITE_TEXT = b"""PokerStars Hand #1: Hold'em No Limit ($0.01/$0.02 USD) - 2010/06/06 22:24:02 WET
Table 'Alpha' 9-max Seat #1 is the button
Seat 1: A ($0.88 in chips)
*** HOLE CARDS ***
"""
OHH = {"ohh": {"spec_version": "1.4.6", "site_name": "A", "game_number": "1", "players": [], "rounds": []}}


@pytest.mark.parametrize(
    ("text", "seems"),
    [
        (to_log([demo_round("hand-01")] * 3).decode().encode("utf-16"), "UTF-16 text"),
        (to_log([demo_round("hand-01")] * 3).decode().encode("utf-16-le"), "UTF-16 text"),
        (to_log([demo_round("hand-01")] * 3).decode().encode("utf-16-be"), "UTF-16 text"),
        (_spreadsheet(), "a spreadsheet"),
        (gzip.compress(_spreadsheet(), mtime=0), "a spreadsheet"),
        (SITE_TEXT * 3, "the text history of a poker site"),
        (b"Winamax Poker - CashGame - HandId: #1-2-3\n*** ANTE/BLINDS ***\n", "the text history of a poker site"),
        (b"#Game No : 123\n***** Hand History for Game 123 *****\n", "the text history of a poker site"),
        (json.dumps(OHH).encode() + b"\n\n" + json.dumps(OHH).encode(), "a hand in the Open Hand History format"),
        (json.dumps(OHH, indent=2).encode(), "a hand in the Open Hand History format"),
        (b'<?xml version="1.0"?>\n<hands>\n <hand id="1"/>\n</hands>\n', "XML or HTML"),
        (b"round,table,seat,wager,stake\n1,T1,2,ante,500\n2,T1,3,ante,500\n", "a table of delimited text, such as CSV"),
        (b"round;table;seat\n1;T1;2\n2;T1;3\n", "a table of delimited text, such as CSV"),
        (json.dumps(demo_round("hand-01"), indent=1).encode(), "JSON that spreads a record over several lines"),
        (b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n", "a PDF file"),
    ],
)
@pytest.mark.parametrize("command", ["audit bad.jsonl", "audit logs", "explain bad.jsonl --round 1"])
def test_a_file_in_another_format_gives_one_message(command: str, text: bytes, seems: str) -> None:
    Path("logs").mkdir()
    for path in ("bad.jsonl", "logs/bad.jsonl"):
        Path(path).write_bytes(text)
    finished = run(*command.split(), "-o", "text") if command.startswith("audit") else run(*command.split())
    assert finished.code == 3
    assert finished.err.count("error[") == 1
    assert f"this looks like {seems}, not like a hand log" in finished.err
    assert "quarantined" not in finished.text
    remedies = (
        "UTF-8",
        "hand logs are read as JSON Lines or Parquet, poker hand histories as PHH",
        "`fairdeal import FILE -o LOG.jsonl`",
    )
    assert any(remedy in finished.err for remedy in remedies)


@pytest.mark.parametrize("first", [b"<", b"a,b,c", b"*** HOLE CARDS ***", b"{", b"[", b"\x00\x01\x00\x02"])
def test_a_good_record_is_judged_whatever_its_log_begins_with(first: bytes) -> None:
    Path("odd.jsonl").write_bytes(first + b"\n" + first + b"\n" + to_log([demo_round("hand-01")]))
    finished = run("audit", "odd.jsonl", "-o", "json")
    assert [record["line"] for record in finished.results["quarantined"]] == [1, 2]
    assert finished.results["provenance"]["inputs"][0]["checked"] == 1


def test_a_log_with_a_submission_s_words_in_it_is_still_a_log() -> None:
    Path("odd.jsonl").write_bytes(to_log(['{"submission": "a"}', demo_round("hand-01")]))
    finished = run("audit", "odd.jsonl", "-o", "json")
    assert [entry["line"] for entry in finished.results["quarantined"]] == [1]
    assert finished.results["provenance"]["inputs"][0]["checked"] == 1


_DEAL = "  deal: {title: the cards are dealt, event: deal}\n"
_SHUFFLE = "  shuffle: {title: the dealer shuffles, event: shuffle, deck: in-play}\n"
_PLAY_ONLY = """\
    requirements: [{requirement: play-only-when-staying, broken: "A player stayed in without a Play wager, or
        placed one without staying in.", clauses: ["(9)", "(10)"], severity: major,
      pattern: {name: wager-goes-with-the-decision, """
NOT_SIMULATED = [
    (
        _DEAL,
        f"  taken-back: {{title: a wager is taken back, event: withdraw}}\n{_DEAL}",
        "withdraw",
        "`taken-back` cannot be simulated: withdraw",
    ),
    (
        _DEAL,
        f"{_DEAL}  third: {{title: the dealer draws, event: draw, place: dealer}}\n",
        "draw",
        "`third` cannot be simulated: a draw replaces cards that the same place discarded before",
    ),
    (
        _SHUFFLE,
        f"{_SHUFFLE}  call: {{title: a call, event: announce, what: [bets, no-bets]}}\n",
        "[bets",
        "`call` cannot be simulated: it has several values of `what`",
    ),
    (
        f", places: play,\n{_PLAY_ONLY}when:",
        f",\n{_PLAY_ONLY}wager: play, when:",
        "{title: Play",
        "`play` cannot be simulated: no decision places it",
    ),
]


@pytest.mark.parametrize(("old", "new", "caret", "said"), NOT_SIMULATED)
def test_what_cannot_be_simulated_is_refused_where_it_stands(old: str, new: str, caret: str, said: str) -> None:
    rules = break_rules({f"{GAME}/game.yaml": (old, new)})
    game = Path(rules, GAME, "game.yaml")
    for command in (f"rules check {GAME}", f"simulate {GAME} --rounds 1 --seed 1"):
        finished = run(*command.split(), "--rules", rules)
        assert (finished.code, finished.err.count("error[")) == (3, 1)
        assert said in finished.err
        place = re.search(r"--> .*/game.yaml:([0-9]+):([0-9]+)\n", finished.err)
        assert place is not None
        line = game.read_text("utf-8").split("\n")[int(place[1]) - 1]
        assert line[int(place[2]) - 1 :].startswith(caret)


def test_what_cannot_be_simulated_is_no_fault_of_a_game_without_a_simulation() -> None:
    rules = break_rules({f"{GAME}/game.yaml": NOT_SIMULATED[0][:2]})
    Path(rules, GAME, "simulation.yaml").unlink()
    assert run("rules", "check", GAME, "--rules", rules).code == 0
