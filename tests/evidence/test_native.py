"""The compiled scanner finds what Python finds, in every byte; where it is not there, Python finds it."""

from __future__ import annotations

import ctypes.util
import importlib.util
import random
import sys
import tomllib
import types
from pathlib import Path

import numpy as np
import pytest

from fairdeal.validator import VERSION
from fairdeal.validator.evidence.jsonl import text_lookup
from fairdeal.validator.evidence.jsonl.text_lookup import INTERFACE, LineText, Scanner, TextHashTable, UnusualError
from tests.evidence.test_known_texts import write_lines
from tests.facade.commands import ROOT, run
from tests.facade.demo import GAME
from tools.fuzz_native.build import compile_scanner
from tools.fuzz_native.compare import Sides, is_same
from tools.fuzz_native.lines import change_lines

GAMES = (GAME, "poker-room")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the library from the source in the checkout."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("the package ziglang, which compiles the scanner, is not installed: `make native` installs it")
    path = tmp_path_factory.mktemp("native") / "scan.so"
    compile_scanner(path)
    return path


@pytest.fixture(scope="module")
def trapping(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the library so that it stops at undefined behaviour of C."""
    path = tmp_path_factory.mktemp("trapping") / library.name
    compile_scanner(path, sanitized=True)
    return path


def demo() -> list[bytes]:
    logs = (ROOT / "rules_data" / game / "demo" / "hand-log.jsonl" for game in GAMES)
    return [line for log in logs for line in log.read_bytes().splitlines()]


@pytest.mark.parametrize("guarded", [False, True])
def test_changed_lines_are_the_same_to_both(library: Path, trapping: Path, guarded: bool) -> None:
    """`make fuzz-native` does it with a million."""
    lines, chance = [*demo(), *write_lines(6)], random.Random(6)
    sides = Sides(Scanner(str(trapping if guarded else library)), [*GAMES, "some-game"], guarded=guarded)
    for number in range(400):
        text = change_lines(lines, chance)
        assert sides.find_difference(text, decoded=number % 5 == 0) is None, text
    assert 200 < sides.usual < 380


LIST = b'{"round":"1","seats":[{"wagers":[{"a":1},{"b":2}],"bonuses":[ ]}],"events":[%s]}'
HAND = b'{"cards":"%s"}'
ODD = {
    "nothing": b"",
    "no list": b'{"round":"1"}',
    "a list at the very start": b'[{"a":1}]',
    "a key at the very start": b'"events":[{"a":1}]',
    "half a key at the very start": b'vents":[{"a":1}]',
    "a list that is the end": b'"events":[',
    "a list that begins with a blank": b'"events":[ {"a":1}]',
    "a gap after the key": b'"events": [{"a":1}]',
    "two gaps after the key": b'"events":  [{"a":1}]',
    "empty": b'"events":[]',
    "empty at the end": b'"events":[]"events":[',
    "one in another": b'"events":[{"wagers":[{"a":1}]}]',
    "an empty one in another": b'"events":[{"wagers":[]}]',
    "a list of none in another": b'"events":[{"x":[]},{"x":[1]}]',
    "over two lines": b'"events":[{"a":1},\n{"b":2}]',
    "the end in a text": b'"events":[{"a":"]"}]',
    "an escape": b'"events":[{"a":"\\""}]',
    "the longest hand": LIST % (HAND % (b"As" * 12)),
    "half a card more": LIST % (HAND % (b"As" * 12 + b"A")),
    "a card more": LIST % (HAND % (b"As" * 13)),
    "a hand without end": b'"events":[{"cards":"As}]',
    "no cards": LIST % (HAND % b""),
    "cards before the list": b'{"cards":"As","events":[{"a":1}]}',
    "cards after the list": b'"events":[{"a":1}]{"cards":"As"}',
    "cards at the end of the text": b'"events":[{"a":1}]"cards":"',
    "cards named cards": LIST % b'{"cards":"cards":"As"}',
    "cards named discarded": b'"seats":[{"cards":"discarded":"As"},{"discarded":"cards":"As"}]"events":[]',
    "discarded named drawn": b'"seats":[{"discarded":"drawn":"As"},{"drawn":"discarded":"As"}]"events":[]',
    "a gap before the cards": LIST % b'{"cards" :"As"},{"cards": "As"},{"cards":  "As"}',
    "a text of no bytes but zero": b'"events":[{"a":"\0"}]\0',
    "bytes that are no text": b'"events":[{"a":"\xff\xc3"}]',
    "a seat over the edge of a stride": b'"seats":[{"x":"' + b"y" * 47 + b'"},{"cards":"As"}],"events":[]',
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_the_same_to_both(trapping: Path, name: str) -> None:
    """The odd byte may be at any of the 64 places that are scanned at a time."""
    sides = Sides(Scanner(str(trapping)), [GAME], guarded=True)
    for shift in range(64):
        text = b"x" * shift + ODD[name] + shift % 2 * (b"\n" + LIST % b'{"a":1}')
        assert sides.find_difference(text, decoded=shift < 2) is None, text


@pytest.mark.parametrize("meeting", [False, True])
def test_texts_are_found_where_python_finds_them(library: Path, monkeypatch: pytest.MonkeyPatch, meeting: bool) -> None:
    """Texts of every length, alike but for one byte, in tables of every width; also if all hashes are equal."""
    if meeting:
        monkeypatch.setattr(text_lookup, "_FACTOR", 0)
    raw = bytes(number * number % 251 for number in range(1 << 16))
    edges = np.cumsum([0, *(size for size in range(1, 257) if size != 64)])
    start, end = edges[:-1], edges[1:]
    scanner, text, tables, narrowest = Scanner(str(library)), LineText(raw[: edges[-1]]), [], 1
    expected = np.full(len(start), -1)
    for width in (64, 128, 256):
        table, which = TextHashTable(width), np.flatnonzero((narrowest <= end - start) & (end - start < width))
        table.add(text, start[which], (end - start)[which], which)
        expected[which] = table.look_up(text, start[which], (end - start)[which])
        tables.append(table.get_arrays())
        narrowest = width
    found = scanner.codes(text, start, end, tables)
    assert is_same(found, expected)
    assert (found >= 0).sum() == 3 if meeting else (found >= 0).sum() > 240
    for at in (start, end - 1):
        others = np.frombuffer(text.raw, np.uint8).copy()
        others[at] ^= 1
        assert (scanner.codes(LineText(others.tobytes()), start, end, tables) < 0).all()


def test_stretches_beside_the_text_are_refused(library: Path) -> None:
    scanner, text, table = Scanner(str(library)), LineText(b"{}"), TextHashTable(64)
    for start, end in ((-1, 1), (0, 3), (2, 3)):
        with pytest.raises(UnusualError):
            scanner.codes(text, np.array([start]), np.array([end]), [table.get_arrays()])


def test_a_library_of_another_interface_is_not_used(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Scanner(str(library))
    monkeypatch.setattr(text_lookup, "INTERFACE", INTERFACE + 1)
    with pytest.raises(ValueError, match=f"its interface is {INTERFACE}, not {INTERFACE + 1}"):
        Scanner(str(library))
    _install_scanner(monkeypatch, str(library))
    assert text_lookup.load_scanner.__wrapped__() is None


def _install_scanner(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    package = types.ModuleType("fairdeal_fast")
    package.LIBRARY, package.VERSION = library, "9.9"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fairdeal_fast", package)
    monkeypatch.delenv(text_lookup.SWITCH, raising=False)


def test_it_is_used_where_it_is_installed_and_not_switched_off(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install_scanner(monkeypatch, str(library))
    assert isinstance(text_lookup.load_scanner.__wrapped__(), Scanner)
    monkeypatch.setenv(text_lookup.SWITCH, "off")
    assert text_lookup.load_scanner.__wrapped__() is None


@pytest.mark.parametrize("library", ["/nowhere/scan.so", __file__, ctypes.util.find_library("c")])
def test_what_is_no_such_library_is_passed_over(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _install_scanner(monkeypatch, library)
    assert text_lookup.load_scanner.__wrapped__() is None


@pytest.mark.parametrize("used", [None, "fairdeal-fast 9.9"])
def test_the_version_tells_whether_it_is_used(used: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lookup, "describe_scanner", lambda: used)
    told = run("--version").out.decode()
    assert told == (f"fairdeal {VERSION} with {used}\n" if used else f"fairdeal {VERSION}\n")


def test_the_wheel_is_compiled_by_the_zig_that_tests_use() -> None:
    requires = tomllib.loads((ROOT / "native" / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    (pinned,) = (ROOT / "native" / "requirements.in").read_text("utf-8").split()
    assert pinned in requires
    assert (ROOT / "native" / "requirements.lock").read_text("utf-8").startswith(f"{pinned} ")
