"""Remedies for failures of requirements whose authors do not write one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from validator.language.comparison import Comparison
from validator.language.conditions import Condition, Quantity
from validator.rules.core.own_word import SelfDeclaredRequirement
from validator.rules.core.regulation import Regulation
from validator.rules.core.titles import line_title
from validator.rules.model.betting import InTurnCheck, TurnsCheck
from validator.rules.model.deal import DealtCheck, SameOrderCheck
from validator.rules.model.game import Game
from validator.rules.model.requirement import (
    Attested,
    AwardedCheck,
    PhaseCheck,
    Repeat,
    Requirement,
    RoundCheck,
    SequenceCheck,
)
from validator.rules.model.sessions import EveryCheck, NeededCheck, SuccessionCheck


def suggest_remedy(regulation: Regulation, requirement: Requirement | SelfDeclaredRequirement) -> str:
    """Return the corrective action for a failure, in a sentence: the requirement's own remedy or one by its check."""
    if requirement.remedy or isinstance(requirement, SelfDeclaredRequirement):
        return requirement.remedy or ""
    check = requirement.check
    if check.operator in _FIXED:
        return _FIXED[check.operator]
    if check.operator in _BY_REGULATION:
        return _BY_REGULATION[check.operator](regulation, check.operand)
    game = regulation.game
    if game is None:
        return _FOLLOW_RULE
    return _BY_GAME[check.operator](game, check.operand)


_FOLLOW_RULE = "Correct what can still be corrected, and follow the rule from now on."
_FIXED = {
    "submitted": "Provide at the table what is required, and state it in the submission.",
    "publications": "Correct the publications to show every row of the pay table in use.",
    "signs": "Correct the signs at the table to show what is submitted.",
    "alike": "Submit the same value for all tables.",
    "unchanged": "Submit the same value as in the earlier submission.",
    "settled": "Correct the settlement.",
    "capped": "Correct the settlement: pay up to the limit and no more.",
    "drawn-by": "Keep the cards that the drawing rule requires, and exchange the others.",
}
"""Remedies by operator of the check, for checks with a single remedy."""


def _pay_tables(regulation: Regulation, check: Any) -> str:
    line = check.for_ if regulation.game is None else line_title(regulation.game, check.for_)
    table = "the printed pay table" if len(check.one_of) == 1 else "one of the printed pay tables in full"
    return f"Post {table} for {line}, and submit it."


def _attest(regulation: Regulation, check: Attested) -> str:
    return f"Obtain an attestation by the {check.by}."


_BY_REGULATION: Mapping[str, Callable[[Regulation, Any], str]] = {"pay-tables": _pay_tables, "attested": _attest}


def _titles(game: Game, steps: Sequence[str], joint: str = "; then ") -> str:
    titles = {step.step: step.title for step in game.procedure}
    return joint.join(titles[name] for name in steps)


def _rule(game: Game, check: RoundCheck) -> str:
    if check.of is None:
        return "Correct the amount." if _compares_money(check.must) else _FOLLOW_RULE
    return f"Correct what can still be corrected, and follow the rule every time {_titles(game, [check.of])}."


def _compares_money(condition: Condition) -> bool:
    """Return whether a condition compares amounts of money."""
    comparison = condition.operand if isinstance(condition.operand, Comparison) else None
    return comparison is not None and any(map(_is_money, (comparison.of, comparison.operand)))


def _is_money(quantity: Quantity) -> bool:
    return quantity.meaning.is_amount or any(map(_is_money, quantity.list_parts()))


def _award(game: Game, check: AwardedCheck) -> str:
    return {
        "shares": "Correct the award: give every winner the required share.",
        "uncalled": "Return the uncalled bet, no more and no less.",
        "refunds": "Return to every seat the amount that it put in, no more and no less.",
    }[check.asks]


def _sequence(game: Game, check: SequenceCheck) -> str:
    steps = [step.step for step in check.steps if not isinstance(step, Repeat)]
    if len(steps) < len(check.steps):
        return "Take the steps in the required order."
    return f"Follow this order: {_titles(game, steps)}."


def _phase(game: Game, check: PhaseCheck) -> str:
    course = game.courses[check.course]
    titles, boundaries = [game.describe_phase(phase) for phase in course.phases], check.list_boundaries(course)
    if len(boundaries) < len(titles) - 1:
        begins = "; ".join(f"begin “{titles[at]}” only when everything before it is complete" for at in boundaries)
        return f"{begins[:1].upper()}{begins[1:]}."
    return f"Follow this order: {'; then '.join(titles)}."


def _deal(game: Game, check: DealtCheck) -> str:
    return {
        "turn": "Deal to the places in turn.",
        "burn": "Burn the number of cards that the rules require before the cards are dealt.",
        "count": "Deal the number of cards that the rules require, no more and no fewer.",
    }[check.asks]


def _same_order(game: Game, check: SameOrderCheck) -> str:
    return f"Follow the order of seats of this step: {_titles(game, [check.first])}."


def _in_turn(game: Game, check: InTurnCheck) -> str:
    return f"Proceed around the table seat by seat: {_titles(game, check.steps)}."


def _turns(game: Game, check: TurnsCheck) -> str:
    return f"Proceed clockwise around the table, from the first seat: {_titles(game, [check.step])}."


def _every(game: Game, check: EveryCheck) -> str:
    return "Do it in time." if check.operator != "step" else f"Ensure in time that {_titles(game, [check.step])}."


def _need(game: Game, check: NeededCheck) -> str:
    before = _titles(game, check.waiting, " or ")
    return f"Ensure this before {before}: {_titles(game, check.steps)}."


def _succession(game: Game, check: SuccessionCheck) -> str:
    if check.operator != "deck":
        return "Compare with the previous round at the table, and correct what can still be corrected."
    return f"Continue with {'the same deck as' if check.deck == 'same' else 'another deck than'} in the previous round."


_BY_GAME: Mapping[str, Callable[[Game, Any], str]] = {
    "rule": _rule,
    "awarded": _award,
    "sequence": _sequence,
    "phase": _phase,
    "dealt": _deal,
    "same-order": _same_order,
    "in-turn": _in_turn,
    "turns": _turns,
    "every": _every,
    "needed": _need,
    "succession": _succession,
}
