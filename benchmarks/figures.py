"""Figures of benchmarks, and their targets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Line of the table: a value, and its ratio to a reference (above 1 is better).

    A target applies to the ratio, if there is one, as a minimum; otherwise to the value, as a maximum. A value that is
    computed from other lines, and not measured, is `extrapolated`.
    """

    name: str
    value: float
    unit: str
    against: str | None = None
    ratio: float | None = None
    target: float | None = None
    extrapolated: bool = False

    @property
    def met(self) -> bool | None:
        """True if the target is met; None without a target."""
        if self.target is None:
            return None
        return self.value <= self.target if self.ratio is None else self.ratio >= self.target


def print_figures(figures: Sequence[Figure], output: str) -> None:
    """Print a table, and write it as JSON."""
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:8.2f} x {figure.against}"
        sign = "~" if figure.extrapolated else " "
        click.echo(f"{figure.name:<{width}}  {sign}{figure.value:>14,.1f} {figure.unit:<12}{ratio}{_target(figure)}")
    if any(figure.extrapolated for figure in figures):
        click.echo("~ is worked out of what is measured, and not measured itself")
    held = [figure for figure in figures if figure.met is not None]
    click.echo(f"{sum(bool(figure.met) for figure in held)} of {len(held)} targets are met")
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    Path(output).write_text(json.dumps([{**asdict(figure), "met": figure.met} for figure in figures], indent=2) + "\n")


def _target(figure: Figure) -> str:
    if figure.target is None:
        return ""
    most = f"at most {figure.target:,g} {figure.unit}" if figure.ratio is None else f"at least {figure.target:g} x"
    return f"  [{'met' if figure.met else 'MISSED'}: {most}]"
