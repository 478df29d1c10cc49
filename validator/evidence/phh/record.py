"""A hand as the record of a round: a line of a hand log."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from functools import cache
from math import inf
from typing import Any

import msgspec

from validator.evidence.columns.batch import DAY, MOMENT, UNDATED
from validator.evidence.columns.recorded_kinds import DEAL_ORDER, KINDS_OF_PLAY
from validator.evidence.handlog.event_values import HIGHEST_SEAT
from validator.evidence.handlog.events import KINDS
from validator.evidence.handlog.record import LONGEST_ID, MOST_EVENTS, MOST_SEATS
from validator.evidence.phh.actions import Teller, Told
from validator.evidence.phh.acts import Acts
from validator.evidence.phh.fields import FIELDS, USER_FIELD
from validator.evidence.phh.posting import Posted, posted
from validator.evidence.phh.refusal import HandRefused
from validator.evidence.phh.terms import Terms, Variants
from validator.evidence.phh.values import Amount, amounts, finite_amount, required, texts, typed, whole_numbers
from validator.text.diagnostics import did_you_mean
from validator.text.visible import quoted, shortened

_NO_DAY = "1970-01-01"
"""What stands for the day of a hand that tells none; see `dated`."""
_ENCODE = msgspec.json.Encoder().encode


@cache
def _untold(terms: Terms, *, showing: bool) -> msgspec.Raw:
    """What hands of a game do not tell, where all of the `showing` of hands is told or not."""
    # The format knows no void hand: what is written down was played.
    told = {"misdeal", *KINDS_OF_PLAY}
    if terms.exchanging is None:
        told -= {"discard", "draw"}
    kinds = [kind for kind in KINDS if kind not in told]
    dealt = ["deal/dealer", "deal/burn", DEAL_ORDER if terms.opens_cards else "deal/player"]
    return msgspec.Raw(_ENCODE(kinds + dealt + ([] if showing else ["reveal"])))


def line_of(hand: Mapping[str, Any], variants: Variants, acts: Acts, *, file: str, name: str) -> bytes:
    """The line of a hand log for one hand, which stands in a file under a name of its own, empty where the file is
    one hand. Raises HandRefused."""
    if not hand.keys() <= FIELDS:
        _only_known_fields(hand)
    file = file.encode("utf-8", "backslashreplace").decode()  # names of files need not be text
    terms = _terms(hand, variants)
    stacks = required(hand, "starting_stacks")
    count = len(stacks) if type(stacks) is list else 0
    if not 2 <= count <= MOST_SEATS:
        raise HandRefused(f"`starting_stacks`: expected from 2 to {MOST_SEATS} amounts", at="starting_stacks")
    held = amounts(hand, "starting_stacks", count)
    seats = _seats(hand, count)
    before = posted(hand, terms, seats, held)
    bring_in = finite_amount(hand, "bring_in") if "bring_in" in hand else None
    told = Teller(terms, seats, before, bring_in).tell(_actions(hand), acts)
    at_end = amounts(hand, "finishing_stacks", count) if "finishing_stacks" in hand else None
    won = _winnings(hand, count)
    seated = _seat_records(hand, terms, seats, held, before, told, at_end, won)
    record: dict[str, object] = {
        "round": _round(hand, file, name),
        "table": _table(hand, file, name),
        "time": _time(hand),
        "game": terms.game,
        "button": seats[-1],
        "seats": seated,
        "community": told.board,
        "unrecorded": _untold(terms, showing=not _showing_untold(hand, told, seated)),
    }
    for field, key in (("small_bet", "small-bet"), ("big_bet", "big-bet")):
        if field in hand:
            record[key] = finite_amount(hand, field)
    if at_end is None and won is None and not told.over:
        record["complete"] = False
    return b'%b,"events":[%b]}' % (_ENCODE(record)[:-1], ",".join(told.events).encode())


def _only_known_fields(hand: Mapping[str, Any]) -> None:
    for field in hand:
        if field not in FIELDS and not field.startswith(USER_FIELD):
            near = did_you_mean(field, FIELDS)
            hint = f"; did you mean `{near}`?" if near else ""
            raise HandRefused(f"there is no field {quoted(field)}{hint}", at=field)


def _terms(hand: Mapping[str, Any], variants: Variants) -> Terms:
    variant = required(hand, "variant")
    if type(variant) is not str:
        raise HandRefused("`variant`: expected text", at="variant")
    try:
        return variants[variant]
    except KeyError:
        read = f"those read are {', '.join(sorted(variants))}" if variants else "no variant is"
        raise HandRefused(
            f"the variant {quoted(variant)} is of no game of the rulebook; {read}", at="variant"
        ) from None


def _actions(hand: Mapping[str, Any]) -> list[str]:
    actions = required(hand, "actions")
    if type(actions) is not list or len(actions) > MOST_EVENTS:
        raise HandRefused(f"`actions`: expected a list of at most {MOST_EVENTS} actions", at="actions")
    return typed(actions, "actions", str, "text")


def _seats(hand: Mapping[str, Any], count: int) -> list[int]:
    """Seat numbers from the seat after the button on, clockwise."""
    if "seats" not in hand:
        return list(range(1, count + 1))
    seats = whole_numbers(hand, "seats", count)
    falls = sum(seats[player - 1] >= seats[player] for player in range(count))
    if falls != 1 or min(seats) < 1 or max(seats) > HIGHEST_SEAT:
        reason = f"expected different numbers from 1 to {HIGHEST_SEAT} that rise clockwise"
        raise HandRefused(f"`seats`: {reason}", at="seats")
    return seats


def _seat_records(
    hand: Mapping[str, Any],
    terms: Terms,
    seats: list[int],
    held: list[Amount],
    before: Posted,
    told: Told,
    at_end: list[Amount] | None,
    won: list[Amount] | None,
) -> list[dict[str, Any]]:
    players = texts(hand, "players", len(seats)) if "players" in hand else None
    records = []
    for player, seat in enumerate(seats):
        stakes, bets, cards = before.stakes[player], told.bets[player], told.cards[player]
        if bets > 0:  # a NaN is not
            stakes[terms.bets] = bets
        record: dict[str, Any] = {
            "seat": seat,
            "wagers": [{"wager": wager, "amount": amount} for wager, amount in stakes.items()],
        }
        if players is not None and players[player]:
            record["player"] = _name(players[player], "players")
        if cards is not None:
            record["cards"] = cards
        if held[player] != inf:
            record["stack"] = held[player]
        if at_end is not None and at_end[player] != inf:
            record["stack-after"] = at_end[player]
        if won is not None and won[player] != inf:
            record["won"] = won[player]
        records.append(record)
    return records


def _showing_untold(hand: Mapping[str, Any], told: Told, seated: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a hand does not tell all of the showing of hands: one that a program wrote proves no order of it, and a
    writer may pass over those who threw their hands away and won nothing."""
    if "venue" in hand and "event" not in hand:
        return True
    return bool(told.silent) and not any(_gained(seated[player]) for player in told.silent)


def _gained(seat: Mapping[str, Any]) -> bool:
    """Whether something came to a seat, as far as that is told."""
    if "stack" in seat and "stack-after" in seat:
        put: Amount = sum(stake["amount"] for stake in seat["wagers"])
        return bool(seat["stack-after"] > seat["stack"] - put)
    return bool(seat.get("won", 0) > 0)


def _winnings(hand: Mapping[str, Any], count: int) -> list[Amount] | None:
    """What each player won, None where the hand does not tell. Somebody wins every pot: where nobody is said to have
    won anything, the writer did not know."""
    won = amounts(hand, "winnings", count) if "winnings" in hand else None
    return won if won is not None and any(won) else None


def _round(hand: Mapping[str, Any], file: str, name: str) -> str:
    if "hand" in hand:
        return _stated_name(hand, "hand")
    return (name or file.rpartition("/")[2])[-LONGEST_ID:]


def _table(hand: Mapping[str, Any], file: str, name: str) -> str:
    """The table, where a hand tells at which seats of it who sat; else one of its own, so that no hands seem to
    follow each other there."""
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
        return _name(value, field)
    raise HandRefused(f"`{field}`: expected a whole number or a text", at=field)


def _name(text: str, field: str) -> str:
    if len(text) > LONGEST_ID:
        raise HandRefused(f"`{field}`: {shortened(text)} is longer than {LONGEST_ID} characters", at=field)
    return text


def dated(hand: Mapping[str, Any]) -> int:
    """How much a hand tells of when it was played: UNDATED, DAY or MOMENT."""
    if not ("year" in hand and "month" in hand and "day" in hand):
        return UNDATED
    return MOMENT if "time" in hand else DAY


def _time(hand: Mapping[str, Any]) -> str:
    time = hand.get("time", datetime.time())
    if type(time) is not datetime.time:
        raise HandRefused("`time`: expected a time of day such as 21:05:00", at="time")
    return f"{_day(hand)}T{time.isoformat()}Z"


def _day(hand: Mapping[str, Any]) -> str:
    if dated(hand) == UNDATED:
        return _NO_DAY
    try:
        return datetime.date(hand["year"], hand["month"], hand["day"]).isoformat()
    except (TypeError, ValueError, OverflowError):
        raise HandRefused("`year`, `month` and `day` are not a day of the calendar", at="day") from None
