"""Checks of a game: ambiguous hands, rows of pay tables, and wagers, payments and decisions that no act covers."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from operator import le

from fairdeal.validator.cards.hand_orders import compile_order
from fairdeal.validator.cards.ranking_models import Category, Ranking, has_leading_ranks
from fairdeal.validator.engine.core.propositions import conjoin, disjoin, negate
from fairdeal.validator.evidence.event_kinds import EventKind
from fairdeal.validator.language.grammar import HandComparison
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rule_checks.document_checks import find_duplicates
from fairdeal.validator.rulebook.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.deal_model import SameOrderCheck
from fairdeal.validator.rules.game_model import Act, Game, Hand, Wager
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
    lines_with_table = {table.of for table in context.game.pay_tables.values()}
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
        tables = (table for table in context.game.pay_tables.values() if table.of == line)
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
        return {*context.game.scales[table.by].bands}
    rankings = (name for hand in table.lookup_names for name in context.game.hands[hand].list_rankings())
    return {name for ranking in rankings for name in context.regulation.vocabulary.rankings[ranking].list_names()}


_SETTLING = frozenset({"pay", "collect"})
"""Events whose order a settlement has; what is handed back has none."""


@warning("never-placed")
def find_wager_without_step(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager that no step places. Each event of it would be unknown to the game."""
    for name, wager in game.wagers.items():
        bet = game.betting is not None and (name == game.betting.wager or wager.placed == "with-a-decision")
        kinds: tuple[EventKind, ...] = ("wager", "decide") if bet else ("wager",)
        if not any(_has_event_on(step, name, kinds) for step in game.all_acts.values()):
            yield (
                ("wagers", name),
                f"no act places the wager {name}",
                f"add an act with `event: wager` and `of: [{name}]` where the text places it",
            )


@error("never-placed", "name the wager that the decision places, or write `placed: with-a-decision` for this one")
def find_wager_placed_twice(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a decision that places a wager which is placed before the deal."""
    for name, decision in game.decisions.items():
        if decision.places is not None and game.wagers[decision.places].is_opening:
            message = f"the wager {decision.places} is placed before the deal, but a decision places it"
            yield ("decisions", name, "places"), message


@error("incomplete-pair", "give both, as in `amount: 2` with `of: ` and the name of a wager, or neither")
def find_incomplete_multiple(context: DocumentContext, wager: Wager, here: DataPath) -> Mistakes:
    """Find a wager with `amount` but without `of`, or the other way around. Only both state what it must equal."""
    if (wager.amount is None) != (wager.of is None):
        yield (
            (*here, "amount" if wager.of is None else "of"),
            "`amount` and `of` together state what the wager must equal: one has no meaning without the other",
        )


@error("self-reference", "name the other wager that its amount depends on")
def find_multiple_of_itself(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager that must be a multiple of itself."""
    for name, wager in game.wagers.items():
        if wager.of == name and wager.amount is not None:
            yield ("wagers", name, "of"), f"the wager {name} must be a multiple of itself"


@error("never-placed")
def find_needs_later_wager(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager before the deal that needs a wager which is placed later. Nobody could place it.

    Games with betting are not examined.
    """
    terms = context.terms
    later = {name for name, wager in game.wagers.items() if wager.placed == "with-a-decision"}
    none_later = conjoin([negate(terms.build_formula(Condition.model_validate({"placed": name}))) for name in later])
    for name, wager in game.wagers.items():
        needs = terms.build_formula(wager.when)
        if name in later or game.betting is not None or not terms.may_hold(needs):
            continue
        if not terms.may_hold(conjoin([needs, none_later])):
            yield (
                ("wagers", name, "when"),
                f"{name} is placed before the deal, but needs a wager that is placed with a decision",
                f"name a wager that is placed by then, or write `placed: with-a-decision` for {name}",
            )


@warning("never-settled")
def find_unsettled_case(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a case that requires a payment, collection or return which no step performs."""
    kinds: dict[str, tuple[EventKind, ...]] = {
        "lost": ("collect",),
        "returned": ("return",),
        "loses": ("collect", "return"),
        "odds": ("pay",),
        "share": ("pay", "collect"),
        "pay-table": ("pay",),
    }
    for line in game.settlement.order:
        missing: set[EventKind] = set()
        for index, case in enumerate(game.settlement.cases):
            required = kinds.get(case.due.operand if case.due.operator == "outcome" else case.due.operator, ())
            for kind in required if line in case.lines else ():
                has_no_stake = line in game.bonuses and kind != "pay"
                if kind in missing or has_no_stake:
                    continue
                if not any(_has_event_on(step, line, (kind,)) for step in game.all_acts.values()):
                    missing.add(kind)
                    yield (
                        ("settlement", "cases", index, "due"),
                        f"no step has an event `{kind}` on {line}, which this requires",
                        f"add `{kind}` to the events of the step in which {line} is settled, or add such a step",
                    )


def _has_event_on(step: Act, line: str, kinds: Collection[EventKind]) -> bool:
    return bool({*step.events} & {*kinds}) and (not step.of or line in step.of)


@error("never-decided", "add an act with `event: decide`")
def find_decision_without_step(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a decision of the game that no step has."""
    deciding = [step for step in game.all_acts.values() if "decide" in step.events]
    for name in game.decisions:
        if not any(not step.decisions or name in step.decisions for step in deciding):
            yield ("decisions", name), f"no step has the decision {name}"


@warning("open-to-too-many")
def find_decision_beyond_step(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a decision that is open to seats for which its step does not happen. Games with betting are not examined."""
    terms = context.terms
    for name, decision in {}.items() if game.betting is not None else game.decisions.items():
        steps = [
            step
            for step in game.acts.values()
            if "decide" in step.events and (not step.decisions or name in step.decisions)
        ]
        reached = disjoin([terms.build_formula(step.when) for step in steps])
        if steps and terms.may_hold(conjoin([terms.build_formula(decision.when), negate(reached)])):
            yield (
                ("acts", steps[0].name, "when"),
                f"{name} is open to seats for which this step does not happen",
                f"require here no more than `when` of {name} does",
            )


@warning("open-to-too-many")
def find_decision_beyond_wager(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a decision that is open to seats that may not place the wager which it places."""
    terms = context.terms
    for name, decision in game.decisions.items():
        needs = None if decision.places is None else game.wagers[decision.places].when
        open_to = terms.build_formula(decision.when)
        if terms.may_hold(conjoin([open_to, negate(terms.build_formula(needs))])):
            yield (
                ("decisions", name) if decision.when is None else ("decisions", name, "when"),
                f"this is open to seats that may not place {decision.places}, which it places",
                f"require here too the `when` of {decision.places}",
            )


@warning("order-mismatch", "compare both orders with the text: this one, and that of `acts`")
def find_settlement_out_of_order(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find lines of the settlement that are listed in another order than the steps that settle them."""
    acts = list(game.acts.values())
    settled = {
        name: [at for at, act in enumerate(acts) if name in act.of and _SETTLING & {*act.events}]
        for name in game.settlement.order
    }
    places = {name: at[0] for name, at in settled.items() if len(at) == 1}
    lines = [name for name in game.settlement.order if name in places]
    for earlier, later in pairwise(lines):
        if places[later] < places[earlier]:
            yield (
                ("settlement", "order", game.settlement.order.index(later)),
                f"{later} is listed after {earlier}, but the game is played in the other order: "
                f"{acts[places[later]].name} before {acts[places[earlier]].name}",
            )


@error("duplicate-entry", "name each step once, in the order of play")
def find_step_listed_twice(context: DocumentContext, visit: InTurnCheck, here: DataPath) -> Mistakes:
    """Find a visit to a seat that lists a step twice. Another may be missing."""
    for number, name in enumerate(visit.steps):
        if name in visit.steps[:number]:
            yield (*here, "steps", number), f"the step {name} is listed twice in the visit"


@error("order-mismatch", "compare both orders with the text: this one, and that of `acts` in game.yaml")
def find_visit_out_of_order(context: GameContext, visit: InTurnCheck, here: DataPath) -> Mistakes:
    """Find a visit to a seat that lists its steps in another order than the game is played."""
    played = list(context.game.acts)
    for number, (earlier, later) in enumerate(pairwise(visit.steps), 1):
        if {earlier, later} <= {*played} and played.index(later) < played.index(earlier):
            yield (*here, "steps", number), f"the game is played in the other order: {later} before {earlier}"


@warning("missing-entry")
def find_step_missing_in_visit(context: GameContext, visit: InTurnCheck, here: DataPath) -> Mistakes:
    """Find a step of a turn that a visit to a seat leaves out, although it has the other steps of the turn.

    The step comes between those of the visit, or has the same events.
    """
    acts, events = context.game.acts, context.game.all_acts
    places = [at for at, name in enumerate(acts) if name in visit.steps]
    kinds = {kind for name in visit.steps for kind in events[name].events}
    turn = acts[visit.steps[0]].turn if visit.steps[0] in acts else None
    for at, (name, step) in enumerate(acts.items()):
        if name in visit.steps or turn is None or step.turn != turn:
            continue
        if min(places) < at < max(places) or kinds & {*step.events}:
            yield (
                (*here, "steps"),
                f"{name} happens in the same turn as these steps, but is not listed",
                f"add {name} at its position in a visit, or give it another `turn`",
            )


@warning("order-mismatch", "exchange them: the first of `steps` sets the order that the second must follow")
def find_order_set_too_late(context: GameContext, check: SameOrderCheck, here: DataPath) -> Mistakes:
    """Find a step that sets the order of seats, but comes after the step that must follow the order."""
    played = list(context.game.acts)
    first, then = check.steps
    if {first, then} <= {*played} and played.index(first) > played.index(then):
        yield (*here, "steps", 1), f"the game is played in the other order: {then} before {first}"
