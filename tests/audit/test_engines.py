"""Clusters judge what one process does, byte for byte, whatever becomes of their workers."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

import fairdeal
from fairdeal.validator.audit.run.audit_plan import AuditPlan
from fairdeal.validator.audit.run.log_parts import CheckedPart, LogPart
from fairdeal.validator.audit.run.run_engines import DaskEngine, Engine, LocalEngine, SparkEngine, audit_logs
from tests.audit.logs import LOGS, to_bytes
from tests.audit.sockets import Address, find_listening, is_loopback
from tests.facade.commands import Finished, run
from tests.facade.evidence import HandLog
from tests.facade.text import InputError

AUDIT = ("audit", *LOGS, "nowhere.jsonl", "-s", "house.yaml", "-o", "json")


class Cut:
    """An engine that is given all but the smallest logs block by block, so that there are many parts."""

    whole_log_bytes = 20_000

    def __init__(self, engine: Engine) -> None:
        self.check_parts = engine.check_parts


@pytest.fixture(scope="session")
def plan() -> AuditPlan:
    return fairdeal.audit_plan(fairdeal.load_rulebook())


def judge(engine: Engine, plan: AuditPlan) -> bytes:
    logs = (HandLog(name, variants=plan.load_variants) for name in LOGS)
    told: list[InputError] = []
    found = audit_logs(engine, plan, logs, program="p", generated="g", refused=told.append)
    assert not told
    return to_bytes(found)


@cache
def _judge_in_one_process(plan: AuditPlan) -> bytes:
    return judge(LocalEngine(), plan)


@cache
def audit_with_statistics() -> Finished:
    """Return what one process finds and counts."""
    return run(*AUDIT, "--statistics", "-j", "1")


@pytest.fixture
def expected_results(plan: AuditPlan) -> bytes:
    """Return the results of one process."""
    return _judge_in_one_process(plan)


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[str]:
    """Return the address of a scheduler with two workers, each a process in the folder of the logs. A worker that is
    killed is started again."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'fairdeal[dask]'")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with cluster:
        yield cluster.scheduler_address


def test_a_dask_cluster_judges_what_one_process_does(cluster: str, plan: AuditPlan, expected_results: bytes) -> None:
    # The test of a worker that is killed gives the cluster many parts.
    assert judge(DaskEngine(scheduler=cluster), plan) == expected_results


def test_a_dask_worker_that_is_killed_changes_nothing(cluster: str, plan: AuditPlan, expected_results: bytes) -> None:
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        pids = list(client.run(os.getpid).values())
        killed: list[int] = []

        class Killing(Cut):
            def __init__(self) -> None:
                self._engine = DaskEngine(scheduler=cluster)

            def check_parts(self, plan: AuditPlan, parts: Iterator[LogPart]) -> Iterator[CheckedPart]:
                for number, verdict in enumerate(self._engine.check_parts(plan, parts)):
                    if number == 3 and not killed:
                        os.kill(pids[0], signal.SIGKILL)
                        killed.append(pids[0])
                    yield verdict

        assert judge(Killing(), plan) == expected_results
        assert killed
        assert pids[0] not in client.run(os.getpid).values()


def test_the_command_takes_a_cluster_and_counts_statistics_alike(cluster: str) -> None:
    pytest.importorskip("scipy", reason="SciPy is not installed: pip install 'fairdeal[statistics]'")
    local = audit_with_statistics()
    assert local.code == 3
    assert run(*AUDIT, "--statistics", "--engine", "dask", "--scheduler", cluster) == local
    assert local.results["statistics"]["hold"]


def test_no_scheduler_is_named() -> None:
    pytest.importorskip("distributed")
    finished = run(*AUDIT, "--engine", "dask", "--scheduler", "nonsense")
    assert finished.code == 3
    assert finished.err.startswith("error[no-cluster]: no Dask scheduler answers at nonsense")


@pytest.mark.parametrize(("option", "engine"), [("--scheduler", "spark"), ("--master", "dask"), ("--master", "local")])
def test_an_address_is_for_its_engine(option: str, engine: str) -> None:
    finished = run(*AUDIT, "--engine", engine, option, "somewhere")
    assert finished.code == 2
    assert f"`{option}` is for `--engine" in finished.err


@pytest.fixture(scope="module")
def _short_lived_java() -> Iterator[None]:
    """Limit optimization in Java, which does not pay in a process of a few seconds."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        yield


spark = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java 17, which is not installed")


def _find_python_workers() -> list[int]:
    """List the processes in which Spark runs Python: those that its daemon has started."""
    found: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if b"pyspark.daemon" in (stat.parent / "cmdline").read_bytes():
                found[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    return [pid for pid, parent in found.items() if parent in found]


def _list_commands_of_java(pid: int) -> list[str]:
    """List the command lines of the processes that a process has started, and of those that these have started."""
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            with suppress(OSError):
                found += [Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()]
                found += _list_commands_of_java(int(child))
    return [command for command in found if "java" in command.partition(" ")[0]]


class _Watcher:
    """Thread that looks at a cluster of Spark while it judges, and then kills one of its workers."""

    def __init__(self) -> None:
        self.killed: list[int] = []
        self.commands: list[str] = []
        self.listening: set[tuple[Address, int]] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> _Watcher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.is_set() and not self.killed:
            for pid in _find_python_workers()[:1]:
                self.commands = _list_commands_of_java(os.getpid())
                self.listening = find_listening(os.getpid())
                time.sleep(0.3)  # so that it is judging
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed.append(pid)
            time.sleep(0.01)


@spark
@pytest.mark.usefixtures("_short_lived_java")
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_spark_judges_and_counts_what_one_process_does_though_a_worker_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The cluster listens on loopback only, and authenticates with a secret that no command line shows."""
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'fairdeal[spark]'")
    monkeypatch.setattr(SparkEngine, "whole_log_bytes", Cut.whole_log_bytes)
    with _Watcher() as watcher:
        found = run(*AUDIT, "--statistics", "--engine", "spark", "-j", "2")
    assert found == audit_with_statistics()
    assert watcher.killed
    assert len(watcher.listening) >= 3  # the gateway to Java, the driver, and the manager of blocks
    assert {address for address, _ in watcher.listening if not is_loopback(address)} == set()
    assert any("spark.authenticate=true" in command for command in watcher.commands)
    assert not any("secret" in command.lower() for command in watcher.commands)
