"""Kinds of event that a hand log may record; each kind has its own fields.

These structs are the only definition. The closed lists, their codes in `Events`, and the fields of each kind
(`FieldRule`) are derived from them.
"""

from __future__ import annotations

from typing import get_args

import msgspec
from msgspec import UNSET, UnsetType

from fairdeal.validator.evidence.handlog.event_kinds import (
    Actor,
    Amount,
    AnyPlace,
    CardText,
    DeckName,
    DiscardPlace,
    Face,
    Machine,
    Means,
    MisdealPlace,
    Name,
    Number,
    Pieces,
    Place,
    Positions,
    Pot,
    SeatNumber,
)


class LogEvent(
    msgspec.Struct,
    frozen=True,
    gc=False,
    forbid_unknown_fields=True,
    tag_field="event",
    tag=lambda name: "".join(
        "-" * (c.isupper() and i > 0) + c.lower() for i, c in enumerate(name.removesuffix("Event"))
    ),
):
    """Event at the table. An optional field that is null or left out is not recorded."""


class ShuffleEvent(LogEvent, frozen=True, kw_only=True):
    """The cards were shuffled."""

    by: Machine | UnsetType | None = UNSET
    deck: DeckName | UnsetType | None = UNSET


class CutEvent(LogEvent, frozen=True, kw_only=True, rename={"amount": "number"}):
    """The cards were cut; `number` is how many were lifted."""

    by: Actor | UnsetType | None = UNSET
    deck: DeckName | UnsetType | None = UNSET
    amount: Number | UnsetType | None = UNSET


class DeckEvent(LogEvent, frozen=True, kw_only=True):
    """A whole deck was opened, inspected, spread, washed or removed."""

    what: Name
    deck: DeckName | UnsetType | None = UNSET
    by: Actor | UnsetType | None = UNSET
    face: Face | UnsetType | None = UNSET


class DeviceEvent(LogEvent, frozen=True, kw_only=True):
    """A device did something, or somebody did something to it."""

    what: Name
    by: Actor | UnsetType | None = UNSET
    seat: SeatNumber | UnsetType | None = UNSET


class _AtStake(LogEvent, frozen=True, kw_only=True):
    """Event about one stake; `tip` marks a stake that was placed for the dealer."""

    seat: SeatNumber
    wager: Name
    amount: Amount
    tip: bool | UnsetType | None = UNSET


class WagerEvent(_AtStake, frozen=True, kw_only=True, rename={"means": "in"}):
    """A wager was placed; `in` names the means of payment."""

    means: Means | UnsetType | None = UNSET


class WithdrawEvent(_AtStake, frozen=True, kw_only=True):
    """A wager was taken back by the player."""


class AnnounceEvent(LogEvent, frozen=True, kw_only=True):
    """Somebody announced something or called somebody; the dealer if nobody is named."""

    what: Name
    by: Actor | UnsetType | None = UNSET
    seat: SeatNumber | UnsetType | None = UNSET
    amount: Amount | UnsetType | None = UNSET


class ClaimEvent(LogEvent, frozen=True, kw_only=True):
    """A player declared that a wager has won."""

    seat: SeatNumber
    wager: Name


class LeaveEvent(LogEvent, frozen=True, kw_only=True):
    """A player left a seat."""

    seat: SeatNumber


class ArriveEvent(LogEvent, frozen=True, kw_only=True):
    """A player took a seat."""

    seat: SeatNumber


class _AtPlace(LogEvent, frozen=True, kw_only=True):
    """Event at a place; `seat` is present exactly if the place is `player`."""

    place: Place
    seat: SeatNumber | UnsetType | None = UNSET


class DealEvent(_AtPlace, frozen=True, kw_only=True):
    """Cards were dealt."""

    cards: CardText
    face: Face | UnsetType | None = UNSET
    by: Machine | UnsetType | None = UNSET


class DiscardEvent(LogEvent, frozen=True, kw_only=True):
    """Cards of a place were discarded for good; with `deck`, the remaining cards of the deck were."""

    place: DiscardPlace
    seat: SeatNumber | UnsetType | None = UNSET
    cards: CardText | UnsetType | None = UNSET
    face: Face | UnsetType | None = UNSET
    positions: Positions | UnsetType | None = UNSET


class DrawEvent(_AtPlace, frozen=True, kw_only=True):
    """Cards were dealt to replace discards; with `burn`, cards left the deck without being dealt to anybody."""

    cards: CardText
    face: Face | UnsetType | None = UNSET
    by: Machine | UnsetType | None = UNSET


class ExposeEvent(_AtPlace, frozen=True, kw_only=True):
    """Cards were exposed that should not have been."""

    cards: CardText
    by: Actor | UnsetType | None = UNSET


class TurnDownEvent(_AtPlace, frozen=True, kw_only=True):
    """Exposed cards were turned down again."""

    cards: CardText | UnsetType | None = UNSET


class DeclareEvent(LogEvent, frozen=True, kw_only=True):
    """A player declared an action before it was complete; `amount` is the total that the player named.

    The decision `incomplete` means that the bet was not complete yet.
    """

    seat: SeatNumber
    decision: Name
    amount: Amount | UnsetType | None = UNSET


class DecideEvent(LogEvent, frozen=True, kw_only=True):
    """A seat made a decision; `amount` is what the seat put in with it, not the total."""

    seat: SeatNumber
    decision: Name
    amount: Amount | UnsetType | None = UNSET


class TenderEvent(LogEvent, frozen=True, kw_only=True):
    """Chips were put forward in one motion; `what` describes how."""

    seat: SeatNumber
    amount: Amount
    chips: Pieces | UnsetType | None = UNSET
    what: Name | UnsetType | None = UNSET


class AwardEvent(LogEvent, frozen=True, kw_only=True):
    """Chips of a pot were given to a seat."""

    seat: SeatNumber
    pot: Pot
    amount: Amount


class RakeEvent(LogEvent, frozen=True, kw_only=True):
    """Chips were taken out of the pots as rake."""

    amount: Amount
    pot: Pot | UnsetType | None = UNSET


class DropEvent(LogEvent, frozen=True, kw_only=True):
    """The rake went into the drop box of the table."""

    amount: Amount


class ChipsInEvent(LogEvent, frozen=True, kw_only=True):
    """A player bought or added chips."""

    seat: SeatNumber
    amount: Amount


class ChipsOutEvent(LogEvent, frozen=True, kw_only=True):
    """A player took chips off the table."""

    seat: SeatNumber
    amount: Amount


class TuckEvent(LogEvent, frozen=True, kw_only=True):
    """Cards were tucked under a wager."""

    seat: SeatNumber
    wager: Name


class RevealEvent(_AtPlace, frozen=True, kw_only=True):
    """A hand was turned up and shown."""

    cards: CardText


class CollectEvent(_AtStake, frozen=True, kw_only=True):
    """A losing stake was taken."""


class PayEvent(_AtStake, frozen=True, kw_only=True):
    """A winning stake or a bonus was paid; `amount` is the payment beyond the stake."""


class ReturnEvent(_AtStake, frozen=True, kw_only=True):
    """A stake was given back."""


class CollectCardsEvent(_AtPlace, frozen=True, kw_only=True):
    """Cards were collected; `what` names the lot if a place has several. Without it, the cards identify the lot."""

    cards: CardText | UnsetType | None = UNSET
    what: Name | UnsetType | None = UNSET


class MisdealEvent(LogEvent, frozen=True, kw_only=True):
    """A hand, or with `table` the whole round, was declared dead."""

    place: MisdealPlace
    seat: SeatNumber | UnsetType | None = UNSET


class _Irregular(LogEvent, frozen=True, kw_only=True):
    """Event about an irregularity; its place, seat and cards are given where known."""

    what: Name
    place: AnyPlace | UnsetType | None = UNSET
    seat: SeatNumber | UnsetType | None = UNSET
    cards: CardText | UnsetType | None = UNSET


class FaultEvent(_Irregular, frozen=True, kw_only=True):
    """A device failed, or an irregularity was noticed."""

    deck: DeckName | UnsetType | None = UNSET


class RemedyEvent(_Irregular, frozen=True, kw_only=True):
    """A fault or an irregularity was corrected."""


class CountEvent(LogEvent, frozen=True, kw_only=True, rename={"amount": "number"}):
    """Something was counted; `number` is the count."""

    what: Name
    amount: Number
    by: Actor | UnsetType | None = UNSET
    deck: DeckName | UnsetType | None = UNSET


AnyEvent = (
    RemedyEvent
    | FaultEvent
    | CountEvent
    | DeckEvent
    | DeviceEvent
    | AnnounceEvent
    | WagerEvent
    | WithdrawEvent
    | PayEvent
    | CollectEvent
    | ReturnEvent
    | TuckEvent
    | ClaimEvent
    | LeaveEvent
    | ArriveEvent
    | DeclareEvent
    | DecideEvent
    | TenderEvent
    | AwardEvent
    | ChipsInEvent
    | ChipsOutEvent
    | RakeEvent
    | DropEvent
    | MisdealEvent
    | TurnDownEvent
    | CollectCardsEvent
    | RevealEvent
    | DiscardEvent
    | DrawEvent
    | DealEvent
    | ExposeEvent
    | ShuffleEvent
    | CutEvent
)

EVENT_TYPES: tuple[type[LogEvent], ...] = get_args(AnyEvent)
"""Structs of all kinds, in the order of their codes. Kinds that share a field are neighbours: in events sorted by kind,
a field is one run or two."""
KINDS: tuple[str, ...] = tuple(str(kind.__struct_config__.tag) for kind in EVENT_TYPES)
KIND_CODES: dict[str, int] = {name: code for code, name in enumerate(KINDS)}
MONEY_KINDS = frozenset(
    kind
    for kind, struct in zip(KINDS, EVENT_TYPES, strict=True)
    if any(field.encode_name == "amount" for field in msgspec.structs.fields(struct))
)
"""Kinds of event that state an amount of money, and not a count."""
