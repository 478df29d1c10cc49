"""The first round in which each requirement failed, told step by step while it is at hand."""

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
"""The most lines of a chapter that are kept."""


Configured = Callable[[Batch], Configuration | None]
"""What the submission that is in force for the one round of a batch comes to."""


def explanations(
    scope: Scope, verdicts: Sequence[RoundsVerdict], known: Mapping[str, PlaceKey], configured: Configured
) -> list[Explanation]:
    """Explain the rounds of the first failures of requirements in a batch, in the order of places; `known` has the
    places of those that were explained before, by the full ids of requirements."""
    first: dict[tuple[str | None, int], list[Finding]] = {}
    for verdict in verdicts:
        failures = (one for one in verdict.findings if one.status is Status.FAIL and one.where.line is not None)
        finding = min(failures, key=lambda one: place_key(one.where), default=None)
        if finding is None or finding.where.line is None:
            continue
        before = known.get(finding.requirement)
        if before is None or place_key(finding.where) < before:
            first.setdefault((finding.where.file, finding.where.line), []).append(finding)
    return [_told(scope, file, line, found, configured) for (file, line), found in first.items()]


def _told(scope: Scope, file: str | None, line: int, found: Sequence[Finding], configured: Configured) -> Explanation:
    from validator.audit.explain.round import course_of  # noqa: PLC0415 - most logs have no failure

    alone = _alone(scope.batch, file, line)
    round_scope = Scope(alone, scope.prepared, configured(alone))
    with amounts_in(currency_of_round(round_scope, 0)):
        chapters = course_of(round_scope, source=False)
    return Explanation(
        requirements=tuple(one.requirement for one in found),
        where=found[0].where,
        chapters=tuple(map(_cut, chapters)),
    )


def _cut(chapter: Chapter) -> Chapter:
    left_out = len(chapter.lines) - LONGEST
    if left_out <= 0:
        return chapter
    return replace(chapter, lines=(*chapter.lines[:LONGEST], f"and {left_out:,} more lines"))


def _alone(batch: Batch, file: str | None, line: int) -> Batch:
    keep = np.zeros(len(batch), bool)
    of_file = batch.file.codes == (ABSENT if file is None else batch.file.code(file))
    keep[np.flatnonzero(of_file & (batch.line == line))[0]] = True
    return select(batch, keep)
