"""The engine of a Dask cluster: its workers judge parts, its scheduler gives a part to another where one is lost."""

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

_AT_ONCE = 3
"""Parts for each thread of a worker that are under way: judged, waiting, and handed in."""

_NO_PAGES: dict[str, list[str]] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Settings by which web servers of a cluster serve no pages."""


class DaskEngine:
    """A cluster by the address of its scheduler; without one, a cluster of `jobs` processes of this machine.

    Logs are read by the workers, under the names they have here. Raises ResourceError where Dask is not installed or
    no scheduler answers.
    """

    whole = WHOLE

    def __init__(self, *, scheduler: str | None = None, jobs: int = 1) -> None:
        try:
            import distributed  # noqa: F401, PLC0415 - an extra
        except ImportError as error:
            raise missing_extra("dask") from error
        self._scheduler = scheduler
        self._jobs = jobs

    def judged(self, plan: AuditPlan, parts: Iterator[Part]) -> Iterator[JudgedPart]:
        """Every part judged, in the order given. Raises ResourceError where one costs a worker again and again."""
        with self._client() as client:
            given: deque[tuple[Part, Future[bytes] | bytes]] = deque()
            for part in parts:
                given.append((part, _given(client, plan, part)))
                if len(given) >= _AT_ONCE * max(sum(client.nthreads().values()), 1):
                    yield _taken(plan, *given.popleft())
            while given:
                yield _taken(plan, *given.popleft())

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


def _given(client: Client, plan: AuditPlan, part: Part) -> Future[bytes] | bytes:
    if part.block is None:
        return to_bytes(plan.verdicts(part))
    return client.submit(_judge, plan, part, pure=False, retries=MOST_TRIES - 1)


def _judge(plan: AuditPlan, part: Part) -> bytes:
    return to_bytes(plan.verdicts(part))


def _taken(plan: AuditPlan, part: Part, found: Future[bytes] | bytes) -> JudgedPart:
    from distributed import KilledWorker  # noqa: PLC0415 - see above

    try:
        written = found if isinstance(found, bytes) else found.result()
    except KilledWorker as error:
        message = f"workers are lost again and again where part {part.number} of {part.name} is judged"
        raise ResourceError("killed", message, "use workers with more memory") from error
    return JudgedPart(part=part, verdicts=from_bytes(written, plan.court.read_counts))
