"""Hand of poker as a round of a hand log: the record, and hands whose source states every act with its amount.

A new format of this kind needs a reader that makes such hands. The source is a program of an online room, so the order
of showing cards proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, auto
from functools import cache
from typing import NamedTuple

import msgspec
from msgspec import Struct

from fairdeal.validator.evidence.columns.recorded_events import DEAL_ORDER, KINDS_OF_PLAY
from fairdeal.validator.evidence.event_kinds import HIGHEST_SEAT
from fairdeal.validator.evidence.log_events import KINDS
from fairdeal.validator.evidence.poker import hand_recorder
from fairdeal.validator.evidence.round_record import LONGEST_ID, MOST_EVENTS, MOST_SEATS
from fairdeal.validator.text.diagnostics import quote, shorten

_ENCODE = msgspec.json.Encoder().encode


class PokerStake(msgspec.Struct, frozen=True, gc=False):
    """Stake of a seat, in minor units."""

    wager: str
    amount: hand_recorder.Amount


class PokerSeat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="kebab"):
    """Seat that takes part in a round. Amounts are in minor units; None is not recorded."""

    seat: int
    wagers: list[PokerStake]
    player: str | None = None
    cards: str | None = None
    stack: hand_recorder.Amount | None = None
    stack_after: hand_recorder.Amount | None = None
    won: hand_recorder.Amount | None = None

    def has_won(self) -> bool:
        """Return whether the seat is known to have won chips."""
        if self.stack is not None and self.stack_after is not None:
            return bool(self.stack_after > self.stack - sum(stake.amount for stake in self.wagers))
        return bool((self.won or 0) > 0)


class PokerRound(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="kebab"):
    """Round of poker. Amounts are in minor units; None is not recorded."""

    round: str
    table: str
    time: str
    game: str
    currency: str | None = None
    button: int
    seats: list[PokerSeat]
    community: str
    unrecorded: msgspec.Raw
    """Kinds of event that the source does not record, as JSON."""
    small_bet: int | None = None
    big_bet: int | None = None
    complete: bool | None = None
    """False if the record stops before the end of the round."""
    context: dict[str, str] | None = None


@cache
def list_unrecorded(
    terms: hand_recorder.PokerVocabulary, *, showing: bool, rake: bool = False, returned: bool = False
) -> msgspec.Raw:
    """List, as JSON, the kinds of event that hands of a game do not record.

    Args:
        terms: the vocabulary of the game.
        showing: True if the hand records every showing of cards.
        rake: True if the hand states its rake.
        returned: True if the hand states what went back of a bet that nobody met.
    """
    # The formats have no void hands: a recorded hand was played.
    recorded = {"misdeal", *KINDS_OF_PLAY}
    if terms.exchanging is None:
        recorded -= {"discard", "draw"}
    recorded |= {"rake"} if rake else set()
    recorded |= {"return"} if returned else set()
    kinds = [kind for kind in KINDS if kind not in recorded]
    dealt = ["deal/dealer", "deal/burn", DEAL_ORDER if terms.opens_cards else "deal/player"]
    return msgspec.Raw(_ENCODE(kinds + dealt + ([] if showing else ["reveal"])))


def encode_round(record: PokerRound, events: Sequence[str]) -> bytes:
    """Encode a round with its events, each as JSON, as a line of a hand log."""
    return b'%b,"events":[%b]}' % (_ENCODE(record)[:-1], ",".join(events).encode())


_HEADS_UP = 2
_PLACES = HIGHEST_SEAT + 1


class ActKind(IntEnum):
    """Kind of an act of a hand."""

    ANTE = auto()
    SMALL_BLIND = auto()
    BIG_BLIND = auto()
    DEAD_BLIND = auto()
    """Post that does not count towards the bet."""
    STRADDLE = auto()
    STRADDLE_TO = auto()
    """Straddle that states the total of the player."""
    FOLD = auto()
    CHECK = auto()
    CALL = auto()
    RAISE = auto()
    """Bet or raise."""
    RAISE_TO = auto()
    """Bet or raise that states the total of the player in the betting round."""
    RETURN = auto()
    """Part of a bet that nobody met, given back."""
    BOARD = auto()
    """Community cards."""
    SHOW = auto()
    MUCK = auto()


_POSTS = frozenset(range(ActKind.ANTE, ActKind.FOLD))
_ORDER = {ActKind.ANTE: 0, ActKind.SMALL_BLIND: 1, ActKind.BIG_BLIND: 2, ActKind.DEAD_BLIND: 2}
_WAGERS = frozenset((ActKind.CALL, ActKind.RAISE, ActKind.RAISE_TO))
_TAKING_PART = _POSTS | _WAGERS | {ActKind.FOLD, ActKind.CHECK}


class HandAct(NamedTuple):
    """Act of a hand."""

    kind: ActKind
    player: int = -1
    """Index of the player; -1 for the dealer."""
    amount: int = 0
    """Chips, in minor units."""
    cards: str = ""
    at: int = 0
    """Line of the source, counted from the first line of the hand."""


class HandPlayer(Struct, kw_only=True):
    """Player of a hand."""

    seat: int
    name: str
    stack: int
    """Chips before the hand, in minor units."""
    cards: str = ""
    """Known hole cards."""
    won: int = 0
    """Chips received from pots after rake, in minor units."""


class StatedHand(Struct, kw_only=True):
    """Hand as its source states it. Amounts are in minor units."""

    round: str
    """Number of the hand."""
    table: str | None
    """Name of the table; None if consecutive hands are not played at one table."""
    time: str
    """Start, as hand logs write it."""
    site: str
    variant: str
    """Game and limit: a code of the PHH format."""
    currency: str | None = None
    button: int
    """Seat that has the button."""
    players: list[HandPlayer]
    acts: list[HandAct]
    is_won_known: bool = True
    """True if what players won is what they received from the pots."""
    rake: int | None = None
    small_bet: int | None = None
    big_bet: int | None = None


def convert_stated_hand(hand: StatedHand, variants: hand_recorder.Variants) -> bytes:
    """Convert a hand to a line of a hand log. Raises UnreadableHandError."""
    terms = variants.get(hand.variant)
    if terms is None:
        known = f"its variants are {', '.join(sorted(variants))}" if variants else "it has no variants"
        reason = f"the variant {quote(hand.variant)} belongs to no game of the rulebook; {known}"
        raise hand_recorder.UnreadableHandError(reason)
    _check_hand(hand)
    taking_part = {act.player for act in hand.acts if act.kind in _TAKING_PART}
    players = sorted((player for player in taking_part), key=lambda player: hand.players[player].seat)
    if len(players) < _HEADS_UP:
        raise hand_recorder.UnreadableHandError("fewer than two players take part in the hand")
    converter = _StatedConverter(hand, terms, players)
    # A program posts for the players: the order in which it lists their posts proves nothing.
    posts = sorted((act for act in hand.acts if act.kind in _POSTS), key=lambda act: _ORDER.get(act.kind, len(_ORDER)))
    first = next((at for at, act in enumerate(hand.acts) if act.kind not in _POSTS), len(hand.acts))
    if len(posts) > first:
        raise hand_recorder.UnreadableHandError("a player posts after another act", at=str(hand.acts[first].at))
    for act in [*posts, *hand.acts[first:]]:
        converter.add(act)
    return converter.finish()


def _check_hand(hand: StatedHand) -> None:
    for text, what in ((hand.round, "the number of the hand"), (hand.table or hand.round, "the name of the table")):
        _check_text(text, what)
    for player in hand.players:
        _check_text(player.name, "the name of a player")
    seats = [player.seat for player in hand.players]
    if len(seats) > MOST_SEATS or len(set(seats)) < len(seats):
        raise hand_recorder.UnreadableHandError(f"expected at most {MOST_SEATS} players, each in a seat of its own")
    if not all(1 <= seat <= HIGHEST_SEAT for seat in [*seats, hand.button]):
        raise hand_recorder.UnreadableHandError(f"seats and the button must have numbers from 1 to {HIGHEST_SEAT}")
    if len(hand.acts) > MOST_EVENTS:
        raise hand_recorder.UnreadableHandError(f"the hand has more than {MOST_EVENTS} acts")


def _check_text(text: str, what: str) -> None:
    if not 1 <= len(text) <= LONGEST_ID:
        raise hand_recorder.UnreadableHandError(
            f"{what}, {shorten(quote(text))}, does not have from 1 to {LONGEST_ID} characters"
        )


class _StatedConverter(hand_recorder.HandRecorder):
    """Converter of the acts of one hand. Players are counted among those who take part."""

    __slots__ = ("_hand", "_index", "_level", "_players", "_posted", "_returned",
                 "_small_blind")  # fmt: skip

    def __init__(self, hand: StatedHand, terms: hand_recorder.PokerVocabulary, players: Sequence[int]) -> None:
        chips: list[hand_recorder.Amount] = [hand.players[player].stack for player in players]
        self._posted = hand_recorder.PostedStakes(stacks=chips, put=[0] * len(players), stakes=[{} for _ in players])
        super().__init__(terms, [hand.players[player].seat for player in players], self._posted)
        self._hand = hand
        self._players = [hand.players[player] for player in players]
        self._index = {player: index for index, player in enumerate(players)}
        self._level = 0
        """Current bet."""
        self._returned = False
        self._small_blind = self._find_small_blind()
        unseen = "??" * len(terms.faces)
        for index, player in enumerate(self._players):
            if player.cards or unseen:
                self.hold(index, player.cards or unseen)

    def _find_small_blind(self) -> int | None:
        """Return the player who owes the small blind: the first to post it, between the button and the big blind."""
        first: dict[ActKind, int] = {}
        for act in self._hand.acts:
            if act.kind in (ActKind.SMALL_BLIND, ActKind.BIG_BLIND):
                first.setdefault(act.kind, self._index[act.player])
        small, big = first.get(ActKind.SMALL_BLIND), first.get(ActKind.BIG_BLIND)
        if small is None or big is None or len(self._players) == _HEADS_UP:
            return small
        return small if self._place(small) < self._place(big) else None

    def _place(self, player: int) -> int:
        """Return the place of a player, counted clockwise from the button."""
        return (self._seats[player] - self._hand.button - 1) % _PLACES

    def add(self, act: HandAct) -> None:
        """Record an act. Raises UnreadableHandError."""
        if act.kind is ActKind.BOARD:
            self.deal_board(act.cards)
            return
        player = self._index.get(act.player)
        if player is None:  # of a player who does not take part, such as a remark after the hand
            return
        if act.kind in _POSTS:
            self._post(act, player)
        elif act.kind is ActKind.RETURN:
            self._give_back(player, act.amount)
        elif act.kind is ActKind.SHOW:
            if act.cards:
                self.show(player, act.cards)
        elif act.kind is ActKind.MUCK:
            # The last player left, and a winner, only keep their cards to themselves.
            if len(self._players) - len(self._folded) > 1 and not self._players[player].won:
                self.concede(player)
        else:
            self._decide(act, player)

    def _decide(self, act: HandAct, player: int) -> None:
        match act.kind:
            case ActKind.FOLD:
                self.fold(player)
                return
            case ActKind.CHECK:
                self.decide(player, self._terms.check)
                return
        amount = act.amount - int(self._put[player]) if act.kind is ActKind.RAISE_TO else act.amount
        if amount <= 0:
            raise hand_recorder.UnreadableHandError(
                "a player calls, bets or raises without putting in chips", at=str(act.at)
            )
        self.pay(player, amount)
        if act.kind is ActKind.CALL:
            self.decide(player, self._terms.call, amount)
            return
        word = self._terms.raise_ if self._level else self._terms.bet
        self._level = max(self._level, int(self._put[player]))
        self.decide(player, word, amount)

    def _post(self, act: HandAct, player: int) -> None:
        terms, amount = self._terms, act.amount
        small = self._small_blind
        match act.kind:
            case ActKind.ANTE:
                wager, is_live = terms.antes, False
            case ActKind.SMALL_BLIND if player == small and terms.blinds:
                wager, is_live = terms.blinds[0], True
            case ActKind.SMALL_BLIND | ActKind.DEAD_BLIND:  # of a player who was away
                wager, is_live = terms.dead, False
            case ActKind.BIG_BLIND:
                wager, is_live = terms.blinds[-1] if terms.blinds else None, True
            case _:
                wager, is_live = terms.straddle, True
                amount -= int(self._put[player]) if act.kind is ActKind.STRADDLE_TO else 0
                if self._put[player] + amount <= self._level:
                    raise hand_recorder.UnreadableHandError("a straddle is not above the current bet", at=str(act.at))
        if wager is None:
            raise hand_recorder.UnreadableHandError("the game has no wager for what a player posts", at=str(act.at))
        if amount < 1:
            raise hand_recorder.UnreadableHandError("a player posts nothing", at=str(act.at))
        stakes = self._posted.stakes[player]
        stakes[wager] = stakes.get(wager, 0) + amount
        left = self._stacks[player] - amount
        self._stacks[player] = max(left, 0)
        self._all_in |= left <= 0
        if is_live:
            self._put[player] += amount
            self._level = max(self._level, int(self._put[player]))
        self._add_chips("wager", player, wager, amount)

    def _give_back(self, player: int, amount: int) -> None:
        """Record that chips went back: those of bets first, then those that were posted last."""
        self._returned = True
        stakes = {**self._posted.stakes[player], self._terms.bets: self._bets[player]}
        for wager, stake in reversed(stakes.items()):
            part = min(amount, int(stake))
            if part:
                self._add_chips("return", player, wager, part)
                amount -= part
        if amount:
            raise hand_recorder.UnreadableHandError("more of a bet is returned than the player put in")

    def _add_chips(self, event: str, player: int, wager: str, amount: int) -> None:
        seat = self._seats[player]
        self._events.append(f'{{"event":"{event}","seat":{seat},"wager":"{wager}","amount":{amount}}}')

    def end_betting(self) -> None:
        """End a betting round: the next one begins without a bet."""
        super().end_betting()
        self._level = 0

    def finish(self) -> bytes:
        """Return the line of the hand log."""
        hand, terms = self._hand, self._terms
        parsed = self.summarise()
        is_won_known = hand.is_won_known and any(player.won for player in self._players)  # somebody wins every pot
        seats = []
        for index, player in enumerate(self._players):
            stakes = self._posted.stakes[index]
            if parsed.bets[index]:
                stakes[terms.bets] = parsed.bets[index]
            seat = PokerSeat(
                seat=player.seat,
                wagers=[PokerStake(wager, amount) for wager, amount in stakes.items()],
                player=player.name,
                cards=parsed.cards[index],
                stack=player.stack,
                won=player.won if is_won_known else None,
            )
            seats.append(seat)
        raked = [f'{{"event":"rake","amount":{hand.rake}}}'] if hand.rake else []
        unrecorded = list_unrecorded(terms, showing=False, rake=hand.rake is not None, returned=self._returned)
        record = PokerRound(
            round=hand.round,
            table=hand.table or f"hand {hand.round}"[:LONGEST_ID],
            time=hand.time,
            game=terms.game,
            currency=hand.currency,
            button=hand.button,
            seats=seats,
            community=parsed.board,
            unrecorded=unrecorded,
            small_bet=hand.small_bet,
            big_bet=hand.big_bet,
            complete=None if is_won_known or parsed.over else False,
            context={"site": hand.site} if hand.site else None,
        )
        return encode_round(record, [*parsed.events, *raked])
