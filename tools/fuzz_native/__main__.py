"""`python -m tools.fuzz_native`: changed lines by the hundred thousand, read by Python and by the compiled scanner."""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click

from tools.fuzz_native.build import compile_scanner
from tools.fuzz_native.run import run

SHOWN = 5


@click.command()
@click.option("--lines", default=1_000_000, show_default=True, help="Changed lines, in all.")
@click.option("--seed", default=1, show_default=True)
@click.option("--processes", default=2, show_default=True)
@click.option("--sanitized", is_flag=True, help="Trap what C leaves undefined, and any access outside the input.")
def fuzz(lines: int, seed: int, processes: int, sanitized: bool) -> None:
    """Read changed lines both ways, and report every difference; exit code 1 if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "scan.so"
        compile_scanner(library, sanitized=sanitized)
        share = -(-lines // processes)
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            runs = [pool.submit(run, str(library), share, seed + number, sanitized) for number in range(processes)]
            found = [future.result() for future in runs]
    differences = [difference for some in found for difference in some.differences]
    texts, tried, usual = (sum(getattr(outcome, name) for outcome in found) for name in ("texts", "lines", "usual"))
    click.echo(
        f"{tried:,} lines in {texts:,} texts, of {usual:,} of which lists were cut: {len(differences)} differences"
    )
    for what, text in differences[:SHOWN]:
        click.echo(f"{what}: {text!r}")
    sys.exit(bool(differences))


if __name__ == "__main__":
    fuzz()
