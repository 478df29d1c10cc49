"""Engine that judges the parts of an audit by processes of this machine."""

from __future__ import annotations

import os
import pickle
import queue
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.audit.applicability.submissions_in_force import RoundCounter
from fairdeal.validator.audit.run.audit_merge import OnUnreadable, build_results, ignore
from fairdeal.validator.audit.run.audit_plan import AuditPlan
from fairdeal.validator.audit.run.log_parts import BlockVerdict, CheckedPart, LogPart, PartitionedLogs
from fairdeal.validator.evidence.hand_log import BLOCK_BYTES, HandLog, SmallLogs
from fairdeal.validator.results.results import PlaceKey, Results
from fairdeal.validator.worker_process import START_METHOD, begin_worker, make_killed_error, make_start_error

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


_RUN = "audit"


class Engine(Protocol):
    """Executor that checks parts: this process, several processes, or a cluster."""

    @property
    def whole_log_bytes(self) -> int:
        """Maximum size in bytes of a log that is one part, if workers can read it."""
        ...

    def check_parts(self, plan: AuditPlan, parts: Iterator[LogPart]) -> Iterator[CheckedPart]:
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
    refused: OnUnreadable,
    progress: Callable[[str, int], object] = ignore,
    counted: Callable[[RoundCounter], object] = ignore,
    report_progress: Callable[[str], object] = ignore,
) -> Results:
    """Audit logs by a plan, as `build_results` does. Each log is opened when the audit reaches it."""
    given = PartitionedLogs(logs, whole=engine.whole_log_bytes)
    try:
        return build_results(
            plan,
            lambda plan_of_pass: engine.check_parts(plan_of_pass, given.iter_parts()),
            program=program,
            generated=generated,
            refused=refused,
            progress=progress,
            counted=counted,
            report_progress=report_progress,
        )
    finally:
        given.close()


_PARTS_PER_PROCESS = 2
"""Number of parts that a process is given: one to check, and the next, so that it need not wait."""


class _Ticket(Struct):
    """Part that is being checked, without its data."""

    part: LogPart
    """Part, without its block."""
    result: bytes | tuple[BlockVerdict, ...] | None = None
    """Verdicts, or pickled bytes of the verdicts or of the exception raised, unpickled when the part's turn comes."""

    def take_result(self) -> CheckedPart:
        """Return the part with its verdicts, or raise the exception that checking it raised."""
        assert self.result is not None
        result = pickle.loads(self.result) if isinstance(self.result, bytes) else self.result
        self.result = None
        if isinstance(result, BaseException):
            raise result
        return CheckedPart(part=self.part, verdicts=result)


class _Worker:
    """Process that checks parts in the order in which it receives them."""

    __slots__ = ("_parts", "_process", "tickets", "verdicts")

    def __init__(self, plan: AuditPlan, others: Sequence[_Worker], *, method: str = START_METHOD) -> None:
        import multiprocessing  # noqa: PLC0415 - this process checks a small log alone

        theirs, self._parts = multiprocessing.Pipe(duplex=False)
        self.verdicts, back = multiprocessing.Pipe(duplex=False)
        ours = [self._parts, self.verdicts, *(stop for worker in others for stop in (worker._parts, worker.verdicts))]
        # A forked process inherits the ends of all pipes, and would keep the pipes of the others open.
        inherited = ours if method == "fork" else []
        context: Any = multiprocessing.get_context(method)
        self._process = context.Process(target=_run_worker, args=(plan, theirs, back, inherited), daemon=True)
        self._process.start()
        theirs.close()
        back.close()
        self.tickets: deque[_Ticket] = deque()

    def send_part(self, part: LogPart) -> _Ticket:
        """Send a part to the process."""
        try:
            self._parts.send(part)
        except OSError as error:
            raise make_killed_error(_RUN) from error
        self.tickets.append(_Ticket(replace(part, block=None)))
        return self.tickets[-1]

    def receive_result(self) -> None:
        """Wait for the result of the first part that is not checked yet."""
        try:
            result = self.verdicts.recv_bytes()
        except (EOFError, OSError) as error:
            raise make_killed_error(_RUN) from error
        self.tickets.popleft().result = result

    def stop(self, *, at_once: bool) -> None:
        """Stop the process when its parts are checked, or immediately."""
        if at_once:
            self._process.kill()
        self._parts.close()
        self.verdicts.close()
        self._process.join()


class LocalEngine:
    """Engine of up to `jobs` processes. This process alone checks parts until there is more than one block.

    The processes stop when all parts are checked, and whenever this process ends. They are started `afresh` if logs are
    in an object store, because connections to it do not survive a fork.
    """

    __slots__ = ("_jobs", "_method")

    whole_log_bytes = 0
    """Maximum size in bytes of a log that is one part: no log is."""

    def __init__(self, *, jobs: int = 1, afresh: bool = False) -> None:
        self._jobs = jobs
        self._method = "spawn" if afresh else START_METHOD

    def check_parts(self, plan: AuditPlan, parts: Iterator[LogPart]) -> Iterator[CheckedPart]:
        """Yield every part with its verdicts, in the order given.

        Raises:
            ResourceError: If a process is killed or cannot be started. Exceptions of `parts` propagate.
        """
        explained: dict[str, PlaceKey] = {}
        if self._jobs > 1:
            held, done, small = deque[LogPart](), 0, 0
            for part in parts:
                held.append(part)
                # Several processes start once there is more than one block.
                done += 0 if part.block is None else part.block.size
                small += isinstance(part.block, SmallLogs)
                if part.block is not None and (part.number or small > 1 or done > BLOCK_BYTES):
                    with _Pool(plan, self._jobs, self._method) as pool:
                        yield from pool.check_parts(chain(held, parts))
                    return
                if len(held) > 1:
                    yield check_part_here(plan, held.popleft(), explained)
            parts = iter(held)
        for part in parts:
            yield check_part_here(plan, part, explained)


def check_part_here(plan: AuditPlan, part: LogPart, explained: dict[str, PlaceKey]) -> CheckedPart:
    """Check a part in this process.

    Args:
        explained: place of the first explained failure of each requirement; updated.
    """
    return CheckedPart(part=replace(part, block=None), verdicts=plan.check_part(part, explained=explained))


class _Pool:
    """Processes that are started as work arrives."""

    __slots__ = ("_jobs", "_method", "_plan", "_workers")

    def __init__(self, plan: AuditPlan, jobs: int, method: str) -> None:
        self._plan = plan
        self._jobs = jobs
        self._method = method
        self._workers: list[_Worker] = []

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        while self._workers:
            judge = self._workers.pop()
            judge.stop(at_once=kind is not None or bool(judge.tickets))

    def check_parts(self, parts: Iterator[LogPart]) -> Iterator[CheckedPart]:
        """Yield every part with its verdicts, in the order given."""
        given: deque[_Ticket] = deque()
        more = True
        while more or given:
            if given and given[0].result is not None:
                yield given.popleft().take_result()
                continue
            # One part more than there are processes, plus the first, keeps them busy and memory bounded.
            judge = self._find_free_worker() if more and len(given) < self._jobs + _PARTS_PER_PROCESS else None
            if judge is None:
                self._receive_results(timeout=None)
                continue
            part = next(parts, None)
            if part is None:
                more = False
            elif part.block is None:
                given.append(_Ticket(part, self._plan.check_part(part)))
            else:
                given.append(judge.send_part(part))
                self._receive_results(timeout=0)

    def _find_free_worker(self) -> _Worker | None:
        """Return the process with the fewest parts, or a new one; None if all have enough."""
        judge = min(self._workers, key=lambda candidate: len(candidate.tickets), default=None)
        if (judge is None or judge.tickets) and len(self._workers) < self._jobs:
            try:
                judge = _Worker(self._plan, self._workers, method=self._method)
            except OSError as error:
                raise make_start_error(_RUN, error) from error
            self._workers.append(judge)
        return judge if judge is not None and len(judge.tickets) < _PARTS_PER_PROCESS else None

    def _receive_results(self, *, timeout: float | None) -> None:
        """Receive the results that are ready; without a timeout, wait for at least one."""
        from multiprocessing.connection import wait  # noqa: PLC0415 - only with several processes

        busy = {judge.verdicts: judge for judge in self._workers if judge.tickets}
        for ready in wait(list(busy), timeout) if busy else ():
            busy[ready].receive_result()  # type: ignore[index]  # what is waited for are connections


def _run_worker(plan: AuditPlan, parts: Connection, verdicts: Connection, inherited: Sequence[Connection]) -> None:
    """Check parts until the receiver is gone."""
    begin_worker(inherited)
    received: queue.SimpleQueue[LogPart] = queue.SimpleQueue()
    # A thread receives parts while another is checked, so that sender and worker never wait for each other.
    threading.Thread(target=_receive, args=(parts, received), daemon=True).start()
    # Parts arrive in order, so a failure that was explained once need not be explained again.
    explained: dict[str, PlaceKey] = {}
    while True:
        part = received.get()
        result: tuple[BlockVerdict, ...] | BaseException
        try:
            result = plan.check_part(part, explained=explained)
        except Exception as error:  # raised again when the result is taken
            error.add_note(traceback.format_exc())
            result = error
        del part
        pickled = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
        del result
        try:
            verdicts.send_bytes(pickled)
        except OSError:  # the receiver is gone
            os._exit(1)
        del pickled


def _receive(parts: Connection, received: queue.SimpleQueue[LogPart]) -> None:
    try:
        while True:
            received.put(parts.recv())
    finally:  # the sender is gone, or memory ran out
        os._exit(1)
