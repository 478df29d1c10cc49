"""Columns of wagers and bonuses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Ints32
from validator.evidence.columns.batch import Stakes
from validator.evidence.handlog.record import BonusRecord, WagerRecord
from validator.evidence.jsonl.records.extract import Extractor, NameCodes


def build_wager_stakes(
    extractor: Extractor, wagers: Sequence[WagerRecord], names: NameCodes, *, seat: Ints32
) -> Stakes:
    """Build stakes from wagers; `seat` is int32[wagers]."""
    return Stakes(
        seat=seat,
        wager=extractor.take_names(wagers, "wager", names),
        tip=extractor.take_flags(wagers, "tip"),
        bonus=np.zeros(len(wagers), np.bool_),
        amount=extractor.take_amounts(wagers, "amount"),
        paid=extractor.take_amounts(wagers, "paid"),
        taken=extractor.take_amounts(wagers, "taken"),
        claimed=extractor.take_rare_flags(wagers, "claimed"),
    )


def build_bonus_stakes(
    extractor: Extractor, bonuses: Sequence[BonusRecord], names: NameCodes, *, seat: Ints32
) -> Stakes:
    """Build stakes from bonuses; `seat` is int32[bonuses]."""
    return Stakes(
        seat=seat,
        wager=extractor.take_names(bonuses, "bonus", names),
        tip=extractor.take_flags(bonuses, "tip"),
        bonus=np.ones(len(bonuses), np.bool_),
        amount=np.zeros(len(bonuses), np.int64),
        paid=extractor.take_amounts(bonuses, "paid"),
        taken=np.full(len(bonuses), ABSENT, np.int64),
        claimed=np.full(len(bonuses), ABSENT, np.int8),
    )
