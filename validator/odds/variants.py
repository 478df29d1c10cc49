"""Ways in which a house may offer a wager: options of the document, and printed pay tables that may be combined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import islice, product
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from validator.engine.compiled.game import Prepared
from validator.engine.compiled.printed_tables import Printed
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.core.kleene import NO
from validator.language.conditions import Condition
from validator.odds.rounds.columns import MadeUp, batch_of, cards_not_known
from validator.odds.rounds.play import Group
from validator.rulebook.lint.worked_out_from import worked_out_from
from validator.rules.model.game import Game
from validator.text.values.odds import Payout

MOST_WAYS = 64
"""Largest number of ways to offer a game that are enumerated."""
NOTHING_CHOSEN = Configuration(
    name="", offers=None, options={}, dealing=None, pay_tables={}, effective=date(1970, 1, 1), data={}
)


class Variant(Struct, frozen=True, kw_only=True):
    """Way to offer a group of wagers."""

    configuration: Configuration
    table: str | None
    """Pay table that names the variant."""
    options: Mapping[str, bool | str]
    """Options that were chosen for it."""
    posted: int | None
    """Number of the posted pay table in use, from 1; None unless a submission posts several."""


def options_of(game: Game) -> dict[str, list[bool | str]]:
    """Return the options of the house on which settlement, decisions and pay tables depend, with their values."""
    options: dict[str, list[bool | str]] = {}
    for part in (game.settlement, *game.decisions.values(), *game.pay_tables.values()):
        for term in worked_out_from(game, part):
            if isinstance(term, Condition) and term.operator == "option":
                values = options.setdefault(term.operand.name, [])
                if term.operand.is_ not in values:
                    values.append(term.operand.is_)
    return options


def variants(prepared: Prepared, group: Group, stated: Configuration | None) -> Iterator[Variant]:
    """Yield the permitted ways to offer a group or, with a submission, the ways that it leaves open."""
    base = stated or NOTHING_CHOSEN
    open_, posted = _find_open_options(prepared, base), _list_posted_tables(group, base)
    several = any(len(tables) > 1 for tables in posted)
    ways = product(product(*open_.values()), enumerate(product(*posted), start=1))
    for values, (number, of_house) in islice(ways, MOST_WAYS):
        # Posted tables are used as they are, even if the document does not permit them.
        stated_tables = {line: (rows,) for line, rows in of_house}
        configuration = replace(
            base,
            options={**base.options, **dict(zip(open_, values, strict=True))},
            pay_tables={**base.pay_tables, **stated_tables},
            permitted_tables=frozenset(stated_tables),
        )
        for names in _combine_printed_tables(prepared, group, configuration):
            tables = {table.table.for_: (table.rows,) for table in names}
            yield Variant(
                configuration=replace(configuration, pay_tables={**tables, **configuration.pay_tables}),
                table=_name_variant(prepared, group, names, configuration),
                options=configuration.options,
                posted=number if several else None,
            )


def all_gone_through(prepared: Prepared, group: Group, stated: Configuration | None) -> bool:
    """Return whether `list_variants` yields every way to offer a group."""
    base = stated or NOTHING_CHOSEN
    ways = prod(len(values) for values in _find_open_options(prepared, base).values())
    return ways * prod(len(tables) for tables in _list_posted_tables(group, base)) <= MOST_WAYS


def _find_open_options(prepared: Prepared, base: Configuration) -> dict[str, list[bool | str]]:
    return {name: values for name, values in options_of(prepared.game).items() if name not in base.options}


def _list_posted_tables(group: Group, base: Configuration) -> list[list[tuple[str, Mapping[str, Payout]]]]:
    """Return the posted tables, by line."""
    return [[(line, rows) for rows in tables] for line, tables in base.pay_tables.items() if line in group.lines]


def _combine_printed_tables(
    prepared: Prepared, group: Group, configuration: Configuration
) -> list[tuple[Printed, ...]]:
    """Return the combinations of printed tables for the lines without a stated table."""
    scope = Scope(batch_of(prepared, MadeUp(dealt=cards_not_known(prepared), stakes={})), prepared, configuration)
    lines = [line for line in group.lines if line in prepared.printed and line not in configuration.pay_tables]
    lines.sort(key=lambda line: line != group.wager)
    usable = [
        [printed for printed in prepared.printed[line] if scope.truth(printed.table.when, "round")[0] != NO]
        for line in lines
    ]
    return [chosen for chosen in product(*usable) if _may_be_combined(chosen, usable)]


def _may_be_combined(chosen: tuple[Printed, ...], usable: list[list[Printed]]) -> bool:
    """Return whether tables of several lines may be in use together. Tables that are printed under one clause are
    one table."""
    for table, usable_here in zip(chosen, usable, strict=True):
        for other in chosen:
            same_clause = [each for each in usable_here if _shares_clause(each, other)]
            if same_clause and table not in same_clause:
                return False
    return True


def _shares_clause(table: Printed, other: Printed) -> bool:
    return table is other or (
        table.table.for_ != other.table.for_ and not {*table.table.clauses}.isdisjoint(other.table.clauses)
    )


def _name_variant(prepared: Prepared, group: Group, names: tuple[Printed, ...], base: Configuration) -> str | None:
    """Return the table that names a way to offer a group: that of the wager itself, otherwise of a line that goes
    with it."""
    for line in sorted(group.lines, key=lambda line: line != group.wager):
        for table in names:
            if table.table.for_ == line:
                return table.name
        for posted in base.pay_tables.get(line, ()):
            return next(
                (
                    printed.name
                    for printed in prepared.printed.get(line, ())
                    if printed.posted_worth(posted, base.only_size(line)) == printed.worth
                ),
                None,
            )
    return None
