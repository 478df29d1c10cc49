"""Models of results that are no cards, such as the number of a wheel, and of the selections of stakes on them."""

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field, StringConstraints, model_validator

from fairdeal.validator.language.grammar import OutcomeName, ResultText, expand_results, join_selection
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.text.closed_model import ClosedModel, Prose, make_list

MOST_VALUES = 64
"""Most different values of an outcome."""
_MOST_SECTORS = 1000
_FACES = "123456"


class Outcome(ClosedModel):
    """A result that is no card, drawn anew in each round, or carried from round to round. It has `values` or dice."""

    title: Prose
    """Title, in a few words: the winning number."""
    values: (
        Annotated[list[ResultText], MinLen(1), MaxLen(_MOST_SECTORS)]
        | Annotated[dict[str, Annotated[int, Ge(1), Le(_MOST_SECTORS)]], MinLen(1), MaxLen(MOST_VALUES)]
        | None
    ) = None
    """The values of the sectors of a wheel, all equally likely: `1-36` means all numbers between. A value with
    several sectors is repeated, or `values` is a mapping of the number of sectors of each value."""
    dice: Annotated[int, Ge(1), Le(5)] | None = None
    """Number of dice with six faces. A value is one digit a die, in any order."""
    layout: list[Annotated[list[ResultText], MinLen(1), MaxLen(50)]] = Field(default_factory=make_list, max_length=50)
    """Rows of the layout on which players select values that lie together. All rows have the same length."""
    becomes: dict[str, Condition] = Field(default_factory=dict)
    """For a result that is not drawn but carried, such as a point: the value with which the next round begins, each
    with its condition on this round: its results, its wagers. The first that holds counts; without one, the value
    stays. When a table opens, it is the first of `values`. The log may state the value with which a round begins."""
    when: Condition | None = None
    """The rounds that have a result. Others have the first of `values`, unless the log states another. Left out,
    all."""

    @cached_property
    def weights(self) -> dict[str, int]:
        """Number of equally likely results of each value. The digits of dice are in ascending order."""
        if self.dice is not None:
            rolls = combinations_with_replacement(_FACES, self.dice)
            return {"".join(roll): _count_orders(roll) for roll in rolls}
        if isinstance(self.values, dict):
            return dict(self.values)
        counts: dict[str, int] = {}
        for value in expand_results(self.values or []):
            counts[value] = counts.get(value, 0) + 1
        return counts

    @property
    def is_dice(self) -> bool:
        """Return whether the outcome is that of dice."""
        return self.dice is not None

    @property
    def faces(self) -> tuple[str, ...]:
        """Return the faces of a die; none for other outcomes."""
        return tuple(_FACES) if self.is_dice else ()

    def number_texts(self) -> dict[str, int]:
        """Return the number of the value for each text that states it: dice in any order."""
        numbers = {value: number for number, value in enumerate(self.weights)}
        if not self.is_dice:
            return numbers
        return {"".join(roll): numbers["".join(sorted(roll))] for roll in product(self.faces, repeat=self.dice or 1)}

    def find_value(self, text: str) -> str | None:
        """Return the value that a text states; None if there is no such value."""
        value = "".join(sorted(text)) if self.is_dice else text
        return value if value in self.weights else None

    def read_number(self, value: str) -> int | None:
        """Return the number of a value: the sum of dice, or the number of a wheel. None if it is no number."""
        if self.is_dice:
            return sum(map(int, value))
        return int(value) if re.fullmatch("[0-9]{1,9}", value) else None

    @model_validator(mode="after")
    def _require_values_or_dice(self) -> Self:
        if self.is_dice == (self.values is not None):
            raise ValueError("either `values` or `dice` must be given")
        count = len(self.weights)
        if count > MOST_VALUES:
            raise ValueError(f"the outcome has {count} different values, but at most {MOST_VALUES} are possible")
        if len({len(row) for row in self.layout}) > 1:
            raise ValueError("the rows of the layout differ in length")
        placed = [value for row in self.layout for value in expand_results(row)]
        stray = next((value for value in placed if value not in self.weights or placed.count(value) > 1), None)
        if stray is not None:
            raise ValueError(f"`{stray}` is on the layout twice, or is no value of the outcome")
        if self.becomes and self.is_dice:
            raise ValueError("dice are drawn anew in each round: a result that is carried has `values`")
        if self.when is not None and (self.is_dice or self.becomes):
            raise ValueError("only a result with `values` that is not carried may have `when`")
        unknown = [value for value in self.becomes if value not in self.weights]
        if unknown:
            raise ValueError(f"the outcome becomes `{unknown[0]}`, which is no value of it")
        return self


class Selection(ClosedModel):
    """Permitted selections of a wager: one value of an outcome, or several.

    Left out `blocks` and `among`, it is any value, total or face.
    """

    outcome: OutcomeName
    """The outcome."""
    by: Literal["value", "total", "face"] = "value"
    """Kind of selection: values of the outcome, totals of the dice, or faces of a die."""
    when: Literal["placed", "stays"] = "placed"
    """`placed`: a stake has its selection when it is placed. `stays`: it has none then; if it stays on the table, the
    result of the round becomes its selection."""
    blocks: list[Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]?x[1-9][0-9]?$")]] = Field(
        default_factory=make_list
    )
    """Selections of values that form a rectangle on the layout: `2x3` is two rows of three values."""
    among: list[Annotated[list[ResultText], MinLen(1), MaxLen(50)]] = Field(default_factory=make_list, max_length=500)
    """Further selections, each a list: `[0, 1, 2]`."""

    def list_selections(self, outcome: Outcome) -> list[str]:
        """Return the permitted selections, as logs write them."""
        listed = [expand_results(values) for values in self.among]
        listed += [block for shape in self.blocks for block in _list_blocks(outcome, *map(int, shape.split("x")))]
        if not self.blocks and not self.among:
            listed = [[part] for part in self.list_parts(outcome)]
        return list(dict.fromkeys(map(join_selection, listed)))

    def list_parts(self, outcome: Outcome) -> list[str]:
        """Return the values, totals or faces that may be selected."""
        if self.by == "value":
            return [*outcome.weights]
        if self.by == "face":
            return [*outcome.faces]
        totals = {outcome.read_number(value) for value in outcome.weights} - {None}
        return list(map(str, sorted(total for total in totals if total is not None)))


def _list_blocks(outcome: Outcome, high: int, wide: int) -> list[list[str]]:
    """Return the values of each rectangle of a size on a layout."""
    rows = [expand_results(row) for row in outcome.layout]
    return [
        [value for row in rows[top : top + high] for value in row[left : left + wide]]
        for top in range(len(rows) - high + 1)
        for left in range(len(rows[0]) - wide + 1)
    ]


def _count_orders(roll: Iterable[str]) -> int:
    """Return the number of orders in which dice show some faces."""
    faces = list(roll)
    return factorial(len(faces)) // prod(factorial(faces.count(face)) for face in set(faces))
