"""A table of rounds to batches: the same strictness as for lines of JSON, on whole columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from validator.cards.cards import parse_cards
from validator.evidence import arrow_columns as take
from validator.evidence.arrow_events import event_columns
from validator.evidence.arrow_schema import check_schema, to_arrow_schema
from validator.evidence.assemble import Decoded, assemble
from validator.evidence.columns import ABSENT, Coded, Flags, Hands, Ints, Stakes
from validator.evidence.draft import Draft, SeatColumns, Wrong
from validator.evidence.events import HIGHEST_SEAT, KINDS, LONGEST_NAME, MOST
from validator.evidence.handlog import LONGEST_ID, MOST_EVENTS, MOST_SEATS, MOST_STAKES, MOST_UNRECORDED
from validator.evidence.relations import end_to_end, interleaved, translated
from validator.evidence.sieve import Sieve
"""
"""
