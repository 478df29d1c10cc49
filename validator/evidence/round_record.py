"""Record of one round of play, as in a line of a hand log, its JSON Schema, and its context as text.

Amounts are in minor currency units. An optional field that is null or left out is not recorded.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fairdeal.validator.evidence import event_kinds
from fairdeal.validator.evidence.log_events import AnyEvent

MOST_SEATS = 32
MOST_STAKES = 64
"""Most wagers and bonuses together of one seat."""
MOST_EVENTS = 2000
MOST_METERS = 32
MOST_OUTCOMES = 8
MOST_ROUNDS = 10**9
"""Highest number of a round."""
MOST_UNRECORDED = 100
MOST_CONTEXT = 20
"""Most keys of a context."""
LONGEST_CONTEXT = 200
"""Most characters in a text of a context."""
LONGEST_ID = 200
LONGEST_LINE = 1 << 20
"""Most bytes in a line."""
LINE_TOO_LONG = "the line is longer than 1 MiB"
"""Reason for which a longer line is quarantined."""
SCHEMA_ID = "https://fairdeal.example/schemas/hand-log-round.json"

_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
UTC_OFFSET = rf"(?:Z|[+-]{_CLOCK})"
TIME_PATTERN = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_CLOCK}:[0-5][0-9](?:\.[0-9]{{1,9}})?{UTC_OFFSET}$(?!\n)"

Identifier = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]
RoundNumber = Annotated[int, Meta(ge=1, le=MOST_ROUNDS)]
TimeText = Annotated[
    str,
    Meta(
        pattern=TIME_PATTERN,
        description="RFC 3339, upper case. The day is the date as written here, whatever the offset.",
        extra_json_schema={"format": "date-time"},
    ),
]
Events = Annotated[
    list[AnyEvent],
    Meta(
        max_length=MOST_EVENTS,
        description="Events in order; null if the round was not recorded event by event.",
    ),
]
Unrecorded = Annotated[
    list[event_kinds.EventKind | event_kinds.EventPart],
    Meta(
        max_length=MOST_UNRECORDED,
        description="Kinds of event that this log does not record, some at some places only (`deal/burn`): "
        "their absence proves nothing.",
    ),
]
CURRENCY_PATTERN = r"^[A-Z]{3}$(?!\n)"
CurrencyCode = Annotated[str, Meta(pattern=CURRENCY_PATTERN, description="A code of ISO 4217, such as `USD`.")]
CONTEXT_KEY = r"^[a-z][a-z0-9-]{0,49}$(?!\n)"
ContextKey = Annotated[str, Meta(pattern=CONTEXT_KEY)]
ContextValue = (
    Annotated[str, Meta(min_length=1, max_length=LONGEST_CONTEXT)]
    | Annotated[int, Meta(ge=-event_kinds.MAX_AMOUNT, le=event_kinds.MAX_AMOUNT)]
)
Context = Annotated[
    dict[ContextKey, ContextValue],
    Meta(
        max_length=MOST_CONTEXT,
        description="Context that the licensee records with the round, such as `dealer`, `shift`, `pit` or `video`. "
        "No rule uses it; findings show it and can be grouped by it.",
    ),
]


Results = Annotated[
    dict[event_kinds.Name, event_kinds.OutcomeValue],
    Meta(max_length=MOST_OUTCOMES, description="Results that are no cards, by name in the game."),
]


class _Part(msgspec.Struct, frozen=True, kw_only=True, gc=False, forbid_unknown_fields=True, rename="kebab"):
    """Part of a record. It is closed: an unknown key is an error."""


class WagerRecord(_Part, frozen=True, kw_only=True):
    """Stake and its outcome. A push is paid 0 and taken 0."""

    wager: event_kinds.Name
    selection: Annotated[event_kinds.Selection | UnsetType | None, Meta(description="What the stake is on.")] = UNSET
    amount: Annotated[event_kinds.Amount, Meta(description="The stake, in minor currency units.")]
    brought: Annotated[
        event_kinds.Amount | UnsetType | None,
        Meta(description="Part of the stake that lay on the table since an earlier round; left out, nothing."),
    ] = UNSET
    tip: Annotated[bool | UnsetType | None, Meta(description="Placed for the dealer.")] = UNSET
    paid: Annotated[event_kinds.Amount | UnsetType | None, Meta(description="Paid beyond the stake.")] = UNSET
    taken: Annotated[event_kinds.Amount | UnsetType | None, Meta(description="Taken of the stake.")] = UNSET
    claimed: Annotated[bool | UnsetType | None, Meta(description="True if the player declared that it won.")] = UNSET


class BonusRecord(_Part, frozen=True, kw_only=True):
    """Payment without a stake of its own."""

    bonus: event_kinds.Name
    tip: Annotated[bool | UnsetType | None, Meta(description="Paid on a tip for the dealer.")] = UNSET
    paid: event_kinds.Amount | UnsetType | None = UNSET


class SeatRecord(_Part, frozen=True, kw_only=True):
    """Betting position. Wagers (and bonuses) of one name differ in `selection` or `tip`."""

    seat: event_kinds.SeatNumber
    player: Identifier | UnsetType | None = UNSET
    cards: event_kinds.CardText | UnsetType | None = UNSET
    discarded: event_kinds.CardText | UnsetType | None = UNSET
    drawn: event_kinds.CardText | UnsetType | None = UNSET
    decision: event_kinds.Name | UnsetType | None = UNSET
    stack: Annotated[event_kinds.Amount | UnsetType | None, Meta(description="Chips before anything was wagered.")] = (
        UNSET
    )
    stack_after: Annotated[event_kinds.Amount | UnsetType | None, Meta(description="Chips when the round is over.")] = (
        UNSET
    )
    won: Annotated[event_kinds.Amount | UnsetType | None, Meta(description="Chips received from pots, after rake.")] = (
        UNSET
    )
    playing: Annotated[
        bool | UnsetType | None, Meta(description="True if the seat takes part in the round; left out, it does.")
    ] = UNSET
    split_of: Annotated[
        event_kinds.SeatNumber | UnsetType | None,
        Meta(description="Seat whose hand was split; this hand began with one of its cards."),
    ] = UNSET
    wagers: Annotated[list[WagerRecord], Meta(max_length=MOST_STAKES)]
    bonuses: Annotated[list[BonusRecord], Meta(max_length=MOST_STAKES)] | UnsetType | None = UNSET


class MeterRecord(_Part, frozen=True, kw_only=True):
    """Readings of a meter."""

    meter: event_kinds.Name
    opening: Annotated[event_kinds.Amount | UnsetType | None, Meta(description="Before the wagers of the round.")] = (
        UNSET
    )
    shown: Annotated[
        event_kinds.Amount | UnsetType | None,
        Meta(description="When awards are made: after the wagers of the round, before any award."),
    ] = UNSET
    closing: Annotated[event_kinds.Amount | UnsetType | None, Meta(description="After the round.")] = UNSET


class Annotations(_Part, frozen=True, kw_only=True):
    """Notes of a simulator about the round; no check reads them."""

    planted: Annotated[
        list[Identifier], Meta(max_length=1000, description="Requirements that the round was made to break.")
    ]


class RoundRecord(_Part, frozen=True, kw_only=True):
    """Round of play: one line of a hand log in JSON Lines."""

    round: Annotated[Identifier, Meta(description="Id of the round.")]
    casino: Identifier | UnsetType | None = UNSET
    table: Identifier
    time: TimeText
    game: Annotated[Identifier, Meta(description="Id of the document that governs the game.")]
    number: Annotated[
        RoundNumber | UnsetType | None, Meta(description="Number of the round since the table opened.")
    ] = UNSET
    currency: CurrencyCode | UnsetType | None = UNSET
    deck: event_kinds.DeckName | UnsetType | None = UNSET
    button: Annotated[
        event_kinds.SeatNumber | UnsetType | None,
        Meta(description="Seat that has the button, whether the seat is listed or not."),
    ] = UNSET
    small_bet: Annotated[
        event_kinds.Amount | UnsetType | None,
        Meta(description="Size of bets and raises in the earlier betting rounds, if the limit is fixed."),
    ] = UNSET
    big_bet: Annotated[
        event_kinds.Amount | UnsetType | None,
        Meta(description="Size of bets and raises in the later betting rounds, if the limit is fixed."),
    ] = UNSET
    after: Annotated[
        Identifier | UnsetType | None, Meta(description="Id of the round played just before at this table.")
    ] = UNSET
    complete: Annotated[
        bool | UnsetType | None,
        Meta(description="False if the record stops before the end of the round; left out, it is complete."),
    ] = UNSET
    seats: Annotated[list[SeatRecord], Meta(max_length=MOST_SEATS, description="Each seat number once.")]
    dealer: event_kinds.CardText | UnsetType | None = UNSET
    dealer_discarded: event_kinds.CardText | UnsetType | None = UNSET
    dealer_drawn: event_kinds.CardText | UnsetType | None = UNSET
    community: event_kinds.CardText | UnsetType | None = UNSET
    community_discarded: event_kinds.CardText | UnsetType | None = UNSET
    outcomes: Results | UnsetType | None = UNSET
    meters: (
        Annotated[list[MeterRecord], Meta(max_length=MOST_METERS, description="Each meter once.")] | UnsetType | None
    ) = UNSET
    events: Events | UnsetType | None = UNSET
    unrecorded: Unrecorded | UnsetType | None = UNSET
    context: Context | UnsetType | None = UNSET
    annotations: Annotations | UnsetType | None = UNSET


_SEATED: dict[str, Any] = {
    "if": {"properties": {"place": {"const": "player"}}},
    "then": {"required": ["seat"], "properties": {"seat": {"type": "integer"}}},
    "else": {"properties": {"seat": {"type": "null"}}},
}
_SEATED_IF_PLACED: dict[str, Any] = {
    "if": {"required": ["place"], "properties": {"place": {"type": "string"}}},
    "then": {"$ref": "#/$defs/Seated"},
}


def build_round_schema() -> dict[str, Any]:
    """Build the JSON Schema (2020-12) of one round.

    It accepts every record that the reader accepts. The reader also checks what the schema cannot express: seat
    numbers, stakes and meters are listed once, events name listed seats, and dates exist.
    """
    parts = msgspec.json.schema(RoundRecord)["$defs"]
    record = parts.pop("RoundRecord")
    record["properties"]["events"]["anyOf"][0]["items"].pop("discriminator")
    for part in parts.values():
        if "place" in part["properties"]:
            part["$ref"] = f"#/$defs/{'Seated' if 'place' in part['required'] else 'SeatedIfPlaced'}"
    parts |= {"Seated": _SEATED, "SeatedIfPlaced": _SEATED_IF_PLACED}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **record,
        "title": "A round of play in a hand log",
        "$defs": dict(sorted(parts.items())),
    }


Value = str | int


def encode_context(context: Mapping[str, Value]) -> str:
    """Encode a context as a JSON object of text values, with sorted keys: equal contexts give equal texts."""
    return msgspec.json.encode({key: str(value) for key, value in sorted(context.items())}).decode()


def decode_context(text: str | None) -> dict[str, str]:
    """Decode a context from its text; None gives an empty context."""
    return {} if text is None else msgspec.json.decode(text, type=dict[str, str])
