"""Warnings about irregularities: wrong steps, and miscounts that no step declares or no case settles."""

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

_HAND_PREFIX = "hand "
"""Prefix of the name of a hand, which may equal the name of a place."""


def irregularity_cautions(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about irregularities that contradict the steps or the settlement of a game."""
    yield from _check_irregularities(terms.game)
    yield from _find_unsettled_miscounts(terms)
    yield from _find_late_counts(terms.game)


def _find_late_counts(game: Game) -> Iterator[Caution]:
    """Yield warnings about cases that use a hand before an earlier case has excluded a wrong number of cards."""
    for miscount in game.irregularities.miscounts:
        hands = {f"{_HAND_PREFIX}{name}" for name, hand in game.hands.items() if miscount.place in hand.from_}
        for line in game.settlement.order:
            cases = [(index, case) for index, case in enumerate(game.settlement.cases) if line in case.lines]
            first = next(
                (case for _, case in cases if {miscount.place, miscount.declared} & _list_used_parts(game, case)), None
            )
            for index, case in cases:
                if case is first or first is None:
                    break
                if hands & _list_used_parts(game, case):
                    yield Caution(
                        code="order-mismatch",
                        at=("settlement", "cases", index, "case"),
                        severity="warning",
                        message=f"{case.case} uses a hand of the {miscount.place} before {first.case} checks that "
                        "it has the right number of cards",
                        help=f"put {first.case} before the cases that use hands",
                    )
                    break


def _check_irregularities(game: Game) -> Iterator[Caution]:
    steps = {step.step: step for step in game.procedure}
    irregularities = game.irregularities
    references: list[tuple[Path, str, Kind]] = [
        (("irregularities", "miscounts", index, "declared"), miscount.declared, "misdeal")
        for index, miscount in enumerate(irregularities.miscounts)
    ]
    for index, exposure in enumerate(irregularities.exposures):
        references.append((("irregularities", "exposures", index, "shown"), exposure.shown, "expose"))
        references.append((("irregularities", "exposures", index, "covered"), exposure.covered, "turn-down"))
    for place, name, kind in references:
        if kind not in steps[name].events:
            yield Caution(
                code="wrong-step",
                at=place,
                message=f"the step {name} has no event `{kind}`",
                help=f"name the step with `events: [{kind}]`",
            )
    for index, miscount in enumerate(irregularities.miscounts):
        if (miscount.voids == "seat") != (steps[miscount.declared].place == "player") and steps[
            miscount.declared
        ].place is not None:
            yield Caution(
                code="wrong-step",
                at=("irregularities", "miscounts", index, "declared"),
                message=f"this voids the {miscount.voids}, but {miscount.declared} happens at the place "
                f"`{steps[miscount.declared].place}`",
                help="a hand of a seat is declared dead at the place `player`, a round at `table`",
            )
    places = [miscount.place for miscount in irregularities.miscounts]
    for index, miscount in enumerate(irregularities.miscounts):
        if miscount.place in places[:index]:
            yield Caution(
                code="duplicate-entry",
                at=("irregularities", "miscounts", index, "place"),
                message=f"a miscount at the place {miscount.place} is listed twice",
                help="list each place once",
            )


def _find_unsettled_miscounts(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about miscounts that no step declares or no case settles.

    A void hand must be settled on every line; a void round may be settled differently on each line.
    """
    game = terms.game
    steps = {step.step: (index, step) for index, step in enumerate(game.procedure)}
    for index, miscount in enumerate(game.irregularities.miscounts):
        formulas = _build_miscount_formulas(terms, miscount.place)
        step_index, step = steps[miscount.declared]
        condition = True if step.when is None else terms.formula(step.when)
        for deviation, formula in formulas.items():
            if not terms.may_hold(every([condition, formula])):
                yield Caution(
                    code="never-declared",
                    at=("procedure", step_index, "when"),
                    severity="warning",
                    message=f"{miscount.declared} declares {deviation} cards of the {miscount.place}, but its "
                    "condition "
                    "excludes them",
                    help=f"change `when` so that it holds if the {miscount.place} has another number of cards",
                )
                break
        unsettled = [
            (line, deviation)
            for line in game.settlement.order
            for deviation, formula in formulas.items()
            if not any(
                terms.may_hold(every([formula, terms.formula(case.when)]))
                for case in game.settlement.cases
                if case.when is not None
                and line in case.lines
                and {miscount.place, miscount.declared} & _list_used_parts(game, case)
            )
        ]
        lines = {line for line, _ in unsettled}
        if unsettled and (miscount.voids == "seat" or len(lines) == len(game.settlement.order)):
            line, deviation = unsettled[0]
            deviation = (
                deviation if (line, "too few") not in unsettled or deviation == "too few" else "a wrong number of"
            )
            scope = "settlement" if len(lines) == len(game.settlement.order) else line
            yield Caution(
                code="never-settled",
                at=("irregularities", "miscounts", index),
                severity="warning",
                message=f"no case of {scope} covers {deviation} cards of the {miscount.place}, although that voids "
                f"the {miscount.voids}",
                help="add a case, before the others, for wagers of hands with a wrong number of cards",
            )


def _build_miscount_formulas(terms: Terms, place: Place) -> dict[str, Formula]:
    """Build formulas for too many and too few cards at a place, with the dealt number everywhere else."""
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


def _list_used_parts(game: Game, case: Case) -> set[str]:
    """Return the places whose cards a case counts, and the hands and steps it uses, directly or through facts."""
    used: set[str] = set()
    pending: list[BaseModel] = [] if case.when is None else [case.when]
    seen: set[str] = set()
    while pending:
        for _, part in walk(pending.pop(), ()):
            if isinstance(part, Compare):
                used |= {f"{_HAND_PREFIX}{part.hand}", f"{_HAND_PREFIX}{part.to}"}
            elif isinstance(part, Holds):
                used.add(f"{_HAND_PREFIX}{part.hand}")
            elif isinstance(part, Condition | Quantity):
                facts = {*part.meaning.facts(part.operand)} - seen
                seen |= facts
                pending += [game.facts[name] for name in facts]
                used |= {part.operand} if part.operator == "cards" else {*part.meaning.steps(part.operand)}
    return used
