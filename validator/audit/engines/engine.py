"""What every engine of an audit does, and an audit by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from validator.audit.applicability.beside import Counts
from validator.audit.run.merge import Refused, results_of, unheard
from validator.audit.run.parts import JudgedPart, Logs, Part
from validator.audit.run.plan import AuditPlan
from validator.evidence.readers.open_log import HandLog
from validator.results.results import Results
from validator.text.diagnostics import ResourceError

MOST_TRIES = 4
"""How often a cluster tries to judge a part whose worker is lost."""


class Engine(Protocol):
    """Somebody who judges parts: this process, several of them, a cluster."""

    @property
    def whole(self) -> int:
        """Logs of at most so many bytes are one part, where they can be read by who judges them."""
        ...

    def judged(self, plan: AuditPlan, parts: Iterator[Part]) -> Iterator[JudgedPart]:
        """Every part judged once, in the order given. Parts are asked for as there is somebody to judge them."""
        ...


def audit_logs(
    engine: Engine,
    plan: AuditPlan,
    logs: Iterable[HandLog],
    *,
    program: str,
    generated: str,
    refused: Refused,
    progress: Callable[[str, int], object] = unheard,
    counted: Callable[[Counts], object] = unheard,
    tell: Callable[[str], object] = unheard,
) -> Results:
    """Logs audited by a plan; as `results_of`. Logs are opened as they are come to."""
    given = Logs(logs, whole=engine.whole)
    try:
        return results_of(
            plan,
            lambda by: engine.judged(by, given.parts()),
            program=program,
            generated=generated,
            refused=refused,
            progress=progress,
            counted=counted,
            tell=tell,
        )
    finally:
        given.close()


def missing_extra(name: str) -> ResourceError:
    """That an engine is not installed."""
    message = f"the engine `{name}` is not installed"
    return ResourceError("no-engine", message, f"pip install 'fairdeal[{name}]'")
