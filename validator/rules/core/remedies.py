"""What to do about a failure, made from what a requirement asks where its author does not say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from validator.language.comparison import Comparison
from validator.language.conditions import Condition, Quantity
from validator.rules.core.own_word import OwnWord
from validator.rules.core.regulation import Regulation
from validator.rules.core.titles import title_of
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


def remedy_of(regulation: Regulation, requirement: Requirement | OwnWord) -> str:
    """What to do about a failure of a requirement, in a sentence: its own remedy, or what its check comes to."""
    if requirement.remedy or isinstance(requirement, OwnWord):
        return requirement.remedy or ""
    check = requirement.check
    if check.operator in _AS_IT_IS:
        return _AS_IT_IS[check.operator]
    if check.operator in _OF_SUBMISSIONS:
        return _OF_SUBMISSIONS[check.operator](regulation, check.operand)
    game = regulation.game
    if game is None:
        return _KEEP_TO_IT
    return _OF_GAMES[check.operator](game, check.operand)


_KEEP_TO_IT = "Put right what still can be, and keep to the rule from now on."
_AS_IT_IS = {
    "submitted": "Have at the table what is expected here, and state it in the submission.",
    "publications": "Have publications show the pay table in use, row by row.",
    "signs": "Have the signs at the table show what is submitted.",
    "alike": "Submit the same for all tables.",
    "unchanged": "Submit again what the earlier submission says.",
    "settled": "Correct the settlement.",
    "capped": "Correct the settlement: pay up to the limit and no further.",
    "drawn-by": "Keep the cards that the rule for the draw says, and exchange the others.",
}
"""By operators of checks, where all that is asked by them comes to the same."""


def _pay_tables(regulation: Regulation, check: Any) -> str:
    line = check.for_ if regulation.game is None else title_of(regulation.game, check.for_)
    which = "the printed pay table" if len(check.one_of) == 1 else "one of the printed pay tables, whole"
    return f"Post {which} for {line}, and submit it."


def _attested(regulation: Regulation, check: Attested) -> str:
    return f"Have it attested by the {check.by}."


_OF_SUBMISSIONS: Mapping[str, Callable[[Regulation, Any], str]] = {"pay-tables": _pay_tables, "attested": _attested}


def _titles(game: Game, steps: Sequence[str], joint: str = "; then ") -> str:
    titles = {one.step: one.title for one in game.procedure}
    return joint.join(titles[step] for step in steps)


def _rule(game: Game, check: RoundCheck) -> str:
    if check.of is None:
        return "Correct the amount." if _of_money(check.must) else _KEEP_TO_IT
    return f"Put right what still can be, and see to it every time {_titles(game, [check.of])}."


def _of_money(condition: Condition) -> bool:
    """Whether a condition holds one amount against another."""
    held = condition.operand if isinstance(condition.operand, Comparison) else None
    return held is not None and any(map(_is_money, (held.of, held.operand)))


def _is_money(quantity: Quantity) -> bool:
    return quantity.meaning.money or any(map(_is_money, quantity.parts()))


def _awarded(game: Game, check: AwardedCheck) -> str:
    return {
        "shares": "Correct the award: give every winner the share that is expected.",
        "uncalled": "Give back what nobody matched, no more and no less.",
        "refunds": "Give every seat back all that it put in, no more and no less.",
    }[check.asks]


def _sequence(game: Game, check: SequenceCheck) -> str:
    steps = [one.step for one in check.steps if not isinstance(one, Repeat)]
    if len(steps) < len(check.steps):
        return "Take the steps in the order that is asked."
    return f"Go by this order: {_titles(game, steps)}."


def _phase(game: Game, check: PhaseCheck) -> str:
    course = game.courses[check.course]
    titles, boundaries = [game.phase_title(one) for one in course.phases], check.boundaries(course)
    if len(boundaries) < len(titles) - 1:
        begins = "; ".join(f"begin “{titles[at]}” only when what comes before it is over" for at in boundaries)
        return f"{begins[:1].upper()}{begins[1:]}."
    return f"Go by this order: {'; then '.join(titles)}."


def _dealt(game: Game, check: DealtCheck) -> str:
    return {
        "turn": "Deal the places in their turn.",
        "burn": "Burn as many cards as the rules have before the cards are dealt.",
        "count": "Deal as many cards as the rules have, no more and no fewer.",
    }[check.asks]


def _same_order(game: Game, check: SameOrderCheck) -> str:
    return f"Go by the order of seats in which this came: {_titles(game, [check.first])}."


def _in_turn(game: Game, check: InTurnCheck) -> str:
    return f"Go round the table seat by seat: {_titles(game, check.steps)}."


def _turns(game: Game, check: TurnsCheck) -> str:
    return f"Go clockwise round the table, from the seat that comes first: {_titles(game, [check.step])}."


def _every(game: Game, check: EveryCheck) -> str:
    return "Do it in time." if check.operator != "step" else f"See to it in time that {_titles(game, [check.step])}."


def _needed(game: Game, check: NeededCheck) -> str:
    before = _titles(game, check.waiting, " or ")
    return f"See to this before {before}: {_titles(game, check.steps)}."


def _succession(game: Game, check: SuccessionCheck) -> str:
    if check.operator != "deck":
        return "Look at the round before at the table, and put right what still can be."
    return f"Play on with {'the same deck as' if check.deck == 'same' else 'another deck than'} in the round before."


_OF_GAMES: Mapping[str, Callable[[Game, Any], str]] = {
    "rule": _rule,
    "awarded": _awarded,
    "sequence": _sequence,
    "phase": _phase,
    "dealt": _dealt,
    "same-order": _same_order,
    "in-turn": _in_turn,
    "turns": _turns,
    "every": _every,
    "needed": _needed,
    "succession": _succession,
}
