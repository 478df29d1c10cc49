"""Cards, decks and rankings."""

from __future__ import annotations

from fairdeal.validator.cards.card_codes import (
    NO_CARD,
    RANK_WORDS,
    UNKNOWN,
    decode_columns,
    encode_column,
    format_cards,
    parse_cards,
)
from fairdeal.validator.cards.ranking_models import (
    RANKS,
    SUITS,
    AnyRanking,
    Category,
    DeckModel,
    DecksFile,
    Ranking,
    RankingsFile,
)

__all__ = [
    "NO_CARD",
    "RANKS",
    "RANK_WORDS",
    "SUITS",
    "UNKNOWN",
    "AnyRanking",
    "Category",
    "DeckModel",
    "DecksFile",
    "Ranking",
    "RankingsFile",
    "decode_columns",
    "encode_column",
    "format_cards",
    "parse_cards",
]
