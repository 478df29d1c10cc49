"""Stakes posted before the cards are dealt: antes, blinds, straddles, dead blinds."""

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
    """Posted stakes of all players, in minor units."""

    stacks: list[Amount]
    """Remaining stack of each player."""
    put: list[Amount]
    """Amount of each player that counts towards the bet."""
    level: int = 0
    """Current bet."""
    stakes: list[dict[str, Amount]]
    """Stakes of each player, by wager."""
    events: list[str] = field(default_factory=list)
    """Events as JSON."""

    def post(self, player: int, seat: int, wager: str, amount: int, *, towards: int) -> None:
        """Post an amount for a player, or the whole stack if that is less.

        Args:
            player: the player, from 0.
            seat: the number of the seat.
            wager: the name of the wager.
            amount: the amount due.
            towards: 1 if the amount counts towards the bet, otherwise 0.
        """
        paid = min(amount, self.stacks[player])
        self.level = max(self.level, amount * towards)
        if not paid and not towards:
            return
        self.stacks[player] -= paid
        self.put[player] += paid * towards
        self.stakes[player][wager] = self.stakes[player].get(wager, 0) + paid
        self.events.append(f'{{"event":"wager","seat":{seat},"wager":"{wager}","amount":{paid}}}')


def posted(hand: Mapping[str, Any], terms: Terms, seats: Sequence[int], stacks: Sequence[Amount]) -> Posted:
    """Post the antes and then the blinds, in order. Raises UnreadableHandError.

    - A short stack posts all it has.
    - For two players the lists are reversed: the first entry is that of the last player, who has the button.
    - A blind that one of the first seats posts alone is the big blind, if it is at least the smallest bet: the seat
      that owed the small blind is empty.
    - A later seat posts a straddle.
    - A negative blind is the late post of a player who was away. The part up to the current bet counts towards the bet,
      and the rest is dead; a smaller post is dead altogether. Writers of hand histories follow this, and final stacks
      confirm it.
    """
    count = len(seats)
    result = Posted(stacks=list(stacks), put=[0] * count, stakes=[{} for _ in seats])
    reversed_ = count == _HEADS_UP
    antes = finite_amounts(hand, "antes", count)
    for place in filter(antes.__getitem__, range(count)):
        player = 1 - place if reversed_ else place
        result.post(player, seats[player], _require_wager(terms.antes, "antes", player), antes[place], towards=0)
    if not terms.blinds and _BLINDS not in hand:
        return result
    blinds = finite_amounts(hand, _BLINDS, count, signed=True)
    if not terms.blinds and terms.straddle is None and any(blinds):
        raise HandRefused(f"`{_BLINDS}`: the game has no blinds", at=_BLINDS)
    first = len(terms.blinds)
    names = _name_blinds(hand, blinds[:first], terms)
    for place in filter(blinds.__getitem__, range(count)):
        player, blind = 1 - place if reversed_ else place, blinds[place]
        if blind < 0:
            _post_late(result, player, seats[player], -blind, _find_big_blind(blinds[:first], result, -blind), terms)
        elif place < first:
            result.post(player, seats[player], names[place], blind, towards=1)
        else:
            _post_straddle(result, player, seats[player], blind, terms, after_post=blinds[place - 1] > 0)
    return result


def _name_blinds(hand: Mapping[str, Any], blinds: Sequence[int], terms: Terms) -> tuple[str, ...]:
    """Return the wager of each of the first seats, which post `blinds`."""
    alone = [blind for blind in blinds if blind > 0]
    if len(alone) == 1 and alone[0] >= _least_bet(hand):
        return (terms.blinds[-1],) * len(terms.blinds)
    return terms.blinds


def _least_bet(hand: Mapping[str, Any]) -> Amount:
    """Return the smallest bet stated by the hand, 0 if none; the big blind is as much."""
    for name in ("min_bet", "small_bet"):
        if name in hand:
            return minor_units(hand[name], name)
    return 0


def _post_straddle(result: Posted, player: int, seat: int, amount: int, terms: Terms, *, after_post: bool) -> None:
    """Post a straddle. It must be a raise: after a short one, the order of turns is unclear unless the previous seat
    posted too (`after_post`)."""
    wager = _require_wager(terms.straddle, _BLINDS, player)
    if amount <= result.level or (result.stacks[player] <= result.level and not after_post):
        raise HandRefused(f"`{_BLINDS}`: what p{player + 1} posts there is not above the current bet", at=_BLINDS)
    # Nobody has to call more than the actual amount.
    result.post(player, seat, wager, int(min(amount, result.stacks[player])), towards=1)


def _find_big_blind(blinds: Sequence[int], result: Posted, late_post: int) -> int:
    """Return the big blind, given the blinds of the first seats and the late post of a player who was away."""
    posters = [player for player, blind in enumerate(blinds) if blind > 0]
    biggest = max((blinds[player] for player in posters), default=0)
    # A single post may be the small blind, and a seat that is all in may have posted less than it owed.
    small = len(posters) < len(blinds) and late_post >= _DOUBLE * biggest
    short = any(result.stacks[player] == 0 and result.put[player] == blinds[player] for player in posters[-1:])
    if late_post > biggest and (small or short):
        raise HandRefused(f"`{_BLINDS}`: the hand does not state the size of the big blind", at=_BLINDS)
    return biggest


def _post_late(result: Posted, player: int, seat: int, amount: int, biggest: int, terms: Terms) -> None:
    """Post for a player who was away, given the big blind `biggest`."""
    live = biggest if amount >= biggest else 0
    short, all_ = result.stacks[player] < amount, result.stacks[player] == amount
    if (short and amount != live) or (all_ and not live):
        reason = "a player posts a whole stack, and the hand does not state whether it counts towards the bet"
        raise HandRefused(f"`{_BLINDS}`: {reason}", at=_BLINDS)
    if amount > live:
        result.post(player, seat, _require_wager(terms.dead, _BLINDS, player), amount - live, towards=0)
    if live:
        result.post(player, seat, terms.blinds[-1], live, towards=1)


def _require_wager(wager: str | None, field_: str, player: int) -> str:
    if wager is None:
        raise HandRefused(f"`{field_}`: the game has no wager for what p{player + 1} posts there", at=field_)
    return wager
