"""Results of Python and of the compiled scanner for a text, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from unittest.mock import patch

import msgspec
import numpy as np

from fairdeal.validator.evidence.handlog.round_record import MOST_EVENTS
from fairdeal.validator.evidence.jsonl import line_reader, list_scanner, record_cache, text_lookup
from fairdeal.validator.evidence.jsonl.list_scanner import ExtractedLists, ListedObjects, extract_lists
from fairdeal.validator.evidence.jsonl.record_cache import LogVocabulary, RecordCache
from fairdeal.validator.evidence.jsonl.text_lookup import LineText, UnusualError
from tools.fuzz_native.guarded import GuardedNumPy, GuardedText

_REFUSED = (UnusualError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Sides:
    """Python and a compiled scanner, each with the words it has met: they see the same texts in the same order."""

    def __init__(self, scanner: text_lookup.Scanner, games: Sequence[str], *, guarded: bool = False) -> None:
        self._scanner, self._games, self._guarded = scanner, games, guarded
        self._asked = LogVocabulary()
        self._words = {False: LogVocabulary(), True: LogVocabulary()}
        self.usual = 0
        """Texts out of which lists were cut."""

    def find_difference(self, text: bytes, *, decoded: bool) -> str | None:
        """Return the name of the difference, None if there is none. With `decoded`, compare the decoded lines too."""
        plain, fast = (self._cut(text, compiled) for compiled in (False, True))
        if not is_same(plain, fast):
            return "lists and hands"
        if plain is not None and fast is not None:
            self.usual += 1
            for known, there, in_fast, objects in _make_cache(self._asked, plain, fast):
                if not self._looks_up_alike(known, there, in_fast, objects):
                    return "codes"
        if decoded:
            results = [self._decode(text, compiled) for compiled in (False, True)]
            if not is_same(*results):
                return "rounds"
        return None

    @contextmanager
    def _use_scanner(self, compiled: bool) -> Iterator[None]:
        with ExitStack() as stack:
            stack.enter_context(patch.object(text_lookup, "load_scanner", lambda: self._scanner if compiled else None))
            if compiled and self._guarded:
                stack.enter_context(patch.object(text_lookup, "np", GuardedNumPy()))
                stack.enter_context(patch.object(list_scanner, "LineText", GuardedText))
            yield

    def _cut(self, text: bytes, compiled: bool) -> ExtractedLists | None:
        with self._use_scanner(compiled):
            try:
                return extract_lists(text)
            except UnusualError:
                return None

    def _looks_up_alike(
        self, known: RecordCache[Any, Any], plain: LineText, fast: LineText, objects: ListedObjects
    ) -> bool:
        """Return whether both know the same objects, by the same codes; both learn them afterwards."""
        found = []
        for compiled, text in ((False, plain), (True, fast)):
            with self._use_scanner(compiled):
                found.append(known.look_up(text, objects))
        with self._use_scanner(compiled=False), suppress(*_REFUSED):
            known.resolve(plain, objects, MOST_EVENTS)
        return is_same(*found)

    def _decode(self, text: bytes, compiled: bool) -> Any:
        with self._use_scanner(compiled):
            if self._words[compiled].is_full():
                self._words[compiled] = LogVocabulary()
            with patch.object(record_cache._here, "vocabulary", self._words[compiled]):
                return line_reader.decode_lines(text, file="log.jsonl", first_line=1, known_games=self._games)


def _make_cache(
    words: LogVocabulary, plain: ExtractedLists, fast: ExtractedLists
) -> Iterator[tuple[RecordCache[Any, Any], LineText, LineText, ListedObjects]]:
    yield words._seats, plain.seated, fast.seated, plain.seats
    yield words._wagers, plain.whole, fast.whole, plain.wagers
    yield words._bonuses, plain.whole, fast.whole, plain.bonuses
    yield words._events, plain.whole, fast.whole, plain.events


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal in every part, and arrays in type, shape and bytes."""
    if isinstance(one, LineText) and isinstance(other, LineText):
        return one.raw == other.raw and is_same(one.bytes, other.bytes)
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        alike = one.dtype == other.dtype and one.shape == other.shape
        return alike and bool(one.tolist() == other.tolist() if one.dtype.hasobject else np.array_equal(one, other))
    if isinstance(one, msgspec.Struct):
        return all(is_same(getattr(one, name), getattr(other, name)) for name in one.__struct_fields__)
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(is_same, one.values(), other.values()))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other)
