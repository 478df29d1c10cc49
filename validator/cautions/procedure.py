"""Wagers that no step places or settles, steps that nothing can be part of, irregularities told by the wrong steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from validator.cautions.caution import Caution
from validator.evidence.handlog.event_kinds import Kind
from validator.rules.model.game import Game, Step
from validator.text.trees.tree import Path

_OF_SEATS = frozenset({"decide", "tuck", "claim", "leave", "arrive", "chips-in", "chips-out"})
"""Kinds of event that are about one seat."""
_OF_STAKES = frozenset({"wager", "withdraw", "pay", "collect", "return"})
"""Kinds of event that are about one stake."""


def procedure_cautions(game: Game) -> Iterator[Caution]:
    """Everything that goes wrong between what a game has and the steps that it is told in."""
    yield from _placing(game)
    yield from _settling(game)
    yield from _deciding(game)
    yield from _steps(game)
    yield from _irregularities(game)


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
    places = [one.place for one in wrong.miscounts]
    for index, miscount in enumerate(wrong.miscounts):
        if miscount.place in places[:index]:
            yield Caution(
                code="listed-twice",
                at=("irregularities", "miscounts", index, "place"),
                message=f"a miscount at the place {miscount.place} is listed twice",
                help="say once for each place what a wrong number of cards comes to",
            )
