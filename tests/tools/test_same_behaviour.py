"""Two checkouts of a small program: every difference between them is reported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.facade.rules import load_regulation, load_samples, rules_folder
from tools.same_behaviour import recording
from tools.same_behaviour.__main__ import main
from tools.same_behaviour.checkout import Checkout
from tools.same_behaviour.examples import write_examples
from tools.same_behaviour.recording import Recording
from tools.same_behaviour.slips import slips_of_record, slips_of_yaml

PROGRAM = """#!{python} -IS
import json, os, sys
words = sys.argv[1:]
answers = {
    "rules list -o json": [{"requirement": "game/one", "document": "game", "plantable": True}],
    "rules coverage -o json": {"clauses": [{"clause": "game/(1)"}]},
    "rules show game -o json": [{"readings": ["two"]}],
}
line = " ".join(words)
print(json.dumps(answers[line]) if line in answers else line, flush=True)
form = {"json": '{"findings": []}', "house": "tables: [T1]", "log": '{"round": "R1", "table": "T1"}'}
for before, word in zip(words, words[1:]):
    name = word.split(":")[-1]
    if before in ("-o", "--write-submission") and "." in name and "/" not in name:
        with open(name, "w") as stream:
            stream.write(form.get("json" if name.endswith("json") else name.split(".")[0], word))
EXTRA
sys.stdout.flush()
os._exit(0)
"""

FILES = {
    "document.yaml": "document: game\n",
    "simulation.yaml": "simulated: true\n",
    "requirements/rules.yaml": "requirements:\n- requirement: one\n",
    "examples/bases.yaml": "submissions:\n  base: {licensee: {}}\nrounds:\n  whole: {round: R1, seats: [1, 2]}\n",
    "examples/some.yaml": "under: base\nexamples:\n- example: e\n  round: {base: whole, set: {/seats/0: 3}}\n",
    "demo/submission.yaml": "submission: demo\n",
    "demo/hand-log.jsonl": '{"round": "R1"}\n',
}


def checkout(folder: Path, extra: str = "") -> str:
    """Write a checkout whose program does something more, and return its path."""
    for name, text in FILES.items():
        path = folder / "rules_data" / "game" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "rules_data" / "vocabulary").mkdir()
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    program = programs / "fairdeal"
    program.write_text(PROGRAM.replace("{python}", os.path.realpath(sys.executable)).replace("EXTRA", extra), "utf-8")
    program.chmod(0o755)
    return str(folder)


@pytest.fixture
def old(tmp_path: Path) -> str:
    return checkout(tmp_path / "before")


def test_what_is_alike_passes(old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([old, checkout(tmp_path / "after")]) == 0
    said = capsys.readouterr().out
    assert "0 differences in 0 of them" in said
    assert int(said.split()[0]) > 100


@pytest.mark.parametrize(
    ("extra", "only", "noticed"),
    [
        ("if line == 'rules list -o text': print('x')", "rules list", ["=== rules list -o text: stdout", "+x"]),
        (
            "if 'coverage' in line: print('!', file=sys.stderr)",
            "rules coverage",
            ["=== rules coverage -o text: stderr", "+!"],
        ),
        ("if '--version' in line: os._exit(3)", "--version", ["=== --version: exit", "-0", "+3"]),
        ("if 'audit' in line: os.remove('results.csv')", "audit examples", ["results.csv\nonly old has it"]),
        ("if 'audit' in line: open('results.txt', 'a').write(' ')", "audit examples", ["examples game: results.txt"]),
        ("if 'game/(1)' in line: print('x')", "rules show", ["=== rules show game/(1): stdout", "+x"]),  # run in a fork
        ("if 'game/(1)' in line: os._exit(1)", "rules show", ["=== rules show game/(1): exit", "+1"]),
        (
            "if 'game/one' in line: raise ValueError('no')",
            "rules show",
            ["=== rules show game/one: exit", "+ValueError"],
        ),
        ("if '--fix' in line: open('house.yaml', 'w')", "check demo", ["=== check demo game, fix: house.yaml"]),
        (
            "if '-' in words: print(len(sys.stdin.read()) - 1)",
            "stdin",
            ["=== audit demo game from stdin: stdout", "+15"],
        ),
    ],
)
def test_what_is_not_alike_is_shown(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], extra: str, only: str, noticed: list[str]
) -> None:
    assert main([old, checkout(tmp_path / "after", extra), f"--only={only}"]) == 1
    said = capsys.readouterr().out
    assert [text for text in noticed if text not in said] == [], said


def test_a_program_that_does_not_start_is_a_difference(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = checkout(tmp_path / "after")
    (tmp_path / "after" / ".venv" / "bin" / "python").unlink()
    (tmp_path / "after" / ".venv" / "bin" / "python").symlink_to("/bin/false")
    assert main([old, new, "--only", "rules show game/one"]) == 1
    assert "new could not run it" in capsys.readouterr().out


def test_paths_of_checkouts_and_versions_are_put_alike(tmp_path: Path) -> None:
    said = "if '--version' in line: print(__file__, os.getcwd(), 'fairdeal 0.{}.0')"
    old, new = (checkout(tmp_path / f"checkout-{number}", said.format(number)) for number in (1, 2))
    assert main([old, new, "--only=--version"]) == 0


def test_the_old_checkout_is_recorded_once_for_each_commit(
    old: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[Checkout] = []

    def record(checkout: Checkout, jobs: int) -> Recording:
        recorded.append(checkout)
        return real(checkout, jobs, "--version")  # the other commands take long

    real = recording.record
    monkeypatch.setattr(recording, "record", record)
    new = checkout(tmp_path / "after", "if '--version' in line: print('x')")
    arguments = ["--recording", str(tmp_path / "recording"), "--only=--version"]
    assert main([old, new, *arguments]) == 1
    assert main([old, checkout(tmp_path / "another"), *arguments]) == 0
    assert len(recorded) == 1
    subprocess.run(["git", "init", "--quiet", old], check=True)
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", old, *who, "commit", "--quiet", "--allow-empty", "-m", "Another"], check=True)
    assert main([old, new, *arguments]) == 1
    assert len(recorded) == 2


def test_wanted_differences_pass_and_stale_ones_do_not(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = checkout(tmp_path / "after", "if '--version' in line: print('x')")
    wanted = tmp_path / "wanted.toml"
    wanted.write_text('[[wanted]]\ncase = "--ver*"\npart = "stdout"\nreason = "An x was asked for."\n', "utf-8")
    arguments = [old, new, "--wanted", str(wanted)]
    assert main([*arguments, "--only=--version"]) == 0
    assert "wanted: 1 in --ver*: An x was asked for." in capsys.readouterr().out
    assert main([*arguments, "--only=rules list"]) == 0  # nothing is known about commands that did not run
    wanted.write_text(wanted.read_text("utf-8").replace("stdout", "stderr"), "utf-8")
    assert main([*arguments, "--only=--version"]) == 1
    said = capsys.readouterr().out
    assert "=== --version: stdout" in said
    assert "stale: nothing differs in --ver* (stderr): An x was asked for." in said


@pytest.mark.parametrize(
    "text", ["[[wanted]]\ncase = '*'\n", "[[wanted]]\ncase = '*'\nreason = ' '\n", "wanted = 1", "x"]
)
def test_wanted_differences_have_reasons(old: str, tmp_path: Path, text: str) -> None:
    (tmp_path / "wanted.toml").write_text(text, "utf-8")
    assert main([old, old, "--wanted", str(tmp_path / "wanted.toml")]) == 2


def test_a_folder_without_the_program_is_refused(old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([old, str(tmp_path)]) == 2
    assert "has no .venv/bin/fairdeal" in capsys.readouterr().err


def test_slips_change_one_place() -> None:
    text = "one: 1\ntwo:\n  three: word\n"
    slips = list(slips_of_yaml(text, 8))
    assert len(slips) == 3
    assert text not in slips
    assert slips[0] != slips[1] != slips[2]
    record = '{"round":"R1","seats":[{"seat":1}]}'
    assert {'{"oundr":"R1","seats":[{"seat":1}]}', '{"round":-1,"seats":[{"seat":1}]}'} <= set(slips_of_record(record))


@pytest.mark.parametrize("document", ["co-rule10-flushes-gone-wild", "s38"])
def test_rounds_of_examples_are_told_as_the_program_tells_them(tmp_path: Path, document: str) -> None:
    """The tool reads bases, variations, copies of examples, both sides of a boundary, and sessions in its own way."""

    def serialize_round(record: dict[str, Any]) -> str:
        return json.dumps({key: record[key] for key in record if key not in {"round", "casino"}}, sort_keys=True)

    write_examples(rules_folder() / document, tmp_path)
    rounds = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    samples = load_samples(load_regulation(document))
    expected = [record for sample in samples for record in ([sample.round] if sample.round else sample.rounds)]
    assert sorted(map(serialize_round, rounds)) == sorted(map(serialize_round, expected))
