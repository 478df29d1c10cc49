"""Checks of the acts: wagers, payments and decisions that no act covers, turns and lines out of order."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from fairdeal.validator.evidence.handlog.event_kinds import EventKind
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.propositions import conjoin, disjoin, negate
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rulebook.lint.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.deal_model import SameOrderCheck
from fairdeal.validator.rules.game_model import Act, Game, Wager
from fairdeal.validator.text.positioned_document import DataPath

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
        needs = terms.build_formula(wager.needs)
        if name in later or game.betting is not None or not terms.may_hold(needs):
            continue
        if not terms.may_hold(conjoin([needs, none_later])):
            yield (
                ("wagers", name, "needs"),
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
        if steps and terms.may_hold(conjoin([terms.build_formula(decision.open_to), negate(reached)])):
            yield (
                ("acts", steps[0].name, "when"),
                f"{name} is open to seats for which this step does not happen",
                f"require here no more than `open-to` of {name} does",
            )


@warning("open-to-too-many")
def find_decision_beyond_wager(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a decision that is open to seats that may not place the wager which it places."""
    terms = context.terms
    for name, decision in game.decisions.items():
        needs = None if decision.places is None else game.wagers[decision.places].needs
        open_to = terms.build_formula(decision.open_to)
        if terms.may_hold(conjoin([open_to, negate(terms.build_formula(needs))])):
            yield (
                ("decisions", name) if decision.open_to is None else ("decisions", name, "open-to"),
                f"this is open to seats that may not place {decision.places}, which it places",
                f"require here too what {decision.places} `needs`",
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


@warning("order-mismatch", "exchange them: `first` sets the order that `then` must follow")
def find_order_set_too_late(context: GameContext, check: SameOrderCheck, here: DataPath) -> Mistakes:
    """Find a step that sets the order of seats, but comes after the step that must follow the order."""
    played = list(context.game.acts)
    if {check.first, check.then} <= {*played} and played.index(check.first) > played.index(check.then):
        yield (*here, "then"), f"the game is played in the other order: {check.then} before {check.first}"
