"""What tests of commands ask of results read as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any


def read_statuses(results: Any, *names: str) -> dict[str, str]:
    """The status of each requirement of results, by its name within its document; of some, where they are named."""
    found = {
        requirement["requirement"].partition("/")[2]: requirement["status"] for requirement in results["requirements"]
    }
    return {name: found[name] for name in names} if names else found


def list_failures(results: Any) -> list[tuple[str | None, str]]:
    """The round and the requirement's name of every failure, in the order of the results."""
    return [
        (finding["where"]["round"], finding["requirement"].partition("/")[2])
        for finding in results["findings"]
        if finding["status"] == "fail"
    ]


def drop_places(findings: Iterable[Any], *parts: str) -> list[Any]:
    """Findings without some parts of their places."""
    return [
        {**finding, "where": {key: value for key, value in finding["where"].items() if key not in parts}}
        for finding in findings
    ]


def read_table(page: Path, heading: str) -> list[list[str]]:
    """The rows of the table under a heading of a page in Markdown."""
    section = page.read_text("utf-8").partition(f"\n## {heading}")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]
