"""Warnings about settlement that pays a stronger hand of the player less than a weaker one."""

from __future__ import annotations

from collections.abc import Iterator

from validator.cautions.caution import Caution
from validator.language.conditions import Condition
from validator.operators.hands import Compare
from validator.operators.terms import Terms
from validator.propositions.formula import Formula, denied, every
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game
from validator.rules.model.settlement import Case

_HAND_TEXTS = {"lower": "a lower hand", "equal": "an equal hand", "higher": "a higher hand"}
_OUTCOME_RANKS = {"lost": 0, "nothing": 0, "returned": 1}
_PAID_RANK = 2
_OUTCOME_TEXTS = ("is lost", "is returned", "is paid")


def turned_round(terms: Terms, line: str) -> Iterator[Caution]:
    """Yield a warning if settlement of a line pays a stronger hand of the player less than a weaker one.

    Only the first case that compares two hands, and the cases after it, are considered.
    """
    cases = [(index, case) for index, case in enumerate(terms.game.settlement.cases) if line in case.lines]
    if any(case.due.operand == "open" for _, case in cases):
        return
    for hands in dict.fromkeys(pair for _, case in cases for pair in _list_compared_hands(terms.game, case)):
        outcomes = {comparison: list(_list_outcomes(terms, cases, hands, comparison)) for comparison in _HAND_TEXTS}
        for worse, better in (("lower", "higher"), ("lower", "equal"), ("equal", "higher")):
            if not outcomes[worse] or not outcomes[better]:
                continue
            least, most = min(outcomes[worse])[0], max(outcomes[better])[0]
            if least > most:
                yield Caution(
                    code="reversed",
                    at=("settlement", "cases", max(outcomes[better])[1], "due"),
                    severity="warning",
                    message=f"{line} {_OUTCOME_TEXTS[most]} here with {_HAND_TEXTS[better]} of the player, but "
                    f"{_OUTCOME_TEXTS[least]} "
                    f"elsewhere with {_HAND_TEXTS[worse]}",
                    help="exchange the cases or their `due`, if higher hands should win",
                )
                break


def _list_compared_hands(game: Game, case: Case) -> Iterator[tuple[str, str]]:
    """Yield pairs of hands that a case compares: the player's first, then the dealer's."""
    for _, part in walk(case, ()):
        if isinstance(part, Compare):
            is_player, other_is_player = ("player" in game.hands[name].from_ for name in (part.hand, part.to))
            if is_player != other_is_player:
                yield (part.hand, part.to) if is_player else (part.to, part.hand)


def _list_outcomes(
    terms: Terms, cases: list[tuple[int, Case]], hands: tuple[str, str], comparison: str
) -> Iterator[tuple[int, int]]:
    """Yield the outcomes that stakes with such a hand may have, each with the index of its case."""
    compared = {"compare": {"hand": hands[0], "is": comparison, "to": hands[1]}}
    remaining: Formula = terms.formula(Condition.model_validate(compared))
    started = False
    for index, case in cases:
        condition = True if case.when is None else terms.formula(case.when)
        started = started or hands in _list_compared_hands(terms.game, case)
        if started and terms.may_hold(every([remaining, condition])):
            yield _OUTCOME_RANKS.get(str(case.due.operand), _PAID_RANK), index
        remaining = every([remaining, denied(condition)])
