"""From a batch of rounds to the rows of its sessions: what each round shows of every requirement that spans rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from validator.checks.rounds import in_force_for
from validator.checks.sessions.journals import journal_of
from validator.checks.sessions.rows import Rows, Texts
from validator.play.conditions import holds_everywhere, truth
from validator.play.quantities import bounds
from validator.play.scope import Scope
from validator.rulebook.language.requirement import Requirement
from validator.verdicts import Evidence, Waiver


def spanning(requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """Those requirements that span rounds."""
    return tuple(one for one in requirements if one.evidence is Evidence.SESSION)


def rows_of(scope: Scope, waivers: Mapping[str, Waiver], *, as_of: int | None = None) -> Rows:
    """The rows of a batch, judged by the law of each round's own day or of `as_of` (days since 1970-01-01)."""
    batch = scope.batch
    requirements = spanning(scope.prepared.regulation.requirements)
    shows = {}
    for one in requirements:
        columns = dict(_shown(scope, one))
        in_force = in_force_for(scope, one, as_of=as_of)
        if in_force is not None:
            columns["in-force"] = in_force
        shows[one.requirement] = columns
    return Rows(
        document=batch.game,
        file=batch.file,
        waivers=waivers,
        casino=batch.casino,
        table=batch.table,
        deck=batch.deck,
        time=batch.time,
        offset=batch.offset,
        number=batch.number,
        line=batch.line,
        round=Texts(batch.round),
        journal=journal_of(
            scope, [one.check.operand for one in requirements if one.check.operator in ("needed", "every")]
        ),
        shows=shows,
    )


def _shown(scope: Scope, requirement: Requirement) -> Iterator[tuple[str, NDArray[Any]]]:
    check = requirement.check.operand
    yield "applies", holds_everywhere(scope, check.when, "round")
    match requirement.check.operator:
        case "every":
            if check.counts is not None:
                yield "counts", truth(scope, check.counts, "round")
            if check.operator == "happens":
                yield "happened", truth(scope, check.happens, "round")
        case "succession" if check.operator == "number":
            for name, quantity in (("of", check.number.of), ("bound", check.number.operand)):
                low, high = bounds(scope, quantity, "round")
                yield f"{name}-low", low
                yield f"{name}-high", high
