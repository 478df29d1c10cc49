"""Cards, decks and rankings."""

from __future__ import annotations

from validator.cards.cards import NO_CARD, RANK_WORDS, UNKNOWN, decode_columns, encode_column, format_cards, parse_cards
from validator.cards.model import AnyRanking, Category, DeckModel, DecksFile, Ranking, RankingsFile
from validator.cards.names import RANKS, SUITS

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
