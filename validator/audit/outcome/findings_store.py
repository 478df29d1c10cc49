"""Store of findings in the order of a report, on disk beyond a bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, overload

from msgspec import Struct, field
from msgspec.structs import replace

from validator.results.findings import Finding
from validator.results.money_of_versions import MoneyOfVersions
from validator.results.place_order import PlaceKey, place_key
from validator.results.statuses import WORST_FIRST, Severity

if TYPE_CHECKING:
    from validator.text.scratch import Scratch

IN_MEMORY = 2_000
"""Maximum number of findings of one requirement and status in memory."""

_READ_BYTES = 1 << 14
"""Number of bytes of a run that are read at once."""

_SEVERITIES = tuple(Severity)


class _FindingGroup(Struct):
    """Findings of one requirement and status, iterated in the order of their places."""

    kept: list[Finding] = field(default_factory=list)
    """Findings in memory."""
    spilled: Scratch | None = None
    """File of the findings that do not fit into memory, in sorted runs."""
    runs: list[tuple[int, int]] = field(default_factory=list)
    """Start and size of each run, in bytes."""
    count: int = 0
    """Number of findings."""

    def add(self, finding: Finding) -> None:
        self.count += 1
        self.kept.append(finding)
        if len(self.kept) > IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        from msgspec.json import encode  # noqa: PLC0415 - most runs have few findings and do without

        if self.spilled is None:
            from validator.text.scratch import Scratch  # noqa: PLC0415

            self.spilled = Scratch()
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
    return place_key(finding.where)


def _read_run(spilled: Scratch, start: int, size: int) -> Iterator[Finding]:
    """Read the findings of a run, a few at a time."""
    from msgspec.json import Decoder  # noqa: PLC0415 - see above

    decoder, rest, end = Decoder(Finding), b"", start + size
    while start < end:
        data = rest + spilled.read(start, min(_READ_BYTES, end - start))
        start += len(data) - len(rest)
        *lines, rest = data.split(b"\n")
        yield from map(decoder.decode, lines)


class Findings(Sequence[Finding]):
    """Findings, worst first, then by severity, requirement and place (casino, table and time of the round).

    They may be added in any order; findings of one place keep their order. Iterate over the sequence: access by index
    iterates up to the finding.
    """

    __slots__ = ("_currency", "_groups", "_versions")

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._currency: str | None = None
        self._versions = MoneyOfVersions()
        self._groups: dict[tuple[int, int, str, str], _FindingGroup] = {}
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
        if finding.version is not None and finding.is_on_money:
            self._versions.add(finding)

    def settle(self, currency: str | None) -> Iterator[Finding]:
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
        if not self._versions.counts(finding):
            return replace(finding, owed=None, overpaid=None, currency=None)
        return finding if finding.currency != self._currency else replace(finding, currency=None)

    def close(self) -> None:
        """Delete the file on disk, when the findings are no longer needed."""
        for drawer in self._groups.values():
            if drawer.spilled is not None:
                drawer.spilled.close()

    def __len__(self) -> int:
        return sum(drawer.count for drawer in self._groups.values())

    def __iter__(self) -> Iterator[Finding]:
        for key in sorted(self._groups):
            yield from map(self._finish_amounts, self._groups[key])

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> list[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | list[Finding]:
        if isinstance(index, slice):
            return list(self)[index]
        place = index if index >= 0 else len(self) + index
        for finding in islice(self, max(place, 0), None):
            if place >= 0:
                return finding
            break
        raise IndexError(index)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(own == theirs for own, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def in_many(finding: Finding, rounds: int) -> Finding:
    """Return a finding that represents a gap in several rounds."""
    return replace(finding, count=rounds)
