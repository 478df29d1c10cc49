"""What every reading of a text that moves money is worth: the advantage under each of its options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from msgspec.structs import replace

from validator.odds.figures import DocumentOdds, OptionMoves, WagerMoved, WagerOdds, ratio
from validator.rules.core.regulation import Regulation


def with_readings(
    odds: DocumentOdds, regulation: Regulation, work_out: Callable[[Regulation], DocumentOdds]
) -> DocumentOdds:
    """The odds, and by how much each other option of a reading that changes money moves them."""
    return replace(odds, readings=tuple(_options(odds, regulation, work_out)))


def _options(
    odds: DocumentOdds, regulation: Regulation, work_out: Callable[[Regulation], DocumentOdds]
) -> Iterator[OptionMoves]:
    for name, reading in regulation.readings.items():
        if reading.changes != "money":
            continue
        for option, says in reading.options.items():
            if option == regulation.choices[name]:
                continue
            read = replace(regulation, choices={**regulation.choices, name: option})
            yield OptionMoves(
                reading=name,
                option=option,
                says=says,
                instead_of=regulation.choices[name],
                wagers=tuple(moved(odds.wagers, work_out(read).wagers)),
            )


def moved(before: tuple[WagerOdds, ...], after: tuple[WagerOdds, ...]) -> Iterator[WagerMoved]:
    """The wagers whose advantage is another one, or that are only on one side. One is held against that of the same
    table and options or, where a wager has one row on either side, against that."""
    rows = {_key(row): row for row in after}
    alone = {row.wager: row for row in after if sum(row_after.wager == row.wager for row_after in after) == 1}
    met = set()
    for row in before:
        only = sum(row_before.wager == row.wager for row_before in before) == 1
        other = rows.get(_key(row)) or (alone.get(row.wager) if only else None)
        if other is not None:
            met.add(_key(other))
        if _advantage(row) != _advantage(other):
            yield _moved(row, other)
    for row in after:
        if _key(row) not in met and _advantage(row) is not None:
            yield _moved(None, row)


def _moved(before: WagerOdds | None, after: WagerOdds | None) -> WagerMoved:
    one = before or after
    assert one is not None
    old, new = _advantage(before), _advantage(after)
    return WagerMoved(
        wager=one.wager,
        pay_table=one.pay_table,
        options=one.options,
        exact=all(row is None or row.exact or _advantage(row) is None for row in (before, after)),
        before=None if old is None else ratio(old),
        after=None if new is None else ratio(new),
        moved=None if old is None or new is None else ratio(new - old),
    )


def _advantage(row: WagerOdds | None) -> Fraction | None:
    """The advantage of the house, of wagers that hang on a meter that where it reads nothing."""
    if row is None:
        return None
    told = row.house_advantage or (None if row.by_meter is None else row.by_meter.at_nothing)
    return None if told is None else Fraction(told)


def _key(row: WagerOdds) -> tuple[str, str | None, tuple[tuple[str, bool | str], ...]]:
    return row.wager, row.pay_table, tuple(sorted(row.options.items()))
