"""Semantic errors in patterns: fixed numbers, placeholders that cannot be filled, bodies that are never valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from validator.language.conditions import Problem
from validator.rulebook.vocabulary.pattern_bodies import marked, sample
from validator.rulebook.vocabulary.pattern_model import KINDS, REPEATED, Pattern, PatternsFile
from validator.rulebook.vocabulary.pattern_words import PLACEHOLDER
from validator.rulebook.vocabulary.patterns import NAME, TEXT_KEYS
from validator.rules.model.faults import Fault
from validator.rules.model.requirement import Check
from validator.text.models.problems import problems
from validator.text.models.validate import as_json
from validator.text.trees.tree import Data, Path

_NUMBER = re.compile(r"[0-9]+")
_HARMLESS = frozenset({"0", "1"})


def pattern_problems(file: PatternsFile) -> Iterator[Problem]:
    """Yield the problems of the patterns of a vocabulary."""
    for name, pattern in file.patterns.items():
        here: Path = ("patterns", name)
        yield from _find_hidden_numbers(pattern, here)
        unknown = list(_check_placeholders(pattern, here))
        yield from unknown
        if not unknown:
            yield from _check_bodies(pattern, here)


def _find_hidden_numbers(pattern: Pattern, here: Path) -> Iterator[Problem]:
    """Yield numbers that only the text of a regulation could state, written in digits in a pattern."""
    content: dict[str, Any] = {key: getattr(pattern, key) for key in (*TEXT_KEYS, "check", "fault")}
    content["parameters"] = {name: {"usually": parameter.usually} for name, parameter in pattern.parameters.items()}
    for path, value in _walk(content, here):
        if not isinstance(value, (dict, list, bool)) and value is not None:
            numbers = [digits for digits in _NUMBER.findall(str(value)) if digits not in _HARMLESS]
            if numbers:
                yield (
                    path,
                    f"a pattern may contain no number but 0 and 1, but this one contains {numbers[0]}: make it a "
                    "parameter",
                )


def _check_placeholders(pattern: Pattern, here: Path) -> Iterator[Problem]:
    """Yield placeholders without a parameter or at a wrong place, and parameters without a placeholder."""
    used: set[str] = set()
    for key in TEXT_KEYS:
        for name in PLACEHOLDER.findall(getattr(pattern, key) or ""):
            used.add(name)
            if name not in pattern.parameters:
                yield (*here, key), f"the pattern has no parameter `{name}`"
            elif pattern.parameters[name].optional or not KINDS[pattern.parameters[name].kind].sayable:
                yield (*here, key), f"`{name}` cannot be used in text: it is a condition, or optional"
    for key in ("check", "fault"):
        for path, value in _walk(getattr(pattern, key), (*here, key)):
            mark = marked(value)
            name = mark or (str(value[REPEATED]) if isinstance(value, dict) and REPEATED in value else None)
            if name is None:
                continue
            used.add(name)
            if name not in pattern.parameters:
                yield path, f"the pattern has no parameter `{name}`"
            elif mark is None and KINDS[pattern.parameters[name].kind].items is None:
                yield path, f"`{name}` is no list, so `for-each` cannot iterate over it"
    for name in pattern.parameters:
        if name == NAME:
            yield (*here, "parameters", name), f"`{NAME}` is reserved for the name of the pattern"
        elif name not in used:
            yield (*here, "parameters", name), f"the pattern does not use the parameter `{name}`"


def _check_bodies(pattern: Pattern, here: Path) -> Iterator[Problem]:
    """Yield the problems of a check or fault with a sample value in every placeholder."""
    for key, data in sample(pattern).items():
        model = Check if key == "check" else Fault
        try:
            model.model_validate_json(as_json(data))
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            for problem in problems(errors, model, data, ()):
                yield (*here, key, *problem.path), problem.said.message


def _walk(value: Data, here: Path) -> Iterator[tuple[Path, Data]]:
    yield here, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, (*here, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk(item, (*here, number))
