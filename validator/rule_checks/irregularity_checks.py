"""Checks of irregularities: miscounts and exposed cards that no step declares or no case settles."""

from __future__ import annotations

from pydantic import BaseModel

from fairdeal.validator.evidence.handlog.event_kinds import EventKind
from fairdeal.validator.language.grammar import HandComparison, Holds, Place, iterate_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.propositions import Formula, conjoin
from fairdeal.validator.rule_checks.check_context import GameContext
from fairdeal.validator.rulebook.lint.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.deal_model import Exposure, Miscount
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.text.positioned_document import DataPath

_HAND_PREFIX = "hand "
"""Prefix of the name of a hand, which may equal the name of a place."""


@error("wrong-step")
def find_wrong_declaring_step(context: GameContext, part: Miscount | Exposure, here: DataPath) -> Mistakes:
    """Find an irregularity that names a step without the event that declares it."""
    named: tuple[tuple[str, str, EventKind], ...]
    if isinstance(part, Miscount):
        named = (("declared", part.declared, "misdeal"),)
    else:
        named = (("shown", part.shown, "expose"), ("covered", part.covered, "turn-down"))
    for key, name, kind in named:
        if kind not in context.game.all_acts[name].events:
            yield (*here, key), f"the step {name} has no event `{kind}`", f"name the step with `event: {kind}`"


@error("wrong-step", "a hand of a seat is declared dead at the place `player`, a round at `table`")
def find_wrong_declaring_place(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a miscount that voids a seat, although its step happens elsewhere, or the other way around."""
    place = context.game.all_acts[miscount.declared].place
    if place is not None and (miscount.voids == "seat") != (place == "player"):
        message = f"this voids the {miscount.voids}, but {miscount.declared} happens at the place `{place}`"
        yield (*here, "declared"), message


@warning("never-declared")
def find_undeclared_miscount(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a step whose condition excludes the miscount that the step should declare."""
    step, place = context.game.all_acts[miscount.declared], miscount.place
    condition = context.terms.build_formula(step.when)
    for deviation, formula in _build_miscount_formulas(context.terms, place).items():
        if not context.terms.may_hold(conjoin([condition, formula])):
            yield (
                (*context.game.locate_act(miscount.declared), "when"),
                f"{miscount.declared} declares {deviation} cards of the {place}, but its condition excludes them",
                f"change `when` so that it holds if the {place} has another number of cards",
            )
            return


@warning("never-settled", "add a case, before the others, for wagers of hands with a wrong number of cards")
def find_unsettled_miscount(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a miscount that voids a seat or a round, although no case of settlement covers it.

    A void hand must be settled on every line. A void round may be settled differently on each line.
    """
    game, terms = context.game, context.terms
    unsettled = [
        (line, deviation)
        for line in game.settlement.order
        for deviation, formula in _build_miscount_formulas(terms, miscount.place).items()
        if not any(
            terms.may_hold(conjoin([formula, terms.build_formula(case.when)]))
            for case in game.settlement.cases
            if case.when is not None
            and line in case.lines
            and {miscount.place, miscount.declared} & _list_used_parts(game, case)
        )
    ]
    is_never_settled = len({line for line, _ in unsettled}) == len(game.settlement.order)
    if not unsettled or not (miscount.voids == "seat" or is_never_settled):
        return
    line, deviation = unsettled[0]
    if (line, "too few") in unsettled and deviation != "too few":
        deviation = "a wrong number of"
    scope = "settlement" if is_never_settled else line
    yield (
        here,
        f"no case of {scope} covers {deviation} cards of the {miscount.place}, although that voids the "
        f"{miscount.voids}",
    )


@warning("order-mismatch")
def find_late_count(context: GameContext, miscount: Miscount, here: DataPath) -> Mistakes:
    """Find a case that uses a hand before an earlier case has excluded a wrong number of cards."""
    game = context.game
    hands = {f"{_HAND_PREFIX}{name}" for name, hand in game.hands.items() if miscount.place in hand.from_}
    for line in game.settlement.order:
        cases = [(index, case) for index, case in enumerate(game.settlement.cases) if line in case.lines]
        uses = [_list_used_parts(game, case) for _, case in cases]
        nth = next((nth for nth, used in enumerate(uses) if {miscount.place, miscount.declared} & used), 0)
        early = next((number for number in range(nth) if hands & uses[number]), None)
        if early is not None:
            index, case = cases[early]
            first = cases[nth][1].case
            yield (
                ("settlement", "cases", index, "case"),
                f"{case.case} uses a hand of the {miscount.place} before {first} checks that it has the right number "
                "of cards",
                f"put {first} before the cases that use hands",
            )


def _build_miscount_formulas(terms: PropositionBuilder, place: Place) -> dict[str, Formula]:
    """Build formulas for too many and too few cards at a place, with the dealt number everywhere else."""
    deal = terms.game.deal
    if place not in deal.cards or place in deal.held:
        return {"a wrong number of": True}

    def cards(of: Place, how: str) -> Formula:
        return terms.build_formula(Condition.model_validate({"number": {"of": {"cards": of}, how: deal.cards[of]}}))

    others = [cards(other, "equals") for other in deal.cards if other != place and other not in deal.held]
    return {
        "too many": conjoin([cards(place, "more-than"), *others]),
        "too few": conjoin([cards(place, "less-than"), *others]),
    }


def _list_used_parts(game: Game, case: Case) -> set[str]:
    """Return the places whose cards a case counts, and the hands and steps it uses, directly or through facts."""
    used: set[str] = set()
    pending: list[BaseModel] = [] if case.when is None else [case.when]
    seen: set[str] = set()
    while pending:
        for part in iterate_models(pending.pop()):
            if isinstance(part, HandComparison):
                used |= {f"{_HAND_PREFIX}{part.hand}", f"{_HAND_PREFIX}{part.to}"}
            elif isinstance(part, Holds):
                used.add(f"{_HAND_PREFIX}{part.hand}")
            elif isinstance(part, Condition | Quantity):
                facts = {*OPERATORS.find(part).list_facts(part.operand)} - seen
                seen |= facts
                pending += [game.facts[name] for name in facts]
                used |= {part.operand} if part.operator == "cards" else {*OPERATORS.find(part).list_steps(part.operand)}
    return used
