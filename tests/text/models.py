"""Models of every shape the validator has to explain, with keys written as in the project's files."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, NewType

from pydantic import BaseModel, ConfigDict, Discriminator, Field, RootModel, Tag, model_validator

from fairdeal.validator.text.closed_model import Day, Identifier, Name
from tests.facade.text import OddsText


class Closed(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=lambda name: name.rstrip("_").replace("_", "-"),
        defer_build=True,
    )


class Colour(StrEnum):
    LIGHT_RED = "light-red"
    BLUE = "blue"


class BoxSize(Closed):
    shade_of: Colour
    width: int = 1


class Bag(Closed):
    holds: str


class Circle(Closed):
    kind: Literal["circle"]
    radius: int


class Square(Closed):
    kind: Literal["square", "oblong"]
    side: int


def select_by_key(value: Any) -> str | None:
    return next((key for key in ("upper", "lower") if key in value), None) if isinstance(value, dict) else None


class Upper(Closed):
    upper: str


class Lower(Closed):
    lower: int


class Names(RootModel[dict[Identifier, int]]):
    pass


class Condition(Closed):
    not_: Condition | None = None
    all_: tuple[Condition, ...] | None = None
    at_least: int | None = None

    @model_validator(mode="after")
    def one(self) -> Condition:
        if len(self.model_fields_set) != 1:
            raise ValueError("exactly one of not, all, at-least is required here")
        return self


Score = NewType("Score", int)


class Everything(Closed):
    amount: Decimal | None = None
    day: Day | None = None
    plain_day: date | None = None
    words: tuple[str, ...] = ()
    pair: tuple[int, str] | None = None
    distinct: frozenset[str] = frozenset()
    box: BoxSize | Bag | None = None
    shape: Annotated[Circle | Square, Field(discriminator="kind")] | None = None
    end: (
        Annotated[Annotated[Upper, Tag("upper")] | Annotated[Lower, Tag("lower")], Discriminator(select_by_key)] | None
    ) = None
    boxes: list[BoxSize] = []
    boxes_by_name: dict[str, BoxSize | int] = {}
    names: Names | None = None
    flag: bool = False
    outcome: Literal["push", "win"] | None = None
    count: Annotated[int, Field(ge=1, le=8)] = 1
    score: Score | None = None
    mixed: str | int | list[str] = ""
    all_or: Literal["all"] | int | None = None
    odds: OddsText | None = None
    when: Condition | None = None
    name: Name = "x"
    few: Annotated[tuple[int, ...], Field(min_length=1, max_length=2)] = (1,)
    code: Annotated[str, Field(pattern="^x+$", max_length=4)] = "x"
    even: Annotated[int, Field(multiple_of=2, gt=0, lt=10)] = 2
    short: Annotated[str, Field(min_length=1)] = "x"
