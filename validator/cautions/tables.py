"""Pay tables and what hands without a row are paid: rows that pay the wrong way round, entries that nothing reads."""

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
    """What pay tables say and can hardly mean."""
    seen: dict[str, str] = {}
    for name, table in game.pay_tables.items():
        here: Path = ("pay-tables", name)
        yield from _falling(table, here)
        yield from _worded(table, here)
        yield from _unpaid(regulation, game, table, here)
        told = repr(
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
        if told in seen:
            yield Caution(
                code="told-twice",
                at=here,
                severity="warning",
                message=f"the pay tables {seen[told]} and {name} pay the same",
                help="hold both against the text: one may be a copy that was to be changed",
            )
        seen.setdefault(told, name)
    yield from _other_lines(game)
    for index, one in enumerate(game.settlement.unlisted):
        yield from _unlisted(regulation, game, index, one)


def _falling(table: PayTable, here: Path) -> Iterator[Caution]:
    """A better hand is paid no less, as far as rows are paid in the same way."""
    rows = [(row, payout) for row, payout in table.rows.items() if table.by is None]
    for (above, more), (below, less) in pairwise(rows):
        if more.unit == less.unit and more.value < less.value and len(table.looks_at) == 1:
            yield Caution(
                code="pays-less",
                at=(*here, "rows", above),
                severity="warning",
                message=f"{above} pays less than {below}, which is the lower hand",
                help="hold the odds against the text: the first number is what is won, the second the stake",
            )


def _unpaid(regulation: Regulation, game: Game, table: PayTable, here: Path) -> Iterator[Caution]:
    """Above a row that is paid no hand goes without one, unless the text or a reading says what it is paid."""
    if table.by is not None or len(table.looks_at) != 1:
        return
    hand = game.hands[table.looks_at[0]]
    order = compile_order(regulation.vocabulary.rankings[hand.rank_by])
    spans = [order.span(row) for row in table.rows]
    said = {one.category for one in game.settlement.unlisted}
    for category in order.categories:
        low, high = order.span(category)
        covered = any(least < high and low < most for least, most in spans)
        if not covered and category not in said and any(most <= low for _, most in spans):
            yield Caution(
                code="never-paid",
                at=(*here, "rows"),
                severity="warning",
                message=f"{category} has no row, and lower hands of {hand.rank_by} are paid",
                help="add its row; or say what the text says of it under `unlisted` of the settlement; or rank the "
                "hand by another ranking",
            )


def _worded(table: PayTable, here: Path) -> Iterator[Caution]:
    """Odds of a table are worded in one way: of `40 for 1` the stake is a part, of `40 to 1` it is not."""
    forms = {row: payout.form for row, payout in table.rows.items() if payout.form in ("to", "for")}
    for form in ("to", "for"):
        odd = [row for row, one in forms.items() if one == form]
        if len(odd) == 1 and len(forms) > 2:
            yield Caution(
                code="other-wording",
                at=(*here, "rows", odd[0]),
                severity="warning",
                message=f"{odd[0]} is paid so much `{form}` 1, and all other rows are worded otherwise",
                help="hold the odds against the text: what is paid `for` a stake has it in it, odds `to` it do not",
            )


def _other_lines(game: Game) -> Iterator[Caution]:
    own = {table.for_ for table in game.pay_tables.values()}
    for index, case in enumerate(game.settlement.cases):
        if case.due.operator != "pay-table":
            continue
        for line in case.lines:
            if line in own and case.due.operand.of != line:
                yield Caution(
                    code="other-table",
                    at=("settlement", "cases", index, "due"),
                    severity="warning",
                    message=f"{line} is paid here by the table of {case.due.operand.of}, though it has one of its own",
                    help=f"say `due: {{pay-table: {line}}}`, if that is not what the text says",
                )


def _unlisted(regulation: Regulation, game: Game, index: int, one: Unlisted) -> Iterator[Caution]:
    here: Path = ("settlement", "unlisted", index)
    tables = [
        table
        for table in game.pay_tables.values()
        if one.category not in table.rows and one.category in _may_have(regulation, game, table)
    ]
    if not tables:
        yield Caution(
            code="never-read",
            at=(*here, "category"),
            message=f"every pay table that a hand of {one.category} may be looked up in has a row for it",
            help="name the category that has none, or take this away",
        )
    elif one.pays_as is not None and not any(one.pays_as in table.rows for table in tables):
        yield Caution(
            code="never-read",
            at=(*here, "pays-as"),
            message=f"no pay table without a row for {one.category} has one for {one.pays_as}",
            help="name a row of the table that lacks the category",
        )
    for other in game.settlement.unlisted[:index]:
        if (other.category, other.reading) == (one.category, one.reading):
            yield Caution(
                code="listed-twice",
                at=here,
                message=f"what {one.category} is paid without a row is said twice for one option of a reading",
                help="the last holds: take one of them away, or name another option",
            )


def _may_have(regulation: Regulation, game: Game, table: PayTable) -> set[str]:
    if table.by is not None:
        return {band.band for band in game.scales[table.by].bands}
    rankings = (name for hand in table.looks_at for name in game.hands[hand].rankings())
    return {name for ranking in rankings for name in regulation.vocabulary.rankings[ranking].names()}
