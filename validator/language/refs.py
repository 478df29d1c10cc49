"""Names in rule files that must exist elsewhere in the rulebook.

A field that names a wager, a step, a clause … is annotated with what it names; one generic walk over the
models then finds every name that nothing defines, and can say what was meant.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct


class Ref(Struct, frozen=True):
    """The kind of thing a text names. Kinds are the keys of a game's namespace (`rulebook.names`)."""

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
"""The position that every table has: the seat where the button lies."""
DECLARED = "declared"
"""In the place of a decision, stands for the one that the seat declared in its turn."""
SUBMITTED = "submitted"
"""In the place of a way of dealing, stands for the way that the submission names."""
