"""Literal and number types that several operators share."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le

Place = Literal["player", "dealer", "community"]
Actor = Literal["dealer", "player", "machine", "floorperson", "supervisor"]
EventPlace = Literal["player", "dealer", "community", "burn", "deck", "table"]
WholeNumber = Annotated[int, Ge(0), Le(10**12)]
