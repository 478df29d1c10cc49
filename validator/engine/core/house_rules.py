"""Choices of a licensee that affect how rounds are evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.evidence.submission.model import Submission
from validator.evidence.submission.view import collect_stated_values, collect_values_without_amounts
from validator.text.values.odds import Payout


class PostedOffer(Struct, frozen=True, kw_only=True):
    """Wager or bonus as the licensee offers it: posted limits in minor currency units, and whether it takes tips."""

    minimum: int | None
    maximum: int | None
    tips: bool | None


_NOT_STATED = PostedOffer(minimum=None, maximum=None, tips=None)


class LicenseeConfiguration(Struct, frozen=True, kw_only=True):
    """Choices in force at a table. None means that the licensee did not submit the choice."""

    name: str
    """Name of the submission."""
    offers: Mapping[str, PostedOffer] | None
    """Offered wagers and bonuses by name."""
    options: Mapping[str, bool | str]
    """Stated options by name."""
    dealing: str | None
    """Way of dealing."""
    pay_tables: Mapping[str, tuple[Mapping[str, Payout], ...]]
    """Rows of every pay table in use, by line."""
    effective: date
    """First day on which the submission is in force."""
    data: Mapping[str, Any]
    """All submitted data, in the structure of a file."""
    permitted_tables: frozenset[str] = frozenset()
    """Lines whose tables may pay any odds, by a waiver of the regulator."""
    number: int | None = None
    """Index of the submission among those of a run; None for a single submission."""

    def fixed_stake(self, wager: str) -> int | None:
        """Return the only amount that may be staked on a wager; None if several amounts are permitted."""
        offer = (self.offers or {}).get(wager, _NOT_STATED)
        return offer.minimum if offer.minimum == offer.maximum else None


def drop_amounts(configuration: LicenseeConfiguration, submission: Submission) -> LicenseeConfiguration:
    """Return the choices of a submission that apply to rounds in another currency: all but amounts of money."""
    offers = configuration.offers
    return replace(
        configuration,
        offers=None
        if offers is None
        else {name: replace(offer, minimum=None, maximum=None) for name, offer in offers.items()},
        pay_tables={
            line: tables
            for line, tables in configuration.pay_tables.items()
            if not any(payout.form == "amount" for rows in tables for payout in rows.values())
        },
        data=collect_values_without_amounts(submission),
    )


def build_configuration(submission: Submission) -> LicenseeConfiguration:
    """Build the configuration that a submission describes."""
    offers: dict[str, PostedOffer] | None = None
    if submission.wagers is not None:
        offers = {}
        for offer in submission.wagers:
            posted_offer = PostedOffer(minimum=offer.minimum, maximum=offer.maximum, tips=offer.tips)
            # A wager listed twice with different terms is offered, but its terms are unknown.
            offers[offer.wager] = posted_offer if offers.get(offer.wager, posted_offer) == posted_offer else _NOT_STATED
    posted: dict[str, tuple[Mapping[str, Payout], ...]] = {}
    for _, table in submission.list_tables_in_use():
        rows = {row.hand: row.odds for row in table.rows}
        posted[table.pays] = (*posted.get(table.pays, ()), rows)
    return LicenseeConfiguration(
        name=submission.submission,
        offers=offers,
        options={name: value for name, value in submission.options.items() if value is not None},
        dealing=submission.dealing,
        pay_tables=posted,
        effective=submission.effective,
        data=collect_stated_values(submission),
    )
