"""`rules check` and `check` validate files by the published JSON Schemas first, with one message for each fault."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pydantic import BaseModel

from fairdeal.cli.main import fairdeal
from fairdeal.validator.audit.run import submission_check
from fairdeal.validator.disk_cache import CACHE_VARIABLE
from fairdeal.validator.evidence import submission_reader
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.rules import rule_files
from fairdeal.validator.rules.rule_files import AgreedFiles, RuleFileCache, iterate_all_files
from fairdeal.validator.schemas import rule_file_schemas, schema_validation
from fairdeal.validator.schemas.rule_file_schemas import validate_by_schema, validate_rule_files
from fairdeal.validator.schemas.schema_validation import build_validator, find_refusals, load_validator
from tests.facade.rules import list_documents, rules_folder
from tests.facade.text import DataPath as TreePath
from tests.facade.text import Diagnostic, PositionedDocument, decode_source, load_yaml, render_diagnostic

SUBMISSION = """submission: spring
licensee: {name: House}
document: co-rule10-3card-shine
effective: 2026-01-01
"""
NARROW = {"properties": {"licensee": {"properties": {"name": {"enum": ["Inn"]}}}, "tables": {"maxItems": 1}}}
"""Schema that rejects what the model of submissions accepts."""


def validate_text(text: str) -> list[Diagnostic]:
    return validate_by_schema(load_yaml(decode_source("house.yaml", (SUBMISSION + text).encode())), "submission")


def check_text(tmp_path: Path, text: str) -> Result:
    file = tmp_path / "house.yaml"
    file.write_text(SUBMISSION + text, "utf-8")
    return CliRunner().invoke(fairdeal, ["check", str(file)], standalone_mode=False)


def use_schema(monkeypatch: pytest.MonkeyPatch, schema: dict[str, Any]) -> None:
    """Let a schema take the place of all published ones; no file was accepted by it before."""
    monkeypatch.setenv(CACHE_VARIABLE, "off")
    monkeypatch.setattr(schema_validation, "load_validator", lambda _: build_validator(schema))


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


def test_schemas_accept_every_shipped_rule_file() -> None:
    files = [path for document in list_documents() for path in iterate_all_files(document, rules_folder())]
    assert len(files) > 60
    assert list(validate_rule_files(files, RuleFileCache())) == []


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("5.005", "`5.005` has more than 2 decimals"),  # an amount to JSON Schema, which knows no currency
        ("five", "`five` is not an amount"),
        ("-1", "`minimum` must be at least 0, found the number -1"),
        ("true", '`minimum` must be an amount such as 5, 5.00 or "$5.00", in units of the currency, found true'),
    ],
)
def test_a_fault_that_the_model_explains_has_one_message(tmp_path: Path, written: str, message: str) -> None:
    text = f"wagers:\n- {{wager: ante, minimum: {written}, maximum: 100}}\n"
    assert validate_text(text) == []
    done = check_text(tmp_path, text)
    assert done.return_value == 3
    assert done.stderr.count("error[") == 1
    assert message in done.stderr
    assert "house.yaml:6:26" in done.stderr


def test_a_value_that_only_the_schema_rejects_is_an_error_at_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    use_schema(monkeypatch, NARROW)
    first, second = validate_text("tables: [T1, T2]\n")
    assert render_diagnostic(first, color=False) == (
        'error[schema-violation]: the JSON Schema submission.json rejects this: enum ["Inn"] is violated\n'
        " --> house.yaml:2:18\n"
        "  |\n"
        "2 | licensee: {name: House}\n"
        "  |                  ^^^^^\n"
        "  = expected: Inn"
    )
    assert (second.line, second.column, second.severity) == (5, 9, "error")
    assert second.message == "the JSON Schema submission.json rejects this: maxItems 1 is violated"


def test_check_refuses_what_only_the_schema_rejects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_text(tmp_path, "tables: [T1, T2]\n").return_value == 4
    use_schema(monkeypatch, NARROW)
    done = check_text(tmp_path, "tables: [T1, T2]\nfoo: 1\n")
    assert done.return_value == 3
    assert [line for line in done.stderr.splitlines() if line.startswith("error[")] == [
        'error[schema-violation]: the JSON Schema submission.json rejects this: enum ["Inn"] is violated',
        "error[schema-violation]: the JSON Schema submission.json rejects this: maxItems 1 is violated",
        "error[unknown-key]: `foo` is not a key of a submission",
    ]


def test_the_schema_is_evaluated_before_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, "off")
    order: list[str] = []
    parse, find = submission_reader.parse_submission, schema_validation.find_schema_violations

    def parse_noted(tree: PositionedDocument) -> Submission:
        order.append("model")
        return parse(tree)

    def find_noted(tree: PositionedDocument, name: str, model: type[BaseModel]) -> list[Diagnostic]:
        order.append("schema")
        return find(tree, name, model)

    monkeypatch.setattr(submission_check, "parse_submission", parse_noted)
    monkeypatch.setattr(schema_validation, "find_schema_violations", find_noted)
    assert check_text(tmp_path, "").return_value == 4
    assert order == ["schema", "model"]


@pytest.mark.parametrize("name", ['" "', '"\\u2028"', '"\\t\\n"'])
def test_a_text_of_which_nothing_shows_is_refused_by_both(name: str) -> None:
    text = SUBMISSION.replace("House", name)
    tree = load_yaml(decode_source("house.yaml", text.encode()))
    assert validate_by_schema(tree, "submission") == []
    assert find_refusals(load_validator("submission"), tree.data)  # type: ignore[arg-type]


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
    assert validate_text("notices: [{of: change, given: 2026-02-30}]\n") == []


@pytest.mark.parametrize(("leaf", "refused"), [("{placed: a}", 0), ("{placed: 1}", 1)])
def test_what_lies_as_deep_as_a_file_may_is_held_against_both(leaf: str, refused: int) -> None:
    deep = 56
    text = f"""title: Deep
requirements:
- requirement: deep
  title: Deep
  clauses: ["(1)"]
  severity: major
  message: It lies deep.
  each: seat
  must: {"{not: " * deep}{leaf}{"}" * deep}
"""
    tree = load_yaml(decode_source("deep.yaml", text.encode()))
    assert validate_by_schema(tree, "requirements") == []
    found = find_refusals(load_validator("requirements"), tree.data)  # type: ignore[arg-type]
    assert [len(problem.path) for problem in found] == [deep + 4] * refused


def test_a_schema_that_is_asked_too_much_has_no_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    use_schema(monkeypatch, endless)
    (found,) = validate_text("")
    assert found.severity == "warning"
    assert found.message == "the schema submission.json cannot check this: the data is nested too deeply"


def test_rules_check_reports_a_fault_once(folder: Path) -> None:
    document = folder / "co-rule8-burnout" / "document.yaml"
    edit(document, "lines: [5, 5]", "lines: [5.0, 5]")
    done = rules_check(folder, "-o", "json")
    assert done.return_value == 3
    [entry] = json.loads(done.stdout)
    assert not entry["sound"]
    assert [(Path(problem["file"]), problem["code"], problem["severity"]) for problem in entry["problems"]] == [
        (document, "wrong-type", "error")
    ]


def test_rules_check_reports_what_only_the_schema_rejects(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_schema(monkeypatch, {"properties": {"document": {"const": "another"}}})
    done = rules_check(folder, "-o", "json")
    assert done.return_value == 3
    [entry] = json.loads(done.stdout)
    assert not entry["sound"]
    [problem] = [
        problem for problem in entry["problems"] if problem["file"].endswith("/co-rule8-burnout/document.yaml")
    ]
    assert (problem["code"], problem["severity"], problem["expected"]) == ("schema-violation", "error", "another")


def test_submissions_that_examples_start_from_are_validated(folder: Path) -> None:
    bases = folder / "co-rule8-burnout" / "examples" / "bases.yaml"
    edit(bases, "decks: 2}", "decks: 2.0}")
    done = rules_check(folder, "-o", "json")
    assert done.return_value == 0  # only the examples themselves require more
    [entry] = json.loads(done.stdout)
    [problem] = entry["problems"]
    assert (problem["code"], problem["severity"]) == ("wrong-type", "warning")
    line = bases.read_text("utf-8").splitlines()[problem["line"] - 1]
    assert line[problem["column"] - 1 :].startswith("2.0")


def test_a_file_that_was_accepted_is_not_validated_again(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    held: list[str] = []

    def note_call(tree: PositionedDocument, name: str, *, at: TreePath = ()) -> list[Diagnostic]:
        held.append("/".join(map(str, (name, *at))))
        return validate_by_schema(tree, name, at=at)

    monkeypatch.setattr(rule_file_schemas, "validate_by_schema", note_call)

    def warnings() -> list[str]:
        [entry] = json.loads(rules_check(folder, "-o", "json").stdout)
        return [problem["message"] for problem in entry["problems"] if problem["severity"] == "warning"]

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
    monkeypatch.setattr(rule_files, "MAX_AGREED_FILES", 3)
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


def test_other_commands_do_without_jsonschema() -> None:
    commands = (["rules", "list"], ["rules", "show", "s38"], ["rules", "test", "--help"])
    program = f"""
import sys
from click.testing import CliRunner
from fairdeal.cli.main import fairdeal
for arguments in {commands!r}:
    ended = CliRunner().invoke(fairdeal, arguments, standalone_mode=False)
    print(ended.return_value or 0, *({{'jsonschema', 'regress', 'ruamel', 'referencing'}} & set(sys.modules)))
"""
    done: Any = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["0"] * len(commands)
