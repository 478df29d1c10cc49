"""Currencies of a run: amounts in different currencies are never added up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from validator.audit.submissions.requirements import Filed
from validator.text.diagnostics import Diagnostic, InputError

if TYPE_CHECKING:
    from validator.evidence.assembly.assemble import Decoded


def currencies_of(submissions: Iterable[Filed], chosen: str | None) -> frozenset[str]:
    """Return the currencies of submissions, and the currency chosen for the run.

    Raises:
        InputError: At the place where a submission names a currency other than the chosen one.
    """
    currencies = set() if chosen is None else {chosen}
    problems: list[Diagnostic] = []
    for filed in submissions:
        named = filed.submission.currency
        if named is None:
            continue
        currencies.add(named)
        if chosen not in (None, named):
            message = f"this submission is in {named}, the run is in {chosen}"
            help_ = "leave `--currency` out, or leave the submission out"
            problems.append(filed.tree.diagnostic(("currency",), "another-currency", message, help=help_))
    if problems:
        raise InputError(tuple(problems))
    return frozenset(currencies)


def currencies_in(decoded: Decoded) -> frozenset[str]:
    """Return the currencies that rounds name."""
    return frozenset(name for batch in decoded.batches for name in batch.currency.standing())


def only_in(decoded: Decoded, currency: str | None) -> Decoded:
    """Move rounds in another currency to the quarantined records; keep everything if no currency is chosen."""
    if currency is None or currencies_in(decoded) <= {currency}:
        return decoded
    import numpy as np  # noqa: PLC0415 - checking a submission does without
    from msgspec.structs import replace  # noqa: PLC0415

    from validator.evidence.columns.select import select  # noqa: PLC0415
    from validator.results.results import Quarantined  # noqa: PLC0415

    batches, quarantined_ = [], list(decoded.quarantined)
    for batch in decoded.batches:
        is_other = (batch.currency.codes >= 0) & (batch.currency.codes != batch.currency.code(currency))
        for index in np.flatnonzero(is_other).tolist():
            reason = f"the round is in {batch.currency.text(index)}, the run is in {currency}"
            file = batch.file.text(index) or ""
            quarantined_.append(Quarantined(file=file, line=int(batch.line[index]), column=None, reason=reason))
        if not is_other.all():
            batches.append(select(batch, ~is_other))
    quarantined_.sort(key=lambda record: (record.file, record.line))
    return replace(decoded, batches=tuple(batches), quarantined=tuple(quarantined_))
