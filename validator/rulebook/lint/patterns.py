"""Patterns that hide law, have holes nobody can fill, or come to no requirement whatever is put in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from validator.language.conditions import Problem
from validator.rulebook.vocabulary.pattern_bodies import marked, sample
from validator.rulebook.vocabulary.pattern_model import KINDS, REPEATED, Pattern, PatternsFile
from validator.rulebook.vocabulary.pattern_words import PLACEHOLDER
from validator.rulebook.vocabulary.patterns import NAME, WORDS
from validator.rules.model.faults import Fault
from validator.rules.model.requirement import Check
from validator.text.models.problems import problems
from validator.text.models.validate import as_json
from validator.text.trees.tree import Data, Path

_NUMBER = re.compile(r"[0-9]+")
_HARMLESS = frozenset({"0", "1"})


def pattern_problems(file: PatternsFile) -> Iterator[Problem]:
    """What cannot be meant in the patterns of a vocabulary."""
    for name, pattern in file.patterns.items():
        here: Path = ("patterns", name)
        yield from _numbers(pattern, here)
        unknown = list(_holes(pattern, here))
        yield from unknown
        if not unknown:
            yield from _unsound(pattern, here)


def _numbers(pattern: Pattern, here: Path) -> Iterator[Problem]:
    """Numbers that only a text could lay down, spelt in digits anywhere in a pattern."""
    said: dict[str, Any] = {key: getattr(pattern, key) for key in (*WORDS, "check", "fault")}
    said["parameters"] = {name: {"usually": one.usually} for name, one in pattern.parameters.items()}
    for path, value in _walk(said, here):
        if not isinstance(value, (dict, list, bool)) and value is not None:
            law = [one for one in _NUMBER.findall(str(value)) if one not in _HARMLESS]
            if law:
                yield path, f"a pattern names no number but 0 and 1, and this one names {law[0]}: make it a parameter"


def _holes(pattern: Pattern, here: Path) -> Iterator[Problem]:
    """Marks of parameters that there are none of, or that cannot stand there; parameters without a mark."""
    used: set[str] = set()
    for key in WORDS:
        for name in PLACEHOLDER.findall(getattr(pattern, key) or ""):
            used.add(name)
            if name not in pattern.parameters:
                yield (*here, key), f"the pattern has no parameter `{name}`"
            elif pattern.parameters[name].optional or not KINDS[pattern.parameters[name].kind].sayable:
                yield (*here, key), f"`{name}` cannot stand in words: it is a condition, or may be left out"
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
                yield path, f"`{name}` is no list, so nothing can stand there for each of it"
    for name in pattern.parameters:
        if name == NAME:
            yield (*here, "parameters", name), f"`{NAME}` is where an instance names the pattern"
        elif name not in used:
            yield (*here, "parameters", name), f"nothing in the pattern stands for the parameter `{name}`"


def _unsound(pattern: Pattern, here: Path) -> Iterator[Problem]:
    """What no check or fault can be, with something in every hole."""
    for key, data in sample(pattern).items():
        model = Check if key == "check" else Fault
        try:
            model.model_validate_json(as_json(data))
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            for one in problems(errors, model, data, ()):
                yield (*here, key, *one.path), one.said.message


def _walk(value: Data, here: Path) -> Iterator[tuple[Path, Data]]:
    yield here, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, (*here, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk(item, (*here, number))
