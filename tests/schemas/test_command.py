"""`fairdeal schema`: the published schema in one piece, and fast."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from fairdeal.cli.main import main
from fairdeal.cli.schema_command import schema
from fairdeal.validator.rules.rule_files import list_references, load_bundle
from tools.generated_files.schema_builders import SCHEMA_BUILDERS


@pytest.mark.parametrize("name", SCHEMA_BUILDERS)
def test_a_schema_is_printed_in_one_piece(name: str) -> None:
    result = CliRunner().invoke(schema, [name], standalone_mode=False)
    assert result.return_value == 0
    printed = json.loads(result.stdout)
    assert printed == load_bundle(name)
    assert list(printed)[:3] == ["$schema", "$id", "title"]
    Draft202012Validator.check_schema(printed)
    definitions = printed.get("$defs", {})
    used = {reference.removeprefix("#/$defs/") for reference in list_references(printed)}
    assert used == definitions.keys()


def test_without_a_name_all_are_listed() -> None:
    result = CliRunner().invoke(schema, [], standalone_mode=False)
    assert result.output.split() == sorted(SCHEMA_BUILDERS)


@pytest.mark.parametrize(("name", "hint"), [("gmae", "did you mean `game`?"), ("../pyproject", ""), ("", "")])
def test_an_unknown_name_is_a_usage_error(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["schema", name])
    assert stop.value.code == 2
    said = capsys.readouterr()
    assert not said.out
    assert f"there is no schema `{name}`" in said.err
    assert hint in said.err
    assert "document" in said.err


def test_nothing_heavy_is_imported() -> None:
    heavy = ("pydantic", "numpy", "yaml", "jsonschema")
    program = (
        "import sys; from click.testing import CliRunner; from fairdeal.cli.main import fairdeal;"
        "CliRunner().invoke(fairdeal, ['schema', 'game'], standalone_mode=False);"
        f"print(*(name for name in {heavy!r} if name in sys.modules))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert loaded.split() == []
