"""Saved results with contradictory parts are refused, and the message names the contradiction."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.facade.commands import run
from tests.facade.demo import comply, demo_lines, demo_submission, grant_waiver, to_log
from tests.facade.reports import read_json, write_json
from tests.facade.text import InputError
from tests.reports import sample

Results = dict[str, Any]


def save_results() -> Results:
    stream = io.BytesIO()
    write_json(sample.RESULTS, stream)
    found: Results = json.loads(stream.getvalue())
    return found


def read(results: Results) -> object:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "saved.json"
        path.write_text(json.dumps(results), "utf-8")
        return read_json(str(path))


def refusals(results: Results) -> str:
    with pytest.raises(InputError) as refused:
        read(results)
    return "\n".join(diagnostic.message for diagnostic in refused.value.diagnostics)


def requirement(results: Results, name: str) -> Results:
    found: Results = next(requirement for requirement in results["requirements"] if requirement["requirement"] == name)
    return found


def finding(results: Results, name: str) -> Results:
    found: Results = next(finding for finding in results["findings"] if finding["requirement"] == name)
    return found


def _verdict(results: Results) -> None:
    results["verdict"] = "compliant"


def _totals(results: Results) -> None:
    results["totals"]["severity"]["critical"] -= 1


def _status(results: Results) -> None:
    requirement(results, "settled-in-full")["status"] = "pass"
    results["totals"]["requirements"]["fail"] -= 1
    results["totals"]["requirements"]["pass"] += 1


def _count(results: Results) -> None:
    requirement(results, "settled-in-full")["totals"] |= {"fail": 2, "pass": 12_451}


def _more(results: Results) -> None:
    requirement(results, "settled-in-full")["totals"] |= {"fail": 4, "pass": 12_449}


def _gap(results: Results) -> None:
    finding(results, "cut-before-deal")["count"] = 26


def _rounds(results: Results) -> None:
    requirement(results, "dealer-draws-last")["totals"]["pass"] += 1


def _finding_gone(results: Results) -> None:
    results["findings"].remove(finding(results, "legend-in-each-area"))
    results["totals"]["findings"]["fail"] -= 1
    results["totals"]["severity"]["major"] -= 1


def _finding_moved(results: Results) -> None:
    finding(results, "legend-in-each-area")["requirement"] = "another"


def _waived(results: Results) -> None:
    finding(results, "legend-in-each-area")["waived"] = finding(results, "meter-displayed")["waived"]
    results["totals"]["waived"] += 1


def _waived_whole(results: Results) -> None:
    _waived(results)
    requirement(results, "legend-in-each-area")["waived"] = requirement(results, "meter-displayed")["waived"]


def _waived_by_no_file(results: Results) -> None:
    results["provenance"]["inputs"] = results["provenance"]["inputs"][:2]


def _quarantined(results: Results) -> None:
    results["quarantined"] = []


def _set_aside(results: Results) -> None:
    results["provenance"]["inputs"][1] |= {"quarantined": 0, "checked": 12_482}


def _read(results: Results) -> None:
    results["provenance"]["inputs"][1]["read"] += 1


def _owed(results: Results) -> None:
    finding(results, "settled-in-full")["owed"] = 1


def _money(results: Results) -> None:
    results["money"]["owed"] = results["money"]["overpaid"] = 0


def _baseline(results: Results) -> None:
    results["baseline"] = None


def _gone(results: Results) -> None:
    results["baseline"]["gone-found"] = 0


def _mark(results: Results) -> None:
    results["layouts"][0]["marks"][0]["requirement"] = "settled-in-full"
    results["layouts"][0]["marks"][0]["status"] = "error"


ALTERED: dict[Callable[[Results], None], str] = {
    _verdict: "`verdict` is compliant, but requirements and quarantined records give violations",
    _totals: "the totals do not add up to the findings and requirements listed",
    _status: "settled-in-full is pass, but its totals give fail",
    _count: "settled-in-full is fail 2 times by its totals, which its findings do not add up to",
    _more: "settled-in-full is fail 4 times by its totals, which its findings do not add up to",
    _gap: "cut-before-deal is not-evidenced 27 times by its totals, which its findings do not add up to",
    _rounds: "requirements of xx-rule7-harbour-draw were checked against different numbers of records: [12480, 12481]",
    _finding_gone: "legend-in-each-area is fail 1 times by its totals, and in 0 findings",
    _finding_moved: "there are findings of another, which is not a requirement of these results",
    _waived: "legend-in-each-area is marked as not waived, but 1 of its 1 failures are waived",
    _waived_by_no_file: (
        "meter-displayed is waived by waivers/26-114.yaml, which is not a file of waivers among the inputs"
    ),
    _quarantined: "0 quarantined records are listed, but the inputs count 2",
    _set_aside: "2 quarantined records are listed, but the inputs count 0",
    _read: "the records read from logs/2026-03.jsonl are not the sum of those checked, quarantined and repeated",
    _owed: "`money` is 3 findings, 2500 owed and 2500 overpaid; those listed are 3, 1501 and 2500",
    _money: "`money` is 3 findings, 0 owed and 0 overpaid; those listed are 3, 2500 and 2500",
    _baseline: "findings must be new or known if there is a baseline, and only then",
    _gone: "more findings are listed as gone than are counted",
    _mark: "a layout is marked for settled-in-full (error), which has no finding",
}


@pytest.mark.parametrize("alter", ALTERED, ids=lambda alter: alter.__name__)
def test_what_disagrees_is_said(alter: Callable[[Results], None]) -> None:
    results = save_results()
    alter(results)
    assert ALTERED[alter] in refusals(results)


def test_results_as_they_were_saved_agree() -> None:
    results = save_results()
    assert read(results) == sample.RESULTS


def test_what_is_altered_everywhere_alike_is_not_seen_here() -> None:
    """The reader has no evidence: a finding whose texts are altered still agrees with the counts."""
    results = save_results()
    finding(results, "settled-in-full")["observed"] = "paid $39.99, $0.01 under"
    _waived_whole(results)
    read(results)


def test_report_refuses_results_whose_verdict_was_altered(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("forged")
    for name, text in (
        ("house.yaml", demo_submission()),
        ("waivers.yaml", grant_waiver("(8)")),
        ("plain.yaml", comply()),
    ):
        (place / name).write_text(text)
    (place / "log.jsonl").write_bytes(to_log(demo_lines()))
    house = ("-s", place / "house.yaml", "-s", place / "plain.yaml", "--waivers", place / "waivers.yaml")
    log = place / "log.jsonl"
    for options in ((log,), (log, *house), (log, *house, "--as-of", "2026-03-02"), (log, "-s", place / "plain.yaml")):
        made = run("audit", *options, "-o", "json")
        assert run("report", "-", "-o", "json", stdin=made.out).out == made.out
        forged = made.out.replace(b'"verdict": "violations"', b'"verdict": "compliant"')
        assert forged != made.out
        refused = run("report", "-", "-o", "text", stdin=forged)
        assert refused.code == 3
        assert refused.out == b""
        assert "`verdict` is compliant, but requirements and quarantined records give violations" in refused.err
