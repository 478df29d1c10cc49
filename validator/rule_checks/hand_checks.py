"""Checks of hands, rankings and pay tables: ambiguous hands, unreachable categories, rows that pay the wrong way."""

from __future__ import annotations

from itertools import pairwise
from operator import le

from fairdeal.validator.cards.hand_orders import compile_order
from fairdeal.validator.cards.ranking_models import Category, Ranking, has_leading_ranks
from fairdeal.validator.language.grammar import HandComparison
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rule_checks.naming_checks import find_duplicates
from fairdeal.validator.rulebook.lint.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.game_model import Game, Hand
from fairdeal.validator.rules.payment_model import Case, PayTable, Unlisted
from fairdeal.validator.text.positioned_document import DataPath

_MAX_STEP = 20
"""Factor between the payouts of neighbouring rows above which one of them is probably wrong."""


@warning("implicit-best-of")
def find_implicit_best_of(context: GameContext, hand: Hand, here: DataPath) -> Mistakes:
    """Find a hand that is silently the best of more cards than its ranking counts."""
    full = hand.count_full_cards(context.game.deal)
    available = sum(full[place] for place in hand.from_)
    ranking = context.regulation.vocabulary.rankings[hand.rank_by]
    ranked = ranking.cards if isinstance(ranking, Ranking) else available
    if hand.uses is None and hand.best_of is None and available > ranked and not hand.is_set:
        yield (
            here,
            f"this hand is the best of {available} cards, but {hand.rank_by} ranks {ranked}",
            f"if that is meant, write `best-of: {available}`; otherwise state how many cards of each place it `uses`",
        )


@warning("duplicate", "state under `from` the places of each hand")
def find_duplicate_hand(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find two hands that consist of the same cards. A comparison of them would always be a tie."""
    yield from find_duplicates(
        (
            (("hands", name), name, {key: value for key, value in hand if key != "title"})
            for name, hand in game.hands.items()
        ),
        "the hands {} and {} consist of the same cards",
    )


@warning("unused")
def find_unused_cards(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find cards that are dealt to a place, although no hand contains them."""
    for place in game.deal.cards:
        if all(place not in hand.from_ for hand in game.hands.values()):
            yield (
                ("hands",),
                f"cards are dealt to the place {place}, but no hand contains them",
                f"name {place} under `from` of the hands that contain it, or remove it from the deal",
            )


@error("too-many-cards", "compare `cards` of the stages and the `deck` with the text")
def find_too_many_cards_dealt(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a deal that gives one seat and the house more cards than there are in play."""
    dealt, in_play = sum(game.deal.cards.values()), context.regulation.cards_in_play
    if dealt > in_play:
        message = f"one seat and the house are dealt {dealt} cards, but there are only {in_play} in play"
        yield ("deal", "stages"), message


@error("unreachable", "list categories from the highest down, the more specific one first")
def find_unreachable_category(context: DocumentContext, ranking: Ranking, here: DataPath) -> Mistakes:
    """Find a category of a ranking that comes after another which includes all of its hands."""
    for index, category in enumerate(ranking.categories):
        higher = next((earlier for earlier in ranking.categories[:index] if _includes(earlier, category)), None)
        if higher is not None:
            message = f"no hand is a {category.category}: {higher.category} precedes it and includes them all"
            yield (*here, "categories", index), message


def _includes(higher: Category, lower: Category) -> bool:
    """Return whether every hand that fits a lower category also fits a higher one."""
    groups = len(higher.groups) <= len(lower.groups) and all(map(le, higher.groups, lower.groups))
    ranks = not higher.ranks or (
        bool(higher.groups) == bool(lower.groups) and {*lower.ranks} <= {*higher.ranks} and bool(lower.ranks)
    )
    return groups and ranks and higher.suited <= lower.suited and higher.consecutive <= lower.consecutive


@warning("redundant", "write `always-low` if the ace is the lowest card, otherwise `high`")
def find_idle_ace(context: DocumentContext, ranking: Ranking, here: DataPath) -> Mistakes:
    """Find a ranking that states the place of the ace in runs, but has no category of runs."""
    if ranking.ace in ("low", "high-and-low") and not any(category.consecutive for category in ranking.categories):
        message = f"`{ranking.ace}` is about aces in runs, but no category is a run: the ace is the highest card"
        yield (*here, "ace"), message


@error("ranking-mismatch", "rank both hands by the same ranking, under every reading")
def find_ranking_mismatch(context: GameContext, condition: Condition, here: DataPath) -> Mistakes:
    """Find a condition that compares hands of different rankings. The comparison has no meaning."""
    compared = condition.operand
    if not isinstance(compared, HandComparison):
        return
    first, second = context.game.hands[compared.hand], context.game.hands[compared.to]
    if first.list_rankings() == second.list_rankings():
        return
    rankings = [context.regulation.vocabulary.rankings[hand.rank_by] for hand in (first, second)]
    if not has_leading_ranks(*rankings) or first.otherwise or second.otherwise:
        yield (
            (*here, condition.operator),
            f"{compared.hand} is ranked by {first.rank_by}, {compared.to} by {second.rank_by}: the comparison has no "
            "meaning",
        )


@warning("decreasing-payout", "compare the odds with the text: the first number is the payout, the second the stake")
def find_decreasing_payout(context: DocumentContext, table: PayTable, here: DataPath) -> Mistakes:
    """Find a row of a pay table that pays less than the next lower row, in the same unit."""
    rows = [] if table.by is not None or len(table.lookup_names) != 1 else list(table.rows.items())
    for (above, more), (below, less) in pairwise(rows):
        if more.unit == less.unit and more.value < less.value:
            yield (*here, "rows", above), f"{above} pays less than {below}, although it is the higher hand"


@warning("distant-payout", "compare both with the text, digit by digit")
def find_distant_payout(context: DocumentContext, table: PayTable, here: DataPath) -> Mistakes:
    """Find a row of a pay table that pays many times what the next lower row pays. A digit may be too many."""
    for (above, more), (below, less) in pairwise(table.rows.items()):
        if more.unit == less.unit and less.value > 0 and more.value > _MAX_STEP * less.value:
            message = f"{above} pays more than {_MAX_STEP} times what {below} pays: {more} and {less}"
            yield (*here, "rows", above), message


@warning("wording-mismatch", "compare the odds with the text: `40 for 1` includes the stake, `40 to 1` does not")
def find_wording_mismatch(context: DocumentContext, table: PayTable, here: DataPath) -> Mistakes:
    """Find a single row of a pay table that is worded differently. `40 for 1` includes the stake, `40 to 1` not."""
    forms = {row: payout.form for row, payout in table.rows.items() if payout.form in ("to", "for")}
    for form in ("to", "for"):
        rows = [row for row, other_form in forms.items() if other_form == form]
        if len(rows) == 1 and len(forms) > 2:
            yield (*here, "rows", rows[0]), f"{rows[0]} is worded `{form} 1`, unlike all other rows"


@warning(
    "never-paid",
    "add a row, or state under `unlisted` of the settlement what the text pays, or rank the hand by another ranking",
)
def find_unpaid_category(context: GameContext, table: PayTable, here: DataPath) -> Mistakes:
    """Find a category without a row in a pay table that pays lower hands."""
    if table.by is not None or len(table.lookup_names) != 1:
        return
    hand = context.game.hands[table.lookup_names[0]]
    order = compile_order(context.regulation.vocabulary.rankings[hand.rank_by])
    spans = [order.span(row) for row in table.rows]
    settled = {unlisted.category for unlisted in context.game.settlement.unlisted}
    for category in order.categories:
        low, high = order.span(category)
        covered = any(least < high and low < most for least, most in spans)
        if not covered and category not in settled and any(most <= low for _, most in spans):
            yield (*here, "rows"), f"{category} has no row, but lower hands of {hand.rank_by} are paid"


@warning("pay-table-mismatch")
def find_foreign_pay_table(context: GameContext, case: Case, here: DataPath) -> Mistakes:
    """Find a line with a pay table that is paid by the table of another line."""
    lines_with_table = {table.for_ for table in context.game.pay_tables.values()}
    for line in case.lines if case.due.operator == "pay-table" else ():
        if line in lines_with_table and case.due.operand.of != line:
            yield (
                (*here, "due"),
                f"{line} is paid here by the table of {case.due.operand.of}, although it has a table of its own",
                f"write `due: {{pay-table: {line}}}`, unless the text says otherwise",
            )


@warning("unstated-payout")
def find_unstated_odds(context: GameContext, case: Case, here: DataPath) -> Mistakes:
    """Find odds that a case pays on a line with a pay table, although no row of the table states these odds."""
    for line in case.lines if case.due.operator == "odds" else ():
        tables = (table for table in context.game.pay_tables.values() if table.for_ == line)
        rows = [row for table in tables for row in table.rows.values()]
        if rows and case.due.operand not in rows:
            yield (
                (*here, "due"),
                f"{line} is paid {case.due.operand} here, but no row of its pay tables states that",
                f"write `due: {{pay-table: {line}}}`, or compare the odds with the text",
            )


@error("unused-payout")
def find_unused_payout(context: GameContext, unlisted: Unlisted, here: DataPath) -> Mistakes:
    """Find the payout of a category without a row that is never used.

    Either every pay table has a row for the category, or none has the row by which the category is paid.
    """
    category = unlisted.category
    tables = [
        table
        for table in context.game.pay_tables.values()
        if category not in table.rows and category in _list_reachable_rows(context, table)
    ]
    if not tables:
        message = f"every pay table that may apply to a hand of {category} has a row for it"
        yield (*here, "category"), message, "name a category without a row, or remove this"
    elif unlisted.pays_as is not None and not any(unlisted.pays_as in table.rows for table in tables):
        message = f"no pay table without a row for {category} has one for {unlisted.pays_as}"
        yield (*here, "pays-as"), message, "name a row of the table that lacks the category"


def _list_reachable_rows(context: GameContext, table: PayTable) -> set[str]:
    if table.by is not None:
        return {band.band for band in context.game.scales[table.by].bands}
    rankings = (name for hand in table.lookup_names for name in context.game.hands[hand].list_rankings())
    return {name for ranking in rankings for name in context.regulation.vocabulary.rankings[ranking].list_names()}
