"""Hands as online card rooms write them, played out at random by PokerKit.

They hold what is common there and rare elsewhere: ragged stacks, short all-ins, side pots and split pots that leave
half a chip. Blinds are left out, posted late or dead; antes are of every kind. Some hands have rake, unknown cards or
hands given up silently.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, auto
from typing import Any

from tests.phh.replay import AUTOMATIONS, of_any_size, play_out, pokerkit

STAKES = ((10, 25), (25, 50), (50, 100), (100, 200), (200, 400), (500, 1000), (5000, 10000), (200_000, 500_000))
"""Small and big blinds, in minor units; not all are one to two."""


class Blinds(Enum):
    """Ways to post the blinds of a hand."""

    BOTH = auto()
    LEFT_OUT = auto()
    """The first seat posts nothing, the second the big blind."""
    MOVED_UP = auto()
    """The first seat posts the big blind."""
    DEAD = auto()
    """A later seat posts a small blind that is dead."""
    LATE = auto()
    """A later seat posts a big blind."""
    LATE_AND_DEAD = auto()
    """A later seat posts both, the small one dead."""


class Telling(Enum):
    """Fields that a room writes about the end of a hand."""

    STACKS = auto()
    STACKS_AND_WINNINGS = auto()
    WINNINGS = auto()
    WINNINGS_AND_UNCALLED = auto()
    """Winnings include an uncalled bet."""
    NOBODY_WON = auto()
    """Winnings that are all zero: the writer did not find them."""
    NOTHING = auto()


@dataclass(slots=True, kw_only=True)
class SiteHand:
    """Hand of an online room: its fields in order, and how it was played. Amounts are in minor units, by player."""

    fields: dict[str, str]
    blinds: Blinds
    telling: Telling
    big_blind: int
    stacks: list[int]
    put: list[int]
    won: list[int]
    uncalled: list[int]
    rake: int
    actions: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Text of the hand as TOML."""
        return "".join(f"{name} = {value}\n" for name, value in self.fields.items())

    @property
    def heads_up(self) -> bool:
        """True if two players play."""
        return len(self.stacks) == 2


def site_hand(seed: int, *, blinds: Blinds | None = None, telling: Telling | None = None) -> SiteHand:
    """Play out a hand at random."""
    chance = random.Random(seed)
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(2, 9)
    small, big = chance.choice(STAKES)
    if blinds is None:
        blinds = Blinds.BOTH if count < 4 or chance.random() < 0.6 else chance.choice(list(Blinds))
    if count < 4:
        blinds = Blinds.BOTH
    told = chance.choice(list(Telling)) if telling is None else telling
    antes = _antes(chance, count, big)
    posted, dead, late = _blinds(chance, blinds, count, small, big)
    if any(dead):  # which is put in as an ante
        antes = [0] * count
    stacks = [
        chance.choice([chance.randint(1, 3 * big), chance.randint(big, 40 * big), 100 * big, chance.randint(1, big)])
        for _ in range(count)
    ]
    if late is not None:
        stacks[late] = max(stacks[late], 3 * big + antes[late])
    state = _play_state(chance, stacks, antes, posted, dead, small=small, big=big)
    fixed = isinstance(state.betting_structure.value, str) and "Fixed" in state.betting_structure.value
    return _write_hand(chance, state, blinds, told, antes, dead, late, small=small, big=big, fixed=fixed)


def _antes(chance: random.Random, count: int, big: int) -> list[int]:
    match chance.choice(["none", "none", "none", "all", "big blind"]):
        case "all":
            return [max(big // 5, 1)] * count
        case "big blind" if count > 2:
            return [0, big] + [0] * (count - 2)
        case _:
            return [0] * count


def _blinds(
    chance: random.Random, blinds: Blinds, count: int, small: int, big: int
) -> tuple[list[int], list[int], int | None]:
    """Return the live and the dead posts by player, and the player who posts late."""
    posted, dead = [small, big] + [0] * (count - 2), [0] * count
    late = None
    match blinds:
        case Blinds.LEFT_OUT:
            posted[0] = 0
        case Blinds.MOVED_UP:
            posted[:2] = [big, 0]
        case Blinds.DEAD | Blinds.LATE | Blinds.LATE_AND_DEAD:
            late = chance.randrange(2, count)
            if blinds is not Blinds.LATE:
                dead[late] = small
            if blinds is not Blinds.DEAD:
                posted[late] = -big
        case Blinds.BOTH:
            pass
    return posted, dead, late


def _play_state(
    chance: random.Random,
    stacks: Sequence[int],
    antes: Sequence[int],
    posted: Sequence[int],
    dead: Sequence[int],
    *,
    small: int,
    big: int,
) -> Any:
    """Play out a PokerKit state. Dead posts go in as an ante of their seat alone."""
    money = [ante + extra for ante, extra in zip(antes, dead, strict=True)]
    uniform = len(set(money)) == 1
    common: tuple[Any, ...] = (AUTOMATIONS, uniform, money, list(posted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if chance.random() < 0.2:
            game: Any = pokerkit.FixedLimitTexasHoldem(*common, big, 2 * big)
        else:
            game = pokerkit.NoLimitTexasHoldem(*common, big)
        state = game(list(stacks), len(stacks))
        play(state, chance, chance.choice([0.1, 0.3, 0.5]))
    return state


def play(state: Any, chance: random.Random, bold: float) -> None:
    """Play a state to its end; players bet or raise as often as they are `bold`."""
    play_out(state, chance, of_any_size(bold), folds=0.25)


def _write_hand(
    chance: random.Random,
    state: Any,
    blinds: Blinds,
    telling: Telling,
    antes: list[int],
    dead: list[int],
    late: int | None,
    *,
    small: int,
    big: int,
    fixed: bool,
) -> SiteHand:
    count = state.player_count
    live, put = _put_in(state)
    after = [int(stack) for stack in state.stacks]
    assert after == list(state.stacks)
    received = [end - start + paid for end, start, paid in zip(after, state.starting_stacks, put, strict=True)]
    highest, second = sorted(live)[-1], sorted(live)[-2]
    uncalled = [highest - second if paid == highest else 0 for paid in live] if highest > second else [0] * count
    won = [got - back for got, back in zip(received, uncalled, strict=True)]
    site = telling is not Telling.STACKS
    winners = [player for player in range(count) if won[player] > 0]
    rake = 0
    if (
        site
        and len(winners) == 1
        and any(isinstance(operation, pokerkit.BoardDealing) for operation in state.operations)
    ):
        rake = min(won[winners[0]] // 20 // 5 * 5, 3 * big)
        won[winners[0]] -= rake
        after[winners[0]] -= rake
    actions = _actions(state, site=site)
    posted = list(state.blinds_or_straddles)
    lists = [_amount(-(extra + abs(blind)) if player == late else blind, site)
             for player, (blind, extra) in enumerate(zip(posted, dead, strict=True))]  # fmt: skip
    fields = {
        "variant": "'FT'" if fixed else "'NT'",
        "ante_trimming_status": "true" if len(set(antes)) == 1 else "false",
        "antes": _list(antes[::-1] if count == 2 else antes, site),
        "blinds_or_straddles": f"[{', '.join(lists)}]",
    }
    if fixed:
        fields |= {"small_bet": _amount(big, site), "big_bet": _amount(2 * big, site)}
    else:
        fields["min_bet"] = _amount(big, site)
    fields["starting_stacks"] = _list(state.starting_stacks, site)
    fields["actions"] = "[" + ", ".join(f"'{action}'" for action in actions) + "]"
    if site:
        first = chance.randrange(count)
        seats = sorted(chance.sample(range(1, 11), count))
        fields |= {"venue": "'A Network'", "time": "01:03:00", "day": "1", "month": "7", "year": "2009"}
        fields |= {"hand": f"'H-{chance.randrange(10**9)}'", "seats": str(seats[first:] + seats[:first])}
        fields |= {"table": f"'T{chance.randrange(10**9)}'", "currency_symbol": "'$'"}
        fields["players"] = "[" + ", ".join(f"'{chance.randrange(10**12):x}'" for _ in range(count)) + "]"
    if telling in (Telling.STACKS, Telling.STACKS_AND_WINNINGS):
        fields["finishing_stacks"] = _list(after, site)
    match telling:
        case Telling.STACKS_AND_WINNINGS | Telling.WINNINGS:
            fields["winnings"] = _list(won, site)
        case Telling.WINNINGS_AND_UNCALLED:
            fields["winnings"] = _list([prize + back for prize, back in zip(won, uncalled, strict=True)], site)
        case Telling.NOBODY_WON:
            fields["winnings"] = _list([0] * count, site)
        case _:
            pass
    return SiteHand(
        fields=fields,
        blinds=blinds,
        telling=telling,
        big_blind=big,
        stacks=list(state.starting_stacks),
        put=put,
        won=won,
        uncalled=uncalled,
        rake=rake,
        actions=actions,
    )


def _put_in(state: Any) -> tuple[list[int], list[int]]:
    """Return what each player put in towards bets, and in total."""
    live, all_ = [0] * state.player_count, [0] * state.player_count
    bets = [0] * state.player_count
    for done in state.operations:
        match done:
            case pokerkit.AntePosting():
                all_[done.player_index] += done.amount
            case pokerkit.BlindOrStraddlePosting():
                bets[done.player_index] += done.amount
            case pokerkit.CheckingOrCalling():
                bets[done.player_index] += done.amount
            case pokerkit.CompletionBettingOrRaisingTo():
                bets[done.player_index] = done.amount
            case pokerkit.BetCollection():
                live = [amount + bet for amount, bet in zip(live, bets, strict=True)]
                bets = [0] * state.player_count
            case _:
                pass
    live = [amount + bet for amount, bet in zip(live, bets, strict=True)]
    return live, [amount + ante for amount, ante in zip(live, all_, strict=True)]


def _actions(state: Any, *, site: bool) -> list[str]:
    """Write the actions. An online room shows only cards shown down, and does not record who gave up."""
    actions = []
    hole: dict[int, str] = {}
    for done in state.operations:
        match done:
            case pokerkit.HoleDealing():
                hole[done.player_index] = hole.get(done.player_index, "") + "".join(map(repr, done.cards))
            case _:
                pass
    actions += [f"d dh p{player + 1} {'????' if site else hole[player]}" for player in sorted(hole)]
    for done in state.operations:
        label = f"p{done.player_index + 1}" if hasattr(done, "player_index") else ""
        match done:
            case pokerkit.BoardDealing():
                actions.append(f"d db {''.join(map(repr, done.cards))}")
            case pokerkit.Folding():
                actions.append(f"{label} f")
            case pokerkit.CheckingOrCalling():
                actions.append(f"{label} cc")
            case pokerkit.CompletionBettingOrRaisingTo():
                actions.append(f"{label} cbr {_amount(done.amount, site)}")
            case pokerkit.HoleCardsShowingOrMucking():
                if done.hole_cards:
                    actions.append(f"{label} sm {''.join(map(repr, done.hole_cards))}")
                elif not site:
                    actions.append(f"{label} sm")
            case _:
                pass
    return actions


def _amount(minor: int, site: bool) -> str:
    """Write an amount. Online rooms write fractions with two digits, and whole amounts without any."""
    value = Decimal(minor) / 100
    return str(int(value)) if value == int(value) else str(value.quantize(Decimal("0.01")) if site else value)


def _list(amounts: Sequence[int], site: bool) -> str:
    return "[" + ", ".join(_amount(int(amount), site) for amount in amounts) + "]"
