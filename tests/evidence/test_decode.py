"""Lines to batches: what is kept is what was written, and what is bad takes nothing good with it."""

from __future__ import annotations

import json
import random
from contextlib import nullcontext
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.jsonl import line_reader
from fairdeal.validator.evidence.jsonl.record_cache import LogVocabulary
from fairdeal.validator.evidence.jsonl.text_lookup import ExtractedLists, UnusualError, extract_lists
from tests.evidence.generate import GAME, generate_among_players, generate_exchanges, lines
from tests.evidence.plain import plain_batches, plain_record
from tests.evidence.strategies import GAMES, line, records
from tests.facade.evidence import decode_lines

Record = dict[str, Any]


def decode(*given_lines: bytes, games: tuple[str, ...] = (*GAMES, GAME)) -> DecodedBlock:
    return decode_lines(b"\n".join(given_lines), file="log.jsonl", first_line=1, known_games=games)


@given(st.lists(records(), max_size=5))
@settings(max_examples=30)
def test_a_batch_says_what_its_records_say(given_records: list[Record]) -> None:
    decoded = decode(*map(line, given_records))
    assert decoded.quarantined == ()
    assert decoded.read == len(given_records)
    assert plain_batches(decoded.batches) == dict(enumerate(map(plain_record, given_records), 1))
    assert [batch.game for batch in decoded.batches] == list(dict.fromkeys(r["game"] for r in given_records))


@given(st.lists(records(), min_size=1, max_size=6))
@settings(max_examples=15)
def test_many_at_once_are_many_one_by_one(given_records: list[Record]) -> None:
    together = plain_batches(decode(*map(line, given_records)).batches)
    alone = [plain_batches(decode(line(record)).batches) for record in given_records]
    assert list(together.values()) == [record for plain in alone for record in plain.values()]


def test_more_lines_than_are_decoded_at_a_time() -> None:
    given_lines = lines(700, seed=5)
    decoded = decode(*given_lines)
    assert decoded.quarantined == ()
    assert plain_batches(decoded.batches) == dict(enumerate(map(plain_record, map(json.loads, given_lines)), 1))


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" , ", " : ")], ids=["tight", "loose", "odd"])
def test_rare_keys_wherever_they_first_stand(separators: tuple[str, str]) -> None:
    """Logs that have them from the start, from the middle of a run of lines, and once only."""
    plain, rare = (
        [json.loads(text) for text in lines(300, seed=4, seats=2)],
        list(generate_exchanges(300, seed=4, seats=2)),
    )
    for mixed in (rare, [*plain[:200], *rare[200:]], [*plain[:7], rare[7], *plain[8:]], [*rare[:3], *plain[3:]]):
        decoded = decode(*(json.dumps(record, separators=separators).encode() for record in mixed))
        assert decoded.quarantined == ()
        assert plain_batches(decoded.batches) == dict(enumerate(map(plain_record, mixed), 1))


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" , ", " : ")], ids=["tight", "loose", "odd"])
def test_chips_and_pots_wherever_they_first_stand(separators: tuple[str, str]) -> None:
    """The same for fields that only play among players records."""
    plain, rare = (
        [json.loads(text) for text in lines(300, seed=4, seats=2)],
        list(generate_among_players(300, seed=4, seats=3)),
    )
    for mixed in (rare, [*plain[:200], *rare[200:]], [*plain[:7], rare[7], *plain[8:]], [*rare[:3], *plain[3:]]):
        decoded = decode(*(json.dumps(record, separators=separators).encode() for record in mixed))
        assert decoded.quarantined == ()
        assert plain_batches(decoded.batches) == dict(enumerate(map(plain_record, mixed), 1))


RARE: list[tuple[str, object]] = [
    ("number", 7),
    ("deck", "red"),
    ("deck", "a:b"),
    ("meters", [{"meter": "m", "shown": 5}]),
    ("meters", []),
    ("dealer-discarded", ""),
    ("dealer-drawn", "As"),
    ("community-discarded", "??"),
    ("button", 99),
    ("after", "q"),
    ("after", "a:b"),
    ("complete", False),
    ("complete", True),
    ("unrecorded", ["deal/burn", "discard"]),
]


@pytest.mark.parametrize(("key", "value"), RARE)
@pytest.mark.parametrize("name", ["r", "naïve", "r:s"])
def test_one_rare_key_alone(key: str, value: object, name: str) -> None:
    record = {**BASE, "round": name, key: value}
    for text in (json.dumps(record), json.dumps(record, ensure_ascii=False)):
        decoded = decode(make_line(), text.encode())
        assert decoded.quarantined == ()
        assert plain_batches(decoded.batches)[2] == plain_record(record)


@pytest.mark.parametrize("key", [key for key, _ in RARE])
def test_rare_keys_may_be_null(key: str) -> None:
    decoded = decode(make_line(**{key: None}))
    assert decoded.quarantined == ()
    assert plain_batches(decoded.batches)[1] == plain_record(BASE)


RARE_OF_A_SEAT: list[tuple[str, object]] = [
    ("stack", 0),
    ("stack-after", 10**12),
    ("won", 5),
    ("playing", False),
    ("playing", True),
]


@pytest.mark.parametrize(("key", "value"), RARE_OF_A_SEAT)
def test_one_rare_key_of_a_seat_alone(key: str, value: object) -> None:
    for said in (value, None):
        record = {**BASE, "seats": [{**BASE["seats"][0], key: said}]}
        decoded = decode(make_line(), json.dumps(record).encode())
        assert decoded.quarantined == ()
        assert plain_batches(decoded.batches)[2] == plain_record(record)


ODD_TEXTS = [
    "},{",
    "}, {",
    "]",
    "}]",
    '"cards":"As',
    "a\\",
    '"',
    ":",
    '","event":"cut"},{"event":"cut',
    "\n",
    "é",
]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" , ", " : ")], ids=["tight", "loose", "odd"])
def test_events_are_the_same_however_they_are_written(separators: tuple[str, str]) -> None:
    """Texts that look like the marks at which events are cut, fields in another order, every way of spacing."""
    written = [json.loads(text) for text in lines(40, seed=9, seats=3)]
    for number, record in enumerate(written):
        said = ODD_TEXTS[number % len(ODD_TEXTS)]
        if number >= 20:
            record["events"].insert(number % 7, {"event": "announce", "what": said})
            record["events"].append({"event": "turn-down", "place": "dealer", "cards": None})
        if number % 3 == 0:
            record["events"] = [dict(reversed(event.items())) for event in record["events"]]
        if number % 4 == 0:
            written[number] = {"events": record.pop("events"), **record}
    texts = [json.dumps(record, separators=separators).encode() for record in written]
    together = decode(*texts)
    assert together.quarantined == ()
    assert plain_batches(together.batches) == dict(enumerate(map(plain_record, written), 1))
    alone = [records_ for text in texts for records_ in plain_batches(decode(text).batches).values()]
    assert list(plain_batches(together.batches).values()) == alone


def test_mutated_lines_never_take_a_neighbour_along() -> None:
    rng = random.Random(7)
    pristine = lines(12, seed=3, seats=2)
    expected = {number: plain_record(json.loads(text)) for number, text in enumerate(pristine, 1)}
    for _ in range(250):
        mutated = list(pristine)
        touched = set(rng.sample(range(len(pristine)), rng.randint(1, 3)))
        for index in touched:
            text = bytearray(mutated[index])
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(text))
                how = rng.randrange(3)
                if how == 0:
                    text[at] = rng.choice([byte for byte in range(256) if byte != 10])
                elif how == 1:
                    del text[at : at + rng.randint(1, 20)]
                else:
                    text[at:at] = rng.choice([b"{", b"]", b"9" * 400, b'"', b"\xff", b'"seat":1,', b"null", b"-"])
            mutated[index] = bytes(text)
        blank = sum(not text.strip() for text in mutated)
        decoded = decode(*mutated)
        found = plain_batches(decoded.batches)
        bad = [entry.line for entry in decoded.quarantined]
        assert decoded.read == len(mutated) - blank == len(found) + len(bad)
        assert bad == sorted(set(bad))
        assert not set(bad) & set(found)
        for number in set(expected) - {index + 1 for index in touched}:
            assert found[number] == expected[number]


def _refuse(_: bytes) -> ExtractedLists:
    raise UnusualError


BESIDE = (b"", b"%b}", b"]%b")


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["tight", "loose"])
def test_the_short_way_takes_what_the_long_way_takes(
    separators: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte of a line is left out or added: the strict decoder alone decides what the line means."""
    pristine = json.dumps(json.loads(lines(1, seed=11, seats=1)[0]), separators=separators).encode()
    changed = [
        pristine[:at] + BESIDE[at % 3].replace(b"%b", pristine[at : at + 1]) + pristine[at + 1 :]
        for at in range(0, len(pristine), 2)
    ]
    short = [decode(text) for text in changed]
    monkeypatch.setattr(line_reader, "extract_lists", _refuse)  # which leaves line by line
    long = decode(*changed)
    records, refused = plain_batches(long.batches), {entry.line: entry for entry in long.quarantined}
    assert [*sorted({*records, *refused})] == [*range(1, len(changed) + 1)]
    for number, (text, decoded_line) in enumerate(zip(changed, short, strict=True), 1):
        assert list(plain_batches(decoded_line.batches).values()) == ([records[number]] if number in records else []), (
            text
        )
        assert decoded_line.quarantined == ((replace(refused[number], line=1),) if number in refused else ()), text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b'{"event":"shuffle"', b',"by":"dealer"}'),
        (b'{"event":"shuffle"},', b'{"event":"cut"}'),
        (b'{"event":"deal","place":"player","seat":2,"cards":"As', b'","face":"up"}'),
        (b"", b'{"event":"shuffle"}]}'),
    ],
)
def test_lists_of_neighbours_do_not_make_up_for_each_other(first: bytes, second: bytes) -> None:
    """Lists of many lines are looked up together: what one lacks must not be found in the next."""
    good = events({"event": "shuffle"}).replace(b'"events": [', b'"events":[')
    whole = b'{"event":"shuffle"}'.join
    pieces = good.split(b'{"event": "shuffle"}')
    given_lines = [whole(pieces), first.join(pieces), second.join(pieces), whole(pieces)]
    decoded = decode(*given_lines)
    for number, text in enumerate(given_lines, 1):
        try:
            json.loads(text)
        except ValueError:
            assert number in [entry.line for entry in decoded.quarantined]
    assert {1, 4} <= set(plain_batches(decoded.batches))


def test_long_texts_are_read_and_not_remembered() -> None:
    written = events({"event": "shuffle", "by": "dealer"})
    blank = written.replace(b'"by"', b" " * 5000 + b'"by"')
    assert plain_batches(decode(blank).batches) == plain_batches(decode(written).batches) != {}
    known = LogVocabulary()
    for text, taken in ((written, True), (blank, False), (written, True)):
        with nullcontext() if taken else pytest.raises(UnusualError):
            known.events(extract_lists(text))


BASE: Record = {
    "round": "r",
    "table": "t",
    "time": "2026-03-01T12:00:00Z",
    "game": GAME,
    "seats": [{"seat": 2, "cards": "AsKd", "wagers": [{"wager": "main", "amount": 5}]}],
}


def make_line(**changes: object) -> bytes:
    return json.dumps({**BASE, **changes}).encode()


def seat(**changes: object) -> bytes:
    return make_line(seats=[{**BASE["seats"][0], **changes}])


def events(*given_events: Record) -> bytes:
    return make_line(events=list(given_events), unrecorded=["wager", "deal"])


DEEP = b"[" * 100_000

REASONS = [
    (line(BASE)[:-20], len(line(BASE)) - 19, "the line ends in the middle of a record"),
    (b'{"round":"\\ud800"}', 19, "text holds half of a surrogate pair"),
    (make_line().replace(b'"r"', b'"\xff"'), None, "the line is not UTF-8 text"),
    (make_line().replace(b'"r"', b'"\xff'), None, "the line is not UTF-8 text"),
    (make_line().decode().encode("utf-16-be"), None, "the line is not UTF-8 text; it looks like UTF-16"),
    (b"\xef\xbb\xbf" + make_line(), 1, "the line starts with a byte order mark, which JSON does not allow"),
    (b"hello", 1, "the line is not JSON: this character is not allowed here"),
    ('{"round": "♠♠", }'.encode(), 17, "the line is not JSON: there is a comma before the closing brace"),
    (b"{'round': 1}", 2, "the line is not JSON: a key is not in double quotes"),
    (
        make_line() + b" {}",
        len(make_line()) + 2,
        "the line is not JSON: there is more text after the end of the record",
    ),
    (b"{", 1, "the line ends in the middle of a record; write each record on one line, from brace to brace"),
    (b"[]", None, "expected a mapping, found a list; write each record on one line"),
    (b"5", None, "expected a mapping, found a whole number; write each record on one line"),
    (make_line(round={}), None, "at `$.round`: expected text, found a mapping"),
    (make_line(rond=1), None, "unknown key `rond`; did you mean `round`?"),
    (make_line(zzzzzz=1), None, "unknown key `zzzzzz`"),
    (line({k: v for k, v in BASE.items() if k != "time"}), None, "the key `time` is missing"),
    (make_line(round=""), None, "at `$.round`: must not be empty"),
    (make_line(round="x" * 201), None, "at `$.round`: must not be longer than 200 characters"),
    (make_line(time="2026-03-01"), None, "at `$.time`: expected a date and time such as 2026-03-01T12:00:00Z"),
    (make_line(time="2026-03-01T12:00:00"), None, "at `$.time`: expected a date and time such as 2026-03-01T12:00:00Z"),
    (
        make_line(time="2026-03-01T24:00:00Z"),
        None,
        "at `$.time`: expected a date and time such as 2026-03-01T12:00:00Z",
    ),
    (make_line(time="2026-02-29T12:00:00Z"), None, "at `$.time`: there is no such day as 2026-02-29"),
    (make_line(time="0000-01-01T12:00:00Z"), None, "at `$.time`: there is no such day as 0000-01-01"),
    (make_line(dealer="AsK"), None, "at `$.dealer`: card 2 ('K', at character 3) is cut short"),
    (make_line(community="10"), None, "at `$.community`: card 1 ('10', at character 1) is not a card"),
    (make_line(community="A" * 26), None, "at `$.community`: must not be longer than 24 characters"),
    (make_line(seats=None), None, "at `$.seats`: expected a list, found null"),
    (
        make_line(seats=[{"seat": n, "wagers": []} for n in range(1, 34)]),
        None,
        "at `$.seats`: must not have more than 32",
    ),
    (seat(seat="2"), None, "at `$.seats[0].seat`: expected a whole number, found text"),
    (seat(seat=0), None, "at `$.seats[0].seat`: must be at least 1"),
    (seat(seat=100), None, "at `$.seats[0].seat`: must be at most 99"),
    (seat(cards="As Kd"), None, "at `$.seats[0].cards`: card 2 (' K', at character 3) is not a card"),
    (seat(cards="♠♠"), None, "at `$.seats[0].cards`: card 1 ('♠♠', at character 1) is not a card"),
    (seat(wagers=[{"wager": "x"}]), None, "at `$.seats[0].wagers[0]`: the key `amount` is missing"),
    (
        seat(wagers=[{"wager": "x", "amount": 1.5}]),
        None,
        "at `$.seats[0].wagers[0].amount`: expected a whole number, found a number with a fraction; amounts are in",
    ),
    (seat(wagers=[{"wager": "x", "amount": -1}]), None, "at `$.seats[0].wagers[0].amount`: must be at least 0"),
    (
        seat(wagers=[{"wager": "x", "amount": 10**400}]),
        None,
        "at `$.seats[0].wagers[0].amount`: must be at most 1000000000000",
    ),
    (seat(wagers=[{"wager": "x", "amount": 1}] * 65), None, "at `$.seats[0].wagers`: must not have more than 64"),
    (seat(wagers=[{"wager": "x", "amount": 1}] * 2), None, "seat 2 lists `x` twice"),
    (seat(bonuses=[{"bonus": "x"}] * 2), None, "seat 2 lists `x` twice"),
    (
        seat(wagers=[{"wager": f"{n}", "amount": 1} for n in range(64)], bonuses=[{"bonus": "x"}]),
        None,
        "seat 2 has more than 64 wagers and bonuses",
    ),
    (make_line(seats=[BASE["seats"][0]] * 2), None, "seat 2 is listed twice"),
    (make_line(number=0), None, "at `$.number`: must be at least 1"),
    (make_line(number=10**9 + 1), None, "at `$.number`: must be at most 1000000000"),
    (make_line(number=1).replace(b": 1}", b": 1e999}"), None, "at `$.number`: the number is too large"),
    (
        make_line(number=1).replace(b": 1}", b": %b}" % (b"9" * 5000)),
        None,
        "at `$.number`: the number is too large",
    ),
    (make_line(number="1"), None, "at `$.number`: expected a whole number or null, found text"),
    (make_line(deck=""), None, "at `$.deck`: must not be empty"),
    (make_line(button=0), None, "at `$.button`: must be at least 1"),
    (make_line(button=100), None, "at `$.button`: must be at most 99"),
    (make_line(after=""), None, "at `$.after`: must not be empty"),
    (make_line(complete=0), None, "at `$.complete`: expected true or false or null, found a whole number"),
    (seat(stack=-1), None, "at `$.seats[0].stack`: must be at least 0"),
    (seat(stack_after=1), None, "at `$.seats[0]`: unknown key `stack_after`; did you mean `stack-after`?"),
    (seat(won=10**12 + 1), None, "at `$.seats[0].won`: must be at most 1000000000000"),
    (seat(playing="no"), None, "at `$.seats[0].playing`: expected true or false or null, found text"),
    (
        make_line(button=5).replace(b'"button": 5', b'"button": 5, "button": 5'),
        None,
        "the key `button` occurs twice in one object",
    ),
    (
        seat(won=5).replace(b'"won": 5', b'"won": 5, "won": 5'),
        None,
        "the key `won` occurs twice in one object",
    ),
    (
        events({"event": "decide", "seat": 2, "decision": "x", "amount": 1}).replace(
            b'"amount": 1', b'"amount": 1, "amount": 1'
        ),
        None,
        "the key `amount` occurs twice in one object",
    ),
    (events({"event": "award", "seat": 2, "amount": 1}), None, "at `$.events[0]`: the key `pot` is missing"),
    (events({"event": "rake", "amount": 1, "pot": 100}), None, "at `$.events[0].pot`: must be at most 99"),
    (
        events({"event": "tender", "seat": 2, "amount": 1, "chips": 0}),
        None,
        "at `$.events[0].chips`: must be at least 1",
    ),
    (
        events({"event": "drop", "amount": 1, "seat": 2}),
        None,
        "at `$.events[0]`: unknown key `seat` of the event `drop`; its keys are amount",
    ),
    (
        events({"event": "shuffle", "deckk": "blue"}),
        None,
        "at `$.events[0]`: unknown key `deckk` of the event `shuffle`; did you mean `deck`?",
    ),
    (
        seat(stack=7).replace(b'"stack": 7', b'"stack": ' + b"9" * 5000),
        None,
        "at `$.seats[0].stack`: the number is too large",
    ),
    (events({"event": "chips-in", "seat": 3, "amount": 1}), None, "event 1 names seat 3, which is not listed"),
    (
        events({"event": "fault", "what": "x", "place": "player"}),
        None,
        "event 1 (fault) has the place `player` but names no seat",
    ),
    (
        events({"event": "remedy", "what": "x", "place": "deck", "seat": 2}),
        None,
        "event 1 (remedy) names a seat, but its place is not `player`",
    ),
    (events({"event": "fault", "what": "x", "cards": "Xx"}), None, "at `$.events[0].cards`: card 1 ('Xx'"),
    (
        events({"event": "deal", "place": "dealer", "cards": "As", "by": "player"}),
        None,
        "at `$.events[0].by`: unknown value `player`; `by` of the event `deal` takes dealer, machine",
    ),
    (make_line(unrecorded=["deal/deck"]), None, "at `$.unrecorded[0]`: unknown value `deal/deck`; did you mean `deal/"),
    (make_line(unrecorded=["fault/player"]), None, "at `$.unrecorded[0]`: unknown value `fault/player`"),
    (make_line(dealer_drawn="As"), None, "unknown key `dealer_drawn`; did you mean `dealer-drawn`?"),
    (
        make_line(**{"dealer-discarded": "Xx"}),
        None,
        "at `$.dealer-discarded`: card 1 ('Xx', at character 1) is not a card",
    ),
    (make_line(**{"community-drawn": "As"}), None, "unknown key `community-drawn`"),
    (seat(discarded="AsK"), None, "at `$.seats[0].discarded`: card 2 ('K', at character 3) is cut short"),
    (seat(drawn="As" * 13), None, "at `$.seats[0].drawn`: must not be longer than 24 characters"),
    (seat(discarded="2c", drawn=""), None, "the record contradicts itself: the discards of seat 2 are 2c"),
    (
        seat(wagers=[{"wager": "main", "amount": 5, "claimed": 1}]),
        None,
        "at `$.seats[0].wagers[0].claimed`: expected true or false or null, found a whole number",
    ),
    (make_line(meters=[{"shown": 5}]), None, "at `$.meters[0]`: the key `meter` is missing"),
    (make_line(meters=[{"meter": "m", "shown": -5}]), None, "at `$.meters[0].shown`: must be at least 0"),
    (make_line(meters=[{"meter": "m"}, {"meter": "n"}, {"meter": "m"}]), None, "the meter `m` is listed twice"),
    (
        make_line(meters=[{"meter": str(n)} for n in range(33)]),
        None,
        "at `$.meters`: must not have more than 32 entries",
    ),
    (
        make_line(number=5).replace(b'"number": 5', b'"number": 5, "number": 5'),
        None,
        "the key `number` occurs twice in one object",
    ),
    (
        seat(drawn="").replace(b'"drawn": ""', b'"drawn": "", "drawn": ""'),
        None,
        "the key `drawn` occurs twice in one object",
    ),
    (
        events({"event": "discard", "place": "dealer", "positions": "21"}),
        None,
        "at `$.events[0].positions`: expected rising digits from 1 to 9, such as 125",
    ),
    (events({"event": "draw", "place": "deck", "cards": ""}), None, "at `$.events[0].place`: unknown value `deck`"),
    (events({"event": "deck", "what": "x", "seat": 2}), None, "at `$.events[0]`: unknown key `seat`"),
    (
        events({"event": "wager", "seat": 2, "wager": "x", "amount": 1, "in": "gold"}),
        None,
        "at `$.events[0].in`: unknown value `gold`",
    ),
    (events({"event": "cut", "amount": 1}), None, "at `$.events[0]`: unknown key `amount`"),
    (events({"event": "leave", "seat": 3}), None, "event 1 names seat 3, which is not listed"),
    (
        make_line(
            seats=[],
            events=[{"event": "deal", "place": "player", "seat": 3, "cards": "2s"}],
            unrecorded=["wager", "remedy"],
        ),
        None,
        "event 1 names seat 3, which is not listed",
    ),
    (
        events({"event": "discard", "place": "deck", "seat": 2}),
        None,
        "event 1 (discard) names a seat, but its place is not `player`",
    ),
    (make_line(game="unheard-of"), None, "no rules are known for the game `unheard-of`"),
    (make_line(game="Some Games"), None, "no rules are known for the game `Some Games`; did you mean `some-game`?"),
    (make_line(unrecorded=["shuffel"]), None, "at `$.unrecorded[0]`: unknown value `shuffel`; did you mean `shuffle`?"),
    (events({"event": "dael"}), None, "at `$.events[0].event`: unknown value `dael`; did you mean `deal`?"),
    (events({"seat": 2}), None, "at `$.events[0]`: the key `event` is missing"),
    (events({"event": "tuck", "seat": 2}), None, "at `$.events[0]`: the key `wager` is missing"),
    (events({"event": "cut", "seat": 2}), None, "at `$.events[0]`: unknown key `seat`"),
    (events({"event": "shuffle", "by": "player"}), None, "at `$.events[0].by`: unknown value `player`"),
    (events({"event": "count", "what": "x", "amount": 1}), None, "at `$.events[0]`: unknown key `amount`"),
    (
        events({"event": "cut"}, {"event": "tuck", "seat": 3, "wager": "x"}),
        None,
        "event 2 names seat 3, which is not listed",
    ),
    (
        events({"event": "reveal", "place": "player", "cards": "As"}),
        None,
        "event 1 (reveal) has the place `player` but names no seat",
    ),
    (
        events({"event": "reveal", "place": "dealer", "seat": 2, "cards": "As"}),
        None,
        "event 1 (reveal) names a seat, but its place is not `player`",
    ),
    (events({"event": "misdeal", "place": "burn"}), None, "at `$.events[0].place`: unknown value `burn`"),
    (
        events({"event": "cut"}, {"event": "reveal", "place": "dealer", "cards": "AsXx"}),
        None,
        "at `$.events[1].cards`: card 2 ('Xx', at character 3) is not a card",
    ),
    (make_line(events=[{"event": "cut"}] * 2001), None, "at `$.events`: must not have more than 2000 entries"),
    (b'{"events":[{"what":' + DEEP + b',"event":"announce"}]}', None, "the line is nested too deeply"),
    (b'{"round":' + DEEP + b"}", None, "at `$.round`: expected text, found a list"),
    (make_line(round="x").replace(b'"x"', b'"x"' + b" " * (1 << 20)), None, "the line is longer than 1 MiB"),
    (make_line().replace(b'"r",', b'"r", "round": "s",'), None, "the key `round` occurs twice in one object"),
    (seat().replace(b'"amount"', b'"amount": 4, "amount"'), None, "the key `amount` occurs twice in one object"),
    (
        events({"event": "cut"}).replace(b'"event": "cut"', b'"event": "cut", "event": "cut"'),
        None,
        "the key `event` occurs twice in one object",
    ),
    (
        make_line().replace(b'"round": "r"', b'"round" : "a:b", "tabl\\u0065" : "x"'),
        None,
        "the key `table` occurs twice in one object",
    ),
    (
        make_line().replace(b'"r",', b'"r", "round": "s\\u003a",'),
        None,
        "the key `round` occurs twice in one object",
    ),
    (
        events({"event": "cut"}).replace(b'"cut"', b'"announce", "what": "a", "what": "b\\u003a"'),
        None,
        "the key `what` occurs twice in one object",
    ),
    (
        events({"event": "cut"}).replace(b'"events":', b'"events": [], "events":'),
        None,
        "the key `events` occurs twice",
    ),
]


@pytest.mark.parametrize("before", [make_line(), events({"event": "cut"})], ids=["summary", "events"])
@pytest.mark.parametrize(("bad", "column", "reason"), REASONS, ids=[reason for _, _, reason in REASONS])
def test_every_reason(bad: bytes, column: int | None, reason: str, before: bytes) -> None:
    decoded = decode(before, bad, make_line(round="after"))
    (entry,) = decoded.quarantined
    assert (entry.file, entry.line, entry.column) == ("log.jsonl", 2, column)
    assert entry.reason.startswith(reason)
    assert sorted(plain_batches(decoded.batches)) == [1, 3]
    assert decoded.read == 3


def test_the_first_bad_thing_found_is_the_one_told() -> None:
    decoded = decode(seat(cards="Xx", wagers=[{"wager": "x", "amount": 1}] * 2))
    assert [entry.reason[:20] for entry in decoded.quarantined] == ["at `$.seats[0].cards"]


def test_hostile_text_in_a_reason_is_short() -> None:
    decoded = decode(make_line(**{"x" * 10_000: 1}))
    (entry,) = decoded.quarantined
    assert len(entry.reason) < 200


@pytest.mark.parametrize("blank", [b"", b"  \t", b"\r"])
def test_blank_lines_are_skipped_but_numbered(blank: bytes) -> None:
    decoded = decode(blank, make_line(), blank, blank, make_line(round="s"), b"")
    assert sorted(plain_batches(decoded.batches)) == [2, 5]
    assert decoded.read == 2


def test_blank_lines_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder = Mock(wraps=line_reader._DECODER)
    monkeypatch.setattr(line_reader, "_DECODER", decoder)
    assert decode(*[b"", b" \r"] * 1000, make_line()).read == 1
    assert decoder.decode.call_count < 10  # the fast decoder tries each part until its first odd line


def test_no_lines_at_all() -> None:
    assert decode(b"") == DecodedBlock(batches=(), quarantined=(), read=0)


def test_windows_line_ends() -> None:
    decoded = decode(make_line() + b"\r", make_line() + b"\r")
    assert decoded.read == 2
    assert decoded.quarantined == ()


@pytest.mark.parametrize("text", [b'"a:b"', b'":"', b'"\\":"', b'"x\\u003ay"', b'" :"'])
def test_colons_in_text_are_no_keys(text: bytes) -> None:
    decoded = decode(make_line().replace(b'"r"', text), make_line())
    assert decoded.quarantined == ()
    (batch,) = decoded.batches
    assert batch.round[0] == json.loads(text)


def test_a_colon_in_every_text_costs_no_round() -> None:
    record = {
        **BASE,
        "round": "a:b",
        "table": ":",
        "casino": "c:",
        "annotations": {"planted": ["x:y"]},
        "seats": [{**BASE["seats"][0], "player": ":p", "decision": "d:", "bonuses": [{"bonus": "b::"}]}],
    }
    told = [{"event": "announce", "what": ":"}, {"event": "decide", "seat": 2, "decision": "d:"}]
    decoded = decode(line({**record, "events": told, "unrecorded": ["wager", "deal"]}))
    assert decoded.quarantined == ()
