"""Cache of rule files on which model and schema agree.

Few files change between two checks of a rulebook, and validation by schema is slow.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from itertools import islice

from msgspec import Struct, field

from validator.disk_cache import fetch, keep, key_of
from validator.rules.core.library import schemas_folder

KEPT = 2_000
"""Maximum number of files in the cache; the oldest go first."""


class AgreedFiles(Struct, kw_only=True):
    """Files on which model and schema agree, by schema and hash, in the order in which they were checked."""

    _files: dict[str, bool]
    _more: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def read(cls) -> AgreedFiles:
        """Return the files that earlier runs of this program with these schemas have stored."""
        cached = fetch(_build_cache_key(), trusted=())
        return cls(_files=cached if isinstance(cached, dict) else {})

    def knows(self, schema: str, sha256: str) -> bool:
        """Return whether model and schema are known to agree on a file."""
        return f"{schema} {sha256}" in self._files

    def add(self, schema: str, sha256: str) -> None:
        """Record that model and schema agree on a file."""
        self._more[f"{schema} {sha256}"] = True

    def keep(self) -> None:
        """Store the recorded files for later runs, if possible."""
        if self._more:
            files = {**self._files, **self._more}
            keep(_build_cache_key(), dict(islice(files.items(), max(len(files) - KEPT, 0), None)))


@cache
def _build_cache_key() -> str:
    """Return the key of the cache, which changes with any schema and with the validators."""
    schemas = (hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(schemas_folder().glob("*.json")))
    return key_of("agreed files", version("jsonschema"), version("regress"), *schemas)
