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

from validator.arrays import ABSENT, Ints
from validator.evidence.columns.batch import Coded, Hands, Stakes
from validator.evidence.columns.card_text import decode_texts
from validator.evidence.columns.draft import Draft, EventColumns, MeterColumns, SeatColumns, Wrong
from validator.evidence.columns.empty import no_hands
from validator.evidence.columns.recorded_kinds import mask_of
from validator.evidence.columns.row_origin import Grain, what_is_wrong
from validator.evidence.columns.tables import end_to_end, interleaved
from validator.evidence.columns.times import local_times, offsets
from validator.evidence.handlog.context import written
from validator.evidence.handlog.record import BonusRecord, MeterRecord, RoundRecord, SeatRecord, WagerRecord
from validator.evidence.jsonl.interning.dictionary import Told, vocabulary
from validator.evidence.jsonl.records.duplicate_keys import colons_in, may_be_doubled
from validator.evidence.jsonl.records.event_columns import event_columns
from validator.evidence.jsonl.records.extract import EventPool, Extractor, Hasty, Names
from validator.evidence.jsonl.records.seat_columns import seat_columns
from validator.evidence.jsonl.records.stake_columns import bonuses_paid, wagers_staked


class Flat(NamedTuple):
    """Records as columns."""

    part: Draft
    """Columns of the records."""
    wrong: Wrong
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
        self.wrong = Wrong()
        """Rounds whose cards or time are malformed."""
        self._file = file
        self._parts: list[Draft] = []
        self._rounds = self._seats = self._hands = 0
        self._extractors: tuple[type[Extractor], ...] = (Hasty, Extractor)
        self._game, self._table, self._casino = Names(), Names(), Names()
        self._player, self._meter, self._after = Names(), Names(), Names()
        self._currency, self._context = Names(), Names()
        self.vocabulary = vocabulary()
        """Names of wagers, decisions and other texts, shared with the columns of events that were cut out of lines."""

    def __len__(self) -> int:
        return self._rounds

    def draft(self) -> Draft:
        """Return all records added so far, at least one."""
        return end_to_end(self._parts)

    def flatten(
        self, records: Sequence[RoundRecord], lines: Sequence[int], texts: Sequence[bytes], interned: Told | None
    ) -> Flat:
        """Return records as columns.

        Args:
            records: the records.
            lines: the line of each record, from 1.
            texts: the text that each record was decoded from.
            interned: data that were cut out of the texts; None if nothing was.
        """
        colons = colons_in(records)
        for extractor_type in self._extractors:
            extractor, bad_rounds = extractor_type(), Wrong()
            part = self._build_draft(extractor, Grain(bad_rounds), records, lines, interned)
            doubled = may_be_doubled(texts, self._texts(part, interned), keys=extractor.keys, colons=colons)
            if not doubled:
                self._extractors = self._extractors[self._extractors.index(extractor_type) :]
                break
        return Flat(part, bad_rounds, doubled)

    def _texts(self, part: Draft, interned: Told | None) -> Iterator[Coded]:
        """Yield the columns of the texts that the records themselves contain."""
        yield from (part.game, part.table, part.casino, part.deck, part.after, part.meters.meter)
        if interned is None or interned.seats is None:
            yield from (part.seats.player, part.seats.decision)
        if interned is None:
            yield part.stakes.wager
            yield from self.vocabulary.names.columns(part.events)

    def _build_draft(
        self,
        extractor: Extractor,
        grain: Grain,
        records: Sequence[RoundRecord],
        lines: Sequence[int],
        interned: Told | None,
    ) -> Draft:
        seat_lists, event_lists = extractor.required(records, "seats"), extractor.optional(records, "events")
        seats = list(chain.from_iterable(seat_lists))
        known = self._recode_seats(interned)
        unrecorded = extractor.optional(records, "unrecorded")
        annotations = extractor.optional(records, "annotations")
        extractor.keys += sum([noted is not None for noted in annotations])  # one key `planted` each
        dealer, community = extractor.optional(records, "dealer"), extractor.optional(records, "community")
        times = extractor.required(records, "time")
        time, no_such_day = local_times(times)
        grain.refuse(no_such_day, "time", lambda row: f"there is no such day as {times[row][:10]}")
        return Draft(
            file=self._file,
            line=np.array(lines, np.int64),
            round=tuple(extractor.required(records, "round")),
            game=extractor.named(records, "game", self._game),
            table=extractor.named(records, "table", self._table),
            casino=extractor.optional_named(records, "casino", self._casino),
            time=time,
            offset=offsets(times),
            number=extractor.rare_amounts(records, "number").astype(np.int32),
            deck=extractor.rare_named(records, "deck", self.vocabulary.names.deck),
            button=extractor.rare_amounts(records, "button").astype(np.int8),
            small_bet=extractor.rare_amounts(records, "small_bet"),
            big_bet=extractor.rare_amounts(records, "big_bet"),
            after=extractor.rare_named(records, "after", self._after),
            complete=extractor.rare_flags(records, "complete") != 0,
            dealer=grain.hands(decode_texts(dealer), "dealer", dealer.__getitem__),
            dealer_discarded=_take_rare_hands(extractor, grain, records, "dealer_discarded"),
            dealer_drawn=_take_rare_hands(extractor, grain, records, "dealer_drawn"),
            community=grain.hands(decode_texts(community), "community", community.__getitem__),
            community_discarded=_take_rare_hands(extractor, grain, records, "community_discarded"),
            meters=self._build_meters(extractor, records),
            seats=self._build_seats(extractor, grain, seats, _count_entries(seat_lists)) if known is None else known,
            stakes=self._build_stakes(extractor, seats, interned),
            events=interned.events
            if interned
            else self._build_events(extractor, grain, [events or () for events in event_lists]),
            recorded=np.array([events is not None for events in event_lists], np.bool_),
            unrecorded=np.array([_make_cached_mask(tuple(kinds)) if kinds else 0 for kinds in unrecorded], np.uint64),
            currency=extractor.rare_named(records, "currency", self._currency),
            context=self._build_contexts(extractor, records),
        )

    def add(self, flat: Flat) -> None:
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

    def _recode_seats(self, interned: Told | None) -> SeatColumns | None:
        if interned is None or interned.seats is None:
            return None
        return replace(interned.seats, player=self._player.recoded(interned.seats.player))

    def _build_seats(
        self, extractor: Extractor, grain: Grain, seats: Sequence[SeatRecord], counts: Ints
    ) -> SeatColumns:
        texts = extractor.optional(seats, "cards")
        listed = grain.listed("seats", counts)
        return seat_columns(
            extractor,
            seats,
            counts=counts,
            player=extractor.optional_named(seats, "player", self._player),
            decision=extractor.optional_named(seats, "decision", self.vocabulary.names.decision),
            hands=listed.hands(decode_texts(texts), "cards", texts.__getitem__),
            discarded=_take_rare_hands(extractor, listed, seats, "discarded"),
            drawn=_take_rare_hands(extractor, listed, seats, "drawn"),
        )

    def _build_contexts(self, extractor: Extractor, records: Sequence[RoundRecord]) -> Coded:
        values = extractor.rare(records, "context") or [None] * len(records)
        extractor.keys += sum([len(value) for value in values if value])
        codes = [ABSENT if value is None else self._context[written(value)] for value in values]
        return self._context.column(np.array(codes, np.int32))

    def _build_meters(self, extractor: Extractor, records: Sequence[RoundRecord]) -> MeterColumns:
        lists = [listed or () for listed in extractor.rare(records, "meters") or [()] * len(records)]
        meters: list[MeterRecord] = list(chain.from_iterable(lists))
        return MeterColumns(
            counts=_count_entries(lists),
            meter=extractor.named(meters, "meter", self._meter),
            opening=extractor.amounts(meters, "opening"),
            shown=extractor.amounts(meters, "shown"),
            closing=extractor.amounts(meters, "closing"),
        )

    def _build_stakes(self, extractor: Extractor, seats: Sequence[SeatRecord], interned: Told | None) -> Stakes:
        names = self.vocabulary.names.wager
        wager_lists = extractor.required(seats, "wagers")
        bonus_lists = [bonuses or () for bonuses in extractor.optional(seats, "bonuses")]
        if interned is not None:
            return replace(interned.stakes, seat=interned.stakes.seat + np.int32(self._seats))
        index = np.arange(self._seats, self._seats + len(seats), dtype=np.int32)
        wagers: list[WagerRecord] = list(chain.from_iterable(wager_lists))
        bonuses: list[BonusRecord] = list(chain.from_iterable(bonus_lists))
        return interleaved(
            wagers_staked(extractor, wagers, names, seat=np.repeat(index, _count_entries(wager_lists))),
            bonuses_paid(extractor, bonuses, names, seat=np.repeat(index, _count_entries(bonus_lists))),
        )

    def _build_events(self, extractor: Extractor, grain: Grain, lists: Sequence[Sequence[object]]) -> EventColumns:
        counts = _count_entries(lists)
        pool = EventPool(extractor, list(chain.from_iterable(lists)))
        at, texts = pool.texts("cards")
        cards_row = np.full(len(pool.kind), ABSENT, np.int32)
        cards_row[at] = np.arange(len(at), dtype=np.int32)
        decoded = decode_texts(texts)
        malformed = np.zeros(len(pool.kind), np.bool_)
        malformed[at[~decoded.well_formed]] = True
        grain.listed("events", counts).refuse(malformed, "cards", lambda event: what_is_wrong(texts[cards_row[event]]))
        return event_columns(pool, self.vocabulary.names, counts=counts, cards_row=cards_row, hands=decoded.hands)


def _take_rare_hands(extractor: Extractor, grain: Grain, records: Sequence[object], field: str) -> Hands:
    """Return the hands of a field that is rarely present."""
    texts = extractor.rare(records, field)
    if texts is None:
        return no_hands(len(records))
    return grain.hands(decode_texts(texts), field.replace("_", "-"), texts.__getitem__)


def _count_entries(lists: Sequence[Sequence[object]]) -> Ints:
    return np.fromiter(map(len, lists), np.int64, len(lists))


@lru_cache(maxsize=256)
def _make_cached_mask(kinds: tuple[str, ...]) -> int:
    return mask_of(kinds)
