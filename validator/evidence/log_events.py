"""Events of a hand log, by kind, and the fields that each kind has."""

from collections.abc import Mapping
from functools import cache
from typing import get_args

import msgspec
from msgspec import UNSET, UnsetType

from fairdeal.validator.evidence import event_kinds
from fairdeal.validator.evidence.event_kinds import ACTORS, FACES, MEANS, PLACES


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

    by: event_kinds.Machine | UnsetType | None = UNSET
    deck: event_kinds.DeckName | UnsetType | None = UNSET


class CutEvent(LogEvent, frozen=True, kw_only=True, rename={"amount": "number"}):
    """The cards were cut; `number` is how many were lifted."""

    by: event_kinds.Actor | UnsetType | None = UNSET
    deck: event_kinds.DeckName | UnsetType | None = UNSET
    amount: event_kinds.Number | UnsetType | None = UNSET


class DeckEvent(LogEvent, frozen=True, kw_only=True):
    """A whole deck was opened, inspected, spread, washed or removed."""

    what: event_kinds.Name
    deck: event_kinds.DeckName | UnsetType | None = UNSET
    by: event_kinds.Actor | UnsetType | None = UNSET
    face: event_kinds.Face | UnsetType | None = UNSET


class DeviceEvent(LogEvent, frozen=True, kw_only=True):
    """A device did something, or somebody did something to it."""

    what: event_kinds.Name
    by: event_kinds.Actor | UnsetType | None = UNSET
    seat: event_kinds.SeatNumber | UnsetType | None = UNSET


class OutcomeEvent(LogEvent, frozen=True, kw_only=True):
    """A device, such as a wheel or dice, gave a result; `what` names the outcome."""

    what: event_kinds.Name
    value: event_kinds.OutcomeValue
    by: event_kinds.Actor | UnsetType | None = UNSET


class _AtStake(LogEvent, frozen=True, kw_only=True, rename={"value": "selection"}):
    """Event about one stake; `tip` marks a stake that was placed for the dealer, `selection` says what it is on."""

    seat: event_kinds.SeatNumber
    wager: event_kinds.Name
    amount: event_kinds.Amount
    tip: bool | UnsetType | None = UNSET
    value: event_kinds.Selection | UnsetType | None = UNSET


class WagerEvent(_AtStake, frozen=True, kw_only=True, rename={"means": "in", "value": "selection"}):
    """A wager was placed; `in` names the means of payment."""

    means: event_kinds.Means | UnsetType | None = UNSET


class WithdrawEvent(_AtStake, frozen=True, kw_only=True):
    """A wager was taken back by the player."""


class AnnounceEvent(LogEvent, frozen=True, kw_only=True):
    """Somebody announced something or called somebody; the dealer if nobody is named."""

    what: event_kinds.Name
    by: event_kinds.Actor | UnsetType | None = UNSET
    seat: event_kinds.SeatNumber | UnsetType | None = UNSET
    amount: event_kinds.Amount | UnsetType | None = UNSET


class ClaimEvent(LogEvent, frozen=True, kw_only=True):
    """A player declared that a wager has won."""

    seat: event_kinds.SeatNumber
    wager: event_kinds.Name


class LeaveEvent(LogEvent, frozen=True, kw_only=True):
    """A player left a seat."""

    seat: event_kinds.SeatNumber


class ArriveEvent(LogEvent, frozen=True, kw_only=True):
    """A player took a seat."""

    seat: event_kinds.SeatNumber


class _AtPlace(LogEvent, frozen=True, kw_only=True):
    """Event at a place; `seat` is present exactly if the place is `player`."""

    place: event_kinds.Place
    seat: event_kinds.SeatNumber | UnsetType | None = UNSET


class DealEvent(_AtPlace, frozen=True, kw_only=True):
    """Cards were dealt."""

    cards: event_kinds.CardText
    face: event_kinds.Face | UnsetType | None = UNSET
    by: event_kinds.Machine | UnsetType | None = UNSET


class DiscardEvent(LogEvent, frozen=True, kw_only=True):
    """Cards of a place were discarded for good; with `deck`, the remaining cards of the deck were."""

    place: event_kinds.DiscardPlace
    seat: event_kinds.SeatNumber | UnsetType | None = UNSET
    cards: event_kinds.CardText | UnsetType | None = UNSET
    face: event_kinds.Face | UnsetType | None = UNSET
    positions: event_kinds.Positions | UnsetType | None = UNSET


class DrawEvent(_AtPlace, frozen=True, kw_only=True):
    """Cards were dealt to replace discards; with `burn`, cards left the deck without being dealt to anybody."""

    cards: event_kinds.CardText
    face: event_kinds.Face | UnsetType | None = UNSET
    by: event_kinds.Machine | UnsetType | None = UNSET


class ExposeEvent(_AtPlace, frozen=True, kw_only=True):
    """Cards were exposed that should not have been."""

    cards: event_kinds.CardText
    by: event_kinds.Actor | UnsetType | None = UNSET


class TurnDownEvent(_AtPlace, frozen=True, kw_only=True):
    """Exposed cards were turned down again."""

    cards: event_kinds.CardText | UnsetType | None = UNSET


class DeclareEvent(LogEvent, frozen=True, kw_only=True):
    """A player declared an action before it was complete; `amount` is the total that the player named.

    The decision `incomplete` means that the bet was not complete yet.
    """

    seat: event_kinds.SeatNumber
    decision: event_kinds.Name
    amount: event_kinds.Amount | UnsetType | None = UNSET


class DecideEvent(LogEvent, frozen=True, kw_only=True):
    """A seat made a decision; `amount` is what the seat put in with it, not the total."""

    seat: event_kinds.SeatNumber
    decision: event_kinds.Name
    amount: event_kinds.Amount | UnsetType | None = UNSET


class TenderEvent(LogEvent, frozen=True, kw_only=True):
    """Chips were put forward in one motion; `what` describes how."""

    seat: event_kinds.SeatNumber
    amount: event_kinds.Amount
    chips: event_kinds.Pieces | UnsetType | None = UNSET
    what: event_kinds.Name | UnsetType | None = UNSET


class SplitEvent(LogEvent, frozen=True, kw_only=True, rename={"chips": "to"}):
    """A card of a hand began a hand of its own: the seat `to`, whose record states `split-of`."""

    seat: event_kinds.SeatNumber
    chips: event_kinds.SeatNumber
    cards: event_kinds.CardText | UnsetType | None = UNSET


class AwardEvent(LogEvent, frozen=True, kw_only=True):
    """Chips of a pot were given to a seat."""

    seat: event_kinds.SeatNumber
    pot: event_kinds.Pot
    amount: event_kinds.Amount


class RakeEvent(LogEvent, frozen=True, kw_only=True):
    """Chips were taken out of the pots as rake."""

    amount: event_kinds.Amount
    pot: event_kinds.Pot | UnsetType | None = UNSET


class DropEvent(LogEvent, frozen=True, kw_only=True):
    """The rake went into the drop box of the table."""

    amount: event_kinds.Amount


class ChipsInEvent(LogEvent, frozen=True, kw_only=True):
    """A player bought or added chips."""

    seat: event_kinds.SeatNumber
    amount: event_kinds.Amount


class ChipsOutEvent(LogEvent, frozen=True, kw_only=True):
    """A player took chips off the table."""

    seat: event_kinds.SeatNumber
    amount: event_kinds.Amount


class TuckEvent(LogEvent, frozen=True, kw_only=True):
    """Cards were tucked under a wager."""

    seat: event_kinds.SeatNumber
    wager: event_kinds.Name


class SetEvent(LogEvent, frozen=True, kw_only=True, rename={"cards": "high", "value": "low"}):
    """The cards of a place were set into a High Hand and a Low Hand."""

    place: event_kinds.SetPlace
    seat: event_kinds.SeatNumber | UnsetType | None = UNSET
    cards: event_kinds.CardText
    value: event_kinds.LowCards


class RevealEvent(_AtPlace, frozen=True, kw_only=True):
    """A hand was turned up and shown."""

    cards: event_kinds.CardText


class CollectEvent(_AtStake, frozen=True, kw_only=True):
    """A losing stake was taken."""


class PayEvent(_AtStake, frozen=True, kw_only=True):
    """A winning stake or a bonus was paid; `amount` is the payment beyond the stake."""


class ReturnEvent(_AtStake, frozen=True, kw_only=True):
    """A stake was given back."""


class CollectCardsEvent(_AtPlace, frozen=True, kw_only=True):
    """Cards were collected; `what` names the lot if a place has several. Without it, the cards identify the lot."""

    cards: event_kinds.CardText | UnsetType | None = UNSET
    what: event_kinds.Name | UnsetType | None = UNSET


class MisdealEvent(LogEvent, frozen=True, kw_only=True):
    """A hand, or with `table` the whole round, was declared dead."""

    place: event_kinds.MisdealPlace
    seat: event_kinds.SeatNumber | UnsetType | None = UNSET


class _Irregular(LogEvent, frozen=True, kw_only=True):
    """Event about an irregularity; its place, seat and cards are given where known."""

    what: event_kinds.Name
    place: event_kinds.AnyPlace | UnsetType | None = UNSET
    seat: event_kinds.SeatNumber | UnsetType | None = UNSET
    cards: event_kinds.CardText | UnsetType | None = UNSET


class FaultEvent(_Irregular, frozen=True, kw_only=True):
    """A device failed, or an irregularity was noticed."""

    deck: event_kinds.DeckName | UnsetType | None = UNSET


class RemedyEvent(_Irregular, frozen=True, kw_only=True):
    """A fault or an irregularity was corrected."""


class CountEvent(LogEvent, frozen=True, kw_only=True, rename={"amount": "number"}):
    """Something was counted; `number` is the count."""

    what: event_kinds.Name
    amount: event_kinds.Number
    by: event_kinds.Actor | UnsetType | None = UNSET
    deck: event_kinds.DeckName | UnsetType | None = UNSET


AnyEvent = (
    RemedyEvent
    | FaultEvent
    | CountEvent
    | DeckEvent
    | DeviceEvent
    | AnnounceEvent
    | OutcomeEvent
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
    | SplitEvent
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
    | SetEvent
    | ShuffleEvent
    | CutEvent
)

EVENT_TYPES: tuple[type[LogEvent], ...] = get_args(AnyEvent)
"""Structs of all kinds, in the order of their codes. Kinds that share a field are neighbours: in events sorted by kind,
a field is one run or two."""
KINDS: tuple[str, ...] = tuple(str(kind.__struct_config__.tag) for kind in EVENT_TYPES)
KIND_CODES: dict[str, int] = {name: code for code, name in enumerate(KINDS)}
MONEY_KINDS = frozenset(
    kind for kind, struct in zip(KINDS, EVENT_TYPES, strict=True) if "amount" in struct.__struct_encode_fields__
)
"""Kinds of event that state an amount of money, and not a count."""


FIELD_CHOICES: dict[str, tuple[str, ...]] = {"place": PLACES, "face": FACES, "by": ACTORS, "means": MEANS}
"""Closed lists of values, by field."""


@cache
def _list_fields() -> tuple[Mapping[str, msgspec.structs.FieldInfo], ...]:
    """Return the fields of each kind by name. Their annotations are evaluated only once."""
    return tuple({field.name: field for field in msgspec.structs.fields(kind)} for kind in EVENT_TYPES)


@cache
def list_requirements(field: str) -> tuple[bool | None, ...]:
    """Return, for each kind, whether it requires a field; None for a kind without the field."""
    return tuple(fields[field].required if field in fields else None for fields in _list_fields())


@cache
def list_choices(field: str) -> tuple[tuple[str, ...], ...]:
    """Return, for each kind, the members of the closed list of a field that an event of the kind may have."""
    types = [fields[field].type if field in fields else None for fields in _list_fields()]
    named = [_find_named_choices(type_, FIELD_CHOICES[field]) for type_ in types]
    return tuple(tuple(choice for choice in FIELD_CHOICES[field] if choice in names) for names in named)


def _find_named_choices(hint: object, choices: tuple[str, ...]) -> set[str]:
    """Return the members of a closed list that a (possibly optional) annotation names."""
    inner = get_args(hint)
    return {part for part in inner if part in choices}.union(*(_find_named_choices(part, choices) for part in inner))


def list_number_kinds() -> tuple[bool, ...]:
    """Return, for each kind, whether its column `amount` holds a count (key `number`) and not money."""
    return tuple("number" in kind.__struct_encode_fields__ for kind in EVENT_TYPES)


def has_field(kind: str, field: str) -> bool:
    """Return whether events of a kind have a field."""
    return list_requirements(field)[KIND_CODES[kind]] is not None


def requires_field(kind: str, field: str) -> bool:
    """Return whether events of a kind must have a field."""
    return list_requirements(field)[KIND_CODES[kind]] is True


def permits_choice(kind: str, field: str, choice: str) -> bool:
    """Return whether events of a kind may have a value of a closed list."""
    return choice in list_choices(field)[KIND_CODES[kind]]
