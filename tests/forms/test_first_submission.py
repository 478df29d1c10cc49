"""A casino's first submission, made from `fairdeal new` alone by filling in and choosing as its comments say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.facade.commands import run
from tests.facade.demo import DEMO
from tests.facade.rules import Rulebook, list_documents
from tests.facade.text import decode_source, load_yaml
from tests.forms.sheet import Sheet

RECIPES = yaml.safe_load(Path(__file__).with_name("recipes.yaml").read_text("utf-8"))


def blank(document: str) -> Sheet:
    done = run("new", document, "--licensee", "Golden Gulch Casino", "--effective", "2026-02-01")
    assert (done.code, done.err) == (0, "")
    return Sheet(done.text)


def check_text(text: str, tmp_path: Path, *options: str) -> Any:
    path = tmp_path / "submission.yaml"
    path.write_text(text, "utf-8")
    return run("check", path, *options)


def test_every_document_has_a_recipe() -> None:
    assert sorted(RECIPES) == sorted(list_documents())


@pytest.mark.parametrize("document", RECIPES)
def test_a_blank_form_states_nothing_that_fails(document: str, tmp_path: Path) -> None:
    sheet = blank(document)
    done = check_text(sheet.text, tmp_path, "-o", "json")
    assert (done.code, done.err) == (4, "")
    assert done.results["totals"]["requirements"].get("fail", 0) == 0
    assert run("new", document, "--licensee", "Golden Gulch Casino", "--effective", "2026-02-01").text == sheet.text


@pytest.mark.parametrize("document", RECIPES)
def test_a_form_that_is_filled_in_complies(document: str, tmp_path: Path) -> None:
    sheet = blank(document)
    recipe = RECIPES[document]
    for words in recipe["take"]:
        sheet.take(words)
    for after, values in recipe["fill"].items():
        for key, value in values.items():
            sheet.fill(key, value, after=after)
    while sheet.blanks("given"):
        sheet.fill("by", "A. Person, games supervisor", after="attestations:")
        sheet.fill("given", "2026-01-15", after="attestations:")
    done = check_text(sheet.text, tmp_path)
    assert done.code == 0, done.text + done.err


@pytest.mark.parametrize("document", RECIPES)
def test_an_example_complies_and_says_what_its_keys_are(document: str, tmp_path: Path) -> None:
    done = run("new", document, "--example")
    assert check_text(done.text, tmp_path).code == 0
    tree = load_yaml(decode_source("example.yaml", done.out))
    assert isinstance(tree.data, dict)
    for key in tree.data:
        line = tree.get_position((key,)).key_line
        assert line is not None
        assert tree.lines[line - 2].startswith("## "), key


@pytest.mark.parametrize("document", RECIPES)
def test_every_requirement_on_submissions_is_told_with_its_clauses(document: str) -> None:
    regulation = Rulebook().regulation(document)
    words = " ".join(line.lstrip().removeprefix("##").strip() for line in blank(document).lines)
    for requirement in regulation.requirements:
        check = requirement.check
        when = getattr(check.operand, "when", None)
        if requirement.evidence not in ("submission", "attestation") or requirement.until is not None:
            continue
        if when is not None and any(part in str(when) for part in ("reading=ReadingIs",)):
            continue  # reported only if the text is read so
        said = check.operand.statement if check.operator == "attested" else requirement.message
        assert said in words, requirement.requirement
        assert ", ".join(requirement.clauses) in words


def test_a_casino_without_a_name_is_told(tmp_path: Path) -> None:
    done = check_text(run("new", "co-rule8-burnout", "--effective", "2026-02-01").text, tmp_path)
    assert "warning[to-be-filled-in]" in done.err
    assert ":" in done.err


def test_nothing_that_exists_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("mine", "utf-8")
    done = run("new", "s38", "-o", path)
    assert (done.code, path.read_text("utf-8")) == (2, "mine")
    assert "exists already" in done.err
    assert run("new", "s38", "-o", path, "--overwrite").code == 0
    assert path.read_text("utf-8") != "mine"


def test_wrong_names_and_options_are_told() -> None:
    assert "did you mean `s38`" in run("new", "s39").err
    assert run("new", "s38", "--example", "--licensee", "A").code == 2


NAMES = [
    "a: b # c",
    "'",
    '"x"',
    "{",
    "- a",
    "null",
    "3:2",
    "012",
    "no",
    "\u202e",
    "2026-01-01",
    "a\nb",
    "\u2028",
    "\x85",
    "\x1b[31m",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_a_casino_is_written_as_it_is(name: str, tmp_path: Path) -> None:
    text = run("new", "co-rule8-burnout", "--licensee", name, "--effective", "2026-02-01").text
    tree = load_yaml(decode_source("form.yaml", text.encode()))
    assert tree.get_value(("licensee", "name")) == name


@pytest.mark.parametrize("name", ["", "x" * 10_001])
def test_a_name_that_could_not_be_read_is_refused(name: str) -> None:
    done = run("new", "co-rule8-burnout", "--licensee", name)
    assert (done.code, done.out) == (2, b"")
    assert "1 to 10,000 characters" in done.err


def test_no_rule_file_is_written_over() -> None:
    path = DEMO.parent / "game.yaml"
    before = path.read_bytes()
    for command in (["new", "s38", "--overwrite"], ["layout", DEMO / "submission.yaml"]):
        done = run(*command, "-o", path)
        assert (done.code, "would be overwritten" in done.err) == (2, True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("document", RECIPES)
@pytest.mark.parametrize("form", ["yaml", "xlsx"])
def test_a_check_of_a_blank_form_is_a_list_of_what_to_do(document: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"form.{form}"
    run("new", document, "--licensee", "A", "--effective", "2026-02-01", "-o", path)
    text = run("check", path).text
    listed = text[text.index("To do in the submission") :].splitlines()
    findings = run("check", path, "-o", "json").results["findings"]
    pointers = [line[line.rindex("(") + 1 : -1] for line in listed if re.match(r"  \d+\. ", line)]
    assert set(pointers) == {finding["where"]["pointer"] for finding in findings}
    assert f"at {len(pointers)} places" in listed[0] or len(pointers) == 1
    if form == "yaml":
        lines = [int(line.split(":")[1]) for line in listed if re.match(r"  \d+\. ", line)]
        assert lines == sorted(lines)
    assert not any("fail" in finding["status"] for finding in findings)


@pytest.mark.parametrize("document", RECIPES)
def test_places_to_do_have_the_same_order_in_both_forms(document: str, tmp_path: Path) -> None:
    orders = []
    for form in ("yaml", "xlsx"):
        path = tmp_path / f"form.{form}"
        run("new", document, "--licensee", "A", "--effective", "2026-02-01", "-o", path)
        orders.append(re.findall(r"^  \d+\. .*\((/.*)\)$", run("check", path).text, re.MULTILINE))
    assert sorted(orders[0]) == sorted(orders[1])


@pytest.mark.parametrize("output", ["json:house.json", "yaml:house.yaml", "house.json", "house.toml"])
def test_a_form_is_no_other_format(output: str, tmp_path: Path) -> None:
    done = run("new", list_documents()[0], "-o", tmp_path / output if ":" not in output else output)
    assert done.code == 2 and "would not be YAML" in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_thousand_with_a_point_is_refused_with_a_cached_schema_too(tmp_path: Path) -> None:
    text = run("new", "co-rule10-3card-shine", "--example").text
    assert "maximum: 100\n" in text and check_text(text, tmp_path).code == 0
    for _ in range(2):
        done = check_text(text.replace("maximum: 100\n", "maximum: 1.000\n", 1), tmp_path)
        assert (done.code, done.err.count("error[")) == (3, 1)
        assert "`1.000` may be a thousand times as much" in done.err


def test_a_whole_number_is_not_taken_for_a_thousand_that_is_elsewhere(tmp_path: Path) -> None:
    text = run("new", "co-rule10-3card-shine", "--example").text.replace("maximum: 100\n", "maximum: 1.000\n", 1)
    line = next(number for number, content in enumerate(text.splitlines(), 1) if "maximum: 1.000" in content)
    assert "minimum: 5\n" in text
    done = check_text(text.replace("minimum: 5\n", "minimum: 1\n"), tmp_path)
    assert done.err.count("error[") == 1 and f":{line}:" in done.err
