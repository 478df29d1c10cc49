"""Check of the figures that a submission states, and the change of the house advantage by other readings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from fairdeal.validator.engine.core.licensee_configuration import build_configuration
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.odds import odds_figures
from fairdeal.validator.odds.counting.hand_counts import HandCounts, ReportProgress
from fairdeal.validator.odds.wager_odds import work_out_odds
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rules.regulation import Regulation


def add_readings(
    odds: odds_figures.DocumentOdds, regulation: Regulation, work_out: Callable[[Regulation], odds_figures.DocumentOdds]
) -> odds_figures.DocumentOdds:
    """Return the odds, with the changes that each other option of a reading makes.

    Args:
        odds: odds under the readings in use.
        regulation: the document with its readings.
        work_out: returns the odds under other readings.
    """
    return replace(odds, readings=tuple(_compare_options(odds, regulation, work_out)))


def _compare_options(
    odds: odds_figures.DocumentOdds, regulation: Regulation, work_out: Callable[[Regulation], odds_figures.DocumentOdds]
) -> Iterator[odds_figures.OptionEffect]:
    for name, reading in regulation.readings.items():
        if reading.changes != "money":
            continue
        for option, says in reading.options.items():
            if option == regulation.choices[name]:
                continue
            read = replace(regulation, choices={**regulation.choices, name: option})
            yield odds_figures.OptionEffect(
                reading=name,
                option=option,
                says=says,
                instead_of=regulation.choices[name],
                wagers=tuple(compare_advantages(odds.wagers, work_out(read).wagers)),
            )


def compare_advantages(
    before: tuple[odds_figures.WagerOdds, ...], after: tuple[odds_figures.WagerOdds, ...]
) -> Iterator[odds_figures.AdvantageChange]:
    """Yield the wagers whose house advantage differs, or that only one side has.

    Rows with the same pay table and options are compared. If a wager has one row on each side, these are compared.
    """
    rows = {_find_row_key(row): row for row in after}
    alone = {row.wager: row for row in after if sum(row_after.wager == row.wager for row_after in after) == 1}
    met = set()
    for row in before:
        only = sum(row_before.wager == row.wager for row_before in before) == 1
        other = rows.get(_find_row_key(row)) or (alone.get(row.wager) if only else None)
        if other is not None:
            met.add(_find_row_key(other))
        if _find_advantage(row) != _find_advantage(other):
            yield _describe_change(row, other)
    for row in after:
        if _find_row_key(row) not in met and _find_advantage(row) is not None:
            yield _describe_change(None, row)


def _describe_change(
    before: odds_figures.WagerOdds | None, after: odds_figures.WagerOdds | None
) -> odds_figures.AdvantageChange:
    row = before or after
    assert row is not None
    old, new = _find_advantage(before), _find_advantage(after)
    return odds_figures.AdvantageChange(
        wager=row.wager,
        pay_table=row.pay_table,
        options=row.options,
        exact=all(side is None or side.exact or _find_advantage(side) is None for side in (before, after)),
        before=None if old is None else odds_figures.format_ratio(old),
        after=None if new is None else odds_figures.format_ratio(new),
        moved=None if old is None or new is None else odds_figures.format_ratio(new - old),
    )


def _find_advantage(row: odds_figures.WagerOdds | None) -> Fraction | None:
    """Return the house advantage; the advantage at reading zero if it depends on a meter."""
    if row is None:
        return None
    text = row.house_advantage or (None if row.by_meter is None else row.by_meter.at_nothing)
    return None if text is None else Fraction(text)


def _find_row_key(row: odds_figures.WagerOdds) -> tuple[str, str | None, tuple[tuple[str, bool | str], ...]]:
    return row.wager, row.pay_table, tuple(sorted(row.options.items()))


_SURELY = 2
"""Half widths of the interval by which a figure must be off to be wrong, if rounds were simulated. Chance alone is
that far off once in ten thousand times."""


def work_out_stated_odds(
    regulation: Regulation, submission: Submission, report_progress: ReportProgress
) -> odds_figures.DocumentOdds:
    """Return the odds of the wagers whose figures a submission states, with a check of each figure.

    `report_progress` receives messages on the progress.
    """
    odds = odds_figures.DocumentOdds(document=regulation.id, title=regulation.document.title, wagers=())
    if regulation.game is not None:
        counts, house, seeds = (
            HandCounts(compile_game(regulation), report_progress),
            build_configuration(submission),
            list_meter_seeds(submission),
        )
        wagers = dict.fromkeys(figure.wager for figure in submission.stated_odds or ())
        rows = [
            row
            for wager in wagers
            for row in work_out_odds(regulation, stated=house, meters=seeds, wager=wager, counted=counts).wagers
            if row.wager == wager
        ]
        odds = replace(odds, wagers=tuple(rows))
    return replace(odds, stated=tuple(check_stated_figures(submission, odds)))


def list_meter_seeds(submission: Submission | None) -> Mapping[str, int]:
    """Return the start values of the meters of a submission, in minor units."""
    meters = [] if submission is None else submission.meters or []
    return {meter.meter: meter.seed for meter in meters if meter.seed is not None}


def check_stated_figures(
    submission: Submission, odds: odds_figures.DocumentOdds
) -> Iterator[odds_figures.StatedFigure]:
    """Yield each stated figure with its check.

    A figure must be right under each posted pay table. If it is right in some of the ways that the submission leaves
    open, but not in all, the result is unknown.
    """
    for index, entry in enumerate(submission.stated_odds or []):
        rows = [row for row in odds.wagers if entry.wager == row.wager]
        figures = (("house-advantage", entry.house_advantage), ("element-of-risk", entry.element_of_risk))
        for figure, stated in figures:
            if stated is None:
                continue
            posted = [[row for row in rows if row.posted == at] for at in dict.fromkeys(row.posted for row in rows)]
            # Report the first that is wrong, otherwise the first that is not known.
            checks = [_check_in_all(variants_of_table, figure, stated) for variants_of_table in posted]
            holds, row, why = min(checks, key=lambda check: _RANK[check[0]], default=(None, None, _NO_ODDS))
            yield odds_figures.StatedFigure(
                at=("stated-odds", index, figure),
                wager=entry.wager,
                figure=figure,
                stated=stated,
                found=None if row is None else _select_figure(row, figure),
                holds=holds,
                why=why,
            )


_RANK = {False: 0, None: 1, True: 2}
_NO_ODDS = "it has no odds of its own: it is not offered, not settled by the house, or counted with another wager"
_OPEN = "it is right in some of the ways that the submission leaves open, and wrong in others"


def _check_in_all(
    rows: Sequence[odds_figures.WagerOdds], figure: str, stated: str
) -> tuple[bool | None, odds_figures.WagerOdds, str | None]:
    """Check a figure in several ways to offer a wager.

    Returns:
        True if it is right in all, False if it is wrong in all, else None; the row that shows it; the reason for None.
    """
    checks = [(_check_figure(row, figure, stated), row) for row in rows]
    first = min(checks, key=lambda check: _RANK[check[0]])
    if {False, True} <= {holds for holds, _ in checks}:
        return None, first[1], _OPEN
    unknown = next((row for holds, row in checks if holds is None), None)
    return (*first, None) if unknown is None else (None, unknown, _explain_unknown(unknown, figure))


def _select_figure(row: odds_figures.WagerOdds, figure: str) -> str | None:
    return row.house_advantage if figure == "house-advantage" else row.element_of_risk


def _check_figure(row: odds_figures.WagerOdds, figure: str, stated: str) -> bool | None:
    """Return whether a stated figure is right to its last digit. Simulated rounds can only show that a figure is
    wrong."""
    text = _select_figure(row, figure)
    if text is None:
        return None
    value, width = _parse_figure(stated)
    if row.exact:
        return abs(Fraction(text) - value) <= width / 2
    if row.interval is None or figure != "house-advantage":
        return None
    low, high = map(Fraction, row.interval)
    off = abs(value - (low + high) / 2) - width / 2
    return False if off > _SURELY * (high - low) / 2 else None


def _explain_unknown(row: odds_figures.WagerOdds, figure: str) -> str:
    """Return why it is not known whether a figure is right."""
    if _select_figure(row, figure) is None:
        return row.why or "it has none"
    low, high = row.interval or (0.0, 0.0)
    about = f" from {100 * low:.3f} % to {100 * high:.3f} %" if figure == "house-advantage" else ""
    return f"it is only {'simulated' if row.method is None else 'computed'}{about}, which does not prove a figure"


def _parse_figure(stated: str) -> tuple[Fraction, Fraction]:
    """Return a stated number and the worth of its last digit, which is 0 for a fraction."""
    if not stated.endswith("%"):
        return Fraction(stated), Fraction(0)
    number = stated.removesuffix("%").strip()
    digits = len(number.partition(".")[2])
    return Fraction(number) / 100, Fraction(1, 100 * 10**digits)
