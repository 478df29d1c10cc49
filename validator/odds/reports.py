"""Odds as text, JSON, CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from fractions import Fraction
from io import TextIOWrapper
from typing import BinaryIO

import msgspec

from validator.odds.figures import DocumentOdds, WagerOdds

Writer = Callable[[DocumentOdds, BinaryIO], None]
COLUMNS = ("document", "wager", "pay-table", "exact", "outcome", "combinations", "probability", "pays", "contribution")


def write_json(odds: DocumentOdds, stream: BinaryIO) -> None:
    """Everything, as an object of JSON."""
    stream.write(msgspec.json.format(msgspec.json.encode(odds), indent=2) + b"\n")


def write_csv(odds: DocumentOdds, stream: BinaryIO) -> None:
    """A line for each outcome."""
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(COLUMNS)
        for row in odds.wagers:
            for one in row.outcomes:
                part = Fraction(one.probability) * Fraction(one.pays)
                lines.writerow(
                    (
                        odds.document,
                        row.wager,
                        row.pay_table or "",
                        "yes" if row.exact else "no",
                        one.outcome,
                        one.combinations,
                        one.probability,
                        one.pays,
                        f"{part.numerator}/{part.denominator}",
                    )
                )
    finally:
        text.detach()  # or the stream would be closed with it


def write_text(odds: DocumentOdds, stream: BinaryIO) -> None:
    """For people: the wagers side by side, then the outcomes of each."""
    lines = [f"Odds of {odds.title} ({odds.document})", ""]
    if odds.why is not None:
        lines += [f"No odds: {odds.why}.", ""]
    lines += _side_by_side(odds)
    for row in odds.wagers:
        lines += ["", *_of_wager(row)]
    stream.write("\n".join([*lines, ""]).encode())


def percent(value: str | None, digits: int = 4) -> str:
    """A fraction in percent, rounded half to even; a dash where there is none."""
    if value is None:
        return "-"
    scaled = round(Fraction(value) * 100 * 10**digits)
    whole, part = divmod(abs(scaled), 10**digits)
    return f"{'-' if scaled < 0 else ''}{whole}.{part:0{digits}d} %"


def name_of(row: WagerOdds) -> str:
    """A wager, its pay table, and what was chosen for it."""
    options = ", ".join(f"{name} {value}" for name, value in row.options.items())
    return f"{row.title}{f', table {row.pay_table}' if row.pay_table else ''}{f' ({options})' if options else ''}"


def how(row: WagerOdds) -> str:
    """Whether the figures are exact, or within what."""
    if row.house_advantage is None:
        return row.why or ""
    if row.exact:
        return "exact"
    low, high = row.interval or (0.0, 0.0)
    return f"simulated: {100 * low:.3f} % to {100 * high:.3f} %"


def _side_by_side(odds: DocumentOdds) -> list[str]:
    if not odds.wagers:
        return []
    heads = ("wager", "house advantage", "element of risk", "standard deviation", "")
    cells = [
        (
            name_of(row),
            percent(row.house_advantage),
            percent(row.element_of_risk),
            "-" if row.standard_deviation is None else f"{row.standard_deviation:.4f}",
            how(row),
        )
        for row in odds.wagers
    ]
    widths = [max(len(line[at]) for line in (heads, *cells)) for at in range(4)]
    return [
        "  ".join((line[0].ljust(widths[0]), *(line[at].rjust(widths[at]) for at in (1, 2, 3)), line[4])).rstrip()
        for line in (heads, *cells)
    ]


def _of_wager(row: WagerOdds) -> list[str]:
    lines = [name_of(row)]
    if row.with_:
        lines.append(f"  with it: {', '.join(row.with_)}")
    if row.beside:
        lines.append(f"  beside: {', '.join(row.beside)}, which it needs and which are not counted")
    if row.why is not None:
        lines.append(f"  no advantage: {row.why}")
    if row.by_meter is not None:
        even = (
            "never" if row.by_meter.even is None else f"when it reads {float(Fraction(row.by_meter.even)) / 100:,.2f}"
        )
        lines.append(
            f"  the meter {row.by_meter.meter}: {percent(row.by_meter.at_nothing)} where it reads nothing, less "
            f"{percent(row.by_meter.per_unit, 8)} for each minor unit; even {even}"
        )
    for part in row.strategy:
        said = f": {part.when}" if part.when else ""
        lines.append(f"  {part.decision}{said} ({part.hands:,} of {part.of:,} hands)")
    width = max((len(one.outcome) for one in row.outcomes), default=0)
    for one in row.outcomes:
        chance = Fraction(one.probability)
        lines.append(
            f"    {one.outcome:<{width}}  {float(chance):.10f}  {_odds(one.pays):>10}  {one.combinations:>18,}".rstrip()
        )
    return lines


def _odds(pays: str) -> str:
    value = Fraction(pays)
    return str(value.numerator) if value.denominator == 1 else str(value)


WRITERS: Mapping[str, Writer] = {"text": write_text, "json": write_json, "csv": write_csv}
