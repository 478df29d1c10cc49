"""The ways in which a house may offer a wager: options of the text, and the printed tables that may go together."""

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
"""The most ways of offering a game that are gone through."""
NOTHING_CHOSEN = Configuration(
    name="", offers=None, options={}, dealing=None, pay_tables={}, effective=date(1970, 1, 1), data={}
)


class Variant(Struct, frozen=True, kw_only=True):
    """A way to offer a group: the configuration, the table that names it, the options that were chosen for it, and
    which of the tables that a submission posts for it are in use, by a number from 1; None where it posts no two."""

    configuration: Configuration
    table: str | None
    options: Mapping[str, bool | str]
    posted: int | None


def options_of(game: Game) -> dict[str, list[bool | str]]:
    """What the settlement of a game, its decisions and its tables ask of the options of a house, by name."""
    found: dict[str, list[bool | str]] = {}
    for part in (game.settlement, *game.decisions.values(), *game.pay_tables.values()):
        for term in worked_out_from(game, part):
            if isinstance(term, Condition) and term.operator == "option":
                values = found.setdefault(term.operand.name, [])
                if term.operand.is_ not in values:
                    values.append(term.operand.is_)
    return found


def variants(prepared: Prepared, group: Group, stated: Configuration | None) -> Iterator[Variant]:
    """The permitted ways to offer a group; those of a submission where there is one, as far as it states them."""
    base = stated or NOTHING_CHOSEN
    open_, posted = _left_open(prepared, base), _posted(group, base)
    several = any(len(tables) > 1 for tables in posted)
    ways = product(product(*open_.values()), enumerate(product(*posted), start=1))
    for values, (number, of_house) in islice(ways, MOST_WAYS):
        # What a house posts is reckoned with as it stands, also where the text does not permit it.
        stated_tables = {line: (rows,) for line, rows in of_house}
        configuration = replace(
            base,
            options={**base.options, **dict(zip(open_, values, strict=True))},
            pay_tables={**base.pay_tables, **stated_tables},
            permitted_tables=frozenset(stated_tables),
        )
        for names in _tables(prepared, group, configuration):
            tables = {table.table.for_: (table.rows,) for table in names}
            yield Variant(
                configuration=replace(configuration, pay_tables={**tables, **configuration.pay_tables}),
                table=_named(prepared, group, names, configuration),
                options=configuration.options,
                posted=number if several else None,
            )


def all_gone_through(prepared: Prepared, group: Group, stated: Configuration | None) -> bool:
    """Whether `variants` has every way to offer a group."""
    base = stated or NOTHING_CHOSEN
    ways = prod(len(values) for values in _left_open(prepared, base).values())
    return ways * prod(len(tables) for tables in _posted(group, base)) <= MOST_WAYS


def _left_open(prepared: Prepared, base: Configuration) -> dict[str, list[bool | str]]:
    return {name: values for name, values in options_of(prepared.game).items() if name not in base.options}


def _posted(group: Group, base: Configuration) -> list[list[tuple[str, Mapping[str, Payout]]]]:
    """The tables that are posted, by line."""
    return [[(line, rows) for rows in tables] for line, tables in base.pay_tables.items() if line in group.lines]


def _tables(prepared: Prepared, group: Group, configuration: Configuration) -> list[tuple[Printed, ...]]:
    """The printed tables that may be in use together, of the lines that no table is stated for."""
    scope = Scope(batch_of(prepared, MadeUp(dealt=cards_not_known(prepared), stakes={})), prepared, configuration)
    lines = [line for line in group.lines if line in prepared.printed and line not in configuration.pay_tables]
    lines.sort(key=lambda line: line != group.wager)
    usable = [
        [printed for printed in prepared.printed[line] if scope.truth(printed.table.when, "round")[0] != NO]
        for line in lines
    ]
    return [chosen for chosen in product(*usable) if _go_together(chosen, usable)]


def _go_together(chosen: tuple[Printed, ...], usable: list[list[Printed]]) -> bool:
    """Whether tables of several lines may be in use at once: those printed under one clause are one table."""
    for table, of_one in zip(chosen, usable, strict=True):
        for other in chosen:
            tied = [each for each in of_one if _shares_clause(each, other)]
            if tied and table not in tied:
                return False
    return True


def _shares_clause(one: Printed, other: Printed) -> bool:
    return one is other or (
        one.table.for_ != other.table.for_ and not {*one.table.clauses}.isdisjoint(other.table.clauses)
    )


def _named(prepared: Prepared, group: Group, names: tuple[Printed, ...], base: Configuration) -> str | None:
    """The table by which a way to offer a group is known: that of the wager itself, else of what goes with it."""
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
