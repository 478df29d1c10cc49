"""Sentences about checks of consecutive rounds at a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from validator.audit.rule_text.sentences import Sentence, conditions, where
from validator.engine.compiled.game import Prepared
from validator.language.wording import is_money, named, quantity_in_words
from validator.rules.model.sessions import EveryCheck, NeededCheck, SuccessionCheck

_OCCASIONS = {"table-opens": "the table opens", "round-dealt": "the last card of a round is dealt"}
_PER = {"round": "in the round", "table": "at the table", "deck": "with the same deck"}


def _describe_every(prepared: Prepared, check: EveryCheck) -> Iterator[Sentence]:
    size, each = check.within.operand, ", for each deck" if check.of_each else ""
    often = {
        "hours": f"At least once in every {size} hours",
        "rounds": f"At least once in any {size} consecutive rounds",
        "blocks-of": f"At least once in each {size} rounds, counted from the opening of the table",
    }[check.within.operator]
    if check.operator == "step":
        yield Sentence(f"{often}{each}: {prepared.steps[check.step].title}")
    else:
        yield from conditions(prepared, f"{often}{each}", check.happens)
    if check.counts is not None:
        yield from where(prepared, check.counts, "Only these rounds count")
    yield from where(prepared, check.when)


def _describe_succession(prepared: Prepared, check: SuccessionCheck) -> Iterator[Sentence]:
    match check.operator:
        case "deck":
            which = "The deck is the same as" if check.deck == "same" else "The deck is the other of two, not the one"
            yield Sentence(f"{which} in the round before at the table.")
            if check.deck == "other":
                yield Sentence(
                    "If one deck is withdrawn, the other is used alone; a third deck replaces one of the two."
                )
        case "number":
            number = check.number
            money = is_money(prepared, number)
            of, bound = (quantity_in_words(prepared, quantity, money=money) for quantity in (number.of, number.operand))
            yield Sentence(f"In every round: {of}: {number.bound.words} {bound} of the round before at the table.")
        case _:
            whose = f"{'Every player' if check.each == 'player' else 'Every round'}, compared with the round before"
            yield from conditions(prepared, whose, check.must)
    yield from where(prepared, check.when)


def _describe_needed(prepared: Prepared, check: NeededCheck) -> Iterator[Sentence]:
    since = named([_OCCASIONS.get(occasion) or prepared.steps[occasion].title for occasion in check.occasions], "or")
    steps = ", then ".join(prepared.steps[step].title for step in check.steps)
    before = "” or “".join(prepared.steps[step].title for step in check.waiting)
    yield Sentence(f"Once {since}, “{before}” must not come {_PER[check.per]} before this was done: {steps}.")
    if check.until is not None:
        yield Sentence(f"The obligation ends with: {prepared.steps[check.until].title}.")
    yield from where(prepared, check.when)


SESSIONS: Mapping[str, Callable[[Prepared, Any], Iterator[Sentence]]] = {
    "every": _describe_every,
    "succession": _describe_succession,
    "needed": _describe_needed,
}
"""Functions that describe a check of sessions, by operator."""
