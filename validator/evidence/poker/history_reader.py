"""Reader of hand histories that become a hand log, and hands in the Open Hand History format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import tzinfo
from decimal import Decimal
from typing import BinaryIO

import msgspec
from msgspec import Struct

from fairdeal.validator.evidence.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.io.log_formats import HistoryForm
from fairdeal.validator.evidence.io.tables import RecordPart, split_objects
from fairdeal.validator.evidence.poker.hand_recorder import UnreadableHandError, Variants, convert_to_minor
from fairdeal.validator.evidence.poker.site_text import read_text, split_texts
from fairdeal.validator.evidence.poker.stated_hand import ActKind, HandAct, HandPlayer, StatedHand, convert_stated_hand
from fairdeal.validator.text.diagnostics import quote
from fairdeal.validator.text.plain_values import count_decimals

PlayerId = int | str


class OhhAction(msgspec.Struct, kw_only=True, gc=False):
    """Action of a round. Its amount is what the player puts in with it."""

    action: str
    player_id: PlayerId | None = None
    amount: Decimal | None = None
    cards: list[str] | str | None = None


class OhhRound(msgspec.Struct, kw_only=True):
    """Betting round, or showdown, with the community cards that it adds."""

    street: str = ""
    cards: list[str] | str | None = None
    actions: list[OhhAction] | None = None


class OhhWin(msgspec.Struct, kw_only=True, gc=False):
    """Share of a player in a pot, after rake."""

    player_id: PlayerId
    win_amount: Decimal | None = None
    cashout_amount: Decimal | None = None
    cashout_fee: Decimal | None = None
    bonus_amount: Decimal | None = None


class OhhPot(msgspec.Struct, kw_only=True):
    """Pot."""

    rake: Decimal | None = None
    jackpot: Decimal | None = None
    player_wins: list[OhhWin] | None = None


class OhhPlayer(msgspec.Struct, kw_only=True, gc=False):
    """Player at the table."""

    id: PlayerId
    seat: int
    name: str | None = None
    starting_stack: Decimal


class OhhBetLimit(msgspec.Struct, kw_only=True, gc=False):
    """Limit of bets."""

    bet_type: str


class OhhHand(msgspec.Struct, kw_only=True):
    """Hand, with the fields that are read. All others are ignored."""

    game_number: str | int
    start_date_utc: str
    game_type: str
    bet_limit: OhhBetLimit
    dealer_seat: int
    players: list[OhhPlayer]
    rounds: list[OhhRound]
    pots: list[OhhPot] | None = None
    site_name: str | None = None
    table_name: str | int | None = None
    currency: str | None = None
    tournament: bool | None = None
    big_blind_amount: Decimal | None = None
    flags: list[str] | None = None


class _Envelope(msgspec.Struct):
    ohh: OhhHand


_ENVELOPE = msgspec.json.Decoder(_Envelope)
_BARE = msgspec.json.Decoder(OhhHand)
_IS_ENVELOPE = re.compile(rb'\s*\{\s*"ohh"\s*:')


def parse_hand(text: bytes) -> OhhHand:
    """Return the hand of an object. Raises UnreadableHandError."""
    try:
        return _ENVELOPE.decode(text).ohh if _IS_ENVELOPE.match(text) else _BARE.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise UnreadableHandError(f"this is not a hand: {error}") from error


_GAMES = {"holdem": "T", "omaha": "O", "omahahilo": "O/8"}
_LIMITS = {"NL": "N", "PL": "P", "FL": "F"}
_POSTS = {
    "Post Ante": ActKind.ANTE,
    "Post SB": ActKind.SMALL_BLIND,
    "Post BB": ActKind.BIG_BLIND,
    "Post Dead": ActKind.DEAD_BLIND,
    "Straddle": ActKind.STRADDLE,
}
_ACTS = {
    **_POSTS,
    "Call": ActKind.CALL,
    "Bet": ActKind.RAISE,
    "Raise": ActKind.RAISE,
    "Fold": ActKind.FOLD,
    "Check": ActKind.CHECK,
    "Shows Cards": ActKind.SHOW,
    "Mucks Cards": ActKind.MUCK,
}
_WITHOUT_CHIPS = frozenset((ActKind.FOLD, ActKind.CHECK, ActKind.SHOW, ActKind.MUCK))
_OF_THE_TABLE = frozenset(("Added Chips", "Sits Down", "Stands Up"))
"""Actions between hands."""
_STREETS = {"flop": 0, "turn": 1, "river": 2}
_FAST = frozenset(("fast", "fastfold", "zoom", "speed"))
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?", re.ASCII)
_CODE = re.compile(r"[A-Z]{3}")


def read_hand(hand: OhhHand) -> StatedHand:
    """Return what a hand states. Raises UnreadableHandError."""
    if hand.tournament:
        raise UnreadableHandError("hands of tournaments are not read: their chips are not money")
    game, limit = _GAMES.get(hand.game_type.replace(" ", "").lower()), _LIMITS.get(hand.bet_limit.bet_type.upper())
    if game is None or limit is None:
        named = quote(f"{hand.game_type} {hand.bet_limit.bet_type}")
        raise UnreadableHandError(
            f"the game {named} is not read; expected Holdem, Omaha or OmahaHiLo with NL, PL or FL"
        )
    currency = hand.currency if hand.currency and _CODE.fullmatch(hand.currency) else None
    return _HandReader(hand, currency).read(limit + game)


class _HandReader:
    """Reader of the fields of one hand."""

    def __init__(self, hand: OhhHand, currency: str | None) -> None:
        self._hand = hand
        self._currency = currency
        self._decimals = count_decimals(currency)
        self._index = {str(player.id): index for index, player in enumerate(hand.players)}
        self._players = [
            HandPlayer(
                seat=player.seat,
                name=player.name or f"player {player.id}",
                stack=self._convert(player.starting_stack),
            )
            for player in hand.players
        ]
        self._acts: list[HandAct] = []
        self._big_blind = self._convert(hand.big_blind_amount)

    def read(self, variant: str) -> StatedHand:
        """Return what the hand states. Raises UnreadableHandError."""
        hand = self._hand
        if len(self._index) < len(hand.players):
            raise UnreadableHandError("two players have the same id")
        self._read_rounds()
        is_won_known, rake = self._read_pots()
        is_fast = any(flag.lower().replace("_", "").replace("-", "") in _FAST for flag in hand.flags or ())
        return StatedHand(
            round=str(hand.game_number),
            table=None if is_fast or hand.table_name in (None, "") else str(hand.table_name),
            time=self._read_time(),
            site=(hand.site_name or "")[:200],
            variant=variant,
            currency=self._currency,
            button=hand.dealer_seat,
            players=self._players,
            acts=self._acts,
            is_won_known=is_won_known,
            rake=rake,
        )

    def _convert(self, amount: Decimal | None) -> int:
        return 0 if amount is None else convert_to_minor(amount, self._decimals)

    def _read_time(self) -> str:
        text = self._hand.start_date_utc.removesuffix("Z")
        if _DATE.fullmatch(text) is None:
            raise UnreadableHandError(f"`start_date_utc`: {quote(text)} is not a time such as 2020-04-07T14:32:50Z")
        return f"{text}Z"

    def _read_rounds(self) -> None:
        board = ""
        last = -1
        for round_ in self._hand.rounds:
            added = _join_cards(round_.cards)
            if added:
                street = _STREETS.get(round_.street.lower(), last)
                if street <= last != _STREETS["river"]:
                    raise UnreadableHandError("the streets of a board that is run several times are not in their order")
                if board and added.startswith(board):
                    raise UnreadableHandError(f"the cards of the {quote(round_.street)} repeat the earlier ones")
                last, board = street, board + added
                self._acts.append(HandAct(ActKind.BOARD, cards=added))
            for action in round_.actions or ():
                self._read_action(action)

    def _read_action(self, action: OhhAction) -> None:
        name = action.action
        if name in _OF_THE_TABLE:
            return
        player = self._index.get(str(action.player_id))
        if player is None:
            raise UnreadableHandError(
                f"{quote(name)} is by the player {quote(str(action.player_id))}, who is not listed"
            )
        cards = _join_cards(action.cards)
        amount = self._convert(action.amount)
        kind = _ACTS.get(name)
        if name == "Dealt Cards" or (kind is ActKind.MUCK and cards):
            self._players[player].cards = cards or self._players[player].cards
        if name == "Dealt Cards":
            return
        if name == "Post Extra Blind":
            self._read_extra_blind(player, amount)
            return
        if kind is None:
            raise UnreadableHandError(f"the action {quote(name)} is not read")
        if kind is ActKind.BIG_BLIND and not self._big_blind:
            self._big_blind = amount
        self._acts.append(HandAct(kind, player, 0 if kind in _WITHOUT_CHIPS else amount, cards))

    def _read_extra_blind(self, player: int, amount: int) -> None:
        """Read a late blind: it counts towards the bet if it is as much as the big blind."""
        if amount != self._big_blind:
            reason = "the hand does not state how much of an extra blind counts towards the bet"
            raise UnreadableHandError(reason)
        self._acts.append(HandAct(ActKind.BIG_BLIND, player, amount))

    def _read_pots(self) -> tuple[bool, int | None]:
        """Read what players won; return whether it is known, and the rake if it is."""
        pots = self._hand.pots or []
        is_won_known = bool(pots)
        rakes = [pot.rake for pot in pots]
        is_rake_known = bool(pots) and None not in rakes and not any(pot.jackpot for pot in pots)
        for pot in pots:
            for win in pot.player_wins or ():
                player = self._index.get(str(win.player_id))
                if player is None:
                    raise UnreadableHandError(f"the player {quote(str(win.player_id))} wins and is not listed")
                if win.cashout_amount or win.cashout_fee or win.bonus_amount:
                    is_won_known = is_rake_known = False
                self._players[player].won += self._convert(win.win_amount)
        return is_won_known, sum(map(self._convert, rakes)) if is_rake_known else None


_CARDS = re.compile(r"(?:[2-9TJQKA][cdhs])*")


def _join_cards(cards: list[str] | str | None) -> str:
    """Return cards as hand logs write them. Raises UnreadableHandError."""
    if not cards:
        return ""
    parts = cards.replace(",", " ").split() if isinstance(cards, str) else cards
    joined = "".join(card[:-1].upper().replace("10", "T") + card[-1:].lower() for card in parts)
    if _CARDS.fullmatch(joined) is None:
        raise UnreadableHandError(f"{quote(' '.join(parts)[:60])} are not cards such as `As`")
    return joined


class ReadHand(Struct, frozen=True, kw_only=True):
    """Hand of a file of hand histories."""

    line: int
    """Line of the file at which the hand begins, or at which the fault is."""
    text: bytes = b""
    """Line of the hand log; empty if the hand cannot be read."""
    reason: str = ""
    """Reason why the hand cannot be read."""


def read_hands(stream: BinaryIO, form: HistoryForm, variants: Variants, zone: tzinfo | None) -> Iterator[ReadHand]:
    """Yield the hands of a file, each by itself: a hand that cannot be read changes nothing for the others.

    Args:
        stream: the file.
        form: its format.
        variants: the vocabularies of the games.
        zone: time zone of times that state none.
    """
    for part in split_objects(stream) if form == "open-hand-history" else split_texts(stream):
        if part.reason:
            yield ReadHand(line=part.line, reason=part.reason)
            continue
        try:
            hand = read_hand(parse_hand(part.text)) if form == "open-hand-history" else read_text(part.text, zone)
            yield ReadHand(line=part.line, text=_convert(hand, variants))
        except UnreadableHandError as error:
            yield ReadHand(line=part.line + _count_lines(part, error.at), reason=error.reason)


def _convert(hand: StatedHand, variants: Variants) -> bytes:
    try:
        board = sum(len(act.cards) for act in hand.acts if act.kind is ActKind.BOARD) // 2
        if board > WIDEST_HAND:
            raise UnreadableHandError(f"the board was run so often that it has more than {WIDEST_HAND} cards")
        return convert_stated_hand(hand, variants)
    except UnreadableHandError as error:
        raise UnreadableHandError(f"hand {hand.round[:40]}: {error.reason}", at=error.at) from error


def _count_lines(part: RecordPart, at: str) -> int:
    """Return the lines from the beginning of a part to a fault."""
    return min(int(at), part.text.count(b"\n")) if at.isdigit() else 0
