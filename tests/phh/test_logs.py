"""Logs of hand histories: cut into hands, read in blocks, hashed, audited."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.api import audit, load_rulebook
from fairdeal.validator.evidence.io.log_formats import is_hand_history
from fairdeal.validator.evidence.poker.phh_blocks import (
    LONGEST_HAND,
    TomlError,
    decode_hands,
    hand_blocks,
    parse_tables,
    split_hands,
)
from tests.facade.commands import run
from tests.facade.evidence import HandLog
from tests.facade.reports import unpack_data
from tests.facade.results import Quarantined, Status, Verdict
from tests.facade.text import InputError
from tests.phh.audited import CUSTOM, failures, get_names
from tests.phh.games import VARIANTS
from tests.phh.rules import write_rules
from tests.phh.samples import SOUND

GAMES = {"card-room"}
REAL = Path(__file__).parents[3] / "shared" / "hands" / "phh"
MANY = "# several hands\n" + "\n".join(f"[{number}]\n{text}" for number, text in enumerate(SOUND.values(), 1))


def decode(text: bytes | str, first_line: int = 1) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the ids of the rounds, and the lines and reasons of quarantined hands."""
    raw = text.encode() if isinstance(text, str) else text
    found = decode_hands(raw, file="x.phhs", first_line=first_line, variants=VARIANTS, known_games=GAMES)
    rounds = [round_ for batch in found.batches for round_ in batch.round]
    assert found.read == len(rounds) + len(found.quarantined)
    return rounds, [(entry.line, entry.reason) for entry in found.quarantined]


def line_of(text: str, part: str) -> int:
    """Return the first line, from 1, that contains a part."""
    return text[: text.index(part)].count("\n") + 1


def test_every_own_hand_is_a_round() -> None:
    rounds, bad = decode(MANY)
    assert bad == []
    assert rounds == ["NL 1", *map(str, range(2, len(SOUND) + 1))]


def test_rounds_stand_at_the_lines_of_their_hands() -> None:
    (batch,) = decode_hands(MANY.encode(), file="x", first_line=11, variants=VARIANTS, known_games=GAMES).batches
    assert batch.line.tolist() == [line_of(MANY, f"[{number}]\n") + 10 for number in range(1, len(SOUND) + 1)]


BROKEN = {
    "not TOML": ("antes = [0, 0, 0", "antes ="),
    "another variant": ("variant = 'PO'\n", "variant"),
    "a key twice": (SOUND["walk"] + "variant = 'NT'\n", ""),
    "too many brackets": (f"_x = {'[' * 5000}{']' * 5000}\n", ""),
    "too long": (f"_x = '{'a' * LONGEST_HAND}'\n", ""),
    "nothing of a hand": ("_x = 1\n", ""),
    "a player who is not there": (SOUND["walk"].replace("p1 f'", "p7 f'"), "p7 f"),
    "a text that never ends": ('_x = """\n', ""),
    "an exponent beyond bounds": (SOUND["walk"].replace("[95,", f"[1e{'9' * 30},"), ""),
}


@pytest.mark.parametrize("what", sorted(BROKEN))
def test_a_broken_hand_does_not_take_its_neighbours_with_it(what: str) -> None:
    broken, _ = BROKEN[what]
    text = f"[1]\n{SOUND['walk']}\n[2]\n{broken}\n[3]\n{SOUND['antes']}"
    rounds, bad = decode(text)
    assert rounds == ["1", "3"]
    ((line, _),) = bad
    assert line_of(text, "[2]\n") <= line < line_of(text, "[3]\n")


def test_a_broken_hand_is_pointed_at_in_its_line() -> None:
    text = f"[1]\n{SOUND['walk']}\n[2]\n{SOUND['antes'].replace('p3 f', 'p3 x')}"
    assert decode(text)[1] == [(line_of(text, "p3 x"), "unknown action `p3 x`")]
    assert decode("[1]\nvariant = 'NT'\nantes = [0\nactions = []\n")[1] == [
        (4, "this is not TOML: missing comma between array elements, expected `,`")
    ]
    assert decode(b"[1]\nvariant = '\xff'\n")[1] == [(2, "this is not UTF-8 text")]


@given(st.binary(max_size=300) | st.text("[]{}='\"\\\n.#1a ,", max_size=200).map(str.encode))
def test_no_bytes_break_the_reader(text: bytes) -> None:
    decode(text)
    decode(b"[1]\n" + SOUND["walk"].encode() + b"\n[2]\n" + text)


@given(st.data())
def test_a_changed_hand_is_read_or_set_aside(data: st.DataObject) -> None:
    text = SOUND[data.draw(st.sampled_from(sorted(SOUND)))]
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.sampled_from("0-.9[]'\"#\n Kpdx")) + text[at + data.draw(st.integers(0, 2)) :]
    decode(changed)


def test_every_line_is_in_a_piece() -> None:
    text = MANY.encode()
    cut = list(split_hands(text, 1))
    assert b"".join(piece.text for piece in cut) == text
    assert len(cut) == len(SOUND) + 1


@pytest.mark.parametrize("header", ["[1]", "[ 1 ]  # the first", "['a b']", '["1.2"]', "[a-b_c]\r"])
def test_lines_that_head_a_hand(header: str) -> None:
    assert len(list(split_hands(f"x = 1\n{header}\ny = 2".encode(), 1))) == 2


@pytest.mark.parametrize("other", ["[1.y]", "[[1]]", "[1],", "[1, 2]", " [1]", "[]", "[1] x"])
def test_lines_that_do_not(other: str) -> None:
    assert len(list(split_hands(f"x = 1\n{other}\ny = 2".encode(), 1))) == 1


def blocks_of(chunks: list[bytes]) -> list[Any]:
    return list(hand_blocks(iter(chunks), name="x", variants=VARIANTS, count_read=lambda: 0))


@settings(max_examples=15)
@given(st.integers(1, 3000))
def test_wherever_a_stream_is_cut_its_hands_are_the_same(size: int) -> None:
    text = MANY.encode()
    blocks = blocks_of([text[at : at + size] for at in range(0, len(text), size)])
    assert b"".join(block.text for block in blocks) == text
    found = [(batch.round, batch.line.tolist()) for block in blocks for batch in block.decode(GAMES).batches]
    whole = decode_hands(text, file="x", first_line=1, variants=VARIANTS, known_games=GAMES).batches
    assert [name for rounds, _ in found for name in rounds] == [name for batch in whole for name in batch.round]
    assert [line for _, lines in found for line in lines] == [
        number for batch in whole for number in batch.line.tolist()
    ]


def read_in(chunks: list[bytes]) -> tuple[list[str], list[tuple[int, str]]]:
    """Decode a stream as `decode` does."""
    found = [block.decode(GAMES) for block in blocks_of(chunks)]
    rounds = [round_ for each in found for batch in each.batches for round_ in batch.round]
    return rounds, [(entry.line, entry.reason) for each in found for entry in each.quarantined]


REMARK = '_remark = """\n[1] is what the seat\n[2] was called\n"""\n'
TOO_LONG = f"[1]\n_held = '{'x' * LONGEST_HAND}'\n"


@pytest.mark.parametrize(
    ("before", "line"),
    [
        (f"[1]\n{REMARK}", "[2] was called"),  # the head of a hand if it ended there
        (TOO_LONG + f"[2]\n{REMARK}", "[2] was called"),
        (f"[1]\n{SOUND['walk']}_held = '{'x' * (LONGEST_HAND - len(SOUND['walk']) - 16)}'\n", "[2]"),
        (TOO_LONG, "[2]"),
    ],
)
def test_a_line_that_is_cut_is_read_as_a_whole(before: str, line: str) -> None:
    text = f"{before}{SOUND['walk']}" if line in before else f"{before}{line}\n{SOUND['walk']}"
    raw = text.encode()
    at = text.rindex(line)
    whole = decode(raw)
    assert whole[0]
    for cut in range(at - 2, at + len(line) + 2):
        assert read_in([raw[:cut], raw[cut:]]) == whole


def test_a_hand_of_which_there_is_but_a_line_follows_one_that_is_too_long() -> None:
    text = (TOO_LONG + "[2]").encode()
    assert read_in([text[:-1], text[-1:]]) == read_in([text]) == decode(text)
    assert [line for line, _ in decode(text)[1]] == [1, 3]


@pytest.mark.parametrize("size", [1000, 5000, 70_000, 1 << 20])
def test_a_hand_that_never_ends_is_not_held(size: int) -> None:
    text = f"[1]\n{SOUND['walk']}[2]\n{'# and so on' * 3}\n".encode()
    text += b"# more\n" * 30_000 + f"[3]\n{SOUND['antes']}".encode()
    blocks = blocks_of([text[at : at + size] for at in range(0, len(text), size)])
    results = [block.decode(GAMES) for block in blocks]
    assert [name for result in results for batch in result.batches for name in batch.round] == ["1", "3"]
    (refused,) = [entry for result in results for entry in result.quarantined]
    assert refused == Quarantined(
        file="x", line=line_of(text.decode(), "[2]"), column=None, reason="the hand is longer than 64 KiB"
    )
    assert results[-1].batches[0].line.tolist() == [text.count(b"\n", 0, text.index(b"[3]")) + 1]


@pytest.mark.parametrize(
    ("path", "start", "expected"),
    [
        ("a.phh", b"", True),
        ("a.phhs.gz", b"{", True),
        ("-", b"# hands\n\n[12]\nvariant = 'NT'", True),
        ("-", b"variant='NT'", True),
        ("-", b'{"round": 1}', False),
        ("-", b'\n {"round": "a = b"}', False),
        ("-", b"hello", False),
        ("a.jsonl", b"", False),
    ],
)
def test_which_logs_are_hand_histories(path: str, start: bytes, expected: bool) -> None:
    assert is_hand_history(path, start) is expected


def test_deep_nesting_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(TomlError, match="brackets"):
        parse_tables(b"a = " + b"{b = " * 10_000)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return write_rules(tmp_path / "rules")


def test_hands_are_audited(rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "hands.phhs"
    no_blind = SOUND["fixed-limit"].replace("[2, 4, 0]", "[2, 0, 0]")
    log.write_text(f"{MANY}\n[99]\n{no_blind}\n[100]\n{SOUND['walk'].replace('NT', 'PO')}")
    results = audit(load_rulebook(rules), log)
    assert results.verdict is Verdict.VIOLATIONS
    finding, gap = (finding for finding in results.findings if finding.requirement.endswith("big-blind-posted"))
    assert (finding.status, gap.status) == (Status.FAIL, Status.NOT_EVIDENCED)  # two hands end before they are over
    assert gap.count == 2
    assert (finding.where.round, finding.where.line) == ("99", line_of(log.read_text(), "[99]"))
    (given_,) = results.provenance.inputs
    assert given_.sha256 == hashlib.sha256(log.read_bytes()).hexdigest()
    assert (given_.read, given_.quarantined) == (len(SOUND) + 2, 1)


def test_packed_hands_are_audited_alike(rules: Path, tmp_path: Path) -> None:
    plain, packed = tmp_path / "hands.phhs", tmp_path / "hands.phhs.gz"
    plain.write_text(MANY)
    packed.write_bytes(gzip.compress(MANY.encode()))
    rulebook = load_rulebook(rules)
    assert audit(rulebook, plain).requirements == audit(rulebook, packed).requirements


def test_several_processes_find_what_one_finds(rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "hands.phhs"
    hands = list(SOUND.values()) * 150
    log.write_text("\n".join(f"[{number}]\n{text}" for number, text in enumerate(hands)))
    rulebook = load_rulebook(rules)
    assert len(list(HandLog(str(log), variants=lambda: VARIANTS, block_bytes=1 << 16).blocks())) > 3
    assert audit(rulebook, log, jobs=1) == audit(rulebook, log, jobs=2)


def test_a_variant_claimed_twice_is_refused(rules: Path, tmp_path: Path) -> None:
    write_rules(rules, name="other-room", claims="[FT]")
    log = tmp_path / "hands.phhs"
    log.write_text(MANY)
    with pytest.raises(InputError, match="FT"):
        audit(load_rulebook(rules), log)


def test_the_terms_of_hand_histories_are_names_of_the_game(rules: Path) -> None:
    game = rules / "card-room" / "game.yaml"
    game.write_text(game.read_text().replace("dead: dead-blind", "dead: dead-blinds").replace(": concede}", ": muck}"))
    with pytest.raises(InputError) as refused:
        load_rulebook(rules).all()
    assert [diagnostic.message for diagnostic in refused.value.diagnostics] == [
        "there is no wager `dead-blinds`",
        "there is no decision `muck`",
    ]


def test_the_commands_read_hands(rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "hands.phhs"
    log.write_text(MANY)
    told = run("explain", log, "--round", "NL 1", "--rules", rules)
    assert told.code == 0, told.err
    assert "seat 5" in told.text
    audited = run("audit", "-", "--rules", rules, "--output", "json", "--allow-unproven", stdin=MANY.encode())
    assert audited.code == 0, audited.err
    assert audited.results["provenance"]["inputs"][0]["checked"] == len(SOUND)


@pytest.mark.skipif(not REAL.is_dir(), reason="there are no recorded hands here")
def test_every_recorded_hand_is_read_or_of_another_variant() -> None:
    read, refused = 0, []
    for path in sorted(REAL.rglob("*.phh*")):
        for block in HandLog(str(path), variants=lambda: VARIANTS).blocks():
            found = block.decode(GAMES)
            read += found.read - len(found.quarantined)
            refused += [entry.reason for entry in found.quarantined]
    assert (read, len(refused)) == (250, 65)
    assert all("belongs to no game of the rulebook; its variants are FT, NT" in reason for reason in refused)


def test_more_missing_chips_than_the_pot_held_are_found_at_their_seats_alone(tmp_path: Path) -> None:
    hand = """\
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [200, 200, 200]
actions = ["d dh p1 AhKd", "d dh p2 ????", "d dh p3 ????", "p3 f", "p1 cbr 6", "p2 f"]
finishing_stacks = [172, 198, 170]
"""
    found, aside = failures({"gone": hand}, tmp_path)
    assert not aside
    places = [(finding.requirement, finding.where.seat) for finding in found["gone"]]
    assert places == [("poker-room/chips-accounted-for", 1), ("poker-room/chips-accounted-for", 3)]


@pytest.mark.parametrize(
    ("told", "time", "explained"),
    [
        ("", None, "on an unknown day"),
        ("time = 21:05:00\n", None, "on an unknown day"),
        ("year = 2024\nmonth = 5\nday = 6\n", "2024-05-06", "on 2024-05-06"),
        ("year = 2024\nmonth = 5\nday = 6\ntime = 21:05:00\n", "2024-05-06T21:05:00Z", "on 2024-05-06"),
    ],
)
def test_what_a_hand_does_not_tell_of_its_time_is_not_made_up(
    rules: Path, tmp_path: Path, told: str, time: str | None, explained: str
) -> None:
    log = tmp_path / "hand.phh"
    log.write_text(told + SOUND["fixed-limit"].replace("[2, 4, 0]", "[2, 0, 0]"))
    results = audit(load_rulebook(rules), log)
    assert {finding.where.time for finding in results.findings} == {time}
    for session in results.sessions:
        assert session.begins == (None if time is None else f"{time[:10]}{f' {time[11:19]}' if time[11:] else ''}")
    tale = run("explain", log, "--round", "hand.phh", "--rules", rules).text
    assert explained in tale
    page = unpack_data(run("audit", log, "--rules", rules, "-o", "html").out).decode()
    told_of_it = tale + run("audit", log, "--rules", rules).text + page
    assert "1970" not in re.sub(r"[0-9a-f]{12,}", "", told_of_it)


TIED = """\
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [0.50, 1, 0]
min_bet = 1
starting_stacks = [100, 100, 100]
actions = [
  "d dh p1 Ah7s", "d dh p2 5hAs", "d dh p3 9c6d", "p3 {third}", "p1 cc", "p2 cc", "d db Qs3c8h", "p1 cc", "p2 cc",
  "d db 8d", "p1 cc", "p2 cc", "d db Ac", "p1 cc", "p2 cc", "p1 sm Ah7s", "p2 sm 5hAs"
]
finishing_stacks = {after}
"""


@pytest.mark.parametrize(
    ("after", "wrong"),
    [("[100, 100, 100]", False), ("[99.75, 100.25, 100]", True), ("[100.50, 99.50, 100]", True)],
)
@pytest.mark.parametrize("custom", [False, True])
def test_what_divides_evenly_whatever_the_chips_are_is_shared_equally(
    after: str, wrong: bool, custom: bool, tmp_path: Path
) -> None:
    """A pot of 2.00 contributed in amounts of 0.50 has no odd chip between two."""
    hand = TIED.format(third="f", after=after)
    found, aside = failures({"tied": hand}, tmp_path, profile=CUSTOM if custom else None)
    assert not aside
    assert ("pots-to-the-winners" in get_names(found["tied"])) is wrong


@pytest.mark.parametrize(("after", "wrong"), [("[100.50, 100, 99.50]", False), ("[101, 99.50, 99.50]", True)])
def test_an_odd_chip_is_no_more_than_what_was_put_in_divides_by(after: str, wrong: bool, tmp_path: Path) -> None:
    """A pot of 2.50 in amounts of 0.50: one of two may get 0.50 more than the other."""
    hand = TIED.format(third="cc", after=after).replace("[100, 100, 100]", "[100, 100, 0.50]", 1)
    hand = hand.replace("99.50]", "0]")
    found, aside = failures({"odd": hand}, tmp_path, profile=None)
    assert not aside
    assert ("pots-to-the-winners" in get_names(found["odd"])) is wrong
