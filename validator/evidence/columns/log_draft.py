"""Columns under construction: texts as codes, codes of lines, hashes of texts, and rows of a log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import (
    ABSENT,
    Codes,
    Flags,
    Identities,
    Ints,
    Ints8,
    Ints16,
    Ints32,
    are_all,
    find_true,
    has_any,
    make_offsets,
)
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD, UNKNOWN, format_cards, parse_cards
from fairdeal.validator.evidence.columns.round_batch import (
    DAY,
    UNDATED,
    Batch,
    CodedColumn,
    EventFields,
    Hands,
    MeterFields,
    OutcomeFields,
    RoundFields,
    SeatFields,
    Stakes,
    translate_codes,
)
from fairdeal.validator.evidence.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.round_record import decode_context

_BAD = 253
_SPACE = ord(" ")


def _build_pair_tables() -> tuple[Codes, NDArray[np.uint16]]:
    """Build the code of the card for two bytes, read as a little-endian number, and the inverse."""
    codes = np.full(65536, _BAD, np.uint8)
    pairs = np.zeros(256, np.uint16)
    for code in (*range(KNOWN_CARDS), UNKNOWN):
        pairs[code] = int.from_bytes(format_cards([code]).encode(), "little")
        codes[pairs[code]] = code
    return codes, pairs.astype("<u2")


_CODE_OF_PAIR, _PAIR_OF_CODE = _build_pair_tables()


class DecodedHands(NamedTuple):
    """Column of hands. A malformed row holds no cards."""

    hands: Hands
    """The hands, one row per text."""
    well_formed: Flags
    """False if the text is not a hand, bool[n]."""


def decode_hand_texts(texts: Sequence[str | None]) -> DecodedHands:
    """Decode hands from a column of texts; None if the cards are not recorded."""
    try:
        return _decode_present(texts)  # type: ignore[arg-type]
    except TypeError:  # some text is None: cheaper to run into than to look for
        decoded = _decode_present([text or "" for text in texts])
        count = np.where([text is None for text in texts], np.int16(ABSENT), decoded.hands.count)
        return decoded._replace(hands=replace(decoded.hands, count=count))


def _decode_present(texts: Sequence[str]) -> DecodedHands:
    joined = np.frombuffer(" ".join(texts).encode("utf-8", "surrogatepass"), np.uint8)
    spaces = find_true(joined == _SPACE)
    if len(spaces) == max(len(texts) - 1, 0):
        lengths = np.diff(spaces, prepend=-1, append=len(joined))[: len(texts)] - 1
        characters = joined[joined != _SPACE]
    else:  # some text has a space of its own
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        characters = np.frombuffer(b"".join(encoded), np.uint8)
    return decode_hand_bytes(characters, lengths)


def decode_hand_bytes(characters: Codes, lengths: Ints) -> DecodedHands:
    """Decode hands from rows of text end to end.

    Args:
        characters: the bytes of all rows.
        lengths: the number of bytes of each row, int64[n].
    """
    well_formed = (lengths % 2 == 0) & (lengths <= 2 * WIDEST_HAND)
    if not are_all(well_formed):
        characters = characters[np.repeat(well_formed, lengths)]
    codes = _CODE_OF_PAIR[np.ascontiguousarray(characters).view("<u2")]
    counts = np.where(well_formed, lengths // 2, 0)
    cards = np.full((len(lengths), WIDEST_HAND), NO_CARD, np.uint8)
    cards.reshape(-1)[card_indices(np.arange(len(counts)), counts)] = codes
    if has_any(codes == _BAD):
        wrong = (cards == _BAD).any(axis=1)
        cards[wrong], counts[wrong], well_formed[wrong] = NO_CARD, 0, False
    return DecodedHands(Hands(cards=cards, count=counts.astype(np.int16)), well_formed)


def card_indices(rows: Ints, counts: Ints) -> Ints:
    """Return the indices of the first `counts` cards of some rows, in the cards of all rows end to end.

    Returns: int64[sum of counts].
    """
    start = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) + np.repeat(rows * WIDEST_HAND - start, counts)


def encode_hand_bytes(hands: Hands) -> tuple[Codes, Ints]:
    """Encode all hands end to end as bytes. Unrecorded hands have no bytes.

    Returns: the bytes, and the number of bytes of each hand, int64[n].
    """
    counts = np.maximum(hands.count, 0).astype(np.int64)
    cards = hands.cards.reshape(-1)[card_indices(np.arange(len(counts)), counts)]
    return _PAIR_OF_CODE[cards].view(np.uint8), 2 * counts


_DIGITS = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]
"""Indices of the digits in `2026-03-01T12:00:00`."""
_THOUSANDS, _TENS = np.array([1000, 100, 10, 1]), np.array([10, 1])


def parse_local_times(texts: Sequence[str]) -> tuple[Ints, Flags]:
    """Parse times, and mark those whose day does not exist.

    The texts must match `TIME_PATTERN`. The offset from UTC is ignored (see `parse_utc_offsets`): a round belongs to
    the day that its log states. Fractions finer than a microsecond are dropped.

    Returns: int64[n] and bool[n].
    """
    stamps = np.frombuffer("".join([text[:19] for text in texts]).encode("ascii"), np.uint8).reshape(-1, 19)
    digits = stamps[:, _DIGITS].astype(np.int64) - ord("0")
    year, month, day = digits[:, :4] @ _THOUSANDS, digits[:, 4:6] @ _TENS, digits[:, 6:8] @ _TENS
    hour, minute, second = digits[:, 8:10] @ _TENS, digits[:, 10:12] @ _TENS, digits[:, 12:] @ _TENS
    months = 12 * (year - 1970) + month - 1
    first, following = _count_days_to_month(months), _count_days_to_month(months + 1)
    exists = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= following - first)
    seconds = (((first + day - 1) * 24 + hour) * 60 + minute) * 60 + second
    fractions = np.array([_parse_fraction(text) for text in texts], np.int64)
    return seconds * 1_000_000 + fractions, ~exists


def format_time(time: int, offset: int, dated: int) -> str | None:
    """Format a time as in a log; the day alone, or None, if the log states no more.

    Args:
        time: microseconds by the clock of the log.
        offset: minutes by which that clock is ahead of UTC.
        dated: the precision of the time.
    """
    if dated == UNDATED:
        return None
    text = str(np.datetime_as_string(np.datetime64(time, "us"), unit="s"))
    if dated == DAY:
        return text[:10]
    fraction = f".{time % 1_000_000:06d}".rstrip("0") if time % 1_000_000 else ""
    return f"{text}{fraction}{format_utc_offset(offset)}"


def format_utc_offset(offset: int) -> str:
    """Format the offset from UTC in minutes, for the end of a time: `Z`, or signed hours and minutes."""
    if not offset:
        return "Z"
    return f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"


def parse_utc_offsets(texts: Sequence[str]) -> Ints16:
    """Parse the offset from UTC of each text, in minutes. Texts as for `parse_local_times`.

    Returns: int16[n].
    """
    if all(text[-1] == "Z" for text in texts):
        return np.zeros(len(texts), np.int16)
    return np.array([0 if text[-1] == "Z" else _parse_minutes(text[-6:]) for text in texts], np.int16)


def _parse_minutes(offset: str) -> int:
    minutes = 60 * int(offset[1:3]) + int(offset[4:])
    return -minutes if offset[0] == "-" else minutes


def _count_days_to_month(months: Ints) -> Ints:
    """Return days from 1970-01-01 to the first of a month, given months since January 1970."""
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _parse_fraction(text: str) -> int:
    """Return the microseconds after the full second."""
    if text[19] != ".":
        return 0
    digits = text[20:].rstrip("Z").partition("+")[0].partition("-")[0]
    return int(digits[:6].ljust(6, "0"))


_MICROSECONDS_A_MINUTE = 60_000_000


def convert_to_utc(time: Ints, offset: Ints16) -> Ints:
    """Convert times by the clock of a log, which is ahead of UTC by some minutes, to microseconds UTC.

    Returns: int64[n].
    """
    return time - _MICROSECONDS_A_MINUTE * offset.astype(np.int64)


class SeatColumns(SeatFields, frozen=True, kw_only=True):
    """All seats, in order."""

    counts: Ints
    """Number of seats of each round, int64[rounds]."""


class MeterColumns(MeterFields, frozen=True, kw_only=True):
    """All readings of meters, in order."""

    counts: Ints
    """Number of readings of each round, int64[rounds]."""


class OutcomeColumns(OutcomeFields, frozen=True, kw_only=True):
    """All results that are no cards, in order."""

    counts: Ints
    """Number of results of each round, int64[rounds]."""


class EventColumns(EventFields, frozen=True, kw_only=True):
    """All events, in order."""

    counts: Ints
    """Number of events of each round, int64[rounds]."""
    seat: Ints8
    """Number of the seat in the log; below 1 if the event names none."""


ListColumns = SeatColumns | MeterColumns | OutcomeColumns | EventColumns
"""Columns of the entries of a list in every round."""


class LogDraft(RoundFields, frozen=True, kw_only=True):
    """Rounds of a log, in order.

    Every field has its type and is within its bounds, and every event has exactly the fields of its kind. Exceptions
    are noted in a `BadRounds`.
    """

    file: str
    """Name of the log."""
    game: CodedColumn
    """Document that governs the game."""
    outcomes: OutcomeColumns
    meters: MeterColumns
    seats: SeatColumns
    stakes: Stakes
    events: EventColumns


class BadRounds:
    """Bad rounds, by index, each with the first reason found."""

    __slots__ = ("reasons",)

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}

    def note(self, round_index: int, reason: str) -> None:
        """Record a round as bad, unless it is already."""
        self.reasons.setdefault(round_index, reason)


class RowLevel:
    """Rows of one relation: rounds, or the entries of a list in the rows of another relation.

    Every refusal is noted in `wrong`, for the round of the row.
    """

    __slots__ = ("_name", "_offsets", "_parent", "wrong")

    def __init__(self, wrong: BadRounds) -> None:
        self.wrong = wrong
        self._parent: RowLevel | None = None
        self._name = ""
        self._offsets = np.empty(0, np.int64)

    def nested_list(self, name: str, counts: Ints) -> RowLevel:
        """Return the level of the entries of a list.

        Args:
            name: the key of the list.
            counts: the number of entries of each row of this level, int64[rows].
        """
        inner = RowLevel(self.wrong)
        inner._parent, inner._name = self, name
        inner._offsets = make_offsets(counts)
        return inner

    def locate(self, row: int) -> tuple[int, str]:
        """Return the round of a row and the path to the row in the record, such as `$.seats[2]`."""
        if self._parent is None:
            return row, "$"
        owner = int(np.searchsorted(self._offsets, row, side="right")) - 1
        round_index, path = self._parent.locate(owner)
        return round_index, f"{path}.{self._name}[{row - int(self._offsets[owner])}]"

    def refuse(self, bad: Flags, field: str, reason: str | Callable[[int], str]) -> None:
        """Note the rounds of the marked rows as bad.

        Args:
            bad: the rows, bool[n].
            field: the bad field; empty if the row itself is bad.
            reason: the reason, which may depend on the row.
        """
        for row in find_true(bad).tolist():
            round_index, path = self.locate(row)
            explanation = reason if isinstance(reason, str) else reason(row)
            self.wrong.note(round_index, f"at `{path}{'.' * bool(field)}{field}`: {explanation}")

    def check_hands(self, decoded: DecodedHands, field: str, text: Callable[[int], str | None]) -> Hands:
        """Return the hands of a column and refuse malformed ones. `text` returns the source of a row."""
        self.refuse(~decoded.well_formed, field, lambda row: explain_bad_hand(text(row) or ""))
        return decoded.hands


def explain_bad_hand(text: str) -> str:
    """Explain why a text is not a hand."""
    try:
        parse_cards(text)
    except ValueError as error:
        return str(error)
    return "more cards than a hand can hold"


class LineCodes(NamedTuple):
    """Lines of stakes and of events: a wager or a bonus and, if a stake has one, its selection."""

    stakes: Ints32
    """Line of each stake, int32[stakes]."""
    events: Ints32
    """Line of each event; ABSENT for none, int32[events]."""
    names: tuple[str, ...]
    """Text of each line: the name of the wager, and the selection."""


_MOST_CELLS = 1 << 16
"""Number of wagers times selections that always justifies a table; beyond it, most must be in use."""


def number_lines(batch: Batch) -> LineCodes:
    """Number the lines of a batch: stakes on one wager are different lines if their selections differ."""
    events, stakes = batch.events, batch.stakes
    wager_of_events, wagers = translate_codes(events.wager, stakes.wager)
    with_selection = events.value.names and has_any((events.value.codes >= 0) & (wager_of_events >= 0))
    if not with_selection and stakes.selection.codes.max(initial=ABSENT) < 0:
        return LineCodes(stakes.wager.codes, wager_of_events, wagers)
    on_of_events, selections = translate_codes(events.value, stakes.selection)
    width = len(selections) + 1
    keys = np.concatenate(
        [
            stakes.wager.codes.astype(np.int64) * width + stakes.selection.codes + 1,
            np.where(wager_of_events < 0, ABSENT, wager_of_events.astype(np.int64) * width + on_of_events + 1),
        ]
    )
    if width * len(wagers) > _MOST_CELLS + 8 * len(keys):
        distinct, codes = np.unique(keys, return_inverse=True)
        has_none = len(distinct) > 0 and distinct[0] == ABSENT
        distinct, lines = distinct[int(has_none) :], codes.astype(np.int32) - np.int32(has_none)
    else:  # a table is faster than sorting
        is_used = np.zeros(width * len(wagers) + 1, np.bool_)  # the last entry is for no line
        is_used[keys] = True
        is_used[-1] = False
        distinct = find_true(is_used)
        place = np.full(len(is_used), ABSENT, np.int32)
        place[distinct] = np.arange(len(distinct), dtype=np.int32)
        lines = place[keys]
    parts = [divmod(key, width) for key in distinct.tolist()]
    texts = tuple(describe_line(wagers[wager], selections[on - 1] if on else None) for wager, on in parts)
    return LineCodes(lines[: len(stakes.seat)], lines[len(stakes.seat) :], texts)


def describe_line(wager: str, on: str | None = None) -> str:
    """Return the name of a wager, with the selection of the stake if it has one."""
    return wager if on is None else f"{wager} on {on}"


def code_context(context: CodedColumn, key: str) -> tuple[list[str], Ints]:
    """Return the values of a key of the context, in order, and the index of the value of each round.

    Returns: the values, and int64[rounds], ABSENT where the key is not recorded.
    """
    values = [decode_context(text).get(key) for text in context.names]
    names = sorted({value for value in values if value is not None})
    number = {name: code for code, name in enumerate(names)}
    codes = [ABSENT if value is None else number[value] for value in values]
    return names, np.array([*codes, ABSENT], np.int64)[context.codes]


_STEP = np.uint64(0x9E3779B97F4A7C15)


def hash_texts(texts: Sequence[str]) -> Identities:
    """Hash texts to numbers, 0 for an empty text: a polynomial of the characters modulo 2**64.

    Returns: uint64[n].
    """
    wide = np.array([*texts, ""], np.str_)
    letters = wide.view(np.uint32).reshape(len(wide), -1).astype(np.uint64)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    hashes = np.zeros(len(texts), np.uint64)
    for place, column in enumerate(letters[:-1].T):
        # A text may contain the character zero, which also pads shorter texts here.
        hashes = np.where(place < lengths, hashes * _STEP + column + np.uint64(1), hashes)
    return hashes


def hash_column(column: CodedColumn) -> Identities:
    """Hash the texts of a column, 0 if nothing is recorded.

    Returns: uint64[n].
    """
    return hash_texts([*column.names, ""])[column.codes]
