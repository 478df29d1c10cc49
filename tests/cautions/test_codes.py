"""Codes of `rules check` that have new names."""

from __future__ import annotations

import re

import pytest

from fairdeal.validator.rule_checks.check_registry import RENAMED_CODES
from tests.facade.commands import ROOT

SOURCES = {
    path: path.read_text("utf-8")
    for path in sorted((ROOT / "validator").rglob("*.py"))
    if "RENAMED_CODES" not in path.read_text("utf-8")
}
USED_OTHERWISE = {"left-out", "no-event"}
"""Former codes that are also keys or values of rule files."""


@pytest.mark.parametrize(("former", "present"), RENAMED_CODES.items())
def test_only_the_present_code_is_reported(former: str, present: str) -> None:
    assert any(f'"{present}"' in text for text in SOURCES.values())
    reported = [str(path) for path, text in SOURCES.items() if f'code = "{former}"' in text]
    if former not in USED_OTHERWISE:
        reported += [str(path) for path, text in SOURCES.items() if f'"{former}"' in text]
    assert reported == []


def test_each_code_has_one_plain_name() -> None:
    assert len({*RENAMED_CODES.values()}) == len(RENAMED_CODES)
    assert RENAMED_CODES.keys().isdisjoint(RENAMED_CODES.values())
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in RENAMED_CODES.values())
