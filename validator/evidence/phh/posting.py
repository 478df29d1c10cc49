"""What is posted before the cards are dealt: antes, blinds, straddles, dead blinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from validator.evidence.phh.refusal import HandRefused
from validator.evidence.phh.terms import Terms
from validator.evidence.phh.values import Amount, finite_amounts, minor_units

_HEADS_UP = 2
_DOUBLE = 2
_BLINDS = "blinds_or_straddles"


class Posted(Struct, kw_only=True):
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
    is the big one: the small one is left out where the seat that owed it is empty. What a later seat posts is a
    straddle. A negative blind is what a player posts who was away: as much of it as the bet to be met counts towards
    that, and the rest is dead; less than that is dead altogether. Writers of hand histories put it so, and the stacks
    at the end bear them out.
    """
    count = len(seats)
    found = Posted(stacks=list(stacks), put=[0] * count, stakes=[{} for _ in seats])
    reversed_ = count == _HEADS_UP
    antes = finite_amounts(hand, "antes", count)
    for place in filter(antes.__getitem__, range(count)):
        player = 1 - place if reversed_ else place
        found.post(player, seats[player], _named(terms.antes, "antes", player), antes[place], towards=0)
    if not terms.blinds and _BLINDS not in hand:
        return found
    blinds = finite_amounts(hand, _BLINDS, count, signed=True)
    if not terms.blinds and terms.straddle is None and any(blinds):
        raise HandRefused(f"`{_BLINDS}`: the game has no blinds", at=_BLINDS)
    first = len(terms.blinds)
    names = _wagers(hand, blinds[:first], terms)
    for place in filter(blinds.__getitem__, range(count)):
        player, blind = 1 - place if reversed_ else place, blinds[place]
        if blind < 0:
            _post_late(found, player, seats[player], -blind, _live(blinds[:first], found, -blind), terms)
        elif place < first:
            found.post(player, seats[player], names[place], blind, towards=1)
        else:
            _straddle(found, player, seats[player], blind, terms, beside=blinds[place - 1] > 0)
    return found


def _wagers(hand: Mapping[str, Any], blinds: Sequence[int], terms: Terms) -> tuple[str, ...]:
    """The wager of each of the first seats, which post `blinds`."""
    alone = [blind for blind in blinds if blind > 0]
    if len(alone) == 1 and alone[0] >= _least_bet(hand):
        return (terms.blinds[-1],) * len(terms.blinds)
    return terms.blinds


def _least_bet(hand: Mapping[str, Any]) -> Amount:
    """The smallest bet of the game as the hand states it, 0 where it does not; the big blind is as much."""
    for name in ("min_bet", "small_bet"):
        if name in hand:
            return minor_units(hand[name], name)
    return 0


def _straddle(found: Posted, player: int, seat: int, amount: int, terms: Terms, *, beside: bool) -> None:
    """A raise of the blinds before the cards are dealt. One that is short is none: where the player is not the next
    `beside` another who posted, it is not clear whose turn comes first then."""
    wager = _named(terms.straddle, _BLINDS, player)
    if amount <= found.level or (found.stacks[player] <= found.level and not beside):
        raise HandRefused(f"`{_BLINDS}`: what p{player + 1} posts there is not above the bet to be met", at=_BLINDS)
    # Nobody has to meet more of it than there is.
    found.post(player, seat, wager, int(min(amount, found.stacks[player])), towards=1)


def _live(blinds: Sequence[int], found: Posted, late: int) -> int:
    """The big blind, where `blinds` are those of the first seats and a player who was away posts `late`."""
    there = [player for player, blind in enumerate(blinds) if blind > 0]
    biggest = max((blinds[player] for player in there), default=0)
    # A seat that posts alone may have posted the small blind, and one that is all in less than it should.
    small = len(there) < len(blinds) and late >= _DOUBLE * biggest
    short = any(found.stacks[player] == 0 and found.put[player] == blinds[player] for player in there[-1:])
    if late > biggest and (small or short):
        raise HandRefused(f"`{_BLINDS}`: the hand does not tell how much the big blind is", at=_BLINDS)
    return biggest


def _post_late(found: Posted, player: int, seat: int, amount: int, biggest: int, terms: Terms) -> None:
    """What a player posts who was away, where the big blind is `biggest`."""
    live = biggest if amount >= biggest else 0
    short, all_ = found.stacks[player] < amount, found.stacks[player] == amount
    if (short and amount != live) or (all_ and not live):
        reason = "a post of all the chips of a player may count towards the bet or not, which the hand does not tell"
        raise HandRefused(f"`{_BLINDS}`: {reason}", at=_BLINDS)
    if amount > live:
        found.post(player, seat, _named(terms.dead, _BLINDS, player), amount - live, towards=0)
    if live:
        found.post(player, seat, terms.blinds[-1], live, towards=1)


def _named(wager: str | None, field_: str, player: int) -> str:
    if wager is None:
        raise HandRefused(f"`{field_}`: the game has no wager for what p{player + 1} posts there", at=field_)
    return wager
