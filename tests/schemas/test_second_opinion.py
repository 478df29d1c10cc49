"""`rules check` also validates rule files by the shipped JSON Schemas, and reports where these and the models
disagree.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fairdeal.cli.main import fairdeal
from fairdeal.validator.disk_cache import CACHE_VARIABLE
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules.rule_file_cache import RuleFileCache
from fairdeal.validator.rules.rule_files import iterate_all_files
from fairdeal.validator.schemas import schema_agreement
from fairdeal.validator.schemas.schema_agreement import (
    AgreedFiles,
    SchemaDisagreement,
    build_validator,
    compare_model_and_schema,
    find_disagreements,
    find_refusals,
)
from tests.facade.rules import list_documents, rules_folder
from tests.facade.text import DataPath as TreePath
from tests.facade.text import Diagnostic, PositionedDocument, decode_source, load_yaml, render_diagnostic

SUBMISSION = """submission: spring
licensee: {name: House}
document: co-rule10-3card-shine
effective: 2026-01-01
"""
DISAGREE = "model and schema disagree: "
SCHEMA_ACCEPTS = f"{DISAGREE}the schema submission.json accepts what the model rejects: "


def compare(text: str, name: str = "submission") -> list[Diagnostic]:
    head = SUBMISSION if name == "submission" else ""
    tree = load_yaml(decode_source("house.yaml", (head + text).encode()))
    return [
        tree.build_diagnostic(
            difference.path,
            SchemaDisagreement.code,
            difference.message,
            help=difference.help,
            at_key=difference.at_key,
            severity=SchemaDisagreement.severity,
        )
        for difference in compare_model_and_schema(tree, name)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Copy a rules folder of one small document."""
    for name in ("co-rule8-burnout", "vocabulary"):
        shutil.copytree(rules_folder() / name, tmp_path / name)
    return tmp_path


def rules_check(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(fairdeal, ["rules", "check", str(folder), *options], standalone_mode=False)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_they_agree_on_every_shipped_rule_file() -> None:
    files = [path for document in list_documents() for path in iterate_all_files(document, rules_folder())]
    assert len(files) > 60
    assert list(find_disagreements(files, RuleFileCache())) == []


def test_an_amount_with_a_point_is_refused_by_the_model_alone() -> None:
    (found,) = compare("wagers:\n- {wager: ante, minimum: 5.00, maximum: 100}\n")
    assert render_diagnostic(found, color=False) == (
        "warning[schema-disagreement]: model and schema disagree: the schema submission.json accepts what the model"
        " rejects: `minimum` must be a whole number, found the number 5.00\n"
        " --> house.yaml:6:26\n"
        "  |\n"
        "6 | - {wager: ante, minimum: 5.00, maximum: 100}\n"
        "  |                          ^^^^\n"
        "  = help: in JSON Schema any number without a fraction is a whole number, however it is written: the model"
        " decides"
    )


@pytest.mark.parametrize("written", ["5.50", "-1", "five", "[5]", "{a: 1}", "true", "1000000000001"])
def test_what_both_refuse_is_no_disagreement(written: str) -> None:
    assert compare(f"wagers:\n- {{wager: ante, minimum: {written}}}\n") == []


def test_each_place_is_asked_by_itself() -> None:
    text = """wagers:
- {wager: ante, minimum: 5.00}
- {wager: play, minimum: 5.50}
pay-tables:
- {pays: ante-bonus, rows: [{hand: flush, odds: 0 to 1}, {hand: pair, odds: 1 too 1}]}
"""
    assert [(problem.line, problem.column, problem.message) for problem in compare(text)] == [
        (6, 26, f"{SCHEMA_ACCEPTS}`minimum` must be a whole number, found the number 5.00"),
        (9, 49, f"{SCHEMA_ACCEPTS}`0 to 1` has a zero: both numbers of odds are at least 1"),
    ]


def test_what_a_schema_alone_refuses_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = {"properties": {"licensee": {"properties": {"name": {"enum": ["Inn"]}}}, "tables": {"maxItems": 1}}}
    monkeypatch.setattr(schema_agreement, "_validator", lambda _: build_validator(narrow))
    accepts = f"{DISAGREE}the model accepts what the schema submission.json rejects: "
    assert [
        (problem.line, problem.column, problem.severity, problem.message) for problem in compare("tables: [T1, T2]\n")
    ] == [
        (2, 18, "warning", f'{accepts}enum ["Inn"] is violated'),
        (5, 9, "warning", f"{accepts}maxItems 1 is violated"),
    ]


@pytest.mark.parametrize("name", ['" "', '"\\u2028"', '"\\t\\n"'])
def test_a_text_of_which_nothing_shows_is_refused_by_both(name: str) -> None:
    text = SUBMISSION.replace("House", name)
    tree = load_yaml(decode_source("house.yaml", text.encode()))
    assert compare_model_and_schema(tree, "submission") == []
    assert find_refusals(schema_agreement._validator("submission"), tree.data)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "text", "accepted"),
    [
        ("^[a-z]+$", "abc", True),
        ("^[a-z]+$", "abc\n", False),  # Python's `$` also matches before a last line break
        (r"^\d$", "5", True),
        (r"^\d$", "\u0665", False),  # Python's `\d` is a digit of any script
        (r"^\w+$", "\u00e9", False),
        (r"^[\u{1F0A1}]$", "\U0001f0a1", True),  # which Python cannot read
    ],
)
def test_patterns_are_those_of_ecma_262(pattern: str, text: str, accepted: bool) -> None:
    assert (not find_refusals(build_validator({"pattern": pattern}), text)) is accepted


def test_days_are_days_of_the_calendar_to_both() -> None:
    assert compare("notices: [{of: change, given: 2026-02-30}]\n") == []


@pytest.mark.parametrize(("leaf", "refused"), [("{placed: a}", 0), ("{placed: 1}", 1)])
def test_what_lies_as_deep_as_a_file_may_is_held_against_both(leaf: str, refused: int) -> None:
    deep = 56
    text = f"""topic: Deep
requirements:
- requirement: deep
  title: Deep
  clauses: ["(1)"]
  evidence: round
  severity: major
  message: It lies deep.
  check: {{rule: {{each: seat, must: {"{not: " * deep}{leaf}{"}" * deep}}}}}
"""
    tree = load_yaml(decode_source("deep.yaml", text.encode()))
    assert compare_model_and_schema(tree, "requirements") == []
    found = find_refusals(schema_agreement._validator("requirements"), tree.data)  # type: ignore[arg-type]
    assert [len(problem.path) for problem in found] == [deep + 6] * refused


def test_a_schema_that_is_asked_too_much_has_no_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    monkeypatch.setattr(schema_agreement, "_validator", lambda _: build_validator(endless))
    (found,) = compare("")
    assert found.message == "the schema submission.json cannot check this: the data is nested too deeply"


def test_rules_check_says_so_beside_the_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readings = folder / "co-rule8-burnout" / "readings.yaml"
    document = folder / "co-rule8-burnout" / "document.yaml"
    edit(document, "lines: [5, 5]", "lines: [5.0, 5]")
    done = rules_check(folder, "-o", "json")
    assert done.return_value == 3
    [entry] = json.loads(done.stdout)
    assert not entry["sound"]
    problems = [(Path(problem["file"]), problem["code"], problem["severity"]) for problem in entry["problems"]]
    assert (document, "wrong-type", "error") in problems
    assert (document, "schema-disagreement", "warning") in problems
    assert readings not in [file for file, _, _ in problems]
    assert "accepts what the model rejects" in done.stderr


def test_submissions_that_examples_start_from_are_held_against_both(folder: Path) -> None:
    bases = folder / "co-rule8-burnout" / "examples" / "bases.yaml"
    edit(bases, "decks: 2}", "decks: 2.0}")
    done = rules_check(folder, "-o", "json")
    assert done.return_value == 0  # only the examples themselves require more
    [entry] = json.loads(done.stdout)
    [problem] = [problem for problem in entry["problems"] if problem["code"] == "schema-disagreement"]
    line = bases.read_text("utf-8").splitlines()[problem["line"] - 1]
    assert line[problem["column"] - 1 :].startswith("2.0")


def test_a_file_on_which_both_agreed_is_not_held_against_them_again(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    held: list[str] = []

    def note_call(tree: PositionedDocument, name: str, *, at: TreePath = ()) -> list[RuleMistake]:
        held.append("/".join(map(str, (name, *at))))
        return compare_model_and_schema(tree, name, at=at)

    monkeypatch.setattr(schema_agreement, "compare_model_and_schema", note_call)

    def warnings() -> list[str]:
        [entry] = json.loads(rules_check(folder, "-o", "json").stdout)
        return [problem["message"] for problem in entry["problems"] if problem["code"] == "schema-disagreement"]

    bases = folder / "co-rule8-burnout" / "examples" / "bases.yaml"
    assert warnings() == []
    assert {"document", "rankings", "bases", "submission/submissions/two-decks-by-hand"} <= set(held)
    held.clear()
    assert warnings() == held == []
    edit(bases, "decks: 2}", "decks: 2.0}")
    for _ in range(2):  # every message is reported every time
        held.clear()
        assert len(warnings()) == 1
        assert {card.partition("/")[0] for card in held} == {"bases", "submission"}
    edit(bases, "decks: 2.0}", "decks: 2}")
    held.clear()
    assert warnings() == held == []
    monkeypatch.setenv(CACHE_VARIABLE, "off")
    assert warnings() == []
    assert "document" in held


def test_the_oldest_files_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(schema_agreement, "MAX_AGREED_FILES", 3)
    for number in range(5):
        agreed = AgreedFiles.load()
        agreed.add("game", str(number))
        agreed.save()
    assert [AgreedFiles.load().has_agreed("game", str(number)) for number in range(5)] == [
        False,
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize("arguments", [["rules", "list"], ["rules", "show", "s38"], ["rules", "test", "--help"]])
def test_other_commands_do_without_jsonschema(arguments: list[str]) -> None:
    program = (
        "import sys; from click.testing import CliRunner; from fairdeal.cli.main import fairdeal;"
        f"CliRunner().invoke(fairdeal, {arguments!r}, standalone_mode=False);"
        "print(*({'jsonschema', 'regress', 'ruamel', 'referencing'} & set(sys.modules)))"
    )
    done: Any = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []
