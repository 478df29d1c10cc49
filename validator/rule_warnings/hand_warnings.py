"""Warnings about hands, rankings and pay tables: ambiguous hands, unreachable categories, rows that pay the wrong way
round.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from operator import le

from fairdeal.validator.cards.hand_orders import compile_order
from fairdeal.validator.cards.ranking_models import Category, Ranking, RankingsFile
from fairdeal.validator.language.grammar import HandComparison
from fairdeal.validator.language.name_references import walk_models
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import PayTable, Unlisted
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.positioned_document import DataPath


def find_hand_warnings(regulation: Regulation, game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about hands of more cards than their ranking counts, duplicate hands and unused cards."""
    seen: dict[str, str] = {}
    for name, hand in game.hands.items():
        full = hand.count_full_cards(game.deal)
        available = sum(full[place] for place in hand.from_)
        ranking = regulation.vocabulary.rankings[hand.rank_by]
        ranked = ranking.cards if isinstance(ranking, Ranking) else available
        if hand.uses is None and hand.best_of is None and available > ranked:
            yield RuleWarning(
                code="implicit-best-of",
                path=("hands", name),
                severity="warning",
                message=f"this hand is the best of {available} cards, but {hand.rank_by} ranks {ranked}",
                help=f"if that is meant, write `best-of: {available}`; otherwise state how many cards of each place "
                "it `uses`",
            )
        content = repr({key: value for key, value in hand if key != "title"})
        if content in seen:
            yield RuleWarning(
                code="duplicate",
                path=("hands", name),
                severity="warning",
                message=f"the hands {seen[content]} and {name} consist of the same cards",
                help="state under `from` the places of each hand",
            )
        seen.setdefault(content, name)
    for place in game.deal.cards:
        if all(place not in hand.from_ for hand in game.hands.values()):
            yield RuleWarning(
                code="unused",
                path=("hands",),
                severity="warning",
                message=f"cards are dealt to the place {place}, but no hand contains them",
                help=f"name {place} under `from` of the hands that contain it, or remove it from the deal",
            )
    dealt = sum(game.deal.cards.values())
    in_play = regulation.cards_in_play
    if dealt > in_play:
        yield RuleWarning(
            code="too-many-cards",
            path=("deal", "stages"),
            message=f"one seat and the house are dealt {dealt} cards, but there are only {in_play} in play",
            help="compare `cards` of the stages and the `deck` with the text",
        )


def find_ranking_warnings(file: RankingsFile) -> Iterator[RuleWarning]:
    """Yield warnings about categories that an earlier one fully includes, and about aces without a stated rank."""
    for name, ranking in file.rankings.items():
        if not isinstance(ranking, Ranking):
            continue
        for index, category in enumerate(ranking.categories):
            higher = next((earlier for earlier in ranking.categories[:index] if _includes(earlier, category)), None)
            if higher is not None:
                yield RuleWarning(
                    code="unreachable",
                    path=("rankings", name, "categories", index),
                    message=f"no hand is a {category.category}: {higher.category} precedes it and includes them all",
                    help="list categories from the highest down, the more specific one first",
                )
        if ranking.ace in ("low", "high-and-low") and not any(category.consecutive for category in ranking.categories):
            yield RuleWarning(
                code="redundant",
                path=("rankings", name, "ace"),
                severity="warning",
                message=f"`{ranking.ace}` is about aces in runs, but no category is a run: the ace is the highest card",
                help="write `always-low` if the ace is the lowest card, otherwise `high`",
            )


def _includes(higher: Category, lower: Category) -> bool:
    """Return whether every hand that fits a lower category also fits a higher one."""
    groups = len(higher.groups) <= len(lower.groups) and all(map(le, higher.groups, lower.groups))
    ranks = not higher.ranks or (
        bool(higher.groups) == bool(lower.groups) and {*lower.ranks} <= {*higher.ranks} and bool(lower.ranks)
    )
    return groups and ranks and higher.suited <= lower.suited and higher.consecutive <= lower.consecutive


def find_comparison_warnings(game: Game, model: ClosedModel) -> Iterator[RuleWarning]:
    """Yield warnings about comparisons of hands that are ranked by different rankings."""
    for path, part in walk_models(model, ()):
        if not (isinstance(part, Condition) and isinstance(part.operand, HandComparison)):
            continue
        first, second = game.hands[part.operand.hand], game.hands[part.operand.to]
        if first.list_rankings() != second.list_rankings():
            yield RuleWarning(
                code="ranking-mismatch",
                path=(*path, part.operator),
                message=f"{part.operand.hand} is ranked by {first.rank_by}, {part.operand.to} by {second.rank_by}: "
                "the comparison has no meaning",
                help="rank both hands by the same ranking, under every reading",
            )


def find_pay_table_warnings(regulation: Regulation, game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about the pay tables of a game."""
    seen: dict[str, str] = {}
    for name, table in game.pay_tables.items():
        here: DataPath = ("pay-tables", name)
        yield from _find_decreasing_payouts(table, here)
        yield from _find_odd_wording(table, here)
        yield from _find_unpaid_categories(regulation, game, table, here)
        content = repr(
            [
                table.for_,
                table.lookup_names,
                *sorted(table.rows.items()),
                table.when,
                table.wager,
                table.meter,
                table.clauses,
            ]
        )
        if content in seen:
            yield RuleWarning(
                code="duplicate",
                path=here,
                severity="warning",
                message=f"the pay tables {seen[content]} and {name} are the same",
                help="compare both with the text: one may be a copy that should have been changed",
            )
        seen.setdefault(content, name)
    yield from _find_foreign_tables(game)
    for index, unlisted in enumerate(game.settlement.unlisted):
        yield from _check_unlisted(regulation, game, index, unlisted)


def _find_decreasing_payouts(table: PayTable, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings about rows that pay less than the next lower row, if both pay in the same unit."""
    rows = [(row, payout) for row, payout in table.rows.items() if table.by is None]
    for (above, more), (below, less) in pairwise(rows):
        if more.unit == less.unit and more.value < less.value and len(table.lookup_names) == 1:
            yield RuleWarning(
                code="decreasing-payout",
                path=(*here, "rows", above),
                severity="warning",
                message=f"{above} pays less than {below}, although it is the higher hand",
                help="compare the odds with the text: the first number is the payout, the second the stake",
            )


def _find_unpaid_categories(
    regulation: Regulation, game: Game, table: PayTable, here: DataPath
) -> Iterator[RuleWarning]:
    """Yield warnings about categories without a payout that rank above a row with one."""
    if table.by is not None or len(table.lookup_names) != 1:
        return
    hand = game.hands[table.lookup_names[0]]
    order = compile_order(regulation.vocabulary.rankings[hand.rank_by])
    spans = [order.span(row) for row in table.rows]
    settled = {unlisted.category for unlisted in game.settlement.unlisted}
    for category in order.categories:
        low, high = order.span(category)
        covered = any(least < high and low < most for least, most in spans)
        if not covered and category not in settled and any(most <= low for _, most in spans):
            yield RuleWarning(
                code="never-paid",
                path=(*here, "rows"),
                severity="warning",
                message=f"{category} has no row, but lower hands of {hand.rank_by} are paid",
                help="add a row, or state under `unlisted` of the settlement what the text pays, or rank the hand "
                "by another ranking",
            )


def _find_odd_wording(table: PayTable, here: DataPath) -> Iterator[RuleWarning]:
    """Yield a warning if a single row is worded differently: `40 for 1` includes the stake, `40 to 1` does not."""
    forms = {row: payout.form for row, payout in table.rows.items() if payout.form in ("to", "for")}
    for form in ("to", "for"):
        rows = [row for row, other_form in forms.items() if other_form == form]
        if len(rows) == 1 and len(forms) > 2:
            yield RuleWarning(
                code="wording-mismatch",
                path=(*here, "rows", rows[0]),
                severity="warning",
                message=f"{rows[0]} is worded `{form} 1`, unlike all other rows",
                help="compare the odds with the text: `40 for 1` includes the stake, `40 to 1` does not",
            )


def _find_foreign_tables(game: Game) -> Iterator[RuleWarning]:
    lines_with_table = {table.for_ for table in game.pay_tables.values()}
    for index, case in enumerate(game.settlement.cases):
        if case.due.operator != "pay-table":
            continue
        for line in case.lines:
            if line in lines_with_table and case.due.operand.of != line:
                yield RuleWarning(
                    code="pay-table-mismatch",
                    path=("settlement", "cases", index, "due"),
                    severity="warning",
                    message=f"{line} is paid here by the table of {case.due.operand.of}, although it has a table of "
                    "its own",
                    help=f"write `due: {{pay-table: {line}}}`, unless the text says otherwise",
                )


def _check_unlisted(regulation: Regulation, game: Game, index: int, unlisted: Unlisted) -> Iterator[RuleWarning]:
    here: DataPath = ("settlement", "unlisted", index)
    tables = [
        table
        for table in game.pay_tables.values()
        if unlisted.category not in table.rows and unlisted.category in _list_reachable_rows(regulation, game, table)
    ]
    if not tables:
        yield RuleWarning(
            code="unused-payout",
            path=(*here, "category"),
            message=f"every pay table that may apply to a hand of {unlisted.category} has a row for it",
            help="name a category without a row, or remove this",
        )
    elif unlisted.pays_as is not None and not any(unlisted.pays_as in table.rows for table in tables):
        yield RuleWarning(
            code="unused-payout",
            path=(*here, "pays-as"),
            message=f"no pay table without a row for {unlisted.category} has one for {unlisted.pays_as}",
            help="name a row of the table that lacks the category",
        )
    for other in game.settlement.unlisted[:index]:
        if (other.category, other.reading) == (unlisted.category, unlisted.reading):
            yield RuleWarning(
                code="duplicate-entry",
                path=here,
                message=f"the payout of {unlisted.category} without a row is stated twice for one option of a reading",
                help="the last one applies: remove one of them, or name another option",
            )


def _list_reachable_rows(regulation: Regulation, game: Game, table: PayTable) -> set[str]:
    if table.by is not None:
        return {band.band for band in game.scales[table.by].bands}
    rankings = (name for hand in table.lookup_names for name in game.hands[hand].list_rankings())
    return {name for ranking in rankings for name in regulation.vocabulary.rankings[ranking].list_names()}
