"""Interface of the engines of an audit, and the audit of logs by an engine."""

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
"""Maximum number of times a cluster checks a part whose worker is lost."""


class Engine(Protocol):
    """Executor that checks parts: this process, several processes, or a cluster."""

    @property
    def whole(self) -> int:
        """Maximum size in bytes of a log that is one part, if workers can read it."""
        ...

    def judged(self, plan: AuditPlan, parts: Iterator[Part]) -> Iterator[JudgedPart]:
        """Yield every part once with its verdicts, in the order given.

        The engine takes parts as capacity becomes free.
        """
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
    """Audit logs by a plan, as `build_results` does. Each log is opened when the audit reaches it."""
    given = Logs(logs, whole=engine.whole)
    try:
        return results_of(
            plan,
            lambda plan_of_pass: engine.judged(plan_of_pass, given.parts()),
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
    """Build the error for an engine that is not installed."""
    message = f"the engine `{name}` is not installed"
    return ResourceError("no-engine", message, f"pip install 'fairdeal[{name}]'")
