"""Reports of odds as text, JSON, CSV and HTML, and odds that an earlier run saved as JSON."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from io import TextIOWrapper
from typing import BinaryIO

import msgspec

from fairdeal.validator.odds import odds_figures
from fairdeal.validator.reports.html.html_pages import build_environment
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.money import format_money
from fairdeal.validator.text.source import Source

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
