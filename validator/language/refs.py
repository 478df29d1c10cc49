"""Annotations for fields that name something defined elsewhere in the rulebook.

A field that names a wager, a step or a clause is annotated with the kind of thing it names. A generic walk over the
models then finds every undefined name and suggests the one that was meant.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct


class NameReference(Struct, frozen=True):
    """The kind of thing that a text names. Kinds are the keys of the namespace of a game (`rulebook.names`)."""

    kind: str


WagerName = Annotated[str, NameReference("wager")]
LineName = Annotated[str, NameReference("line")]
HandName = Annotated[str, NameReference("hand")]
FactName = Annotated[str, NameReference("fact")]
StepName = Annotated[str, NameReference("step")]
CourseName = Annotated[str, NameReference("course")]
PhaseName = Annotated[str, NameReference("phase")]
OccasionName = Annotated[str, NameReference("occasion")]
DecisionTaken = Annotated[str, NameReference("decision-taken")]
CaseName = Annotated[str, NameReference("case")]
DecisionName = Annotated[str, NameReference("decision")]
StageName = Annotated[str, NameReference("stage")]
FirstSeatName = Annotated[str, NameReference("first-seat")]
WayDealt = Annotated[str, NameReference("way")]
PayTableName = Annotated[str, NameReference("pay-table")]
RankingName = Annotated[str, NameReference("ranking")]
CategoryName = Annotated[str, NameReference("category")]
DrawingName = Annotated[str, NameReference("drawing")]
DrawingRuleName = Annotated[str, NameReference("drawing-rule")]
RowName = Annotated[str, NameReference("row")]
ScaleName = Annotated[str, NameReference("scale")]
CapName = Annotated[str, NameReference("cap")]
DeckName = Annotated[str, NameReference("deck")]
ReadingName = Annotated[str, NameReference("reading")]
ClauseName = Annotated[str, NameReference("clause")]
RequirementName = Annotated[str, NameReference("requirement")]
ListName = Annotated[str, NameReference("list")]
MeterName = Annotated[str, NameReference("meter")]
PositionName = Annotated[str, NameReference("position")]
BettingRoundName = Annotated[str, NameReference("betting-round")]
SubmissionPath = Annotated[str, NameReference("submission-path")]

BUTTON = "button"
"""The position that every table has: the seat with the button."""
DECLARED = "declared"
"""In place of a decision: the decision that the seat declared in its turn."""
SUBMITTED = "submitted"
"""In place of a way of dealing: the way that the submission names."""
