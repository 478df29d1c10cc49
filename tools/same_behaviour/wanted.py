"""Differences that are wanted, each with its reason, in a TOML file.

[[wanted]]
case = "simulate *"      # pattern of the names of cases
part = "*"               # of exit, stdout, stderr, names of files; left out, all
reason = "Cards are drawn from other random numbers."
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tools.same_behaviour.differences import Difference


class WantedFileError(Exception):
    """A file of wanted differences that says something else."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A wanted difference."""

    case: str
    part: str
    reason: str

    def is_of(self, case: str) -> bool:
        """Return whether the entry names a case."""
        return fnmatchcase(case, self.case)

    def covers(self, difference: Difference) -> bool:
        """Return whether the entry names a difference."""
        return self.is_of(difference.case) and fnmatchcase(difference.part, self.part)


def read_wanted(path: Path) -> tuple[Wanted, ...]:
    """Read the differences that a file lists. Raises WantedFileError."""
    try:
        told = tomllib.loads(path.read_text("utf-8"))
        listed = [Wanted(**{"part": "*", **entry}) for entry in told.pop("wanted", [])]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, TypeError) as error:
        raise WantedFileError(f"{path}: {error}") from error
    texts = all(
        isinstance(text, str) and text.strip() for item in listed for text in (item.case, item.part, item.reason)
    )
    if told or not texts:
        raise WantedFileError(
            f"{path}: [[wanted]] has case, reason and perhaps part, each a text, and nothing else is said"
        )
    return tuple(listed)


def find_stale(
    wanted: Iterable[Wanted], found: Sequence[Difference], cases: Sequence[str], *, whole: bool
) -> Iterator[Wanted]:
    """Yield wanted differences that did not occur. For a run that is not `whole`, only those of its cases count."""
    for entry in wanted:
        asked = whole or any(entry.is_of(case) for case in cases)
        if asked and not any(entry.covers(difference) for difference in found):
            yield entry
