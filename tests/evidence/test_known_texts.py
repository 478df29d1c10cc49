"""Texts found among those met before: never another text, whatever their hashes and their neighbours."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.jsonl import line_reader, record_cache, text_lookup
from fairdeal.validator.evidence.jsonl.record_cache import LogVocabulary
from fairdeal.validator.evidence.jsonl.text_lookup import LineText, TextHashTable, UnusualError, extract_lists
from tests.evidence.generate import GAME, generate_among_players, generate_exchanges, rounds
from tests.evidence.plain import plain_batches
from tests.facade.evidence import ABSENT, CodedColumn, decode_lines
from tests.facade.rounds import check_batch, compile_game
from tests.facade.rules import load_regulation
from tests.facade.simulation import load_simulation, simulate
from tests.facade.submissions import build_configuration

# Texts that are alike: with zeros at their end, and differing in one byte only.
LIKE = st.builds(bytes.__add__, st.binary(min_size=1, max_size=3), st.sampled_from([b"", b"\0", b"\0\0", b"}" * 50]))
TEXTS = st.lists(st.one_of(LIKE, st.binary(min_size=1, max_size=63)), min_size=1, max_size=40)


def stretches(texts: list[bytes]) -> tuple[LineText, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    size = np.array([len(text) for text in texts], np.int64)
    return LineText(b"".join(texts)), np.cumsum(size) - size, size


@given(st.lists(TEXTS, min_size=1, max_size=3), TEXTS, st.booleans())
@settings(max_examples=80)
def test_a_text_is_found_as_itself_or_not_at_all(added: list[list[bytes]], others: list[bytes], meeting: bool) -> None:
    table = TextHashTable(64)
    known: dict[bytes, int] = {}
    if meeting:  # all hashes are one
        table._factors[:] = 0
    for texts in added:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        codes = range(len(known), len(known) + len(new))
        table.add(*stretches(new), np.array(codes, np.int64))
        known.update(zip(new, codes, strict=True))
    asked = others + list(known)
    found = table.look_up(*stretches(asked)).tolist()
    assert all(code in (known.get(text, ABSENT), ABSENT) for text, code in zip(asked, found, strict=True))
    there = sum(code != ABSENT for code in found[len(others) :])
    assert there == 1 if meeting else there > 0.8 * len(known)


def test_nearly_every_text_is_found() -> None:
    """The cache is filled step by step to its limit."""
    texts = [b'{"amount":%d}' % number for number in range(record_cache.MOST_KNOWN)]
    table = TextHashTable(64)
    for first in range(0, len(texts), 1000):
        part = texts[first : first + 1000]
        table.add(*stretches(part), np.arange(first, first + len(part)))
    found = table.look_up(*stretches(texts))
    there = found != ABSENT
    assert there.mean() > 0.97
    assert (found[there] == np.flatnonzero(there)).all()


def write_lines(seed: int) -> list[bytes]:
    """Lines of every sort, tight and loose."""
    records = [
        *rounds(5, seed, seats=2),
        *generate_exchanges(5, seed, seats=2),
        *generate_among_players(5, seed, seats=2),
    ]
    for number, record in enumerate(records):
        for seat in record["seats"]:
            seat["bonuses"] = [{"bonus": "b"}] * (number % 2)
        if number % 5 == 0:
            record["annotations"] = {"planted": ["x", "y"]}
    spacings = [(",", ":"), (", ", ": ")]
    return [json.dumps(record, separators=spacing).encode() for spacing in spacings for record in records]


INSERTED = [b"\0", b" ", b",", b"\n", b"[]", b"{}", b'"', b"\\", b"},{", b'"cards":"As",', b'"cards" : "As",', b"null"]
INSERTED += [b'"%s"%s:[],' % (key, gap) for key in (b"events", b"wagers", b"bonuses", b"seats") for gap in (b"", b" ")]
MARKS = [b'"events":', b'"wagers":', b'"bonuses":', b'"seats":', b'"cards":', b"}", b"{", b"]", b"\n"]


def change_lines(lines: list[bytes], rng: random.Random) -> bytes:
    """Return a few lines, with a byte or two inserted or left out at a place that matters."""
    text = b"\n".join(rng.sample(lines, rng.randint(1, 3)))
    mark = rng.choice(MARKS)
    places = [at for at in range(len(text)) if text.startswith(mark, at)] or [0]
    at = rng.choice(places) + rng.randint(0, len(mark) + 1)
    if rng.random() < 0.3:
        return text[:at] + text[at + rng.randint(1, 3) :]
    return text[:at] + rng.choice(INSERTED) + text[at:]


def decode(text: bytes) -> DecodedBlock:
    return decode_lines(text, file="log.jsonl", first_line=1, known_games=[GAME])


@given(st.text('"cards:', max_size=60).map(str.encode), st.sampled_from([b'"cards"', b'"cards":', b'ds"', b"::"]))
@settings(max_examples=80)
def test_everything_is_found_wherever_stretches_end(raw: bytes, word: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lookup, "_STRETCH", 3)
        text = LineText(raw)
        ends = text.find_word_ends(word)
        quotes, colons = text.find_bytes(b'"', b":")
    assert ends.tolist() == [at for at in range(len(word), len(raw) + 1) if raw[at - len(word) : at] == word]
    assert quotes.tolist() == [at for at, byte in enumerate(raw) if byte == ord('"')]
    assert colons.tolist() == [at for at, byte in enumerate(raw) if byte == ord(":")]


@pytest.fixture(params=["roomy", "forgetful", "impatient", "bit by bit", "all hashes one"])
def _remembering(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is held at a time, of texts that are known and of those that are looked through."""
    if request.param == "forgetful":
        monkeypatch.setattr(record_cache, "MOST_KNOWN", 20)
    if request.param == "impatient":
        monkeypatch.setattr(record_cache, "ENOUGH", 10)
    if request.param == "all hashes one":
        monkeypatch.setattr(text_lookup, "_FACTOR", 0)
        monkeypatch.setattr(record_cache, "_here", record_cache._Here())
    if request.param == "bit by bit":
        monkeypatch.setattr(text_lookup, "_STRETCH", 100)
        monkeypatch.setattr(text_lookup, "_AT_A_TIME", 3)
        monkeypatch.setattr(line_reader, "_BYTES_AT_A_TIME", (3000, 1000))


@cache
def strictly_decoded() -> list[tuple[bytes, dict[int, Any], DecodedBlock]]:
    """Neighbouring lines, sound and unsound, with what the strict decoder says they are, plainly and as it says it."""
    rng = random.Random(12)
    lines = write_lines(3)
    texts = [b"\n".join(lines), *(change_lines(lines, rng) for _ in range(250))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_reader, "_add_quickly", lambda *_: False)
        found = list(map(decode, texts))
    return [(text, plain_batches(decoding.batches), decoding) for text, decoding in zip(texts, found, strict=True)]


@pytest.mark.usefixtures("_remembering")
def test_what_is_remembered_changes_nothing() -> None:
    for text, batches, expected in strictly_decoded():
        found = decode(text)
        assert plain_batches(found.batches) == batches, text
        assert found.quarantined == expected.quarantined, text
        assert found.read == expected.read


def test_every_sort_of_line_goes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_reader, "_add_strictly", None)
    assert decode(b"\n".join(write_lines(4))).quarantined == ()


def test_seats_that_are_always_new_are_not_looked_up_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_cache, "ENOUGH", 10)
    words = LogVocabulary()
    looked_up = []
    for number in range(12):
        records = list(rounds(4, seed=number, seats=4))
        for record in records:
            for seat in record["seats"]:
                seat["player"] = f"{record['round']}-{seat['seat']}-{number}"
        found = extract_lists(b"\n".join(json.dumps(record).encode() for record in records))
        looked_up.append(words.seats(found) is not None)
    # Given up for the first time, it is tried again at once; then after 2, 4 and more such runs of lines.
    assert looked_up == [True, False, True, False, True, *[False] * 2, True, *[False] * 4]


def test_a_line_too_long_for_the_short_way_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest line there may be is taken; one byte more is not."""
    (line,) = write_lines(5)[:1]
    monkeypatch.setattr("fairdeal.validator.evidence.jsonl.text_lookup.LONGEST_LINE", len(line))
    for before in (b"", line + b"\n", line[:-1] + b"\n" + line + b"\n"):
        extract_lists(before + line + b"\n" + line)
        with pytest.raises(UnusualError):
            extract_lists(before + line + b" \n" + line)
        with pytest.raises(UnusualError):
            extract_lists(before + line + b"\n" + line + b" ")


class Counted(tuple[str, ...]):
    """Names that count how often one of them is looked for."""

    looked_for = 0

    def index(self, *asked: Any) -> int:
        Counted.looked_for += 1
        return super().index(*asked)


@pytest.mark.parametrize("game", ["co-rule10-3card-shine", "s38"])
def test_words_of_other_logs_are_not_looked_up(game: str) -> None:
    """A batch knows the words of all that was read before it; judging needs only its own."""
    regulation = load_regulation(game)
    prepared, simulation = compile_game(regulation), load_simulation(regulation)
    (played,) = simulate(prepared, simulation, submission=simulation.submission, rounds=10, seed=1)
    batch, events, stakes, looked_for = played[0], played[0].events, played[0].stakes, []
    for others in (0, 1000):

        def add_names(column: CodedColumn, unheard: int = others) -> CodedColumn:
            return replace(column, names=Counted([*column.names, *map(str, range(unheard))]))

        texts = {name: add_names(getattr(events, name)) for name in ("wager", "decision", "what", "deck")}
        changed = replace(
            batch,
            deck=add_names(batch.deck),
            events=replace(events, **texts),
            stakes=replace(stakes, wager=add_names(stakes.wager)),
        )
        Counted.looked_for = 0
        check_batch(prepared, changed, build_configuration(simulation.submission))
        looked_for.append(Counted.looked_for)
    assert 0 < looked_for[1] == looked_for[0]
