"""Clusters that judge the parts of an audit: Dask and Spark."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fairdeal.validator.audit.run.audit_plan import WHOLE_LOG_BYTES, AuditPlan
from fairdeal.validator.audit.run.log_parts import CheckedPart, LogPart
from fairdeal.validator.audit.run.verdict_storage import decode_verdicts, encode_verdicts
from fairdeal.validator.text.diagnostics import ResourceError
from fairdeal.validator.text.temp_spool import report_temp_errors

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster
    from pyspark import SparkContext

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
        return encode_verdicts(plan.check_part(part))
    return client.submit(_check_part, plan, part, pure=False, retries=MAX_ATTEMPTS - 1)


def _check_part(plan: AuditPlan, part: LogPart) -> bytes:
    return encode_verdicts(plan.check_part(part))


def _collect(plan: AuditPlan, part: LogPart, outcome: Future[bytes] | bytes) -> CheckedPart:
    from distributed import KilledWorker  # noqa: PLC0415 - see above

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
