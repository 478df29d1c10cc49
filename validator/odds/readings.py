"""Change of the house advantage by the other options of each reading that affects money."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from msgspec.structs import replace

from validator.odds.figures import DocumentOdds, OptionMoves, WagerMoved, WagerOdds, ratio
from validator.rules.core.regulation import Regulation


def with_readings(
    odds: DocumentOdds, regulation: Regulation, work_out: Callable[[Regulation], DocumentOdds]
) -> DocumentOdds:
    """Return the odds, with the changes that each other option of a reading makes.

    Args:
        odds: odds under the readings in use.
        regulation: the document with its readings.
        work_out: returns the odds under other readings.
    """
    return replace(odds, readings=tuple(_compare_options(odds, regulation, work_out)))


def _compare_options(
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
    """Yield the wagers whose house advantage differs, or that only one side has.

    Rows with the same pay table and options are compared. If a wager has one row on each side, these are compared.
    """
    rows = {_find_row_key(row): row for row in after}
    alone = {row.wager: row for row in after if sum(row_after.wager == row.wager for row_after in after) == 1}
    met = set()
    for row in before:
        only = sum(row_before.wager == row.wager for row_before in before) == 1
        other = rows.get(_find_row_key(row)) or (alone.get(row.wager) if only else None)
        if other is not None:
            met.add(_find_row_key(other))
        if _find_advantage(row) != _find_advantage(other):
            yield _describe_change(row, other)
    for row in after:
        if _find_row_key(row) not in met and _find_advantage(row) is not None:
            yield _describe_change(None, row)


def _describe_change(before: WagerOdds | None, after: WagerOdds | None) -> WagerMoved:
    row = before or after
    assert row is not None
    old, new = _find_advantage(before), _find_advantage(after)
    return WagerMoved(
        wager=row.wager,
        pay_table=row.pay_table,
        options=row.options,
        exact=all(side is None or side.exact or _find_advantage(side) is None for side in (before, after)),
        before=None if old is None else ratio(old),
        after=None if new is None else ratio(new),
        moved=None if old is None or new is None else ratio(new - old),
    )


def _find_advantage(row: WagerOdds | None) -> Fraction | None:
    """Return the house advantage; the advantage at reading zero if it depends on a meter."""
    if row is None:
        return None
    text = row.house_advantage or (None if row.by_meter is None else row.by_meter.at_nothing)
    return None if text is None else Fraction(text)


def _find_row_key(row: WagerOdds) -> tuple[str, str | None, tuple[tuple[str, bool | str], ...]]:
    return row.wager, row.pay_table, tuple(sorted(row.options.items()))
