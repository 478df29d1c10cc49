"""Times, against the standard library."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.evidence.columns.log_draft import parse_local_times
from fairdeal.validator.evidence.columns.log_draft import parse_utc_offsets as offsets_of
from tests.facade.evidence import TIME_PATTERN

EPOCH = datetime(1970, 1, 1)
offsets = st.sampled_from(["Z", "+00:00", "-12:00", "+05:30", "+23:59"])


@given(st.lists(st.tuples(st.datetimes(), offsets), max_size=5))
def test_by_the_clock_that_wrote_it(moments: list[tuple[datetime, str]]) -> None:
    times, missing = parse_local_times([f"{moment.isoformat()}{offset}" for moment, offset in moments])
    assert times.tolist() == [(moment - EPOCH) // timedelta(microseconds=1) for moment, _ in moments]
    assert not missing.any()


@given(st.integers(0, 9999), st.integers(0, 99), st.integers(0, 99))
def test_days_are_those_of_the_calendar(year: int, month: int, day: int) -> None:
    text = f"{year:04d}-{month:02d}-{day:02d}"
    try:
        datetime.fromisoformat(text)
        exists = True
    except ValueError:
        exists = False
    _, missing = parse_local_times([f"{text}T00:00:00Z"])
    assert missing.tolist() == [not exists]


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [("00.5Z", 500_000), ("00.000001-07:00", 1), ("00.123456789Z", 123_456), ("59+01:00", 59_000_000)],
)
def test_fractions(text: str, microseconds: int) -> None:
    times, _ = parse_local_times([f"1970-01-01T00:00:{text}"])
    assert times.tolist() == [microseconds]


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01 12:00:00Z",
        "2026-03-01T12:00Z",
        "2026-03-01T12:00:00",
        "2026-03-01T12:00:60Z",
        "2026-03-01T12:60:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T12:00:00.Z",
        "2026-03-01T12:00:00+24:00",
        "2026-03-01T12:00:00+0100",
        "2026-03-01t12:00:00z",
        "20260301T120000Z",
        "\uff12026-03-01T12:00:00Z",
        "2026-03-01T12:00:00Z\n",
    ],
)
def test_other_ways_of_writing_are_refused(text: str) -> None:
    assert re.search(TIME_PATTERN, text) is None


def test_offsets_are_minutes_ahead_of_utc() -> None:
    texts = [f"2026-03-01T12:00:00{offset}" for offset in ("Z", "+00:00", "-00:30", "-12:00", "+05:30", "+23:59")]
    assert offsets_of(texts).tolist() == [0, 0, -30, -720, 330, 1439]
    assert offsets_of(texts[:1]).tolist() == [0]
