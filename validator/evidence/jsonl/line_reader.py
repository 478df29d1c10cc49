"""Lines of hand logs to batches. The reader is strict, and a bad line never affects a good neighbour.

Decoded records become columns in a few passes over all rounds, seats, stakes and events at once. No Python code runs
for a single event; without that, a log of millions of events would take too long.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Ints
from fairdeal.validator.evidence import round_record
from fairdeal.validator.evidence.assembly import DecodedBlock, assemble_batches
from fairdeal.validator.evidence.columns import log_draft
from fairdeal.validator.evidence.columns.recorded_events import make_mask
from fairdeal.validator.evidence.columns.round_batch import (
    Batch,
    CodedColumn,
    Hands,
    Stakes,
    concatenate_relations,
    merge_stakes,
    no_hands,
)
from fairdeal.validator.evidence.jsonl import record_columns
from fairdeal.validator.evidence.jsonl.record_cache import InternedRecords, LogVocabulary, get_vocabulary
from fairdeal.validator.evidence.jsonl.record_columns import find_duplicate_keys
from fairdeal.validator.evidence.jsonl.text_lookup import ExtractedLists, UnusualError, count_byte, extract_lists
from fairdeal.validator.evidence.round_record import LINE_TOO_LONG, LONGEST_LINE, RoundRecord
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.diagnostics import quote


class FlatRecords(NamedTuple):
    """Records as columns."""

    part: log_draft.LogDraft
    """Columns of the records."""
    wrong: log_draft.BadRounds
    """Bad records, by index."""
    doubled: bool
    """True if a key may occur twice in an object."""


class Flattener:
    """Collector of records, some at a time, into one draft.

    About a hundred records at a time are fastest: their objects then stay in the processor's cache from decoding to
    flattening.
    """

    __slots__ = ("_after", "_casino", "_context", "_currency", "_extractors", "_file", "_game", "_hands", "_meter",
                 "_outcome", "_parts", "_player", "_rounds", "_seats", "_table", "vocabulary", "wrong")  # fmt: skip

    def __init__(self, file: str) -> None:
        self.wrong = log_draft.BadRounds()
        """Rounds whose cards or time are malformed."""
        self._file = file
        self._parts: list[log_draft.LogDraft] = []
        self._rounds = self._seats = self._hands = 0
        self._extractors: tuple[type[record_columns.Extractor], ...] = (
            record_columns.OptimisticExtractor,
            record_columns.Extractor,
        )
        self._game, self._table, self._casino = (
            record_columns.NameCodes(),
            record_columns.NameCodes(),
            record_columns.NameCodes(),
        )
        self._player, self._meter, self._after = (
            record_columns.NameCodes(),
            record_columns.NameCodes(),
            record_columns.NameCodes(),
        )
        self._currency, self._context = record_columns.NameCodes(), record_columns.NameCodes()
        self._outcome = record_columns.NameCodes()
        self.vocabulary = get_vocabulary()
        """Names of wagers, decisions and other texts, shared with the columns of events that were cut out of lines."""

    def __len__(self) -> int:
        return self._rounds

    def draft(self) -> log_draft.LogDraft:
        """Return all records added so far, at least one."""
        return concatenate_relations(self._parts)

    def flatten(
        self,
        records: Sequence[round_record.RoundRecord],
        lines: Sequence[int],
        texts: Sequence[bytes],
        interned: InternedRecords | None,
    ) -> FlatRecords:
        """Return records as columns.

        Args:
            records: the records.
            lines: the line of each record, from 1.
            texts: the text that each record was decoded from.
            interned: data that were cut out of the texts; None if nothing was.
        """
        colons = record_columns.count_colons(records)
        for extractor_type in self._extractors:
            extractor, bad_rounds = extractor_type(), log_draft.BadRounds()
            part = self._build_draft(extractor, log_draft.RowLevel(bad_rounds), records, lines, interned)
            doubled = record_columns.may_have_duplicate_keys(
                texts, self._texts(part, interned), keys=extractor.keys, colons=colons
            )
            if not doubled:
                self._extractors = self._extractors[self._extractors.index(extractor_type) :]
                break
        return FlatRecords(part, bad_rounds, doubled)

    def _texts(self, part: log_draft.LogDraft, interned: InternedRecords | None) -> Iterator[CodedColumn]:
        """Yield the columns of the texts that the records themselves contain."""
        yield from (part.game, part.table, part.casino, part.deck, part.after, part.meters.meter, part.outcomes.name)
        if interned is None or interned.seats is None:
            yield from (part.seats.player, part.seats.decision)
        if interned is None:
            yield from (part.stakes.wager, part.stakes.selection)
            yield from self.vocabulary.names.text_columns(part.events)

    def _build_draft(
        self,
        extractor: record_columns.Extractor,
        grain: log_draft.RowLevel,
        records: Sequence[round_record.RoundRecord],
        lines: Sequence[int],
        interned: InternedRecords | None,
    ) -> log_draft.LogDraft:
        seat_lists, event_lists = extractor.take_required(records, "seats"), extractor.take_optional(records, "events")
        seats = list(chain.from_iterable(seat_lists))
        known = self._recode_seats(interned)
        unrecorded = extractor.take_optional(records, "unrecorded")
        annotations = extractor.take_optional(records, "annotations")
        extractor.keys += sum([noted is not None for noted in annotations])  # one key `planted` each
        dealer, community = extractor.take_optional(records, "dealer"), extractor.take_optional(records, "community")
        times = extractor.take_required(records, "time")
        time, no_such_day = log_draft.parse_local_times(times)
        grain.refuse(no_such_day, "time", lambda row: f"there is no such day as {times[row][:10]}")
        return log_draft.LogDraft(
            file=self._file,
            line=np.array(lines, np.int64),
            round=tuple(extractor.take_required(records, "round")),
            game=extractor.take_names(records, "game", self._game),
            table=extractor.take_names(records, "table", self._table),
            casino=extractor.take_optional_names(records, "casino", self._casino),
            time=time,
            offset=log_draft.parse_utc_offsets(times),
            number=extractor.take_rare_amounts(records, "number").astype(np.int32),
            deck=extractor.take_rare_names(records, "deck", self.vocabulary.names.deck),
            button=extractor.take_rare_amounts(records, "button").astype(np.int8),
            small_bet=extractor.take_rare_amounts(records, "small_bet"),
            big_bet=extractor.take_rare_amounts(records, "big_bet"),
            after=extractor.take_rare_names(records, "after", self._after),
            complete=extractor.take_rare_flags(records, "complete") != 0,
            dealer=grain.check_hands(log_draft.decode_hand_texts(dealer), "dealer", dealer.__getitem__),
            dealer_discarded=_take_rare_hands(extractor, grain, records, "dealer_discarded"),
            dealer_drawn=_take_rare_hands(extractor, grain, records, "dealer_drawn"),
            community=grain.check_hands(log_draft.decode_hand_texts(community), "community", community.__getitem__),
            community_discarded=_take_rare_hands(extractor, grain, records, "community_discarded"),
            outcomes=self._build_outcomes(extractor, records),
            meters=self._build_meters(extractor, records),
            seats=self._build_seats(extractor, grain, seats, _count_entries(seat_lists)) if known is None else known,
            stakes=self._build_stakes(extractor, seats, interned),
            events=interned.events
            if interned
            else self._build_events(extractor, grain, [events or () for events in event_lists]),
            recorded=np.array([events is not None for events in event_lists], np.bool_),
            unrecorded=np.array([_make_cached_mask(tuple(kinds)) if kinds else 0 for kinds in unrecorded], np.uint64),
            currency=extractor.take_rare_names(records, "currency", self._currency),
            context=self._build_contexts(extractor, records),
        )

    def add(self, flat: FlatRecords) -> None:
        """Add flattened records, before any others are flattened."""
        part = flat.part
        for index, reason in flat.wrong.reasons.items():
            self.wrong.note(self._rounds + index, reason)
        rows_ = part.events.cards_row
        rows_[rows_ >= 0] += self._hands
        self._parts.append(part)
        self._rounds += len(part.round)
        self._seats += len(part.seats.number)
        self._hands += len(part.events.hands.count)

    def _recode_seats(self, interned: InternedRecords | None) -> log_draft.SeatColumns | None:
        if interned is None or interned.seats is None:
            return None
        return replace(interned.seats, player=self._player.recode(interned.seats.player))

    def _build_seats(
        self,
        extractor: record_columns.Extractor,
        grain: log_draft.RowLevel,
        seats: Sequence[round_record.SeatRecord],
        counts: Ints,
    ) -> log_draft.SeatColumns:
        texts = extractor.take_optional(seats, "cards")
        listed = grain.nested_list("seats", counts)
        return record_columns.build_seat_columns(
            extractor,
            seats,
            counts=counts,
            player=extractor.take_optional_names(seats, "player", self._player),
            decision=extractor.take_optional_names(seats, "decision", self.vocabulary.names.decision),
            hands=listed.check_hands(log_draft.decode_hand_texts(texts), "cards", texts.__getitem__),
            discarded=_take_rare_hands(extractor, listed, seats, "discarded"),
            drawn=_take_rare_hands(extractor, listed, seats, "drawn"),
        )

    def _build_contexts(
        self, extractor: record_columns.Extractor, records: Sequence[round_record.RoundRecord]
    ) -> CodedColumn:
        values = extractor.take_rare(records, "context") or [None] * len(records)
        extractor.keys += sum([len(value) for value in values if value])
        codes = [ABSENT if value is None else self._context[round_record.encode_context(value)] for value in values]
        return self._context.column(np.array(codes, np.int32))

    def _build_outcomes(
        self, extractor: record_columns.Extractor, records: Sequence[round_record.RoundRecord]
    ) -> log_draft.OutcomeColumns:
        listed = [results or {} for results in extractor.take_rare(records, "outcomes") or [{}] * len(records)]
        counts, names = np.array([len(results) for results in listed], np.int64), self.vocabulary.names
        extractor.keys += int(counts.sum())
        name = np.fromiter(map(self._outcome.__getitem__, chain.from_iterable(listed)), np.int32)
        values = chain.from_iterable([results.values() for results in listed])
        return log_draft.OutcomeColumns(
            counts=counts,
            name=self._outcome.column(name),
            value=names.value.column(np.fromiter(map(names.value.__getitem__, values), np.int32)),
        )

    def _build_meters(
        self, extractor: record_columns.Extractor, records: Sequence[round_record.RoundRecord]
    ) -> log_draft.MeterColumns:
        lists = [listed or () for listed in extractor.take_rare(records, "meters") or [()] * len(records)]
        meters: list[round_record.MeterRecord] = list(chain.from_iterable(lists))
        return log_draft.MeterColumns(
            counts=_count_entries(lists),
            meter=extractor.take_names(meters, "meter", self._meter),
            opening=extractor.take_amounts(meters, "opening"),
            shown=extractor.take_amounts(meters, "shown"),
            closing=extractor.take_amounts(meters, "closing"),
        )

    def _build_stakes(
        self,
        extractor: record_columns.Extractor,
        seats: Sequence[round_record.SeatRecord],
        interned: InternedRecords | None,
    ) -> Stakes:
        names = self.vocabulary.names
        wager_lists = extractor.take_required(seats, "wagers")
        bonus_lists = [bonuses or () for bonuses in extractor.take_optional(seats, "bonuses")]
        if interned is not None:
            return replace(interned.stakes, seat=interned.stakes.seat + np.int32(self._seats))
        index = np.arange(self._seats, self._seats + len(seats), dtype=np.int32)
        wagers: list[round_record.WagerRecord] = list(chain.from_iterable(wager_lists))
        bonuses: list[round_record.BonusRecord] = list(chain.from_iterable(bonus_lists))
        return merge_stakes(
            record_columns.build_wager_stakes(
                extractor, wagers, names, seat=np.repeat(index, _count_entries(wager_lists))
            ),
            record_columns.build_bonus_stakes(
                extractor, bonuses, names, seat=np.repeat(index, _count_entries(bonus_lists))
            ),
        )

    def _build_events(
        self, extractor: record_columns.Extractor, grain: log_draft.RowLevel, lists: Sequence[Sequence[object]]
    ) -> log_draft.EventColumns:
        counts = _count_entries(lists)
        pool = record_columns.EventPool(extractor, list(chain.from_iterable(lists)))
        at, texts = pool.take_texts("cards")
        cards_row = np.full(len(pool.kind), ABSENT, np.int32)
        cards_row[at] = np.arange(len(at), dtype=np.int32)
        decoded = log_draft.decode_hand_texts(texts)
        malformed = np.zeros(len(pool.kind), np.bool_)
        malformed[at[~decoded.well_formed]] = True
        grain.nested_list("events", counts).refuse(
            malformed, "cards", lambda event: log_draft.explain_bad_hand(texts[cards_row[event]])
        )
        return record_columns.build_event_columns(
            pool, self.vocabulary.names, counts=counts, cards_row=cards_row, hands=decoded.hands
        )


def _take_rare_hands(
    extractor: record_columns.Extractor, grain: log_draft.RowLevel, records: Sequence[object], field: str
) -> Hands:
    """Return the hands of a field that is rarely present."""
    texts = extractor.take_rare(records, field)
    if texts is None:
        return no_hands(len(records))
    return grain.check_hands(log_draft.decode_hand_texts(texts), field.replace("_", "-"), texts.__getitem__)


def _count_entries(lists: Sequence[Sequence[object]]) -> Ints:
    return np.fromiter(map(len, lists), np.int64, len(lists))


@lru_cache(maxsize=256)
def _make_cached_mask(kinds: tuple[str, ...]) -> int:
    return make_mask(kinds)


_BYTES_AT_A_TIME = (3 << 20, 1 << 20)
"""Bytes of lines decoded together, so that they stay in the processor's cache; fewer if some lines are unusual."""
_DECODER = msgspec.json.Decoder(RoundRecord, strict=True)
_WHITESPACE = b" \t\r"


def decode_lines(text: bytes, *, file: str, first_line: int, known_games: Collection[str]) -> DecodedBlock:
    """Decode the lines of `text`, the first of which is line `first_line` of `file`.

    Blank lines are skipped. Every other line is in a batch, or quarantined with the reason: not JSON, not a round, a
    key twice, cards that do not exist, a round that contradicts itself, a game not in `known_games`.
    """
    lines = count_byte(text, b"\n") + 1
    return _decode_text(text, range(first_line, first_line + lines), file, known_games)


def decode_numbered_lines(
    lines: Sequence[bytes], numbers: Sequence[int], *, file: str, known_games: Collection[str]
) -> DecodedBlock:
    """Decode lines with given numbers, as `decode_lines` does."""
    return _decode_text(b"\n".join(lines), numbers, file, known_games)


def _decode_text(text: bytes, at: Sequence[int], file: str, known_games: Collection[str]) -> DecodedBlock:
    flattener = Flattener(file)
    quarantined: list[Quarantined] = []
    collecting = gc.isenabled()
    gc.disable()  # nothing decoded here can form a cycle, and the search for cycles costs more than decoding
    try:
        _add_lines(flattener, text, at, quarantined, file, _BYTES_AT_A_TIME)
    finally:
        if collecting:
            gc.enable()
    read = len(flattener) + len(quarantined)
    batches: tuple[Batch, ...] = ()
    if len(flattener):
        batches, refused = assemble_batches(flattener.draft(), flattener.wrong, known_games)
        quarantined += refused
    quarantined.sort(key=lambda entry: entry.line)
    return DecodedBlock(batches=batches, quarantined=tuple(quarantined), read=read)


def _add_lines(
    flattener: Flattener, text: bytes, at: Sequence[int], bad: list[Quarantined], file: str, sizes: Sequence[int]
) -> None:
    """Add lines, about the first of `sizes` bytes at a time; those that cannot be added quickly, fewer at a time."""
    size, *smaller = sizes
    for part, numbers in _split_parts(text, at, size):
        if _add_quickly(flattener, part, numbers):
            continue
        if smaller:
            _add_lines(flattener, part, numbers, bad, file, smaller)
        else:
            _add_strictly(flattener, part.split(b"\n"), numbers, bad, file)


def _split_parts(text: bytes, at: Sequence[int], size: int) -> Iterator[tuple[bytes, Sequence[int]]]:
    """Yield lines and their numbers, about `size` bytes at a time."""
    start = 0
    while len(text) - start > size and (end := text.find(b"\n", start + size)) >= 0:
        part = text[start:end]
        lines = count_byte(part, b"\n") + 1
        yield part, at[:lines]
        start, at = end + 1, at[lines:]
    if at:
        yield text[start:], at


def _add_quickly(flattener: Flattener, text: bytes, at: Sequence[int]) -> bool:
    """Add lines with cached records; return False if any line is unusual."""
    try:
        lines, records, interned = _look_up(flattener.vocabulary, extract_lists(text))
    except (UnusualError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    if len(lines) != len(at):  # a list continues in the next line
        return False
    numbers = [number for number, line in zip(at, lines, strict=True) if line]
    flat = flattener.flatten(records, numbers, lines, interned)
    if flat.doubled:
        return False
    flattener.add(flat)
    return True


def _look_up(words: LogVocabulary, cut_lists: ExtractedLists) -> tuple[list[bytes], list[RoundRecord], InternedRecords]:
    """Return lines (some may be blank), the records of the others, and the data cut out of them.

    Raises UnusualError or the errors of decoding.
    """
    known = words.seats(cut_lists)
    lines = cut_lists.seated.raw.split(b"\n") if known is None else cut_lists.lines
    records = [_DECODER.decode(line) for line in lines if line]
    seats = [seat for record in records for seat in record.seats]
    with_bonuses = np.array([seat.bonuses == [] for seat in seats], np.bool_) if known is None else known.with_bonuses
    stakes, events = words.stakes(cut_lists, with_bonuses), words.events(cut_lists)
    recorded = [record.events == [] for record in records]
    # A list may be written in another way than those that were cut out.
    if (
        sum(recorded) != len(events.counts)
        or any(record.events for record in records)
        or any(seat.wagers or seat.bonuses for seat in seats)
        or (known is not None and (seats or len(records) != len(known.seats.counts)))
    ):
        raise UnusualError
    counts = np.zeros(len(records), np.int64)
    counts[recorded] = events.counts
    return (
        lines,
        records,
        InternedRecords(None if known is None else known.seats, stakes, replace(events, counts=counts)),
    )


def _add_strictly(
    flattener: Flattener, lines: Sequence[bytes], at: Sequence[int], bad: list[Quarantined], file: str
) -> None:
    """Add lines one by one, and quarantine bad ones."""
    records, numbers, texts = [], [], []
    decode = _DECODER.decode
    for number, line in zip(at, lines, strict=True):
        if len(line) > LONGEST_LINE:
            bad.append(Quarantined(file=file, line=number, column=None, reason=LINE_TOO_LONG))
            continue
        if not line.strip(_WHITESPACE):  # millions of blank lines compress to almost nothing
            continue
        try:
            records.append(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            from fairdeal.validator.evidence.jsonl.line_errors import explain_refusal  # noqa: PLC0415 - few logs need it

            column, reason = explain_refusal(line, error)
            bad.append(Quarantined(file=file, line=number, column=column, reason=reason))
        else:
            numbers.append(number)
            texts.append(line)
    if records:
        rounds = len(flattener)
        flat = flattener.flatten(records, numbers, texts, None)
        flattener.add(flat)
        if flat.doubled:
            for index, key in find_duplicate_keys(texts):
                flattener.wrong.note(rounds + index, f"the key {quote(key)} occurs twice in one object")


class LogLines(Struct, frozen=True, kw_only=True):
    """Lines of one log, as written or as converted from its records."""

    file: str
    """Name of the log."""
    lines: Sequence[bytes]
    """Lines; blank ones hold no record."""
    numbers: Sequence[int]
    """For each line, the line of the log at which its record begins."""
    dated: Sequence[int]
    """For each line, the precision of the time of the round."""
    refused: Sequence[Quarantined] = ()
    """Records of the log that could not be converted to lines."""


def decode_logs(logs: Sequence[LogLines], *, known_games: Collection[str]) -> DecodedBlock:
    """Decode the lines of several logs as one batch of each game, as `decode_lines` decodes those of one."""
    names = tuple(log.file for log in logs)
    lines = [line for log in logs for line in log.lines]
    log_of = np.repeat(np.arange(len(logs), dtype=np.int32), [len(log.lines) for log in logs])
    number = np.array([number for log in logs for number in log.numbers], np.int64)
    dated = np.array([dated for log in logs for dated in log.dated], np.uint8)
    decoded = decode_numbered_lines(lines, range(len(lines)), file="", known_games=known_games)
    refused = [list(log.refused) for log in logs]
    for entry in decoded.quarantined:
        index = int(log_of[entry.line])
        refused[index].append(replace(entry, file=names[index], line=int(number[entry.line])))
    read = np.array([len(entries) for entries in refused], np.int64)
    for entries in refused:
        entries.sort(key=lambda entry: entry.line)
    for batch in decoded.batches:
        read += np.bincount(log_of[batch.line], minlength=len(logs))
    return DecodedBlock(
        batches=tuple(
            replace(
                batch,
                file=CodedColumn(codes=log_of[batch.line], names=names),
                line=number[batch.line],
                dated=dated[batch.line],
            )
            for batch in decoded.batches
        ),
        quarantined=tuple(entry for entries in refused for entry in entries),
        read=int(read.sum()),
        logs=tuple(read.tolist()),
    )


def decode_records(
    records: Iterable[Mapping[str, Any]], *, file: str, games: Collection[str]
) -> tuple[tuple[Batch, ...], tuple[Quarantined, ...]]:
    """Decode records in the form of the lines of a log, from line 1, and return the batches and the quarantined
    records."""
    text = b"\n".join(msgspec.json.encode(record) for record in records)
    decoded = decode_lines(text, file=file, first_line=1, known_games=games)
    return decoded.batches, decoded.quarantined
