"""Odds as text, JSON, CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from io import TextIOWrapper
from typing import BinaryIO

import msgspec

from validator.odds.figures import (
    DealOfProof,
    DocumentOdds,
    OddsDiffer,
    Outcome,
    StatedFigure,
    WagerMoved,
    WagerOdds,
    percent,
)
from validator.reports.html.report import environment
from validator.text.values.money import format_money

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


def write_text(odds: DocumentOdds, stream: BinaryIO) -> None:
    """For people: the wagers side by side, then the outcomes of each."""
    lines = [f"Odds of {odds.title} ({odds.document})", ""]
    if odds.why is not None:
        lines += [f"No odds: {odds.why}.", ""]
    lines += _side_by_side(odds)
    extremes = list(best_and_worst(odds))
    lines += [""] * bool(extremes) + extremes
    for row in odds.wagers:
        lines += ["", *_of_wager(row)]
    if odds.stated:
        lines += ["", "What the submission states"]
        lines += [f"  {_stated(figure)}" for figure in odds.stated]
    for option in odds.readings or ():
        lines += ["", f"Reading {option.reading}: {option.option}, not {option.instead_of}: {option.says}"]
        lines += [f"  {line}" for line in _moves(option.wagers)] or ["  moves no advantage"]
    stream.write("\n".join([*lines, ""]).encode())


def write_difference(found: OddsDiffer, stream: BinaryIO) -> None:
    """For people: what moved, in percent and in money."""
    lines = [f"{found.title} ({found.document}): {found.before} -> {found.after}"]
    lines += _moves(found.wagers, found.handle) or ["No advantage is another one."]
    stream.write("\n".join([*lines, ""]).encode())


def write_difference_json(found: OddsDiffer, stream: BinaryIO) -> None:
    """What moved, as an object of JSON."""
    stream.write(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")


def _moves(wagers: Iterable[WagerMoved], handle: int | None = None) -> list[str]:
    lines = []
    for wager in wagers:
        table = f", table {wager.pay_table}" if wager.pay_table else ""
        line = f"{wager.wager}{table}: {percent(wager.before)} -> {percent(wager.after)}"
        if wager.moved is not None:
            line += f" ({'+' if Fraction(wager.moved) > 0 else ''}{percent(wager.moved)})"
            if handle is not None:
                money = round(Fraction(wager.moved) * handle)
                line += f", {format_money(money)} on {format_money(handle)}"
        lines.append(line if wager.exact else f"{line}, simulated")
    return lines


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


def best_and_worst(odds: DocumentOdds) -> Iterator[str]:
    """Of wagers that may be offered in several ways, which is the best for the player and which the worst."""
    for wager in dict.fromkeys(row.wager for row in odds.wagers):
        rows = [row for row in odds.wagers if row.wager == wager and row.house_advantage is not None]
        rows.sort(key=lambda row: Fraction(row.house_advantage or 0))
        if len(rows) > 1:
            best, worst = rows[0], rows[-1]
            yield (
                f"{best.title}: best for the player {best.pay_table or name_of(best)} "
                f"({percent(best.house_advantage)}), worst {worst.pay_table or name_of(worst)} "
                f"({percent(worst.house_advantage)})"
            )


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
        lines.append(f"  {_meter(row)}")
    for part in row.strategy:
        said = f": {part.when}" if part.when else ""
        before = f"after {', '.join(part.after)}: " if part.after else ""
        lines.append(f"  {before}{part.decision}{said} ({part.hands:,} of {part.of:,} hands)")
    if row.strategy_costs is not None:
        lines.append(f"  the strategy that was given costs {percent(row.strategy_costs)}")
    lines += [f"  {line}" for line in _settlement(row)]
    width = max((len(outcome.outcome) for outcome in row.outcomes), default=0)
    for outcome in row.outcomes:
        chance = Fraction(outcome.probability)
        lines.append(
            f"    {outcome.outcome:<{width}}  {float(chance):.10f}  {_odds(outcome.pays):>10}  {outcome.combinations:>18,}".rstrip()
        )
    return lines


def _settlement(row: WagerOdds) -> Iterator[str]:
    """What going through all deals proves of the cases of settlement and the rows of tables."""
    found = row.settlement
    if found is None:
        return
    if found.whole:
        yield "every deal settles every stake by exactly one case, whatever the player decides"
    for gap in found.undecided:
        yield f"no case decides what {gap.line} is due{_deal(gap.deal)}"
    for before in found.order:
        yield f"{before.line}: {before.case} decides before {before.other}, which would come to something else{_deal(before.deal)}"
    if found.never:
        yield f"cases that no deal comes to: {', '.join(f'{case.case} of {case.line}' for case in found.never)}"
    if row.never:
        yield f"rows that no deal hits: {', '.join(row.never)}"


def _deal(deal: DealOfProof) -> str:
    cards = "; ".join(f"{place} {cards}" for place, cards in deal.cards.items())
    return f" ({cards}{f'; {deal.decision}' if deal.decision else ''})"


def _meter(row: WagerOdds) -> str:
    """How the advantage hangs on a meter."""
    if row.by_meter is None:
        return ""
    one = row.by_meter
    reads = "never" if one.even is None else f"when it reads {format_money(round(Fraction(one.even)))}"
    each = percent(str(Fraction(one.per_unit) * 100), 6)
    return (
        f"the meter {one.meter}: {percent(one.at_nothing)} where it reads nothing, "
        f"less {each} for every 1.00 it reads; even {reads}"
    )


def _stated(one: StatedFigure) -> str:
    """A figure that a submission states, and whether it is so."""
    wrong, not_known = f"wrong: {percent(one.found)} ({one.found})", f"not known: {one.why}"
    word = {True: "right", False: wrong, None: not_known}[one.holds]
    return f"{one.wager}, {one.figure.replace('-', ' ')}: {one.stated}, {word}"


def _odds(pays: str) -> str:
    value = Fraction(pays)
    return str(value.numerator) if value.denominator == 1 else str(value)


def write_html(odds: DocumentOdds, stream: BinaryIO) -> None:
    """A page of its own, in the style of reports, without a script."""
    page = environment().get_template("odds.html.j2")
    rows = [
        {
            "row": row,
            "name": name_of(row),
            "how": how(row),
            "advantage": percent(row.house_advantage),
            "risk": percent(row.element_of_risk),
            "deviation": "-" if row.standard_deviation is None else f"{row.standard_deviation:.4f}",
            "outcomes": [
                (
                    outcome,
                    f"{float(Fraction(outcome.probability)):.10f}",
                    _odds(outcome.pays),
                    percent(_part(outcome), 6),
                )
                for outcome in row.outcomes
            ],
            "meter": _meter(row),
            "settlement": list(_settlement(row)),
        }
        for row in odds.wagers
    ]
    stated = [_stated(figure) for figure in odds.stated or ()]
    moves = [(option, _moves(option.wagers)) for option in odds.readings or ()]
    stream.write(
        page.render(odds=odds, rows=rows, moves=moves, stated=stated, extremes=[*best_and_worst(odds)]).encode()
    )


def _part(one: Outcome) -> str:
    """What an outcome adds to the advantage of the house."""
    return str(-Fraction(one.probability) * Fraction(one.pays))


WRITERS: Mapping[str, Writer] = {"text": write_text, "json": write_json, "csv": write_csv, "html": write_html}
DIFFERENCE_WRITERS: Mapping[str, Callable[[OddsDiffer, BinaryIO], None]] = {
    "text": write_difference,
    "json": write_difference_json,
}
