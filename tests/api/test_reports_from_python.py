"""Reports, saved results, tables, explanations, statistics and simulations from Python are those of the commands."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest

import fairdeal
from fairdeal.api import FORMATS_BY_ENDING, PROGRAM
from tests.facade.commands import run
from tests.facade.demo import GAME, comply, demo_lines, to_log

Rulebook = fairdeal.Rulebook
Results = fairdeal.Results


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return fairdeal.load_rulebook()


@pytest.fixture(autouse=True)
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a submission and a log that can be read whole."""
    monkeypatch.chdir(tmp_path)
    Path("submission.yaml").write_text(comply())
    Path("night.jsonl").write_bytes(to_log(demo_lines()[:24] + demo_lines()[26:]))


@pytest.fixture
def results(rulebook: Rulebook) -> Results:
    return fairdeal.audit(rulebook, "night.jsonl", submissions=["submission.yaml"], generated="2026-03-02T00:00:00Z")


@pytest.mark.parametrize("ending", ["json", "html", "csv", "md", "sarif", "xml", "txt"])
def test_a_file_has_the_bytes_of_the_command(results: Results, ending: str) -> None:
    fairdeal.write_results(results, f"report.{ending}")
    fairdeal.write_results(results, "saved.json")
    made = run("report", "saved.json", "-o", f"{FORMATS_BY_ENDING['.' + ending]}:other.{ending}")
    assert made.code in (0, 1, 4), made.err
    assert Path(f"report.{ending}").read_bytes() == Path(f"other.{ending}").read_bytes()
    assert Path(f"report.{ending}").stat().st_size > 200


def test_a_format_is_named_or_shown_by_the_ending(results: Results) -> None:
    fairdeal.write_results(results, "letter", output="letter")
    assert Path("letter").read_text("utf-8").startswith("<!")
    with pytest.raises(ValueError, match="name one of text, json"):
        fairdeal.write_results(results, "report.doc")
    with pytest.raises(ValueError, match="'pdf' shows no format"):
        fairdeal.write_results(results, "report.html", output="pdf")
    assert not Path("report.html").exists()


def test_saved_results_are_loaded_again(results: Results) -> None:
    fairdeal.write_results(results, "saved.json")
    loaded = fairdeal.load_results("saved.json")
    assert list(loaded.findings) == list(results.findings)
    assert loaded.provenance.program == PROGRAM
    text = Path("saved.json").read_text("utf-8")
    Path("saved.json").write_text(text.replace('"verdict": "violations"', '"verdict": "compliant"'), "utf-8")
    with pytest.raises(fairdeal.InputError):
        fairdeal.load_results("saved.json")


def test_findings_as_an_arrow_table_are_the_rows_of_csv(results: Results) -> None:
    table = fairdeal.findings_table(results)
    fairdeal.write_results(results, "findings.csv")
    rows = list(csv.DictReader(io.StringIO(Path("findings.csv").read_text("utf-8-sig"))))
    assert table.num_rows == len(rows) == len(list(results.findings)) > 5
    assert table.column_names == list(rows[0])
    assert table.schema.field("owed").type == pa.int64()
    assert table["id"].to_pylist() == [row["id"] for row in rows]
    owed = [None if row["owed"] == "" else int(row["owed"]) for row in rows]
    assert table["owed"].to_pylist() == owed


def test_a_compliant_run_gives_an_empty_table_with_its_columns(rulebook: Rulebook) -> None:
    table = fairdeal.findings_table(fairdeal.check(rulebook, "submission.yaml"))
    assert (table.num_rows, "owed" in table.column_names) == (0, True)


def test_a_round_is_explained_as_by_the_command(rulebook: Rulebook) -> None:
    name = json.loads(Path("night.jsonl").read_text().splitlines()[2])["round"]
    explained = fairdeal.explain(rulebook, "night.jsonl", name, submissions=["submission.yaml"])
    command = run("explain", "night.jsonl", "--round", name, "--submission", "submission.yaml", "--all").text
    for chapter in explained.chapters:
        assert chapter.title in command
    with pytest.raises(fairdeal.InputError, match="no readable round"):
        fairdeal.explain(rulebook, "night.jsonl", "nobody")


def test_statistics_and_simulations_are_those_of_the_commands(rulebook: Rulebook) -> None:
    fairdeal.simulate(rulebook, GAME, "played.jsonl", rounds=300, seed=3)
    assert run("simulate", GAME, "--rounds", "300", "--seed", "3", "-j", "1", "-o", "other.jsonl").code == 0
    assert Path("played.jsonl").read_bytes() == Path("other.jsonl").read_bytes()
    statistics = fairdeal.hold(rulebook, "played.jsonl")
    by_command = json.loads(run("hold", "played.jsonl", "-o", "json", "-q").text)["statistics"]
    assert [hold.win for hold in statistics.hold] == [hold["win"] for hold in by_command["hold"]]
    assert statistics.level == by_command["level"]


def test_odds_are_those_of_the_command(rulebook: Rulebook) -> None:
    """The submission chooses between pay tables; its figures are fractions."""
    found = fairdeal.odds(rulebook, GAME, submission="submission.yaml", wager="pair-xxx")
    by_command = json.loads(run("odds", GAME, "-s", "submission.yaml", "--wager", "pair-xxx", "-o", "json").text)
    assert [odds.house_advantage for odds in found.wagers] == [odds["house-advantage"] for odds in by_command["wagers"]]
    with pytest.raises(fairdeal.InputError, match="has no wager `pair`"):
        fairdeal.odds(rulebook, GAME, wager="pair")
    with pytest.raises(fairdeal.InputError, match="not for `caribbean-draw`"):
        fairdeal.odds(rulebook, "caribbean-draw", submission="submission.yaml")
