"""Plain words for lines of a log that cannot be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

import msgspec

from fairdeal.validator.evidence import round_record
from fairdeal.validator.evidence.columns.recorded_events import KIND_NAMES
from fairdeal.validator.evidence.event_kinds import (
    LOW_PATTERN,
    POSITIONS_PATTERN,
    SELECTION_PATTERN,
    VALUE_PATTERN,
)
from fairdeal.validator.evidence.log_events import EVENT_TYPES, FIELD_CHOICES
from fairdeal.validator.text.diagnostics import find_similar, quote

CONTEXT_KEYS = "a key of the context is up to 50 lower-case letters, digits and hyphens, and begins with a letter"
CURRENCY_EXPECTED = "expected a code of ISO 4217, such as `USD`"
POSITIONS_EXPECTED = "expected rising digits from 1 to 9, such as 125"
VALUE_EXPECTED = "expected a result such as 17, or a digit a die such as 34"
LOW_EXPECTED = "expected the cards of the Low Hand, such as AsKd"
SELECTION_EXPECTED = "expected what the stake is on, with a blank between, such as 17 20"
CUT_OFF = "the line ends in the middle of a record"
ONE_LINE = "write each record on one line, from brace to brace"

_MALFORMED = {
    "trailing characters": "there is more text after the end of the record",
    "trailing comma in object": "there is a comma before the closing brace",
    "trailing comma in array": "there is a comma before the closing bracket",
    "object keys must be strings": "a key is not in double quotes",
    "invalid character": "this character is not allowed here",
}
"""Plain words for errors of the decoder about text that is not JSON."""
_TYPE_WORDS = {
    "int": "a whole number",
    "float": "a number with a fraction",
    "str": "text",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "a mapping",
}
_STRUCTS: tuple[type[msgspec.Struct], ...] = (
    *(
        round_record.RoundRecord,
        round_record.SeatRecord,
        round_record.WagerRecord,
        round_record.BonusRecord,
        round_record.MeterRecord,
        round_record.Annotations,
    ),
    *EVENT_TYPES,
)
_KEYS = sorted({part.encode_name for struct in _STRUCTS for part in msgspec.structs.fields(struct)})
_EVENT_KEYS = {
    str(kind.__struct_config__.tag): sorted(part.encode_name for part in msgspec.structs.fields(kind))
    for kind in EVENT_TYPES
}
"""Keys of each kind of event."""


def _list_words(annotation: Any) -> list[str]:
    """Return the permitted words of an annotation that is a choice of words."""
    if get_origin(annotation) is Literal:
        return [word for word in get_args(annotation) if isinstance(word, str)]
    return [word for part in get_args(annotation) for word in _list_words(part)]


_EVENT_WORDS = {
    (str(kind.__struct_config__.tag), part.encode_name): words
    for kind in EVENT_TYPES
    for part in msgspec.structs.fields(kind)
    if (words := _list_words(part.type))
}
"""Permitted words, by kind of event and key; other keys take any text."""
_VALUES = sorted({*KIND_NAMES, *(choice for choices in FIELD_CHOICES.values() for choice in choices)})


def explain_refusal(line: bytes, error: Exception) -> tuple[int | None, str]:
    """Return the column (from 1, in characters), if known, and the reason why a line was rejected.

    Args:
        line: the line.
        error: the error of `msgspec.json.Decoder.decode`.
    """
    if isinstance(error, msgspec.ValidationError):
        return None, _describe_misfit(str(error), line)
    if isinstance(error, RecursionError):
        return None, "the line is nested too deeply"
    if isinstance(error, UnicodeDecodeError) or not _is_utf8(line):
        return None, "the line is not UTF-8 text"
    if b"\0" in line:
        return None, "the line is not UTF-8 text; it looks like UTF-16"
    if line.startswith(b"\xef\xbb\xbf"):
        return 1, "the line starts with a byte order mark, which JSON does not allow"
    return _describe_bad_json(line, str(error))


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _describe_bad_json(line: bytes, message: str) -> tuple[int | None, str]:
    if line.strip() == b"{":
        return 1, f"{CUT_OFF}; {ONE_LINE}"
    if "truncated" in message:
        return len(line.decode()) + 1, CUT_OFF if not _parses(line) else "text holds half of a surrogate pair"
    match = re.fullmatch(r"(?:JSON is malformed: )?(.*) \(byte (\d+)\)", message)
    if match is None:
        return None, f"the line is not JSON: {message}"
    start = int(match[2]) - (match[1] == "trailing characters")  # for this error, the number is that of the byte after
    fault = _MALFORMED.get(match[1], match[1])
    return len(line[:start].decode(errors="ignore")) + 1, f"the line is not JSON: {fault}"


def _parses(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _describe_misfit(message: str, line: bytes) -> str:
    located = re.fullmatch(r"(.*) - at `(\$.*)`", message, re.DOTALL)
    message_text, place = (located[1], f"at `{_shorten_path(located[2])}`: ") if located else (message, "")
    event = re.fullmatch(r"\$\.events\[(\d+)\]", located[2]) if located else None
    unknown = re.fullmatch(_UNKNOWN_KEY, message_text, re.DOTALL)
    if event and unknown:
        return place + _describe_bad_key(unknown[1], line, int(event[1]))
    value = re.fullmatch(r"\$\.events\[(\d+)\]\.([a-z-]+)", located[2]) if located else None
    strange = re.fullmatch(_UNKNOWN_VALUE, message_text, re.DOTALL)
    if value and strange:
        return place + _describe_bad_value(strange[1], line, int(value[1]), value[2])
    for pattern, words in _MISFITS:
        misfit = re.fullmatch(pattern, message_text, re.DOTALL)
        if misfit:
            # A value that is no record at all is usually part of a record on several lines.
            if "got `float`" in message_text and located and located[2].rpartition(".")[2] in _AMOUNTS:
                return f"{place}{words(misfit)}; amounts are in minor units, 1000 for 10.00"
            hint = "" if located or unknown or "`object`" not in message_text else f"; {ONE_LINE}"
            return f"{place}{words(misfit)}{hint}"
    return place + message_text


def _kind_of_event(line: bytes, number: int) -> str:
    """Return the kind of an event (counted from 0); empty if it is unknown."""
    try:
        return str(json.loads(line)["events"][number]["event"])
    except (ValueError, RecursionError, LookupError, TypeError):
        return ""  # the rest of the line is not JSON, or has another structure


def _describe_bad_value(text: str, line: bytes, number: int, key: str) -> str:
    """Say that a key of an event does not take a word, and list the words that it takes."""
    kind = _kind_of_event(line, number)
    words = _EVENT_WORDS.get((kind, key))
    if words is None:
        return f"unknown value {quote(text)}{_suggest(text, _VALUES)}"
    near = _suggest(text, words) or f"; `{key}` of the event `{kind}` takes {', '.join(words)}"
    return f"unknown value {quote(text)}{near}"


def _describe_bad_key(key: str, line: bytes, number: int) -> str:
    """Say that an event (counted from 0) has no such key, and list the keys of its kind."""
    kind = _kind_of_event(line, number)
    keys = _EVENT_KEYS.get(kind)
    if keys is None:
        return f"unknown key {quote(key)} of this event"
    near = _suggest(key, keys) or f"; its keys are {', '.join(keys)}" if keys else "; it has none but `event`"
    return f"unknown key {quote(key)} of the event `{kind}`{near}"


def _shorten_path(path: str) -> str:
    return path if len(path) <= 100 else path[:99] + "…"


def _name_types(names: str) -> str:
    return " or ".join(_TYPE_WORDS.get(name, name) for name in names.split(" | "))


def _suggest(text: str, choices: list[str]) -> str:
    near = find_similar(text, choices)
    return f"; did you mean `{near}`?" if near else ""


_AMOUNTS = frozenset(
    {"amount", "brought", "paid", "taken", "stack", "stack-after", "won", "opening", "shown", "closing"}
)
"""Keys of amounts of money."""
_UNKNOWN_VALUE = r"Invalid (?:enum )?value '?(.*?)'?"
_UNKNOWN_KEY = r"Object contains unknown field `(.*)`"
_MISFITS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"Expected `([^`]*)`, got `([^`]*)`", lambda m: f"expected {_name_types(m[1])}, found {_name_types(m[2])}"),
    (r"Expected `([^`]*)`", lambda m: f"expected {_name_types(m[1])}"),
    (r"Expected `int` (<=|>=) (-?\d+)", lambda m: f"must be {'at most' if m[1] == '<=' else 'at least'} {m[2]}"),
    (r"Expected `str` of length >= 1", lambda _: "must not be empty"),
    (r"Expected `str` of length <= (\d+)", lambda m: f"must not be longer than {m[1]} characters"),
    (r"Expected `object` of length <= (\d+)", lambda m: f"must not have more than {m[1]} keys"),
    (r"Expected `array` of length <= (\d+)", lambda m: f"must not have more than {m[1]} entries"),
    (rf"Expected `str` matching regex .*{re.escape(POSITIONS_PATTERN[:12])}.*", lambda _: POSITIONS_EXPECTED),
    (rf"Expected `str` matching regex .*{re.escape(VALUE_PATTERN[:12])}.*", lambda _: VALUE_EXPECTED),
    (rf"Expected `str` matching regex .*{re.escape(SELECTION_PATTERN[:12])}.*", lambda _: SELECTION_EXPECTED),
    (rf"Expected `str` matching regex .*{re.escape(LOW_PATTERN[:12])}.*", lambda _: LOW_EXPECTED),
    (rf"Expected `str` matching regex .*{re.escape(round_record.CONTEXT_KEY[:12])}.*", lambda _: CONTEXT_KEYS),
    (rf"Expected `str` matching regex .*{re.escape(round_record.CURRENCY_PATTERN[:8])}.*", lambda _: CURRENCY_EXPECTED),
    (r"Expected `str` matching regex .*", lambda _: "expected a date and time such as 2026-03-01T12:00:00Z"),
    (_UNKNOWN_KEY, lambda m: f"unknown key {quote(m[1])}{_suggest(m[1], _KEYS)}"),
    (r"(?:Integer value|Number) out of range", lambda _: "the number is too large"),
    (r"Object missing required field `(.*)`", lambda m: f"the key `{m[1]}` is missing"),
    (_UNKNOWN_VALUE, lambda m: f"unknown value {quote(m[1])}{_suggest(m[1], _VALUES)}"),
)
"""Plain words for errors of msgspec about JSON that is not a round."""
