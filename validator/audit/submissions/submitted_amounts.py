"""Amounts of a submission as they were understood, for people who wrote them in units of a currency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairdeal.validator.evidence.submission_model import Submission, SubmittedWager
from fairdeal.validator.evidence.submission_reader import collect_stated_values, find_money_keys
from fairdeal.validator.language.phrases import replace_hyphens
from fairdeal.validator.results.results import SubmittedAmounts
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.money import count_decimals, format_money

_SEPARATE_KEYS = frozenset({"wagers", "layout"})
"""Keys whose amounts are limits of wagers, or repeat them."""


def describe_submitted_amounts(submission: Submission, regulation: Regulation) -> SubmittedAmounts | None:
    """Return the limits of wagers and the other amounts of a submission in words; None if it states none."""
    titles = {} if regulation.game is None else {name: line.title for name, line in regulation.game.wagers.items()}
    offers = [offer for offer in submission.wagers or () if (offer.minimum, offer.maximum) != (None, None)]
    amounts = [
        f"{titles.get(offer.wager, offer.wager)} {_format_limits(offer, submission.currency)}" for offer in offers
    ]
    for key, value in collect_stated_values(submission).items():
        parts = [] if key in _SEPARATE_KEYS else list(_list_amounts(key, value, submission.currency))
        if parts:
            prefix = "" if key in find_money_keys() else f"{replace_hyphens(key)}: "
            amounts.append(f"{prefix}{', '.join(parts)}")
    unit = 10 ** count_decimals(submission.currency)
    questions = [
        f"{titles.get(offer.wager, offer.wager)}: a limit of {format_money(limit, submission.currency)} is less than"
        " one unit of the currency; is that what is meant?"
        for offer in offers
        for limit in dict.fromkeys((offer.minimum, offer.maximum))
        if limit is not None and 0 < limit < unit
    ]
    if not amounts:
        return None
    return SubmittedAmounts(
        submission=submission.submission,
        currency=submission.currency,
        amounts=tuple(amounts),
        questions=tuple(questions),
    )


def _format_limits(offer: SubmittedWager, currency: str | None) -> str:
    least, most = (None if limit is None else format_money(limit, currency) for limit in (offer.minimum, offer.maximum))
    if least is None:
        return f"up to {most}"
    if most is None:
        return f"from {least}"
    return least if least == most else f"{least} to {most}"


def _list_amounts(key: str, value: Any, currency: str | None) -> Iterator[str]:
    """Yield the amounts within the value of a key, each with its own key."""
    if key in find_money_keys() and type(value) is int:
        yield f"{replace_hyphens(key)} {format_money(value, currency)}"
    elif isinstance(value, Mapping):
        for inner, part in value.items():
            yield from _list_amounts(inner, part, currency)
    elif isinstance(value, list):
        for part in value:
            yield from _list_amounts("", part, currency)
