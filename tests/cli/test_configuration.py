"""The configuration file: where it is found, what it says, what goes before it, and what it may not do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from fairdeal.cli.check_command import check
from fairdeal.cli.hand_log_commands import audit
from fairdeal.validator.schemas.configuration import RunConfiguration
from tests.facade.commands import Finished, run
from tests.facade.demo import DEMO, comply, demo_submission, grant_waiver
from tests.facade.text import to_key

LOG = str(DEMO / "hand-log.jsonl")


@pytest.fixture(autouse=True)
def inputs(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRDEAL_RULES", raising=False)
    (place / "good.yaml").write_text(comply())
    (place / "bad.yaml").write_text(demo_submission())
    (place / "waivers.yaml").write_text(grant_waiver("(2)"))


def write_configuration(text: str, name: str = "fairdeal.toml") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def list_inputs(finished: Finished) -> list[str]:
    return [source["file"] for source in finished.results["provenance"]["inputs"]]


def test_what_the_file_says_is_as_if_the_command_line_said_it() -> None:
    plain = run("check", "bad.yaml", "--waivers", "waivers.yaml", "--as-of", "2026-03-01", "-o", "json", "-o", "json:a")
    write_configuration('waivers = ["waivers.yaml"]\nas-of = 2026-03-01\noutput = ["json", "json:b"]\n')
    finished = run("check", "bad.yaml")
    assert (finished.code, finished.out) == (plain.code, plain.out)
    assert Path("b").read_bytes() == Path("a").read_bytes()
    assert finished.err == "configuration: fairdeal.toml (waivers, as-of, output)\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('waivers = "waivers.yaml"', "fairdeal.toml"),
        ('[tool.fairdeal]\nwaivers = "waivers.yaml"', "pyproject.toml"),
        ('tool = {fairdeal.waivers = ["waivers.yaml"]}', "pyproject.toml"),
    ],
)
def test_either_file_will_do(text: str, name: str) -> None:
    write_configuration(text, name)
    finished = run("check", "bad.yaml", "-o", "json")
    assert list_inputs(finished) == ["bad.yaml", "waivers.yaml"] or list_inputs(finished) == [
        "waivers.yaml",
        "bad.yaml",
    ]
    assert finished.err == f"configuration: {name} (waivers)\n"


def test_a_project_that_says_nothing_here_is_passed_over() -> None:
    for text in ("[project]\nname = 'x'", "[project]\ndependencies = ['fairdeal']\n[tool.other]\nx = 1", "broken = ["):
        write_configuration(text, "pyproject.toml")
        assert run("check", "good.yaml").err == ""
    write_configuration('# fairdeal\n[tool.fairdeal]\nallow-unproven = "x"', "pyproject.toml")
    write_configuration("", "fairdeal.toml")
    Path("fairdeal.toml").write_text("# nothing\n")
    assert (run("check", "good.yaml").code, run("check", "good.yaml").err) == (0, "")


class Tree:
    """Folders one in another, with a configuration in some."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
        self.monkeypatch, self.place = monkeypatch, place

    def find_used(self, here: str, *, home: str | None = None) -> str:
        self.monkeypatch.setenv("HOME", str(self.place / home) if home else "/nowhere")
        (self.place / here).mkdir(parents=True, exist_ok=True)
        self.monkeypatch.chdir(self.place / here)
        finished = run("check", self.place / "good.yaml", "-o", "json")
        assert finished.code == 0
        return finished.err.removeprefix("configuration: ").removesuffix(" (allow-unproven)\n")


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch, place: Path) -> Tree:
    return Tree(monkeypatch, place)


def test_the_nearest_file_up_to_the_root_of_the_repository_is_used(folders: Tree) -> None:
    Path("repo/.git").mkdir(parents=True)
    text = "allow-unproven = true"
    write_configuration(text)
    assert folders.find_used("repo/a/b") == ""
    write_configuration(text, str(folders.place / "repo/fairdeal.toml"))
    assert folders.find_used("repo/a/b") == "../../fairdeal.toml"
    write_configuration(f"[tool.fairdeal]\n{text}", str(folders.place / "repo/a/pyproject.toml"))
    assert folders.find_used("repo/a/b") == "../pyproject.toml"
    write_configuration(text, str(folders.place / "repo/a/fairdeal.toml"))
    assert folders.find_used("repo/a/b") == "../fairdeal.toml"
    write_configuration(text, str(folders.place / "repo/a/b/fairdeal.toml"))
    assert folders.find_used("repo/a/b") == "fairdeal.toml"


def test_a_home_bounds_the_search_and_outside_of_both_it_is_this_folder_alone(folders: Tree) -> None:
    write_configuration("allow-unproven = true")
    assert folders.find_used("a/b", home="a") == ""
    assert folders.find_used("a/b", home=".") == "../../fairdeal.toml"
    assert folders.find_used("a/b") == ""
    assert folders.find_used(".") == "fairdeal.toml"


def test_the_command_line_goes_before_the_environment_and_that_before_the_file(
    monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    write_configuration('rules = "one"\ncurrency = "USD"\n')
    for name in ("one", "two", "three"):
        (place / name).mkdir()
    assert "`one` is not a rules folder" in run("check", "good.yaml").err
    monkeypatch.setenv("FAIRDEAL_RULES", "two")
    assert "`two` is not a rules folder" in run("check", "good.yaml").err
    assert "`three` is not a rules folder" in run("check", "good.yaml", "--rules", "three").err
    assert "`two` is not a rules folder" in run("rules", "list").err
    monkeypatch.delenv("FAIRDEAL_RULES")
    finished = run("check", "good.yaml", "--currency", "EUR", "--rules", "three")
    assert "configuration:" not in finished.err


def test_every_command_with_such_an_option_takes_it(place: Path) -> None:
    write_configuration(
        'rules = "own"\nprofile = "mine.yaml"\nsubmission = "bad.yaml"\noutput = "json"\nfail-on = "major"\n'
    )
    for command in (
        "check good.yaml",
        f"audit {LOG}",
        f"explain {LOG} --round hand-01",
        "simulate duel --rounds 1 --seed 1",
        "rules list",
        "rules show duel",
        "rules check",
        "rules test",
        "rules coverage",
    ):
        assert "`own` is not a rules folder" in run(*command.split()).err, command
    write_configuration('submission = "*.yaml"\n')
    assert run("simulate", "co-rule10-3card-shine", "--rounds", "1", "--seed", "1").err == ""
    finished = run("explain", LOG, "--round", "hand-01")
    assert "configuration: fairdeal.toml (submission)" in finished.err


def test_paths_are_relative_to_the_file(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / ".git").mkdir()
    (place / "house [1]").mkdir()
    (place / "house [1]/one.yaml").write_text(comply())
    write_configuration(
        'submission = "house*/*.yaml"\nwaivers = "waivers.yaml"\noutput = ["json", "json:out/a.json"]\n'
    )
    (place / "deep/er").mkdir(parents=True)
    monkeypatch.chdir(place / "deep/er")
    finished = run("audit", LOG)
    assert set(list_inputs(finished)) == {"../../waivers.yaml", LOG, "../../house [1]/one.yaml"}
    assert (place / "out/a.json").read_bytes() == finished.out
    monkeypatch.chdir(place)
    write_configuration('submission = "*.yaml"\noutput = "json"\n', "house [1]/other.toml")
    assert set(list_inputs(run("audit", LOG, "--config", "house [1]/other.toml"))) == {LOG, "house [1]/one.yaml"}


def test_a_profile_is_a_name_or_a_file_beside_it(place: Path) -> None:
    profiled = run("check", "good.yaml", "--profile", "card-room-custom", "-o", "json")
    write_configuration('profile = "card-room-custom"')
    assert run("check", "good.yaml", "-o", "json").out == profiled.out
    write_configuration('profile = "mine"', "deep/fairdeal.toml")
    (place / "deep/mine").write_text("profile: mine\ntitle: Mine\nchoices: {}\n")
    finished = run("check", "good.yaml", "-o", "json", "--config", "deep/fairdeal.toml")
    assert "deep/mine" in finished.err + finished.text


def test_a_configuration_may_be_named_or_done_without() -> None:
    write_configuration('output = "json"')
    write_configuration('output = "concise"', "other.toml")
    write_configuration('[tool.fairdeal]\noutput = "markdown"', "deep/pyproject.toml")
    assert run("check", "bad.yaml").out[:1] == b"{"
    assert run("check", "bad.yaml", "--config", "other.toml").text.startswith("bad.yaml:")
    assert run("check", "bad.yaml", "--config", "deep/pyproject.toml").text.startswith("#")
    plain = run("check", "bad.yaml", "--no-config")
    assert plain.out[:1] == b"x"
    assert plain.err == ""
    for both in (["--config", "other.toml", "--no-config"], ["--no-config", "--config", "other.toml"]):
        finished = run("check", "bad.yaml", *both)
        assert finished.code == 2
        assert "contradict each other" in finished.err


@pytest.mark.parametrize(
    ("text", "stands", "said"),
    [
        ('ouput = "json"', "1:1", "did you mean `output`?"),
        ('x = 1\n[tool.fairdeal]\nprofile = "p"', "1:1", "`x` is not a key"),
        ("profile = 1", "1:11", "`profile` must be"),
        ('jobs = "many"', "1:8", "`jobs` must be"),
        ("jobs = 65", "1:8", "64"),
        ("\n allow-unproven = 'yes'", "2:19", "`allow-unproven` must be"),
        ("output = []", "1:1", "`output`"),
        ("output = ['text', 'htlm:x.html']", "1:19", "did you mean `html`?"),
        ("output = 'html:../x.html'", "1:10", "in its folder or below"),
        ("output = 'html:/tmp/x.html'", "1:10", "in its folder or below"),
        ("fail-on = ['new', 'mayor']", "1:19", "Did you mean 'major'?"),
        ("currency = 'dollars'", "1:12", "write its ISO 4217 code"),
        ("as-of = 'tomorrow'", "1:9", "write it as year-month-day"),
        ("as-of = 2026-02-30", "1:", "this is not TOML"),
        ("waivers = [1]", "1:12", "must be text"),
        ("waivers = ", "1:", "this is not TOML"),
        ("waivers = 'a'\nwaivers = 'b'", "2:", "this is not TOML"),
        ("profile = ''", "1:11", "needs at least one visible character"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(text: str, stands: str, said: str) -> None:
    write_configuration(text)
    finished = run("check", "good.yaml")
    assert (finished.code, finished.out) == (3, b"")
    assert f"--> fairdeal.toml:{stands}" in finished.err
    assert said in finished.err
    assert "^" in finished.err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("missing.toml", None, "there is no such file"),
        ("pyproject.toml", b"[project]\n", "this has no table [tool.fairdeal]"),
        ("latin.toml", b"# \xe9", "is not UTF-8"),
        ("large.toml", b"#" * (1 << 21), "more than 1 MiB"),
        ("deep.toml", b"profile = " + b"[" * 100_000, "more than 64 lists and tables"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_told(name: str, content: bytes | None, said: str) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    finished = run("check", "good.yaml", "--config", name)
    assert (finished.code, finished.out) == (3, b"")
    assert said in finished.err
    assert name in finished.err


def test_no_output_takes_the_place_of_the_configuration() -> None:
    write_configuration('output = "json:fairdeal.toml"')
    assert "is an input and would be overwritten" in run("check", "good.yaml").err
    assert Path("fairdeal.toml").read_text() == 'output = "json:fairdeal.toml"'


def test_a_link_is_no_way_out_of_the_folder(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (place / "out").symlink_to(outside)
    write_configuration('output = "json:out/x.json"')
    assert run("check", "good.yaml").code == 3
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("key", ["waivers", "submission", "baseline", "profile", "rules"])
@pytest.mark.parametrize("way", ["/{secret}", "../{name}", "link.yaml", "li*.yaml", "linked/{name}", "linked/*"])
def test_a_configuration_that_was_found_reads_no_file_outside_of_its_folder(
    key: str, way: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It may lie among evidence, and an error shows the line it is about."""
    outside = tmp_path_factory.mktemp("outside")
    secret = outside / "secret.yaml"
    secret.write_text("a password: hunter2: x\n")
    Path("link.yaml").symlink_to(secret)
    Path("linked").symlink_to(outside)
    value = way.format(secret=str(secret)[1:], name=secret.name)
    if way.startswith(".."):
        value = os.path.relpath(secret)
    write_configuration(f"{key} = '{value}'")
    finished = run("audit", LOG, "-j", "1")
    assert (finished.code, finished.out) == (3, b"")
    assert "hunter2" not in finished.err
    assert "--> fairdeal.toml:1:" in finished.err
    assert "in its folder or below" in finished.err
    chosen = run("audit", LOG, "-j", "1", "--config", "fairdeal.toml")
    assert "in its folder or below" not in chosen.err


@pytest.mark.parametrize("name", ["fairdeal.toml", "pyproject.toml"])
def test_a_configuration_that_was_found_is_no_link_out_of_its_folder(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("outside") / "secret"
    secret.write_text("hunter2 of fairdeal\n")
    Path(name).symlink_to(secret)
    finished = run("check", "good.yaml")
    assert (finished.code, finished.out) == (3, b"")
    assert f"--> {name}" in finished.err
    assert "link to a file outside its folder" in finished.err
    assert "hunter2" not in finished.err
    assert run("check", "good.yaml", "--no-config").code == 0


def test_what_counts_may_be_configured() -> None:
    Path("old.json").write_bytes(run("check", "bad.yaml", "-o", "json").out)
    write_configuration('baseline = "old.json"\nfail-on = ["new"]\nquiet = true\n')
    finished = run("check", "bad.yaml")
    assert (finished.code, finished.out, finished.err) == (0, b"", "")


def test_help_does_not_read_it() -> None:
    write_configuration("broken = [")
    assert run("check", "--help").code == 0


def test_its_keys_are_the_options_of_the_commands_that_judge() -> None:
    options: dict[str, Any] = {}
    for command in (check, audit):
        options |= {
            max(parameter.opts, key=len)[2:]: parameter
            for parameter in command.params
            if isinstance(parameter, click.Option)
        }
    judging = set(options) - {"config", "no-config", "help", "fix", "diff", "ascii"}
    # Whom logs are sent to, and what is written next to results, is decided by the user of the command.
    judging -= {"engine", "scheduler", "master", "checkpoint"}
    assert {to_key(name) for name in RunConfiguration.model_fields} == judging


def test_the_schema_says_what_is_taken() -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads(run("schema", "config").out)
    taken = Draft202012Validator(schema)
    assert taken.is_valid({"output": ["json:x", "concise"], "fail-on": "new", "waivers": "w", "jobs": 2})
    wrong: dict[str, Any]
    for wrong in ({"output": "pdf"}, {"fail-on": ["mayor"]}, {"jobs": 0}, {"x": 1}, {"output": []}):
        assert not taken.is_valid(wrong)


RUN = """
import sys
from fairdeal.cli.main import main
try:
    main(["check", "good.yaml", "-q"])
except SystemExit:
    print(*sys.modules)
"""


def test_a_run_without_configuration_imports_nothing_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", RUN], check=True, capture_output=True, text=True, env=dict(os.environ))
    assert not {
        "tomllib",
        "tools.generated_files.schema_builders",
        "fairdeal.validator.schemas.configuration",
    } & set(done.stdout.split())
