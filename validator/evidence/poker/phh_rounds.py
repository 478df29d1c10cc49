"""Hands of a hand history (PHH) as rounds of a hand log: actions as events, and the record of the round.

A hand history states the total that a seat bets or raises *to*, and no amount for a call; the amounts put in are
calculated from the earlier bets. Nothing is corrected: an act that the rules do not allow is converted as it is.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from math import inf, nan
from typing import Any, NamedTuple

from fairdeal.validator.evidence.columns.round_batch import DAY, MOMENT, UNDATED
from fairdeal.validator.evidence.event_kinds import HIGHEST_SEAT, WIDEST_HAND
from fairdeal.validator.evidence.poker import hand_recorder, phh_fields
from fairdeal.validator.evidence.poker.stated_hand import (
    PokerRound,
    PokerSeat,
    PokerStake,
    encode_round,
    list_unrecorded,
)
from fairdeal.validator.evidence.round_record import LONGEST_ID, MOST_EVENTS, MOST_SEATS
from fairdeal.validator.text.diagnostics import find_similar, quote, shorten

_MOST_KNOWN = 1 << 16
"""Most texts cached at a time."""
_LONGEST = 200
_PLAYERS = {f"p{player + 1}": player for player in range(MOST_SEATS)}
_CARDS = re.compile(rf"(?:[2-9TJQKA][cdhs]|\?\?){{1,{WIDEST_HAND}}}")


class Verb(IntEnum):
    """Kind of an action."""

    FOLD = 0
    CHECK_OR_CALL = 1
    BET_OR_RAISE = 2
    DEAL_BOARD = 3
    DEAL_HOLE = 4
    SHOW = 5
    """Shows the named cards, or those dealt if none are named."""
    MUCK = 6
    NOTHING = 7
    """Remark."""
    BRING_IN = 8
    DISCARD = 9
    """Discards the named cards, or stands pat if none are named."""


class PhhAction(NamedTuple):
    """Action of a hand history."""

    verb: Verb
    """Kind of the action."""
    player: int = 0
    """Player who acts or receives cards, from 0."""
    cards: str = ""
    """Cards of the action."""
    total: int = 0
    """Total of a bet or raise, in minor units."""


class PhhActionCache(dict[str, PhhAction]):
    """Cache of actions by their text. Raises UnreadableHandError for an unreadable action."""

    def __missing__(self, action: str) -> PhhAction:
        act = _parse_action(action)
        if len(self) >= _MOST_KNOWN:
            self.clear()
        if len(action) <= _LONGEST:
            self[action] = act
        return act


def _parse_action(action: str) -> PhhAction:
    match action.partition("#")[0].split():
        case []:
            return PhhAction(Verb.NOTHING)
        case [player, "f"]:
            return PhhAction(Verb.FOLD, _parse_player(player, action))
        case [player, "cc"]:
            return PhhAction(Verb.CHECK_OR_CALL, _parse_player(player, action))
        case [player, "pb"]:
            return PhhAction(Verb.BRING_IN, _parse_player(player, action))
        case [player, "cbr", total]:
            return PhhAction(
                Verb.BET_OR_RAISE, _parse_player(player, action), total=phh_fields.parse_action_amount(total, action)
            )
        case ["d", "db", cards]:
            return PhhAction(Verb.DEAL_BOARD, cards=_parse_cards(cards, action))
        case ["d", "dh", player, cards]:
            return PhhAction(Verb.DEAL_HOLE, _parse_player(player, action), _parse_cards(cards, action))
        case [player, "sd"]:
            return PhhAction(Verb.DISCARD, _parse_player(player, action))
        case [player, "sd", cards]:
            return PhhAction(Verb.DISCARD, _parse_player(player, action), _parse_cards(cards, action))
        case [player, "sm"]:
            return PhhAction(Verb.MUCK, _parse_player(player, action))
        case [player, "sm", cards]:
            return PhhAction(
                Verb.SHOW, _parse_player(player, action), "" if cards == "-" else _parse_cards(cards, action)
            )
        case words:
            raise hand_recorder.UnreadableHandError(_describe_unknown(words), at=action)


def _describe_unknown(words: Sequence[str]) -> str:
    return f"unknown action {quote(' '.join(words))}"


def _parse_player(label: str, action: str) -> int:
    try:
        return _PLAYERS[label]
    except KeyError:
        raise hand_recorder.UnreadableHandError(f"{quote(label)} is not a player", at=action) from None


def _parse_cards(text: str, action: str) -> str:
    if _CARDS.fullmatch(text) is None:
        raise hand_recorder.UnreadableHandError(f"{quote(text)} is not a list of cards", at=action)
    return text


class HandConverter(hand_recorder.HandRecorder):
    """Converter of the actions of one hand, with the state of the hand. Amounts are in minor units."""

    __slots__ = ("_acted", "_completed", "_least", "_level", "_top")

    def __init__(
        self,
        terms: hand_recorder.PokerVocabulary,
        seats: Sequence[int],
        posted: hand_recorder.PostedStakes,
        bring_in: int | None,
    ) -> None:
        """Start a hand after its antes and blinds.

        Args:
            terms: the vocabulary of the game.
            seats: the seat number of each player.
            posted: the posted stakes.
            bring_in: the amount of the bring-in, if the hand has one.
        """
        super().__init__(terms, seats, posted)
        self._least = bring_in
        self._completed = terms.complete is None or bring_in is None
        """True if no bet is left to complete: a bet was made, or the first betting round is over."""
        self._acted = False
        """True if a player has acted in this betting round."""
        self._level = posted.level
        """Current bet, as posted or raised to."""
        self._top = max(self._put)
        """Most that a seat has put in: less than the current bet while a blind is posted short."""

    def convert(self, actions: Sequence[str], acts: PhhActionCache) -> hand_recorder.ParsedHand:
        """Convert the actions of a hand, as read by `acts`. Raises UnreadableHandError."""
        count = len(self._seats)
        for action in actions:
            act = acts[action]
            if act.player >= count:
                raise hand_recorder.UnreadableHandError(f"p{act.player + 1} is not a player of this hand", at=action)
            _HANDLERS[act.verb](self, act)
        return self.summarise()

    def decide(self, player: int, word: str, amount: hand_recorder.Amount = nan) -> None:
        """Record a decision in this betting round."""
        self._acted = True
        super().decide(player, word, amount)

    def end_betting(self) -> None:
        """End a betting round: the next one begins without a bet."""
        super().end_betting()
        self._level = self._top = 0
        self._acted, self._completed = False, True

    def _fold(self, act: PhhAction) -> None:
        self.fold(act.player)

    def _check_or_call(self, act: PhhAction) -> None:
        player = act.player
        put, stack = self._put[player], self._stacks[player]
        owed = self._level - put
        amount = owed if owed <= stack else stack
        if self._top < self._level:
            least = max(self._top - put, 0)
            if (least if least <= stack else stack) != amount:
                # No action states whether a short blind is called at its actual or its full amount.
                amount = nan
        if owed <= 0:
            self.decide(player, self._terms.check)
            return
        self.pay(player, amount)
        self.decide(player, self._terms.call, amount)

    def _bet_or_raise(self, act: PhhAction) -> None:
        player, total = act.player, act.total
        amount = total - self._put[player]
        if amount <= 0:
            label = f"p{player + 1}"
            raise hand_recorder.UnreadableHandError(
                f"{label} bets or raises to no more than it has already put in", at=f"{label} cbr"
            )
        word = self._terms.raise_ if self._level else self._terms.bet
        if not self._completed:
            word, self._completed = self._terms.complete or word, True
        self.pay(player, amount)
        self._level = self._top = total
        self._put[player] = total
        self.decide(player, word, amount)

    def _bring_in(self, act: PhhAction) -> None:
        player = act.player
        word, amount = self._terms.bring_in, self._least
        if word is None or amount is None:
            raise hand_recorder.UnreadableHandError("the game, or the hand, has no bring-in", at=f"p{player + 1} pb")
        stack = self._stacks[player]
        paid = amount if amount <= stack else stack
        self.pay(player, paid)
        self._level = self._top = max(self._level, int(self._put[player]))
        self.decide(player, word, paid)

    def _deal_hole(self, act: PhhAction) -> None:
        player, known, terms = act.player, self._cards[act.player] or "", self._terms
        if terms.exchanging is not None and len(known) >= 2 * terms.exchanging.full:
            self._exchanged[player] = self._exchanged.get(player, known) + act.cards
            self.add_card_event("draw", player, act.cards)
            return
        self._cards[player] = known + act.cards
        if terms.opens_cards:
            if self._acted:
                self.end_betting()
            self.add_deal(player, act.cards, len(known) // 2)

    def _discard(self, act: PhhAction) -> None:
        player, exchanging = act.player, self._terms.exchanging
        word = None if exchanging is None else exchanging.discard if act.cards else exchanging.stand_pat
        if word is None:
            done = "discards cards" if act.cards else "stands pat"
            raise hand_recorder.UnreadableHandError(
                f"p{player + 1} {done}, but the game has no such decision", at=f"p{player + 1} sd"
            )
        self.end_betting()
        self.decide(player, word)
        if act.cards:
            known = self._exchanged.get(player, self._cards[player] or "")
            self._exchanged[player] = remove_cards(known, act.cards)
            self.add_card_event("discard", player, act.cards)

    def _deal_board(self, act: PhhAction) -> None:
        self.deal_board(act.cards)

    def _show(self, act: PhhAction) -> None:
        self.show(act.player, act.cards)

    def _muck(self, act: PhhAction) -> None:
        self.concede(act.player)

    def _ignore(self, act: PhhAction) -> None:
        """Ignore a remark."""


def remove_cards(hand: str, removed: str) -> str:
    """Return the cards of a hand without some cards. If a discarded card is unknown, the remaining cards are too."""
    remaining = [hand[at : at + 2] for at in range(0, len(hand), 2)]
    removed_cards = [removed[at : at + 2] for at in range(0, len(removed), 2)]
    for card in removed_cards:
        if card in remaining:
            remaining.remove(card)
        elif "??" in remaining:
            remaining.remove("??")
        elif remaining:
            remaining.pop()
    return "".join("??" for _ in remaining) if "??" in removed_cards else "".join(remaining)


_HANDLERS = (
    HandConverter._fold,
    HandConverter._check_or_call,
    HandConverter._bet_or_raise,
    HandConverter._deal_board,
    HandConverter._deal_hole,
    HandConverter._show,
    HandConverter._muck,
    HandConverter._ignore,
    HandConverter._bring_in,
    HandConverter._discard,
)
"""Method for each `Verb`, in the order of its values."""


_NO_DAY = "1970-01-01"
"""Day of a hand that states none; see `date_precision_of`."""


def convert_hand(
    hand: Mapping[str, Any], variants: hand_recorder.Variants, acts: PhhActionCache, *, file: str, name: str
) -> bytes:
    """Convert a hand to a line of a hand log. Raises UnreadableHandError.

    Args:
        hand: the fields of the hand.
        variants: the vocabularies of the games.
        acts: the cache of actions.
        file: the name of the file.
        name: the name of the hand in the file; empty if the file is one hand.
    """
    if not hand.keys() <= phh_fields.PHH_FIELDS:
        _reject_unknown_fields(hand)
    file = file.encode("utf-8", "backslashreplace").decode()  # file names need not be valid text
    terms = _find_vocabulary(hand, variants)
    stacks = phh_fields.require_field(hand, "starting_stacks")
    count = len(stacks) if type(stacks) is list else 0
    if not 2 <= count <= MOST_SEATS:
        raise hand_recorder.UnreadableHandError(
            f"`starting_stacks`: expected from 2 to {MOST_SEATS} amounts", at="starting_stacks"
        )
    stack_amounts = phh_fields.read_amounts(hand, "starting_stacks", count)
    seats = _list_seats(hand, count)
    before = phh_fields.post_stakes(hand, terms, seats, stack_amounts)
    bring_in = phh_fields.read_finite_amount(hand, "bring_in") if "bring_in" in hand else None
    parsed = HandConverter(terms, seats, before, bring_in).convert(_list_actions(hand), acts)
    at_end = phh_fields.read_amounts(hand, "finishing_stacks", count) if "finishing_stacks" in hand else None
    won = _winnings(hand, count)
    seated = _seat_records(hand, terms, seats, stack_amounts, before, parsed, at_end, won)
    record = PokerRound(
        round=_name_round(hand, file, name),
        table=_name_table(hand, file, name),
        time=_format_timestamp(hand),
        game=terms.game,
        button=seats[-1],
        seats=seated,
        community=parsed.board,
        unrecorded=list_unrecorded(terms, showing=not _may_omit_showings(hand, parsed, seated)),
        small_bet=phh_fields.read_finite_amount(hand, "small_bet") if "small_bet" in hand else None,
        big_bet=phh_fields.read_finite_amount(hand, "big_bet") if "big_bet" in hand else None,
        complete=False if at_end is None and won is None and not parsed.over else None,
    )
    return encode_round(record, parsed.events)


def _reject_unknown_fields(hand: Mapping[str, Any]) -> None:
    for field in hand:
        if field not in phh_fields.PHH_FIELDS and not field.startswith(phh_fields.USER_FIELD):
            near = find_similar(field, phh_fields.PHH_FIELDS)
            hint = f"; did you mean `{near}`?" if near else ""
            raise hand_recorder.UnreadableHandError(f"unknown field {quote(field)}{hint}", at=field)


def _find_vocabulary(hand: Mapping[str, Any], variants: hand_recorder.Variants) -> hand_recorder.PokerVocabulary:
    variant = phh_fields.require_field(hand, "variant")
    if type(variant) is not str:
        raise hand_recorder.UnreadableHandError("`variant`: expected text", at="variant")
    try:
        return variants[variant]
    except KeyError:
        known = f"its variants are {', '.join(sorted(variants))}" if variants else "it has no variants"
        raise hand_recorder.UnreadableHandError(
            f"the variant {quote(variant)} belongs to no game of the rulebook; {known}", at="variant"
        ) from None


def _list_actions(hand: Mapping[str, Any]) -> list[str]:
    actions = phh_fields.require_field(hand, "actions")
    if type(actions) is not list or len(actions) > MOST_EVENTS:
        raise hand_recorder.UnreadableHandError(
            f"`actions`: expected a list of at most {MOST_EVENTS} actions", at="actions"
        )
    return phh_fields.check_entry_types(actions, "actions", str, "text")


def _list_seats(hand: Mapping[str, Any], count: int) -> list[int]:
    """Return the seat numbers from the seat after the button, clockwise."""
    if "seats" not in hand:
        return list(range(1, count + 1))
    seats = phh_fields.read_whole_numbers(hand, "seats", count)
    falls = sum(seats[player - 1] >= seats[player] for player in range(count))
    if falls != 1 or min(seats) < 1 or max(seats) > HIGHEST_SEAT:
        reason = f"expected different numbers from 1 to {HIGHEST_SEAT} that rise clockwise"
        raise hand_recorder.UnreadableHandError(f"`seats`: {reason}", at="seats")
    return seats


def _seat_records(
    hand: Mapping[str, Any],
    terms: hand_recorder.PokerVocabulary,
    seats: list[int],
    stacks: list[hand_recorder.Amount],
    before: hand_recorder.PostedStakes,
    parsed: hand_recorder.ParsedHand,
    at_end: list[hand_recorder.Amount] | None,
    won: list[hand_recorder.Amount] | None,
) -> list[PokerSeat]:
    players = phh_fields.read_texts(hand, "players", len(seats)) if "players" in hand else None
    records = []
    for player, seat in enumerate(seats):
        stakes, bets = before.stakes[player], parsed.bets[player]
        if bets > 0:  # a NaN is not
            stakes[terms.bets] = bets
        record = PokerSeat(
            seat=seat,
            wagers=[PokerStake(wager, amount) for wager, amount in stakes.items()],
            player=_check_name(players[player], "players") if players is not None and players[player] else None,
            cards=parsed.cards[player],
            stack=_omit_infinite(stacks[player]),
            stack_after=None if at_end is None else _omit_infinite(at_end[player]),
            won=None if won is None else _omit_infinite(won[player]),
        )
        records.append(record)
    return records


def _omit_infinite(amount: hand_recorder.Amount) -> hand_recorder.Amount | None:
    return None if amount == inf else amount


def _may_omit_showings(hand: Mapping[str, Any], parsed: hand_recorder.ParsedHand, seated: Sequence[PokerSeat]) -> bool:
    """Return whether a hand may omit showings of cards.

    A hand written by a program does not prove their order, and a writer may omit players who mucked and won nothing.
    """
    if "venue" in hand and "event" not in hand:
        return True
    return bool(parsed.silent) and not any(seated[player].has_won() for player in parsed.silent)


def _winnings(hand: Mapping[str, Any], count: int) -> list[hand_recorder.Amount] | None:
    """Return the winnings of each player; None if the hand does not state them.

    Somebody wins every pot: if nobody is stated to have won, the writer did not know.
    """
    won = phh_fields.read_amounts(hand, "winnings", count) if "winnings" in hand else None
    return won if won is not None and any(won) else None


def _name_round(hand: Mapping[str, Any], file: str, name: str) -> str:
    if "hand" in hand:
        return _stated_name(hand, "hand")
    return (name or file.rpartition("/")[2])[-LONGEST_ID:]


def _name_table(hand: Mapping[str, Any], file: str, name: str) -> str:
    """Return the table of a hand that states its seats; otherwise a table of its own, so that hands do not appear
    consecutive."""
    if "table" in hand:
        table = _stated_name(hand, "table")
        if "seats" in hand:
            return table
    return f"{file} [{name}]"[-LONGEST_ID:] if name else file[-LONGEST_ID:]


def _stated_name(hand: Mapping[str, Any], field: str) -> str:
    value = hand[field]
    if type(value) is int and abs(value) < 1 << 63:
        return str(value)
    if type(value) is str and value:
        return _check_name(value, field)
    raise hand_recorder.UnreadableHandError(f"`{field}`: expected a whole number or a text", at=field)


def _check_name(text: str, field: str) -> str:
    if len(text) > LONGEST_ID:
        raise hand_recorder.UnreadableHandError(
            f"`{field}`: {shorten(text)} is longer than {LONGEST_ID} characters", at=field
        )
    return text


def date_precision_of(hand: Mapping[str, Any]) -> int:
    """Return the precision of the time of a hand: UNDATED, DAY or MOMENT."""
    if not ("year" in hand and "month" in hand and "day" in hand):
        return UNDATED
    return MOMENT if "time" in hand else DAY


def _format_timestamp(hand: Mapping[str, Any]) -> str:
    time = hand.get("time", datetime.time())
    if type(time) is not datetime.time:
        raise hand_recorder.UnreadableHandError("`time`: expected a time of day such as 21:05:00", at="time")
    return f"{_format_day(hand)}T{time.isoformat()}Z"


def _format_day(hand: Mapping[str, Any]) -> str:
    if date_precision_of(hand) == UNDATED:
        return _NO_DAY
    try:
        return datetime.date(hand["year"], hand["month"], hand["day"]).isoformat()
    except (TypeError, ValueError, OverflowError):
        raise hand_recorder.UnreadableHandError(
            "`year`, `month` and `day` are not a date of the calendar", at="day"
        ) from None
