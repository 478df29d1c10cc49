"""Pay tables as the document prints them and its readings interpret them, with the scales by which they are looked up.

This module imports rankings only when one is compiled, since most checks of submissions need none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.rules.game_model import Game, Hand
from fairdeal.validator.rules.payment_model import PayTable, Scale, SharedAward
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.plain_values import Payout, PayoutUnit

if TYPE_CHECKING:
    from fairdeal.validator.cards.hand_orders import HandOrder


_ANY = 2**62


class Ladder(Protocol):
    """Ranking or scale that maps names to ranges of whole numbers."""

    def span(self, name: str) -> tuple[int, int]:
        """Return the range of a name: its first number, and the number after its last.

        Raises:
            ValueError: no range has this name.
        """
        ...


class ScaleLadder(Struct, frozen=True, kw_only=True):
    """Bands of a scale."""

    floors: Mapping[str, int]
    """Lowest value of each band, highest band first."""

    def span(self, name: str) -> tuple[int, int]:
        """Return the range of values of a band.

        Raises:
            ValueError: no band has this name.
        """
        if name not in self.floors:
            raise ValueError(f"{name} is not a band of {', '.join(self.floors)}")
        above = [floor for floor in self.floors.values() if floor > self.floors[name]]
        return self.floors[name], min(above, default=_ANY)


def compile_scale(scale: Scale) -> ScaleLadder:
    """Compile the bands of a scale."""
    return ScaleLadder(floors={band.band: band.at_least for band in scale.bands})


def find_ranking_name(regulation: Regulation, hand: Hand) -> str:
    """Return the name of the ranking of a hand, by the readings in force."""
    return str(regulation.apply_otherwise(hand).rank_by)


def compile_ranking_of_hand(regulation: Regulation, hand: Hand) -> HandOrder:
    """Compile the ranking of a hand, by the readings in force."""
    from fairdeal.validator.cards.hand_orders import compile_order  # noqa: PLC0415 - most checks need no ranking

    return compile_order(regulation.vocabulary.rankings[find_ranking_name(regulation, hand)])


def compile_ladders(regulation: Regulation, game: Game, names: Iterable[str]) -> tuple[Ladder, ...]:
    """Compile the rankings and scales of some hands and scales."""
    return tuple(
        compile_scale(game.scales[name])
        if name in game.scales
        else compile_ranking_of_hand(regulation, game.hands[name])
        for name in names
    )


def find_spans(ladder: Ladder, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return the ranges of the names that a ladder has."""
    result: dict[str, tuple[int, int]] = {}
    for name in names:
        try:
            result[name] = ladder.span(name)
        except ValueError:
            continue
    return result


Worth: TypeAlias = tuple[PayoutUnit, Fraction]
"""Pay of a row beyond the stake: per unit staked, as a part of a meter, or in minor currency units."""

MAX_TABLE_DENOMINATOR = 10**6
"""Largest common denominator of a pay table that the settlement supports."""


class PrintedTable(Struct, frozen=True, kw_only=True, eq=False):
    """Printed pay table with the worth of its rows."""

    name: str
    table: PayTable
    rows: Mapping[str, Payout]
    """Rows as the readings in force interpret them."""
    worth: Mapping[str, Worth]
    """Worth of each row."""
    shared_rows: tuple[SharedAward, ...]
    """Rows whose award several seats share, by the readings in force."""
    build_ladders: Callable[[], tuple[Ladder, ...]]
    """Builds the rankings and scales by which rows are looked up."""

    def compute_posted_worth(self, posted: Mapping[str, Payout], size: int | None) -> Mapping[str, Worth]:
        """Return the worth of the rows of a posted table of the same kind.

        If amounts depend on the stake, those of the posted table are for the one `size` that the wager may have.
        Without such a size, they are for the printed size.
        """
        return compute_worth(posted, None if self.table.wager is None else size or self.table.wager)

    def is_floor_of(self, posted: Mapping[str, Worth]) -> bool:
        """Return whether a posted table has every row of this table, and no row that pays less."""
        if not all(name in posted and pays_at_least(posted[name], least) for name, least in self.worth.items()):
            return False
        return not any(self.find_undercuts(posted))

    def find_undercuts(self, posted: Mapping[str, Worth]) -> Iterator[tuple[str, str]]:
        """Yield posted rows that take hands from a printed row and pay less, each with the printed row.

        If rows have hands in common, the first one counts, so a posted row after the printed one changes nothing.
        """
        ahead: list[str] = []
        for name in posted:
            if name not in self.worth:
                ahead.append(name)
            for ladder in self.build_ladders() if ahead and name in self.worth else ():
                spans = find_spans(ladder, [name, *ahead])
                low, high = spans.pop(name, (0, 0))
                for row, (first, end) in spans.items():
                    if first < high and low < end and not pays_at_least(posted[row], self.worth[name]):
                        yield row, name


def compute_worth(rows: Mapping[str, Payout], size: int | None) -> dict[str, Worth]:
    """Compute the worth of rows; amounts for a stake of `size` become amounts per unit staked."""
    return {name: _worth(payout, size) for name, payout in rows.items()}


def _worth(payout: Payout, size: int | None) -> Worth:
    if payout.unit == "money" and size is not None:
        return "stake", payout.worth / size
    return payout.unit, payout.worth


def pays_at_least(worth: Worth, least: Worth) -> bool:
    """Return whether a row pays at least as much as another; rows in different units are not comparable."""
    return worth[0] == least[0] and worth[1] >= least[1]


def find_common_denominator(rows: Mapping[str, Worth]) -> int:
    """Return the common denominator of the rows of a table."""
    return lcm(*(worth.denominator for _, worth in rows.values()))


def find_base_wager(game: Game, line: str) -> str:
    """Return the wager whose stake a line is computed on: the line itself, or the wager of a bonus."""
    return game.bonuses[line].reckoned_on if line in game.bonuses else line


def read_printed_table(regulation: Regulation, game: Game, name: str) -> PrintedTable:
    """Read a printed pay table by the readings in force."""
    table = game.pay_tables[name]
    rows: Mapping[str, Payout] = table.rows
    for other in table.otherwise:
        if regulation.is_option_in_force(other.reading.name, other.reading.is_):
            rows = {row: _reword(payout, other.form) for row, payout in rows.items()}
    shared = tuple(
        row
        for row in table.shared
        if row.reading is None or regulation.is_option_in_force(row.reading.name, row.reading.is_)
    )
    return PrintedTable(
        name=name,
        table=table,
        rows=rows,
        worth=compute_worth(rows, table.wager),
        shared_rows=shared,
        build_ladders=partial(compile_ladders, regulation, game, table.lookup_names),
    )


def _reword(payout: Payout, form: str) -> Payout:
    """Convert odds to the other wording; pushes, shares and amounts have only one."""
    if payout.form not in ("to", "for", "colon", "win"):
        return payout
    return replace(payout, form="for" if form == "for" else "to")
