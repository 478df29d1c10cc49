"""Rules in words: what is asked for.

Used only where something is told to a person: in findings and in explanations, never on the way through
whole batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from validator.engine.compiled.game import Prepared
    from validator.language.conditions import Comparison, Condition, Quantity
    from validator.rules.model.game import Game

NOTHING = "nothing of the kind, as the text is read"
"""What is asked for where the readings of the text leave nothing that would do."""
ANYTHING = "anything"
"""What is asked for where anything would do as the text is read."""


def demanded(prepared: Prepared, condition: Condition) -> str:
    """What a condition asks for, the text being read as it is."""
    worded = condition.meaning.asked(prepared, condition.operand)
    return worded if isinstance(worded, str) else ANYTHING if worded else NOTHING


def quantity_in_words(prepared: Prepared, quantity: Quantity, *, money: bool) -> str:
    """A quantity in words; `money` says that fixed numbers are amounts in minor units."""
    return quantity.meaning.asked(prepared, quantity.operand, money=money)


def is_money(prepared: Prepared, comparison: Comparison) -> bool:
    """Whether a comparison is one of amounts."""
    return any(one.meaning.is_money(prepared, one.operand) for one in (comparison.of, comparison.operand))


def title_of(game: Game, line: str) -> str:
    """A wager or bonus as players read it; the name itself where the game has none of that name."""
    if line in game.wagers:
        return game.wagers[line].title
    return game.bonuses[line].title if line in game.bonuses else line


def title_or_it(game: Game, line: str) -> str:
    """A wager or bonus as players read it; `it` for the line of the stake that is judged."""
    return "it" if line == "this" else title_of(game, line)


def seats_named(numbers: Sequence[int]) -> str:
    """Seats by their numbers: `seat 2`, `seats 2, 3 and 5`."""
    *others, last = map(str, numbers)
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}"


def spaced(name: str) -> str:
    """A name of rule files as words."""
    return name.replace("-", " ")
