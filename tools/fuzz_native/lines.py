"""Lines of logs, and what can be changed in them."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fairdeal.validator.evidence.handlog.event_kinds import WIDEST_HAND
from fairdeal.validator.rules.rule_files import list_documents, rules_folder

ROUNDS = 60
"""Rounds of each game that lines are made of."""
_KEYS = (b"events", b"wagers", b"bonuses", b"seats", b"cards", b"discarded", b"drawn")
_GAPS = (b"", b" ", b"  ", b"\t")
_MARKS = [*(b'"%s":' % key for key in _KEYS), *(bytes([byte]) for byte in b'[]{}",: \n')]
_WIDE = [b'"cards":"%s",' % (b"As" * WIDEST_HAND + more) for more in (b"", b"A", b"As")]
_INSERTED = [
    *_MARKS,
    *_WIDE,
    *(b'"%s"%s:%s[]' % (key, before, after) for key in _KEYS for before in _GAPS for after in _GAPS),
    *(b'"%s":"%s":"As"' % (key, other) for key in _KEYS[4:] for other in _KEYS[4:]),
    *(b'"%s":[{"%s":"As"},{' % (key, other) for key in _KEYS[:4] for other in _KEYS[4:]),
    *(b"[]", b"{}", b"[[", b"]]", b"[{", b"}]", b"},{", b"[ ]", b"]\n", b"[\n"),
    *(b"\0", b"\\", b"\xff", b"\xc3\xa9", b"?", b"??", b"null", b"0", b"-1", b"1e9", b'""', b'"', b"\r\n"),
    *(b" " * blanks for blanks in (7, 40, 64, 130, 260)),
]


def simulate_lines(seed: int, rounds: int = ROUNDS) -> list[bytes]:
    """Simulate lines of every game that can be played, written tight and loosely."""
    root, lines = rules_folder(), []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        for game in list_documents(root):
            if (root / game / "simulation.yaml").exists():
                play = ["simulate", game, "--rounds", str(rounds), "--seed", str(seed), "--output", str(log)]
                subprocess.run(
                    [sys.executable, "-m", "fairdeal.cli.main", *play], check=True, stdout=subprocess.DEVNULL
                )
                lines += log.read_bytes().splitlines()
    return [*lines, *(json.dumps(json.loads(line)).encode() for line in lines[:: len(lines) // ROUNDS])]


def change_lines(lines: Sequence[bytes], chance: random.Random) -> bytes:
    """Return some lines, each with a change that usually leaves it a record. Up to two further changes may break
    anything."""
    some = chance.choices(lines, k=chance.choice((1, 2, 4, 6, 10)))
    text = b"\n".join(chance.choice(_SMALL_CHANGES)(line, chance) for line in some)
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        text = chance.choice(_CHANGES)(text, chance, lines)
    return text


def _change_digit(line: bytes, chance: random.Random) -> bytes:
    places = [match.start() for match in _DIGIT.finditer(line)]
    at = chance.choice(places or [0])
    return line[:at] + b"%d" % chance.choice((*range(10), 12, 345)) + line[at + 1 :]


def _change_letter(line: bytes, chance: random.Random) -> bytes:
    places = [match.start() for match in _LETTER.finditer(line)]
    at = chance.choice(places or [0])
    return line[:at] + bytes([chance.choice(b"abcdehsTJQKA?-: ")]) + line[at + 1 :]


def _change_cards(line: bytes, chance: random.Random) -> bytes:
    hands = list(_HAND.finditer(line))
    if not hands:
        return line
    hand = chance.choice(hands)
    cards = b"".join(chance.choices((b"As", b"Td", b"2c", b"??", b"9h"), k=chance.randint(0, WIDEST_HAND)))
    return line[: hand.start(1)] + cards + line[hand.end(1) :]


def _change_order(line: bytes, chance: random.Random) -> bytes:
    """Put an object of a list in the place of another, or leave it out."""
    cuts = [match.start() + 1 for match in _BETWEEN.finditer(line)]
    if len(cuts) < 3:
        return line
    at = chance.randrange(len(cuts) - 1)
    one, to = line[cuts[at] : cuts[at + 1]], chance.choice(cuts)
    rest = line[: cuts[at]] + line[cuts[at + 1] :]
    return rest if chance.random() < 0.5 else line[:to] + one + line[to:]


_DIGIT, _LETTER, _BETWEEN = re.compile(rb"[0-9]"), re.compile(rb"[A-Za-z]"), re.compile(rb"},")
_HAND = re.compile(rb'"(?:cards|discarded|drawn|community|dealer)": ?"([^"]*)"')
_SMALL_CHANGES = (_change_digit, _change_digit, _change_letter, _change_cards, _change_order)


def _choose_place(text: bytes, chance: random.Random) -> int:
    """Choose a place anywhere, or next to something that matters."""
    at = chance.randint(0, len(text))
    if chance.random() < 0.7:
        mark = chance.choice(_MARKS)
        found = text.find(mark, at)
        at = found + chance.randint(0, len(mark)) if found >= 0 else at
    return at


def _insert(text: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    at = _choose_place(text, chance)
    return text[:at] + chance.choice(_INSERTED) + text[at:]


def _leave_out(text: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    at = _choose_place(text, chance)
    return text[:at] + text[at + chance.choice((1, 1, 1, 2, 3, 8, 64)) :]


def _put_value(text: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    at = _choose_place(text, chance)
    return text[:at] + bytes([chance.choice((chance.randrange(256), *b'[]{}":, 5A'))]) + text[at + 1 :]


def _replace_word(text: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    one, other = chance.choices(_MARKS, k=2)
    return text.replace(one, other, chance.choice((1, 2, -1)))


def _repeat_part(text: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    first, last = sorted((_choose_place(text, chance), _choose_place(text, chance)))
    at = chance.choice((first, last, _choose_place(text, chance)))
    return text[:at] + text[first : min(last, first + 2000)] + text[at:]


def _graft(text: bytes, chance: random.Random, lines: Sequence[bytes]) -> bytes:
    other = chance.choice(lines)
    return text[: _choose_place(text, chance)] + other[_choose_place(other, chance) :]


def _break_off(text: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    return text[: _choose_place(text, chance)]


def _begin_later(text: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    return text[_choose_place(text, chance) :]


_CHANGES = (
    _insert,
    _insert,
    _leave_out,
    _put_value,
    _put_value,
    _replace_word,
    _repeat_part,
    _graft,
    _break_off,
    _begin_later,
)
