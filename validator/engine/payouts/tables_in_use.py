"""Pay tables that a line may be paid by: the posted one if it decides, else every printed one."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from validator.arrays import Flags
from validator.engine.compiled.printed_tables import MOST_PARTS, Printed, Worth, base_of, parts_of
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO
from validator.rules.model.settlement import ByTable


class InUse(Struct, frozen=True, kw_only=True, eq=False):
    """Pay table that a line may be paid by."""

    printed: Printed
    """Printed table that it is derived from."""
    rows: Mapping[str, Worth]
    """Worth of its rows."""
    floor: bool
    """True if more may be paid."""
    rounds: Flags | None
    """Rounds in which it may be in use; None if in all."""


@fact
def tables_in_use(scope: Scope, due: ByTable) -> tuple[InUse, ...]:
    """Return the tables that a line may be paid by, in printed order.

    Printed tables that are in use in no round are left out. With `match: exactly`, a posted table decides if it is one
    of the printed ones, and is ignored otherwise. With `at-least`, the posted tables that are nowhere below a printed
    table replace it. If the regulator waived the printed tables, the posted tables replace all of them.
    """
    result: list[InUse] = []
    for printed in scope.prepared.printed.get(due.of, ()):
        rounds = _find_usable_rounds(scope, printed)
        if rounds is None or rounds.any():
            result += _list_alternatives(scope, due, printed, rounds)
    permitted = _find_permitted(scope, due.of, result)
    if permitted:
        return permitted
    if scope.prepared.match_of(due) == "exactly":
        posted = [table for table in result if table.rows in _list_posted(scope, due.of, table.printed)]
        return tuple(posted or result)
    return tuple(result)


def _find_permitted(scope: Scope, line: str, printed_tables: list[InUse]) -> tuple[InUse, ...]:
    """Return the posted tables of a line that a waiver permits to pay any odds, each with the most similar printed
    table.

    The result is empty without such a waiver.
    """
    configuration = scope.configuration
    if configuration is None or line not in configuration.permitted_tables or not printed_tables:
        return ()
    tables: list[InUse] = []
    for number in range(len(configuration.pay_tables.get(line, ()))):
        candidates = [(table, _list_posted(scope, line, table.printed)[number]) for table in printed_tables]
        nearest, rows = min(candidates, key=lambda pair: len(pair[0].printed.worth.items() ^ pair[1].items()))
        if parts_of(rows) <= MOST_PARTS:
            tables.append(InUse(printed=nearest.printed, rows=rows, floor=False, rounds=nearest.rounds))
    return tuple(tables)


def _find_usable_rounds(scope: Scope, printed: Printed) -> Flags | None:
    """Return the rounds in which a table may be in use; None if in all."""
    if printed.table.when is None:
        return None
    possible: Flags = scope.truth(printed.table.when, "round") != NO
    return None if possible.all() else possible


def _list_alternatives(scope: Scope, due: ByTable, printed: Printed, rounds: Flags | None) -> list[InUse]:
    """Return a printed table as a case of settlement uses it: the table itself, a minimum, or the posted tables above
    it.
    """
    match = scope.prepared.match_of(due)
    if match == "exactly":
        return [InUse(printed=printed, rows=printed.worth, floor=False, rounds=rounds)]
    lawful = [
        posted
        for posted in _list_posted(scope, due.of, printed)
        if match != "at-least-printed" and printed.is_floor_of(posted) and parts_of(posted) <= MOST_PARTS
    ]
    if not lawful:
        return [InUse(printed=printed, rows=printed.worth, floor=True, rounds=rounds)]
    floor = match == "at-least-posted"
    return [InUse(printed=printed, rows=posted, floor=floor, rounds=rounds) for posted in lawful]


def _list_posted(scope: Scope, line: str, printed: Printed) -> list[Mapping[str, Worth]]:
    """Return the posted tables of a line by worth, in the units of a printed table."""
    configuration = scope.configuration
    if configuration is None:
        return []
    size = configuration.only_size(base_of(scope.prepared.game, line))
    return [printed.posted_worth(rows, size) for rows in configuration.pay_tables.get(line, ())]
