"""Folders and patterns as evidence: files that are found, files left out and reported, and files never overwritten."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

import fairdeal.validator.evidence.io.named_files
from fairdeal.validator.evidence.io.named_files import LOGS, SUBMISSIONS, resolve_inputs
from tests.facade.commands import run
from tests.facade.demo import DEMO, comply, demo_round, demo_submission, grant_waiver, to_log
from tests.facade.rules import rules_folder

ROUND = to_log([demo_round("hand-01")])


def make_files(*paths: str) -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("x")


def list_found(*arguments: str) -> list[str]:
    inputs = resolve_inputs(arguments, LOGS)
    assert not inputs.errors
    return list(inputs.files)


@pytest.fixture
def logs() -> None:
    make_files(
        "logs/b.jsonl", "logs/a/2.PHH", "logs/a/1.parquet", "logs/c.ndjson.gz", "logs/d.phhs.zst", "logs/readme.md"
    )
    make_files("logs/.hidden/e.jsonl", "logs/.f.jsonl", "logs/g.jsonl.bak", "other/h.jsonl", "logs/i.yaml")
    Path("logs/j").symlink_to("../other")
    Path("logs/k.jsonl").symlink_to("b.jsonl")


ALL = ["logs/a/1.parquet", "logs/a/2.PHH", "logs/b.jsonl", "logs/c.ndjson.gz", "logs/d.phhs.zst"]


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        (["logs"], ALL),
        (["./logs/"], ALL),
        (["logs", "logs"], ALL),
        (["logs/b.jsonl", "logs"], ["logs/b.jsonl", *(path for path in ALL if path != "logs/b.jsonl")]),
        (["logs", "logs/b.jsonl"], [*(path for path in ALL if path != "logs/b.jsonl"), "logs/b.jsonl"]),
        (["logs/j"], ["logs/j/h.jsonl"]),
        (["logs/.hidden"], ["logs/.hidden/e.jsonl"]),
        (["logs/*.jsonl"], ["logs/b.jsonl", "logs/k.jsonl"]),
        (["logs/**/*.p*"], ["logs/a/1.parquet", "logs/d.phhs.zst"]),
        (["**/**/[1h].*"], ["logs/a/1.parquet", "other/h.jsonl"]),
        (["*/*/*.jsonl"], ["logs/j/h.jsonl"]),
        (["logs/?", "other"], ["logs/a/1.parquet", "logs/a/2.PHH", "logs/j/h.jsonl"]),
        (["logs/.*/*"], ["logs/.hidden/e.jsonl"]),
        (["logs/readme.md", "-"], ["logs/readme.md", "-"]),
        (["missing.jsonl"], ["missing.jsonl"]),
    ],
)
def test_what_arguments_stand_for(arguments: list[str], files: list[str]) -> None:
    assert list_found(*arguments) == files


def test_a_pattern_goes_after_a_file_of_that_name() -> None:
    make_files("a[1].jsonl", "a1.jsonl")
    assert list_found("a[1].jsonl") == ["a[1].jsonl"]
    Path("a[1].jsonl").unlink()
    assert list_found("a[1].jsonl") == ["a1.jsonl"]


@pytest.mark.parametrize("argument", ["*.jsonl", "nowhere/**/*.jsonl", "**", "readme.md/*"])
def test_a_pattern_that_nothing_matches_is_told(argument: str) -> None:
    make_files(".hidden.jsonl")
    finished = run("audit", argument)
    assert (finished.code, finished.out) == (3, b"")
    assert "there is no such file, and no file matches this pattern" in finished.err


def test_a_folder_without_evidence_is_told_with_what_it_looks_like() -> None:
    make_files("logs/readme.md")
    finished = run("audit", "logs")
    assert finished.code == 3
    assert "this is a folder without a hand log" in finished.err
    assert "name a file that ends in .jsonl, .ndjson, .phh, .phhs, .parquet, .*.gz, .*.zst" in finished.err


def test_what_is_looked_at_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    make_files(*(f"logs/{number}.jsonl" for number in range(4)), "/".join(["deep"] * 5 + ["a.jsonl"]))
    for name, value, argument in (
        ("MAX_FILES", 3, "logs"),
        ("MAX_FILES", 3, "logs/*"),
        ("MAX_SEEN", 3, "logs"),
        ("MAX_SEEN", 3, "**/x"),
        ("MAX_DEPTH", 3, "deep"),
        ("MAX_DEPTH", 3, "**/a.jsonl"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(fairdeal.validator.evidence.io.named_files, name, value)
            (error,) = resolve_inputs([argument], LOGS).errors
            assert error.diagnostics[0].code == "too-many"
            assert error.diagnostics[0].file == argument


def test_a_folder_that_may_not_be_read_is_told_and_keeps_nothing_else_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may be allowed to read everything, so the refusal is played."""
    real = os.scandir

    def scandir(path: os.PathLike[str]) -> object:
        if Path(path).name == "secret":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    make_files("secret/a.yaml")
    Path("open").mkdir()
    Path("open/a.yaml").write_text(comply())
    monkeypatch.setattr(os, "scandir", scandir)
    finished = run("check", "secret", "open", "-o", "json")
    assert finished.code == 3
    assert "there is no permission to read this file" in finished.err
    assert [source["file"] for source in finished.results["provenance"]["inputs"]] == ["open/a.yaml"]


@pytest.fixture
def house() -> Path:
    """Return a folder with all files that a licensee may keep together, including two submissions."""
    folder = Path("house")
    (folder / "deep").mkdir(parents=True)
    (folder / "one.yaml").write_text(comply())
    (folder / "deep/two.yml").write_text(demo_submission().replace("submission: ", "submission: other-", 1))
    (folder / "waivers.yaml").write_text(grant_waiver("(2)"))
    (folder / "chart.yaml").write_text("kind: {{ template }}\nname: [\n")
    (folder / "list.json").write_text("[1]")
    (folder / "compose.yaml").write_text("services: {a: {image: b}}\npermissions: {}\n")
    return folder


@pytest.mark.usefixtures("house")
def test_what_lies_in_a_folder_and_is_no_submission_is_left_out_and_told() -> None:
    finished = run("check", "house", "-o", "json")
    assert [source["file"] for source in finished.results["provenance"]["inputs"]] == [
        "house/deep/two.yml",
        "house/one.yaml",
    ]
    assert finished.err.splitlines() == [
        "left out: house/chart.yaml: it contains no key of a submission",
        "left out: house/compose.yaml: it contains no key of a submission",
        "left out: house/list.json: it contains no key of a submission",
        "left out: house/waivers.yaml: this is a regulator's file of waivers, not a submission",
    ]
    assert run("check", "house/one.yaml", "house/deep/two.yml", "-o", "json").out == (
        run("check", "house/one.yaml", "house/deep", "-o", "json").out
    )


def test_what_is_named_is_never_left_out(house: Path) -> None:
    for argument in ("house/waivers.yaml", "house/wa*.yaml", "house/chart.yaml"):
        assert run("check", argument).code == 3
    assert run("check", "house/one.yaml", "house/list.json").code == 3
    assert (house / "one.yaml").read_text() == comply()


@pytest.mark.parametrize(
    "text",
    [
        "submision: x\n",
        "submission: x\n",
        "licencee: {name: X}\nother: 1\n",
        '{"submission": ',
        "submission: x\n  licensee: [\n",
        "",
        "\0",
    ],
)
def test_what_may_be_a_broken_submission_is_refused(house: Path, text: str) -> None:
    (house / "broken.yaml").write_text(text)
    finished = run("check", "house", "-o", "json")
    assert finished.code == 3
    assert "house/broken.yaml" in finished.err
    assert "left out: house/broken.yaml" not in finished.err
    assert len(finished.results["provenance"]["inputs"]) == 2


def test_a_rulebook_holds_no_submissions_but_those_of_its_demos() -> None:
    documents = [str(rules_folder() / name) for name in ("co-rule10-3card-shine", "poker-room", "vocabulary")]
    inputs = resolve_inputs(documents, SUBMISSIONS)
    finished = run("check", *documents, "-o", "json")
    read = [source["file"] for source in finished.results["provenance"]["inputs"]]
    assert read == [path for path in inputs.files if "/demo/submission" in path]
    assert "error[" not in finished.err
    assert finished.err.splitlines()[-1] == f"left out: {len(inputs.files) - len(read) - 20} more files"


def test_where_nothing_is_left_the_run_has_no_evidence() -> None:
    make_files("house/a.yaml")
    for command in (["check", "house"], ["audit", DEMO / "hand-log.jsonl", "-s", "house"]):
        finished = run(*command)
        assert finished.code == 3
        assert "none of the files found is a submission" in finished.err


def test_what_the_run_reads_as_something_else_is_not_found(house: Path) -> None:
    (house / "fairdeal.toml").write_text('waivers = "waivers.yaml"')
    finished = run("check", "house", "--waivers", "house/waivers.yaml", "-o", "json")
    assert "waivers.yaml" not in finished.err
    assert [source["kind"] for source in finished.results["provenance"]["inputs"]].count("waivers") == 1


def test_results_of_the_last_run_are_left_out_and_written_anew(house: Path) -> None:
    outputs = [f"{form}:house/results.{form}.json" for form in ("json", "sarif", "gitlab")]
    command = ["check", "house", *(part for output in outputs for part in ("-o", output))]
    first = run(*command)
    assert first.code == 1
    written = {path: path.read_bytes() for path in house.glob("results.*")}
    assert len(written) == 3
    assert run(*command).code == 1
    assert {path: path.read_bytes() for path in house.glob("results.*")} == written


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("check house", "house/one.yaml"),
        ("check house", "house/broken.yaml"),
        ("audit logs", "logs/a.jsonl"),
        ("audit logs -s house", "logs/a.jsonl"),
        ("audit logs -s house", "house/one.yaml"),
        ("audit logs -s house", "house/broken.yaml"),
    ],
)
def test_evidence_that_was_found_is_never_overwritten(house: Path, command: str, output: str) -> None:
    (house / "broken.yaml").write_text("submission: [\n")
    Path("logs").mkdir()
    Path("logs/a.jsonl").write_bytes(ROUND)
    before = Path(output).read_bytes()
    finished = run(*command.split(), "-o", f"json:{output}")
    assert finished.code == 2
    assert "is an input and would be overwritten" in finished.err
    assert Path(output).read_bytes() == before


def test_an_audit_takes_folders_of_logs_and_of_submissions(house: Path) -> None:
    (house / "deep/two.yml").unlink()
    Path("logs/night").mkdir(parents=True)
    Path("logs/a.jsonl").write_bytes(ROUND)
    second = demo_round("hand-01") | {"round": "hand-02"}
    Path("logs/night/b.jsonl.gz").write_bytes(gzip.compress(to_log([second]), mtime=0))
    Path("logs/results.jsonl").write_text('{"fairdeal-results": 1}\n')
    finished = run("audit", "logs", "-s", "house", "-o", "json", "-j", "1")
    assert [source["file"] for source in finished.results["provenance"]["inputs"]] == [
        "house/one.yaml",
        "logs/a.jsonl",
        "logs/night/b.jsonl.gz",
    ]
    assert "left out: logs/results.jsonl: this is a file of results, not a hand log" in finished.err
    named = run("audit", "logs/a.jsonl", "logs/night/b.jsonl.gz", "-s", "house/one.yaml", "-o", "json", "-j", "2")
    assert named.out == finished.out
    assert named.code == finished.code


def test_a_round_is_told_by_the_submissions_of_a_folder(house: Path) -> None:
    (house / "deep/two.yml").unlink()
    Path("a.jsonl").write_bytes(ROUND)
    by_folder = run("explain", "a.jsonl", "--round", "hand-01", "-s", "house")
    assert by_folder.out == run("explain", "a.jsonl", "--round", "hand-01", "-s", "house/one.yaml").out
    assert by_folder.code == 0


def test_what_is_found_in_a_folder_is_put_right_if_it_is_a_submission(house: Path) -> None:
    (house / "deep/two.yml").unlink()
    (house / "one.yaml").write_text(comply().replace("wager: ante,", "wager: Ante,"))
    before = {path: path.read_bytes() for path in house.rglob("*") if path.is_file()}
    finished = run("check", "house", "--fix", "-o", "json:out.json")
    assert "left out: house/waivers.yaml: this is a regulator's file of waivers" in finished.err
    after = {path: path.read_bytes() for path in house.rglob("*") if path.is_file()}
    assert {path for path in after if after[path] != before[path]} == {house / "one.yaml"}
    assert after[house / "one.yaml"].decode() == comply()


def test_what_is_found_in_the_rules_folder_is_not_put_right() -> None:
    finished = run("check", DEMO, "--fix", "-o", "json")
    assert finished.code == 3
    assert "this is a file of the rules folder, which is not changed" in finished.err


def test_a_pattern_is_no_way_out_of_a_name_with_terminal_codes() -> None:
    finished = run("check", "*\x1b[31m")
    assert "\x1b" not in finished.err
