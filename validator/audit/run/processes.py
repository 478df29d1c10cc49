"""The processes of an audit: blocks are judged by this one or by several, and handed back in order.

Each has pipes of its own, so that one which is killed, at whatever moment, is noticed and holds up nobody.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import queue
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any

from msgspec import Struct

from validator.audit.applicability.submissions_in_force import Court
from validator.audit.run.block_audit import Block, BlockVerdict, judge_block
from validator.text.diagnostics import InputError, ResourceError

_AT_ONCE = 2
"""Blocks that a process is given: one to judge, and the next, so that it need not wait."""


_CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class _Ticket(Struct):
    """A block that is being judged: its verdict, or what judging it has raised."""

    found: BlockVerdict | BaseException | None = None

    def verdict(self) -> BlockVerdict:
        assert self.found is not None
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


class _Judge:
    """A process that judges blocks in the order in which it is given them."""

    __slots__ = ("_blocks", "_process", "tickets", "verdicts")

    def __init__(self, court: Court, others: Sequence[_Judge]) -> None:
        theirs, self._blocks = Pipe(duplex=False)
        self.verdicts, back = Pipe(duplex=False)
        ours = [self._blocks, self.verdicts, *(end for one in others for end in (one._blocks, one.verdicts))]
        # What is forked has the ends of all pipes; those of others would keep them open.
        inherited = ours if _CONTEXT.get_start_method() == "fork" else []
        self._process = _CONTEXT.Process(target=_judge_on, args=(court, theirs, back, inherited), daemon=True)
        self._process.start()
        theirs.close()
        back.close()
        self.tickets: deque[_Ticket] = deque()

    def give(self, block: Block) -> _Ticket:
        """Have a block judged."""
        try:
            self._blocks.send(block)
        except OSError as error:
            raise _killed() from error
        self.tickets.append(_Ticket())
        return self.tickets[-1]

    def take(self) -> None:
        """Wait for the verdict on the first block that is not judged yet."""
        try:
            found = self.verdicts.recv()
        except (EOFError, OSError) as error:
            raise _killed() from error
        self.tickets.popleft().found = found

    def end(self, *, at_once: bool) -> None:
        """End the process: once it has nothing more to judge, or at once."""
        if at_once:
            self._process.kill()
        self._blocks.close()
        self.verdicts.close()
        self._process.join()


def _killed() -> ResourceError:
    message = "a process of the audit was killed, most often since memory ran out"
    return ResourceError(
        "killed", message, "use fewer processes, with --jobs 1 one alone, or a machine with more memory"
    )


class Judges:
    """Up to `jobs` processes that judge under a court; this one alone until some log has more than one block.

    They end with the context, and with this process however it ends.
    """

    __slots__ = ("_court", "_jobs", "_judges")

    def __init__(self, court: Court, *, jobs: int) -> None:
        self._court = court
        self._jobs = jobs
        self._judges: list[_Judge] = []

    def __enter__(self) -> Judges:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        while self._judges:
            judge = self._judges.pop()
            judge.end(at_once=kind is not None or bool(judge.tickets))

    def judged(self, blocks: Iterator[Block]) -> Iterator[BlockVerdict]:
        """Every block judged, in the order given.

        Raises what asking for a block raises, once all blocks before it are handed back; ResourceError where a process
        is killed or cannot be started.
        """
        if self._jobs == 1:
            for block in blocks:
                yield judge_block(self._court, block)
            return
        first = list(islice(blocks, 1))
        if not self._judges:
            refused: InputError | None = None
            try:
                first += islice(blocks, 1)
            except InputError as error:
                refused = error
            if len(first) < 2:
                for block in first:
                    yield judge_block(self._court, block)
                if refused is not None:
                    raise refused
                return
        yield from self._judged_by_all(chain(first, blocks))

    def _judged_by_all(self, blocks: Iterator[Block]) -> Iterator[BlockVerdict]:
        given: deque[_Ticket] = deque()
        refused: InputError | None = None
        more = True
        while more or given:
            if given and given[0].found is not None:
                yield given.popleft().verdict()
                continue
            # One block more than there are processes, and the first, keep them busy and memory bounded.
            judge = self._free() if more and len(given) < self._jobs + _AT_ONCE else None
            if judge is None:
                self._take(timeout=None)
                continue
            try:
                block = next(blocks, None)
            except InputError as error:
                block, refused = None, error
            if block is None:
                more = False
            else:
                given.append(judge.give(block))
                self._take(timeout=0)
        if refused is not None:
            raise refused

    def _free(self) -> _Judge | None:
        """The process that has least to do, one that is begun for it, or None where all have enough."""
        judge = min(self._judges, key=lambda one: len(one.tickets), default=None)
        if (judge is None or judge.tickets) and len(self._judges) < self._jobs:
            try:
                judge = _Judge(self._court, self._judges)
            except OSError as error:
                message = f"no process can be started to judge with: {(error.strerror or str(error)).lower()}"
                raise ResourceError("no-process", message, "use one process: --jobs 1") from error
            self._judges.append(judge)
        return judge if judge is not None and len(judge.tickets) < _AT_ONCE else None

    def _take(self, *, timeout: float | None) -> None:
        """Take the verdicts that are there; wait for one, if there is to be no timeout."""
        busy = {judge.verdicts: judge for judge in self._judges if judge.tickets}
        for ready in wait(list(busy), timeout) if busy else ():
            busy[ready].take()  # type: ignore[index]  # what is waited for are connections


def _judge_on(court: Court, blocks: Connection, verdicts: Connection, inherited: Sequence[Connection]) -> None:
    """Judge block after block, until there is nobody to hand them in."""
    for end in inherited:
        end.close()
    # Ctrl+C reaches all processes of a terminal. It is for the audit, which ends those that it has begun.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    gc.freeze()
    given: queue.SimpleQueue[Block] = queue.SimpleQueue()
    # Whoever hands in a block must not have to wait for what is being judged: both could then wait for each other.
    threading.Thread(target=_receive, args=(blocks, given), daemon=True).start()
    while True:
        block = given.get()
        found: BlockVerdict | BaseException
        try:
            found = judge_block(court, block)
        except Exception as error:  # raised again where the verdict is asked for
            error.add_note(traceback.format_exc())
            found = error
        del block
        try:
            verdicts.send(found)
        except OSError:  # nobody is there any more
            os._exit(1)
        del found


def _receive(blocks: Connection, given: queue.SimpleQueue[Block]) -> None:
    try:
        while True:
            given.put(blocks.recv())
    finally:  # nobody is there any more, or there is no memory
        os._exit(1)
