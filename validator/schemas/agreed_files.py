"""Rule files on which model and schema are known to agree, kept for the next run: few files change from one look at a
rulebook to the next, and a schema takes its time."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from itertools import islice

from msgspec import Struct, field

from validator.disk_cache import fetch, keep, key_of
from validator.rules.core.library import schemas_folder

KEPT = 2_000
"""Files that are remembered; of more, the oldest are forgotten."""


class AgreedFiles(Struct, kw_only=True):
    """Files by the name of their schema and the hash of their text, in the order in which they were looked at."""

    _files: dict[str, bool]
    _more: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def read(cls) -> AgreedFiles:
        """Those that runs of this very program with these schemas have kept."""
        found = fetch(_key(), trusted=())
        return cls(_files=found if isinstance(found, dict) else {})

    def knows(self, schema: str, sha256: str) -> bool:
        """Whether there is nothing to be said of a file."""
        return f"{schema} {sha256}" in self._files

    def add(self, schema: str, sha256: str) -> None:
        """Nothing was found in a file."""
        self._more[f"{schema} {sha256}"] = True

    def keep(self) -> None:
        """Keep what was added for later runs, if that is possible."""
        if self._more:
            every = {**self._files, **self._more}
            keep(_key(), dict(islice(every.items(), max(len(every) - KEPT, 0), None)))


@cache
def _key() -> str:
    """Where they are kept: elsewhere if a schema changes or what validates them."""
    schemas = (hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(schemas_folder().glob("*.json")))
    return key_of("agreed files", version("jsonschema"), version("regress"), *schemas)
