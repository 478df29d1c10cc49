"""Warnings about pay tables and payouts without a row: rows that pay the wrong way round, entries without effect."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from validator.cards.ranking_protocol import compile_order
from validator.cautions.caution import Caution
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game
from validator.rules.model.pay_tables import PayTable
from validator.rules.model.settlement import Unlisted
from validator.text.trees.tree import Path


def table_cautions(regulation: Regulation, game: Game) -> Iterator[Caution]:
    """Yield warnings about the pay tables of a game."""
    seen: dict[str, str] = {}
    for name, table in game.pay_tables.items():
        here: Path = ("pay-tables", name)
        yield from _find_decreasing_payouts(table, here)
        yield from _find_odd_wording(table, here)
        yield from _find_unpaid_categories(regulation, game, table, here)
        content = repr(
            [
                table.for_,
                table.looks_at,
                *sorted(table.rows.items()),
                table.when,
                table.wager,
                table.meter,
                table.clauses,
            ]
        )
        if content in seen:
            yield Caution(
                code="duplicate",
                at=here,
                severity="warning",
                message=f"the pay tables {seen[content]} and {name} are the same",
                help="compare both with the text: one may be a copy that should have been changed",
            )
        seen.setdefault(content, name)
    yield from _find_foreign_tables(game)
    for index, unlisted in enumerate(game.settlement.unlisted):
        yield from _check_unlisted(regulation, game, index, unlisted)


def _find_decreasing_payouts(table: PayTable, here: Path) -> Iterator[Caution]:
    """Yield warnings about rows that pay less than the next lower row, if both pay in the same unit."""
    rows = [(row, payout) for row, payout in table.rows.items() if table.by is None]
    for (above, more), (below, less) in pairwise(rows):
        if more.unit == less.unit and more.value < less.value and len(table.looks_at) == 1:
            yield Caution(
                code="decreasing-payout",
                at=(*here, "rows", above),
                severity="warning",
                message=f"{above} pays less than {below}, although it is the higher hand",
                help="compare the odds with the text: the first number is the payout, the second the stake",
            )


def _find_unpaid_categories(regulation: Regulation, game: Game, table: PayTable, here: Path) -> Iterator[Caution]:
    """Yield warnings about categories without a payout that rank above a row with one."""
    if table.by is not None or len(table.looks_at) != 1:
        return
    hand = game.hands[table.looks_at[0]]
    order = compile_order(regulation.vocabulary.rankings[hand.rank_by])
    spans = [order.span(row) for row in table.rows]
    settled = {unlisted.category for unlisted in game.settlement.unlisted}
    for category in order.categories:
        low, high = order.span(category)
        covered = any(least < high and low < most for least, most in spans)
        if not covered and category not in settled and any(most <= low for _, most in spans):
            yield Caution(
                code="never-paid",
                at=(*here, "rows"),
                severity="warning",
                message=f"{category} has no row, but lower hands of {hand.rank_by} are paid",
                help="add a row, or state under `unlisted` of the settlement what the text pays, or rank the hand "
                "by another ranking",
            )


def _find_odd_wording(table: PayTable, here: Path) -> Iterator[Caution]:
    """Yield a warning if a single row is worded differently: `40 for 1` includes the stake, `40 to 1` does not."""
    forms = {row: payout.form for row, payout in table.rows.items() if payout.form in ("to", "for")}
    for form in ("to", "for"):
        rows = [row for row, other_form in forms.items() if other_form == form]
        if len(rows) == 1 and len(forms) > 2:
            yield Caution(
                code="wording-mismatch",
                at=(*here, "rows", rows[0]),
                severity="warning",
                message=f"{rows[0]} is worded `{form} 1`, unlike all other rows",
                help="compare the odds with the text: `40 for 1` includes the stake, `40 to 1` does not",
            )


def _find_foreign_tables(game: Game) -> Iterator[Caution]:
    lines_with_table = {table.for_ for table in game.pay_tables.values()}
    for index, case in enumerate(game.settlement.cases):
        if case.due.operator != "pay-table":
            continue
        for line in case.lines:
            if line in lines_with_table and case.due.operand.of != line:
                yield Caution(
                    code="pay-table-mismatch",
                    at=("settlement", "cases", index, "due"),
                    severity="warning",
                    message=f"{line} is paid here by the table of {case.due.operand.of}, although it has a table of "
                    "its own",
                    help=f"write `due: {{pay-table: {line}}}`, unless the text says otherwise",
                )


def _check_unlisted(regulation: Regulation, game: Game, index: int, unlisted: Unlisted) -> Iterator[Caution]:
    here: Path = ("settlement", "unlisted", index)
    tables = [
        table
        for table in game.pay_tables.values()
        if unlisted.category not in table.rows and unlisted.category in _list_reachable_rows(regulation, game, table)
    ]
    if not tables:
        yield Caution(
            code="unused-payout",
            at=(*here, "category"),
            message=f"every pay table that may apply to a hand of {unlisted.category} has a row for it",
            help="name a category without a row, or remove this",
        )
    elif unlisted.pays_as is not None and not any(unlisted.pays_as in table.rows for table in tables):
        yield Caution(
            code="unused-payout",
            at=(*here, "pays-as"),
            message=f"no pay table without a row for {unlisted.category} has one for {unlisted.pays_as}",
            help="name a row of the table that lacks the category",
        )
    for other in game.settlement.unlisted[:index]:
        if (other.category, other.reading) == (unlisted.category, unlisted.reading):
            yield Caution(
                code="duplicate-entry",
                at=here,
                message=f"the payout of {unlisted.category} without a row is stated twice for one option of a reading",
                help="the last one applies: remove one of them, or name another option",
            )


def _list_reachable_rows(regulation: Regulation, game: Game, table: PayTable) -> set[str]:
    if table.by is not None:
        return {band.band for band in game.scales[table.by].bands}
    rankings = (name for hand in table.looks_at for name in game.hands[hand].rankings())
    return {name for ranking in rankings for name in regulation.vocabulary.rankings[ranking].names()}
