"""Rule files and published schemas: where they are, in a checkout and a wheel; caches of those read and accepted."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from fairdeal.validator.text.positioned_document import PositionedDocument

_PACKAGE = Path(__file__).resolve().parents[1]
_IN_WHEEL = _PACKAGE / "_shipped"
_SHIPPED = _IN_WHEEL if _IN_WHEEL.is_dir() else _PACKAGE.parent

GAME_FILE = "game.yaml"
"""File of the game of a document."""
EDITION_FILE = "rulebook.yaml"
"""File with the version and date of a rules folder, directly in it; optional."""
PATTERNS_FILE = "patterns.yaml"
"""File of the patterns of requirements in the vocabulary; optional."""
VOCABULARY_FOLDER = "vocabulary"
"""Folder within a rules folder for data that its documents share."""
REQUIREMENTS_FOLDER = "requirements"
"""Folder within the folder of a document for files of requirements."""
TEMPLATES_FOLDER = "templates"
"""Folder within the shipped rules folder for games to begin a document with. It is a rules folder of its own, so that
nothing is ever judged by a template unless somebody names the folder."""
_YAML_ID = r"(\b(?:document|game|style): ){}(?![\w-])"
_JSON_ID = r'("(?:document|game|style)": ?"){}(?=")'
SNAPSHOT_FILE = "examples.snapshot.yaml"
"""File with the recorded results of the examples of a document."""


def rules_folder() -> Path:
    """Return the folder of the shipped regulations; it does not depend on the working directory."""
    return _SHIPPED / "rules_data"


def schemas_folder() -> Path:
    """Return the folder of the shipped JSON Schemas."""
    return _SHIPPED / "schemas"


def list_documents(folder: Path | None = None) -> tuple[str, ...]:
    """Return the sorted ids of the documents in a rules folder; without a folder, the shipped ones."""
    root = folder or rules_folder()
    return tuple(sorted(path.parent.name for path in root.glob("*/document.yaml")))


def list_games(folder: Path | None = None) -> frozenset[str]:
    """Return the ids of the documents that have a game, so that rounds can be audited."""
    root = folder or rules_folder()
    return frozenset(document for document in list_documents(folder) if _game_file(document, root).exists())


def list_profiles(folder: Path | None = None) -> dict[str, Path]:
    """Return the files of the profiles in a rules folder, by `DOCUMENT/NAME`, sorted."""
    root = folder or rules_folder()
    return {f"{path.parent.parent.name}/{path.stem}": path for path in sorted(root.glob("*/profiles/*.yaml"))}


def list_demos() -> dict[str, Path]:
    """Return the folders of the shipped demos, by document, sorted."""
    return {path.parent.name: path for path in sorted(rules_folder().glob("*/demo"))}


def list_templates() -> dict[str, Path]:
    """Return the folders of the shipped templates, by document, sorted."""
    root = rules_folder() / TEMPLATES_FOLDER
    return {document: root / document for document in list_documents(root)}


def copy_template(template: str, document: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the text of every file of a template, under the id of the new document.

    Only the values of `document`, `game` and `style` change, so that comments and layout remain.

    Args:
        template: id of a shipped template.
        document: id of the new document.
    """
    home = list_templates()[template]
    identifiers = {".yaml": _YAML_ID, ".jsonl": _JSON_ID}
    for path in sorted(home.rglob("*")):
        if path.is_file():
            text, identifier = path.read_bytes(), identifiers.get(path.suffix)
            if identifier is not None:
                text = re.sub(identifier.format(re.escape(template)), rf"\g<1>{document}", text.decode()).encode()
            yield path.relative_to(home).as_posix(), text


def name_rule_file(path: Path, root: Path) -> str:
    """Return the name of a rule file within its rules folder, which for a shared file may be the shipped one."""
    return path.relative_to(root if path.is_relative_to(root) else rules_folder()).as_posix()


def iterate_rule_files(document: str, root: Path) -> Iterator[Path]:
    """Yield the files from which a document is loaded: those that documents share first, then its own files.

    A rules folder uses the shipped vocabulary for every file of it that it lacks.
    """
    home = root / document
    for name in ("decks.yaml", "rankings.yaml", PATTERNS_FILE):
        own = root / VOCABULARY_FOLDER / name
        yield own if own.exists() else rules_folder() / VOCABULARY_FOLDER / name
    if (root / EDITION_FILE).exists():
        yield root / EDITION_FILE
    yield home / "document.yaml"
    yield home / "readings.yaml"
    if _game_file(document, root).exists():
        yield _game_file(document, root)
    yield from sorted((home / REQUIREMENTS_FOLDER).glob("*.yaml"))


def iterate_all_files(document: str, root: Path) -> Iterator[Path]:
    """Yield every rule file of a document: also its simulation, its examples with their snapshot, and its profiles."""
    home = root / document
    yield from iterate_rule_files(document, root)
    yield from sorted(home.glob("simulation.yaml"))
    yield from sorted(home.glob("examples/*.yaml"))
    yield from sorted(home.glob(SNAPSHOT_FILE))
    yield from sorted(home.glob("profiles/*.yaml"))


def _game_file(document: str, root: Path) -> Path:
    return root / document / GAME_FILE


def hash_files(files: Iterable[tuple[str, str]]) -> str:
    """Return one SHA-256 for several files, given as names within the rules folder and hashes, in order."""
    return hashlib.sha256("\n".join(f"{name} {sha256}" for name, sha256 in files).encode()).hexdigest()


class RuleFileCache(Struct):
    """Cache of rule files: each file is read once and kept as a tree with the SHA-256 of its text."""

    _files: dict[Path, tuple[str, PositionedDocument]] = field(default_factory=dict)

    def read(self, path: Path) -> tuple[str, PositionedDocument]:
        """Return the hash and the tree of a file.

        Raises:
            InputError: if the file cannot be read.
        """
        # A regulation that is cached needs no parser of YAML.
        from fairdeal.validator.text.source import read_source  # noqa: PLC0415
        from fairdeal.validator.text.yaml_document import load_yaml  # noqa: PLC0415

        if path not in self._files:
            source = read_source(str(path))
            self._files[path] = source.sha256, load_yaml(source)
        return self._files[path]


MAX_AGREED_FILES = 2_000
"""Maximum number of files in the cache; the oldest go first."""


class AgreedFiles(Struct, kw_only=True):
    """Files that model and schema accept, by schema and hash, in the order in which they were checked."""

    _files: dict[str, bool]
    _more: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def load(cls) -> AgreedFiles:
        """Return the files that earlier runs of this program with these schemas have stored."""
        from fairdeal.validator.disk_cache import load_entry  # noqa: PLC0415 - it needs pydantic, which the names of rule files do not

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
            from fairdeal.validator.disk_cache import store_entry  # noqa: PLC0415

            files = {**self._files, **self._more}
            store_entry(_build_cache_key(), dict(islice(files.items(), max(len(files) - MAX_AGREED_FILES, 0), None)))


@cache
def _build_cache_key() -> str:
    """Return the key of the cache, which changes with any schema."""
    from fairdeal.validator.disk_cache import build_key  # noqa: PLC0415

    schemas = (hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(schemas_folder().glob("*.json")))
    return build_key("agreed files", *schemas)


DEFINITIONS = "definitions"
"""Name of the file of what several formats need, which is no schema of a format."""
POKER = "poker"
"""Name of the file of definitions that only games with betting between players need."""
LOCAL_PREFIX = "#/$defs/"
"""Start of a reference within a file."""


def format_schema_id(name: str) -> str:
    """Return the address that identifies a schema; nothing is fetched from it."""
    return f"https://fairdeal.example/schemas/{name}.json"


def list_schemas() -> tuple[str, ...]:
    """Return the sorted names of the published schemas."""
    return tuple(sorted(path.stem for path in schemas_folder().glob("*.json") if path.stem not in {DEFINITIONS, POKER}))


def load_bundle(name: str) -> dict[str, Any]:
    """Return a published schema in one piece."""
    files: dict[str, dict[str, Any]] = {}

    def load(file: str) -> dict[str, Any]:
        if file not in files:
            files[file] = json.loads((schemas_folder() / f"{file}.json").read_text("utf-8"))
        return files[file]

    return bundle_schema(name, load)


def bundle_schema(name: str, load: Callable[[str], Mapping[str, Any]]) -> dict[str, Any]:
    """Return a schema with the definitions that it needs.

    Args:
        name: The name of the schema, for its address.
        load: Function that returns the content of a published file by its name.
    """
    schema = load(name)
    root = {key: value for key, value in schema.items() if key not in {"$schema", "$defs"}}
    needed: dict[str, Any] = {}
    pending: list[tuple[str, Any]] = [(name, root)]
    while pending:
        file, part = pending.pop()
        for reference in list_references(part):
            address, _, definition = reference.partition(LOCAL_PREFIX)
            if definition not in needed:
                home = address.removesuffix(".json") or file
                needed[definition] = load(home)["$defs"][definition]
                pending.append((home, needed[definition]))
    bundle = {"$schema": schema["$schema"], "$id": format_schema_id(name), **direct_references(root, lambda _: "")}
    definitions = {key: direct_references(part, lambda _: "") for key, part in sorted(needed.items())}
    return {**bundle, "$defs": definitions} if definitions else bundle


def list_references(part: Any) -> Iterator[str]:
    """Yield the references of a part of a schema."""
    if isinstance(part, Mapping):
        if isinstance(reference := part.get("$ref"), str):
            yield reference
        for inner in part.values():
            yield from list_references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from list_references(inner)


def direct_references(part: Any, locate: Callable[[str], str]) -> Any:
    """Return a part of a schema whose references lead to definitions in other files.

    Args:
        part: The part.
        locate: Function that returns the address of the file of a definition; "" is the file of the part.
    """
    if isinstance(part, list):
        return [direct_references(inner, locate) for inner in part]
    if not isinstance(part, dict):
        return part
    return {
        key: f"{locate(definition)}{LOCAL_PREFIX}{definition}"
        if key == "$ref" and isinstance(value, str) and (definition := value.rpartition("/")[2])
        else direct_references(value, locate)
        for key, value in part.items()
    }
