"""What is posted before the cards are dealt: antes, blinds, straddles, dead blinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from validator.evidence.phh.refused import HandRefused
from validator.evidence.phh.terms import Terms
from validator.evidence.phh.values import Amount, finite_amounts, minor_units

_HEADS_UP = 2


@dataclass(slots=True, kw_only=True)
class Posted:
    """What stands when posting is over, by player, in minor units: `stacks` left, `put` in towards the bet to be met
    (`level`), and the stakes, by wager. `events` are JSON."""

    stacks: list[Amount]
    put: list[Amount]
    level: int = 0
    stakes: list[dict[str, Amount]]
    events: list[str] = field(default_factory=list)

    def post(self, player: int, seat: int, wager: str, amount: int, *, towards: int) -> None:
        """A player posts what it has of an amount, of which `towards` 0 or 1 times as much counts as a bet."""
        paid = min(amount, self.stacks[player])
        self.level = max(self.level, amount * towards)
        if not paid and not towards:
            return
        self.stacks[player] -= paid
        self.put[player] += paid * towards
        self.stakes[player][wager] = self.stakes[player].get(wager, 0) + paid
        self.events.append(f'{{"event":"wager","seat":{seat},"wager":"{wager}","amount":{paid}}}')


def posted(hand: Mapping[str, Any], terms: Terms, seats: Sequence[int], stacks: Sequence[Amount]) -> Posted:
    """Antes and then blinds, in order. Raises HandRefused.

    A short stack posts what it has. The lists of two players are the wrong way round: their first entries are those of
    the last player, who has the button. A blind that one of the first seats posts alone, no less than the smallest bet,
    is the big one: the small one is left out where the seat that owed it is empty. A negative blind is what a player
    posts who was away: as much of it as the bet to be met counts towards that, and the rest is dead; less than that is
    dead altogether. Writers of hand histories put it so, and the stacks at the end bear them out.
    """
    count = len(seats)
    found = Posted(stacks=list(stacks), put=[0] * count, stakes=[{} for _ in seats])
    reversed_ = count == _HEADS_UP
    antes = finite_amounts(hand, "antes", count)
    for place in filter(antes.__getitem__, range(count)):
        player = 1 - place if reversed_ else place
        found.post(player, seats[player], _named(terms.antes, "antes", player), antes[place], towards=0)
    blinds = finite_amounts(hand, "blinds_or_straddles", count, signed=True)
    names = _wagers(hand, blinds, terms)
    highest = max(blinds)
    for place in filter(blinds.__getitem__, range(count)):
        player, blind = 1 - place if reversed_ else place, blinds[place]
        seat = seats[player]
        if blind > 0:
            found.post(player, seat, _named(names[place], "blinds_or_straddles", player), blind, towards=1)
        else:
            _post_late(found, player, seat, -blind, highest, terms)
    return found


def _wagers(hand: Mapping[str, Any], blinds: Sequence[int], terms: Terms) -> list[str | None]:
    """The wager of each place that posts towards its bets."""
    names: list[str | None] = [*terms.blinds, *[terms.straddle] * len(blinds)]
    first = len(terms.blinds)
    alone = [blind for blind in blinds[:first] if blind > 0]
    if len(alone) == 1 and alone[0] >= _least_bet(hand):
        names[:first] = [terms.blinds[-1]] * first
    return names


def _least_bet(hand: Mapping[str, Any]) -> Amount:
    """The smallest bet of the game as the hand states it, 0 where it does not; the big blind is as much."""
    for name in ("min_bet", "small_bet"):
        if name in hand:
            return minor_units(hand[name], name)
    return 0


def _post_late(found: Posted, player: int, seat: int, amount: int, highest: int, terms: Terms) -> None:
    """What a player posts who was away, where the bet to be met is `highest`."""
    live = highest if amount >= highest else 0
    if found.stacks[player] < amount or (found.stacks[player] == amount and not live):
        reason = "a post of all the chips of a player may count towards the bet or not, which the hand does not tell"
        raise HandRefused(f"`blinds_or_straddles`: {reason}", at="blinds_or_straddles")
    if amount > live:
        found.post(player, seat, _named(terms.dead, "blinds_or_straddles", player), amount - live, towards=0)
    if live:
        found.post(player, seat, terms.blinds[-1], live, towards=1)


def _named(wager: str | None, field_: str, player: int) -> str:
    if wager is None:
        raise HandRefused(f"`{field_}`: the game has no wager for what p{player + 1} posts there", at=field_)
    return wager
