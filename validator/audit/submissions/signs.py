"""Check of signs at the table against the rest of the submission: limits, pay tables, rake.

Contents of a sign that are given as data are compared. The words of a sign do not count as limits. Words that seem to
state other limits than those of the wager lead to NOT_EVIDENCED. The casino must then state the sign as data.
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

_SIGNAGE: Path = ("layout", "signage")
_AMOUNT = r"(?<![\w.,])\$?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})(\.[0-9]{2})?(?![\w%]|[.,][0-9])"
_MAXIMUM = r"max(?:imum)?\b[.:]?(?: of)?"
_BETWEEN = rf" ?(?:(?:to|and|up to|[-–—,;/])(?: ?{_MAXIMUM})?|{_MAXIMUM}) ?"  # noqa: RUF001 - dashes as signs have them
_LIMITS = re.compile(_AMOUNT + _BETWEEN + _AMOUNT, re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def signs_answer(game: Game | None, submission: Submission, check: SignsCheck) -> Answer:
    """Return whether the contents of signs agree with the submission; the check does not apply without such a sign."""
    signs = [] if submission.layout is None else submission.layout.signs
    placed = [(sign, (*_SIGNAGE, index)) for index, sign in enumerate(signs)]
    if check.show == "rake":
        return every(list(_check_rake(submission, placed)))
    answers: list[Answer] = []
    for line in check.for_ or ():
        own = [(sign, here) for sign, here in placed if sign.wager == line]
        if check.show == "odds":
            only_words = any(sign.wager is None and sign.rake is None for sign in signs)
            answers += _check_odds(submission, line, own, only_words=only_words)
        else:
            answers += _check_limits(submission, line, own)
            answers += _check_words(game, submission, line, placed)
    return every(answers)


_Placed = Sequence[tuple[Sign, Path]]
"""Signs with their paths."""


def _answer_no(path: Path, expected: str, observed: str) -> Answer:
    return Answer(value=NO, reasons=(Reason(path=path, expected=expected, observed=observed),))


def _answer_unknown(path: Path, expected: str, observed: str = NOT_STATED) -> Answer:
    return Answer(value=UNKNOWN, reasons=(Reason(path=path, expected=expected, observed=observed),))


def _check_limits(submission: Submission, line: str, signs: _Placed) -> Iterator[Answer]:
    """Check that signs show the limits of a wager, and both limits if they are posted only on signs."""
    offers = None if submission.wagers is None else [offer for offer in submission.wagers if offer.wager == line]
    showing = [(sign, here) for sign, here in signs if sign.minimum is not None or sign.maximum is not None]
    for sign, here in showing:
        if not offers:
            expected = "a wager that is offered"
            yield (
                _answer_no((*here, "wager"), expected, line)
                if offers == []
                else _answer_unknown((*here, "wager"), expected)
            )
            continue
        for key in ("minimum", "maximum"):
            shown = getattr(sign, key)
            if shown is not None:
                yield _check_limit((*here, key), f"{key} of {line}", shown, {getattr(offer, key) for offer in offers})
    for offer in offers or () if showing else ():
        one_amount = offer.minimum == offer.maximum and any(sign.minimum == offer.minimum for sign, _ in showing)
        on_signs_alone = set(offer.posted or ()) == {"signage"}
        for key in ("minimum", "maximum") if on_signs_alone and not one_amount else ():
            amount = getattr(offer, key)
            if amount is not None and all(getattr(sign, key) is None for sign, _ in showing):
                yield _answer_unknown(showing[0][1], f"{format_money(amount)}, the {key} of {line}, on the sign")


def _check_limit(place: Path, what: str, shown: int, limits: set[int | None]) -> Answer:
    """Check that a sign shows the submitted limit."""
    [limit, *others] = limits
    if limit is None or others:
        return _answer_unknown(place, f"the {what}, which is {NOT_STATED}", format_money(shown))
    if shown == limit:
        return Answer(value=YES)
    return _answer_no(place, f"{format_money(limit)}, the {what}", format_money(shown))


def _check_words(game: Game | None, submission: Submission, line: str, signs: _Placed) -> Iterator[Answer]:
    """Check words on signs that name one wager and two amounts other than its limits."""
    offers = [offer for offer in submission.wagers or () if offer.wager == line]
    limits = _limits_of_offer(offers[0]) if len(offers) == 1 else None
    for sign, here in signs if limits else ():
        text = " ".join((sign.text or "").split())
        named = sign.wager or (None if game is None else _find_line_in_text(game, text))
        amounts = [
            (_parse_minor_units(*match.groups()[:2]), _parse_minor_units(*match.groups()[2:]))
            for match in _LIMITS.finditer(text)
        ]
        ranges = [(least, most) for least, most in amounts if least < most]
        if named != line or len(ranges) != 1:
            continue
        if ranges[0] == limits:
            yield Answer(value=YES)
            continue
        limits_text = " to ".join(map(format_money, limits or ()))
        expected = f"{limits_text}, the limits of {line}; words on a sign do not count as limits: state them as data"
        yield _answer_unknown(here if sign.wager is None else (*here, "text"), expected, text)


def _limits_of_offer(offer: SubmittedWager) -> tuple[int, int] | None:
    return None if offer.minimum is None or offer.maximum is None else (offer.minimum, offer.maximum)


def _parse_minor_units(whole: str, part: str | None) -> int:
    return int(whole.replace(",", "")) * 100 + int((part or ".00")[1:])


def _find_line_in_text(game: Game, text: str) -> str | None:
    """Return the only wager or bonus whose title or name occurs in a text; of overlapping names, the longest counts."""
    lines = [(name, line.title) for of_game in (game.wagers, game.bonuses) for name, line in of_game.items()]
    line_of_words = {
        " ".join(_WORD.findall(words.casefold())): name for name, title in lines for words in (name, title)
    }
    remaining = f" {' '.join(_WORD.findall(text.casefold()))} "
    lines_found: set[str] = set()
    for words in sorted(line_of_words, key=lambda name: (-len(name), name)):
        if f" {words} " in remaining:
            lines_found.add(line_of_words[words])
            remaining = remaining.replace(f" {words} ", " | ")
    return lines_found.pop() if len(lines_found) == 1 else None


def _check_odds(submission: Submission, line: str, signs: _Placed, *, only_words: bool) -> Iterator[Answer]:
    """Check that the rows on signs are those of the table in use, and all of them if it is displayed only on signs.

    Args:
        only_words: True if other signs have words that may show the missing rows.
    """
    tables = [table for _, table in submission.tables_in_use() if table.pays == line]
    showing = [(sign, here) for sign, here in signs if sign.rows is not None]
    shown: dict[str, list[Payout]] = {}
    for sign, here in showing:
        for index, row in enumerate(sign.rows or ()):
            place: Path = (*here, "rows", index)
            shown.setdefault(row.hand, []).append(row.odds)
            posted = [used.odds for table in tables for used in table.rows if used.hand == row.hand]
            if not tables:
                yield _answer_unknown(place, f"a pay table for {line}")
            elif not posted:
                expected = f"no row for {row.hand}, as in the table in use"
                yield _answer_no((*place, "hand"), expected, f"{row.hand} {row.odds}")
            elif any(_has_same_odds(row.odds, odds) for odds in posted):
                yield Answer(value=YES)
            else:
                yield _answer_no((*place, "odds"), f"{row.hand} {posted[0]}, as in the table in use", str(row.odds))
    for table in tables if showing else ():
        for row in table.rows if set(table.displayed or ()) == {"signage"} else ():
            if row.hand not in shown:
                place = (*showing[0][1], "rows")
                answer = _answer_unknown if only_words else _answer_no
                yield answer(place, f"{row.hand} {row.odds}, as in the table in use", "no such row")


def _has_same_odds(odds: Payout, other: Payout) -> bool:
    return (odds.unit, odds.worth) == (other.unit, other.worth)


def _check_rake(submission: Submission, signs: _Placed) -> Iterator[Answer]:
    """Check that signs show the rake that is taken: its kind and its levels."""
    rake = submission.rake
    showing = [(sign.rake, (*here, "rake")) for sign, here in signs if sign.rake is not None]
    for key in ("kind", "levels"):
        taken = None if rake is None else getattr(rake, key)
        stated = [(getattr(shown, key), (*here, key)) for shown, here in showing if getattr(shown, key) is not None]
        for shown, place in stated:
            if taken is None:
                yield _answer_unknown(place, f"the {key} of the rake, which is {NOT_STATED}", _describe_rake(shown))
            elif _comparable_rake(shown) == _comparable_rake(taken):
                yield Answer(value=YES)
            else:
                yield _answer_no(place, f"{_describe_rake(taken)}, as submitted", _describe_rake(shown))
        if showing and not stated:
            yield _answer_unknown((*showing[0][1], key), f"the {key} of the rake, on the sign")


def _comparable_rake(value: str | list[RakeLevel]) -> str | list[tuple[int, int]]:
    return value if isinstance(value, str) else sorted((level.pot, level.takes) for level in value)


def _describe_rake(value: str | list[RakeLevel]) -> str:
    if isinstance(value, str):
        return value
    return ", ".join(f"{format_money(level.takes)} at {format_money(level.pot)}" for level in value) or "nothing"
