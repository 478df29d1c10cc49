"""The mathematics that a submission states, held against what its rules come to."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from validator.evidence.submission.model import Submission
from validator.odds.figures import DocumentOdds, StatedFigure, WagerOdds


def stated_figures(submission: Submission, odds: DocumentOdds) -> Iterator[StatedFigure]:
    """Every figure that is stated. A wager that is offered in several ways must be as stated in each of them."""
    for index, one in enumerate(submission.stated_odds or []):
        rows = [row for row in odds.wagers if one.wager == row.wager]
        figures = (("house-advantage", one.house_advantage), ("element-of-risk", one.element_of_risk))
        for figure, stated in figures:
            if stated is None:
                continue
            found = [row.house_advantage if figure == "house-advantage" else row.element_of_risk for row in rows]
            held = [_holds(row, figure, stated) for row in rows]
            yield StatedFigure(
                at=("stated-odds", index, figure),
                wager=one.wager,
                figure=figure,
                stated=stated,
                found=next((text for text, holds in zip(found, held, strict=True) if holds is not True), None)
                or next(iter(found), None),
                holds=False if False in held else None if None in held or not held else True,
            )


def _holds(row: WagerOdds, figure: str, stated: str) -> bool | None:
    """Whether a stated figure is right, to the last digit that is stated; of rounds that were simulated, whether it
    lies where the advantage may be."""
    text = row.house_advantage if figure == "house-advantage" else row.element_of_risk
    if text is None:
        return None
    value, width = _read(stated)
    if row.exact:
        return abs(Fraction(text) - value) <= width / 2
    if row.interval is None or figure != "house-advantage":
        return None
    low, high = map(Fraction, row.interval)
    return low - width / 2 <= value <= high + width / 2


def _read(stated: str) -> tuple[Fraction, Fraction]:
    """The number that is stated, and how much its last digit is worth; a fraction is meant as it stands."""
    if not stated.endswith("%"):
        return Fraction(stated), Fraction(0)
    number = stated.removesuffix("%").strip()
    digits = len(number.partition(".")[2])
    return Fraction(number) / 100, Fraction(1, 100 * 10**digits)
