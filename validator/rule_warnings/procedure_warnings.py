"""Warnings about the procedure: turns and visits out of order, wagers that no step places or settles, steps that no
event can match.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from fairdeal.validator.evidence.handlog.event_fields import requires_field
from fairdeal.validator.evidence.handlog.event_kinds import EventKind
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.propositions import conjoin, disjoin, negate
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.game_model import Game, Step
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.positioned_document import DataPath

_SETTLING = frozenset({"pay", "collect", "return"})


def find_single_step_turns(game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about turns of a single step whose name resembles another turn."""
    turns = [step.turn for step in game.procedure]
    for index, step in enumerate(game.procedure):
        if step.turn is not None and turns.count(step.turn) == 1:
            near = find_similar(step.turn, {turn for turn in turns if turn not in (None, step.turn)})
            if near is not None:
                yield RuleWarning(
                    code="unknown-name",
                    path=("procedure", index, "turn"),
                    severity="warning",
                    message=f"no other step has the turn {step.turn}",
                    help=f"did you mean `{near}`?",
                )


def find_visit_warnings(game: Game, file: RequirementFile) -> Iterator[RuleWarning]:
    """Yield warnings about visits whose steps are duplicate, missing or out of the order of play."""
    procedure = [step.step for step in game.procedure]
    turns = {step.step: step.turn for step in game.procedure if not step.aside}
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, InTurnCheck):
            continue
        here: DataPath = ("requirements", index, "check", "in-turn", "steps")
        places = [procedure.index(name) for name in check.steps]
        for number, name in enumerate(check.steps):
            if name in check.steps[:number]:
                yield RuleWarning(
                    code="duplicate-entry",
                    path=(*here, number),
                    message=f"the step {name} is listed twice in the visit",
                    help="name each step once, in the order of play",
                )
            elif number and places[number] < places[number - 1]:
                yield RuleWarning(
                    code="order-mismatch",
                    path=(*here, number),
                    message=f"the game is played in the other order: {name} before {check.steps[number - 1]}",
                    help="compare both orders with the text: this one, and that of `procedure` in game.yaml",
                )
        kinds = {kind for name in check.steps for kind in game.procedure[procedure.index(name)].events}
        for played_at, name in enumerate(procedure):
            if name in check.steps or turns.get(name) is None or turns[name] != turns.get(check.steps[0]):
                continue
            if min(places) < played_at < max(places) or kinds & {*game.procedure[played_at].events}:
                yield RuleWarning(
                    code="missing-entry",
                    path=here,
                    severity="warning",
                    message=f"{name} happens in the same turn as these steps, but is not listed",
                    help=f"add {name} at its position in a visit, or give it another `turn`",
                )


def find_settlement_order_warnings(game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about lines that are listed in another order than the steps that settle them."""
    settled = {
        name: [
            at
            for at, step in enumerate(game.procedure)
            if name in step.of and not step.aside and _SETTLING & {*step.events}
        ]
        for name in game.settlement.order
    }
    places = {name: at[0] for name, at in settled.items() if len(at) == 1}
    lines = [name for name in game.settlement.order if name in places]
    for earlier, later in pairwise(lines):
        if places[later] < places[earlier]:
            yield RuleWarning(
                code="order-mismatch",
                path=("settlement", "order", game.settlement.order.index(later)),
                severity="warning",
                message=f"{later} is listed after {earlier}, but the game is played in the other order: "
                f"{game.procedure[places[later]].step} before {game.procedure[places[earlier]].step}",
                help="compare both orders with the text: this one, and that of `procedure`",
            )


def find_direction_warnings(regulation: Regulation, game: Game, simulation: Simulation) -> Iterator[RuleWarning]:
    """Yield warnings about a simulated house that goes round the table in another direction than the rules require."""
    sides = {name: habit.from_ for name, habit in simulation.steps.items() if isinstance(habit.from_, str)}
    for requirement in regulation.requirements:
        check = requirement.check.operand
        if not isinstance(check, InTurnCheck) or check.when is not None:
            continue
        turns = {step.turn for step in game.procedure if step.step in check.steps} - {None}
        steps = [step for step in game.procedure if step.step in check.steps or step.turn in turns]
        name = next((step.step for step in steps if not step.aside and step.each != "round"), None)
        side = next((sides[step.step] for step in steps if step.step in sides), game.deal.stages[0].first)
        if name is not None and side in ("dealer-left", "dealer-right") and side != check.from_:
            yield RuleWarning(
                code="direction-mismatch",
                path=("steps",),
                severity="warning",
                message=f"the simulated house takes {name} from {side}, but {requirement.requirement} requires "
                f"{check.from_}",
                help=f"write `steps: {{{name}: {{from: {check.from_}}}}}`, or compare the requirement with the text",
            )


_SEAT_EVENTS = frozenset({"decide", "tuck", "claim", "leave", "arrive", "chips-in", "chips-out"})
"""Kinds of event that are about one seat."""
_CARD_EVENTS = frozenset({"deal", "draw", "reveal", "expose", "turn-down", "collect-cards"})
"""Kinds of event that are about cards of a place."""
_STAKE_EVENTS = frozenset({"wager", "withdraw", "pay", "collect", "return"})
"""Kinds of event that are about one stake."""


def find_procedure_warnings(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about wagers, payments and decisions of a game that its steps do not cover."""
    game = terms.game
    yield from _check_wagers(game)
    yield from _check_needs(terms)
    yield from _find_unsettled_cases(game)
    yield from _find_decisions_without_step(game)
    yield from _check_steps(game)
    yield from _check_placed_wagers(terms)
    yield from _check_deciding_steps(terms)
    yield from find_single_step_turns(game)


def _check_wagers(game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about wagers that no step places, and about inconsistent multiples."""
    for name, wager in game.wagers.items():
        bet = game.betting is not None and (name == game.betting.wager or wager.placed == "with-a-decision")
        kinds: tuple[EventKind, ...] = ("wager", "decide") if bet else ("wager",)
        if not any(_has_event_on(step, name, kinds) for step in game.procedure):
            yield RuleWarning(
                code="never-placed",
                path=("wagers", name),
                severity="warning",
                message=f"no step places the wager {name}",
                help=f"add a step with `events: [wager]` and `of: [{name}]` where the text places it",
            )
        placing = [decision_name for decision_name, decision in game.decisions.items() if decision.places == name]
        if placing and wager.placed == "before-the-deal":
            yield RuleWarning(
                code="never-placed",
                path=("decisions", placing[0], "places"),
                message=f"the wager {name} is placed before the deal, but a decision places it",
                help="name the wager that the decision places, or write `placed: with-a-decision` for this one",
            )
        if (wager.amount is None) != (wager.of is None):
            yield RuleWarning(
                code="incomplete-pair",
                path=("wagers", name, "amount" if wager.of is None else "of"),
                message="`amount` and `of` together state what the wager must equal: one has no meaning without the "
                "other",
                help="give both, as in `amount: 2` with `of: ante`, or neither",
            )
        elif wager.of == name:
            yield RuleWarning(
                code="self-reference",
                path=("wagers", name, "of"),
                message=f"the wager {name} must be a multiple of itself",
                help="name the other wager that its amount depends on",
            )


def _check_needs(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about wagers before the deal that need a wager which is placed later."""
    wagers = terms.game.wagers
    placed_later = {name for name, wager in wagers.items() if wager.placed == "with-a-decision"}
    none_placed_later = conjoin(
        [negate(terms.build_formula(Condition.model_validate({"placed": name}))) for name in placed_later]
    )
    for name, wager in wagers.items():
        if wager.needs is None or name in placed_later or terms.game.betting is not None:
            continue
        needs = terms.build_formula(wager.needs)
        if terms.may_hold(needs) and not terms.may_hold(conjoin([needs, none_placed_later])):
            yield RuleWarning(
                code="never-placed",
                path=("wagers", name, "needs"),
                message=f"{name} is placed before the deal, but needs a wager that is placed with a decision",
                help=f"name a wager that is placed by then, or write `placed: with-a-decision` for {name}",
            )


def _find_unsettled_cases(game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about payments, collections and returns that a case requires and no step performs."""
    needed: dict[str, dict[EventKind, str]] = {line: {} for line in game.settlement.order}
    for case in game.settlement.cases:
        for line in case.lines:
            outcome = case.due.operand if case.due.operator == "outcome" else "paid"
            kinds: dict[str, EventKind] = {"lost": "collect", "returned": "return", "paid": "pay"}
            if outcome in kinds and line in needed:
                needed[line].setdefault(kinds[outcome], case.case)
    for line, kinds_of in needed.items():
        for kind, case_name in kinds_of.items():
            if line in game.bonuses and kind != "pay":
                continue
            if not any(_has_event_on(step, line, (kind,)) for step in game.procedure):
                yield RuleWarning(
                    code="never-settled",
                    severity="warning",
                    path=("settlement", "cases", [case.case for case in game.settlement.cases].index(case_name), "due"),
                    message=f"no step has an event `{kind}` on {line}, which this requires",
                    help=f"add `{kind}` to the events of the step in which {line} is settled, or add such a step",
                )


def _find_decisions_without_step(game: Game) -> Iterator[RuleWarning]:
    deciding = [step for step in game.procedure if "decide" in step.events]
    for name in game.decisions:
        if not any(not step.decisions or name in step.decisions for step in deciding):
            yield RuleWarning(
                code="never-decided",
                path=("decisions", name),
                message=f"no step has the decision {name}",
                help="add a step with `events: [decide]` and `each: seat`",
            )


def _check_deciding_steps(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about decisions that are open to seats for which no step of deciding happens."""
    game = terms.game
    for name, decision in game.decisions.items():
        steps = [
            step
            for step in game.procedure
            if "decide" in step.events and not step.aside and (not step.decisions or name in step.decisions)
        ]
        if not steps or game.betting is not None:
            continue
        reached = disjoin([True if step.when is None else terms.build_formula(step.when) for step in steps])
        open_to = True if decision.open_to is None else terms.build_formula(decision.open_to)
        if terms.may_hold(conjoin([open_to, negate(reached)])):
            yield RuleWarning(
                code="open-to-too-many",
                path=("procedure", game.procedure.index(steps[0]), "when"),
                severity="warning",
                message=f"{name} is open to seats for which this step does not happen",
                help=f"require here no more than `open-to` of {name} does",
            )


def _has_event_on(step: Step, line: str, kinds: Collection[EventKind]) -> bool:
    return bool({*step.events} & {*kinds}) and (not step.of or line in step.of)


def _check_steps(game: Game) -> Iterator[RuleWarning]:
    seen: dict[str, str] = {}
    for index, step in enumerate(game.procedure):
        for nth, name in enumerate(step.of):
            if name in step.of[:nth]:
                yield RuleWarning(
                    code="duplicate-entry",
                    path=("procedure", index, "of", nth),
                    message=f"{name} is listed twice under `of` of {step.step}",
                    help="name each wager once; another may be missing",
                )
    for index, step in enumerate(game.procedure):
        if step.aside:
            continue
        here: DataPath = ("procedure", index)
        yield from _find_unmatched_events(game, step, here)
        for finer, kinds in (("seat", _SEAT_EVENTS), ("stake", _STAKE_EVENTS)):
            wrong = sorted({*step.events} & kinds)
            if wrong and (step.each == "round" or (finer == "stake" and step.each == "seat")):
                yield RuleWarning(
                    code="wrong-each",
                    path=(*here, "each") if step.each != "round" else (*here, "events"),
                    message=f"`{wrong[0]}` happens once per {finer}, but the step is one of each {step.each}",
                    help=f"write `each: {finer}`",
                )
        if "decide" in step.events and step.each == "stake":
            yield RuleWarning(
                code="wrong-each",
                path=(*here, "each"),
                message="`decide` happens once per seat, but the step is one of each stake",
                help="write `each: seat`",
            )
        bonuses = [name for name in step.of if name in game.bonuses]
        impossible = sorted({*step.events} & (_STAKE_EVENTS - {"pay"} if bonuses == step.of else {"wager", "withdraw"}))
        if bonuses and impossible:
            yield RuleWarning(
                code="impossible-event",
                path=(*here, "of", step.of.index(bonuses[0])),
                message=f"`{impossible[0]}` cannot happen to {bonuses[0]}: a bonus has no stake, it is only paid or "
                "not",
                help="remove it from this step, or define it under `wagers`",
            )
        content = repr({key: value for key, value in step if key not in ("step", "title", "turn")})
        if content in seen:
            yield RuleWarning(
                code="duplicate",
                path=(*here, "step"),
                message=f"the steps {seen[content]} and {step.step} match the same events, so each event belongs to "
                "both",
                help="distinguish them, remove one, or write `aside: true` for the one that only names events",
            )
        seen.setdefault(content, step.step)


def _find_unmatched_events(game: Game, step: Step, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings about a step that no event can match, or that matches every event of a kind."""
    without_what = [kind for kind in step.events if requires_field(kind, "what")]
    if without_what and step.what is None and step.what_is is None:
        yield RuleWarning(
            code="underspecified-event",
            path=(*here, "events"),
            severity="warning",
            message=f"an event `{without_what[0]}` states `what`, but this step does not: "
            "every such event belongs to it, and simulated rounds cannot record it",
            help="add `what`, in one word",
        )
    without_place = [kind for kind in step.events if requires_field(kind, "place") and kind != "deal"]
    if without_place and step.place is None and step.each == "round":
        yield RuleWarning(
            code="underspecified-event",
            path=(*here, "events"),
            severity="warning",
            message=f"an event `{without_place[0]}` states a place, but this step does not: simulated rounds cannot "
            "record it",
            help="add `place`, which states whose cards these are, or `each: seat` for the cards of every player",
        )
    if step.place not in (None, "player") and step.each != "round":
        yield RuleWarning(
            code="impossible-event",
            path=(*here, "place"),
            message=f"the place `{step.place}` is not a seat, so nothing happens there once per {step.each}",
            help="leave out `each`, or write `place: player`",
        )
    elif (
        step.place in ("player", "dealer", "community")
        and step.place not in game.deal.cards
        and _CARD_EVENTS & {*step.events}
    ):
        yield RuleWarning(
            code="impossible-event",
            path=(*here, "place"),
            message=f"the {step.place} is dealt no cards, so nothing can happen to them",
            help="name the place where the cards are",
        )


def _check_placed_wagers(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about decisions that are open to seats which may not have the wager that is placed."""
    game = terms.game
    for name, decision in game.decisions.items():
        needs = None if decision.places is None else game.wagers[decision.places].needs
        if needs is None:
            continue
        open_to = True if decision.open_to is None else terms.build_formula(decision.open_to)
        if terms.may_hold(conjoin([open_to, negate(terms.build_formula(needs))])):
            yield RuleWarning(
                code="open-to-too-many",
                path=("decisions", name) if decision.open_to is None else ("decisions", name, "open-to"),
                severity="warning",
                message=f"this is open to seats that may not place {decision.places}, which it places",
                help=f"require here too what {decision.places} `needs`",
            )
