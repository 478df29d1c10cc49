"""Engine of a Spark cluster: executors check parts, and Spark reassigns a part if an executor is lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from validator.audit.engines.engine import MOST_TRIES, missing_extra
from validator.audit.run.parts import JudgedPart, Part
from validator.audit.run.plan import WHOLE, AuditPlan
from validator.audit.run.verdict_bytes import from_bytes, to_bytes
from validator.text.diagnostics import ResourceError

if TYPE_CHECKING:
    from pyspark import SparkContext

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

    whole = WHOLE
    """Maximum size in bytes of a log that is one part."""

    def __init__(self, *, master: str | None = None, jobs: int = 1) -> None:
        try:
            import pyspark  # noqa: F401, PLC0415 - an extra
        except ImportError as error:
            raise missing_extra("spark") from error
        self._master = master or f"local[{jobs},{MOST_TRIES}]"

    def judged(self, plan: AuditPlan, parts: Iterator[Part]) -> Iterator[JudgedPart]:
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
                    lambda part: to_bytes(shared.value.verdicts(part))
                )
                results = iter(rows.collect())
                for part in sent:
                    if part.block is None:
                        yield JudgedPart(part=part, verdicts=plan.verdicts(part))
                    else:
                        yield JudgedPart(part=part, verdicts=from_bytes(next(results), plan.court.read_counts))
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
        conf.set("spark.task.maxFailures", str(MOST_TRIES))
        if _is_this_machine(self._master):
            # Spark makes its own secret for the run. A secret of ours would be readable on its command line.
            conf.set("spark.authenticate", "true").set("spark.network.crypto.enabled", "true")
            conf.set("spark.driver.host", _LOOPBACK).set("spark.driver.bindAddress", _LOOPBACK)
        try:
            return SparkContext.getOrCreate(conf)
        except (PySparkException, OSError) as error:
            raise ResourceError("no-cluster", f"Spark cannot be started: {error}", "Spark needs Java 17") from error
