"""Pay tables that are printed side by side, hands down and tables across: each becomes a pay table like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from validator.rules.model.pay_tables import NO_ROW, PayMatrix
from validator.text.diagnostics import Diagnostic, InputError, at_most
from validator.text.models.validate import validate
from validator.text.trees.tree import Data, Path, Position, Tree

_MATRICES = "pay-matrices"
_TABLES = "pay-tables"
_OF_MATRIX = ("tables", "rows")


def with_single_tables(tree: Tree) -> Tree:
    """The tree of a game in which every table of a matrix stands among the `pay-tables`, each part at the place of the
    matrix that it is read from.

    Raises InputError for a matrix that breaks its model, whose rows have more or fewer entries than it has tables, or
    which has a table that stands elsewhere too.
    """
    data = tree.data
    if not isinstance(data, dict) or not isinstance(data.get(_MATRICES), list):
        return tree
    listed = data[_MATRICES]
    assert isinstance(listed, list)
    inside = {path: one for path, one in tree.positions.items() if path[:1] == (_MATRICES,)}
    tables = data.get(_TABLES, {})
    found = dict(tables) if isinstance(tables, dict) else {}
    positions = {path: one for path, one in tree.positions.items() if path not in inside}
    positions.setdefault((_TABLES,), inside[_MATRICES,])
    problems: list[Diagnostic] = []
    for number, matrix in enumerate(listed):
        here = (_MATRICES, number)
        model = validate(tree, PayMatrix, at=here)
        assert isinstance(matrix, dict)
        problems += _uneven(tree, model, here)
        for name in model.tables:
            if name in found:
                message = f"the pay table {name} stands elsewhere too"
                problems.append(tree.diagnostic((*here, "tables", name), "semantic-error", message, at_key=True))
        if not problems:
            for column, name in enumerate(model.tables):
                found[name] = _table(matrix, here, name, column, inside, positions)
    if problems:
        raise InputError(at_most(problems))
    rest = {key: value for key, value in data.items() if key != _MATRICES}
    return replace(tree, data={**rest, _TABLES: found}, positions=positions)


def _uneven(tree: Tree, matrix: PayMatrix, here: Path) -> Iterator[Diagnostic]:
    for row, cells in matrix.rows.items():
        if len(cells) != len(matrix.tables):
            message = f"the row {row} has {len(cells)} entries, and there are {len(matrix.tables)} tables"
            help_ = f"write `{NO_ROW}` for a table that does not have the row"
            yield tree.diagnostic((*here, "rows", row), "semantic-error", message, help=help_)


def _table(
    matrix: dict[str, Data],
    here: Path,
    name: str,
    column: int,
    inside: Mapping[Path, Position],
    positions: dict[Path, Position],
) -> Data:
    """A table of a matrix that stands `here`; its parts are put among the positions."""
    columns, rows = matrix["tables"], matrix["rows"]
    assert isinstance(columns, dict) and isinstance(rows, dict)
    own, place = columns[name], (_TABLES, name)
    assert isinstance(own, dict)
    positions[place] = inside[*here, "tables", name]
    for key in (key for key in {**matrix, **own} if key not in _OF_MATRIX):
        source = (*here, "tables", name, key) if key in own else (*here, key)
        positions |= {
            (*place, key, *path[len(source) :]): one for path, one in inside.items() if path[: len(source)] == source
        }
    positions[*place, "rows"] = inside[*here, "rows"]
    paid: dict[str, Data] = {}
    for row, cells in rows.items():
        assert isinstance(cells, list)
        if cells[column] != NO_ROW:
            paid[row] = cells[column]
            at, line = inside[*here, "rows", row, column], inside[*here, "rows", row]
            positions[*place, "rows", row] = at._replace(key_line=line.key_line, key_column=line.key_column)
    common = {key: value for key, value in matrix.items() if key not in _OF_MATRIX}
    if column and isinstance(asked := common.get("requirements"), list):  # the first table has their words
        common["requirements"] = [one.get("requirement") if isinstance(one, dict) else one for one in asked]
    return {**common, **own, "rows": paid}
