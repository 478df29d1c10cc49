"""Regulator's file of waivers: the clauses that each licensee may depart from, and when."""

import datetime
from typing import Annotated

from annotated_types import MaxLen, MinLen
from pydantic import Field

from validator.text.models.model import Closed
from validator.text.models.scalars import Day, Identifier
from validator.text.models.scalars import Prose as Name


class WaiverTerms(Closed):
    """Terms of a waiver: the clauses that it lifts, the grantor and the days."""

    clauses: Annotated[list[Name], MinLen(1), MaxLen(100)]
    """The clauses that the waiver lifts: their ids, or their labels within the document."""
    tables: Annotated[list[Name], MaxLen(10_000)] = Field(default_factory=list)
    """The tables that the waiver is for; all tables of the game if left out."""
    by: Name
    """The person who granted the waiver, with their office."""
    granted: Day
    """The day on which it was granted."""
    from_: Day | None = None
    """The first day; if left out, the day on which it was granted."""
    until: Day | None = None
    """The last day; if left out, there is none."""
    reason: Name | None = None
    """The reason for the waiver."""

    @property
    def first(self) -> datetime.date:
        """First day of the waiver."""
        return self.from_ or self.granted


class GrantedWaiver(WaiverTerms):
    """Permission to depart from clauses."""

    licensee: Name
    """The casino that holds the waiver, by the `licensee.name` of its submissions and the `casino` of its rounds."""
    document: Identifier
    """The id of the document whose clauses are lifted."""


class WaiversFile(Closed):
    """Waivers that a regulator granted."""

    regulator: Name
    """The authority that granted them."""
    waivers: Annotated[list[GrantedWaiver], MaxLen(10_000)]
    """The waivers."""
