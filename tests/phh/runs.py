"""Hands whose board is run several times, played at random by PokerKit."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass
from typing import Any

from tests.phh.replay import is_open_to_raise, pokerkit

_AUTOMATIONS = tuple(
    step
    for step in pokerkit.Automation
    if step not in (pokerkit.Automation.RUNOUT_COUNT_SELECTION, pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING)
)
_SMALL, _BIG = 2, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHand:
    """Hand with the number of its runs, and the final chips of its players."""

    fields: dict[str, object]
    runs: int
    stacks: list[int]

    @property
    def community(self) -> int:
        """Number of community cards that were dealt."""
        actions = self.fields["actions"]
        assert isinstance(actions, list)
        return sum(len(action.split()[2]) // 2 for action in actions if action.startswith("d db"))

    def text(self, *, stacks: list[int] | None = None) -> str:
        """Return the hand as TOML, with these stacks at its end instead of its own."""
        fields = {**self.fields, "finishing_stacks": stacks or self.stacks}
        return "".join(f"{name} = {value!r}\n" for name, value in fields.items())


def run_hand(seed: int, *, runs: int = 2) -> RunHand | None:
    """Return a hand whose board is run several times; None where nobody goes all-in before the last card."""
    chance = random.Random(seed)
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(2, 5)
    stacks = [2 * chance.choice([chance.randint(10, 60), chance.randint(50, 300)]) for _ in range(count)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = pokerkit.NoLimitTexasHoldem.create_state(
            _AUTOMATIONS, True, 0, (_SMALL, _BIG), _BIG, stacks, count, mode=pokerkit.Mode.CASH_GAME
        )
        while state.status:
            _go_on(state, chance, runs)
    if (state.runout_count or 1) < 2:
        return None
    return RunHand(
        fields={
            "variant": "NT",
            "antes": [0] * count,
            "blinds_or_straddles": [_SMALL, _BIG, *[0] * (count - 2)],
            "min_bet": _BIG,
            "starting_stacks": stacks,
            "actions": [action for done in state.operations if (action := _action(done))],
        },
        runs=runs,
        stacks=[int(stack) for stack in state.stacks],
    )


def _go_on(state: Any, chance: random.Random, runs: int) -> None:
    if state.can_select_runout_count():
        state.select_runout_count(runs)
    elif state.can_show_or_muck_hole_cards():
        state.show_or_muck_hole_cards(True)
    elif state.can_complete_bet_or_raise_to() and chance.random() < 0.35 and is_open_to_raise(state):
        least = state.min_completion_betting_or_raising_to_amount
        most = state.max_completion_betting_or_raising_to_amount
        state.complete_bet_or_raise_to(chance.choice([most, most, least, chance.randint(least, most)]))
    elif state.can_fold() and state.checking_or_calling_amount and chance.random() < 0.25:
        state.fold()
    else:
        state.check_or_call()


def _action(done: Any) -> str:
    match done:
        case pokerkit.HoleDealing():
            return f"d dh p{done.player_index + 1} {_cards(done.cards)}"
        case pokerkit.BoardDealing():
            return f"d db {_cards(done.cards)}"
        case pokerkit.Folding():
            return f"p{done.player_index + 1} f"
        case pokerkit.CheckingOrCalling():
            return f"p{done.player_index + 1} cc"
        case pokerkit.CompletionBettingOrRaisingTo():
            return f"p{done.player_index + 1} cbr {done.amount}"
        case pokerkit.HoleCardsShowingOrMucking():
            return f"p{done.player_index + 1} sm {_cards(done.hole_cards)}"
        case _:
            return ""


def _cards(cards: Any) -> str:
    return "".join(map(repr, cards))
