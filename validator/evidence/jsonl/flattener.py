"""Decoded records to columns, in a few passes over all rounds, seats, stakes and events at once.

No Python code runs for a single event; without that, a log of millions of events would take too long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Ints
from fairdeal.validator.evidence.columns import log_draft
from fairdeal.validator.evidence.columns.batch import CodedColumn, Hands, Stakes
from fairdeal.validator.evidence.columns.recorded_events import make_mask
from fairdeal.validator.evidence.columns.relations import concatenate_relations, merge_stakes, no_hands
from fairdeal.validator.evidence.handlog import round_record
from fairdeal.validator.evidence.jsonl import record_columns
from fairdeal.validator.evidence.jsonl.record_cache import InternedRecords, get_vocabulary


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
                 "_parts", "_player", "_rounds", "_seats", "_table", "vocabulary", "wrong")  # fmt: skip

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
        yield from (part.game, part.table, part.casino, part.deck, part.after, part.meters.meter)
        if interned is None or interned.seats is None:
            yield from (part.seats.player, part.seats.decision)
        if interned is None:
            yield part.stakes.wager
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
        names = self.vocabulary.names.wager
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
