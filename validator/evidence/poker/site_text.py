"""Text histories of poker sites: PokerStars, GGPoker, and sites that write in their form.

A line that is not understood makes its hand unreadable: it may be an act. Lines about chat and connections are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import BinaryIO, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fairdeal.validator.evidence.io.tables import LONGEST_RECORD, RECORD_TOO_LONG, RecordPart, read_pieces
from fairdeal.validator.evidence.poker.hand_recorder import UnreadableHandError, convert_to_minor
from fairdeal.validator.evidence.poker.stated_hand import ActKind, HandAct, HandPlayer, StatedHand
from fairdeal.validator.text.diagnostics import quote, shorten
from fairdeal.validator.text.plain_values import count_decimals

_HEAD = re.compile(
    r"(?:(?P<stars>PokerStars)(?: (?P<kind>Zoom|Home Game))?|Poker) (?:Hand|Game) "
    r"#(?P<number>[A-Z]{0,4}[0-9]{1,30}): *(?P<rest>.*)"
)
_BEGINS_HAND = re.compile(rb"(?:PokerStars(?: Zoom| Home Game)?|Poker) (?:Hand|Game) #[A-Z]{0,4}[0-9]{1,30}:")
"""First line of a hand."""
_GAME = re.compile(
    r"(?:\{[^}]{1,80}\} *)?(?:[\w -]{1,40} \()?(?P<game>Hold'em|Omaha Hi/Lo|Omaha|6\+ Hold'em)"
    r" (?P<limit>No Limit|Pot Limit|Limit)\b|(?P<plo>PLO) "
)
_NUMBER = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3}){1,4}|[0-9]{1,15})(?:\.[0-9]{1,4})?"
_LONGEST_LINE = 2_000
"""Most characters of a line."""
_MONEY = rf"(?:[$€£¥₹] ?)?{_NUMBER}(?: ?[€£])?"
_STAKES = re.compile(
    rf"(?P<sign>[$€£¥₹]?)(?P<small>{_NUMBER})/[$€£¥₹]?(?P<big>{_NUMBER})"
    r"(?:\([^()]*\))?(?: (?P<code>[A-Z]{3}))?(?=[ )])"
)
_TIME = re.compile(
    r"(?P<time>[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{1,2}:[0-9]{2}:[0-9]{2})(?: (?P<zone>[A-Z]{2,5}))?(?=$|\]| \[)"
)
_TABLE = re.compile(
    r"Table '(?P<table>.{1,300}?)'(?: [0-9]{1,2}-max)?(?: \(Play Money\))? Seat #(?P<button>[0-9]{1,3}) is the button"
)
_SEAT = re.compile(
    rf"Seat (?P<seat>[0-9]{{1,3}}): (?P<name>.{{1,300}}) \((?P<stack>{_MONEY}) in chips\)(?: is sitting out)?"
)
_RUN = "(?:(?:FIRST|SECOND|THIRD|FOURTH) )?"
_STREET = re.compile(rf"\*\*\* {_RUN}(?:FLOP|TURN|RIVER) \*\*\*(?: \[[^\][]*\])? \[(?P<cards>[^\][]*)\]")
_HEADING = re.compile(rf"\*\*\* (?:HOLE CARDS|{_RUN}SHOW ?DOWN) \*\*\*")
_DEALT = re.compile(r"Dealt to (?P<name>.{1,300}?)(?: \[(?P<cards>[^\][]*)\])?")
_RETURNED = re.compile(rf"Uncalled bet \((?P<amount>{_MONEY})\) returned to (?P<name>.{{1,300}})")
_COLLECTED = re.compile(
    rf"(?P<name>.{{1,300}}?):? collected (?P<amount>{_MONEY}) from (?:the )?(?:main |side )?pot(?:-[0-9]{{1,2}})?"
)
_TOTAL = re.compile(rf"Total pot {_MONEY}.{{0,300}}?\| Rake (?P<rake>{_MONEY})(?P<others>.{{0,200}})")
_OTHERS = re.compile(rf"\| [A-Za-z ]{{1,30}} (?P<amount>{_MONEY}) *")
_SHOWN_AT_END = re.compile(r"(?: \((?:button|small blind|big blind)\)){0,2} (?:showed|mucked) \[(?P<cards>[^\][]*)\].*")
_ALL_IN = r"(?: and is (?:all-in|capped))?"
_CASHED_OUT = re.compile(r"(?:cashed out the hand for |: (?:Pays|Receives|Chooses) )")
_REMARKS = re.compile(
    r".{1,300}?(?: said, \".*\"| has timed out.*| is (?:dis)?connected.*| (?:has )?returned| sits out"
    r"| (?:leaves|joins) the table(?: at seat #[0-9]{1,2})?| was removed from the table.*| is sitting out"
    r"|:? is sitting out|:? sits out|: doesn't show hand| will be allowed to play after the button"
    r"| has \d{1,4} seconds left to act| activates time bank.*|: adds .*)"
)
_ENDS = ("Betting is capped",)

_ACTS: Final[tuple[tuple[re.Pattern[str], ActKind], ...]] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"folds(?: \[[^\][]*\])?", ActKind.FOLD),
        (r"checks", ActKind.CHECK),
        (rf"calls (?P<amount>{_MONEY}){_ALL_IN}", ActKind.CALL),
        (rf"bets (?P<amount>{_MONEY}){_ALL_IN}", ActKind.RAISE),
        (rf"raises {_MONEY} to (?P<amount>{_MONEY}){_ALL_IN}", ActKind.RAISE_TO),
        (rf"posts the ante (?P<amount>{_MONEY}){_ALL_IN}", ActKind.ANTE),
        (rf"posts small blind (?P<amount>{_MONEY}){_ALL_IN}", ActKind.SMALL_BLIND),
        (rf"posts big blind (?P<amount>{_MONEY}){_ALL_IN}", ActKind.BIG_BLIND),
        (rf"posts straddle (?P<amount>{_MONEY}){_ALL_IN}", ActKind.STRADDLE),
        (rf"straddle (?P<amount>{_MONEY}){_ALL_IN}", ActKind.STRADDLE_TO),
        (r"shows \[(?P<cards>[^\][]*)\](?: \(.*\))?", ActKind.SHOW),
        (r"mucks hand", ActKind.MUCK),
    )
)
"""Forms of acts, after the name of the player and a colon."""
_BOTH_BLINDS = re.compile(rf"posts small & big blinds (?P<amount>{_MONEY})")

_GAMES = {"Hold'em": "T", "Omaha": "O", "Omaha Hi/Lo": "O/8", "6+ Hold'em": "S"}
_LIMITS = {"No Limit": "N", "Pot Limit": "P", "Limit": "F"}
_SIGNS = {"€": "EUR", "£": "GBP"}
_ZONES = {"ET": "America/New_York", "GMT": "UTC"}
_CARDS = re.compile(r"(?:[2-9TJQKA][cdhs])*")


def split_texts(stream: BinaryIO) -> Iterator[RecordPart]:
    """Yield the hands of a file, and text that belongs to none. Memory holds one hand that is not too long."""
    parts: list[bytes] = []
    start, size, is_in_hand, is_stray = 1, 0, False, False
    for piece in read_pieces(stream):
        if piece.starts_line and _BEGINS_HAND.match(piece.text):
            if is_in_hand:
                yield RecordPart(start, b"".join(parts))
            parts, start, size, is_in_hand, is_stray = [], piece.line, 0, True, False
        if is_in_hand:
            parts.append(piece.text)
            size += len(piece.text)
            if size > LONGEST_RECORD:
                yield RecordPart(start, b"", RECORD_TOO_LONG)
                is_in_hand, is_stray = False, True
        elif piece.text.strip() and not is_stray:
            yield RecordPart(piece.line, b"", "this is not the first line of a hand of PokerStars or GGPoker")
            is_stray = True
    if is_in_hand:
        yield RecordPart(start, b"".join(parts))


def read_text(text: bytes, zone: tzinfo | None) -> StatedHand:
    """Return what the text of a hand states.

    Args:
        text: the lines of the hand.
        zone: time zone of times that state none.

    Raises:
        UnreadableHandError: If a line is not understood; its place is the number of the line from 0.
    """
    try:
        lines = text.decode().splitlines()
    except UnicodeDecodeError as error:
        raise UnreadableHandError("this is not UTF-8 text", at=str(text.count(b"\n", 0, error.start))) from error
    reader = _TextReader([line.strip(" \t﻿") for line in lines], zone)
    try:
        return reader.read()
    except UnreadableHandError as error:
        raise UnreadableHandError(error.reason, at=error.at or str(reader.line)) from error


class _TextReader:
    """Reader of the lines of one hand."""

    def __init__(self, lines: list[str], zone: tzinfo | None) -> None:
        self._lines = lines
        self._zone = zone
        self.line = 0
        """Line that is being read, from 0."""
        self._decimals = 2
        self._players: list[HandPlayer] = []
        self._by_name: dict[str, int] = {}
        self._acts: list[HandAct] = []
        self._is_won_known = True
        self._rake: int | None = None
        self._big_blind = 0

    def read(self) -> StatedHand:
        """Return what the hand states. Raises UnreadableHandError."""
        head = _HEAD.fullmatch(self._lines[0])
        if head is None:
            raise UnreadableHandError("the first line of the hand is not understood")
        hand = self._read_head(head)
        read: Callable[[str], None] = self._read_body
        is_seated = False
        for number, line in enumerate(self._lines[1:], 1):
            self.line = number
            if not line:
                continue
            if len(line) > _LONGEST_LINE:
                raise UnreadableHandError(f"the line is longer than {_LONGEST_LINE} characters")
            if line == "*** SUMMARY ***":
                read = self._read_summary
            elif line == "Hand cancelled":
                raise UnreadableHandError("the hand was cancelled")
            elif not is_seated and self._read_table(line, hand):
                continue
            else:
                is_seated = True
                read(line)
        self.line = 0
        if not hand.button:
            raise UnreadableHandError("no line states the table and the button")
        hand.is_won_known, hand.rake = self._is_won_known, self._rake if self._is_won_known else None
        return hand

    def _read_head(self, head: re.Match[str]) -> StatedHand:
        rest = head["rest"]
        if "Tournament #" in rest:
            raise UnreadableHandError("hands of tournaments are not read: their chips are not money")
        game, stakes = _GAME.match(rest), _STAKES.search(rest)
        if game is None or stakes is None:
            raise UnreadableHandError(
                f"the game {quote(shorten(rest))} is not read; expected Hold'em or Omaha with stakes"
            )
        currency = stakes["code"] or _SIGNS.get(stakes["sign"])
        self._decimals = count_decimals(currency)
        limit = "P" if game["plo"] else _LIMITS[game["limit"]]
        small, big = self._convert(stakes["small"]), self._convert(stakes["big"])
        self._big_blind = small if limit == "F" else big  # a fixed limit is named by its bets
        site = "PokerStars" if head["stars"] else "GGPoker"
        return StatedHand(
            round=head["number"],
            table="" if head["kind"] != "Zoom" and not head["number"].startswith("RC") else None,
            time=self._read_time(rest),
            site=site,
            variant=limit + ("O" if game["plo"] else _GAMES[game["game"]]),
            currency=currency,
            button=0,
            players=self._players,
            acts=self._acts,
            small_bet=small if limit == "F" else None,
            big_bet=big if limit == "F" else None,
        )

    def _read_time(self, rest: str) -> str:
        times = [*_TIME.finditer(rest)]
        if not times:
            raise UnreadableHandError("the first line states no time")
        stated = next((time for time in times if time["zone"] == "ET"), times[0])
        try:
            time = datetime.strptime(stated["time"], "%Y/%m/%d %H:%M:%S")
        except ValueError:
            raise UnreadableHandError(f"there is no time {stated['time']}") from None
        zone = _find_zone(stated["zone"]) or self._zone
        if zone is None:
            named = f"the time zone {stated['zone']} is not known" if stated["zone"] else "the hand states no time zone"
            raise UnreadableHandError(f"{named}: name it, such as `--timezone America/Denver`")
        return time.replace(tzinfo=zone).isoformat().replace("+00:00", "Z")

    def _read_table(self, line: str, hand: StatedHand) -> bool:
        """Read a line about the table or a seat; return False if it is neither."""
        table, seat = _TABLE.fullmatch(line), _SEAT.fullmatch(line)
        if table is not None:
            hand.button = int(table["button"])
            hand.table = None if hand.table is None or table["table"].startswith("RushAndCash") else table["table"]
        elif seat is not None:
            self._by_name[seat["name"]] = len(self._players)
            self._players.append(
                HandPlayer(seat=int(seat["seat"]), name=seat["name"], stack=self._convert(seat["stack"]))
            )
        return table is not None or seat is not None

    def _convert(self, text: str) -> int:
        return convert_to_minor(Decimal(re.sub(r"[^0-9.]", "", text)), self._decimals)

    def _find_player(self, name: str) -> int:
        try:
            return self._by_name[name]
        except KeyError:
            raise UnreadableHandError(f"{quote(shorten(name))} has no seat") from None

    def _read_body(self, line: str) -> None:
        name, separator, act = line.partition(": ")
        while separator and name not in self._by_name:  # names may hold a colon
            more, separator, act = act.partition(": ")
            name = f"{name}: {more}"
        if separator and self._read_act(self._by_name[name], act):
            return
        street, returned, collected = _STREET.fullmatch(line), _RETURNED.fullmatch(line), _COLLECTED.fullmatch(line)
        if street is not None:
            self._add(ActKind.BOARD, -1, cards=_join_cards(street["cards"]))
        elif returned is not None:
            self._add(ActKind.RETURN, self._find_player(returned["name"]), self._convert(returned["amount"]))
        elif collected is not None:
            self._players[self._find_player(collected["name"])].won += self._convert(collected["amount"])
        elif line.startswith("Dealt to ") and (dealt := _DEALT.fullmatch(line)) is not None:
            if dealt["cards"]:
                self._players[self._find_player(dealt["name"])].cards = _join_cards(dealt["cards"])
        elif _CASHED_OUT.search(line):
            self._is_won_known = False  # who collects is not who is paid
        elif not (_HEADING.fullmatch(line) or _REMARKS.fullmatch(line) or line in _ENDS):
            raise UnreadableHandError(f"the line {quote(shorten(line))} is not understood")

    def _add(self, kind: ActKind, player: int, amount: int = 0, cards: str = "") -> None:
        self._acts.append(HandAct(kind, player, amount, cards, self.line))

    def _read_act(self, player: int, act: str) -> bool:
        """Read an act of a player; return False if it is none."""
        for pattern, kind in _ACTS:
            match = pattern.fullmatch(act)
            if match is not None:
                stated = match.groupdict()
                amount = self._convert(stated["amount"]) if "amount" in stated else 0
                self._add(kind, player, amount, _join_cards(stated.get("cards") or ""))
                return True
        both = _BOTH_BLINDS.fullmatch(act)
        if both is None:
            return False
        dead = self._convert(both["amount"]) - self._big_blind
        if dead <= 0:
            raise UnreadableHandError("the hand does not state how much of both blinds counts towards the bet")
        self._add(ActKind.DEAD_BLIND, player, dead)
        self._add(ActKind.BIG_BLIND, player, self._big_blind)
        return True

    def _read_summary(self, line: str) -> None:
        total = _TOTAL.fullmatch(line)
        if total is not None:
            others = [self._convert(other["amount"]) for other in _OTHERS.finditer(total["others"])]
            is_rake_all = not any(others) and not _OTHERS.sub("", total["others"]).strip()
            self._rake = self._convert(total["rake"]) if is_rake_all else None
        elif line.startswith("Seat "):
            for player in self._players:
                start = f"Seat {player.seat}: {player.name}"
                shown = _SHOWN_AT_END.fullmatch(line[len(start) :]) if line.startswith(start) else None
                if shown is not None:
                    player.cards = player.cards or _join_cards(shown["cards"])


def _find_zone(name: str | None) -> tzinfo | None:
    if name is None:
        return None
    try:
        return ZoneInfo(_ZONES.get(name, name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _join_cards(text: str) -> str:
    """Return cards as hand logs write them. Raises UnreadableHandError."""
    joined = "".join(text.split())
    if _CARDS.fullmatch(joined) is None:
        raise UnreadableHandError(f"{quote(shorten(text))} are not cards such as `As Kd`")
    return joined
