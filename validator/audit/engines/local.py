"""The engine of one machine: parts are judged by this process or by several, and handed back in order.

Each has pipes of its own, so that one which is killed, at whatever moment, is noticed and holds up nobody.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from validator.audit.run.block_audit import BlockVerdict
from validator.audit.run.parts import JudgedPart, Part
from validator.audit.run.plan import AuditPlan
from validator.evidence.readers.open_log import BLOCK_BYTES
from validator.evidence.readers.small_logs import SmallLogs
from validator.results.place_order import PlaceKey
from validator.text.diagnostics import ResourceError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_AT_ONCE = 2
"""Parts that a process is given: one to judge, and the next, so that it need not wait."""


_FORKED = "fork" if sys.platform == "linux" else "spawn"
"""How processes are begun that read files: the quickest way."""


class _Ticket(Struct):
    """A part that is being judged, without what is read of it."""

    part: Part
    found: bytes | tuple[BlockVerdict, ...] | None = None
    """The verdict, or the exception that judging raised, pickled until its turn comes to save memory."""

    def judged(self) -> JudgedPart:
        assert self.found is not None
        found = pickle.loads(self.found) if isinstance(self.found, bytes) else self.found
        self.found = None
        if isinstance(found, BaseException):
            raise found
        return JudgedPart(part=self.part, verdicts=found)


class _Judge:
    """A process that judges parts in the order in which it is given them."""

    __slots__ = ("_parts", "_process", "tickets", "verdicts")

    def __init__(self, plan: AuditPlan, others: Sequence[_Judge], *, method: str = _FORKED) -> None:
        import multiprocessing  # noqa: PLC0415 - a small log is judged by this process

        theirs, self._parts = multiprocessing.Pipe(duplex=False)
        self.verdicts, back = multiprocessing.Pipe(duplex=False)
        ours = [self._parts, self.verdicts, *(end for one in others for end in (one._parts, one.verdicts))]
        # What is forked has the ends of all pipes; those of others would keep them open.
        inherited = ours if method == "fork" else []
        context: Any = multiprocessing.get_context(method)
        self._process = context.Process(target=_judge_on, args=(plan, theirs, back, inherited), daemon=True)
        self._process.start()
        theirs.close()
        back.close()
        self.tickets: deque[_Ticket] = deque()

    def give(self, part: Part) -> _Ticket:
        """Have a part judged."""
        try:
            self._parts.send(part)
        except OSError as error:
            raise _killed() from error
        self.tickets.append(_Ticket(replace(part, block=None)))
        return self.tickets[-1]

    def take(self) -> None:
        """Wait for the verdict on the first part that is not judged yet."""
        try:
            found = self.verdicts.recv_bytes()
        except (EOFError, OSError) as error:
            raise _killed() from error
        self.tickets.popleft().found = found

    def end(self, *, at_once: bool) -> None:
        """End the process: once it has nothing more to judge, or at once."""
        if at_once:
            self._process.kill()
        self._parts.close()
        self.verdicts.close()
        self._process.join()


def _killed() -> ResourceError:
    message = "a process of the audit was killed, most often since memory ran out"
    return ResourceError(
        "killed", message, "use fewer processes, with --jobs 1 one alone, or a machine with more memory"
    )


class LocalEngine:
    """Up to `jobs` processes that judge by a plan; this one alone until there is more to judge than a block.

    They end when all is judged, and with this process however it ends. They are begun `afresh` where logs are read from
    a store: what speaks to it does not live through a fork.
    """

    __slots__ = ("_jobs", "_method")

    whole = 0

    def __init__(self, *, jobs: int = 1, afresh: bool = False) -> None:
        self._jobs = jobs
        self._method = "spawn" if afresh else _FORKED

    def judged(self, plan: AuditPlan, parts: Iterator[Part]) -> Iterator[JudgedPart]:
        """Every part judged, in the order given.

        Raises what asking for a part raises, and ResourceError where a process is killed or cannot be started.
        """
        explained: dict[str, PlaceKey] = {}
        if self._jobs > 1:
            held, done, small = deque[Part](), 0, 0
            for part in parts:
                held.append(part)
                # More than one block is more than one process should do.
                done += 0 if part.block is None else part.block.size
                small += isinstance(part.block, SmallLogs)
                if part.block is not None and (part.number or small > 1 or done > BLOCK_BYTES):
                    with _Pool(plan, self._jobs, self._method) as pool:
                        yield from pool.judged(chain(held, parts))
                    return
                if len(held) > 1:
                    yield judged_here(plan, held.popleft(), explained)
            parts = iter(held)
        for part in parts:
            yield judged_here(plan, part, explained)


def judged_here(plan: AuditPlan, part: Part, explained: dict[str, PlaceKey]) -> JudgedPart:
    """A part judged in this process, which has `explained` some requirements before."""
    return JudgedPart(part=replace(part, block=None), verdicts=plan.verdicts(part, explained=explained))


class _Pool:
    """Processes that are begun as there is something to do for them."""

    __slots__ = ("_jobs", "_judges", "_method", "_plan")

    def __init__(self, plan: AuditPlan, jobs: int, method: str) -> None:
        self._plan = plan
        self._jobs = jobs
        self._method = method
        self._judges: list[_Judge] = []

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        while self._judges:
            judge = self._judges.pop()
            judge.end(at_once=kind is not None or bool(judge.tickets))

    def judged(self, parts: Iterator[Part]) -> Iterator[JudgedPart]:
        """Every part judged, in the order given."""
        given: deque[_Ticket] = deque()
        more = True
        while more or given:
            if given and given[0].found is not None:
                yield given.popleft().judged()
                continue
            # One part more than there are processes, and the first, keep them busy and memory bounded.
            judge = self._free() if more and len(given) < self._jobs + _AT_ONCE else None
            if judge is None:
                self._take(timeout=None)
                continue
            part = next(parts, None)
            if part is None:
                more = False
            elif part.block is None:
                given.append(_Ticket(part, self._plan.verdicts(part)))
            else:
                given.append(judge.give(part))
                self._take(timeout=0)

    def _free(self) -> _Judge | None:
        """The process that has least to do, one that is begun for it, or None where all have enough."""
        judge = min(self._judges, key=lambda one: len(one.tickets), default=None)
        if (judge is None or judge.tickets) and len(self._judges) < self._jobs:
            try:
                judge = _Judge(self._plan, self._judges, method=self._method)
            except OSError as error:
                message = f"no process can be started to judge with: {(error.strerror or str(error)).lower()}"
                raise ResourceError("no-process", message, "use one process: --jobs 1") from error
            self._judges.append(judge)
        return judge if judge is not None and len(judge.tickets) < _AT_ONCE else None

    def _take(self, *, timeout: float | None) -> None:
        """Take the verdicts that are there; wait for one, if there is to be no timeout."""
        from multiprocessing.connection import wait  # noqa: PLC0415 - likewise

        busy = {judge.verdicts: judge for judge in self._judges if judge.tickets}
        for ready in wait(list(busy), timeout) if busy else ():
            busy[ready].take()  # type: ignore[index]  # what is waited for are connections


def _judge_on(plan: AuditPlan, parts: Connection, verdicts: Connection, inherited: Sequence[Connection]) -> None:
    """Judge part after part, until there is nobody to hand them in."""
    for end in inherited:
        end.close()
    # Ctrl+C reaches all processes of a terminal. It is for the audit, which ends those that it has begun.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    gc.freeze()
    given: queue.SimpleQueue[Part] = queue.SimpleQueue()
    # Whoever hands in a part must not have to wait for what is being judged: both could then wait for each other.
    threading.Thread(target=_receive, args=(parts, given), daemon=True).start()
    # Parts come in their order, so that what was explained here once need not be explained again.
    explained: dict[str, PlaceKey] = {}
    while True:
        part = given.get()
        found: tuple[BlockVerdict, ...] | BaseException
        try:
            found = plan.verdicts(part, explained=explained)
        except Exception as error:  # raised again where the verdict is asked for
            error.add_note(traceback.format_exc())
            found = error
        del part
        pickled = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
        del found
        try:
            verdicts.send_bytes(pickled)
        except OSError:  # nobody is there any more
            os._exit(1)
        del pickled


def _receive(parts: Connection, given: queue.SimpleQueue[Part]) -> None:
    try:
        while True:
            given.put(parts.recv())
    finally:  # nobody is there any more, or there is no memory
        os._exit(1)
