"""Irregularities told by the wrong steps, and wrong numbers of cards that nothing declares or settles."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.cautions.caution import Caution
from validator.evidence.handlog.event_kinds import Kind
from validator.language.conditions import Condition, Quantity
from validator.language.terms import Place
from validator.operators.hands import Compare, Holds
from validator.operators.terms import Terms
from validator.propositions.formula import Formula, every
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game
from validator.rules.model.settlement import Case
from validator.text.trees.tree import Path

_HAND = "hand "
"""Stands before the name of a hand, which may be that of a place."""


def irregularity_cautions(terms: Terms) -> Iterator[Caution]:
    """What `irregularities` of a game say against its steps and its settlement."""
    yield from _irregularities(terms.game)
    yield from _unsettled(terms)
    yield from _too_late(terms.game)


def _too_late(game: Game) -> Iterator[Caution]:
    """A wrong number of cards is looked at before the hands that they would make, which rank as nothing."""
    for miscount in game.irregularities.miscounts:
        hands = {f"{_HAND}{name}" for name, hand in game.hands.items() if miscount.place in hand.from_}
        for line in game.settlement.order:
            cases = [(at, case) for at, case in enumerate(game.settlement.cases) if line in case.lines]
            first = next(
                (case for _, case in cases if {miscount.place, miscount.declared} & _looked_at(game, case)), None
            )
            for at, case in cases:
                if case is first or first is None:
                    break
                if hands & _looked_at(game, case):
                    yield Caution(
                        code="other-order",
                        at=("settlement", "cases", at, "case"),
                        severity="warning",
                        message=f"{case.case} looks at a hand of the {miscount.place} before {first.case} asks whether "
                        "it has the right number of cards",
                        help=f"put {first.case} before the cases that look at hands",
                    )
                    break


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


def _unsettled(terms: Terms) -> Iterator[Caution]:
    """What a wrong number of cards voids is declared where there are too many or too few, and settled by a case that
    looks at them: a hand on every line. What becomes of a void round may differ from line to line."""
    game = terms.game
    steps = {step.step: (at, step) for at, step in enumerate(game.procedure)}
    for index, one in enumerate(game.irregularities.miscounts):
        sides = _wrong_numbers(terms, one.place)
        at, step = steps[one.declared]
        asked = True if step.when is None else terms.formula(step.when)
        for wrong, side in sides.items():
            if not terms.may_hold(every([asked, side])):
                yield Caution(
                    code="never-declared",
                    at=("procedure", at, "when"),
                    severity="warning",
                    message=f"{one.declared} is told of {wrong} cards of the {one.place}, and this does not hold there",
                    help=f"say that it happens where the {one.place} has another number of cards than are dealt",
                )
                break
        without = [
            (line, wrong)
            for line in game.settlement.order
            for wrong, side in sides.items()
            if not any(
                terms.may_hold(every([side, terms.formula(case.when)]))
                for case in game.settlement.cases
                if case.when is not None and line in case.lines and {one.place, one.declared} & _looked_at(game, case)
            )
        ]
        lines = {line for line, _ in without}
        if without and (one.voids == "seat" or len(lines) == len(game.settlement.order)):
            line, wrong = without[0]
            wrong = wrong if (line, "too few") not in without or wrong == "too few" else "a wrong number of"
            whose = "settlement" if len(lines) == len(game.settlement.order) else line
            yield Caution(
                code="never-settled",
                at=("irregularities", "miscounts", index),
                severity="warning",
                message=f"no case of {whose} is that of {wrong} cards of the {one.place}, though that voids "
                f"the {one.voids}",
                help="add a case, before the others, for wagers of hands with a wrong number of cards",
            )


def _wrong_numbers(terms: Terms, place: Place) -> dict[str, Formula]:
    """That a place has too many or too few cards, and every other one the number that is dealt to it."""
    deal = terms.game.deal
    if place not in deal.cards or place in deal.held:
        return {"a wrong number of": True}

    def cards(of: Place, how: str) -> Formula:
        return terms.formula(Condition.model_validate({"number": {"of": {"cards": of}, how: deal.cards[of]}}))

    others = [cards(other, "equals") for other in deal.cards if other != place and other not in deal.held]
    return {
        "too many": every([cards(place, "more-than"), *others]),
        "too few": every([cards(place, "less-than"), *others]),
    }


def _looked_at(game: Game, case: Case) -> set[str]:
    """The places whose cards a case counts, the hands that it looks at, and the steps that it asks for, by itself or by
    facts."""
    found: set[str] = set()
    waiting: list[BaseModel] = [] if case.when is None else [case.when]
    seen: set[str] = set()
    while waiting:
        for _, part in walk(waiting.pop(), ()):
            if isinstance(part, Compare):
                found |= {f"{_HAND}{part.hand}", f"{_HAND}{part.to}"}
            elif isinstance(part, Holds):
                found.add(f"{_HAND}{part.hand}")
            elif isinstance(part, Condition | Quantity):
                facts = {*part.meaning.facts(part.operand)} - seen
                seen |= facts
                waiting += [game.facts[name] for name in facts]
                found |= {part.operand} if part.operator == "cards" else {*part.meaning.steps(part.operand)}
    return found
