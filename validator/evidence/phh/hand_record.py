"""Hand of a hand history as the record of a round: one line of a hand log."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from fairdeal.validator.evidence.columns.batch import DAY, MOMENT, UNDATED
from fairdeal.validator.evidence.handlog.event_kinds import HIGHEST_SEAT
from fairdeal.validator.evidence.handlog.round_record import LONGEST_ID, MOST_EVENTS, MOST_SEATS
from fairdeal.validator.evidence.phh import phh_fields
from fairdeal.validator.evidence.phh.phh_actions import HandConverter, PhhActionCache
from fairdeal.validator.evidence.poker.hand_recorder import ParsedHand, PostedStakes
from fairdeal.validator.evidence.poker.poker_round import (
    PokerRound,
    PokerSeat,
    PokerStake,
    encode_round,
    list_unrecorded,
)
from fairdeal.validator.evidence.poker.poker_vocabulary import Amount, PokerVocabulary, UnreadableHandError, Variants
from fairdeal.validator.text.diagnostics import find_similar, quote, shorten

_NO_DAY = "1970-01-01"
"""Day of a hand that states none; see `date_precision_of`."""


def convert_hand(hand: Mapping[str, Any], variants: Variants, acts: PhhActionCache, *, file: str, name: str) -> bytes:
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
        raise UnreadableHandError(f"`starting_stacks`: expected from 2 to {MOST_SEATS} amounts", at="starting_stacks")
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
            raise UnreadableHandError(f"unknown field {quote(field)}{hint}", at=field)


def _find_vocabulary(hand: Mapping[str, Any], variants: Variants) -> PokerVocabulary:
    variant = phh_fields.require_field(hand, "variant")
    if type(variant) is not str:
        raise UnreadableHandError("`variant`: expected text", at="variant")
    try:
        return variants[variant]
    except KeyError:
        known = f"its variants are {', '.join(sorted(variants))}" if variants else "it has no variants"
        raise UnreadableHandError(
            f"the variant {quote(variant)} belongs to no game of the rulebook; {known}", at="variant"
        ) from None


def _list_actions(hand: Mapping[str, Any]) -> list[str]:
    actions = phh_fields.require_field(hand, "actions")
    if type(actions) is not list or len(actions) > MOST_EVENTS:
        raise UnreadableHandError(f"`actions`: expected a list of at most {MOST_EVENTS} actions", at="actions")
    return phh_fields.check_entry_types(actions, "actions", str, "text")


def _list_seats(hand: Mapping[str, Any], count: int) -> list[int]:
    """Return the seat numbers from the seat after the button, clockwise."""
    if "seats" not in hand:
        return list(range(1, count + 1))
    seats = phh_fields.read_whole_numbers(hand, "seats", count)
    falls = sum(seats[player - 1] >= seats[player] for player in range(count))
    if falls != 1 or min(seats) < 1 or max(seats) > HIGHEST_SEAT:
        reason = f"expected different numbers from 1 to {HIGHEST_SEAT} that rise clockwise"
        raise UnreadableHandError(f"`seats`: {reason}", at="seats")
    return seats


def _seat_records(
    hand: Mapping[str, Any],
    terms: PokerVocabulary,
    seats: list[int],
    stacks: list[Amount],
    before: PostedStakes,
    parsed: ParsedHand,
    at_end: list[Amount] | None,
    won: list[Amount] | None,
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


def _omit_infinite(amount: Amount) -> Amount | None:
    return None if amount == inf else amount


def _may_omit_showings(hand: Mapping[str, Any], parsed: ParsedHand, seated: Sequence[PokerSeat]) -> bool:
    """Return whether a hand may omit showings of cards.

    A hand written by a program does not prove their order, and a writer may omit players who mucked and won nothing.
    """
    if "venue" in hand and "event" not in hand:
        return True
    return bool(parsed.silent) and not any(seated[player].has_won() for player in parsed.silent)


def _winnings(hand: Mapping[str, Any], count: int) -> list[Amount] | None:
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
    raise UnreadableHandError(f"`{field}`: expected a whole number or a text", at=field)


def _check_name(text: str, field: str) -> str:
    if len(text) > LONGEST_ID:
        raise UnreadableHandError(f"`{field}`: {shorten(text)} is longer than {LONGEST_ID} characters", at=field)
    return text


def date_precision_of(hand: Mapping[str, Any]) -> int:
    """Return the precision of the time of a hand: UNDATED, DAY or MOMENT."""
    if not ("year" in hand and "month" in hand and "day" in hand):
        return UNDATED
    return MOMENT if "time" in hand else DAY


def _format_timestamp(hand: Mapping[str, Any]) -> str:
    time = hand.get("time", datetime.time())
    if type(time) is not datetime.time:
        raise UnreadableHandError("`time`: expected a time of day such as 21:05:00", at="time")
    return f"{_format_day(hand)}T{time.isoformat()}Z"


def _format_day(hand: Mapping[str, Any]) -> str:
    if date_precision_of(hand) == UNDATED:
        return _NO_DAY
    try:
        return datetime.date(hand["year"], hand["month"], hand["day"]).isoformat()
    except (TypeError, ValueError, OverflowError):
        raise UnreadableHandError("`year`, `month` and `day` are not a date of the calendar", at="day") from None
