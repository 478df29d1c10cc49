"""The mutation test itself is no rubber stamp: it makes every change, and it sees what examples leave open."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from tests.mutation.alternatives import (
    closed_list,
    days_near,
    kind_of,
    near,
    numbers_near,
    odds_near,
    values_at,
)
from tests.mutation.changes import changed
from tests.mutation.mutants import FIELDS_IN_WORDS, annotation_of, mutants_of
from tests.mutation.policy import INSTEAD, KEPT, ORDERED, UNCHANGED, left
from tests.mutation.run import Report
from tests.mutation.trial import open_court
from validator.cards.models import RankingsFile
from validator.rulebook.language.document import Document, ReadingFile
from validator.rulebook.language.game import Game
from validator.rulebook.language.requirement import RequirementFile
from validator.rulebook.load import VOCABULARY
from validator.text.model import OneOf, hyphenated
from validator.text.odds import Odds

LANGUAGE = (Game, RequirementFile, RankingsFile, ReadingFile, Document)


def _models(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    if model in seen:
        return
    seen.add(model)
    yield model
    for info in model.model_fields.values():
        for inner in _inside(info.annotation):
            yield from _models(inner, seen)


def _inside(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _inside(part)


def _all_models() -> list[type[BaseModel]]:
    seen: set[type[BaseModel]] = set()
    return [model for root in LANGUAGE for model in _models(root, seen)]


def _plain_types(annotation: Any) -> set[type]:
    if isinstance(annotation, type):
        return {annotation}
    return {found for part in get_args(annotation) for found in _plain_types(part)}
