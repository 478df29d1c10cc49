"""The fields that the standard gives a hand history."""

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
"""What the names of fields begin with that are the writer's own."""
