"""Corrective actions for failures, in a sentence: those of authors, or one that follows from the check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairdeal.validator.operators.operator_table import is_about_money
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation, SelfDeclaredRequirement, line_title
from fairdeal.validator.rules.requirement_model import Repeat, Requirement, RoundCheck, SequenceCheck

_FOLLOW_RULE = "Correct what can still be corrected, and follow the rule from now on."
_FIXED = {
    "submitted": "Provide at the table what is required, and state it in the submission.",
    "publications": "Correct the publications to show every row of the pay table in use.",
    "signs": "Correct the signs at the table to show what is submitted.",
    "alike": "Submit the same value for all tables.",
    "settled": "Correct the settlement.",
    "capped": "Correct the settlement: pay up to the limit and no more.",
    "drawn-by": "Keep the cards that the drawing rule requires, and exchange the others.",
}
"""Remedies by operator of the check, for checks with a single remedy."""
_AWARD = {
    "shares": "Correct the award: give every winner the required share.",
    "uncalled": "Return the uncalled bet, no more and no less.",
    "refunds": "Return to every seat the amount that it put in, no more and no less.",
}
_DEAL = {
    "turn": "Deal to the places in turn.",
    "burn": "Burn the number of cards that the rules require before the cards are dealt.",
    "count": "Deal the number of cards that the rules require, no more and no fewer.",
}
_SUCCESSION = {
    "copies-since": "Check the shoe, and take it out of play if a card is in it too often.",
    "must": "Compare with the previous round at the table, and correct what can still be corrected.",
}


def suggest_remedy(regulation: Regulation, requirement: Requirement | SelfDeclaredRequirement) -> str:
    """Return the corrective action for a failure: the requirement's own remedy or one by its check."""
    if requirement.remedy or isinstance(requirement, SelfDeclaredRequirement):
        return requirement.remedy or ""
    check, operand = requirement.check, requirement.check.operand
    if check.operator in _FIXED:
        return _FIXED[check.operator]
    if check.operator in _BY_REGULATION:
        return _BY_REGULATION[check.operator](regulation, operand)
    if regulation.game is None:
        return _FOLLOW_RULE
    if isinstance(operand, RoundCheck) and operand.of is None:
        return "Correct the amount." if is_about_money(requirement) else _FOLLOW_RULE
    return _BY_GAME[check.operator](regulation.game, operand)


def _post_pay_table(regulation: Regulation, check: Any) -> str:
    line = check.for_ if regulation.game is None else line_title(regulation.game, check.for_)
    table = "the printed pay table" if len(check.one_of) == 1 else "one of the printed pay tables in full"
    return f"Post {table} for {line}, and submit it."


_BY_REGULATION: Mapping[str, Callable[[Regulation, Any], str]] = {
    "pay-tables": _post_pay_table,
    "attested": lambda _, check: f"Obtain an attestation by the {check.by}.",
}


def _titles(game: Game, steps: Sequence[str], joint: str = "; then ") -> str:
    return joint.join(game.all_acts[name].title for name in steps)


def _follow_sequence(game: Game, check: SequenceCheck) -> str:
    steps = [part.step for part in check.steps if not isinstance(part, Repeat)]
    if len(steps) < len(check.steps):
        return "Take the steps in the required order."
    return f"Follow this order: {_titles(game, steps)}."


_BY_GAME: Mapping[str, Callable[[Game, Any], str]] = {
    "rule": lambda game, check: (
        f"Correct what can still be corrected, and follow the rule every time {_titles(game, [check.of])}."
    ),
    "awarded": lambda _, check: _AWARD[check.asks],
    "sequence": _follow_sequence,
    "order": lambda game, check: f"Keep this order: {'; '.join(map(game.describe_milestone, check.milestones))}.",
    "dealt": lambda _, check: _DEAL[check.asks],
    "same-order": lambda game, check: f"Follow the order of seats of this step: {_titles(game, [check.first])}.",
    "in-turn": lambda game, check: f"Proceed around the table seat by seat: {_titles(game, check.steps)}.",
    "turns": lambda game, check: (
        f"Proceed clockwise around the table, from the first seat: {_titles(game, [check.step])}."
    ),
    "every": lambda game, check: (
        f"Ensure in time that {_titles(game, [check.step])}." if check.operator == "step" else "Do it in time."
    ),
    "needed": lambda game, check: (
        f"Ensure this before {_titles(game, check.waiting, ' or ')}: {_titles(game, check.steps)}."
    ),
    "succession": lambda _, check: (
        _SUCCESSION.get(check.operator)
        or f"Continue with {'the same deck as' if check.deck == 'same' else 'another deck than'} in the previous round."
    ),
}
