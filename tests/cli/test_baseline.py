"""Runs compared with an earlier one: findings that are new, known or gone, wherever they are in a file."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fairdeal.validator.results import derived_results
from fairdeal.validator.results.derived_results import compare_with_baseline
from tests.facade.commands import Finished, run
from tests.facade.demo import DEMO, Record, comply, demo_lines, to_log
from tests.facade.reports import read_json
from tests.facade.results import Results, Waiver


def _readable(line: str | bytes) -> Record | None:
    try:
        found: Record = json.loads(line)
    except ValueError:
        return None
    return found


ROUNDS = [record for line in demo_lines()[:44] if (record := _readable(line)) is not None][:40]
OLD = Path(__file__).resolve().parents[1] / "reports" / "version-1" / "audit.json"


def audit_to(name: str, rounds: list[Record], *options: str | Path) -> Finished:
    Path("log.jsonl").write_bytes(to_log(rounds))
    return run("audit", "log.jsonl", "-j", "1", "-o", f"json:{name}", *options)


def read(name: str) -> Any:
    return json.loads(Path(name).read_text())


def states(name: str) -> Counter[str]:
    return Counter(finding["state"] for finding in read(name)["findings"])


def ids(name: str) -> set[str]:
    return {finding["id"] for finding in read(name)["findings"]}


def test_what_is_the_same_is_known() -> None:
    audit_to("before.json", ROUNDS)
    assert audit_to("now.json", ROUNDS, "--baseline", "before.json").code == 1
    now = read("now.json")
    assert states("now.json") == {"known": len(now["findings"])}
    assert (now["baseline"]["gone"], now["baseline"]["gone-found"], now["baseline"]["set-aside"]) == ([], 0, 0)
    assert audit_to("again.json", ROUNDS, "--baseline", "now.json", "--fail-on", "new").code == 0
    assert read("again.json")["findings"] == now["findings"]


def test_findings_are_known_wherever_they_stand() -> None:
    audit_to("before.json", ROUNDS)
    others = [{**round_, "round": f"other-{round_['round']}"} for round_ in ROUNDS if round_["round"] == "hand-01"]
    Path("moved.jsonl").write_bytes(b"\n\n" + to_log([*others, *ROUNDS]))
    run("audit", "moved.jsonl", "-j", "1", "-o", "json:now.json", "--baseline", "before.json")
    assert {
        finding["where"]["line"] for finding in read("now.json")["findings"] if finding["where"]["round"] == "hand-16"
    } == {19}
    assert ids("before.json") <= ids("now.json")
    assert read("now.json")["baseline"]["gone-found"] == 0
    assert states("now.json")["known"] == len(ids("before.json"))


@pytest.mark.parametrize(("before", "now"), [(20, 40), (40, 20), (14, 30)])
def test_new_known_and_gone_are_what_sets_say(before: int, now: int) -> None:
    audit_to("before.json", ROUNDS[:before])
    audit_to("now.json", ROUNDS[:now], "--baseline", "before.json")
    assert states("now.json") == Counter(
        {
            name: count
            for name, count in (
                ("new", len(ids("now.json") - ids("before.json"))),
                ("known", len(ids("now.json") & ids("before.json"))),
            )
            if count
        }
    )
    gone = read("now.json")["baseline"]
    assert {finding["id"] for finding in gone["gone"]} == ids("before.json") - ids("now.json")
    assert gone["gone-found"] == len(gone["gone"])


def test_a_round_of_another_casino_is_another() -> None:
    audit_to("before.json", ROUNDS)
    elsewhere = [{**round_, "casino": "Another House"} for round_ in ROUNDS]
    audit_to("now.json", elsewhere, "--baseline", "before.json")
    of_rounds = [finding for finding in read("now.json")["findings"] if finding["status"] == "fail"]
    assert {finding["state"] for finding in of_rounds} == {"new"}


def test_only_what_is_asked_for_counts() -> None:
    clean = [round_ for round_ in ROUNDS if round_["round"] in {"hand-01", "hand-02"}]
    wrong = [*clean, *(round_ for round_ in ROUNDS if round_["round"] == "hand-22")]  # major
    Path("house.yaml").write_text(comply())
    house = ("-s", "house.yaml")
    audit_to("clean.json", clean, *house)
    audit_to("wrong.json", wrong, *house)
    for options, code in (
        ((), 1),
        (("--fail-on", "minor"), 1),
        (("--fail-on", "major"), 1),
        (("--fail-on", "critical"), 0),
        (("--baseline", "clean.json", "--fail-on", "new"), 1),
        (("--baseline", "wrong.json", "--fail-on", "new"), 0),
        (("--baseline", "clean.json", "--fail-on", "new", "--fail-on", "critical"), 0),
        (("--baseline", "clean.json", "--fail-on", "new", "--fail-on", "major"), 1),
        (("--baseline", "wrong.json"), 1),
    ):
        assert audit_to("out.json", wrong, *house, *options).code == code, options
    assert read("out.json")["verdict"] == "violations"
    assert audit_to("out.json", wrong, *house, "--fail-on", "new").code == 2


def test_what_is_newly_left_open_or_set_aside_leaves_a_run_inconclusive() -> None:
    Path("house.yaml").write_text(comply())
    clean = [round_ for round_ in ROUNDS if round_["round"] in {"hand-01", "hand-02"}]
    audit_to("clean.json", clean, "-s", "house.yaml")
    new = ("-s", "house.yaml", "--baseline", "clean.json", "--fail-on", "new")
    untold = copy.deepcopy(clean)
    del untold[0]["events"]
    assert audit_to("out.json", untold, *new).code == 4
    assert audit_to("out.json", untold, *new, "--allow-unproven").code == 0
    broken: list[Record] = [*clean, {**clean[0], "round": "another", "seats": 5}]
    assert audit_to("broken.json", broken, *new).code == 4
    assert read("broken.json")["baseline"]["set-aside"] == 1
    known = ("-s", "house.yaml", "--baseline", "broken.json", "--fail-on", "new")
    assert audit_to("out.json", broken, *known).code == 0
    assert audit_to("out.json", [*broken, {**broken[-1], "round": "one more"}], *known).code == 4


def test_a_waiver_that_lapsed_makes_a_finding_new() -> None:
    audit_to("before.json", ROUNDS)
    before = read_json("before.json")
    waived = _waive_failures(before)
    held = compare_with_baseline(before, waived, file="before.json", sha256="")
    lapsed = [finding for finding, then in zip(held.findings, waived.findings, strict=True) if then.waived is not None]
    assert lapsed
    assert all(finding.state == "new" for finding in lapsed)
    assert Counter(finding.state for finding in compare_with_baseline(waived, before, file="", sha256="").findings) == {
        "known": len(before.findings)
    }


def _waive_failures(results: Results) -> Results:
    waiver = Waiver(regulator="R", by="P", granted="2026-01-01", file="w.yaml")
    return replace(
        results,
        findings=tuple(
            replace(finding, waived=waiver) if finding.status == "fail" else finding for finding in results.findings
        ),
    )


def test_files_of_the_first_version_are_held_against_by_what_they_tell() -> None:
    Path("old.json").write_bytes(OLD.read_bytes())
    Path("older.json").write_bytes(OLD.read_bytes())
    same = run("compare", "old.json", "older.json")
    assert same.code == 0
    assert f"findings: 0 new, {len(read('old.json')['findings'])} known, 0 no longer found" in same.text
    audit_to("now.json", ROUNDS)
    now = read_json("now.json")
    untold = [replace(finding, id="", where=replace(finding.where, casino=None, time=None)) for finding in now.findings]
    held = compare_with_baseline(now, replace(now, findings=untold), file="old.json", sha256="")
    assert Counter(finding.state for finding in held.findings) == {"known": len(untold)}


@pytest.mark.parametrize("ids_in_memory", [1, 7])
def test_identifiers_are_compared_in_parts(ids_in_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results may have more findings than memory holds; the parts change nothing."""
    audit_to("before.json", ROUNDS[:25])
    audit_to("now.json", ROUNDS[10:])
    altered = read("now.json")
    for finding in altered["findings"][::3]:
        finding["observed"] += "x"
    Path("now.json").write_text(json.dumps(altered))
    whole = [run("compare", "before.json", "now.json", "-o", form) for form in ("json", "text")]
    compared = run("compare", "before.json", "now.json")
    assert "changed: " in compared.text
    monkeypatch.setattr(derived_results, "IDS_IN_MEMORY", ids_in_memory)
    assert [run("compare", "before.json", "now.json", "-o", form) for form in ("json", "text")] == whole
    assert run("compare", "before.json", "now.json") == compared
    differences = run("verify", "now.json", "log.jsonl")
    count = len(altered["findings"][::3])
    assert (differences.code, differences.text.count("`observed` of a finding is")) == (1, count)


def test_compare_tells_what_differs() -> None:
    audit_to("before.json", ROUNDS[:15])
    audit_to("now.json", ROUNDS[:30])
    other = run("compare", "before.json", "now.json")
    assert other.code == 1
    assert "co-rule10-3card-shine/dealer-not-qualified: pass -> fail" in other.text
    assert "new: " in other.text
    back = run("compare", "now.json", "before.json")
    assert back.code == 0
    assert "no longer found: " in back.text
    assert "co-rule10-3card-shine/dealer-not-qualified: fail -> pass" in back.text
    assert run("compare", "before.json", "now.json", "-o", "json:held.json").code == 1
    audit_to("held-at-once.json", ROUNDS[:30], "--baseline", "before.json")
    assert read("held.json")["findings"] == read("held-at-once.json")["findings"]


def test_an_altered_amount_is_a_change_of_a_known_finding() -> None:
    audit_to("before.json", ROUNDS)
    more = copy.deepcopy(ROUNDS)
    round_ = next(finding for finding in more if finding["round"] == "hand-16")
    paid = next(event for event in round_["events"] if event["event"] == "pay" and event["wager"] == "play")
    round_["seats"][0]["wagers"][1]["paid"] = paid["amount"] = 2500
    audit_to("now.json", more)
    said = run("compare", "before.json", "now.json")
    assert said.code == 0
    assert "known (1 changed), 0 no longer found" in said.text
    assert "25.00 was paid. The player was overpaid 25.00." in said.text


def test_the_demo_held_against_itself() -> None:
    command = ("audit", DEMO / "hand-log.jsonl", "-s", DEMO / "submission.yaml", "-j", "1", "-o")
    run(*command, "json:before.json")
    assert run(*command, "json:now.json", "--baseline", "before.json", "--fail-on", "new").code == 0
