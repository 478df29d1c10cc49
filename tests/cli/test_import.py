"""Tables of rounds become hand logs that are judged as the rounds themselves; what cannot be read is named."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import yaml
import zstandard

from fairdeal.validator.evidence.io.table_rows import ColumnUse, parse_cards, parse_time
from tests.cli.helpers import list_failures
from tests.facade.commands import run
from tests.hold.logs import rounds, write_log

GAME = "co-rule10-3card-shine"
MAP: dict[str, Any] = {
    "game": GAME,
    "currency": "USD",
    "columns": {
        "Hand #": {"into": "round"},
        "Casino": {"into": "casino"},
        "Table": {"into": "table"},
        "Opened": {"into": "time", "format": "%m/%d/%Y %I:%M %p", "zone": "Z"},
        "Dealer": {"into": "context.dealer"},
        "Dealer Cards": {"into": "dealer"},
        "Seat": {"into": "seat"},
        "Player": {"into": "player"},
        "Player Cards": {"into": "cards"},
        "Action": {"into": "decision", "words": {"P": "play", "F": "fold"}},
        **{
            f"{wager} {heading}": {"into": f"wagers.{wager}.{amount}"}
            for wager in ("ante", "play", "pair-xxx")
            for heading, amount in (("bet", "amount"), ("paid", "paid"), ("lost", "taken"))
        },
        "Ante bonus": {"into": "bonuses.ante-bonus.paid"},
    },
    "ignored": ["Remarks"],
}


def _dollars(minor: int | None) -> str:
    return "" if minor is None else f"${minor // 100:,}.{minor % 100:02}"


def _spell(cards: str) -> str:
    return " ".join(cards[at : at + 2].upper().replace("T", "10") for at in range(0, len(cards), 2))


def _rows(record: dict[str, Any]) -> list[dict[str, str]]:
    """Write a round as a cage's spreadsheet would have it."""
    hour, minute = int(record["time"][11:13]), record["time"][14:16]
    day = record["time"]
    opened = f"{day[5:7]}/{day[8:10]}/{day[:4]} {hour % 12 or 12:02}:{minute} {'AM' if hour < 12 else 'PM'}"
    rows = []
    for seat in record["seats"]:
        cells = {
            "Hand #": record["round"],
            "Casino": record["casino"],
            "Table": record["table"],
            "Opened": opened,
            "Dealer": record["context"]["dealer"],
            "Dealer Cards": _spell(record["dealer"]),
            "Seat": str(seat["seat"]),
            "Player": seat["player"],
            "Player Cards": _spell(seat["cards"]),
            "Action": seat["decision"][0].upper(),
            "Remarks": 'said "no"; left, early',
        }
        for wager in seat["wagers"]:
            name = wager["wager"]
            cells |= {f"{name} bet": _dollars(wager["amount"])}
            cells |= {f"{name} paid": _dollars(wager.get("paid")), f"{name} lost": _dollars(wager.get("taken"))}
        for bonus in seat.get("bonuses", ()):
            cells["Ante bonus"] = _dollars(bonus["paid"])
        rows.append(cells)
    return rows


def _write_table(path: Path, rows: Sequence[dict[str, str]], *, delimiter: str = ",", bom: bool = False) -> Path:
    headings = [*MAP["columns"], *MAP["ignored"]]
    with path.open("w", encoding="utf-8-sig" if bom else "utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, headings, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def _write_map(path: Path, **changes: Any) -> Path:
    path.write_text(yaml.safe_dump({**MAP, **changes}, sort_keys=False), "utf-8")
    return path


def _underpay(record: dict[str, Any], rng: Any) -> None:
    for seat in record["seats"]:
        for wager in seat["wagers"]:
            if wager["wager"] == "ante" and wager["paid"] and rng.random() < 0.2:
                wager["paid"] -= 100


def _judge(log: Path) -> Any:
    return run("audit", log, "-o", "json", "-q").results


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_rounds_from_a_table_are_judged_as_the_rounds_themselves(tmp_path: Path, delimiter: str) -> None:
    records = list(rounds(150, 3, seats=3, change=_underpay))
    log = Path(write_log(tmp_path / "log.jsonl", iter(records)))
    table = _write_table(
        tmp_path / "t.csv", [row for record in records for row in _rows(record)], delimiter=delimiter, bom=True
    )
    made = run("import", table, "--map", _write_map(tmp_path / "map.yaml"), "-o", tmp_path / "imported.jsonl")
    assert made.code == 0, made.err
    assert "150 rounds written to" in made.err
    original, imported = _judge(log), _judge(tmp_path / "imported.jsonl")
    failures = list_failures(original)
    assert failures == list_failures(imported)
    assert len(failures) > 5
    assert [sums["owed"] for sums in original["money"]["sums"]] == [sums["owed"] for sums in imported["money"]["sums"]]
    assert not imported["quarantined"]


def _write_workbook(path: Path, rows: Sequence[dict[str, str]], **sheets: Sequence[Sequence[Any]]) -> Path:
    """Write a workbook as a cage has it: amounts are numbers, times are times, seats are numbers."""
    book = openpyxl.Workbook()
    headings = [*MAP["columns"], *MAP["ignored"]]
    book.worksheets[0].append(headings)
    for row in rows:
        cells: dict[str, Any] = dict(row)
        for heading, cell in row.items():
            if cell.startswith("$"):
                cells[heading] = float(cell[1:].replace(",", ""))
        cells |= {"Seat": int(row["Seat"]), "Opened": datetime.strptime(row["Opened"], "%m/%d/%Y %I:%M %p")}
        book.worksheets[0].append([cells.get(heading) for heading in headings])
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
    book.save(path)
    return path


def test_a_workbook_gives_the_log_of_the_same_table_as_csv(tmp_path: Path) -> None:
    rows = [row for record in rounds(60, 3, seats=3, change=_underpay) for row in _rows(record)]
    table_map = _write_map(tmp_path / "map.yaml")
    logs = []
    for table in (_write_table(tmp_path / "t.csv", rows), _write_workbook(tmp_path / "t.xlsx", rows)):
        made = run("import", table, "--map", table_map, "-o", tmp_path / "log.jsonl")
        assert made.code == 0, made.err
        logs.append((tmp_path / "log.jsonl").read_bytes())
    assert logs[0] == logs[1]


def test_a_compressed_table_gives_the_log_of_the_same_table(tmp_path: Path) -> None:
    rows = [row for record in rounds(60, 3, seats=3, change=_underpay) for row in _rows(record)]
    table_map, plain = _write_map(tmp_path / "map.yaml"), _write_table(tmp_path / "t.csv", rows).read_bytes()
    packed = {"t.csv": plain, "t.csv.gz": gzip.compress(plain), "t.csv.zst": zstandard.compress(plain)}
    logs = set()
    for name, data in packed.items():
        (tmp_path / name).write_bytes(data)
        made = run("import", tmp_path / name, "--map", table_map, "-o", tmp_path / "log.jsonl")
        assert made.code == 0, made.err
        logs.add((tmp_path / "log.jsonl").read_bytes())
    assert len(logs) == 1
    (tmp_path / "t.csv.gz").write_bytes(packed["t.csv.gz"][:-50])
    made = run("import", tmp_path / "t.csv.gz", "--map", table_map, "-o", tmp_path / "log.jsonl")
    assert (made.code, "ends too early" in made.err) == (3, True)


def test_sheets_of_a_workbook_are_named(tmp_path: Path) -> None:
    book = _write_workbook(tmp_path / "t.xlsx", [], Hands=[["Hand", "Table"], ["R1", "T1"]])
    guessed = run("import", book, "--game", GAME, "--sheet", "Hands")
    assert '"Hand": {into: round} # R1' in guessed.text
    wrong = run("import", book, "--game", GAME, "--sheet", "Hand")
    assert (wrong.code, "did you mean `Hands`?" in wrong.err) == (3, True)
    assert run("import", _write_table(tmp_path / "t.csv", []), "--game", GAME, "--sheet", "Hands").code == 2


def test_what_is_no_sound_workbook_is_refused(tmp_path: Path) -> None:
    book = _write_workbook(tmp_path / "t.xlsx", [])
    whole = book.read_bytes()
    book.write_bytes(whole[: len(whole) // 2])
    assert "cannot be read as a workbook" in run("import", book, "--game", GAME).err
    book.write_bytes(b"PK no archive")
    assert "cannot be read as a workbook" in run("import", book, "--game", GAME).err
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as bomb, zipfile.ZipFile(BytesIO(whole)) as sound:
        for part in sound.namelist():
            bomb.writestr(part, sound.read(part))
        bomb.writestr("xl/sharedStrings.xml", b"<a>" + b" " * 65_000_000)
    refused = run("import", book, "--game", GAME)
    assert (refused.code, "unpacks to more than is read" in refused.err) == (3, True)


def test_a_round_in_one_row_and_parquet(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "id,when,s1,a1,s2,a2\r\nR1,2026-03-02T10:00:00-07:00,AhKd2c,5,,\r\nR2,2026-03-02T10:02:00-07:00,,,QsQdQh,$10\r\n"
    )
    columns = {"id": "round", "when": "time", "s1": "seats.1.cards", "a1": "seats.1.wagers.ante.amount"}
    columns |= {"s2": "seats.2.cards", "a2": "seats.2.wagers.ante.amount"}
    table_map = {
        "game": GAME,
        "rows": "round",
        "table": "T1",
        "columns": {key: {"into": to} for key, to in columns.items()},
    }
    (tmp_path / "m.json").write_text(json.dumps(table_map))
    assert run("import", table, "--map", tmp_path / "m.json", "-o", tmp_path / "o.parquet").code == 0
    made = run("import", table, "--map", tmp_path / "m.json")
    first, second = map(json.loads, made.text.splitlines())
    assert first["seats"] == [
        {"seat": 1, "cards": "AhKd2c", "wagers": [{"wager": "ante", "amount": 500}], "bonuses": []}
    ]
    assert second["seats"][0]["seat"] == 2
    assert second["seats"][0]["wagers"][0]["amount"] == 1000
    assert run("audit", tmp_path / "o.parquet", "-o", "json", "-q").results["provenance"]["inputs"][0]["checked"] == 2


def test_a_table_without_a_column_for_a_bonus_does_not_deny_it(tmp_path: Path) -> None:
    """The same rounds, in which the bonus was paid, with and without the column."""
    records = list(rounds(60, 5, seats=4))
    assert any(seat.get("bonuses") for record in records for seat in record["seats"])
    table = _write_table(tmp_path / "t.csv", [row for record in records for row in _rows(record)])
    columns = {heading: use for heading, use in MAP["columns"].items() if heading != "Ante bonus"}
    map_ = _write_map(tmp_path / "map.yaml", columns=columns, ignored=[*MAP["ignored"], "Ante bonus"])
    assert run("import", table, "--map", map_, "-o", tmp_path / "o.jsonl").code == 0
    found = {(finding["requirement"], finding["status"]) for finding in _judge(tmp_path / "o.jsonl")["findings"]}
    assert (f"{GAME}/ante-bonus-paid", "not-evidenced") in found
    assert "fail" not in {status for _, status in found}


def test_rows_that_cannot_be_read_leave_out_their_round_and_no_other(tmp_path: Path) -> None:
    records = list(rounds(6, 3, seats=2))
    rows = [row for record in records for row in _rows(record)]
    rows[1] |= {"ante bet": "five"}  # round 0
    rows[4] |= {"Player Cards": "AH KD 1X"}  # round 2
    rows[6] |= {"Opened": "yesterday"}  # round 3
    rows[8] |= {"Seat": rows[9]["Seat"]}  # round 4
    rows.append(dict(rows[2], Seat="5"))  # round 1 again, after others
    table = _write_table(tmp_path / "t.csv", rows)
    made = run("import", table, "--map", _write_map(tmp_path / "map.yaml"), "-o", tmp_path / "o.jsonl")
    assert made.code == 3
    written = [json.loads(line)["round"] for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert written == [records[1]["round"], records[5]["round"]]
    for words in ("column `ante bet`: `five` is not an amount", "are not cards", "is not a time", "is listed twice"):
        assert words in made.err, made.err
    assert "do not follow each other" in made.err
    assert ":3" in made.err, "the line of the table is named"


def test_rounds_that_no_log_may_hold_are_named_with_their_rows(tmp_path: Path) -> None:
    records = list(rounds(3, 3))
    rows = [row for record in records for row in _rows(record)]
    rows[1]["Player Cards"] = rows[1]["Dealer Cards"]
    made = run(
        "import",
        _write_table(tmp_path / "t.csv", rows),
        "--map",
        _write_map(tmp_path / "m.yaml"),
        "-o",
        tmp_path / "o.jsonl",
    )
    assert len((tmp_path / "o.jsonl").read_text().splitlines()) in (2, 3)
    if made.code == 3:
        assert "twice" in made.err


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "poker"}, "is no document with a game"),
        ({"columns": {**MAP["columns"], "Seat": {"into": "chair"}}}, "is no key of a record"),
        ({"columns": {**MAP["columns"], "Action": {"into": "cards"}}}, "gives the same key"),
        ({"columns": {**MAP["columns"], "Ante bonus": {"into": "wagers.anti.paid"}}}, "has no wager `anti`"),
        ({"ignored": []}, "the map does not name the column `Remarks`"),
        (
            {"ignored": ["Remarks"], "columns": {**MAP["columns"], "Pit": {"into": "context.pit"}}},
            "has no column `Pit`",
        ),
        ({"colums": {}}, "`colums` is not a key of a table map"),
    ],
)
def test_a_wrong_map_is_explained(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    table = _write_table(tmp_path / "t.csv", _rows(next(rounds(1, 3))))
    made = run("import", table, "--map", _write_map(tmp_path / "m.yaml", **changes), "-o", tmp_path / "o.jsonl")
    assert made.code == 3
    assert words in made.err
    assert not (tmp_path / "o.jsonl").exists()


def test_a_map_is_guessed_from_headings_and_can_be_used(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "Hand No,Table,Date/Time,Seat,Player Cards,Dealer Cards,Decision,"
        "Ante,Ante Paid,Ante Lost,Pair XXX,Dealer,Cashier\r\n"
        '7,T1,2026-03-02T10:00:00Z,1,Ah Kd 2c,9s 8d 2h,play,5,5,0,,Dora,"x""{[: #"\r\n'
    )
    guessed = run("import", table, "--game", "3 Card Shine", "-o", tmp_path / "m.yaml")
    assert guessed.code == 0, guessed.err
    found = yaml.safe_load((tmp_path / "m.yaml").read_text("utf-8"))
    assert {heading: use["into"] for heading, use in found["columns"].items()} == {
        "Hand No": "round",
        "Table": "table",
        "Date/Time": "time",
        "Seat": "seat",
        "Player Cards": "cards",
        "Dealer Cards": "dealer",
        "Decision": "decision",
        "Ante": "wagers.ante.amount",
        "Ante Paid": "wagers.ante.paid",
        "Ante Lost": "wagers.ante.taken",
        "Pair XXX": "wagers.pair-xxx.amount",
        "Dealer": "context.dealer",
    }
    assert found["ignored"] == ["Cashier"]
    record = json.loads(run("import", table, "--map", tmp_path / "m.yaml").text)
    assert record["seats"][0]["wagers"] == [{"wager": "ante", "amount": 500, "paid": 500, "taken": 0}]
    assert record["context"] == {"dealer": "Dora"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "headings"),
        (b"\xff\xfe\x00a", "not UTF-8"),
        (b"a,a\r\n1,2\r\n", "several columns have the heading"),
        (b'Hand #,"x\r\n', "cannot be read as CSV"),
    ],
)
def test_what_is_no_table_is_refused_in_words(tmp_path: Path, data: bytes, words: str) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes(data)
    made = run("import", table, "--game", GAME)
    assert made.code == 3, made.err
    assert words in made.err


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Ah Kd 10c", "AhKdTc"),
        ("AH,KD,TC", "AhKdTc"),
        ("A♥ K♦ 10♣", "AhKdTc"),
        ("a h-k d", "AhKd"),
        ("?? 9s", "??9s"),
        ("[7c][8c]", "7c8c"),
    ],
)
def test_cards_are_read_as_people_write_them(text: str, cards: str) -> None:
    assert parse_cards(text) == cards


@pytest.mark.parametrize("text", ["1h", "Ah Kx", "ace", "Ah Kd &"])
def test_what_are_no_cards_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="are not cards"):
        parse_cards(text)


def test_a_time_needs_a_zone() -> None:
    assert parse_time("2026-03-02 10:00", ColumnUse(into="time", zone="-07:00")) == "2026-03-02T10:00:00-07:00"
    assert parse_time("2026-03-02T10:00:00Z", ColumnUse(into="time")) == "2026-03-02T10:00:00Z"
    with pytest.raises(ValueError, match="no time zone"):
        parse_time("2026-03-02 10:00", ColumnUse(into="time"))


def test_usage_is_explained(tmp_path: Path) -> None:
    assert run("import", tmp_path / "t.csv").code == 3
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    assert run("import", tmp_path / "t.csv").code == 2
    assert run("import", tmp_path / "t.csv", "--map", "m", "--game", "g").code == 2
