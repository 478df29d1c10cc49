"""Odds that a submission states: `check`, `audit` and `odds` find wrong ones where they are stated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator.evidence.submission_reader import parse_submission
from fairdeal.validator.odds import odds_reports
from fairdeal.validator.odds.odds_figures import DocumentOdds, WagerOdds
from fairdeal.validator.odds.odds_reports import check_stated_figures
from fairdeal.validator.text.document_loader import load_document
from fairdeal.validator.text.source import read_source
from tests.facade.commands import run

DEMO = Path(__file__).parents[2] / "rules_data" / "co-rule10-3card-shine" / "demo"
RIGHT = (
    "[{wager: ante, house-advantage: 3.37%, element-of-risk: 2.0147%}, {wager: super-6, house-advantage: 12816/149695}]"
)
ID = "co-rule10-3card-shine/stated-odds"


def stating(folder: Path, odds: str) -> Path:
    """Return the demo's submission, with these stated odds."""
    path = folder / "stated.yaml"
    path.write_text((DEMO / "submission.yaml").read_text() + f"stated-odds: {odds}\n")
    return path


def outcome(results: dict[str, object]) -> list[dict[str, object]]:
    """Return the outcome of the requirement, without findings if there are none."""
    return [requirement for requirement in results["requirements"] if requirement["requirement"] == ID]  # type: ignore[attr-defined]


def test_right_figures_are_a_requirement_that_passes(tmp_path: Path) -> None:
    results = run("check", stating(tmp_path, RIGHT), "-o", "json").results
    (one,) = outcome(results)
    assert (one["status"], one["clauses"], one["evidence"]) == ("pass", [], "submission")


def test_a_submission_that_states_no_odds_is_held_against_none(tmp_path: Path) -> None:
    assert outcome(run("check", DEMO / "submission.yaml", "-o", "json").results) == []
    assert outcome(run("check", stating(tmp_path, "[]"), "-o", "json").results) == []


def test_a_wrong_figure_is_a_finding_at_its_place(tmp_path: Path) -> None:
    path = stating(tmp_path, RIGHT.replace("3.37%", "3.38%").replace("12816", "12817"))
    found = run("check", path, "-o", "json")
    assert found.code == 1
    wrong = [finding for finding in found.results["findings"] if finding["requirement"] == ID]
    assert [problem["where"]["pointer"] for problem in wrong] == [
        "/stated-odds/0/house-advantage",
        "/stated-odds/1/house-advantage",
    ]
    line = path.read_text().splitlines()[wrong[0]["where"]["line"] - 1]
    assert line[wrong[0]["where"]["column"] - 1 :].startswith("3.38%")
    assert wrong[0]["expected"] == "Ante: 3.3730 % (686689/20358520)"
    assert wrong[0]["observed"] == "3.38% as the house advantage of ante"


def test_an_audit_judges_what_the_submission_states(tmp_path: Path) -> None:
    path = stating(tmp_path, RIGHT.replace("3.37%", "3.38%"))
    results = run("audit", DEMO / "hand-log.jsonl", "-s", path, "-o", "json").results
    assert outcome(results)[0]["status"] == "fail"


def test_odds_are_worked_out_once_where_rounds_come_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []
    worked_out = odds_reports.work_out_stated_odds

    def count_call(*given: Any) -> DocumentOdds:
        times.append("once")
        return worked_out(*given)

    monkeypatch.setattr(odds_reports, "work_out_stated_odds", count_call)
    log, house = DEMO / "hand-log.jsonl", stating(tmp_path, RIGHT)
    again = shutil.copy(log, tmp_path / "again.jsonl")
    results = run("audit", log, again, "-s", house, "-j", "1", "-o", "json").results
    assert sum(source["repeated"] for source in results["provenance"]["inputs"])
    assert times == ["once"]


def test_results_with_it_are_verified_against_their_inputs(tmp_path: Path) -> None:
    path = stating(tmp_path, RIGHT.replace("3.37%", "3.38%"))
    saved = tmp_path / "results.json"
    run("check", path, "-o", f"json:{saved}")
    assert run("verify", saved, path).code == 0


def test_what_has_no_odds_of_its_own_is_not_evidenced(tmp_path: Path) -> None:
    results = run("check", stating(tmp_path, "[{wager: play, house-advantage: 1%}]"), "-o", "json").results
    (one,) = outcome(results)
    assert one["status"] == "not-evidenced"
    (finding,) = [each for each in results["findings"] if each["requirement"] == ID]
    assert "counted with another wager" in finding["expected"]


ROWS = (
    "[{hand: straight-flush, odds: 40 to 1}, {hand: three-of-a-kind, odds: 30 to 1}, {hand: straight, odds: 6 to 1}, "
    "{hand: flush, odds: 3 to 1}, {hand: pair, odds: 1 to 1}]"
)
"""Table D of Pair XXX."""


def posting(folder: Path, tables: list[str], figure: str) -> Path:
    """Return a submission with these tables for Pair XXX, each by its rows, and the odds it states of it."""
    posted = "".join(f"- {{pays: pair-xxx, rows: {rows}}}\n" for rows in tables)
    path = folder / "posting.yaml"
    path.write_text(
        "submission: one\nlicensee: {name: One, license: ONE-1}\ndocument: co-rule10-3card-shine\n"
        "effective: 2026-02-01\nwagers: [{wager: ante}, {wager: play}, {wager: pair-xxx}]\n"
        + (f"pay-tables:\n{posted}" if tables else "")
        + f"stated-odds: [{{wager: pair-xxx, house-advantage: {figure}}}]\n"
    )
    return path


@pytest.mark.parametrize(
    ("tables", "figure", "status"),
    [
        ([ROWS] * 2, "7.2760%", "pass"),
        ([ROWS, ROWS.replace("40 to 1", "1 to 1")], "7.2760%", "fail"),
        # Beyond what is enumerated.
        ([ROWS] * 64, "7.2760%", "pass"),
        ([ROWS] * 69 + [ROWS.replace("40 to 1", "1 to 1")], "7.2760%", "not-evidenced"),
        ([ROWS.replace("40 to 1", "1 to 1")] + [ROWS] * 69, "7.2760%", "fail"),
        # The submission does not state which printed table applies: 2.3167 % is that of table A.
        ([], "2.3167%", "not-evidenced"),
        ([], "2.4%", "fail"),
    ],
)
def test_a_figure_is_right_in_every_way_to_offer_the_wager_or_not_known(
    tmp_path: Path, tables: list[str], figure: str, status: str
) -> None:
    (one,) = outcome(run("check", posting(tmp_path, tables, figure), "-o", "json").results)
    assert one["status"] == status


def test_a_waiver_that_the_casino_claims_does_not_lift_it(tmp_path: Path) -> None:
    # The demo claims one for clause (8).
    results = run("check", stating(tmp_path, RIGHT.replace("3.37%", "4%")), "-o", "json").results
    (finding,) = [each for each in results["findings"] if each["requirement"] == ID]
    assert finding["claimed"] is None
    assert finding["waived"] is None


@pytest.mark.parametrize("form", ["text", "html", "sarif", "junit", "github", "gitlab", "csv", "markdown", "concise"])
def test_every_report_tells_it_without_a_clause(tmp_path: Path, form: str) -> None:
    found = run("check", stating(tmp_path, RIGHT.replace("3.37%", "3.38%")), "-o", form)
    assert found.code == 1
    text = found.out.decode()
    assert "3.38%" in text
    assert not any(line.strip().lower() == "clauses:" for line in text.splitlines())


@pytest.mark.parametrize(("stated", "holds"), [("3.0%", None), ("2.1%", None), ("1.9%", False), ("4.1%", False)])
def test_simulated_rounds_prove_no_figure_right_and_only_far_ones_wrong(
    tmp_path: Path, stated: str, holds: bool | None
) -> None:
    path = stating(tmp_path, f"[{{wager: ante, house-advantage: {stated}}}]")
    submission = parse_submission(load_document(read_source(str(path))))
    row = WagerOdds(
        wager="ante",
        pay_table=None,
        title="Ante",
        with_=(),
        beside=(),
        options={},
        exact=False,
        house_advantage="3/100",
        element_of_risk=None,
        standard_deviation=1.0,
        interval=(0.025, 0.035),
        deals=None,
        by_meter=None,
        strategy=(),
        outcomes=(),
    )
    (one,) = check_stated_figures(submission, DocumentOdds(document="", title="", wagers=(row,)))
    assert one.holds is holds
    assert (one.why is None) is (holds is not None)


def test_a_document_cannot_have_a_requirement_of_that_name(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    shutil.copytree(DEMO.parents[1], rules)
    path = next(path for path in (rules / "co-rule8-burnout" / "requirements").iterdir())
    path.write_text(path.read_text().replace("requirement: layout-of-the-game", "requirement: stated-odds", 1))
    found = run("rules", "check", "co-rule8-burnout", "--rules", rules)
    assert found.code != 0
    assert "use another name" in found.err + found.out.decode()


def test_rules_show_tells_what_it_asks() -> None:
    """A finding's id can be looked up, also where it has no clause."""
    found = run("rules", "show", ID).out.decode()
    assert found.startswith(f"own word of submissions {ID}\n")
    assert "clauses" not in found
    assert "Stated odds match the odds of the submitted game" in found
    assert run("rules", "show", "co-rule8-burnout/stated-odds").code == 2


def test_who_states_no_odds_waits_for_none() -> None:
    """The modules that compute odds are not imported."""
    program = f"""
import sys
from fairdeal.cli.main import main

try:
    main(["check", {str(DEMO / "submission.yaml")!r}, "-q"])
except SystemExit as ended:
    assert ended.code == 1, ended.code  # the demo is not without faults
assert not [name for name in sys.modules if name.startswith("fairdeal.validator.odds")]
"""
    subprocess.run([sys.executable, "-c", program], check=True)
