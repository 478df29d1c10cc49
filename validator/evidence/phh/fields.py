"""Fields of a hand history in the PHH standard."""

from __future__ import annotations

FIELDS = frozenset(
    (
        *("variant", "ante_trimming_status", "antes", "blinds_or_straddles", "bring_in", "small_bet", "big_bet"),
        *("min_bet", "starting_stacks", "actions", "author", "event", "url", "venue", "address", "city", "region"),
        *("postal_code", "country", "time", "time_zone", "time_zone_abbreviation", "day", "month", "year", "hand"),
        *("level", "seats", "seat_count", "table", "players", "finishing_stacks", "winnings", "currency"),
        *("currency_symbol", "time_limit", "time_banks"),
    )
)
USER_FIELD = "_"
"""Prefix of the writer's own fields."""
