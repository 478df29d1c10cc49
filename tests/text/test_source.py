"""Reading of inputs within bounds, and messages about unreadable ones."""

from __future__ import annotations

import hashlib
import io
import sys
from pathlib import Path

import pytest

from fairdeal.validator.text.source import Source, build_open_error, decode_source, locate, read_source, split_lines
from tests.facade.text import InputError


def refuse(name: str, data: bytes, limit: int = 1000) -> str:
    with pytest.raises(InputError) as caught:
        decode_source(name, data, limit=limit)
    return str(caught.value)


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_bytes("é: 1\r\n".encode())
    assert read_source(str(path)) == Source(
        name=str(path),
        data="é: 1\r\n".encode(),
        text="é: 1\r\n",
        sha256=hashlib.sha256("é: 1\r\n".encode()).hexdigest(),
    )


def test_mark_is_stripped_from_the_text_and_kept_in_the_hash() -> None:
    source = decode_source("f", b"\xef\xbb\xbfa: 1")
    assert source.text == "a: 1"
    assert source.sha256 == hashlib.sha256(b"\xef\xbb\xbfa: 1").hexdigest()


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: 1")))
    assert read_source("-").name == "<stdin>"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"12345")))
    with pytest.raises(InputError, match="too-large"):
        read_source("-", limit=4)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError) as caught:
        read_source("-")
    assert str(caught.value) == ("error[not-readable]: standard input is closed\n --> <stdin>\n  = help: name a file")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "absent.yaml",
            "error[not-found]: there is no such file\n --> {}\n  = help: check the path and its spelling",
        ),
        (
            "folder",
            "error[is-a-directory]: this is a folder, not a file\n --> {}\n  = help: name a file inside it",
        ),
        (
            "file/below",
            "error[not-found]: part of the path is not a folder\n --> {}\n  = help: check the path and its spelling",
        ),
        ("x" * 300, "error[not-found]: the path is too long for a file name\n --> {}"),
    ],
)
def test_paths_that_cannot_be_opened(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    path = str(tmp_path / name)
    with pytest.raises(InputError) as caught:
        read_source(path)
    assert str(caught.value) == said.format(path)


def test_path_with_a_nul() -> None:
    with pytest.raises(InputError) as caught:
        read_source("a\0b")
    assert str(caught.value) == ("error[not-readable]: this file cannot be read: embedded null byte\n --> a[U+0000]b")


def test_operating_system_errors() -> None:
    assert str(build_open_error("f", PermissionError(13, "Permission denied"))) == (
        "error[no-permission]: there is no permission to read this file\n --> f\n  = help: check its permissions"
    )
    assert str(build_open_error("f", OSError(5, "Input/output error"))) == (
        "error[not-readable]: this file cannot be read: input/output error\n --> f"
    )
    assert str(build_open_error("f", OSError("odd"))) == "error[not-readable]: this file cannot be read: odd\n --> f"


def test_size_at_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a" * 10)
    assert len(read_source(str(path), limit=10).data) == 10
    with pytest.raises(InputError) as caught:
        read_source(str(path), limit=9)
    assert str(caught.value) == (
        f"error[too-large]: more than 9 bytes; not read\n --> {path}\n  = help: split it into several"
    )
    assert "more than 8 MiB" in refuse("f", b"a" * (8 * 1024 * 1024 + 1), limit=8 * 1024 * 1024)


@pytest.mark.parametrize("data", [b"", b" \n\t ", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_nothing(data: bytes) -> None:
    assert refuse("f", data) == "error[empty]: this file has no content\n --> f"


@pytest.mark.parametrize(
    ("encoding", "called"),
    [("utf-16", "UTF-16"), ("utf-32", "UTF-32")],
)
def test_other_encodings(encoding: str, called: str) -> None:
    assert refuse("f", "a: 1".encode(encoding)) == (
        f"error[not-utf-8]: looks like {called}, not UTF-8\n --> f\n  = help: save it as UTF-8"
    )
    assert refuse("f", b"\xfe\xff\0a") == (
        "error[not-utf-8]: looks like UTF-16, not UTF-8\n --> f\n  = help: save it as UTF-8"
    )


def test_utf16_without_a_mark() -> None:
    assert refuse("f", "a: 1".encode("utf-16-le")) == (
        "error[control-character]: a control character (U+0000) is not allowed in text\n"
        " --> f:1:2\n"
        "  |\n"
        "1 | a[U+0000]:[U+0000] [U+0000]1[U+0000]\n"
        "  |  ^^^^^^^^\n"
        "  = help: this looks like UTF-16: save it as UTF-8"
    )


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_that_are_not_utf8(mark: bytes) -> None:
    data = mark + "é: 1\r\nü: ".encode() + b"\xff\n"
    assert refuse("f", data) == (
        f"error[not-utf-8]: byte {len(data) - 2} (0xff) is not UTF-8\n --> f:2:4\n  = help: save the file as UTF-8"
    )


def test_control_character() -> None:
    assert refuse("f", b"a: 1\nb: \x1b[31m\n") == (
        "error[control-character]: a control character (U+001B) is not allowed in text\n"
        " --> f:2:4\n"
        "  |\n"
        "2 | b: [U+001B][31m\n"
        "  |    ^^^^^^^^\n"
        "  = help: remove it, or write it as an escape"
    )


def test_tabs_and_line_breaks_are_text() -> None:
    assert decode_source("f", b"a\tb\r\nc\rd\n").split_text() == ("a\tb", "c", "d", "")


def test_lines_break_nowhere_else() -> None:
    text = "a\x0bb\x0cc\x1cd\x85e\u2028f"
    assert split_lines(text) == [text]
    assert split_lines("a\r\n\rb\n\rc") == ["a", "", "b", "", "c"]


def test_locate() -> None:
    text = "ab\r\ncd\re\n"
    assert [locate(text, index) for index in (0, 2, 4, 5, 7, len(text))] == [
        (1, 1),
        (1, 3),
        (2, 1),
        (2, 2),
        (3, 1),
        (4, 1),
    ]
