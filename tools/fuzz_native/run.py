"""A run over changed lines."""

from __future__ import annotations

import random

from msgspec import Struct

from fairdeal.validator.evidence.jsonl.text_lookup import Scanner
from fairdeal.validator.rules.rule_files import list_documents, rules_folder
from tools.fuzz_native.compare import Sides
from tools.fuzz_native.lines import change_lines, simulate_lines

DECODED = 10
"""Texts among which one is decoded to the end."""


class Found(Struct, kw_only=True):
    """Results of a run."""

    texts: int = 0
    lines: int = 0
    usual: int = 0
    differences: list[tuple[str, bytes]] = []


def run(library: str, lines: int, seed: int, guarded: bool) -> Found:
    """Read `lines` changed lines both ways."""
    sides = Sides(Scanner(library), list_documents(rules_folder()), guarded=guarded)
    source, chance, found = simulate_lines(seed), random.Random(seed), Found()
    while found.lines < lines:
        text = change_lines(source, chance)
        found.texts += 1
        found.lines += text.count(b"\n") + 1
        if what := sides.find_difference(text, decoded=not found.texts % DECODED):
            found.differences.append((what, text))
    found.usual = sides.usual
    return found
