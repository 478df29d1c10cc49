"""Pay tables printed side by side: each is an ordinary table, and problems are reported at their own place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.facade.rules import Regulation, load_regulation, rules_folder
from tests.facade.text import InputError

DOCUMENT = "co-rule10-3card-shine"
ROW = "    flush: [4 to 1, 3 to 1, 4 to 1, 3 to 1]\n"


def read(folder: Path, old: str = "", new: str = "") -> Regulation:
    """Load the document with a change of its game."""
    root = folder / "rules"
    for name in ("vocabulary", DOCUMENT):
        shutil.copytree(rules_folder() / name, root / name)
    game = root / DOCUMENT / "game.yaml"
    text = game.read_text("utf-8")
    assert old in text
    game.write_text(text.replace(old, new, 1), "utf-8")
    return load_regulation(DOCUMENT, root)


def test_a_matrix_is_its_tables(tmp_path: Path) -> None:
    game = read(tmp_path).game
    assert game is not None and game.pay_matrices == []
    tables = {name: game.pay_tables[f"pair-xxx-{name}"] for name in "abcd"}
    assert {name: str(table.rows["flush"]) for name, table in tables.items()} == {
        "a": "4 to 1",
        "b": "3 to 1",
        "c": "4 to 1",
        "d": "3 to 1",
    }
    assert list(tables["b"].rows) == ["three-aces", *tables["a"].rows]
    assert {table.clauses[0] for table in tables.values()} == {f"pair-xxx-pay-table-{name}" for name in "abcd"}
    assert {(table.of, table.hand) for table in tables.values()} == {("pair-xxx", "player")}


def test_a_table_may_have_a_requirement_of_its_own(tmp_path: Path) -> None:
    own = "pair-xxx-d: {clauses: [pair-xxx-pay-table-d], requirements: [{requirement: table-d, severity: minor}]}"
    regulation = read(tmp_path, "pair-xxx-d: {clauses: [pair-xxx-pay-table-d]}", own)
    judged = {name: regulation.find_requirement(name).check.operand.one_of for name in ("pair-xxx-table", "table-d")}
    assert judged == {"pair-xxx-table": ["pair-xxx-a", "pair-xxx-b", "pair-xxx-c"], "table-d": ["pair-xxx-d"]}


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        (
            ROW,
            "    flush: [4 to 1, 3 to 1, 4 to 1]\n",
            "[4 to 1",
            "has 3 entries, but there are 4 tables",
        ),
        (ROW, ROW.replace("3 to 1]", "3 too 1]"), "3 too 1", "`3 too 1` is no payout"),
        (ROW, ROW.replace("flush", "flsh"), "flsh", "there is no row `flsh`"),
        ("pair-xxx-d: {", "ante-bonus: {", "ante-bonus", "the pay table ante-bonus is defined twice"),
        ("[pair-xxx-pay-table-d]", "[pair-xxx-pay-table-e]", "pair-xxx-pay-table-e", "there is no clause"),
        ("- of: pair-xxx\n", "- ov: pair-xxx\n", "ov", "`ov` is not a key of a pay matrix"),
        ("- of: pair-xxx\n  hand: player\n", "- of: pair-xxx\n", "pair-xxx-a", "exactly one of `hand` and `by`"),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(old: str, new: str, at: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, old, new)
    problem = error.value.diagnostics[0]
    assert said in problem.message
    assert (problem.source_line or "")[(problem.column or 1) - 1 :].startswith(at)
    assert Path(problem.file or "").name == "game.yaml"


def test_rows_in_another_order_are_one_problem_at_the_row(tmp_path: Path) -> None:
    straight = "    straight: [6 to 1, 6 to 1, 5 to 1, 6 to 1]\n"
    with pytest.raises(InputError) as error:
        read(tmp_path, straight + ROW, ROW + straight)
    (problem,) = error.value.diagnostics
    assert problem.message.endswith("from the highest hand down, but straight is higher than flush")
    assert (problem.source_line or "").lstrip().startswith("straight")


def test_an_unknown_row_is_one_problem_whatever_the_number_of_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, ROW, ROW.replace("flush", "flsh"))
    assert len(error.value.diagnostics) == 1
