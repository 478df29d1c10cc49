"""Times of a log, by the clock that wrote them, as microseconds since 1970-01-01."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import Flags, Ints, Ints16
from validator.evidence.columns.batch import DAY, UNDATED

_DIGITS = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]
"""Indices of the digits in `2026-03-01T12:00:00`."""
_THOUSANDS, _TENS = np.array([1000, 100, 10, 1]), np.array([10, 1])


def local_times(texts: Sequence[str]) -> tuple[Ints, Flags]:
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


def time_text(time: int, offset: int, dated: int) -> str | None:
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
    return f"{text}{fraction}{zone_text(offset)}"


def zone_text(offset: int) -> str:
    """Format the offset from UTC in minutes, for the end of a time: `Z`, or signed hours and minutes."""
    if not offset:
        return "Z"
    return f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"


def offsets(texts: Sequence[str]) -> Ints16:
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
