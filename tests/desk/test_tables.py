"""Tables on the desk: the columns that a user points at give the log of the command line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from openpyxl import Workbook

from fairdeal.cli.desk.desk_state import build_imports
from fairdeal.cli.desk.desk_store import StoredFile, UploadKind, find_kind
from tests.desk.client import DeskThread, RunningDesk, read_fields
from tests.facade.commands import run
from tests.hand_histories.history_writers import write_text
from tests.hand_histories.played_hands import play_hand

GAME = "co-rule10-3card-shine"
ROWS = (
    ("Hand", "Table", "Opened", "Box", "Player Cards", "Dealer Hand", "Action", "Ante", "Ante Paid", "Play", "Clerk"),
    ("h1", "S1", "03/22/2026 17:00", "1", "KdKs7c", "9sQh4d", "P", "10.00", "10.00", "10", "kim"),
    ("h1", "S1", "03/22/2026 17:00", "2", "Ah Jd 8c", "9sQh4d", "fold", "20.00", "", "", "kim"),
    ("h2", "S1", "03/22/2026 17:04", "1", "Zz", "2c3d4h", "P", "10.00", "", "10.00", "kim"),
)


def write_csv(*rows: tuple[str, ...]) -> bytes:
    return "".join(f"{','.join(row)}\n" for row in rows).encode()


def open_table(desk: RunningDesk, name: str, content: bytes, **chosen: str) -> tuple[str, dict[str, str]]:
    """Upload a table and return its page with the fields of its form."""
    page = desk.upload("/audits", [(name, content)]).location
    assert page.endswith("/tables/1")
    assert "Columns needed" in desk.get("/").plain
    query = "&".join(f"{key}={value}" for key, value in {"game": GAME, "rows": "seat", **chosen}.items())
    return page, dict(read_fields(desk.get(f"{page}?{query}").text, "data-trial="))


def find_column(fields: dict[str, str], into: str) -> str:
    return next(name.removeprefix("into-") for name, value in fields.items() if value == into)


def test_a_table_becomes_the_log_of_the_command_line(desk: RunningDesk, tmp_path: Path) -> None:
    page, fields = open_table(desk, "march.csv", write_csv(*ROWS))
    assert fields["into-4"] == "cards"
    assert fields["into-8"] == "wagers.ante.paid"
    assert fields["format"] == "%m/%d/%Y %H:%M"
    decision = find_column(fields, "decision")
    assert fields[f"word-{decision}-0"] == "play"
    # The guesses lack the offset from UTC, which the preview says; then one row cannot be read.
    assert "has no time zone" in desk.post(f"/try{page}", fields).plain
    fields |= {"zone": "-07:00", "into-10": "context.clerk"}
    preview = desk.post(f"/try{page}", fields).plain
    assert "Of 3 rows, 1 cannot be read" in preview
    assert "Line 4: column `Player Cards`" in preview
    assert "KdKs7c" in preview
    assert "ante 10.00, paid 10.00" in preview
    address = desk.post(f"{page}/import", fields).location
    shown = desk.finish(address)
    assert "Zz" in shown.plain  # the message of the import
    stored = desk.settings.find_run_folder(int(address.rpartition("/")[2])) / "evidence"
    for name in ("march.csv", "march.map.json"):
        (tmp_path / name).write_bytes((stored / name).read_bytes())
    log = tmp_path / "log.jsonl"
    assert run("import", tmp_path / "march.csv", "--map", tmp_path / "march.map.json", "-o", log).code == 3
    assert (stored / "march.jsonl").read_bytes() == log.read_bytes()
    assert b'"clerk":"kim"' in log.read_bytes()
    assert "fairdeal import --map=march.map.json --output=march.jsonl -- march.csv" in shown.plain
    # The next table with these headings needs no answers.
    again = desk.upload("/audits", [("april.csv", write_csv(*ROWS[:3]))]).location
    known = desk.get(again)
    assert "All of 2 rows can be read: 1 round." in known.plain


def test_a_worksheet_is_a_table_and_a_workbook_may_be_a_submission(desk: RunningDesk, tmp_path: Path) -> None:
    book = Workbook()
    book.create_sheet("March")
    for row in (ROWS[0], *ROWS[1:3]):
        book["March"].append(row)
    stream = io.BytesIO()
    book.save(stream)
    page = desk.upload("/audits", [("log.xlsx", stream.getvalue())]).location
    fields = dict(read_fields(desk.get(f"{page}?game={GAME}&sheet=March").text, "data-trial="))
    address = desk.post(f"{page}/import", fields | {"zone": "Z"}).location
    assert "--sheet=March" in desk.get(address).plain
    desk.post(f"{address}/cancel")
    house = tmp_path / "house.xlsx"
    run("new", GAME, "--example", "-o", house)
    assert find_kind(house) is UploadKind.SUBMISSION


def test_rows_of_wagers_and_of_rounds_are_guessed(desk: RunningDesk) -> None:
    head = ("Hand", "Table", "Time", "Seat", "Bet", "Stake", "Win")
    hand = ("h1", "S1", "2026-03-22 17:00Z")
    rows = ((*hand, "1", "Ante", "10", "0"), (*hand, "1", "x", "5", "0"))
    page, fields = open_table(desk, "w.csv", write_csv(head, *rows), rows="wager")
    assert [fields[f"into-{number}"] for number in (4, 5, 6)] == ["wager", "amount", "paid"]
    assert fields["word-4-0"] == "ante"
    assert "1 cannot be read" in desk.post(f"/try{page}", fields).plain
    assert "can be read: 1 round" in desk.post(f"/try{page}", fields | {"word-4-1": "pair-xxx"}).plain
    head = ("Hand", "Table", "Time", "Seat 1 Cards", "Seat 1 Ante", "Seat 2 Cards", "Seat 2 Ante")
    page, fields = open_table(desk, "r.csv", write_csv(head, (*hand, "2c3c4c", "5", "", "")), rows="round")
    assert (fields["into-5"], fields["seat-5"]) == ("cards", "2")
    assert "All of 1 row can be read" in desk.post(f"/try{page}", fields).plain


BROKEN = (
    *(b"", b"\xff\xfe\0", b"a,a\n1,2\n", b'"a\n', b"PK\x03\x04", b"<script>,b,c\n<img src=x>,2,3\n"),
    *(b"a,b\n" * 5_000, b"x" * (2 << 20)),
)


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_any_table_gives_a_page(desk: RunningDesk, content: bytes) -> None:
    for name in ("t.csv", "t.txt", "t.xlsx"):
        page, _, table = desk.upload("/audits", [(name, content)]).location.partition("/tables/")
        if not table:
            continue  # a workbook that cannot be read is left to the check
        for address in (
            f"{page}/tables/1",
            f"{page}/tables/1?game={GAME}&rows=round",
            f"{page}/tables/2",
            f"{page}/tables/0",
        ):
            answer = desk.get(address)
            assert answer.status in (200, 404, 422), address
            assert "<script>," not in answer.text
            assert "<img src=x" not in answer.text
        answer = desk.post(f"{page}/tables/1/import", {"game": GAME, "rows": "seat", "into-0": "round", "into-1": "'"})
        assert answer.status in (404, 422)
        assert desk.post(f"{page}/remove").location == "/"


def test_a_table_waits_for_its_columns_over_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with DeskThread(home) as first:
        page = first.upload("/audits", [("march.csv", write_csv(*ROWS))]).location
    with DeskThread(home) as second:
        assert "Columns needed" in second.get("/").plain
        fields = dict(read_fields(second.get(f"{page}?game={GAME}").text, "data-trial="))
        assert second.post(f"{page}/import", fields | {"zone": "Z"}).location == page.partition("/tables")[0]
        assert second.get(page).status == 404
        assert second.post(f"{page}/import", fields | {"zone": "Z"}).status == 404


def test_hand_histories_are_imported_without_columns(tmp_path: Path) -> None:
    path = tmp_path / "hands.txt"
    path.write_text(write_text(play_hand(3)), "utf-8")
    file = StoredFile(name="hands.txt", kind=find_kind(path), size=1)
    logs, imports = build_imports([file], ["--timezone=America/Denver", "--currency=USD"])
    assert [log.name for log in logs] == ["hands.jsonl"]
    assert imports == [["import", "--timezone=America/Denver", "--output=hands.jsonl", "--", "hands.txt"]]
