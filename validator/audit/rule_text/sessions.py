"""What is asked of rounds that follow each other at a table, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from validator.audit.rule_text.sentences import Sentence, conditions, where
from validator.engine.compiled.game import Prepared
from validator.language.wording import is_money, named, quantity_in_words
from validator.rules.model.sessions import EveryCheck, NeededCheck, SuccessionCheck

_OCCASIONS = {"table-opens": "the table opens", "round-dealt": "the last card of a round is dealt"}
_PER = {"round": "in the round", "table": "at the table", "deck": "with the same deck"}


def _every(prepared: Prepared, check: EveryCheck) -> Iterator[Sentence]:
    size, each = check.within.operand, ", for each deck by itself" if check.of_each else ""
    often = {
        "hours": f"At least once in every {size} hours",
        "rounds": f"At least once in any {size} rounds on end",
        "blocks-of": f"At least once in each {size} rounds, counted from the opening of the table",
    }[check.within.operator]
    if check.operator == "step":
        yield Sentence(f"{often}{each}: {prepared.steps[check.step].title}")
    else:
        yield from conditions(prepared, f"{often}{each}", check.happens)
    if check.counts is not None:
        yield from where(prepared, check.counts, "Only such rounds are counted")
    yield from where(prepared, check.when)


def _succession(prepared: Prepared, check: SuccessionCheck) -> Iterator[Sentence]:
    match check.operator:
        case "deck":
            which = "The deck is the same as" if check.deck == "same" else "The deck is the other one of two than"
            yield Sentence(f"{which} in the round before at the table.")
            if check.deck == "other":
                yield Sentence(
                    "The one that is left when the other has gone is dealt alone; a third takes the place of one."
                )
        case "number":
            number = check.number
            money = is_money(prepared, number)
            of, bound = (quantity_in_words(prepared, one, money=money) for one in (number.of, number.operand))
            yield Sentence(f"In every round: {of}: {number.bound.words} {bound} of the round before at the table.")
        case _:
            whose = f"{'Every player' if check.each == 'player' else 'Every round'}, held against the round before"
            yield from conditions(prepared, whose, check.must)
    yield from where(prepared, check.when)


def _needed(prepared: Prepared, check: NeededCheck) -> Iterator[Sentence]:
    since = named([_OCCASIONS.get(one) or prepared.steps[one].title for one in check.occasions], "or")
    steps = ", then ".join(prepared.steps[one].title for one in check.steps)
    before = "” or “".join(prepared.steps[one].title for one in check.waiting)
    yield Sentence(f"Once {since}, “{before}” must not come {_PER[check.per]} before this was done: {steps}.")
    if check.until is not None:
        yield Sentence(f"No longer once this has happened: {prepared.steps[check.until].title}.")
    yield from where(prepared, check.when)


SESSIONS: Mapping[str, Callable[[Prepared, Any], Iterator[Sentence]]] = {
    "every": _every,
    "succession": _succession,
    "needed": _needed,
}
"""What a check on sessions asks, by its operator."""
