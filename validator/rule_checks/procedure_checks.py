"""Checks of the procedure: wagers, payments and decisions that no step covers, turns and lines out of order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from fairdeal.validator.evidence.handlog.event_kinds import EventKind
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.propositions import conjoin, disjoin, negate
from fairdeal.validator.rule_checks.check_context import DocumentCheck, DocumentContext, GameCheck
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.deal_model import SameOrderCheck
from fairdeal.validator.rules.game_model import Game, Step, Wager
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.text.positioned_document import DataPath

_SETTLING = frozenset({"pay", "collect", "return"})


class WagerWithoutStep(DocumentCheck[Game]):
    """No step places a wager. Each event of it would be unknown to the procedure."""

    code = "never-placed"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        for name, wager in part.wagers.items():
            bet = part.betting is not None and (name == part.betting.wager or wager.placed == "with-a-decision")
            kinds: tuple[EventKind, ...] = ("wager", "decide") if bet else ("wager",)
            if not any(_has_event_on(step, name, kinds) for step in part.procedure):
                yield RuleMistake(
                    path=("wagers", name),
                    message=f"no step places the wager {name}",
                    help=f"add a step with `events: [wager]` and `of: [{name}]` where the text places it",
                )


class WagerPlacedTwice(DocumentCheck[Game]):
    """A decision places a wager that is placed before the deal."""

    code = "never-placed"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        for name, decision in part.decisions.items():
            if decision.places is not None and part.wagers[decision.places].placed == "before-the-deal":
                yield RuleMistake(
                    path=("decisions", name, "places"),
                    message=f"the wager {decision.places} is placed before the deal, but a decision places it",
                    help="name the wager that the decision places, or write `placed: with-a-decision` for this one",
                )


class IncompleteMultiple(DocumentCheck[Wager]):
    """A wager has `amount` without `of`, or `of` without `amount`. Only both state what it must equal."""

    code = "incomplete-pair"
    on = Wager

    def find(self, context: DocumentContext, part: Wager, here: DataPath) -> Iterator[RuleMistake]:
        if (part.amount is None) != (part.of is None):
            yield RuleMistake(
                path=(*here, "amount" if part.of is None else "of"),
                message="`amount` and `of` together state what the wager must equal: one has no meaning without the "
                "other",
                help="give both, as in `amount: 2` with `of: ` and the name of a wager, or neither",
            )


class MultipleOfItself(DocumentCheck[Game]):
    """A wager must be a multiple of itself."""

    code = "self-reference"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        for name, wager in part.wagers.items():
            if wager.of == name and wager.amount is not None:
                yield RuleMistake(
                    path=("wagers", name, "of"),
                    message=f"the wager {name} must be a multiple of itself",
                    help="name the other wager that its amount depends on",
                )


class NeedsLaterWager(DocumentCheck[Game]):
    """A wager before the deal needs a wager that is placed later. Nobody could place it."""

    code = "never-placed"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the wagers that need a later one; betting games are not checked."""
        terms = context.terms
        later = {name for name, wager in part.wagers.items() if wager.placed == "with-a-decision"}
        none_later = conjoin(
            [negate(terms.build_formula(Condition.model_validate({"placed": name}))) for name in later]
        )
        for name, wager in part.wagers.items():
            if wager.needs is None or name in later or part.betting is not None:
                continue
            needs = terms.build_formula(wager.needs)
            if terms.may_hold(needs) and not terms.may_hold(conjoin([needs, none_later])):
                yield RuleMistake(
                    path=("wagers", name, "needs"),
                    message=f"{name} is placed before the deal, but needs a wager that is placed with a decision",
                    help=f"name a wager that is placed by then, or write `placed: with-a-decision` for {name}",
                )


class UnsettledCase(DocumentCheck[Game]):
    """A case requires a payment, collection or return that no step performs."""

    code = "never-settled"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the first case of each kind, line by line, that no step performs."""
        kinds: dict[str, EventKind] = {"lost": "collect", "returned": "return", "paid": "pay"}
        for line in part.settlement.order:
            missing: set[EventKind] = set()
            for index, case in enumerate(part.settlement.cases):
                kind = kinds.get(case.due.operand if case.due.operator == "outcome" else "paid")
                if line not in case.lines or kind is None or kind in missing:
                    continue
                has_no_stake = line in part.bonuses and kind != "pay"
                if not has_no_stake and not any(_has_event_on(step, line, (kind,)) for step in part.procedure):
                    missing.add(kind)
                    yield RuleMistake(
                        path=("settlement", "cases", index, "due"),
                        message=f"no step has an event `{kind}` on {line}, which this requires",
                        help=f"add `{kind}` to the events of the step in which {line} is settled, or add such a step",
                    )


def _has_event_on(step: Step, line: str, kinds: Collection[EventKind]) -> bool:
    return bool({*step.events} & {*kinds}) and (not step.of or line in step.of)


class DecisionWithoutStep(DocumentCheck[Game]):
    """No step has a decision of the game."""

    code = "never-decided"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        deciding = [step for step in part.procedure if "decide" in step.events]
        for name in part.decisions:
            if not any(not step.decisions or name in step.decisions for step in deciding):
                yield RuleMistake(
                    path=("decisions", name),
                    message=f"no step has the decision {name}",
                    help="add a step with `events: [decide]` and `each: seat`",
                )


class DecisionBeyondStep(GameCheck[Game]):
    """A decision is open to seats for which its step does not happen."""

    code = "open-to-too-many"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the first step of each decision that leaves seats out; betting games are not checked."""
        terms = context.terms
        for name, decision in part.decisions.items():
            steps = [
                step
                for step in part.procedure
                if "decide" in step.events and not step.aside and (not step.decisions or name in step.decisions)
            ]
            if not steps or part.betting is not None:
                continue
            reached = disjoin([True if step.when is None else terms.build_formula(step.when) for step in steps])
            open_to = True if decision.open_to is None else terms.build_formula(decision.open_to)
            if terms.may_hold(conjoin([open_to, negate(reached)])):
                yield RuleMistake(
                    path=("procedure", part.procedure.index(steps[0]), "when"),
                    message=f"{name} is open to seats for which this step does not happen",
                    help=f"require here no more than `open-to` of {name} does",
                )


class DecisionBeyondWager(GameCheck[Game]):
    """A decision is open to seats that may not place the wager which it places."""

    code = "open-to-too-many"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        terms = context.terms
        for name, decision in part.decisions.items():
            needs = None if decision.places is None else part.wagers[decision.places].needs
            if needs is None:
                continue
            open_to = True if decision.open_to is None else terms.build_formula(decision.open_to)
            if terms.may_hold(conjoin([open_to, negate(terms.build_formula(needs))])):
                yield RuleMistake(
                    path=("decisions", name) if decision.open_to is None else ("decisions", name, "open-to"),
                    message=f"this is open to seats that may not place {decision.places}, which it places",
                    help=f"require here too what {decision.places} `needs`",
                )


class SettlementOutOfOrder(DocumentCheck[Game]):
    """The settlement lists lines in another order than the steps that settle them."""

    code = "order-mismatch"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        settled = {
            name: [
                at
                for at, step in enumerate(part.procedure)
                if name in step.of and not step.aside and _SETTLING & {*step.events}
            ]
            for name in part.settlement.order
        }
        places = {name: at[0] for name, at in settled.items() if len(at) == 1}
        lines = [name for name in part.settlement.order if name in places]
        for earlier, later in pairwise(lines):
            if places[later] < places[earlier]:
                yield RuleMistake(
                    path=("settlement", "order", part.settlement.order.index(later)),
                    message=f"{later} is listed after {earlier}, but the game is played in the other order: "
                    f"{part.procedure[places[later]].step} before {part.procedure[places[earlier]].step}",
                    help="compare both orders with the text: this one, and that of `procedure`",
                )


def _list_visits(file: RequirementFile) -> Iterator[tuple[InTurnCheck, DataPath]]:
    """Yield the checks of visits to seats in a file, each with the place of its steps."""
    for index, requirement in enumerate(file.requirements):
        if isinstance(requirement.check.operand, InTurnCheck):
            yield requirement.check.operand, ("requirements", index, "check", "in-turn", "steps")


class StepListedTwice(DocumentCheck[RequirementFile]):
    """A visit to a seat lists a step twice. Another may be missing."""

    code = "duplicate-entry"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        for check, path in _list_visits(part):
            for number, name in enumerate(check.steps):
                if name in check.steps[:number]:
                    yield RuleMistake(
                        path=(*path, number),
                        message=f"the step {name} is listed twice in the visit",
                        help="name each step once, in the order of play",
                    )


class VisitOutOfOrder(GameCheck[RequirementFile]):
    """A visit to a seat lists its steps in another order than the game is played."""

    code = "order-mismatch"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        procedure = [step.step for step in context.game.procedure]
        for check, path in _list_visits(part):
            for number, (earlier, later) in enumerate(pairwise(check.steps), 1):
                if procedure.index(later) < procedure.index(earlier):
                    yield RuleMistake(
                        path=(*path, number),
                        message=f"the game is played in the other order: {later} before {earlier}",
                        help="compare both orders with the text: this one, and that of `procedure` in game.yaml",
                    )


class StepMissingInVisit(GameCheck[RequirementFile]):
    """A visit to a seat leaves out a step of the same turn."""

    code = "missing-entry"
    severity = "warning"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the steps of the turn that come between those of a visit, or have the same events."""
        steps = {step.step: step for step in context.game.procedure}
        procedure = list(steps)
        for check, path in _list_visits(part):
            places = [procedure.index(name) for name in check.steps]
            kinds = {kind for name in check.steps for kind in steps[name].events}
            first = steps[check.steps[0]]
            turn = None if first.aside else first.turn
            for at, (name, step) in enumerate(steps.items()):
                if name in check.steps or step.aside or step.turn is None or step.turn != turn:
                    continue
                if min(places) < at < max(places) or kinds & {*step.events}:
                    yield RuleMistake(
                        path=path,
                        message=f"{name} happens in the same turn as these steps, but is not listed",
                        help=f"add {name} at its position in a visit, or give it another `turn`",
                    )


class OrderSetTooLate(GameCheck[RequirementFile]):
    """The step that sets the order of seats comes after the step that must follow the order."""

    code = "order-mismatch"
    severity = "warning"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        played = [step.step for step in context.game.procedure]
        for index, requirement in enumerate(part.requirements):
            check = requirement.check.operand
            if isinstance(check, SameOrderCheck) and played.index(check.first) > played.index(check.then):
                yield RuleMistake(
                    path=("requirements", index, "check", "same-order", "then"),
                    message=f"the game is played in the other order: {check.then} before {check.first}",
                    help="exchange them: `first` sets the order that `then` must follow",
                )


CHECKS = (
    WagerWithoutStep,
    WagerPlacedTwice,
    IncompleteMultiple,
    MultipleOfItself,
    NeedsLaterWager,
    UnsettledCase,
    DecisionWithoutStep,
    DecisionBeyondStep,
    DecisionBeyondWager,
    SettlementOutOfOrder,
    StepListedTwice,
    VisitOutOfOrder,
    StepMissingInVisit,
    OrderSetTooLate,
)
"""Checks of the procedure."""
