"""Signs at the table held against what the submission states elsewhere: limits, pay tables, rake.

What a sign shows as data is compared. Its words are not taken for limits: where they seem to name others than those of
the wager, that is not evidenced, and the sign is to be stated as data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validator.evidence.submission.layout import Sign
from validator.evidence.submission.model import Submission
from validator.evidence.submission.money import RakeLevel, SubmittedWager
from validator.language.submission.answers import Answer, Reason, every
from validator.language.submission.checks import SignsCheck
from validator.language.submission.wording import NOT_STATED
from validator.rules.model.game import Game
from validator.text.trees.tree import Path
from validator.text.truth import NO, UNKNOWN, YES
from validator.text.values.money import format_money
from validator.text.values.odds import Payout

_SIGNS: Path = ("layout", "signage")
_AMOUNT = r"(?<![\w.,])\$?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})(\.[0-9]{2})?(?![\w%]|[.,][0-9])"
_MAXIMUM = r"max(?:imum)?\b[.:]?(?: of)?"
_BETWEEN = rf" ?(?:(?:to|and|up to|[-–—,;/])(?: ?{_MAXIMUM})?|{_MAXIMUM}) ?"  # noqa: RUF001 - dashes as signs have them
_LIMITS = re.compile(_AMOUNT + _BETWEEN + _AMOUNT, re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def signs_answer(game: Game | None, submission: Submission, check: SignsCheck) -> Answer:
    """Whether what signs show is what the submission states; without a sign that shows it, nothing was asked."""
    signs = [] if submission.layout is None else submission.layout.signs
    placed = [(sign, (*_SIGNS, index)) for index, sign in enumerate(signs)]
    if check.show == "rake":
        return every(list(_rake(submission, placed)))
    found: list[Answer] = []
    for line in check.for_ or ():
        own = [(sign, here) for sign, here in placed if sign.wager == line]
        if check.show == "odds":
            only_words = any(sign.wager is None and sign.rake is None for sign in signs)
            found += _odds(submission, line, own, only_words=only_words)
        else:
            found += _limits(submission, line, own)
            found += _words(game, submission, line, placed)
    return every(found)


_Placed = Sequence[tuple[Sign, Path]]
"""Signs with the places at which they are stated."""


def _no(path: Path, expected: str, observed: str) -> Answer:
    return Answer(value=NO, reasons=(Reason(path=path, expected=expected, observed=observed),))


def _unknown(path: Path, expected: str, observed: str = NOT_STATED) -> Answer:
    return Answer(value=UNKNOWN, reasons=(Reason(path=path, expected=expected, observed=observed),))


def _limits(submission: Submission, line: str, signs: _Placed) -> Iterator[Answer]:
    """Whether signs show the limits that a wager has, both of them where they are posted on signs alone."""
    offers = None if submission.wagers is None else [one for one in submission.wagers if one.wager == line]
    showing = [(sign, here) for sign, here in signs if sign.minimum is not None or sign.maximum is not None]
    for sign, here in showing:
        if not offers:
            expected = "a wager that is offered"
            yield _no((*here, "wager"), expected, line) if offers == [] else _unknown((*here, "wager"), expected)
            continue
        for key in ("minimum", "maximum"):
            shown = getattr(sign, key)
            if shown is not None:
                yield _limit((*here, key), f"{key} of {line}", shown, {getattr(offer, key) for offer in offers})
    for offer in offers or () if showing else ():
        one_amount = offer.minimum == offer.maximum and any(sign.minimum == offer.minimum for sign, _ in showing)
        on_signs_alone = set(offer.posted or ()) == {"signage"}
        for key in ("minimum", "maximum") if on_signs_alone and not one_amount else ():
            amount = getattr(offer, key)
            if amount is not None and all(getattr(sign, key) is None for sign, _ in showing):
                yield _unknown(showing[0][1], f"{format_money(amount)}, the {key} of {line}, on the sign")


def _limit(place: Path, what: str, shown: int, limits: set[int | None]) -> Answer:
    """Whether a sign shows the limit that is submitted."""
    [limit, *others] = limits
    if limit is None or others:
        return _unknown(place, f"the {what}, which is {NOT_STATED}", format_money(shown))
    if shown == limit:
        return Answer(value=YES)
    return _no(place, f"{format_money(limit)}, the {what}", format_money(shown))


def _words(game: Game | None, submission: Submission, line: str, signs: _Placed) -> Iterator[Answer]:
    """What words on signs leave open: those that name one wager and two amounts, which are not its limits."""
    offers = [one for one in submission.wagers or () if one.wager == line]
    limits = _posted(offers[0]) if len(offers) == 1 else None
    for sign, here in signs if limits else ():
        text = " ".join((sign.text or "").split())
        named = sign.wager or (None if game is None else _named(game, text))
        amounts = [(_minor(*found.groups()[:2]), _minor(*found.groups()[2:])) for found in _LIMITS.finditer(text)]
        ranges = [(least, most) for least, most in amounts if least < most]
        if named != line or len(ranges) != 1:
            continue
        if ranges[0] == limits:
            yield Answer(value=YES)
            continue
        told = " to ".join(map(format_money, limits or ()))
        expected = f"{told}, the limits of {line}; words on a sign are not taken for limits: state it as data"
        yield _unknown(here if sign.wager is None else (*here, "text"), expected, text)


def _posted(offer: SubmittedWager) -> tuple[int, int] | None:
    return None if offer.minimum is None or offer.maximum is None else (offer.minimum, offer.maximum)


def _minor(whole: str, part: str | None) -> int:
    return int(whole.replace(",", "")) * 100 + int((part or ".00")[1:])


def _named(game: Game, text: str) -> str | None:
    """The one wager or bonus whose title or name stands in a text; of those within others, the longest counts."""
    lines = [(name, one.title) for of_game in (game.wagers, game.bonuses) for name, one in of_game.items()]
    called = {" ".join(_WORD.findall(words.casefold())): name for name, title in lines for words in (name, title)}
    said = f" {' '.join(_WORD.findall(text.casefold()))} "
    found: set[str] = set()
    for words in sorted(called, key=lambda one: (-len(one), one)):
        if f" {words} " in said:
            found.add(called[words])
            said = said.replace(f" {words} ", " | ")
    return found.pop() if len(found) == 1 else None


def _odds(submission: Submission, line: str, signs: _Placed, *, only_words: bool) -> Iterator[Answer]:
    """Whether the rows that signs show are those of the table in use, all of them where it is displayed on signs alone.

    `only_words`: there are signs whose words may show what the others leave out.
    """
    tables = [table for _, table in submission.tables_in_use() if table.pays == line]
    showing = [(sign, here) for sign, here in signs if sign.rows is not None]
    shown: dict[str, list[Payout]] = {}
    for sign, here in showing:
        for index, row in enumerate(sign.rows or ()):
            place: Path = (*here, "rows", index)
            shown.setdefault(row.hand, []).append(row.odds)
            posted = [one.odds for table in tables for one in table.rows if one.hand == row.hand]
            if not tables:
                yield _unknown(place, f"a pay table for {line}")
            elif not posted:
                expected = f"no row for {row.hand}, as in the table in use"
                yield _no((*place, "hand"), expected, f"{row.hand} {row.odds}")
            elif any(_pays_as(row.odds, one) for one in posted):
                yield Answer(value=YES)
            else:
                yield _no((*place, "odds"), f"{row.hand} {posted[0]}, as in the table in use", str(row.odds))
    for table in tables if showing else ():
        for row in table.rows if set(table.displayed or ()) == {"signage"} else ():
            if row.hand not in shown:
                place = (*showing[0][1], "rows")
                answer = _unknown if only_words else _no
                yield answer(place, f"{row.hand} {row.odds}, as in the table in use", "no such row")


def _pays_as(one: Payout, other: Payout) -> bool:
    return (one.unit, one.worth) == (other.unit, other.worth)


def _rake(submission: Submission, signs: _Placed) -> Iterator[Answer]:
    """Whether the rake that signs show is the one that is taken: its kind and its levels, both on the signs."""
    rake = submission.rake
    showing = [(sign.rake, (*here, "rake")) for sign, here in signs if sign.rake is not None]
    for key in ("kind", "levels"):
        taken = None if rake is None else getattr(rake, key)
        stated = [(getattr(one, key), (*here, key)) for one, here in showing if getattr(one, key) is not None]
        for shown, place in stated:
            if taken is None:
                yield _unknown(place, f"the {key} of the rake, which is {NOT_STATED}", _told(shown))
            elif _in_order(shown) == _in_order(taken):
                yield Answer(value=YES)
            else:
                yield _no(place, f"{_told(taken)}, as submitted", _told(shown))
        if showing and not stated:
            yield _unknown((*showing[0][1], key), f"the {key} of the rake, on the sign")


def _in_order(value: str | list[RakeLevel]) -> str | list[tuple[int, int]]:
    return value if isinstance(value, str) else sorted((one.pot, one.takes) for one in value)


def _told(value: str | list[RakeLevel]) -> str:
    if isinstance(value, str):
        return value
    return ", ".join(f"{format_money(one.takes)} at {format_money(one.pot)}" for one in value) or "nothing"
