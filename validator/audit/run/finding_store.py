"""Findings and sessions of a run, in memory up to a bound and in a temporary file beyond."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar, overload

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from fairdeal.validator.results.findings import WORST_FIRST, Finding, Severity, VersionMoney
from fairdeal.validator.results.results import CurrencyMoney, Money, MoneySum, PlaceKey, TableSession, make_place_key

if TYPE_CHECKING:
    from fairdeal.validator.text.source import TempSpool


MAX_NAMES = 4_000
"""Maximum number of names of one kind that are distinguished, which bounds memory."""
OTHER_NAMES = "…"
"""Name of all further names together."""

_CONTEXT = ("shift", "dealer", "pit")
"""Keys of a round's context that sums are grouped by."""

_ORDER = ("requirement", "party", "casino", "table", "day", "wager", "player", *_CONTEXT)
"""Groups of sums, in the order of results."""

_Key = tuple[str | None, str, str | None, str | None]
"""Currency, group, casino and name of a sum."""
_Total = tuple[int, int, int]
"""Number of findings, amount owed and amount overpaid."""


class MoneySums(Struct):
    """Running sums of failures on money. Amounts are in minor units."""

    _totals: dict[_Key, list[int]] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)
    _all: dict[str | None, list[int]] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        """Add a failure on money."""
        currency = finding.currency
        for total in (self._all.setdefault(currency, [0, 0, 0]), *map(self._find_total, _keys(finding))):
            _add(total, finding)

    def build(self, currencies: Collection[str]) -> Money:
        """Return the sums in each of some currencies, the largest of each group first.

        Amounts without a stated currency are in the only currency there is.
        """
        if len(currencies) <= 1:
            currency = next(iter(currencies), None)
            moneys = [self._of_currency(currency, {currency, None})]
        else:
            stated = sorted(name for name in self._all if name is not None)
            unstated = [None] if None in self._all or not stated else []
            moneys = [self._of_currency(name, {name}) for name in [*stated, *unstated]]
        return Money(**asdict(moneys[0]), others=tuple(moneys[1:]))

    def _of_currency(self, currency: str | None, named: Collection[str | None]) -> CurrencyMoney:
        totals: dict[tuple[str, str | None, str | None], _Total] = {}
        for (of, *key), total in self._totals.items():
            if of in named:
                by, casino, name = key
                totals[by or "", casino, name] = _plus(totals.get((by or "", casino, name), (0, 0, 0)), total)
        sums = [
            MoneySum(by=by, casino=casino, name=name, findings=count, owed=owed, overpaid=overpaid)
            for (by, casino, name), (count, owed, overpaid) in totals.items()
        ]
        sums.sort(
            key=lambda item: (_ORDER.index(item.by), -item.owed - item.overpaid, item.casino or "", item.name or "")
        )
        all_: _Total = (0, 0, 0)
        for of in named:
            all_ = _plus(all_, self._all.get(of, (0, 0, 0)))
        count, owed, overpaid = all_
        return CurrencyMoney(findings=count, owed=owed, overpaid=overpaid, sums=tuple(sums), currency=currency)

    def _find_total(self, key: _Key) -> list[int]:
        total = self._totals.get(key)
        if total is None:
            currency, by, _, _ = key
            self._names[by] = self._names.get(by, 0) + 1
            if self._names[by] > MAX_NAMES:
                return self._totals.setdefault((currency, by, None, OTHER_NAMES), [0, 0, 0])
            total = self._totals[key] = [0, 0, 0]
        return total


def _add(total: list[int], finding: Finding) -> None:
    total[0] += 1
    total[1] += finding.owed or 0
    total[2] += finding.overpaid or 0


def _plus(total: _Total, other: Sequence[int]) -> _Total:
    return total[0] + other[0], total[1] + other[1], total[2] + other[2]


def _keys(finding: Finding) -> Iterator[_Key]:
    where, context, currency = finding.where, finding.where.context or {}, finding.currency
    yield currency, "requirement", None, finding.requirement
    yield currency, "party", None, finding.party
    yield currency, "casino", None, where.casino
    yield currency, "table", where.casino, where.table
    yield currency, "day", None, where.played_on
    yield currency, "wager", None, None if where.wager is None else where.wager.removesuffix(" (tip)")
    if where.player is not None:
        yield currency, "player", where.casino, where.player
    for kind in _CONTEXT:
        if kind in context:
            yield currency, kind, None, context[kind]


FINDINGS_IN_MEMORY = 10_000
"""Maximum number of findings in memory, of all requirements together."""

_READ_BYTES = 1 << 14
"""Number of bytes of a run that are read at once."""

_SEVERITIES = tuple(Severity)


class _FindingGroup(Struct):
    """Findings of one requirement and status, iterated in the order of their places."""

    kept: list[Finding] = field(default_factory=list)
    """Findings in memory."""
    spilled: TempSpool | None = None
    """File of the findings that do not fit into memory, in sorted runs."""
    runs: list[tuple[int, int]] = field(default_factory=list)
    """Start and size of each run, in bytes."""
    count: int = 0
    """Number of findings."""

    def add(self, finding: Finding) -> None:
        self.count += 1
        self.kept.append(finding)

    def spill(self) -> None:
        """Write the findings in memory to disk, as a sorted run."""
        from msgspec.json import encode  # noqa: PLC0415 - most runs have few findings and do without

        if self.spilled is None:
            from fairdeal.validator.text.source import TempSpool  # noqa: PLC0415

            self.spilled = TempSpool()
        data = b"".join(encode(finding) + b"\n" for finding in sorted(self.kept, key=_place))
        self.runs.append((self.spilled.append(data), len(data)))
        self.kept = []

    def __iter__(self) -> Iterator[Finding]:
        kept = sorted(self.kept, key=_place)
        if self.spilled is None:
            return iter(kept)
        from heapq import merge  # noqa: PLC0415 - see above

        runs = [_read_run(self.spilled, start, size) for start, size in self.runs]
        return merge(*runs, kept, key=_place)


def _place(finding: Finding) -> PlaceKey:
    return make_place_key(finding.where)


def _read_run(spilled: TempSpool, start: int, size: int) -> Iterator[Finding]:
    """Read the findings of a run, a few at a time."""
    from msgspec.json import Decoder  # noqa: PLC0415 - see above

    decoder, rest, end = Decoder(Finding), b"", start + size
    while start < end:
        data = rest + spilled.read(start, min(_READ_BYTES, end - start))
        start += len(data) - len(rest)
        *lines, rest = data.split(b"\n")
        yield from map(decoder.decode, lines)


Item = TypeVar("Item")


class _IteratedSequence(Sequence[Item]):
    """Sequence that is iterated up to the item that an index names."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return list(islice(self, *index.indices(len(self))))
        return next(islice(self, range(len(self))[index], None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(own == theirs for own, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class FindingStore(_IteratedSequence[Finding]):
    """Findings, worst first, then by severity, requirement and place (casino, table and time of the round).

    They may be added in any order; findings of one place keep their order. Iterate over the sequence: access by index
    iterates up to the finding.
    """

    __slots__ = ("_currency", "_groups", "_kept", "_versions")

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._currency: str | None = None
        self._versions = VersionMoney()
        self._groups: dict[tuple[int, int, str, str], _FindingGroup] = {}
        self._kept = 0
        for finding in findings:
            self.add(finding)

    def add(self, finding: Finding) -> None:
        """Add a finding."""
        key = (
            WORST_FIRST.index(finding.status),
            _SEVERITIES.index(finding.severity),
            finding.document,
            finding.requirement,
        )
        self._groups.setdefault(key, _FindingGroup()).add(finding)
        self._kept += 1
        if self._kept > FINDINGS_IN_MEMORY:
            largest = max(self._groups.values(), key=lambda group: len(group.kept))
            self._kept -= len(largest.kept)
            largest.spill()
        if finding.version is not None and finding.is_on_money:
            self._versions.add(finding)

    def finish_amounts(self, currency: str | None) -> Iterator[Finding]:
        """Drop the common currency and duplicate amounts from the findings. Call it after all findings were added.

        Args:
            currency: currency of all amounts; None if there are several.

        Returns:
            The failures on money in rounds with contradicting records, where their money counts.
        """
        self._currency = currency
        findings = self if self._versions else ()
        return (finding for finding in findings if finding.version is not None and finding.is_on_money)

    def _finish_amounts(self, finding: Finding) -> Finding:
        if finding.owed is None:
            return finding
        if not self._versions.is_counted(finding):
            return replace(finding, owed=None, overpaid=None, currency=None)
        return finding if finding.currency != self._currency else replace(finding, currency=None)

    def close(self) -> None:
        """Delete the file on disk, when the findings are no longer needed."""
        for group in self._groups.values():
            if group.spilled is not None:
                group.spilled.close()

    def __len__(self) -> int:
        return sum(group.count for group in self._groups.values())

    def __iter__(self) -> Iterator[Finding]:
        for key in sorted(self._groups):
            yield from map(self._finish_amounts, self._groups[key])


def set_round_count(finding: Finding, rounds: int) -> Finding:
    """Return a finding that represents a gap in several rounds."""
    return replace(finding, count=rounds)


SESSIONS_IN_MEMORY = 10_000
"""Maximum number of sessions in memory."""
_BLOCK = 500
"""Number of sessions that are read at once."""

_Run = list[tuple[int, int]]
"""Start and size of each block of a run."""


class SessionStore(_IteratedSequence[TableSession]):
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
            from fairdeal.validator.text.source import TempSpool  # noqa: PLC0415 - see above

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


def _sort_key(session: TableSession) -> tuple[str, bool, str, str]:
    return session.document, session.casino is not None, session.casino or "", session.table
