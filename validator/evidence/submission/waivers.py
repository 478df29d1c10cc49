"""A regulator's file of waivers: who permitted which licensee to depart from which clauses, and when."""

import datetime
from typing import Annotated

from annotated_types import MaxLen, MinLen
from pydantic import Field

from validator.text.models.model import Closed
from validator.text.models.scalars import Day, Identifier
from validator.text.models.scalars import Prose as Name


class WaiverTerms(Closed):
    """What a waiver lifts, who granted it, and when it holds."""

    clauses: Annotated[list[Name], MinLen(1), MaxLen(100)]
    """The clauses it lifts: their ids, or their labels within the document."""
    tables: Annotated[list[Name], MaxLen(10_000)] = Field(default_factory=list)
    """The tables it is for; left out, all tables of the game."""
    by: Name
    """The person who granted it, with their office."""
    granted: Day
    """When it was granted."""
    from_: Day | None = None
    """Its first day; left out, the day it was granted."""
    until: Day | None = None
    """Its last day; left out, it has none."""
    reason: Name | None = None
    """Why."""

    @property
    def first(self) -> datetime.date:
        """The first day on which it holds."""
        return self.from_ or self.granted


class GrantedWaiver(WaiverTerms):
    """A permission to depart from clauses."""

    licensee: Name
    """The casino it is granted to, by the `licensee.name` of its submissions and the `casino` of its rounds."""
    document: Identifier
    """The id of the document whose clauses it lifts."""


class WaiversFile(Closed):
    """Waivers that a regulator granted."""

    regulator: Name
    """The authority that granted them."""
    waivers: Annotated[list[GrantedWaiver], MaxLen(10_000)]
    """The waivers."""
