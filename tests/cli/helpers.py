"""Helpers of tests that read results of commands as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any


def read_statuses(results: Any, *names: str) -> dict[str, str]:
    """Return the status of each requirement of results, by its name within its document; if names are given, of these
    only."""
    found = {
        requirement["requirement"].partition("/")[2]: requirement["status"] for requirement in results["requirements"]
    }
    return {name: found[name] for name in names} if names else found


def list_failures(results: Any) -> list[tuple[str | None, str]]:
    """List the round and the requirement's name of every failure, in the order of the results."""
    return [
        (finding["where"]["round"], finding["requirement"].partition("/")[2])
        for finding in results["findings"]
        if finding["status"] == "fail"
    ]


def drop_places(findings: Iterable[Any], *parts: str) -> list[Any]:
    """Return findings without some parts of their places."""
    return [
        {**finding, "where": {key: value for key, value in finding["where"].items() if key not in parts}}
        for finding in findings
    ]


def read_table(page: Path, heading: str) -> list[list[str]]:
    """Return the rows of the table under a heading of a page in Markdown."""
    section = page.read_text("utf-8").partition(f"\n## {heading}")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]
