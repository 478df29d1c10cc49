"""Stakes that come to less the higher the hand of the player is against that of the house."""

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

_SIGNS = {"lower": "a lower hand", "equal": "one as high", "higher": "a higher hand"}
_WORTH = {"lost": 0, "nothing": 0, "returned": 1}
_PAID = 2
_WORDS = ("is lost", "comes back", "is paid")


def turned_round(terms: Terms, line: str) -> Iterator[Caution]:
    """Of whoever comes to the first case that compares two hands, or to one after it, those with the higher hand of the
    player get no less than the others."""
    cases = [(at, case) for at, case in enumerate(terms.game.settlement.cases) if line in case.lines]
    if any(case.due.operand == "open" for _, case in cases):
        return
    for mine in dict.fromkeys(pair for _, case in cases for pair in _compared(terms.game, case)):
        found = {how: list(_comes_to(terms, cases, mine, how)) for how in _SIGNS}
        for worse, better in (("lower", "higher"), ("lower", "equal"), ("equal", "higher")):
            if not found[worse] or not found[better]:
                continue
            least, most = min(found[worse])[0], max(found[better])[0]
            if least > most:
                yield Caution(
                    code="turned-round",
                    at=("settlement", "cases", max(found[better])[1], "due"),
                    severity="warning",
                    message=f"{line} {_WORDS[most]} here with {_SIGNS[better]} of the player, and {_WORDS[least]} "
                    f"elsewhere with {_SIGNS[worse]}",
                    help="turn the cases or what they make due round, if higher hands are meant to win",
                )
                break


def _compared(game: Game, case: Case) -> Iterator[tuple[str, str]]:
    """The hands that a case compares: one of the player first, then one of the house."""
    for _, part in walk(case, ()):
        if isinstance(part, Compare):
            one, other = ("player" in game.hands[name].from_ for name in (part.hand, part.to))
            if one != other:
                yield (part.hand, part.to) if one else (part.to, part.hand)


def _comes_to(
    terms: Terms, cases: list[tuple[int, Case]], mine: tuple[str, str], how: str
) -> Iterator[tuple[int, int]]:
    """What stakes of one who has such a hand may come to, and in which case."""
    compared = {"compare": {"hand": mine[0], "is": how, "to": mine[1]}}
    left: Formula = terms.formula(Condition.model_validate(compared))
    started = False
    for at, case in cases:
        asked = True if case.when is None else terms.formula(case.when)
        started = started or mine in _compared(terms.game, case)
        if started and terms.may_hold(every([left, asked])):
            yield _WORTH.get(str(case.due.operand), _PAID), at
        left = every([left, denied(asked)])
