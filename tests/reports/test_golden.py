"""Whole reports, byte for byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.facade.reports import BINARY_OUTPUTS, RENDERERS, render, unpack_data
from tests.facade.results import Results
from tests.reports import sample
from tests.reports.helpers import OnDisk

RESULTS = {"violations": sample.RESULTS, "empty": sample.EMPTY, "compliant": sample.COMPLIANT}


@pytest.mark.parametrize("name", sorted(RESULTS))
@pytest.mark.parametrize("output", sorted(set(RENDERERS) - BINARY_OUTPUTS))
def test_report_is_the_golden_one(golden: Callable[[str, bytes], None], output: str, name: str) -> None:
    found = render(output, RESULTS[name])
    golden(f"{name}.{output}", unpack_data(found) if output == "html" else found)


@pytest.mark.parametrize("output", sorted(RENDERERS))
def test_findings_on_disk_give_the_same_bytes_and_are_only_iterated(output: str) -> None:
    parts = {name: getattr(sample.RESULTS, name) for name in Results.__struct_fields__}
    lazy = OnDisk(sample.FINDINGS)
    assert render(output, Results(**parts | {"findings": lazy})) == render(output, sample.RESULTS)
    assert 1 <= lazy.passes <= 3
