"""Pay tables of a submission that name a printed one, filled with its rows."""

from __future__ import annotations

from msgspec.structs import replace

from validator.rules.model.game import Game
from validator.text.diagnostics import InputError
from validator.text.trees.tree import Data, Path, Tree

_PAY_TABLES_KEY = "pay-tables"


def with_printed_rows(tree: Tree, game: Game | None, inside: Path = ()) -> Tree:
    """Return a submission, or a file with one `inside`, in which named printed pay tables have their rows.

    Names that the game does not define are left as they are. Raises InputError if a table has both a name and rows of
    its own.
    """
    if game is None or (*inside, _PAY_TABLES_KEY) not in tree.positions:
        return tree
    return replace(tree, data=_fill_rows(tree, game, tree.data, inside, ()))


def _fill_rows(tree: Tree, game: Game, data: Data, inside: Path, here: Path) -> Data:
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


def _fill_table(tree: Tree, game: Game, table: Data, here: Path) -> Data:
    if not isinstance(table, dict) or (name := table.get("printed")) not in game.pay_tables:
        return table
    if "rows" in table:
        message = "a pay table has either its own `rows` or the name of a `printed` one, not both"
        help_ = "remove the rows if they are those of the printed table, otherwise the name"
        raise InputError((tree.diagnostic((*here, "printed"), "semantic-error", message, help=help_, at_key=True),))
    rows: list[Data] = [{"hand": hand, "odds": str(payout)} for hand, payout in game.pay_tables[str(name)].rows.items()]
    return {**table, "rows": rows}
