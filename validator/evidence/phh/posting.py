"""What is posted before the cards are dealt: antes, blinds, straddles, dead blinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from validator.evidence.phh.refused import HandRefused
from validator.evidence.phh.terms import Terms
from validator.evidence.phh.values import Amount, finite_amounts

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
        if not paid:
            return
        self.stacks[player] -= paid
        self.put[player] += paid * towards
        self.stakes[player][wager] = self.stakes[player].get(wager, 0) + paid
        self.events.append(f'{{"event":"wager","seat":{seat},"wager":"{wager}","amount":{paid}}}')


def posted(hand: Mapping[str, Any], terms: Terms, seats: Sequence[int], stacks: Sequence[Amount]) -> Posted:
    """Antes and then blinds, in order. Raises HandRefused.

    A short stack posts what it has. The lists of two players are the wrong way round: their first entries are those of
    the last player, who has the button. A negative blind is dead: writers of hand histories have it for what a player
    posts who missed the small blind, and the stacks at the end bear them out.
    """
    count = len(seats)
    found = Posted(stacks=list(stacks), put=[0] * count, stakes=[{} for _ in seats])
    reversed_ = count == _HEADS_UP
    antes = finite_amounts(hand, "antes", count)
    for place in filter(antes.__getitem__, range(count)):
        player = 1 - place if reversed_ else place
        found.post(player, seats[player], _named(terms.antes, "antes", player), antes[place], towards=0)
    blinds = finite_amounts(hand, "blinds_or_straddles", count, signed=True)
    for place in filter(blinds.__getitem__, range(count)):
        player, blind = 1 - place if reversed_ else place, blinds[place]
        live = blind > 0
        wager = (terms.blinds[place] if place < len(terms.blinds) else terms.straddle) if live else terms.dead
        wager = _named(wager, "blinds_or_straddles", player)
        found.post(player, seats[player], wager, abs(blind), towards=int(live))
    if min(blinds) < 0 and -min(blinds) >= found.level:
        reason = "a post as large as the bet to be met may count towards it or not, which the hand does not tell"
        raise HandRefused(f"`blinds_or_straddles`: {reason}", at="blinds_or_straddles")
    return found


def _named(wager: str | None, field_: str, player: int) -> str:
    if wager is None:
        raise HandRefused(f"`{field_}`: the game has no wager for what p{player + 1} posts there", at=field_)
    return wager
