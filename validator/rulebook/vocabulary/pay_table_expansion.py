"""Expansion of short forms of pay tables: matrices of a game, and printed tables that a submission names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from fairdeal.validator.rulebook.vocabulary.rewritten_document import FilePart, NewPart, keep_parts, rewrite_document
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import NO_ROW, PayMatrix
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument
from fairdeal.validator.text.validation import validate

_MATRICES_KEY = "pay-matrices"
_TABLES_KEY = "pay-tables"
_MATRIX_KEYS = ("tables", "rows")


def expand_pay_matrices(tree: PositionedDocument) -> PositionedDocument:
    """Return a game in which every table of a matrix is an entry of `pay-tables`, positioned at its part of the matrix.

    Raises InputError for a matrix that breaks its model, whose rows do not have one entry for each table, or which
    repeats a table.
    """
    data = tree.data
    if not isinstance(data, dict) or not isinstance(data.get(_MATRICES_KEY), list):
        return tree
    matrices = data[_MATRICES_KEY]
    assert isinstance(matrices, list)
    tables = data.get(_TABLES_KEY, {})
    all_tables = keep_parts(tree, _TABLES_KEY) if isinstance(tables, dict) else {}
    problems: list[Diagnostic] = []
    for number, matrix in enumerate(matrices):
        here = (_MATRICES_KEY, number)
        model = validate(tree, PayMatrix, at=here)
        assert isinstance(matrix, dict)
        problems += _find_uneven_rows(tree, model, here)
        for name in model.tables:
            if name in all_tables:
                message = f"the pay table {name} is defined twice"
                problems.append(tree.build_diagnostic((*here, "tables", name), "semantic-error", message, at_key=True))
        if not problems:
            for column, name in enumerate(model.tables):
                all_tables[name] = _extract_table(tree, here, name, column)
    if problems:
        raise InputError(limit_diagnostics(problems))
    rest = {key: part for key, part in keep_parts(tree).items() if key != _MATRICES_KEY}
    return rewrite_document(tree, {**rest, _TABLES_KEY: all_tables}, (_MATRICES_KEY,))


def _find_uneven_rows(tree: PositionedDocument, matrix: PayMatrix, here: DataPath) -> Iterator[Diagnostic]:
    """Yield diagnostics for rows that do not have one entry for each table."""
    for row, cells in matrix.rows.items():
        if len(cells) != len(matrix.tables):
            message = f"the row {row} has {len(cells)} entries, but there are {len(matrix.tables)} tables"
            help_ = f"write `{NO_ROW}` for a table that does not have the row"
            yield tree.build_diagnostic((*here, "rows", row), "semantic-error", message, help=help_)


def _extract_table(tree: PositionedDocument, here: DataPath, name: str, column: int) -> NewPart:
    """Return a table of the matrix at `here`."""
    place = (*here, "tables", name)
    parts: dict[str, Any] = keep_parts(tree, *here) | keep_parts(tree, *place)
    rows = [(*here, "rows", row) for row in keep_parts(tree, *here, "rows")]
    payouts = {
        str(row[-1]): FilePart(path=(*row, column), key=row) for row in rows if tree.get_value((*row, column)) != NO_ROW
    }
    requirements = (*here, "requirements")
    if column and requirements in tree.positions and (*place, "requirements") not in tree.positions:
        stated = keep_parts(tree, *requirements)  # the first table defines them
        names = [(*part.path, "requirement") for part in stated]
        parts["requirements"] = [
            FilePart(path=path) if path in tree.positions else part for path, part in zip(names, stated, strict=True)
        ]
    parts = {key: part for key, part in parts.items() if key not in _MATRIX_KEYS}
    return NewPart(data={**parts, "rows": payouts}, at=place)


_PAY_TABLES_KEY = "pay-tables"


def expand_printed_tables(tree: PositionedDocument, game: Game | None, inside: DataPath = ()) -> PositionedDocument:
    """Return a submission, or a file with one `inside`, in which named printed pay tables have their rows.

    Names that the game does not define are left as they are. Raises InputError if a table has both a name and rows of
    its own.
    """
    if game is None or (*inside, _PAY_TABLES_KEY) not in tree.positions:
        return tree
    return replace(tree, data=_fill_rows(tree, game, tree.data, inside, ()))


def _fill_rows(tree: PositionedDocument, game: Game, data: Data, inside: DataPath, here: DataPath) -> Data:
    """Return data with all tables below a place filled in; `inside` is the path from there to the submission."""
    if not isinstance(data, dict):
        return data
    if inside:
        key = str(inside[0])
        return {**data, key: _fill_rows(tree, game, data[key], inside[1:], (*here, key))}
    tables = data[_PAY_TABLES_KEY]
    if not isinstance(tables, list):
        return data
    return {
        **data,
        _PAY_TABLES_KEY: [
            _fill_table(tree, game, table, (*here, _PAY_TABLES_KEY, at)) for at, table in enumerate(tables)
        ],
    }


def _fill_table(tree: PositionedDocument, game: Game, table: Data, here: DataPath) -> Data:
    if not isinstance(table, dict) or (name := table.get("printed")) not in game.pay_tables:
        return table
    if "rows" in table:
        message = "a pay table has either its own `rows` or the name of a `printed` one, not both"
        help_ = "remove the rows if they are those of the printed table, otherwise the name"
        raise InputError(
            (tree.build_diagnostic((*here, "printed"), "semantic-error", message, help=help_, at_key=True),)
        )
    rows: list[Data] = [{"hand": hand, "odds": str(payout)} for hand, payout in game.pay_tables[str(name)].rows.items()]
    return {**table, "rows": rows}
