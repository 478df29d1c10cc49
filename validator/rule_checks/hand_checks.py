"""Checks of hands, rankings and pay tables: ambiguous hands, unreachable categories, rows that pay the wrong way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from operator import le

from fairdeal.validator.cards.hand_orders import compile_order
from fairdeal.validator.cards.ranking_models import Category, Ranking, RankingsFile
from fairdeal.validator.language.grammar import HandComparison
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rule_checks.check_context import DocumentCheck, DocumentContext, GameCheck
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules.game_model import Game, Hand
from fairdeal.validator.rules.payment_model import PayTable, Unlisted
from fairdeal.validator.text.positioned_document import DataPath

_MAX_STEP = 20
"""Factor between the payouts of neighbouring rows above which one of them is probably wrong."""


class ImplicitBestOf(GameCheck[Hand]):
    """A hand is silently the best of more cards than its ranking counts."""

    code = "implicit-best-of"
    severity = "warning"
    on = Hand

    def find(self, context: DocumentContext, part: Hand, here: DataPath) -> Iterator[RuleMistake]:
        full = part.count_full_cards(context.game.deal)
        available = sum(full[place] for place in part.from_)
        ranking = context.regulation.vocabulary.rankings[part.rank_by]
        ranked = ranking.cards if isinstance(ranking, Ranking) else available
        if part.uses is None and part.best_of is None and available > ranked:
            yield RuleMistake(
                path=here,
                message=f"this hand is the best of {available} cards, but {part.rank_by} ranks {ranked}",
                help=f"if that is meant, write `best-of: {available}`; otherwise state how many cards of each place "
                "it `uses`",
            )


class DuplicateHand(DocumentCheck[Game]):
    """Two hands consist of the same cards. A comparison of them would always be a tie."""

    code = "duplicate"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        seen: dict[str, str] = {}
        for name, hand in part.hands.items():
            content = repr({key: value for key, value in hand if key != "title"})
            if content in seen:
                yield RuleMistake(
                    path=("hands", name),
                    message=f"the hands {seen[content]} and {name} consist of the same cards",
                    help="state under `from` the places of each hand",
                )
            seen.setdefault(content, name)


class UnusedCards(DocumentCheck[Game]):
    """Cards are dealt to a place, but no hand contains them."""

    code = "unused"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        for place in part.deal.cards:
            if all(place not in hand.from_ for hand in part.hands.values()):
                yield RuleMistake(
                    path=("hands",),
                    message=f"cards are dealt to the place {place}, but no hand contains them",
                    help=f"name {place} under `from` of the hands that contain it, or remove it from the deal",
                )


class TooManyCardsDealt(DocumentCheck[Game]):
    """The deal gives one seat and the house more cards than there are in play."""

    code = "too-many-cards"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        dealt, in_play = sum(part.deal.cards.values()), context.regulation.cards_in_play
        if dealt > in_play:
            yield RuleMistake(
                path=("deal", "stages"),
                message=f"one seat and the house are dealt {dealt} cards, but there are only {in_play} in play",
                help="compare `cards` of the stages and the `deck` with the text",
            )


class UnreachableCategory(DocumentCheck[RankingsFile]):
    """A category of a ranking comes after another that includes all of its hands."""

    code = "unreachable"
    on = RankingsFile

    def find(self, context: DocumentContext, part: RankingsFile, here: DataPath) -> Iterator[RuleMistake]:
        for name, ranking in part.rankings.items():
            categories = ranking.categories if isinstance(ranking, Ranking) else []
            for index, category in enumerate(categories):
                higher = next((earlier for earlier in categories[:index] if _includes(earlier, category)), None)
                if higher is not None:
                    yield RuleMistake(
                        path=("rankings", name, "categories", index),
                        message=f"no hand is a {category.category}: {higher.category} precedes it and includes them "
                        "all",
                        help="list categories from the highest down, the more specific one first",
                    )


def _includes(higher: Category, lower: Category) -> bool:
    """Return whether every hand that fits a lower category also fits a higher one."""
    groups = len(higher.groups) <= len(lower.groups) and all(map(le, higher.groups, lower.groups))
    ranks = not higher.ranks or (
        bool(higher.groups) == bool(lower.groups) and {*lower.ranks} <= {*higher.ranks} and bool(lower.ranks)
    )
    return groups and ranks and higher.suited <= lower.suited and higher.consecutive <= lower.consecutive


class IdleAce(DocumentCheck[RankingsFile]):
    """A ranking states the place of the ace in runs, but has no category of runs."""

    code = "redundant"
    severity = "warning"
    on = RankingsFile

    def find(self, context: DocumentContext, part: RankingsFile, here: DataPath) -> Iterator[RuleMistake]:
        for name, ranking in part.rankings.items():
            if not isinstance(ranking, Ranking) or ranking.ace not in ("low", "high-and-low"):
                continue
            if not any(category.consecutive for category in ranking.categories):
                yield RuleMistake(
                    path=("rankings", name, "ace"),
                    message=f"`{ranking.ace}` is about aces in runs, but no category is a run: the ace is the highest "
                    "card",
                    help="write `always-low` if the ace is the lowest card, otherwise `high`",
                )


class RankingMismatch(GameCheck[Condition]):
    """A condition compares hands of different rankings. The comparison has no meaning."""

    code = "ranking-mismatch"
    on = Condition

    def find(self, context: DocumentContext, part: Condition, here: DataPath) -> Iterator[RuleMistake]:
        compared = part.operand
        if not isinstance(compared, HandComparison):
            return
        first, second = context.game.hands[compared.hand], context.game.hands[compared.to]
        if first.list_rankings() != second.list_rankings():
            yield RuleMistake(
                path=(*here, part.operator),
                message=f"{compared.hand} is ranked by {first.rank_by}, {compared.to} by {second.rank_by}: "
                "the comparison has no meaning",
                help="rank both hands by the same ranking, under every reading",
            )


class DecreasingPayout(DocumentCheck[PayTable]):
    """A row of a pay table pays less than the next lower row."""

    code = "decreasing-payout"
    severity = "warning"
    on = PayTable

    def find(self, context: DocumentContext, part: PayTable, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the rows that pay less than the next one, if both pay in the same unit."""
        rows = [] if part.by is not None or len(part.lookup_names) != 1 else list(part.rows.items())
        for (above, more), (below, less) in pairwise(rows):
            if more.unit == less.unit and more.value < less.value:
                yield RuleMistake(
                    path=(*here, "rows", above),
                    message=f"{above} pays less than {below}, although it is the higher hand",
                    help="compare the odds with the text: the first number is the payout, the second the stake",
                )


class DistantPayout(DocumentCheck[PayTable]):
    """A row of a pay table pays many times what the next lower row pays. A digit may be too many or missing."""

    code = "distant-payout"
    severity = "warning"
    on = PayTable

    def find(self, context: DocumentContext, part: PayTable, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the rows that are far from the next lower one, if both pay in the same unit."""
        for (above, more), (below, less) in pairwise(part.rows.items()):
            if more.unit == less.unit and less.value > 0 and more.value > _MAX_STEP * less.value:
                yield RuleMistake(
                    path=(*here, "rows", above),
                    message=f"{above} pays more than {_MAX_STEP} times what {below} pays: {more} and {less}",
                    help="compare both with the text, digit by digit",
                )


class WordingMismatch(DocumentCheck[PayTable]):
    """A single row of a pay table is worded differently. `40 for 1` includes the stake, `40 to 1` does not."""

    code = "wording-mismatch"
    severity = "warning"
    on = PayTable

    def find(self, context: DocumentContext, part: PayTable, here: DataPath) -> Iterator[RuleMistake]:
        forms = {row: payout.form for row, payout in part.rows.items() if payout.form in ("to", "for")}
        for form in ("to", "for"):
            rows = [row for row, other_form in forms.items() if other_form == form]
            if len(rows) == 1 and len(forms) > 2:
                yield RuleMistake(
                    path=(*here, "rows", rows[0]),
                    message=f"{rows[0]} is worded `{form} 1`, unlike all other rows",
                    help="compare the odds with the text: `40 for 1` includes the stake, `40 to 1` does not",
                )


class UnpaidCategory(GameCheck[PayTable]):
    """A pay table has no row for a category, but pays lower hands."""

    code = "never-paid"
    severity = "warning"
    on = PayTable

    def find(self, context: DocumentContext, part: PayTable, here: DataPath) -> Iterator[RuleMistake]:
        if part.by is not None or len(part.lookup_names) != 1:
            return
        hand = context.game.hands[part.lookup_names[0]]
        order = compile_order(context.regulation.vocabulary.rankings[hand.rank_by])
        spans = [order.span(row) for row in part.rows]
        settled = {unlisted.category for unlisted in context.game.settlement.unlisted}
        for category in order.categories:
            low, high = order.span(category)
            covered = any(least < high and low < most for least, most in spans)
            if not covered and category not in settled and any(most <= low for _, most in spans):
                yield RuleMistake(
                    path=(*here, "rows"),
                    message=f"{category} has no row, but lower hands of {hand.rank_by} are paid",
                    help="add a row, or state under `unlisted` of the settlement what the text pays, or rank the hand "
                    "by another ranking",
                )


class ForeignPayTable(DocumentCheck[Game]):
    """A line that has a pay table is paid by the table of another line."""

    code = "pay-table-mismatch"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        lines_with_table = {table.for_ for table in part.pay_tables.values()}
        for index, case in enumerate(part.settlement.cases):
            if case.due.operator != "pay-table":
                continue
            for line in case.lines:
                if line in lines_with_table and case.due.operand.of != line:
                    yield RuleMistake(
                        path=("settlement", "cases", index, "due"),
                        message=f"{line} is paid here by the table of {case.due.operand.of}, although it has a table "
                        "of its own",
                        help=f"write `due: {{pay-table: {line}}}`, unless the text says otherwise",
                    )


class UnstatedOdds(DocumentCheck[Game]):
    """A case pays odds on a line with a pay table, but no row of the table states these odds."""

    code = "unstated-payout"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the cases with odds of their own, line by line."""
        for index, case in enumerate(part.settlement.cases):
            if case.due.operator != "odds":
                continue
            for line in case.lines:
                rows = [row for table in part.pay_tables.values() if table.for_ == line for row in table.rows.values()]
                if rows and case.due.operand not in rows:
                    yield RuleMistake(
                        path=("settlement", "cases", index, "due"),
                        message=f"{line} is paid {case.due.operand} here, but no row of its pay tables states that",
                        help=f"write `due: {{pay-table: {line}}}`, or compare the odds with the text",
                    )


class UnusedPayout(GameCheck[Unlisted]):
    """The payout of a category without a row is never used.

    Either every pay table has a row for the category, or none has the row by which the category is paid.
    """

    code = "unused-payout"
    on = Unlisted

    def find(self, context: DocumentContext, part: Unlisted, here: DataPath) -> Iterator[RuleMistake]:
        tables = [
            table
            for table in context.game.pay_tables.values()
            if part.category not in table.rows and part.category in _list_reachable_rows(context, table)
        ]
        if not tables:
            yield RuleMistake(
                path=(*here, "category"),
                message=f"every pay table that may apply to a hand of {part.category} has a row for it",
                help="name a category without a row, or remove this",
            )
        elif part.pays_as is not None and not any(part.pays_as in table.rows for table in tables):
            yield RuleMistake(
                path=(*here, "pays-as"),
                message=f"no pay table without a row for {part.category} has one for {part.pays_as}",
                help="name a row of the table that lacks the category",
            )


def _list_reachable_rows(context: DocumentContext, table: PayTable) -> set[str]:
    if table.by is not None:
        return {band.band for band in context.game.scales[table.by].bands}
    rankings = (name for hand in table.lookup_names for name in context.game.hands[hand].list_rankings())
    return {name for ranking in rankings for name in context.regulation.vocabulary.rankings[ranking].list_names()}


CHECKS = (
    ImplicitBestOf,
    DuplicateHand,
    UnusedCards,
    TooManyCardsDealt,
    UnreachableCategory,
    IdleAce,
    RankingMismatch,
    DecreasingPayout,
    DistantPayout,
    WordingMismatch,
    UnpaidCategory,
    ForeignPayTable,
    UnstatedOdds,
    UnusedPayout,
)
"""Checks of hands, rankings and pay tables."""
