"""Engine of a Dask cluster: workers check parts, and the scheduler reassigns a part if a worker is lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from validator.audit.engines.engine import MOST_TRIES, missing_extra
from validator.audit.run.parts import JudgedPart, Part
from validator.audit.run.plan import WHOLE, AuditPlan
from validator.audit.run.verdict_bytes import from_bytes, to_bytes
from validator.text.diagnostics import ResourceError
from validator.text.scratch import in_temporary_folder

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

_PARTS_PER_THREAD = 3
"""Number of parts in progress for each thread of a worker: one checked, one waiting, one returned."""

_NO_PAGES: dict[str, list[str]] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Settings by which web servers of a cluster serve no pages."""


class DaskEngine:
    """Dask cluster at the address of a scheduler; without an address, a cluster of `jobs` local processes.

    Workers read logs under the names they have here. Raises ResourceError if Dask is not installed or no scheduler
    answers.
    """

    whole = WHOLE
    """Maximum size in bytes of a log that is one part."""

    def __init__(self, *, scheduler: str | None = None, jobs: int = 1) -> None:
        try:
            import distributed  # noqa: F401, PLC0415 - an extra
        except ImportError as error:
            raise missing_extra("dask") from error
        self._scheduler = scheduler
        self._jobs = jobs

    def judged(self, plan: AuditPlan, parts: Iterator[Part]) -> Iterator[JudgedPart]:
        """Yield every part with its verdicts, in the order given.

        Raises ResourceError if a part repeatedly kills its worker.
        """
        with self._client() as client:
            pending: deque[tuple[Part, Future[bytes] | bytes]] = deque()
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
        raise missing_extra("dask") from error
    with in_temporary_folder():
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


def _submit(client: Client, plan: AuditPlan, part: Part) -> Future[bytes] | bytes:
    if part.block is None:
        return to_bytes(plan.verdicts(part))
    return client.submit(_check_part, plan, part, pure=False, retries=MOST_TRIES - 1)


def _check_part(plan: AuditPlan, part: Part) -> bytes:
    return to_bytes(plan.verdicts(part))


def _collect(plan: AuditPlan, part: Part, outcome: Future[bytes] | bytes) -> JudgedPart:
    from distributed import KilledWorker  # noqa: PLC0415 - see above

    try:
        data = outcome if isinstance(outcome, bytes) else outcome.result()
    except KilledWorker as error:
        message = f"part {part.number} of {part.name} was not checked: its workers were killed repeatedly"
        raise ResourceError("killed", message, "use workers with more memory") from error
    return JudgedPart(part=part, verdicts=from_bytes(data, plan.court.read_counts))
