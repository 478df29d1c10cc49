"""Wagers and bonuses to columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Ints32
from validator.evidence.columns.batch import Stakes
from validator.evidence.handlog.record import BonusRecord, WagerRecord
from validator.evidence.jsonl.records.extract import Extractor, Names


def wagers_staked(take: Extractor, wagers: Sequence[WagerRecord], names: Names, *, seat: Ints32) -> Stakes:
    """Wagers as stakes; `seat` is int32[wagers]."""
    return Stakes(
        seat=seat,
        wager=take.named(wagers, "wager", names),
        tip=take.flags(wagers, "tip"),
        bonus=np.zeros(len(wagers), np.bool_),
        amount=take.amounts(wagers, "amount"),
        paid=take.amounts(wagers, "paid"),
        taken=take.amounts(wagers, "taken"),
        claimed=take.rare_flags(wagers, "claimed"),
    )


def bonuses_paid(take: Extractor, bonuses: Sequence[BonusRecord], names: Names, *, seat: Ints32) -> Stakes:
    """Bonuses as stakes; `seat` is int32[bonuses]."""
    return Stakes(
        seat=seat,
        wager=take.named(bonuses, "bonus", names),
        tip=take.flags(bonuses, "tip"),
        bonus=np.ones(len(bonuses), np.bool_),
        amount=np.zeros(len(bonuses), np.int64),
        paid=take.amounts(bonuses, "paid"),
        taken=np.full(len(bonuses), ABSENT, np.int64),
        claimed=np.full(len(bonuses), ABSENT, np.int8),
    )
