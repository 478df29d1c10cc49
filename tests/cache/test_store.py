"""The store: what is kept comes back, what is spoiled or another's does not, and nothing in it can run."""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator import disk_cache
from fairdeal.validator.disk_cache import CACHE_VARIABLE, MAX_ENTRIES, build_key, load_entry, store_entry
from tests.facade.text import Payout, parse_odds

KEY = "0" * 64
TRUSTED = ("fairdeal.validator.text.plain_values", "fairdeal.validator.rules.document_model")
VALUE = {"day": date(2024, 1, 31), "odds": parse_odds("3 to 2"), "part": Fraction(1, 3), "parse": parse_odds}


def write_entry(folder: Path, content: bytes) -> Path:
    """Write an entry with this content, whole and the user's own."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / KEY
    path.write_bytes(hashlib.sha256(KEY.encode() + content).digest() + content)
    path.chmod(0o600)
    return path


def test_what_is_kept_comes_back(folder: Path) -> None:
    store_entry(KEY, VALUE)
    assert load_entry(KEY, trusted=TRUSTED) == VALUE
    assert load_entry("1" * 64, trusted=TRUSTED) is None


def test_only_its_owner_may_read_it(folder: Path) -> None:
    store_entry(KEY, VALUE)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()] == [(KEY, 0o600)]


def test_without_a_cache_folder_of_its_own_the_user_has_one_at_home(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    store_entry(KEY, VALUE)
    assert [path.name for path in (tmp_path / ".cache" / "fairdeal").iterdir()] == [KEY]


@pytest.mark.parametrize(("name", "value"), [(CACHE_VARIABLE, "off"), ("XDG_CACHE_HOME", "relative")])
def test_a_store_that_is_off(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    store_entry(KEY, VALUE)
    monkeypatch.chdir(folder)
    monkeypatch.setenv(name, value)
    assert load_entry(KEY, trusted=TRUSTED) is None
    store_entry("1" * 64, VALUE)
    assert [path.name for path in folder.iterdir()] == [KEY]


def test_a_system_without_owners_of_files_has_no_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_entry(KEY, VALUE)
    monkeypatch.delattr(os, "getuid")
    assert load_entry(KEY, trusted=TRUSTED) is None
    store_entry("1" * 64, VALUE)
    assert len(list(folder.iterdir())) == 1


def test_a_folder_that_cannot_be_made(folder: Path) -> None:
    folder.parent.parent.mkdir(exist_ok=True)
    folder.parent.write_text("a file in its place")
    store_entry(KEY, VALUE)
    assert load_entry(KEY, trusted=TRUSTED) is None


def test_what_cannot_be_pickled_is_not_kept(folder: Path) -> None:
    store_entry(KEY, lambda: None)
    assert not folder.exists()


def test_an_entry_that_cannot_be_put_in_place_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", full)
    store_entry(KEY, VALUE)
    assert list(folder.iterdir()) == []


def test_an_entry_is_replaced_whole(folder: Path) -> None:
    store_entry(KEY, "old")
    with (folder / KEY).open("rb") as opened:
        store_entry(KEY, "new" * 1000)
        assert b"old" in opened.read()
    assert load_entry(KEY, trusted=()) == "new" * 1000


@pytest.mark.parametrize("place", [0, 31, 32, 40, -1])
def test_a_spoiled_entry(folder: Path, place: int) -> None:
    store_entry(KEY, VALUE)
    data = bytearray((folder / KEY).read_bytes())
    data[place] ^= 1
    (folder / KEY).write_bytes(data)
    assert load_entry(KEY, trusted=TRUSTED) is None


@pytest.mark.parametrize("length", [0, 1, 32, 33, -1])
def test_a_cut_entry(folder: Path, length: int) -> None:
    store_entry(KEY, VALUE)
    (folder / KEY).write_bytes((folder / KEY).read_bytes()[:length])
    assert load_entry(KEY, trusted=TRUSTED) is None


def test_an_entry_is_good_under_its_own_key_only(folder: Path) -> None:
    """If moved or copied, it would serve another regulation or another order of hands."""
    store_entry(KEY, VALUE)
    other = "1" * 64
    (folder / KEY).rename(folder / other)
    assert load_entry(other, trusted=TRUSTED) is None
    (folder / other).rename(folder / KEY)
    assert load_entry(KEY, trusted=TRUSTED) == VALUE


def link(path: Path) -> None:
    path.rename(path.with_suffix(".there"))
    path.symlink_to(path.with_suffix(".there"))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


@pytest.mark.parametrize("spoil", [lambda path: path.chmod(0o620), lambda path: path.chmod(0o602), link, pipe])
def test_an_entry_others_could_have_made(folder: Path, spoil: Callable[[Path], None]) -> None:
    store_entry(KEY, VALUE)
    spoil(folder / KEY)
    assert load_entry(KEY, trusted=TRUSTED) is None


def test_an_entry_of_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_entry(KEY, VALUE)
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    assert load_entry(KEY, trusted=TRUSTED) is None
    store_entry("1" * 64, VALUE)
    assert [path.name for path in folder.iterdir()] == [KEY]


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
def test_nothing_is_read_from_a_folder_others_may_write_to(folder: Path, mode: int) -> None:
    """They could have linked a file of the user's own there, of which they know what it says."""
    store_entry(KEY, VALUE)
    folder.chmod(mode)
    assert load_entry(KEY, trusted=TRUSTED) is None


def test_nothing_is_kept_in_a_folder_others_may_write_to(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    store_entry(KEY, VALUE)
    assert list(folder.iterdir()) == []


class Calls:
    """Pickled, the call of a function."""

    def __init__(self, function: Callable[..., Any], *arguments: object) -> None:
        self._call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        return self._call


@pytest.mark.parametrize("function", [os.system, eval, getattr, __import__, exec, open, pickle.loads])
def test_an_entry_cannot_call_what_is_not_trusted(folder: Path, tmp_path: Path, function: Callable[..., Any]) -> None:
    write_entry(folder, pickle.dumps(Calls(function, f"touch {tmp_path / 'called'}"), protocol=5))
    assert load_entry(KEY, trusted=TRUSTED) is None
    assert not (tmp_path / "called").exists()


@pytest.mark.parametrize(
    ("module", "name", "found"),
    [
        ("fairdeal.validator.text.plain_values", "Payout", Payout),
        ("fairdeal.validator.text.plain_values", "Fraction", None),  # imported there, not defined
        ("fairdeal.validator.text.plain_values", "Payout.__init__", None),
        ("fairdeal.validator.text.plain_values", "re.compile", None),
        ("fairdeal.validator.text.payoutsmaker", "Payout", None),
        ("fairdeal.validator.text", "odds", None),
        ("fairdeal.validator.text.source", "read_source", None),
        ("fairdeal.validator.rules.model", "document", None),
        ("os", "system", None),
        ("builtins", "eval", None),
        ("builtins", "list", list),
    ],
)
def test_only_what_trusted_modules_define_is_found(folder: Path, module: str, name: str, found: object) -> None:
    def text(value: str) -> bytes:
        return b"\x8c" + bytes([len(value)]) + value.encode()

    write_entry(folder, b"\x80\x04" + text(module) + text(name) + b"\x93.")
    assert load_entry(KEY, trusted=TRUSTED) is found


def test_the_oldest_entries_go(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True)
    for age in range(MAX_ENTRIES + 5):
        path = folder / f"{age:064}"
        path.write_bytes(b"")
        os.utime(path, ns=(10**18 - age, 10**18 - age))
    store_entry("f" * 64, VALUE)
    assert sorted(path.name for path in folder.iterdir()) == [
        *(f"{age:064}" for age in range(MAX_ENTRIES - 1)),
        "f" * 64,
    ]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a package of two modules in place of the program's own."""
    home = tmp_path / "package"
    (home / "room").mkdir(parents=True)
    for name in ("one.py", "room/two.py", "notes.txt"):
        (home / name).write_text("1")
        os.utime(home / name, ns=(10**18, 10**18))
    monkeypatch.setattr(disk_cache, "_PACKAGE", home)
    return home


def build_fresh_key(*parts: str) -> str:
    disk_cache._identify_program.cache_clear()
    try:
        return build_key(*parts)
    finally:
        disk_cache._identify_program.cache_clear()


def test_keys(package: Path) -> None:
    keys = {build_fresh_key(*parts) for parts in ((), ("a",), ("a", "b"), ("ab",), ("a", "b"))}
    assert len(keys) == 4
    assert all(len(key) == 64 for key in keys)


def rewrite_with_same_time(home: Path) -> None:
    """Write a file of the same size and with the same time as before, as reproducible builds do."""
    path = home / "one.py"
    written = path.stat().st_ctime_ns
    while path.stat().st_ctime_ns == written:  # the clock of files goes in small steps
        path.write_text("2")
        os.utime(path, ns=(10**18, 10**18))


@pytest.mark.parametrize(
    "change",
    [
        lambda home: (home / "one.py").write_text("12"),
        lambda home: os.utime(home / "room" / "two.py", ns=(10**18, 10**18 + 1)),
        lambda home: (home / "room" / "two.py").rename(home / "room" / "three.py"),
        lambda home: (home / "room" / "new.py").write_text(""),
        rewrite_with_same_time,
    ],
)
def test_a_change_of_the_program_makes_another_key(package: Path, change: Callable[[Path], object]) -> None:
    before = build_fresh_key()
    (package / "notes.txt").write_text("no source")
    assert build_fresh_key() == before
    change(package)
    assert build_fresh_key() != before


@pytest.mark.parametrize(
    ("place", "name"),
    [(disk_cache, "VERSION"), (disk_cache, "PYDANTIC"), (sys, "version")],
    ids=["fairdeal", "pydantic", "Python"],
)
def test_another_version_makes_another_key(
    package: Path, monkeypatch: pytest.MonkeyPatch, place: object, name: str
) -> None:
    before = build_fresh_key()
    monkeypatch.setattr(place, name, "0.0.1 (other)")
    assert build_fresh_key() != before
