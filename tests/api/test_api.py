"""The documented functions, used as the README shows; they find what the command line finds."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

import fairdeal.api
from fairdeal import api
from tests.cli.helpers import drop_places
from tests.facade.commands import ROOT, run
from tests.facade.demo import GAME, comply, demo_lines, demo_round, demo_submission, to_log
from tests.facade.evidence import decode_lines, to_table
from tests.facade.reports import parse_json, split_data, write_json
from tests.facade.results import Evidence, FindingState
from tests.facade.rules import Rulebook

PROFILE = f"profile: own\ntitle: Own\nchoices:\n- {{document: {GAME}, reading: pair-xxx-after-fold, is: by-table}}\n"


@pytest.fixture(scope="session")
def rulebook() -> Rulebook:
    return api.load_rulebook()


@pytest.fixture(autouse=True)
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the demo: its submission, and its log without the two broken lines."""
    monkeypatch.chdir(tmp_path)
    Path("submission.yaml").write_text(demo_submission())
    Path("plain.yaml").write_text(comply())
    Path("night.jsonl").write_bytes(to_log(demo_lines()[:24] + demo_lines()[26:]))


def to_table_of(log: bytes) -> pa.Table:
    """Return a log in JSON Lines as an Arrow table, written by fairdeal."""
    (batch,) = decode_lines(log, file="night.jsonl", first_line=1, known_games={GAME}).batches
    return to_table(batch)


def run_command(*arguments: str) -> Any:
    """Run a command and return its results as it saves them."""
    return parse_json(split_data(run(*arguments, "-o", "json").out))


def assert_same_findings(one: api.Results, other: api.Results) -> None:
    """Assert that two runs found the same, whatever program they name."""
    assert list(one.findings) == list(other.findings)
    assert (one.verdict, one.requirements, one.readings) == (other.verdict, other.requirements, other.readings)
    assert (one.quarantined, one.layouts, one.provenance.inputs) == (
        other.quarantined,
        other.layouts,
        other.provenance.inputs,
    )
    assert one.provenance.rulebook_sha256 == other.provenance.rulebook_sha256


def test_the_example_of_the_readme_runs() -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("\n## From Python\n")[2].partition("\n## ")[0]
    code = "\n".join(line.removeprefix("    ") for line in section.splitlines())
    names: dict[str, Any] = {"table": to_table_of(Path("night.jsonl").read_bytes())}
    exec(code, names)
    assert {finding.where.round for finding in names["results"].findings} >= {"hand-15", "hand-16", None}


def test_every_documented_name_is_there() -> None:
    assert set(fairdeal.api.__all__) <= set(vars(fairdeal.api))
    assert all(getattr(api, name).__doc__ for name in api.__all__)


def test_check_finds_what_the_command_finds(rulebook: Rulebook) -> None:
    results = api.check(rulebook, "submission.yaml")
    assert results.verdict is api.Verdict.VIOLATIONS
    assert_same_findings(results, run_command("check", "submission.yaml"))
    failed = [
        (finding.requirement, finding.where.line) for finding in results.findings if finding.status is api.Status.FAIL
    ]
    assert (f"{GAME}/limits-posted", 19) in failed


def test_a_submission_may_be_a_mapping_or_text_and_findings_are_compared_with_earlier_ones(
    rulebook: Rulebook, tmp_path: Path
) -> None:
    text = demo_submission()
    of_file = api.check(rulebook, "submission.yaml")
    for given in (text, yaml.safe_load(text)):
        found = api.check(rulebook, given)
        assert [(f.requirement, f.observed) for f in found.findings] == [
            (f.requirement, f.observed) for f in of_file.findings
        ]
    api.write_results(of_file, tmp_path / "first.json")
    again = api.check(rulebook, "submission.yaml", baseline=tmp_path / "first.json")
    assert {finding.state for finding in again.findings} == {FindingState.KNOWN}


def test_several_submissions_are_checked_together(rulebook: Rulebook) -> None:
    results = api.check(rulebook, "plain.yaml", Path("submission.yaml"), as_of=date(2026, 3, 1))
    assert_same_findings(results, run_command("check", "plain.yaml", "submission.yaml", "--as-of", "2026-03-01"))
    assert results.provenance.as_of == "2026-03-01"
    assert [source.file for source in results.provenance.inputs] == ["plain.yaml", "submission.yaml"]


@pytest.mark.parametrize("submissions", [[], ["submission.yaml"], ["plain.yaml", "submission.yaml"]])
@pytest.mark.parametrize("jobs", [1, 2])
def test_audit_finds_what_the_command_finds(rulebook: Rulebook, submissions: Sequence[str], jobs: int) -> None:
    results = api.audit(rulebook, "night.jsonl", submissions=submissions, jobs=jobs)
    options = [part for name in submissions for part in ("-s", name)]
    assert_same_findings(results, run_command("audit", "night.jsonl", *options))


def test_broken_records_are_quarantined_as_by_the_command(rulebook: Rulebook) -> None:
    Path("cut.jsonl").write_bytes(to_log(demo_lines()[:26]))
    results = api.audit(rulebook, "cut.jsonl", Path("night.jsonl"))
    assert_same_findings(results, run_command("audit", "cut.jsonl", "night.jsonl"))
    assert [entry.line for entry in results.quarantined] == [25, 26]


@pytest.mark.parametrize("chunks", [1, 5])
def test_a_table_in_memory_is_audited_like_the_file_it_came_from(rulebook: Rulebook, chunks: int) -> None:
    table = to_table_of(Path("night.jsonl").read_bytes())
    size = -(-len(table) // chunks)
    table = pa.concat_tables([table.slice(start, size) for start in range(0, len(table), size)])
    results = api.audit_table(rulebook, table, submissions=["submission.yaml"], name="night.jsonl")
    by_file = api.audit(rulebook, "night.jsonl", submissions=["submission.yaml"])
    assert list(results.findings) == list(by_file.findings)
    assert (results.verdict, results.requirements) == (by_file.verdict, by_file.requirements)
    table_input, log_input = results.provenance.inputs[-1], by_file.provenance.inputs[-1]
    assert (table_input.read, table_input.checked) == (log_input.read, log_input.checked)
    assert table_input.sha256 == "none: a table in memory"


def test_a_table_and_the_parquet_file_of_it_say_the_same(rulebook: Rulebook) -> None:
    import pyarrow.parquet as pq

    table = to_table_of(Path("night.jsonl").read_bytes())
    pq.write_table(table, "night.parquet")
    in_memory = api.audit_table(rulebook, table, submissions=["submission.yaml"], name="night.parquet")
    from_file = run_command("audit", "night.parquet", "-s", "submission.yaml")
    assert list(in_memory.findings) == list(from_file.findings)


def test_columns_of_other_numbers_and_texts_are_taken_as_they_are(rulebook: Rulebook) -> None:
    """Other programs write the same rounds with wide integers, large strings and dictionaries."""
    table = to_table_of(to_log([demo_round("hand-16")]))
    plain = api.audit_table(rulebook, table)
    for name, kind in (("round", pa.large_string()), ("table", pa.dictionary(pa.int32(), pa.string()))):
        index = table.schema.get_field_index(name)
        table = table.set_column(index, name, table.column(name).cast(kind))
    assert list(api.audit_table(rulebook, table).findings) == list(plain.findings)


def test_a_table_of_another_form_is_refused(rulebook: Rulebook) -> None:
    with pytest.raises(api.InputError, match="there is no column `seats`"):
        api.audit_table(rulebook, pa.table({"round": ["a"]}))


def test_an_empty_table_proves_nothing(rulebook: Rulebook) -> None:
    table = to_table_of(to_log([demo_round("hand-16")])).slice(0, 0)
    results = api.audit_table(rulebook, table)
    assert results.verdict is api.Verdict.INCONCLUSIVE
    assert results.provenance.inputs[0].read == 0


def test_nothing_reads_the_clock(rulebook: Rulebook) -> None:
    assert api.check(rulebook, "plain.yaml").provenance.generated == "not stated"
    assert api.check(rulebook, "plain.yaml", generated="now").provenance.generated == "now"
    assert api.audit(rulebook, "night.jsonl", generated="then").provenance.generated == "then"


@pytest.mark.parametrize("name", ["missing.yaml", ".", "night.jsonl"])
def test_what_cannot_be_read_raises_with_a_diagnostic(rulebook: Rulebook, name: str) -> None:
    with pytest.raises(api.InputError) as refused:
        api.check(rulebook, name)
    assert refused.value.diagnostics[0].file == name
    assert re.match(r"error\[[a-z-]+\]: ", str(refused.value))


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_folder_without_documents_raises(folder: str) -> None:
    with pytest.raises(api.InputError, match="this is not a rules folder"):
        api.load_rulebook(folder)


def test_a_missing_log_raises(rulebook: Rulebook) -> None:
    with pytest.raises(api.InputError, match="there is no such file"):
        api.audit(rulebook, "missing.jsonl")


def test_a_profile_chooses_readings() -> None:
    Path("profile.yaml").write_text(PROFILE)
    chosen = api.load_rulebook(profile="profile.yaml")
    results = api.audit(chosen, "night.jsonl")
    assert results.provenance.profile == "own"
    assert [reading.reading for reading in results.readings if reading.from_profile] == [f"{GAME}/pair-xxx-after-fold"]


@pytest.mark.parametrize("wrong", ["pair-xxx-after-folding", GAME[:-1]])
def test_a_profile_that_does_not_fit_raises(wrong: str) -> None:
    right = GAME if wrong == GAME[:-1] else "pair-xxx-after-fold"
    Path("profile.yaml").write_text(PROFILE.replace(right, wrong))
    with pytest.raises(api.InputError, match=f"did you mean `{right}`"):
        api.load_rulebook(profile="profile.yaml")


def test_findings_can_be_gone_through_twice_and_saved(rulebook: Rulebook, tmp_path: Path) -> None:
    results = api.audit(rulebook, "night.jsonl", submissions=["submission.yaml"])
    assert list(results.findings) == list(results.findings)
    assert len(results.findings) == len(list(results.findings))
    with (tmp_path / "results.json").open("wb") as stream:
        write_json(results, stream)
    saved = json.loads((tmp_path / "results.json").read_bytes())
    assert [finding["requirement"] for finding in saved["findings"]] == [
        finding.requirement for finding in results.findings
    ]
    assert drop_places(saved["findings"][:1], "file")[0]["where"].keys() >= {"round", "seat", "line"}
    assert {requirement.evidence for requirement in results.requirements} == set(Evidence)
