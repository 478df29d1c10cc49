"""What a licensee has chosen, as far as rounds are judged by it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.evidence.submission.model import Submission
from validator.evidence.submission.view import stated, stated_without_amounts
from validator.text.values.odds import Payout


class Offer(Struct, frozen=True, kw_only=True):
    """A wager or bonus as it is offered: posted limits in minor currency units, and whether tips are taken."""

    minimum: int | None
    maximum: int | None
    tips: bool | None


_UNTOLD = Offer(minimum=None, maximum=None, tips=None)


class Configuration(Struct, frozen=True, kw_only=True):
    """The choices in force at a table. `None` stands for what the licensee did not submit.

    `pay_tables` holds the rows of every pay table in use, by line; those of the lines in `permitted_tables` may pay
    what they like, by a regulator's waiver. `data` is all that was submitted, as a file would hold it. `number` is the
    place of the submission among those of a run, None where it stands by itself.
    """

    name: str
    offers: Mapping[str, Offer] | None
    options: Mapping[str, bool | str]
    dealing: str | None
    pay_tables: Mapping[str, tuple[Mapping[str, Payout], ...]]
    effective: date
    data: Mapping[str, Any]
    permitted_tables: frozenset[str] = frozenset()
    number: int | None = None

    def only_size(self, wager: str) -> int | None:
        """The one amount that may be staked on a wager, where there is only one."""
        offer = (self.offers or {}).get(wager, _UNTOLD)
        return offer.minimum if offer.minimum == offer.maximum else None


def without_amounts(configuration: Configuration, submission: Submission) -> Configuration:
    """Return what a submission chooses for rounds in a currency other than its own: all but amounts of money."""
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
        data=stated_without_amounts(submission),
    )


def configuration_of(submission: Submission) -> Configuration:
    """The configuration a submission describes."""
    offers: dict[str, Offer] | None = None
    if submission.wagers is not None:
        offers = {}
        for offer in submission.wagers:
            posted_offer = Offer(minimum=offer.minimum, maximum=offer.maximum, tips=offer.tips)
            # A wager that is listed twice, and not alike, is offered, but on what terms cannot be told.
            offers[offer.wager] = posted_offer if offers.get(offer.wager, posted_offer) == posted_offer else _UNTOLD
    posted: dict[str, tuple[Mapping[str, Payout], ...]] = {}
    for _, table in submission.tables_in_use():
        rows = {row.hand: row.odds for row in table.rows}
        posted[table.pays] = (*posted.get(table.pays, ()), rows)
    return Configuration(
        name=submission.submission,
        offers=offers,
        options={name: value for name, value in submission.options.items() if value is not None},
        dealing=submission.dealing,
        pay_tables=posted,
        effective=submission.effective,
        data=stated(submission),
    )
