"""`fairdeal layout`: the table layout of a submission as an SVG file of its own."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.facade.commands import run
from tests.facade.demo import DEMO

SVG = "{http://www.w3.org/2000/svg}"
HEAD = "submission: a\nlicensee: {name: House}\ndocument: poker-room\neffective: 2026-01-01\n"


def draw(text: str, tmp_path: Path) -> tuple[ElementTree.Element, str]:
    path = tmp_path / "submission.yaml"
    path.write_text(HEAD + text, "utf-8")
    done = run("layout", path)
    assert done.code == 0
    return ElementTree.fromstring(done.out), done.err


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def test_a_layout_is_drawn_with_its_areas_positions_and_signs(tmp_path: Path) -> None:
    done = run("layout", DEMO / "submission.yaml", "-o", tmp_path / "layout.svg")
    assert (done.code, done.out) == (0, b"")
    written = (tmp_path / "layout.svg").read_bytes()
    assert run("layout", DEMO / "submission.yaml").out == written
    root = ElementTree.fromstring(written)
    assert root.tag == f"{SVG}svg"
    named = {element.get("id"): element for element in root.iter()}
    assert [named[name].tag for name in (root.get("aria-labelledby") or "").split()] == [f"{SVG}title", f"{SVG}desc"]
    assert "Ante, Play, Pair XXX" in (named["description"].text or "")
    found = texts(root)
    for legend in ("Ante", "Play", "Pair XXX"):
        assert found.count(legend) == 6
    assert {"1", "6", "Super 6 Bonus pays"} <= set(found)
    assert "var(" not in written.decode()  # which few programs but browsers know
    assert not any("href" in name for element in root.iter() for name in element.attrib)


def test_the_ending_of_the_file_chooses_the_form(tmp_path: Path) -> None:
    for ending, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF-")):
        written = []
        for name in ("first", "second"):
            path = tmp_path / f"{name}.{ending}"
            assert run("layout", DEMO / "submission.yaml", "-o", path).code == 0
            written.append(path.read_bytes())
        assert written[0] == written[1]
        assert written[0].startswith(magic)


def test_what_there_is_no_room_for_is_told(tmp_path: Path) -> None:
    areas = ", ".join(f"{{for: area-{number}, legend: Legend {number}}}" for number in range(9))
    root, told = draw(f"layout: {{style: poker-room, positions: 20, areas: [{areas}]}}\n", tmp_path)
    assert "no room for all" in told
    assert "Legend 8" in (next(root.iter(f"{SVG}desc")).text or "")


@pytest.mark.parametrize("text", ["</style><script>alert(1)</script>", "]]><svg onload=alert(1)>", "a\u202eb", "\"'&"])
def test_hostile_words_are_words(tmp_path: Path, text: str) -> None:
    legend = text.replace("'", "''")
    stated = (
        f"layout:\n  style: '{legend}'\n  areas:\n  - {{for: pot, legend: '{legend}'}}\n"
        f"  signage: ['{legend}', {{wager: '{legend}', minimum: 1}}]\n"
    )
    root, _ = draw(stated, tmp_path)
    plain, _ = draw("layout:\n  style: a\n  areas:\n  - {for: pot, legend: b}\n  signage: [c, {wager: c}]\n", tmp_path)
    assert {(element.tag, *sorted(element.attrib)) for element in root.iter()} == {
        (element.tag, *sorted(element.attrib)) for element in plain.iter()
    }
    assert "\u202e" not in "".join(root.itertext())


def test_a_submission_without_a_layout_says_so(tmp_path: Path) -> None:
    path = tmp_path / "submission.yaml"
    path.write_text(HEAD, "utf-8")
    done = run("layout", path)
    assert (done.code, done.out) == (3, b"")
    assert "this submission states no layout" in done.err
    assert run("layout", path, "-o", path).code == 2


def test_the_game_its_limits_and_odds_are_below_the_table() -> None:
    root = ElementTree.fromstring(run("layout", DEMO / "submission.yaml").out)
    found = texts(root)
    assert "3 Card Shine" in found
    assert any(text.startswith("Ante ") and " to " in text for text in found)
    assert any(text.startswith("Pair XXX pays straight flush ") for text in found)
    height = float(root.get("height") or 0)
    top = float((root.get("viewBox") or "0 0").split()[1])
    assert all(float(element.get("y") or 0) < height + top for element in root.iter(f"{SVG}text"))


def test_a_workbook_has_the_drawing_of_the_same_submission(tmp_path: Path) -> None:
    for name in ("a.yaml", "a.xlsx"):
        assert run("new", "shine", "--example", "-o", tmp_path / name).code == 0
    assert run("layout", tmp_path / "a.yaml").out == run("layout", tmp_path / "a.xlsx").out
