"""Annotations for fields that name something defined elsewhere in the rulebook.

A field that names a wager, a step or a clause is annotated with the kind of thing it names. A generic walk over the
models then finds every undefined name and suggests the one that was meant.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct


class Ref(Struct, frozen=True):
    """The kind of thing that a text names. Kinds are the keys of the namespace of a game (`rulebook.names`)."""

    kind: str


WagerName = Annotated[str, Ref("wager")]
LineName = Annotated[str, Ref("line")]
HandName = Annotated[str, Ref("hand")]
FactName = Annotated[str, Ref("fact")]
StepName = Annotated[str, Ref("step")]
CourseName = Annotated[str, Ref("course")]
PhaseName = Annotated[str, Ref("phase")]
OccasionName = Annotated[str, Ref("occasion")]
DecisionTaken = Annotated[str, Ref("decision-taken")]
CaseName = Annotated[str, Ref("case")]
DecisionName = Annotated[str, Ref("decision")]
StageName = Annotated[str, Ref("stage")]
FirstSeatName = Annotated[str, Ref("first-seat")]
WayDealt = Annotated[str, Ref("way")]
PayTableName = Annotated[str, Ref("pay-table")]
RankingName = Annotated[str, Ref("ranking")]
CategoryName = Annotated[str, Ref("category")]
DrawingName = Annotated[str, Ref("drawing")]
DrawingRuleName = Annotated[str, Ref("drawing-rule")]
RowName = Annotated[str, Ref("row")]
ScaleName = Annotated[str, Ref("scale")]
CapName = Annotated[str, Ref("cap")]
DeckName = Annotated[str, Ref("deck")]
ReadingName = Annotated[str, Ref("reading")]
ClauseName = Annotated[str, Ref("clause")]
RequirementName = Annotated[str, Ref("requirement")]
ListName = Annotated[str, Ref("list")]
MeterName = Annotated[str, Ref("meter")]
PositionName = Annotated[str, Ref("position")]
BettingRoundName = Annotated[str, Ref("betting-round")]
SubmissionPath = Annotated[str, Ref("submission-path")]

BUTTON = "button"
"""The position that every table has: the seat with the button."""
DECLARED = "declared"
"""In place of a decision: the decision that the seat declared in its turn."""
SUBMITTED = "submitted"
"""In place of a way of dealing: the way that the submission names."""
