"""Wagers that no step places or settles, steps that nothing can be part of, irregularities told by the wrong steps."""

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

_OF_SEATS = frozenset({"decide", "tuck", "claim", "leave", "arrive", "chips-in", "chips-out"})
"""Kinds of event that are about one seat."""
_OF_CARDS = frozenset({"deal", "draw", "reveal", "expose", "turn-down", "collect-cards"})
"""Kinds of event that are about cards of a place."""
_OF_STAKES = frozenset({"wager", "withdraw", "pay", "collect", "return"})
"""Kinds of event that are about one stake."""


def procedure_cautions(terms: Terms) -> Iterator[Caution]:
    """Everything that goes wrong between what a game has and the steps that it is told in."""
    game = terms.game
    yield from _placing(game)
    yield from _needing(terms)
    yield from _settling(game)
    yield from _deciding(game)
    yield from _steps(game)
    yield from _open_to(terms)
    yield from _open_nowhere(terms)
    yield from lonely_turns(game)


def _placing(game: Game) -> Iterator[Caution]:
    """Every wager is placed in some step; where bets are acts, in that of the acts."""
    for name, wager in game.wagers.items():
        bet = game.betting is not None and (name == game.betting.wager or wager.placed == "with-a-decision")
        kinds: tuple[Kind, ...] = ("wager", "decide") if bet else ("wager",)
        if not any(_about(step, name, kinds) for step in game.procedure):
            yield Caution(
                code="never-placed",
                at=("wagers", name),
                severity="warning",
                message=f"no step places the wager {name}",
                help=f"add a step with `events: [wager]` and `of: [{name}]` where the text says that it is placed",
            )
        placing = [one for one, decision in game.decisions.items() if decision.places == name]
        if placing and wager.placed == "before-the-deal":
            yield Caution(
                code="never-placed",
                at=("decisions", placing[0], "places"),
                message=f"the wager {name} is placed before the deal, so no decision places it",
                help="name the wager that the decision places, or say `placed: with-a-decision` of this one",
            )
        if (wager.amount is None) != (wager.of is None):
            yield Caution(
                code="half-said",
                at=("wagers", name, "amount" if wager.of is None else "of"),
                message="`amount` and `of` say together what the wager must equal: one means nothing without the other",
                help="say both, as in `amount: 2` with `of: ante`, or neither",
            )
        elif wager.of == name:
            yield Caution(
                code="of-itself",
                at=("wagers", name, "of"),
                message=f"the wager {name} is to be a multiple of itself",
                help="name the other wager that its amount is reckoned from",
            )


def _needing(terms: Terms) -> Iterator[Caution]:
    """What a wager needs that is placed before the deal may lie there by then."""
    wagers = terms.game.wagers
    later = {name for name, wager in wagers.items() if wager.placed == "with-a-decision"}
    none = every([denied(terms.formula(Condition.model_validate({"placed": name}))) for name in later])
    for name, wager in wagers.items():
        if wager.needs is None or name in later or terms.game.betting is not None:
            continue
        needs = terms.formula(wager.needs)
        if terms.may_hold(needs) and not terms.may_hold(every([needs, none])):
            yield Caution(
                code="never-placed",
                at=("wagers", name, "needs"),
                message=f"{name} is placed before the deal, and needs what is placed with a decision",
                help=f"name a wager that lies there by then, or say `placed: with-a-decision` of {name}",
            )


def _settling(game: Game) -> Iterator[Caution]:
    """What the cases make due can be done in some step."""
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
            if not any(_about(step, line, (kind,)) for step in game.procedure):
                yield Caution(
                    code="never-settled",
                    severity="warning",
                    at=("settlement", "cases", [one.case for one in game.settlement.cases].index(case_name), "due"),
                    message=f"no step has an event `{kind}` on {line}, as this asks for",
                    help=f"add `{kind}` to the events of the step in which {line} is settled, or add such a step",
                )


def _deciding(game: Game) -> Iterator[Caution]:
    deciding = [step for step in game.procedure if "decide" in step.events]
    for name in game.decisions:
        if not any(not step.decisions or name in step.decisions for step in deciding):
            yield Caution(
                code="never-decided",
                at=("decisions", name),
                message=f"no step has the decision {name}",
                help="add a step with `events: [decide]` and `each: seat`",
            )


def _open_nowhere(terms: Terms) -> Iterator[Caution]:
    """Who may take a decision comes to a step in which it is taken."""
    game = terms.game
    for name, decision in game.decisions.items():
        steps = [
            step
            for step in game.procedure
            if "decide" in step.events and not step.aside and (not step.decisions or name in step.decisions)
        ]
        if not steps or game.betting is not None:
            continue
        taken = some([True if step.when is None else terms.formula(step.when) for step in steps])
        asked = True if decision.open_to is None else terms.formula(decision.open_to)
        if terms.may_hold(every([asked, denied(taken)])):
            yield Caution(
                code="open-to-more",
                at=("procedure", game.procedure.index(steps[0]), "when"),
                severity="warning",
                message=f"{name} is open to seats for which this does not happen",
                help=f"ask here for no more than `open-to` of {name} does",
            )


def _about(step: Step, line: str, kinds: Collection[Kind]) -> bool:
    return bool({*step.events} & {*kinds}) and (not step.of or line in step.of)


def _steps(game: Game) -> Iterator[Caution]:
    seen: dict[str, str] = {}
    for index, step in enumerate(game.procedure):
        for nth, name in enumerate(step.of):
            if name in step.of[:nth]:
                yield Caution(
                    code="listed-twice",
                    at=("procedure", index, "of", nth),
                    message=f"{name} stands twice among what {step.step} is about",
                    help="name each once; another may be missing",
                )
    for index, step in enumerate(game.procedure):
        if step.aside:
            continue
        here: Path = ("procedure", index)
        yield from _untold(game, step, here)
        for finer, kinds in (("seat", _OF_SEATS), ("stake", _OF_STAKES)):
            wrong = sorted({*step.events} & kinds)
            if wrong and (step.each == "round" or (finer == "stake" and step.each == "seat")):
                yield Caution(
                    code="wrong-each",
                    at=(*here, "each") if step.each != "round" else (*here, "events"),
                    message=f"`{wrong[0]}` happens once a {finer}, but the step is one of each {step.each}",
                    help=f"say `each: {finer}`",
                )
        if "decide" in step.events and step.each == "stake":
            yield Caution(
                code="wrong-each",
                at=(*here, "each"),
                message="`decide` happens once a seat, but the step is one of each stake",
                help="say `each: seat`",
            )
        bonuses = [name for name in step.of if name in game.bonuses]
        staked = sorted({*step.events} & (_OF_STAKES - {"pay"} if bonuses == step.of else {"wager", "withdraw"}))
        if bonuses and staked:
            yield Caution(
                code="no-event",
                at=(*here, "of", step.of.index(bonuses[0])),
                message=f"`{staked[0]}` cannot happen to {bonuses[0]}: nothing lies on a bonus, which is paid or not",
                help="take it out of this step, or make it one of `wagers`",
            )
        told = repr({key: value for key, value in step if key not in ("step", "title", "turn")})
        if told in seen:
            yield Caution(
                code="told-twice",
                at=(*here, "step"),
                message=f"the steps {seen[told]} and {step.step} are of the same events, so each event belongs to both",
                help="say what tells them apart, take one away, or say `aside: true` of the one that only names events",
            )
        seen.setdefault(told, step.step)


def _untold(game: Game, step: Step, here: Path) -> Iterator[Caution]:
    """A step that no event can be part of, or every one of a kind."""
    wordless = [kind for kind in step.events if RULES["what"].required[KIND[kind]]]
    if wordless and step.what is None and step.what_is is None:
        yield Caution(
            code="no-word",
            at=(*here, "events"),
            severity="warning",
            message=f"an event `{wordless[0]}` says what, and this step does not: "
            "every one belongs to it, and simulated rounds cannot tell of it",
            help="say `what` it is, in one word",
        )
    placeless = [kind for kind in step.events if RULES["place"].required[KIND[kind]] and kind != "deal"]
    if placeless and step.place is None and step.each == "round":
        yield Caution(
            code="no-word",
            at=(*here, "events"),
            severity="warning",
            message=f"an event `{placeless[0]}` says a place, and this step none: simulated rounds cannot tell of it",
            help="say `place`: whose cards these are; or `each: seat`, if they are those of every player",
        )
    if step.place not in (None, "player") and step.each != "round":
        yield Caution(
            code="no-event",
            at=(*here, "place"),
            message=f"the place `{step.place}` is nobody's seat, so nothing happens there once a {step.each}",
            help="leave out `each`, or say `place: player`",
        )
    elif (
        step.place in ("player", "dealer", "community")
        and step.place not in game.deal.cards
        and _OF_CARDS & {*step.events}
    ):
        yield Caution(
            code="no-event",
            at=(*here, "place"),
            message=f"the {step.place} is dealt no cards, so nothing can happen to them",
            help="name the place where the cards lie",
        )


def _open_to(terms: Terms) -> Iterator[Caution]:
    """Who may take a decision may have what it places."""
    game = terms.game
    for name, decision in game.decisions.items():
        needs = None if decision.places is None else game.wagers[decision.places].needs
        if needs is None:
            continue
        asked = True if decision.open_to is None else terms.formula(decision.open_to)
        if terms.may_hold(every([asked, denied(terms.formula(needs))])):
            yield Caution(
                code="open-to-more",
                at=("decisions", name) if decision.open_to is None else ("decisions", name, "open-to"),
                severity="warning",
                message=f"this is open to seats that may not have {decision.places}, which it places",
                help=f"ask here too for what {decision.places} `needs`",
            )
