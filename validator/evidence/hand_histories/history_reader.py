"""Reader of hand histories that become a hand log: hands as lines of the log, and hands that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from typing import BinaryIO

from msgspec import Struct

from fairdeal.validator.evidence.hand_histories.open_hand_history import parse_hand, read_hand
from fairdeal.validator.evidence.hand_histories.site_text import read_text, split_texts
from fairdeal.validator.evidence.handlog.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.io.log_formats import HistoryForm
from fairdeal.validator.evidence.io.record_parts import RecordPart, split_objects
from fairdeal.validator.evidence.poker.poker_vocabulary import UnreadableHandError, Variants
from fairdeal.validator.evidence.poker.stated_hand import ActKind, StatedHand, convert_stated_hand


class ReadHand(Struct, frozen=True, kw_only=True):
    """Hand of a file of hand histories."""

    line: int
    """Line of the file at which the hand begins, or at which the fault is."""
    text: bytes = b""
    """Line of the hand log; empty if the hand cannot be read."""
    reason: str = ""
    """Reason why the hand cannot be read."""


def read_hands(stream: BinaryIO, form: HistoryForm, variants: Variants, zone: tzinfo | None) -> Iterator[ReadHand]:
    """Yield the hands of a file, each by itself: a hand that cannot be read changes nothing for the others.

    Args:
        stream: the file.
        form: its format.
        variants: the vocabularies of the games.
        zone: time zone of times that state none.
    """
    for part in split_objects(stream) if form == "open-hand-history" else split_texts(stream):
        if part.reason:
            yield ReadHand(line=part.line, reason=part.reason)
            continue
        try:
            hand = read_hand(parse_hand(part.text)) if form == "open-hand-history" else read_text(part.text, zone)
            yield ReadHand(line=part.line, text=_convert(hand, variants))
        except UnreadableHandError as error:
            yield ReadHand(line=part.line + _count_lines(part, error.at), reason=error.reason)


def _convert(hand: StatedHand, variants: Variants) -> bytes:
    try:
        board = sum(len(act.cards) for act in hand.acts if act.kind is ActKind.BOARD) // 2
        if board > WIDEST_HAND:
            raise UnreadableHandError(f"the board was run so often that it has more than {WIDEST_HAND} cards")
        return convert_stated_hand(hand, variants)
    except UnreadableHandError as error:
        raise UnreadableHandError(f"hand {hand.round[:40]}: {error.reason}", at=error.at) from error


def _count_lines(part: RecordPart, at: str) -> int:
    """Return the lines from the beginning of a part to a fault."""
    return min(int(at), part.text.count(b"\n")) if at.isdigit() else 0
