"""Choices of a licensee that affect how rounds are evaluated, and the view of a submission for conditions.

This module does not import NumPy, since checks of submissions need none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.evidence import submission_reader
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.language.grammar import iterate_references
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rules.document_model import NameList
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.plain_values import Payout
from fairdeal.validator.text.positioned_document import DataPath


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
        data=submission_reader.collect_values_without_amounts(submission),
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
        data=submission_reader.collect_stated_values(submission),
    )


class SubmissionView(Struct, frozen=True, kw_only=True):
    """Statements of a submission (`evidence.stated`), as seen from the list items that conditions have entered."""

    data: Mapping[str, Any]
    """Submitted data, in the structure of a file."""
    regulation: Regulation
    """Regulation that the submission is checked against."""
    day: date
    """Day of the law; lists of names count on the days on which they are in force."""
    items: tuple[DataPath, ...] = ()
    """Paths of the entered list items, outermost first."""

    def enter_item(self, path: DataPath) -> SubmissionView:
        """Return the view from an item of a list."""
        return replace(self, items=(*self.items, path))

    def resolve_path(self, text: str) -> DataPath:
        """Return the path that a dotted text names: from the root, or from the item that its leading dots select."""
        keys = text.lstrip(".")
        dots = len(text) - len(keys)
        start = self.items[-dots] if 0 < dots <= len(self.items) else ()
        return (*start, *(keys.split(".") if keys else ()))

    def find_value(self, path: DataPath) -> Any:
        """Return the value at a path; None if there is none."""
        result: Any = self.data
        for part in path:
            if isinstance(result, Mapping):
                result = result.get(part)
            elif isinstance(result, list) and isinstance(part, int):
                result = result[part]
            else:
                return None
        return result

    def list_entries(self, path: DataPath) -> list[SubmissionView] | None:
        """Return the views from the items of a list; None if there is no list at the path.

        Without an earlier submission, its lists are empty.
        """
        if path[:1] == (submission_reader.EARLIER,) and submission_reader.EARLIER not in self.data:
            return []
        result = self.find_value(path)
        if result is submission_reader.NOTHING:
            return []
        if not isinstance(result, list):
            return None
        return [self.enter_item((*path, index)) for index in range(len(result))]


def is_list_in_force(listed: NameList, day: date) -> bool:
    """Return whether a list is in force on a day; the first and the last day count."""
    return (listed.from_ is None or listed.from_ <= day) and (listed.until is None or day <= listed.until)


FILE_KEYS = frozenset({"submission", "licensee", "tables", "effective", "waivers", "attestations"})
"""Keys in which a submission describes itself: the licensee, the rounds it is for, and what is attested or waived."""

ConfigurationKey = tuple[str, tuple[date | None, ...]]


def find_required_file_keys(regulation: Regulation) -> frozenset[str]:
    """Return the self-describing keys of a submission that requirements on rounds refer to."""
    rules = [
        requirement.check
        for requirement in regulation.requirements
        if requirement.evidence in (Evidence.ROUND, Evidence.SESSION)
    ]
    models = rules if regulation.game is None else [regulation.game, *rules]
    named = (reference for model in models for reference in iterate_references(model, ()))
    return FILE_KEYS.intersection(path.partition(".")[0] for _, kind, path in named if kind == "submission-path")


def build_configuration_key(
    configuration: LicenseeConfiguration, regulation: Regulation, asked: frozenset[str]
) -> ConfigurationKey:
    """Return a key of a configuration: two configurations with the same key yield the same results.

    Args:
        asked: result of `find_required_file_keys`. The first day counts if a list of the document is not in force on
            it.
    """
    kept = {key: value for key, value in configuration.data.items() if key not in FILE_KEYS or key in asked}
    day = configuration.effective
    lists = (None if is_list_in_force(listed, day) else day for listed in regulation.document.lists.values())
    return json.dumps(kept, sort_keys=True, default=str), tuple(lists)
