"""Reports of odds as text, JSON, CSV and HTML, stated figures checked, and changes by other readings."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from io import TextIOWrapper
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from fairdeal.validator.engine.core.house_terms import build_configuration
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.odds import odds_figures
from fairdeal.validator.odds.hand_counts import HandCounts, ReportProgress
from fairdeal.validator.odds.wager_odds import work_out_odds
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.plain_values import format_money
from fairdeal.validator.text.source import Source


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


_RATIO = re.compile(r"-?[0-9]{1,60}/[1-9][0-9]{0,59}")


def read_saved_odds(source: Source) -> odds_figures.DocumentOdds | None:
    """Return the odds in a file; None if it contains something else. Raises InputError if the odds cannot be read."""
    try:
        odds = msgspec.json.decode(source.text, type=odds_figures.DocumentOdds)
    except (msgspec.DecodeError, RecursionError) as error:
        if '"house-advantage"' not in source.text:
            return None
        raise _unreadable(source, str(error)) from error
    for row in odds.wagers:
        ratios = (row.house_advantage, None if row.by_meter is None else row.by_meter.at_nothing)
        if any(ratio_text is not None and _RATIO.fullmatch(ratio_text) is None for ratio_text in ratios):
            raise _unreadable(source, f"the house advantage of {row.wager} is not a fraction such as 1/20")
    return odds


def _unreadable(source: Source, why: str) -> InputError:
    return InputError(
        (
            Diagnostic(
                code="no-odds",
                message=f"these odds cannot be read: {why}",
                file=source.name,
                expected="the output of `fairdeal odds GAME --output json`",
            ),
        )
    )


Writer = Callable[[odds_figures.DocumentOdds, BinaryIO], None]
COLUMNS = ("document", "wager", "pay-table", "exact", "outcome", "combinations", "probability", "pays", "contribution")


def write_json(odds: odds_figures.DocumentOdds, stream: BinaryIO) -> None:
    """Write all odds as a JSON object."""
    stream.write(msgspec.json.format(msgspec.json.encode(odds), indent=2) + b"\n")


def write_csv(odds: odds_figures.DocumentOdds, stream: BinaryIO) -> None:
    """Write a line for each outcome."""
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(COLUMNS)
        for row in odds.wagers:
            for outcome in row.outcomes:
                part = Fraction(outcome.probability) * Fraction(outcome.pays)
                lines.writerow(
                    (
                        odds.document,
                        row.wager,
                        row.pay_table or "",
                        "yes" if row.exact else "no",
                        outcome.outcome,
                        outcome.combinations,
                        outcome.probability,
                        outcome.pays,
                        f"{part.numerator}/{part.denominator}",
                    )
                )
    finally:
        text.detach()  # or the stream would be closed with it


def write_text(odds: odds_figures.DocumentOdds, stream: BinaryIO) -> None:
    """Write the odds as text: all wagers in one table, then the outcomes of each."""
    lines = [f"Odds of {odds.title} ({odds.document})", ""]
    if odds.why is not None:
        lines += [f"No odds: {odds.why}.", ""]
    lines += _tabulate_wagers(odds)
    extremes = list(describe_extremes(odds))
    lines += [""] * bool(extremes) + extremes
    for row in odds.wagers:
        lines += ["", *_describe_wager(row)]
    if odds.stated:
        lines += ["", "Figures of the submission"]
        lines += [f"  {_describe_stated_figure(figure)}" for figure in odds.stated]
    for option in odds.readings or ():
        lines += ["", f"Reading {option.reading}: {option.option} instead of {option.instead_of}: {option.says}"]
        lines += [f"  {line}" for line in _describe_changes(option.wagers)] or ["  changes no house advantage"]
    stream.write("\n".join([*lines, ""]).encode())


def write_difference(comparison: odds_figures.OddsComparison, stream: BinaryIO) -> None:
    """Write the changes as text, in percent and in money."""
    lines = [f"{comparison.title} ({comparison.document}): {comparison.before} -> {comparison.after}"]
    lines += _describe_changes(comparison.wagers, comparison.handle) or ["No house advantage changed."]
    stream.write("\n".join([*lines, ""]).encode())


def write_difference_json(comparison: odds_figures.OddsComparison, stream: BinaryIO) -> None:
    """Write the changes as a JSON object."""
    stream.write(msgspec.json.format(msgspec.json.encode(comparison), indent=2) + b"\n")


def _describe_changes(wagers: Iterable[odds_figures.AdvantageChange], handle: int | None = None) -> list[str]:
    lines = []
    for wager in wagers:
        table = f", table {wager.pay_table}" if wager.pay_table else ""
        line = (
            f"{wager.wager}{table}: {odds_figures.format_percentage(wager.before)} -> "
            f"{odds_figures.format_percentage(wager.after)}"
        )
        if wager.moved is not None:
            line += f" ({'+' if Fraction(wager.moved) > 0 else ''}{odds_figures.format_percentage(wager.moved)})"
            if handle is not None:
                money = round(Fraction(wager.moved) * handle)
                line += f", {format_money(money)} on {format_money(handle)}"
        lines.append(line if wager.exact else f"{line}, simulated")
    return lines


def format_wager(row: odds_figures.WagerOdds) -> str:
    """Return a wager with its pay table and options."""
    options = ", ".join(f"{name} {value}" for name, value in row.options.items())
    on = f" on {', '.join(row.on)}" if row.on else ""
    return f"{row.title}{on}{f', table {row.pay_table}' if row.pay_table else ''}{f' ({options})' if options else ''}"


def describe_precision(row: odds_figures.WagerOdds) -> str:
    """Return "exact", the interval of a simulation, or the reason why there is no advantage."""
    if row.house_advantage is None:
        return row.why or ""
    if row.exact:
        return "exact"
    low, high = row.interval or (0.0, 0.0)
    return f"{row.method or 'simulated'}: {100 * low:.3f} % to {100 * high:.3f} %"


def describe_extremes(odds: odds_figures.DocumentOdds) -> Iterator[str]:
    """Yield, for each wager that may be offered in several ways, the best and the worst for the player."""
    for wager in dict.fromkeys(row.wager for row in odds.wagers):
        rows = [row for row in odds.wagers if row.wager == wager and row.house_advantage is not None]
        rows.sort(key=lambda row: Fraction(row.house_advantage or 0))
        if len(rows) > 1:
            best, worst = rows[0], rows[-1]
            yield (
                f"{best.title}: best for the player {best.pay_table or format_wager(best)} "
                f"({odds_figures.format_percentage(best.house_advantage)}), worst "
                f"{worst.pay_table or format_wager(worst)} "
                f"({odds_figures.format_percentage(worst.house_advantage)})"
            )


def _tabulate_wagers(odds: odds_figures.DocumentOdds) -> list[str]:
    if not odds.wagers:
        return []
    heads = ("wager", "house advantage", "element of risk", "standard deviation", "")
    cells = [
        (
            format_wager(row),
            odds_figures.format_percentage(row.house_advantage),
            odds_figures.format_percentage(row.element_of_risk),
            "-" if row.standard_deviation is None else f"{row.standard_deviation:.4f}",
            describe_precision(row),
        )
        for row in odds.wagers
    ]
    widths = [max(len(line[at]) for line in (heads, *cells)) for at in range(4)]
    return [
        "  ".join((line[0].ljust(widths[0]), *(line[at].rjust(widths[at]) for at in (1, 2, 3)), line[4])).rstrip()
        for line in (heads, *cells)
    ]


def _describe_wager(row: odds_figures.WagerOdds) -> list[str]:
    lines = [format_wager(row)]
    if row.with_:
        lines.append(f"  with: {', '.join(row.with_)}")
    if row.beside:
        lines.append(f"  needs, not counted here: {', '.join(row.beside)}")
    if row.why is not None:
        lines.append(f"  no house advantage: {row.why}")
    if row.by_meter is not None:
        lines.append(f"  {_describe_meter(row)}")
    for part in row.strategy:
        when = f": {part.when}" if part.when else ""
        before = f"after {', '.join(part.after)}: " if part.after else ""
        lines.append(f"  {before}{part.decision}{when} ({part.hands:,} of {part.of:,} hands)")
    if row.strategy_costs is not None:
        lines.append(
            f"  the given strategy costs the player {odds_figures.format_percentage(row.strategy_costs)} more than "
            "the best"
        )
    lines += [f"  {line}" for line in _describe_settlement(row)]
    width = max((len(outcome.outcome) for outcome in row.outcomes), default=0)
    for outcome in row.outcomes:
        chance = Fraction(outcome.probability)
        lines.append(
            f"    {outcome.outcome:<{width}}  {float(chance):.10f}  {_format_odds(outcome.pays):>10}"
            f"  {outcome.combinations:>18,}".rstrip()
        )
    return lines


def _describe_settlement(row: odds_figures.WagerOdds) -> Iterator[str]:
    """Yield the results of enumerating all deals, for the cases of settlement and the rows of pay tables."""
    settlement = row.settlement
    if settlement is None:
        return
    if settlement.whole:
        yield "exactly one case settles every stake in every deal, whatever the player decides"
    for gap in settlement.undecided:
        yield f"no case settles {gap.line}{_describe_deal(gap.deal)}"
    for order in settlement.order:
        deal = _describe_deal(order.deal)
        yield f"{order.line}: {order.case} comes before {order.other}, which would pay differently{deal}"
    if settlement.never:
        yield f"cases that settle no deal: {', '.join(f'{case.case} of {case.line}' for case in settlement.never)}"
    if row.never:
        yield f"rows that no deal hits: {', '.join(row.never)}"


def _describe_deal(deal: odds_figures.ExampleDeal) -> str:
    cards = "; ".join(f"{place} {cards}" for place, cards in deal.cards.items())
    return f" ({cards}{f'; {deal.decision}' if deal.decision else ''})"


def _describe_meter(row: odds_figures.WagerOdds) -> str:
    """Return how the house advantage depends on a meter."""
    if row.by_meter is None:
        return ""
    meter = row.by_meter
    even = "never" if meter.even is None else f"at a reading of {format_money(round(Fraction(meter.even)))}"
    each = odds_figures.format_percentage(str(Fraction(meter.per_unit) * 100), 6)
    return (
        f"the meter {meter.meter}: {odds_figures.format_percentage(meter.at_nothing)} at reading zero, "
        f"less {each} for every 1.00 on the meter; even {even}"
    )


def _describe_stated_figure(figure: odds_figures.StatedFigure) -> str:
    """Return a figure that a submission states, with the result of the check."""
    wrong, not_known = (
        f"wrong: it is {odds_figures.format_percentage(figure.found)} ({figure.found})",
        f"not known: {figure.why}",
    )
    word = {True: "right", False: wrong, None: not_known}[figure.holds]
    return f"{figure.wager}, {figure.figure.replace('-', ' ')}: {figure.stated}, {word}"


def _format_odds(pays: str) -> str:
    value = Fraction(pays)
    return str(value.numerator) if value.denominator == 1 else str(value)


def write_html(odds: odds_figures.DocumentOdds, stream: BinaryIO) -> None:
    """Write the odds as an HTML page in the style of reports, without a script."""
    from fairdeal.validator.reports.html.html_pages import build_environment  # noqa: PLC0415 - most reports of odds are no pages

    page = build_environment().get_template("odds.html.j2")
    rows = [
        {
            "row": row,
            "name": format_wager(row),
            "how": describe_precision(row),
            "advantage": odds_figures.format_percentage(row.house_advantage),
            "risk": odds_figures.format_percentage(row.element_of_risk),
            "deviation": "-" if row.standard_deviation is None else f"{row.standard_deviation:.4f}",
            "outcomes": [
                (
                    outcome,
                    f"{float(Fraction(outcome.probability)):.10f}",
                    _format_odds(outcome.pays),
                    odds_figures.format_percentage(_find_contribution(outcome), 6),
                )
                for outcome in row.outcomes
            ],
            "meter": _describe_meter(row),
            "settlement": list(_describe_settlement(row)),
        }
        for row in odds.wagers
    ]
    stated = [_describe_stated_figure(figure) for figure in odds.stated or ()]
    moves = [(option, _describe_changes(option.wagers)) for option in odds.readings or ()]
    stream.write(
        page.render(odds=odds, rows=rows, moves=moves, stated=stated, extremes=[*describe_extremes(odds)]).encode()
    )


def _find_contribution(outcome: odds_figures.WagerOutcome) -> str:
    """Return the contribution of an outcome to the house advantage."""
    return str(-Fraction(outcome.probability) * Fraction(outcome.pays))


WRITERS: Mapping[str, Writer] = {"text": write_text, "json": write_json, "csv": write_csv, "html": write_html}
DIFFERENCE_WRITERS: Mapping[str, Callable[[odds_figures.OddsComparison, BinaryIO], None]] = {
    "text": write_difference,
    "json": write_difference_json,
}
