"""The one currency of a run: amounts in two cannot be added up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from validator.audit.submissions.requirements import Filed
from validator.text.diagnostics import Diagnostic, InputError

if TYPE_CHECKING:
    from validator.evidence.assembly.assemble import Decoded


def currency_of(submissions: Iterable[Filed], chosen: str | None) -> str | None:
    """The currency that was chosen, or else that of the submissions; None where none of them says.

    Raises InputError at the place where a submission names another.
    """
    problems: list[Diagnostic] = []
    for filed in submissions:
        named = filed.submission.currency
        chosen = chosen or named
        if named not in (None, chosen):
            message = f"this submission is in {named}, the run is in {chosen}"
            help_ = "judge what is in one currency at a time"
            problems.append(filed.tree.diagnostic(("currency",), "another-currency", message, help=help_))
    if problems:
        raise InputError(tuple(problems))
    return chosen


def agreed(currency: str | None, found: Iterable[str], file: str) -> str | None:
    """The currency of a run once rounds of a log in these currencies are read. Raises InputError where they are
    several."""
    names = sorted({*found, *(() if currency is None else (currency,))})
    if len(names) > 1:
        message = f"its rounds and those read before are in several currencies: {', '.join(names)}"
        help_ = "name one with --currency (rounds in another are then set aside), or audit them one at a time"
        raise InputError((Diagnostic(code="several-currencies", message=message, file=file, help=help_),))
    return names[0] if names else None


def currencies_in(decoded: Decoded) -> frozenset[str]:
    """The currencies that rounds are said to be in."""
    return frozenset(
        name
        for batch in decoded.batches
        for code, name in enumerate(batch.currency.names)
        if code in batch.currency.codes
    )


def runs_of_one_currency(decoded: Decoded) -> list[slice]:
    """Return the logs of a block by their places, in runs of logs whose rounds are said to be in the same currencies.

    A log in another currency than those before it is refused, and no other log with it.
    """
    said: list[set[str]] = [set() for _ in decoded.logs]
    for batch in decoded.batches:
        for code, name in enumerate(batch.currency.names):
            for log in set(batch.file.codes[batch.currency.codes == code].tolist()):
                said[log].add(name)
    starts = [place for place in range(len(said)) if not place or said[place] != said[place - 1]]
    return [slice(start, end) for start, end in zip(starts, [*starts[1:], len(said)], strict=True)]


def only_in(decoded: Decoded, currency: str | None) -> Decoded:
    """What was decoded without rounds in another currency, which are set aside; everything where none is chosen."""
    if currency is None or currencies_in(decoded) <= {currency}:
        return decoded
    import numpy as np  # noqa: PLC0415 - checking a submission does without
    from msgspec.structs import replace  # noqa: PLC0415

    from validator.evidence.columns.select import select  # noqa: PLC0415
    from validator.results.results import Quarantined  # noqa: PLC0415

    batches, bad = [], list(decoded.quarantined)
    for batch in decoded.batches:
        other = (batch.currency.codes >= 0) & (batch.currency.codes != batch.currency.code(currency))
        for index in np.flatnonzero(other).tolist():
            reason = f"the round is in {batch.currency.text(index)}, the run is in {currency}"
            file = batch.file.text(index) or ""
            bad.append(Quarantined(file=file, line=int(batch.line[index]), column=None, reason=reason))
        if not other.all():
            batches.append(select(batch, ~other))
    bad.sort(key=lambda one: (one.file, one.line))
    return replace(decoded, batches=tuple(batches), quarantined=tuple(bad))
