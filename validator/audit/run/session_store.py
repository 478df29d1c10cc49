"""Store of the sessions of all tables, on disk beyond a bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, overload

from fairdeal.validator.results.results import TableSession

if TYPE_CHECKING:
    from fairdeal.validator.text.temp_spool import TempSpool

SESSIONS_IN_MEMORY = 10_000
"""Maximum number of sessions in memory."""
_BLOCK = 500
"""Number of sessions that are read at once."""

_Run = list[tuple[int, int]]
"""Start and size of each block of a run."""


class SessionStore(Sequence[TableSession]):
    """Sessions in the order of documents, casinos and tables.

    They are added in runs, each in that order. Iterate over the sequence: access by index iterates up to the session.
    """

    __slots__ = ("_count", "_kept", "_runs", "_spilled")

    def __init__(self) -> None:
        self._kept: list[TableSession] = []
        self._spilled: TempSpool | None = None
        self._runs: list[_Run] = []
        self._count = 0

    def add_run(self, sessions: Iterable[TableSession]) -> None:
        """Add sessions, which are in order."""
        for session in sessions:
            self._kept.append(session)
            self._count += 1
            if len(self._kept) > SESSIONS_IN_MEMORY:
                self._spill()

    def _spill(self) -> None:
        import pickle  # noqa: PLC0415 - most runs have few sessions and do without

        if self._spilled is None:
            from fairdeal.validator.text.temp_spool import TempSpool  # noqa: PLC0415 - see above

            self._spilled = TempSpool()
        run: _Run = []
        kept = sorted(self._kept, key=_sort_key)
        for first in range(0, len(kept), _BLOCK):
            data = pickle.dumps(kept[first : first + _BLOCK], pickle.HIGHEST_PROTOCOL)
            run.append((self._spilled.append(data), len(data)))
        self._runs.append(run)
        self._kept = []

    def build_sequence(self) -> Sequence[TableSession]:
        """Return all sessions: a tuple if they are in memory, otherwise this store."""
        return self if self._runs else tuple(self)

    def close(self) -> None:
        """Free the space on disk, when the sessions are no longer needed."""
        if self._spilled is not None:
            self._spilled.close()

    def _read_run(self, run: _Run) -> Iterator[TableSession]:
        import pickle  # noqa: PLC0415 - see above

        assert self._spilled is not None
        for start, size in run:
            yield from pickle.loads(self._spilled.read(start, size))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[TableSession]:
        kept = sorted(self._kept, key=_sort_key)
        if not self._runs:
            return iter(kept)
        from heapq import merge  # noqa: PLC0415 - see above

        return merge(*map(self._read_run, self._runs), kept, key=_sort_key)

    @overload
    def __getitem__(self, index: int) -> TableSession: ...
    @overload
    def __getitem__(self, index: slice) -> list[TableSession]: ...
    def __getitem__(self, index: int | slice) -> TableSession | list[TableSession]:
        if isinstance(index, slice):
            return list(islice(self, *index.indices(self._count)))
        place = range(self._count)[index]
        return next(islice(self, place, None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(own == theirs for own, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def _sort_key(session: TableSession) -> tuple[str, bool, str, str]:
    return session.document, session.casino is not None, session.casino or "", session.table
