"""The pay tables a line may be paid by: the posted one where it settles the matter, else every printed one."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from validator.arrays import Flags
from validator.engine.compiled.printed_tables import MOST_PARTS, Printed, Worth, base_of, parts_of
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO
from validator.rules.model.settlement import ByTable


class InUse(Struct, frozen=True, kw_only=True, eq=False):
    """A table that a line may be paid by: the printed one it goes back to, and the worth of its rows.

    `floor` says that more may be paid; `rounds` in which rounds it may be in use, None if in all.
    """

    printed: Printed
    rows: Mapping[str, Worth]
    floor: bool
    rounds: Flags | None


@fact
def tables_in_use(scope: Scope, due: ByTable) -> tuple[InUse, ...]:
    """The tables that a line may be paid by, in printed order.

    Of the printed tables those drop out that are not in use in any round. With `match: exactly` a posted table
    settles the matter if it is one of those left; it does nothing if the text does not permit it. With `at-least`
    each printed table gives way to the posted ones that are nowhere below it. Where the regulator waived what the text
    prints, the posted tables stand in place of all printed ones.
    """
    result: list[InUse] = []
    for printed in scope.prepared.printed.get(due.of, ()):
        rounds = _rounds(scope, printed)
        if rounds is None or rounds.any():
            result += _readings_of(scope, due, printed, rounds)
    permitted = _permitted(scope, due.of, result)
    if permitted:
        return permitted
    if scope.prepared.match_of(due) == "exactly":
        posted = [table for table in result if table.rows in _posted(scope, due.of, table.printed)]
        return tuple(posted or result)
    return tuple(result)


def _permitted(scope: Scope, line: str, found: list[InUse]) -> tuple[InUse, ...]:
    """The posted tables of a line that may pay what they like, each as it goes back to the printed one it differs least
    from; none where there is no waiver of that kind."""
    configuration = scope.configuration
    if configuration is None or line not in configuration.permitted_tables or not found:
        return ()
    tables: list[InUse] = []
    for number in range(len(configuration.pay_tables.get(line, ()))):
        alike = [(table, _posted(scope, line, table.printed)[number]) for table in found]
        nearest, rows = min(alike, key=lambda pair: len(pair[0].printed.worth.items() ^ pair[1].items()))
        if parts_of(rows) <= MOST_PARTS:
            tables.append(InUse(printed=nearest.printed, rows=rows, floor=False, rounds=nearest.rounds))
    return tuple(tables)


def _rounds(scope: Scope, printed: Printed) -> Flags | None:
    """In which rounds a table may be in use, None if in all."""
    if printed.table.when is None:
        return None
    possible: Flags = scope.truth(printed.table.when, "round") != NO
    return None if possible.all() else possible


def _readings_of(scope: Scope, due: ByTable, printed: Printed, rounds: Flags | None) -> list[InUse]:
    """A printed table as a case of settlement takes it: itself, a floor, or the posted tables above it."""
    match = scope.prepared.match_of(due)
    if match == "exactly":
        return [InUse(printed=printed, rows=printed.worth, floor=False, rounds=rounds)]
    lawful = [
        posted
        for posted in _posted(scope, due.of, printed)
        if match != "at-least-printed" and printed.is_floor_of(posted) and parts_of(posted) <= MOST_PARTS
    ]
    if not lawful:
        return [InUse(printed=printed, rows=printed.worth, floor=True, rounds=rounds)]
    floor = match == "at-least-posted"
    return [InUse(printed=printed, rows=posted, floor=floor, rounds=rounds) for posted in lawful]


def _posted(scope: Scope, line: str, printed: Printed) -> list[Mapping[str, Worth]]:
    """The posted tables of a line, by worth as the printed one reckons it."""
    configuration = scope.configuration
    if configuration is None:
        return []
    size = configuration.only_size(base_of(scope.prepared.game, line))
    return [printed.posted_worth(rows, size) for rows in configuration.pay_tables.get(line, ())]
