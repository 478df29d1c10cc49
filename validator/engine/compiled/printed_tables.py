"""Pay tables as the text prints them and its readings take them: the worth of every row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import lcm
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from validator.engine.compiled.ladders import Ladder, ladders_of, spans_of
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game
from validator.rules.model.pay_tables import PayTable, Shared
from validator.text.values.odds import Payout, Unit

Worth: TypeAlias = tuple[Unit, Fraction]
"""What a row pays beyond the stake: for every unit staked, as a part of a meter, or in minor currency units."""

MOST_PARTS = 10**6
"""The largest common denominator of a pay table that amounts are worked out by."""


class Printed(Struct, frozen=True, kw_only=True, eq=False):
    """A printed pay table: its rows as they are read, and their worth. `shared` are the rows now shared; `ladders`
    gives what the rows are looked up by."""

    name: str
    table: PayTable
    rows: Mapping[str, Payout]
    worth: Mapping[str, Worth]
    shared: tuple[Shared, ...]
    ladders: Callable[[], tuple[Ladder, ...]]

    def posted_worth(self, posted: Mapping[str, Payout], size: int | None) -> Mapping[str, Worth]:
        """The worth of the rows of a posted table of the same kind. Where amounts go by the stake, those of a posted
        table are taken to be for the one `size` that the wager may have, or else for the printed size."""
        return worth_of(posted, None if self.table.wager is None else size or self.table.wager)

    def is_floor_of(self, posted: Mapping[str, Worth]) -> bool:
        """Whether a posted table has every row of this one, and none that pays less."""
        if not all(name in posted and at_least(posted[name], least) for name, least in self.worth.items()):
            return False
        return not any(self.undercut_by(posted))

    def undercut_by(self, posted: Mapping[str, Worth]) -> Iterator[tuple[str, str]]:
        """The rows of a posted table that are not in this one and pay less for hands that a row of this one takes in:
        each with that row. Of rows with hands in common the first counts, so one that stands behind it does nothing.
        """
        ahead: list[str] = []
        for name in posted:
            if name not in self.worth:
                ahead.append(name)
            for ladder in self.ladders() if ahead and name in self.worth else ():
                spans = spans_of(ladder, [name, *ahead])
                low, high = spans.pop(name, (0, 0))
                for row, (first, end) in spans.items():
                    if first < high and low < end and not at_least(posted[row], self.worth[name]):
                        yield row, name


def worth_of(rows: Mapping[str, Payout], size: int | None) -> dict[str, Worth]:
    """The worth of rows; amounts that are for a stake of `size` are so much for every unit staked."""
    return {name: _worth(payout, size) for name, payout in rows.items()}


def _worth(payout: Payout, size: int | None) -> Worth:
    if payout.unit == "money" and size is not None:
        return "stake", payout.worth / size
    return payout.unit, payout.worth


def at_least(worth: Worth, least: Worth) -> bool:
    """Whether a row pays no less than another; what is reckoned in different units cannot be compared."""
    return worth[0] == least[0] and worth[1] >= least[1]


def parts_of(rows: Mapping[str, Worth]) -> int:
    """The common denominator of the rows of a table."""
    return lcm(*(worth.denominator for _, worth in rows.values()))


def base_of(game: Game, line: str) -> str:
    """The wager whose stake a line is reckoned on: itself, or that of a bonus."""
    return game.bonuses[line].reckoned_on if line in game.bonuses else line


def print_table(regulation: Regulation, game: Game, name: str) -> Printed:
    """A printed pay table as the readings in force take it."""
    table = game.pay_tables[name]
    rows: Mapping[str, Payout] = table.rows
    for other in table.otherwise:
        if regulation.applies(other.reading.name, other.reading.is_):
            rows = {row: _reworded(payout, other.form) for row, payout in rows.items()}
    shared = tuple(
        row for row in table.shared if row.reading is None or regulation.applies(row.reading.name, row.reading.is_)
    )
    return Printed(
        name=name,
        table=table,
        rows=rows,
        worth=worth_of(rows, table.wager),
        shared=shared,
        ladders=partial(ladders_of, regulation, game, table.looks_at),
    )


def _reworded(payout: Payout, form: str) -> Payout:
    """Odds in the other wording; pushes, shares and amounts have but one."""
    if payout.form not in ("to", "for", "colon", "win"):
        return payout
    return replace(payout, form="for" if form == "for" else "to")
