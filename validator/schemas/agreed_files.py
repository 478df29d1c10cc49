"""Cache of files that their JSON Schema and their model accept, so that later runs need not validate them again."""

from __future__ import annotations

import hashlib
from functools import cache
from itertools import islice

from msgspec import Struct, field

from fairdeal.validator.disk_cache import build_key, load_entry, store_entry
from fairdeal.validator.rules.rule_files import schemas_folder

MAX_AGREED_FILES = 2_000
"""Maximum number of files in the cache; the oldest go first."""


class AgreedFiles(Struct, kw_only=True):
    """Files that model and schema accept, by schema and hash, in the order in which they were checked."""

    _files: dict[str, bool]
    _more: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def load(cls) -> AgreedFiles:
        """Return the files that earlier runs of this program with these schemas have stored."""
        cached = load_entry(_build_cache_key(), trusted=())
        return cls(_files=cached if isinstance(cached, dict) else {})

    def has_agreed(self, schema: str, sha256: str) -> bool:
        """Return whether model and schema are known to agree on a file."""
        return f"{schema} {sha256}" in self._files

    def add(self, schema: str, sha256: str) -> None:
        """Record that model and schema agree on a file."""
        self._more[f"{schema} {sha256}"] = True

    def save(self) -> None:
        """Store the recorded files for later runs, if possible."""
        if self._more:
            files = {**self._files, **self._more}
            store_entry(_build_cache_key(), dict(islice(files.items(), max(len(files) - MAX_AGREED_FILES, 0), None)))


@cache
def _build_cache_key() -> str:
    """Return the key of the cache, which changes with any schema."""
    schemas = (hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(schemas_folder().glob("*.json")))
    return build_key("agreed files", *schemas)
