"""Location of a row of a flat column in its record, for messages about bad rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import Flags, Ints
from validator.cards.cards import parse_cards
from validator.evidence.columns.batch import Hands
from validator.evidence.columns.card_text import DecodedHands
from validator.evidence.columns.draft import Wrong


class Grain:
    """Rows of one relation: rounds, or the entries of a list in the rows of another relation.

    Every refusal is noted in `wrong`, for the round of the row.
    """

    __slots__ = ("_name", "_offsets", "_parent", "wrong")

    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong
        self._parent: Grain | None = None
        self._name = ""
        self._offsets = np.empty(0, np.int64)

    def listed(self, name: str, counts: Ints) -> Grain:
        """Return the level of the entries of a list.

        Args:
            name: the key of the list.
            counts: the number of entries of each row of this level, int64[rows].
        """
        inner = Grain(self.wrong)
        inner._parent, inner._name = self, name
        inner._offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        return inner

    def place(self, row: int) -> tuple[int, str]:
        """Return the round of a row and the path to the row in the record, such as `$.seats[2]`."""
        if self._parent is None:
            return row, "$"
        owner = int(np.searchsorted(self._offsets, row, side="right")) - 1
        round_index, path = self._parent.place(owner)
        return round_index, f"{path}.{self._name}[{row - int(self._offsets[owner])}]"

    def refuse(self, bad: Flags, field: str, reason: str | Callable[[int], str]) -> None:
        """Note the rounds of the marked rows as bad.

        Args:
            bad: the rows, bool[n].
            field: the bad field; empty if the row itself is bad.
            reason: the reason, which may depend on the row.
        """
        for row in np.flatnonzero(bad).tolist():
            round_index, path = self.place(row)
            explanation = reason if isinstance(reason, str) else reason(row)
            self.wrong.note(round_index, f"at `{path}{'.' * bool(field)}{field}`: {explanation}")

    def hands(self, decoded: DecodedHands, field: str, text: Callable[[int], str | None]) -> Hands:
        """Return the hands of a column and refuse malformed ones. `text` returns the source of a row."""
        self.refuse(~decoded.well_formed, field, lambda row: what_is_wrong(text(row) or ""))
        return decoded.hands


def what_is_wrong(text: str) -> str:
    """Explain why a text is not a hand."""
    try:
        parse_cards(text)
    except ValueError as error:
        return str(error)
    return "more cards than a hand can hold"
