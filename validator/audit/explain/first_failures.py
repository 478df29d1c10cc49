"""Explanation of the first round in which each requirement failed, made while the round is in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT
from validator.audit.operators.round_requirements import RoundsVerdict
from validator.audit.operators.weighed import currency_of_round
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.select import select
from validator.results.findings import Finding
from validator.results.place_order import PlaceKey, place_key
from validator.results.results import Chapter, Explanation
from validator.results.statuses import Status
from validator.text.values.money import amounts_in

LONGEST = 400
"""Maximum number of lines kept of a chapter."""


Configured = Callable[[Batch], Configuration | None]
"""Function that returns the choices of the submission in force for the only round of a batch."""


def explanations(
    scope: Scope, verdicts: Sequence[RoundsVerdict], known: Mapping[str, PlaceKey], configured: Configured
) -> list[Explanation]:
    """Explain the rounds of the first failures of requirements in a batch, in the order of places.

    Args:
        known: places of the failures explained before, by the full ids of requirements.
        configured: returns the configuration of a round.
    """
    first: dict[tuple[str | None, int], list[Finding]] = {}
    for verdict in verdicts:
        failures = (
            failure for failure in verdict.findings if failure.status is Status.FAIL and failure.where.line is not None
        )
        finding = min(failures, key=lambda failure: place_key(failure.where), default=None)
        if finding is None or finding.where.line is None:
            continue
        previous = known.get(finding.requirement)
        if previous is None or place_key(finding.where) < previous:
            first.setdefault((finding.where.file, finding.where.line), []).append(finding)
    return [_explain(scope, file, line, findings, configured) for (file, line), findings in first.items()]


def _explain(
    scope: Scope, file: str | None, line: int, findings: Sequence[Finding], configured: Configured
) -> Explanation:
    from validator.audit.explain.round import course_of  # noqa: PLC0415 - most logs have no failure

    alone = _select_round(scope.batch, file, line)
    round_scope = Scope(alone, scope.prepared, configured(alone))
    with amounts_in(currency_of_round(round_scope, 0)):
        chapters = course_of(round_scope, source=False)
    return Explanation(
        requirements=tuple(finding.requirement for finding in findings),
        where=findings[0].where,
        chapters=tuple(map(_truncate, chapters)),
    )


def _truncate(chapter: Chapter) -> Chapter:
    left_out = len(chapter.lines) - LONGEST
    if left_out <= 0:
        return chapter
    return replace(chapter, lines=(*chapter.lines[:LONGEST], f"and {left_out:,} more lines"))


def _select_round(batch: Batch, file: str | None, line: int) -> Batch:
    keep = np.zeros(len(batch), bool)
    of_file = batch.file.codes == (ABSENT if file is None else batch.file.code(file))
    keep[np.flatnonzero(of_file & (batch.line == line))[0]] = True
    return select(batch, keep)
