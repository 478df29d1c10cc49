"""Columns of wagers and bonuses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Ints32
from validator.evidence.columns.batch import Stakes
from validator.evidence.handlog.record import BonusRecord, WagerRecord
from validator.evidence.jsonl.records.extract import Extractor, Names


def wagers_staked(extractor: Extractor, wagers: Sequence[WagerRecord], names: Names, *, seat: Ints32) -> Stakes:
    """Build stakes from wagers; `seat` is int32[wagers]."""
    return Stakes(
        seat=seat,
        wager=extractor.named(wagers, "wager", names),
        tip=extractor.flags(wagers, "tip"),
        bonus=np.zeros(len(wagers), np.bool_),
        amount=extractor.amounts(wagers, "amount"),
        paid=extractor.amounts(wagers, "paid"),
        taken=extractor.amounts(wagers, "taken"),
        claimed=extractor.rare_flags(wagers, "claimed"),
    )


def bonuses_paid(extractor: Extractor, bonuses: Sequence[BonusRecord], names: Names, *, seat: Ints32) -> Stakes:
    """Build stakes from bonuses; `seat` is int32[bonuses]."""
    return Stakes(
        seat=seat,
        wager=extractor.named(bonuses, "bonus", names),
        tip=extractor.flags(bonuses, "tip"),
        bonus=np.ones(len(bonuses), np.bool_),
        amount=np.zeros(len(bonuses), np.int64),
        paid=extractor.amounts(bonuses, "paid"),
        taken=np.full(len(bonuses), ABSENT, np.int64),
        claimed=np.full(len(bonuses), ABSENT, np.int8),
    )
