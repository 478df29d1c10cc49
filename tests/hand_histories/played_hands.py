"""Hands of home games, played out at random by PokerKit, before any format is chosen to write them."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.phh.replay import is_open_to_raise, pokerkit

_AUTOMATIONS = tuple(
    step
    for step in pokerkit.Automation
    if step not in (pokerkit.Automation.RUNOUT_COUNT_SELECTION, pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING)
)
STAKES = ((25, 50), (50, 100), (100, 200), (100, 300), (500, 1000))
"""Small and big blinds, in minor units."""
POSTS = frozenset(("ante", "small", "big", "dead", "late", "straddle"))
WAGERS = frozenset(("call", "bet", "raise"))


@dataclass(slots=True)
class PlayedAct:
    """Act of a hand, with what the player put in and has put in during the betting round."""

    kind: str
    player: int = -1
    paid: int = 0
    total: int = 0
    cards: str = ""
    is_all_in: bool = False


@dataclass(slots=True, kw_only=True)
class PlayedHand:
    """Hand with amounts in minor units. Players are listed from the left of the button."""

    number: int
    seats: list[int]
    stacks: list[int]
    cards: list[str]
    small: int
    big: int
    is_fixed: bool
    runs: int = 1
    acts: list[PlayedAct] = field(default_factory=list)
    won: list[int]
    returned: list[int]
    rake: int = 0

    @property
    def button(self) -> int:
        """Seat that has the button."""
        return self.seats[-1]

    def name(self, player: int) -> str:
        """Return the name of a player, which may look like an act."""
        return ("Ann", "Bo B.", "Cy: folds", "D'Arcy (2)", "É-5", "Flo", "Gus", "Hal", "Ida")[player]


def play_hand(seed: int) -> PlayedHand:
    """Play out a hand at random."""
    chance = random.Random(seed)
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(2, 9)
    small, big = chance.choice(STAKES)
    antes, posted = [0] * count, [small, big] + [0] * (count - 2)
    if chance.random() < 0.2:
        antes = [max(big // 5, 1)] * count
    late, is_dead, has_straddle = -1, False, False
    if count > 3:
        match chance.choice(["no", "no", "no", "straddle", "late", "dead"]):
            case "straddle":
                posted[2], has_straddle = 2 * big, True
            case "late":
                late = chance.randrange(2, count)
                posted[late] = -big
            case "dead" if not any(antes):
                late, is_dead = chance.randrange(2, count), True
                posted[late], antes[late] = -big, small
    stacks = [
        chance.choice([chance.randint(1, 3 * big), chance.randint(big, 40 * big), 100 * big]) for _ in range(count)
    ]
    for player in (2, late):
        if has_straddle or late >= 0:
            stacks[player] = max(stacks[player], 4 * big)
    is_fixed = not has_straddle and not any(antes) and chance.random() < 0.2
    if is_fixed:  # PokerKit permits a raise after an all-in of less than half a bet; card rooms do not
        stacks = [2 * big * (stack // (2 * big) + 1) for stack in stacks]
    common: tuple[Any, ...] = (_AUTOMATIONS, not is_dead, antes, posted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_fixed:
            state: Any = pokerkit.FixedLimitTexasHoldem.create_state(*common, big, 2 * big, stacks, count)
        else:
            state = pokerkit.NoLimitTexasHoldem.create_state(*common, big, stacks, count, mode=pokerkit.Mode.CASH_GAME)
        runs, bold = chance.choice([1, 1, 2]), chance.choice([0.1, 0.3, 0.5])
        while state.status:
            _go_on(state, chance, runs, bold)
    first = chance.randrange(count)
    seats = sorted(chance.sample(range(1, 11), count))
    hand = _collect(state, seats[first:] + seats[:first], small, big, late, is_fixed=is_fixed)
    hand.number = 1_000_000 + seed
    _take_rake(hand, chance)
    return hand


def _go_on(state: Any, chance: random.Random, runs: int, bold: float) -> None:
    if state.can_select_runout_count():
        state.select_runout_count(runs)
    elif state.can_show_or_muck_hole_cards():
        state.show_or_muck_hole_cards()
    elif state.can_complete_bet_or_raise_to() and chance.random() < bold and is_open_to_raise(state):
        least = state.min_completion_betting_or_raising_to_amount
        most = state.max_completion_betting_or_raising_to_amount
        state.complete_bet_or_raise_to(chance.choice([least, most, chance.randint(least, most)]))
    elif state.can_fold() and state.checking_or_calling_amount and chance.random() < 0.25:
        state.fold()
    else:
        state.check_or_call()


def _collect(state: Any, seats: list[int], small: int, big: int, late: int, *, is_fixed: bool) -> PlayedHand:
    count = state.player_count
    cards = [""] * count
    for done in state.operations:
        if isinstance(done, pokerkit.HoleDealing):
            cards[done.player_index] += "".join(map(repr, done.cards))
    acts = [*_list_acts(state, late)]
    dead = [act for act in acts if act.kind == "dead"]  # it is posted together with the late blind
    acts = [part for act in acts if act.kind != "dead" for part in ([*dead, act] if act.kind == "late" else [act])]
    if count == 2:  # PokerKit lets the big blind post first
        acts.sort(key=lambda act: {"ante": 0, "small": 1}.get(act.kind, 2))
    live = [sum(act.paid for act in acts if act.player == player and act.kind not in ("ante", "dead"))
            for player in range(count)]  # fmt: skip
    put = [sum(act.paid for act in acts if act.player == player) for player in range(count)]
    second, highest = sorted(live)[-2:]
    returned = [highest - second if paid == highest > second else 0 for paid in live]
    start, end = list(map(int, state.starting_stacks)), list(map(int, state.stacks))
    assert end == list(state.stacks)
    won = [end[player] - start[player] + put[player] - returned[player] for player in range(count)]
    return PlayedHand(
        number=0,
        seats=seats,
        stacks=start,
        cards=cards,
        small=small,
        big=big,
        is_fixed=is_fixed,
        runs=state.runout_count or 1,
        acts=acts,
        won=won,
        returned=returned,
    )


def _list_acts(state: Any, late: int) -> Iterator[PlayedAct]:
    count = state.player_count
    button = count - 1
    left, put = list(map(int, state.starting_stacks)), [0] * count
    antes = [done for done in state.operations if isinstance(done, pokerkit.AntePosting)]
    for done in state.operations:
        player: Any = getattr(done, "player_index", None)
        kind, paid = "", 0
        match done:
            case pokerkit.AntePosting():
                kind, paid = "dead" if len(antes) == 1 and player == late else "ante", done.amount
            case pokerkit.BlindOrStraddlePosting():
                first = player == (button if count == 2 else 0)
                second = player == (0 if count == 2 else 1)
                kind = "late" if player == late else "small" if first else "big" if second else "straddle"
                paid = done.amount
            case pokerkit.Folding():
                kind = "fold"
            case pokerkit.CheckingOrCalling():
                kind, paid = "call" if done.amount else "check", done.amount
            case pokerkit.CompletionBettingOrRaisingTo():
                kind, paid = "raise" if any(put) else "bet", done.amount - put[player]
            case pokerkit.BoardDealing():
                put = [0] * count
                yield PlayedAct("board", cards="".join(map(repr, done.cards)))
            case pokerkit.HoleCardsShowingOrMucking():
                kind = "show" if done.hole_cards else "muck"
        if kind and player is not None:
            left[player] -= int(paid)
            put[player] += 0 if kind in ("ante", "dead") else int(paid)
            shown = "".join(map(repr, done.hole_cards)) if kind == "show" else ""
            yield PlayedAct(kind, player, int(paid), put[player], shown, bool(paid) and not left[player])


def _take_rake(hand: PlayedHand, chance: random.Random) -> None:
    """Take rake from a pot with one winner after the flop."""
    winners = [player for player, won in enumerate(hand.won) if won > 0]
    if len(winners) == 1 and any(act.kind == "board" for act in hand.acts) and chance.random() < 0.7:
        hand.rake = min(hand.won[winners[0]] // 20, 3 * hand.big)
        hand.won[winners[0]] -= hand.rake
