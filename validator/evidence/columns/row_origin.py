"""Where a row of a flat column stands in its record, so that a bad one can be named."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import Flags, Ints
from validator.cards.cards import parse_cards
from validator.evidence.columns.batch import Hands
from validator.evidence.columns.card_text import DecodedHands
from validator.evidence.columns.draft import Wrong


class Grain:
    """The rows of one relation: rounds, or what is listed in the rows of another relation.

    Every refusal is noted in `wrong` for the round that the row belongs to.
    """

    __slots__ = ("_name", "_offsets", "_parent", "wrong")

    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong
        self._parent: Grain | None = None
        self._name = ""
        self._offsets = np.empty(0, np.int64)

    def listed(self, name: str, counts: Ints) -> Grain:
        """The grain of a list: `counts` is int64[rows], how many entries each row of this grain has."""
        inner = Grain(self.wrong)
        inner._parent, inner._name = self, name
        inner._offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        return inner

    def place(self, row: int) -> tuple[int, str]:
        """The round of a row, and the path to it in the record, as in `$.seats[2]`."""
        if self._parent is None:
            return row, "$"
        owner = int(np.searchsorted(self._offsets, row, side="right")) - 1
        found, path = self._parent.place(owner)
        return found, f"{path}.{self._name}[{row - int(self._offsets[owner])}]"

    def refuse(self, bad: Flags, field: str, reason: str | Callable[[int], str]) -> None:
        """Note the rounds of the rows that are marked; `reason` may depend on the row. Without a field, it is
        the row itself that is wrong."""
        for row in np.flatnonzero(bad).tolist():
            found, path = self.place(row)
            said = reason if isinstance(reason, str) else reason(row)
            self.wrong.note(found, f"at `{path}{'.' * bool(field)}{field}`: {said}")

    def hands(self, decoded: DecodedHands, field: str, text: Callable[[int], str | None]) -> Hands:
        """The hands of a column, malformed ones refused; `text` is what a row was decoded from."""
        self.refuse(~decoded.well_formed, field, lambda row: what_is_wrong(text(row) or ""))
        return decoded.hands


def what_is_wrong(text: str) -> str:
    """Why this text is not a hand."""
    try:
        parse_cards(text)
    except ValueError as error:
        return str(error)
    return "more cards than a hand can hold"
