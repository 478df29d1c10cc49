"""Wagers that no step places or settles, steps that nothing can be part of, irregularities told by the wrong steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pydantic import BaseModel

from validator.cautions.caution import Caution
from validator.cautions.turns import lonely_turns
from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.event_kinds import Kind
from validator.evidence.handlog.events import KIND
from validator.language.conditions import Condition, Quantity
from validator.operators.terms import Terms
from validator.propositions.formula import denied, every
from validator.rules.core.visitor import walk
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
    yield from _settling(game)
    yield from _deciding(game)
    yield from _steps(game)
    yield from _irregularities(game)
    yield from _unsettled(game)
    yield from _open_to(terms)
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


def _about(step: Step, line: str, kinds: Collection[Kind]) -> bool:
    return bool({*step.events} & {*kinds}) and (not step.of or line in step.of)


def _steps(game: Game) -> Iterator[Caution]:
    seen: dict[str, str] = {}
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


def _unsettled(game: Game) -> Iterator[Caution]:
    """What a wrong number of cards voids is settled by a case that looks at it: a hand on every line. What becomes of a
    void round may differ from line to line."""
    looked_at = {line: _looked_at(game, line) for line in game.settlement.order}
    for index, one in enumerate(game.irregularities.miscounts):
        without = [line for line, found in looked_at.items() if not {one.place, one.declared} & found]
        if without and (one.voids == "seat" or len(without) == len(looked_at)):
            whose = "settlement" if len(without) == len(looked_at) else without[0]
            yield Caution(
                code="never-settled",
                at=("irregularities", "miscounts", index),
                severity="warning",
                message=f"no case of {whose} looks at the number of cards of the {one.place}, which voids the "
                f"{one.voids}",
                help="add a case, before the others, for wagers of hands with a wrong number of cards",
            )


def _looked_at(game: Game, line: str) -> set[str]:
    """The places whose cards the cases of a line count, and the steps that they ask for, by themselves or by facts."""
    found: set[str] = set()
    waiting: list[BaseModel] = [one.when for one in game.settlement.cases if one.when is not None and line in one.lines]
    seen: set[str] = set()
    while waiting:
        for _, part in walk(waiting.pop(), ()):
            if isinstance(part, Condition | Quantity):
                facts = {*part.meaning.facts(part.operand)} - seen
                seen |= facts
                waiting += [game.facts[name] for name in facts]
                found |= {part.operand} if part.operator == "cards" else {*part.meaning.steps(part.operand)}
    return found


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


def _irregularities(game: Game) -> Iterator[Caution]:
    steps = {step.step: step for step in game.procedure}
    wrong = game.irregularities
    asked: list[tuple[Path, str, Kind]] = [
        (("irregularities", "miscounts", index, "declared"), one.declared, "misdeal")
        for index, one in enumerate(wrong.miscounts)
    ]
    for index, exposure in enumerate(wrong.exposures):
        asked.append((("irregularities", "exposures", index, "shown"), exposure.shown, "expose"))
        asked.append((("irregularities", "exposures", index, "covered"), exposure.covered, "turn-down"))
    for place, name, kind in asked:
        if kind not in steps[name].events:
            yield Caution(
                code="wrong-step",
                at=place,
                message=f"the step {name} has no event `{kind}`",
                help=f"name the step with `events: [{kind}]`",
            )
    for index, one in enumerate(wrong.miscounts):
        if (one.voids == "seat") != (steps[one.declared].place == "player") and steps[one.declared].place is not None:
            yield Caution(
                code="wrong-step",
                at=("irregularities", "miscounts", index, "declared"),
                message=f"this voids the {one.voids}, and {one.declared} happens at the place "
                f"`{steps[one.declared].place}`",
                help="a hand of a seat is declared dead at the place `player`, a round at `table`",
            )
    places = [one.place for one in wrong.miscounts]
    for index, miscount in enumerate(wrong.miscounts):
        if miscount.place in places[:index]:
            yield Caution(
                code="listed-twice",
                at=("irregularities", "miscounts", index, "place"),
                message=f"a miscount at the place {miscount.place} is listed twice",
                help="say once for each place what a wrong number of cards comes to",
            )
