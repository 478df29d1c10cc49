"""Statistics as commands write them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import openpyxl
import pytest

from tests.facade.commands import run
from tests.facade.rules import rules_folder
from tests.hold.logs import rounds, write_log
from tools.generated_files.schema_builders import SCHEMA_BUILDERS

GAME = "co-rule10-3card-shine"


@pytest.fixture(autouse=True)
def _at_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772409600")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("logs") / "log.jsonl"
    return write_log(
        path, rounds(200, 1, table="S1", seats=2), rounds(200, 2, table="=S2", dealer="<b>Bob</b>", seats=2)
    )


def test_without_statistics_results_are_what_they_were(log: str, house: str, tmp_path: Path) -> None:
    plain, with_ = tmp_path / "plain.json", tmp_path / "with.json"
    before = run("audit", log, "-s", house, "-o", f"json:{plain}", "-q")
    after = run("audit", log, "-s", house, "-o", f"json:{with_}", "-q", "--statistics")
    assert before.code == after.code
    lines = with_.read_bytes().splitlines()
    first = lines.index(b'"statistics": {')
    assert lines[:first] + lines[-2:] == plain.read_bytes().splitlines()
    jsonschema.validate(json.loads(with_.read_bytes()), SCHEMA_BUILDERS["results"]())
    jsonschema.validate(json.loads(plain.read_bytes()), SCHEMA_BUILDERS["results"]())


def test_saved_statistics_are_read_verified_and_told_again(log: str, house: str, tmp_path: Path) -> None:
    saved = tmp_path / "results.json"
    run("audit", log, "-s", house, "-o", f"json:{saved}", "-q", "--statistics", "--level", "0.9")
    again = tmp_path / "again.json"
    run("report", str(saved), "-o", f"json:{again}")
    assert again.read_bytes() == saved.read_bytes()
    assert run("verify", str(saved), log, house).code == 0
    saved.write_bytes(saved.read_bytes().replace(b'"stakes":400,', b'"stakes":401,'))
    told = run("verify", str(saved), log, house)
    assert told.code == 1
    assert "`statistics` does not follow from the inputs" in told.text
    assert "the 90 % range by luck" in run("report", str(again), "-o", "text").text


def test_one_process_and_several_write_the_same(tmp_path: Path, house: str) -> None:
    log = write_log(tmp_path / "long.jsonl", *(rounds(1500, seed, table=f"S{seed % 2}", seats=3) for seed in range(2)))
    found = [run("hold", log, "-s", house, "-o", "json", "-q", "-j", jobs).results["statistics"] for jobs in ("1", "3")]
    assert found[0] == found[1]
    assert found[0]["hold"]


def test_a_page_shows_everything_escaped(log: str, house: str, tmp_path: Path) -> None:
    page, report = tmp_path / "hold.html", tmp_path / "report.html"
    assert run("hold", log, "-s", house, "-o", f"html:{page}", "-q").code == 0
    run("audit", log, "-s", house, "-o", f"html:{report}", "-q", "--statistics")
    for path in (page, report):
        text = path.read_text("utf-8")
        section = text.partition('<section id="statistics"')[2].partition("</section>")[0]
        assert "&lt;b&gt;Bob&lt;/b&gt;" in section
        assert "<b>Bob" not in text
        assert section.count("<circle") == 2 * (1 + 2 + 2 + 2)
        assert "Statistics are not findings" in section


def test_summaries_name_what_stands_out(tmp_path: Path, house: str) -> None:
    def generous(record: dict[str, Any], _: np.random.Generator) -> None:
        for seat in record["seats"]:
            for wager in seat["wagers"]:
                if wager["wager"] == "pair-xxx" and wager["taken"]:
                    wager["paid"], wager["taken"] = wager["amount"], 0

    log = write_log(
        tmp_path / "log.jsonl",
        rounds(300, 1, table="S1", dealer="Ann", seats=2),
        rounds(300, 2, table="S2", dealer="Eve", seats=2, change=generous),
    )
    found = run("hold", log, "-s", house, "-o", "json", "-q").results["statistics"]
    (hold,) = [kind for kind in found["looked-at"] if kind["kind"] == "hold"]
    named = {(row["of"], row["table"], row["day"], row["dealer"]) for row in hold["standing-out"]}
    assert ("pair-xxx", "S2", "2026-03-02", None) in named
    assert ("pair-xxx", None, None, "Eve") in named
    assert not any(table == "S1" or dealer == "Ann" for _, table, _, dealer in named)
    assert len(hold["standing-out"]) == hold["stand-out"]
    table = "too far out for luck: hold of pair-xxx (co-rule10-3card-shine), Simulated House, table S2, 2026-03-02"
    text = run("hold", log, "-s", house, "-o", "text", "-q").text
    assert table in text
    assert text.index(table) < text.index("Hold of ante")
    for form in ("html", "markdown"):
        path = tmp_path / f"report.{form}"
        run("audit", log, "-s", house, "-o", f"{form}:{path}", "-q", "--statistics")
        assert "oo far out for luck: hold of pair" in path.read_text("utf-8")


def test_sheets_and_lines_hold_every_row(log: str, house: str, tmp_path: Path) -> None:
    book, lines = tmp_path / "report.xlsx", tmp_path / "hold.csv"
    run("audit", log, "-s", house, "-o", f"xlsx:{book}", "-q", "--statistics")
    run("hold", log, "-s", house, "-o", f"csv:{lines}", "-q")
    sheets = openpyxl.load_workbook(book)
    assert sheets.sheetnames[-3:] == ["hold", "hands and cards", "rates"]
    rows = list(csv.DictReader(lines.read_text("utf-8").splitlines()))
    assert len(rows) == sheets["hold"].max_row - 1 == 2 * (1 + 2 + 2 + 2)
    assert {row["table"] for row in rows} == {"", "S1", "'=S2"}
    cell = sheets["hold"].cell(2, 10)
    assert cell.value == int(rows[0]["handle"]) / 100


def test_without_a_submission_a_wager_with_several_tables_has_no_theory(log: str) -> None:
    found = run("hold", log, "-o", "json", "-q").results["statistics"]
    told = {wager["wager"]: wager for wager in found["wagers"]}
    assert told["ante"]["house-advantage"] == "686689/20358520"
    assert told["pair-xxx"]["house-advantage"] is None
    assert "4 ways" in told["pair-xxx"]["why"]
    assert all(row["p"] is None and row["handle"] for row in found["hold"] if row["wager"] == "pair-xxx")


@pytest.mark.parametrize("game", ["s38", "co-rule10-3card-shine"])
def test_rounds_of_every_game_have_statistics(game: str, tmp_path: Path) -> None:
    log, filed = str(tmp_path / "log.jsonl"), str(tmp_path / "submission.yaml")
    run("simulate", game, "--rounds", "40", "--seed", "1", "-o", log, "--write-submission", filed)
    told = run("hold", log, "-s", filed, "-o", "json", "-q")
    assert told.code == 0, told.err
    found = told.results["statistics"]
    assert found["hold"]
    for wager in found["wagers"]:
        assert (wager["house-advantage"] is None) == (wager["why"] is not None)


def test_poker_has_a_rake_and_no_theory() -> None:
    demo = rules_folder() / "poker-room" / "demo"
    told = run("hold", *(str(path) for path in sorted(demo.glob("*.jsonl"))), "-o", "json", "-q")
    found = told.results["statistics"]
    assert told.code == 0
    assert not found["hold"]
    assert found["rake"]
    for rake in found["rake"]:
        assert 0 <= rake["raked"] <= rake["pots"]


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "{}",
        '{"round":"1","table":"S1","game":"co-rule10-3card-shine"}',
        '{"round":"1","table":"S1","game":"co-rule10-3card-shine","seats":[{"seat":1,"wagers":[{"wager":"ante","amount":0}]}]}',
        '{"round":"1","table":"S1","game":"co-rule10-3card-shine","time":"2026-03-02T00:00:00Z","context":{"dealer":7},'
        '"seats":[{"seat":1,"cards":"??????","wagers":[{"wager":"ante","amount":1000000000000,"paid":1000000000000,'
        '"taken":1000000000000},{"wager":"none","amount":5}]}]}',
    ],
)
def test_odd_logs_are_no_reason_to_stop(odd: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(odd + "\n", "utf-8")
    for form in ("text", "json", "csv", "html"):
        told = run("hold", str(path), "-o", form, "-q")
        assert told.code in (0, 3), told.err
        assert "internal error" not in told.err
