"""Operations on relations (structs of columns): build, choose rows, concatenate, translate codes, hash texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Flags, Identities, Ints, Ints32, are_all, find_true, has_any
from fairdeal.validator.cards.card_codes import NO_CARD
from fairdeal.validator.evidence.columns.batch import Batch, CodedColumn, Hands, Stakes
from fairdeal.validator.evidence.handlog.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.handlog.round_record import decode_context


def no_numbers(rows: int) -> Ints:
    """Return a column of ABSENT.

    Returns: int64[rows].
    """
    return np.full(rows, ABSENT, np.int64)


def no_names(rows: int) -> CodedColumn:
    """Return a column of text in which nothing is recorded."""
    return CodedColumn(codes=np.full(rows, ABSENT, np.int32), names=())


def no_hands(rows: int) -> Hands:
    """Return hands of which none is recorded."""
    return Hands(cards=np.full((rows, WIDEST_HAND), NO_CARD, np.uint8), count=np.full(rows, ABSENT, np.int16))


Relation = TypeVar("Relation", bound=Struct)


def take_rows(relation: Relation, chosen: Flags | Ints, **given: object) -> Relation:
    """Return a relation (a struct of columns) with the rows that `chosen` marks or lists.

    Columns in `given` replace those of the relation. Fields that are not columns stay as they are.
    """
    cut = {
        name: _cut_column(getattr(relation, name), chosen) for name in relation.__struct_fields__ if name not in given
    }
    return replace(relation, **cut, **given)


def _cut_column(column: Any, chosen: Flags | Ints) -> Any:
    if column is None or isinstance(column, str):
        return column
    if isinstance(column, tuple):
        return tuple(np.array(column, np.object_)[chosen].tolist())
    if isinstance(column, CodedColumn):
        return CodedColumn(codes=column.codes[chosen], names=column.names)
    return take_rows(column, chosen) if isinstance(column, Struct) else column[chosen]


def concatenate_relations(parts: Sequence[Relation]) -> Relation:
    """Concatenate relations of one kind.

    Columns of text must share one set of names, which only grew from part to part. Raises IndexError if there are no
    parts.
    """
    joined: Relation = _join(parts)
    return joined


def _join(parts: Sequence[Any]) -> Any:
    last = parts[-1]
    if len(parts) == 1 or isinstance(last, str):
        return last
    if isinstance(last, tuple):
        return tuple([value for part in parts for value in part])
    if isinstance(last, CodedColumn):
        return CodedColumn(codes=np.concatenate([part.codes for part in parts]), names=last.names)
    if not isinstance(last, Struct):
        return np.concatenate(parts)
    joined = {name: _join([getattr(each, name) for each in parts]) for name in last.__struct_fields__}
    return replace(last, **joined)


def merge_stakes(wagers: Stakes, bonuses: Stakes) -> Stakes:
    """Merge the stakes of every seat, wagers before bonuses. Names as for `concatenate_relations`."""
    if not len(bonuses.seat):
        return wagers
    both = concatenate_relations([wagers, bonuses])
    return take_rows(both, np.argsort(both.seat, kind="stable"))


def translate_codes(column: CodedColumn, target: CodedColumn) -> tuple[Ints32, tuple[str, ...]]:
    """Translate the codes of a column to those of another, and return the names of the new codes.

    Names that the other column lacks follow its own. ABSENT stays ABSENT.

    Returns: int32[n] and the names.
    """
    if column.names == target.names[: len(column.names)]:
        return column.codes, target.names
    codes = {name: code for code, name in enumerate(target.names)}
    table = [codes.setdefault(name, len(codes)) for name in column.names]
    return np.array([*table, -1], np.int32)[column.codes], tuple(codes)


def sort_selections(column: CodedColumn) -> CodedColumn:
    """Return a column of selections with the parts of each in a fixed order, so that equal selections are equal."""
    if not any(" " in name for name in column.names):
        return column
    codes = CodeTable()
    table = [codes[" ".join(sorted(name.split(" "), key=lambda part: (len(part), part)))] for name in column.names]
    return CodedColumn(codes=np.array([*table, ABSENT], np.int32)[column.codes], names=codes.names)


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


def select_rounds(batch: Batch, keep: Flags) -> Batch:
    """Return the rounds marked in `keep` (bool[rounds]), in order; the same batch if all are marked.

    Names keep their codes, including names that no longer occur.
    """
    if are_all(keep):
        return batch
    seats, stakes, events, meters, outcomes = batch.seats, batch.stakes, batch.events, batch.meters, batch.outcomes
    kept_seats = keep[seats.round]
    kept_stakes = kept_seats[stakes.seat]
    kept_events = keep[events.round]
    kept_meters, kept_outcomes = keep[meters.round], keep[outcomes.round]
    new_round, new_seat = _renumber(keep), _renumber(kept_seats)
    cards_row = events.cards_row[kept_events]
    kept_hands = np.zeros(len(events.hands.count), np.bool_)
    kept_hands[cards_row[cards_row >= 0]] = True
    return take_rows(
        batch,
        keep,
        outcomes=take_rows(
            outcomes,
            kept_outcomes,
            offsets=_select_offsets(outcomes.offsets, keep),
            round=new_round[outcomes.round[kept_outcomes]],
        ),
        meters=take_rows(
            meters,
            kept_meters,
            offsets=_select_offsets(meters.offsets, keep),
            round=new_round[meters.round[kept_meters]],
        ),
        seats=take_rows(
            seats,
            kept_seats,
            offsets=_select_offsets(seats.offsets, keep),
            round=new_round[seats.round[kept_seats]],
        ),
        stakes=take_rows(stakes, kept_stakes, seat=new_seat[stakes.seat[kept_stakes]]),
        events=take_rows(
            events,
            kept_events,
            offsets=_select_offsets(events.offsets, keep),
            round=new_round[events.round[kept_events]],
            seat=new_seat[events.seat[kept_events]],
            cards_row=_renumber(kept_hands)[cards_row],
            hands=take_rows(events.hands, kept_hands),
        ),
    )


def cut_before_event(batch: Batch, event: int) -> Batch:
    """Return a batch of one round without the events from `event` on."""
    events = batch.events
    keep = np.arange(len(events.kind)) < event
    offsets = np.array([0, keep.sum()], np.int64)
    return replace(batch, events=take_rows(events, keep, offsets=offsets, hands=events.hands))


def _renumber(keep: Flags) -> Ints32:
    """Return the new index of each kept item, with a last entry that maps ABSENT to itself."""
    return np.append(np.cumsum(keep, dtype=np.int32) - np.int32(1), np.int32(ABSENT))


def _select_offsets(offsets: Ints, keep: Flags) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(offsets)[keep])])


_EMPTY = bytes([NO_CARD])
_NO_CARDS = _EMPTY * WIDEST_HAND
_NUMBERS: Mapping[str, Any] = {
    "Ints": np.int64,
    "Ints32": np.int32,
    "Ints16": np.int16,
    "Ints8": np.int8,
    "Codes": np.uint8,
    "Flags": np.bool_,
}


def build_relation(
    of: type[Relation], rows: int, names: Mapping[str, Sequence[str]] | None = None, /, **given: object
) -> Relation:
    """Build a relation (a struct of columns) of a number of rows.

    Args:
        of: the struct.
        rows: the number of rows.
        names: first names of columns of text or codes, by field.
        given: by field, a list with one value per row (None if not recorded), or a finished column. Nothing is recorded
            in a column that is left out.
    """
    first = names or {}
    fields = of.__annotations__.items()
    return of(**{name: _build_column(type_, given.get(name), rows, first.get(name)) for name, type_ in fields})


def _build_column(kind: str, values: Any, rows: int, names: Sequence[str] | None) -> Any:
    if (values is not None and not isinstance(values, list)) or kind.endswith("| None"):
        return values
    recorded = None if values is None or values.count(None) == rows else values
    if kind == "Hands":
        return no_hands(rows) if recorded is None else build_hands(recorded)
    if kind == "CodedColumn" or names is not None:
        column = _encode(recorded or [None] * rows, names or ())
        return column if kind == "CodedColumn" else column.codes.astype(_NUMBERS[kind])
    if recorded is None:
        return no_numbers(rows).astype(_NUMBERS[kind])
    return np.array([ABSENT if value is None else value for value in recorded], _NUMBERS[kind])


def build_hands(hand_cards: Sequence[Sequence[int] | None]) -> Hands:
    """Build columns from lists of cards; None gives an unrecorded hand."""
    text = b"".join([bytes(value).ljust(WIDEST_HAND, _EMPTY) if value else _NO_CARDS for value in hand_cards])
    cards = np.frombuffer(text, np.uint8).reshape(len(hand_cards), WIDEST_HAND).copy()
    return Hands(
        cards=cards, count=np.array([ABSENT if value is None else len(value) for value in hand_cards], np.int16)
    )


def _encode(column: Sequence[str | None], names: Sequence[str]) -> CodedColumn:
    codes = CodeTable(names)
    column_codes = np.fromiter(map(codes.__getitem__, column), np.int32, len(column))
    return CodedColumn(codes=column_codes, names=codes.names)


def code_context(context: CodedColumn, key: str) -> tuple[list[str], Ints]:
    """Return the values of a key of the context, in order, and the index of the value of each round.

    Returns: the values, and int64[rounds], ABSENT where the key is not recorded.
    """
    values = [decode_context(text).get(key) for text in context.names]
    names = sorted({value for value in values if value is not None})
    number = {name: code for code, name in enumerate(names)}
    codes = [ABSENT if value is None else number[value] for value in values]
    return names, np.array([*codes, ABSENT], np.int64)[context.codes]


class CodeTable(dict[Any, int]):
    """Dictionary that numbers its keys: a new key gets the next number, None is ABSENT."""

    def __init__(self, names: Sequence[Any] = ()) -> None:
        super().__init__({None: ABSENT} | {name: code for code, name in enumerate(names)})

    def __missing__(self, name: Any) -> int:
        code = self[name] = len(self) - 1
        return code

    @property
    def names(self) -> tuple[Any, ...]:
        """Keys in the order of their numbers."""
        return tuple(self)[1:]


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
