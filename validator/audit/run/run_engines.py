"""Engines that check the parts of an audit: processes of this machine, Dask and Spark."""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.audit.run.audit_merge import OnUnreadable, build_results, ignore
from fairdeal.validator.audit.run.audit_plan import WHOLE_LOG_BYTES, AuditPlan
from fairdeal.validator.audit.run.log_parts import BlockVerdict, CheckedPart, LogPart, PartitionedLogs
from fairdeal.validator.audit.submissions_in_force import RoundCounter
from fairdeal.validator.evidence.hand_log import BLOCK_BYTES, HandLog, SmallLogs
from fairdeal.validator.results.results import PlaceKey, Results
from fairdeal.validator.text.diagnostics import ResourceError
from fairdeal.validator.text.source import report_temp_errors
from fairdeal.validator.worker_process import START_METHOD, begin_worker, make_killed_error, make_start_error

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from distributed import Client, Future, LocalCluster
    from pyspark import SparkContext

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
            worker = self._workers.pop()
            worker.stop(at_once=kind is not None or bool(worker.tickets))

    def check_parts(self, parts: Iterator[LogPart]) -> Iterator[CheckedPart]:
        """Yield every part with its verdicts, in the order given."""
        given: deque[_Ticket] = deque()
        more = True
        while more or given:
            if given and given[0].result is not None:
                yield given.popleft().take_result()
                continue
            # One part more than there are processes, plus the first, keeps them busy and memory bounded.
            worker = self._find_free_worker() if more and len(given) < self._jobs + _PARTS_PER_PROCESS else None
            if worker is None:
                self._receive_results(timeout=None)
                continue
            part = next(parts, None)
            if part is None:
                more = False
            elif part.block is None:
                given.append(_Ticket(part, self._plan.check_part(part)))
            else:
                given.append(worker.send_part(part))
                self._receive_results(timeout=0)

    def _find_free_worker(self) -> _Worker | None:
        """Return the process with the fewest parts, or a new one; None if all have enough."""
        worker = min(self._workers, key=lambda candidate: len(candidate.tickets), default=None)
        if (worker is None or worker.tickets) and len(self._workers) < self._jobs:
            try:
                worker = _Worker(self._plan, self._workers, method=self._method)
            except OSError as error:
                raise make_start_error(_RUN, error) from error
            self._workers.append(worker)
        return worker if worker is not None and len(worker.tickets) < _PARTS_PER_PROCESS else None

    def _receive_results(self, *, timeout: float | None) -> None:
        """Receive the results that are ready; without a timeout, wait for at least one."""
        from multiprocessing.connection import wait  # noqa: PLC0415 - only with several processes

        busy = {worker.verdicts: worker for worker in self._workers if worker.tickets}
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


MAX_ATTEMPTS = 4
"""Maximum number of times a cluster checks a part whose worker is lost."""

_PARTS_PER_THREAD = 3
"""Number of parts in progress for each thread of a worker: one checked, one waiting, one returned."""

_NO_PAGES: dict[str, list[str]] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Settings by which web servers of a cluster serve no pages."""


class DaskEngine:
    """Dask cluster at the address of a scheduler; without an address, a cluster of `jobs` local processes.

    Workers read logs under the names they have here. Raises ResourceError if Dask is not installed or no scheduler
    answers.
    """

    whole_log_bytes = WHOLE_LOG_BYTES
    """Maximum size in bytes of a log that is one part."""

    def __init__(self, *, scheduler: str | None = None, jobs: int = 1) -> None:
        try:
            import distributed  # noqa: F401, PLC0415 - an extra
        except ImportError as error:
            raise build_missing_extra_error("dask") from error
        self._scheduler = scheduler
        self._jobs = jobs

    def check_parts(self, plan: AuditPlan, parts: Iterator[LogPart]) -> Iterator[CheckedPart]:
        """Yield every part with its verdicts, in the order given.

        Raises ResourceError if a part repeatedly kills its worker.
        """
        with self._client() as client:
            pending: deque[tuple[LogPart, Future[bytes] | bytes]] = deque()
            for part in parts:
                pending.append((part, _submit(client, plan, part)))
                if len(pending) >= _PARTS_PER_THREAD * max(sum(client.nthreads().values()), 1):
                    yield _collect(plan, *pending.popleft())
            while pending:
                yield _collect(plan, *pending.popleft())

    @contextmanager
    def _client(self) -> Iterator[Client]:
        from distributed import Client  # noqa: PLC0415 - see above

        if self._scheduler is None:
            with _private_cluster(self._jobs) as cluster, Client(cluster, set_as_default=False) as client:
                yield client
            return
        try:
            client = Client(self._scheduler, set_as_default=False)
        except (OSError, ValueError) as error:
            message = f"no Dask scheduler answers at {self._scheduler}: {error}"
            raise ResourceError("no-cluster", message, "check the address, as tcp://HOST:8786") from error
        with client:
            yield client


@contextmanager
def _private_cluster(jobs: int) -> Iterator[LocalCluster]:
    """Start a cluster of processes on this machine that only this process can use.

    A scheduler runs any code that a client sends, and every user of the machine reaches its port. The client, the
    scheduler and the workers therefore authenticate each other by a key made for this run. Their web servers serve
    nothing. Workers keep their files in a folder that no other user can write to.

    Raises ResourceError if the library that makes the key is not installed.
    """
    import dask  # noqa: PLC0415 - see above
    from distributed import LocalCluster  # noqa: PLC0415
    from distributed.security import Security  # noqa: PLC0415

    try:
        security = Security.temporary()
    except ImportError as error:
        raise build_missing_extra_error("dask") from error
    with report_temp_errors():
        temporary = TemporaryDirectory(prefix="fairdeal-", ignore_cleanup_errors=True)
    with (
        temporary as folder,
        dask.config.set({**_NO_PAGES, "temporary-directory": folder}),
        LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            host="127.0.0.1",
            security=security,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
        ) as cluster,
    ):
        yield cluster


def _submit(client: Client, plan: AuditPlan, part: LogPart) -> Future[bytes] | bytes:
    if part.block is None:
        return _check_part(plan, part)
    return client.submit(_check_part, plan, part, pure=False, retries=MAX_ATTEMPTS - 1)


def _check_part(plan: AuditPlan, part: LogPart) -> bytes:
    from fairdeal.validator.audit.run.verdict_storage import encode_verdicts  # noqa: PLC0415 - Arrow is slow to import, and one machine needs none

    return encode_verdicts(plan.check_part(part))


def _collect(plan: AuditPlan, part: LogPart, outcome: Future[bytes] | bytes) -> CheckedPart:
    from distributed import KilledWorker  # noqa: PLC0415 - see above

    from fairdeal.validator.audit.run.verdict_storage import decode_verdicts  # noqa: PLC0415 - Arrow is slow to import, and one machine needs none

    try:
        data = outcome if isinstance(outcome, bytes) else outcome.result()
    except KilledWorker as error:
        message = f"part {part.number} of {part.name} was not checked: its workers were killed repeatedly"
        raise ResourceError("killed", message, "use workers with more memory") from error
    return CheckedPart(part=part, verdicts=decode_verdicts(data, plan.audit_context.decode_counter))


_PARTS_PER_CORE = 8
"""Number of parts for each core of the cluster that are sent together."""

_LOOPBACK = "127.0.0.1"


def _is_this_machine(master: str) -> bool:
    """Return whether a master runs executors in its own process: `local`, `local[4]`."""
    return master == "local" or master.startswith("local[")


class SparkEngine:
    """Spark cluster at the address of a master; without an address, `jobs` local processes.

    Executors read logs under the names they have here. Raises ResourceError if Spark is not installed.
    """

    whole_log_bytes = WHOLE_LOG_BYTES
    """Maximum size in bytes of a log that is one part."""

    def __init__(self, *, master: str | None = None, jobs: int = 1) -> None:
        try:
            import pyspark  # noqa: F401, PLC0415 - an extra
        except ImportError as error:
            raise build_missing_extra_error("spark") from error
        self._master = master or f"local[{jobs},{MAX_ATTEMPTS}]"

    def check_parts(self, plan: AuditPlan, parts: Iterator[LogPart]) -> Iterator[CheckedPart]:
        """Yield every part with its verdicts, in the order given.

        Raises ResourceError if the cluster cannot be used or gives up.
        """
        from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - an extra

        from fairdeal.validator.audit.run.verdict_storage import decode_verdicts, encode_verdicts  # noqa: PLC0415 - Arrow is slow to import, and one machine needs none

        context = self._context()
        shared = context.broadcast(plan)
        try:
            while sent := list(islice(parts, _PARTS_PER_CORE * max(context.defaultParallelism, 1))):
                todo = [part for part in sent if part.block is not None]
                rows = context.parallelize(todo, max(len(todo), 1)).map(
                    lambda part: encode_verdicts(shared.value.check_part(part))
                )
                results = iter(rows.collect())
                for part in sent:
                    if part.block is None:
                        yield CheckedPart(part=part, verdicts=plan.check_part(part))
                    else:
                        yield CheckedPart(
                            part=part, verdicts=decode_verdicts(next(results), plan.audit_context.decode_counter)
                        )
        except Py4JJavaError as error:
            message = f"Spark gave up: {error.java_exception.getMessage().splitlines()[0]}"
            raise ResourceError("killed", message, "read the logs of the executors; give them more memory") from error
        finally:
            shared.destroy()

    def _context(self) -> SparkContext:
        from pyspark import SparkConf, SparkContext  # noqa: PLC0415 - an extra
        from pyspark.errors import PySparkException  # noqa: PLC0415

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf = SparkConf().setMaster(self._master).setAppName("fairdeal audit")
        conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
        conf.set("spark.task.maxFailures", str(MAX_ATTEMPTS))
        if _is_this_machine(self._master):
            # Spark makes its own secret for the run. A secret of ours would be readable on its command line.
            conf.set("spark.authenticate", "true").set("spark.network.crypto.enabled", "true")
            conf.set("spark.driver.host", _LOOPBACK).set("spark.driver.bindAddress", _LOOPBACK)
        try:
            return SparkContext.getOrCreate(conf)
        except (PySparkException, OSError) as error:
            raise ResourceError("no-cluster", f"Spark cannot be started: {error}", "Spark needs Java 17") from error


def build_missing_extra_error(name: str) -> ResourceError:
    """Build the error for an engine that is not installed."""
    message = f"the engine `{name}` is not installed"
    return ResourceError("no-engine", message, f"pip install 'fairdeal[{name}]'")
