"""Warnings about the procedure: wagers that no step places or settles, and steps that no event can match."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from validator.cautions.caution import Caution
from validator.cautions.steps.turns import lonely_turns
from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.event_kinds import Kind
from validator.evidence.handlog.events import KIND
from validator.language.conditions import Condition
from validator.operators.terms import Terms
from validator.propositions.formula import denied, every, some
from validator.rules.model.game import Game, Step
from validator.text.trees.tree import Path

_SEAT_EVENTS = frozenset({"decide", "tuck", "claim", "leave", "arrive", "chips-in", "chips-out"})
"""Kinds of event that are about one seat."""
_CARD_EVENTS = frozenset({"deal", "draw", "reveal", "expose", "turn-down", "collect-cards"})
"""Kinds of event that are about cards of a place."""
_STAKE_EVENTS = frozenset({"wager", "withdraw", "pay", "collect", "return"})
"""Kinds of event that are about one stake."""


def procedure_cautions(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about wagers, payments and decisions of a game that its steps do not cover."""
    game = terms.game
    yield from _check_wagers(game)
    yield from _check_needs(terms)
    yield from _find_unsettled_cases(game)
    yield from _find_decisions_without_step(game)
    yield from _check_steps(game)
    yield from _check_placed_wagers(terms)
    yield from _check_deciding_steps(terms)
    yield from lonely_turns(game)


def _check_wagers(game: Game) -> Iterator[Caution]:
    """Yield warnings about wagers that no step places, and about inconsistent multiples."""
    for name, wager in game.wagers.items():
        bet = game.betting is not None and (name == game.betting.wager or wager.placed == "with-a-decision")
        kinds: tuple[Kind, ...] = ("wager", "decide") if bet else ("wager",)
        if not any(_has_event_on(step, name, kinds) for step in game.procedure):
            yield Caution(
                code="never-placed",
                at=("wagers", name),
                severity="warning",
                message=f"no step places the wager {name}",
                help=f"add a step with `events: [wager]` and `of: [{name}]` where the text places it",
            )
        placing = [decision_name for decision_name, decision in game.decisions.items() if decision.places == name]
        if placing and wager.placed == "before-the-deal":
            yield Caution(
                code="never-placed",
                at=("decisions", placing[0], "places"),
                message=f"the wager {name} is placed before the deal, but a decision places it",
                help="name the wager that the decision places, or write `placed: with-a-decision` for this one",
            )
        if (wager.amount is None) != (wager.of is None):
            yield Caution(
                code="incomplete-pair",
                at=("wagers", name, "amount" if wager.of is None else "of"),
                message="`amount` and `of` together state what the wager must equal: one has no meaning without the "
                "other",
                help="give both, as in `amount: 2` with `of: ante`, or neither",
            )
        elif wager.of == name:
            yield Caution(
                code="self-reference",
                at=("wagers", name, "of"),
                message=f"the wager {name} must be a multiple of itself",
                help="name the other wager that its amount depends on",
            )


def _check_needs(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about wagers before the deal that need a wager which is placed later."""
    wagers = terms.game.wagers
    placed_later = {name for name, wager in wagers.items() if wager.placed == "with-a-decision"}
    none_placed_later = every(
        [denied(terms.formula(Condition.model_validate({"placed": name}))) for name in placed_later]
    )
    for name, wager in wagers.items():
        if wager.needs is None or name in placed_later or terms.game.betting is not None:
            continue
        needs = terms.formula(wager.needs)
        if terms.may_hold(needs) and not terms.may_hold(every([needs, none_placed_later])):
            yield Caution(
                code="never-placed",
                at=("wagers", name, "needs"),
                message=f"{name} is placed before the deal, but needs a wager that is placed with a decision",
                help=f"name a wager that is placed by then, or write `placed: with-a-decision` for {name}",
            )


def _find_unsettled_cases(game: Game) -> Iterator[Caution]:
    """Yield warnings about payments, collections and returns that a case requires and no step performs."""
    needed: dict[str, dict[Kind, str]] = {line: {} for line in game.settlement.order}
    for case in game.settlement.cases:
        for line in case.lines:
            outcome = case.due.operand if case.due.operator == "outcome" else "paid"
            kinds: dict[str, Kind] = {"lost": "collect", "returned": "return", "paid": "pay"}
            if outcome in kinds and line in needed:
                needed[line].setdefault(kinds[outcome], case.case)
    for line, kinds_of in needed.items():
        for kind, case_name in kinds_of.items():
            if line in game.bonuses and kind != "pay":
                continue
            if not any(_has_event_on(step, line, (kind,)) for step in game.procedure):
                yield Caution(
                    code="never-settled",
                    severity="warning",
                    at=("settlement", "cases", [case.case for case in game.settlement.cases].index(case_name), "due"),
                    message=f"no step has an event `{kind}` on {line}, which this requires",
                    help=f"add `{kind}` to the events of the step in which {line} is settled, or add such a step",
                )


def _find_decisions_without_step(game: Game) -> Iterator[Caution]:
    deciding = [step for step in game.procedure if "decide" in step.events]
    for name in game.decisions:
        if not any(not step.decisions or name in step.decisions for step in deciding):
            yield Caution(
                code="never-decided",
                at=("decisions", name),
                message=f"no step has the decision {name}",
                help="add a step with `events: [decide]` and `each: seat`",
            )


def _check_deciding_steps(terms: Terms) -> Iterator[Caution]:
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
        reached = some([True if step.when is None else terms.formula(step.when) for step in steps])
        open_to = True if decision.open_to is None else terms.formula(decision.open_to)
        if terms.may_hold(every([open_to, denied(reached)])):
            yield Caution(
                code="open-to-too-many",
                at=("procedure", game.procedure.index(steps[0]), "when"),
                severity="warning",
                message=f"{name} is open to seats for which this step does not happen",
                help=f"require here no more than `open-to` of {name} does",
            )


def _has_event_on(step: Step, line: str, kinds: Collection[Kind]) -> bool:
    return bool({*step.events} & {*kinds}) and (not step.of or line in step.of)


def _check_steps(game: Game) -> Iterator[Caution]:
    seen: dict[str, str] = {}
    for index, step in enumerate(game.procedure):
        for nth, name in enumerate(step.of):
            if name in step.of[:nth]:
                yield Caution(
                    code="duplicate-entry",
                    at=("procedure", index, "of", nth),
                    message=f"{name} is listed twice under `of` of {step.step}",
                    help="name each wager once; another may be missing",
                )
    for index, step in enumerate(game.procedure):
        if step.aside:
            continue
        here: Path = ("procedure", index)
        yield from _find_unmatched_events(game, step, here)
        for finer, kinds in (("seat", _SEAT_EVENTS), ("stake", _STAKE_EVENTS)):
            wrong = sorted({*step.events} & kinds)
            if wrong and (step.each == "round" or (finer == "stake" and step.each == "seat")):
                yield Caution(
                    code="wrong-each",
                    at=(*here, "each") if step.each != "round" else (*here, "events"),
                    message=f"`{wrong[0]}` happens once per {finer}, but the step is one of each {step.each}",
                    help=f"write `each: {finer}`",
                )
        if "decide" in step.events and step.each == "stake":
            yield Caution(
                code="wrong-each",
                at=(*here, "each"),
                message="`decide` happens once per seat, but the step is one of each stake",
                help="write `each: seat`",
            )
        bonuses = [name for name in step.of if name in game.bonuses]
        impossible = sorted({*step.events} & (_STAKE_EVENTS - {"pay"} if bonuses == step.of else {"wager", "withdraw"}))
        if bonuses and impossible:
            yield Caution(
                code="impossible-event",
                at=(*here, "of", step.of.index(bonuses[0])),
                message=f"`{impossible[0]}` cannot happen to {bonuses[0]}: a bonus has no stake, it is only paid or "
                "not",
                help="remove it from this step, or define it under `wagers`",
            )
        content = repr({key: value for key, value in step if key not in ("step", "title", "turn")})
        if content in seen:
            yield Caution(
                code="duplicate",
                at=(*here, "step"),
                message=f"the steps {seen[content]} and {step.step} match the same events, so each event belongs to "
                "both",
                help="distinguish them, remove one, or write `aside: true` for the one that only names events",
            )
        seen.setdefault(content, step.step)


def _find_unmatched_events(game: Game, step: Step, here: Path) -> Iterator[Caution]:
    """Yield warnings about a step that no event can match, or that matches every event of a kind."""
    without_what = [kind for kind in step.events if RULES["what"].required[KIND[kind]]]
    if without_what and step.what is None and step.what_is is None:
        yield Caution(
            code="underspecified-event",
            at=(*here, "events"),
            severity="warning",
            message=f"an event `{without_what[0]}` states `what`, but this step does not: "
            "every such event belongs to it, and simulated rounds cannot record it",
            help="add `what`, in one word",
        )
    without_place = [kind for kind in step.events if RULES["place"].required[KIND[kind]] and kind != "deal"]
    if without_place and step.place is None and step.each == "round":
        yield Caution(
            code="underspecified-event",
            at=(*here, "events"),
            severity="warning",
            message=f"an event `{without_place[0]}` states a place, but this step does not: simulated rounds cannot "
            "record it",
            help="add `place`, which states whose cards these are, or `each: seat` for the cards of every player",
        )
    if step.place not in (None, "player") and step.each != "round":
        yield Caution(
            code="impossible-event",
            at=(*here, "place"),
            message=f"the place `{step.place}` is not a seat, so nothing happens there once per {step.each}",
            help="leave out `each`, or write `place: player`",
        )
    elif (
        step.place in ("player", "dealer", "community")
        and step.place not in game.deal.cards
        and _CARD_EVENTS & {*step.events}
    ):
        yield Caution(
            code="impossible-event",
            at=(*here, "place"),
            message=f"the {step.place} is dealt no cards, so nothing can happen to them",
            help="name the place where the cards are",
        )


def _check_placed_wagers(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about decisions that are open to seats which may not have the wager that is placed."""
    game = terms.game
    for name, decision in game.decisions.items():
        needs = None if decision.places is None else game.wagers[decision.places].needs
        if needs is None:
            continue
        open_to = True if decision.open_to is None else terms.formula(decision.open_to)
        if terms.may_hold(every([open_to, denied(terms.formula(needs))])):
            yield Caution(
                code="open-to-too-many",
                at=("decisions", name) if decision.open_to is None else ("decisions", name, "open-to"),
                severity="warning",
                message=f"this is open to seats that may not place {decision.places}, which it places",
                help=f"require here too what {decision.places} `needs`",
            )
