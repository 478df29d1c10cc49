"""Properties of every output: equal bytes for equal results, constant memory, no early imports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tracemalloc
from io import BytesIO

import pytest

from tests.facade.reports import BINARY_OUTPUTS, RENDERERS, render
from tests.reports import sample
from tests.reports.formats.helpers import ALL, PAGE, many

LARGE = dict.fromkeys(("concise", "markdown", "sarif", "junit", "github", "gitlab", "csv", "sqlite"), 6_000)
LARGE["xlsx"] = 2_000  # which takes as long as all the others
"""Number of findings that each output is given at once, and then twice as many."""

_HELD = 0.4
"""KiB that a finding takes at the very least where it is held."""


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize("output", sorted(BINARY_OUTPUTS))
def test_the_same_results_give_the_same_bytes(output: str, name: str) -> None:
    assert render(output, ALL[name]) == render(output, ALL[name])


def test_every_output_is_documented() -> None:
    table = PAGE.partition("| format |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| \[?`(\w+)`", table, re.M)) == set(RENDERERS)
    assert set(re.findall(r"^## (\w+)$", PAGE, re.M)) == set(RENDERERS) - {"text", "json"}


class Pipe(BytesIO):
    """Stream that cannot seek."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise OSError("not seekable")

    def tell(self) -> int:
        raise OSError("not seekable")


@pytest.mark.parametrize("output", sorted(RENDERERS))
def test_a_pipe_gets_the_same_bytes_and_stays_open(output: str) -> None:
    stream = Pipe()
    RENDERERS[output](sample.RESULTS, stream)
    assert not stream.closed
    assert stream.getvalue() == render(output, sample.RESULTS)


_MEASURE = """
import json, os, resource, sys
from tests.reports.formats.helpers import many
from fairdeal.validator.reports.renderers import RENDERERS

class Nowhere:
    closed = False
    def write(self, data): return len(data)
    def flush(self): pass
    def readable(self): return False
    def writable(self): return True
    def seekable(self): return False

def measure_peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

for output, findings in json.loads(sys.argv[1]).items():
    if not os.fork():
        RENDERERS[output](many(findings), Nowhere())
        before = measure_peak()
        RENDERERS[output](many(2 * findings), Nowhere())
        print(json.dumps([output, measure_peak() - before]), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""


@pytest.fixture(scope="module")
def growth() -> dict[str, int]:
    """Return the KiB by which the most memory of a process grows when it writes twice as many findings.

    Each output has a process of its own. It is forked: a program that is started reports at least the memory of the
    process that started it.
    """
    command = [sys.executable, "-c", _MEASURE, json.dumps(LARGE)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("output", LARGE)
def test_tens_of_thousands_of_findings_are_not_held(output: str, growth: dict[str, int]) -> None:
    assert growth[output] < LARGE[output] * _HELD / 2


def test_findings_that_are_held_take_as_much() -> None:
    tracemalloc.start()
    held = list(many(1_000).findings)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(held) == 1_000
    assert size > 1_000 * _HELD * 1024


def test_no_output_pays_for_another() -> None:
    code = """
import sys
import fairdeal.cli.common.shared_options
print(sorted({"xlsxwriter", "sqlite3", "csv", "xml.sax.saxutils"} & set(sys.modules)))
print([name for name in sys.modules if name.startswith("fairdeal.validator.reports.formats")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[]\n"
