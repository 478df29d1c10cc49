"""Pay tables that a line may be paid by: the posted one if it decides, else every printed one."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from validator.arrays import Flags
from validator.engine.compiled.printed_tables import (
    MAX_TABLE_DENOMINATOR,
    PrintedTable,
    Worth,
    find_base_wager,
    find_common_denominator,
)
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.kleene import NO
from validator.rules.model.settlement import ByTable


class TableInUse(Struct, frozen=True, kw_only=True, eq=False):
    """Pay table that a line may be paid by."""

    printed: PrintedTable
    """Printed table that it is derived from."""
    worths: Mapping[str, Worth]
    """Worth of its rows."""
    is_minimum: bool
    """True if more may be paid."""
    usable_rounds: Flags | None
    """Rounds in which it may be in use; None if in all."""


@cached_fact
def find_tables_in_use(scope: EvaluationContext, due: ByTable) -> tuple[TableInUse, ...]:
    """Return the tables that a line may be paid by, in printed order.

    Printed tables that are in use in no round are left out. With `match: exactly`, a posted table decides if it is one
    of the printed ones, and is ignored otherwise. With `at-least`, the posted tables that are nowhere below a printed
    table replace it. If the regulator waived the printed tables, the posted tables replace all of them.
    """
    result: list[TableInUse] = []
    for printed in scope.compiled_game.printed_tables.get(due.of, ()):
        rounds = _find_usable_rounds(scope, printed)
        if rounds is None or rounds.any():
            result += _list_alternatives(scope, due, printed, rounds)
    permitted = _find_permitted(scope, due.of, result)
    if permitted:
        return permitted
    if scope.compiled_game.resolve_match(due) == "exactly":
        posted = [table for table in result if table.worths in _list_posted(scope, due.of, table.printed)]
        return tuple(posted or result)
    return tuple(result)


def _find_permitted(scope: EvaluationContext, line: str, printed_tables: list[TableInUse]) -> tuple[TableInUse, ...]:
    """Return the posted tables of a line that a waiver permits to pay any odds, each with the most similar printed
    table.

    The result is empty without such a waiver.
    """
    configuration = scope.configuration
    if configuration is None or line not in configuration.permitted_tables or not printed_tables:
        return ()
    tables: list[TableInUse] = []
    for number in range(len(configuration.pay_tables.get(line, ()))):
        candidates = [(table, _list_posted(scope, line, table.printed)[number]) for table in printed_tables]
        nearest, rows = min(candidates, key=lambda pair: len(pair[0].printed.worth.items() ^ pair[1].items()))
        if find_common_denominator(rows) <= MAX_TABLE_DENOMINATOR:
            tables.append(
                TableInUse(printed=nearest.printed, worths=rows, is_minimum=False, usable_rounds=nearest.usable_rounds)
            )
    return tuple(tables)


def _find_usable_rounds(scope: EvaluationContext, printed: PrintedTable) -> Flags | None:
    """Return the rounds in which a table may be in use; None if in all."""
    if printed.table.when is None:
        return None
    possible: Flags = scope.evaluate(printed.table.when, "round") != NO
    return None if possible.all() else possible


def _list_alternatives(
    scope: EvaluationContext, due: ByTable, printed: PrintedTable, rounds: Flags | None
) -> list[TableInUse]:
    """Return a printed table as a case of settlement uses it: the table itself, a minimum, or the posted tables above
    it.
    """
    match = scope.compiled_game.resolve_match(due)
    if match == "exactly":
        return [TableInUse(printed=printed, worths=printed.worth, is_minimum=False, usable_rounds=rounds)]
    lawful = [
        posted
        for posted in _list_posted(scope, due.of, printed)
        if match != "at-least-printed"
        and printed.is_floor_of(posted)
        and find_common_denominator(posted) <= MAX_TABLE_DENOMINATOR
    ]
    if not lawful:
        return [TableInUse(printed=printed, worths=printed.worth, is_minimum=True, usable_rounds=rounds)]
    floor = match == "at-least-posted"
    return [TableInUse(printed=printed, worths=posted, is_minimum=floor, usable_rounds=rounds) for posted in lawful]


def _list_posted(scope: EvaluationContext, line: str, printed: PrintedTable) -> list[Mapping[str, Worth]]:
    """Return the posted tables of a line by worth, in the units of a printed table."""
    configuration = scope.configuration
    if configuration is None:
        return []
    size = configuration.fixed_stake(find_base_wager(scope.compiled_game.game, line))
    return [printed.compute_posted_worth(rows, size) for rows in configuration.pay_tables.get(line, ())]
