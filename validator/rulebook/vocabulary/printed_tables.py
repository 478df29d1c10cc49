"""Pay tables of a submission that name a printed one: their rows are those that the regulation prints."""

from __future__ import annotations

from msgspec.structs import replace

from validator.rules.model.game import Game
from validator.text.diagnostics import InputError
from validator.text.trees.tree import Data, Path, Tree

_TABLES = "pay-tables"


def with_printed_rows(tree: Tree, game: Game | None, inside: Path = ()) -> Tree:
    """The tree of a submission, or of a file with one `inside`, in which every pay table that names a printed one has
    its rows.

    Names that the game does not have are left as they stand. Raises InputError where a table has rows of its own beside
    the name: which of the two is meant, nobody knows.
    """
    if game is None or (*inside, _TABLES) not in tree.positions:
        return tree
    return replace(tree, data=_filled(tree, game, tree.data, inside, ()))


def _filled(tree: Tree, game: Game, data: Data, inside: Path, here: Path) -> Data:
    """The data at a place with all tables below it filled in; `inside` is the way from there to the submission."""
    if not isinstance(data, dict):
        return data
    if inside:
        key = str(inside[0])
        return {**data, key: _filled(tree, game, data[key], inside[1:], (*here, key))}
    tables = data[_TABLES]
    if not isinstance(tables, list):
        return data
    return {**data, _TABLES: [_table(tree, game, one, (*here, _TABLES, at)) for at, one in enumerate(tables)]}


def _table(tree: Tree, game: Game, table: Data, here: Path) -> Data:
    if not isinstance(table, dict) or (name := table.get("printed")) not in game.pay_tables:
        return table
    if "rows" in table:
        message = "a pay table says either its `rows` or the name of a `printed` one, not both"
        help_ = "leave out the rows where they are those of the printed table, else the name"
        raise InputError((tree.diagnostic((*here, "printed"), "semantic-error", message, help=help_, at_key=True),))
    rows: list[Data] = [{"hand": hand, "odds": str(payout)} for hand, payout in game.pay_tables[str(name)].rows.items()]
    return {**table, "rows": rows}
