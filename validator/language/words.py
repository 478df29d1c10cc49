"""Words of the rule language, and the models that have a field for each of them."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field
from pydantic.fields import FieldInfo

from validator.text.models.model import OneOf

Operand = TypeVar("Operand")


class Word(Generic[Operand]):
    """A word of the rule language. Its docstring is its documentation in schemas and reference pages."""

    key: ClassVar[str]
    """As it is written in rule files."""
    operand: ClassVar[Any]
    """The annotated type of what it applies to."""
    sample: ClassVar[str]
    """An example as flow YAML. The names in it are those of no real game: wagers `main`, `raise` and `side`, a bonus
    `bonus`, hands `player` and `dealer`."""


class ShortForm(Word[str]):
    """A key of a condition that stands for a longer one, whose operand is a text. It is put in full before a rule is
    understood, so whatever reads rules knows the full form alone."""

    def full(self, operand: str) -> dict[str, Any]:
        """The condition that it stands for."""
        raise NotImplementedError


def in_full(forms: Mapping[str, ShortForm], value: object) -> object:
    """What a short form stands for; anything else as it is."""
    key = short_form(forms, value)
    return value if key is None or not isinstance(value, dict) else forms[key].full(value[key])


def short_form(forms: Mapping[str, ShortForm], value: object) -> str | None:
    """The key of a short form, None where something else stands there."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, operand),) = value.items()
        if key in forms and isinstance(operand, str):
            return str(key)
    return None


Kind = TypeVar("Kind", bound=Word[Any])


def operators(kind: type[Kind], families: Sequence[ModuleType]) -> Mapping[str, Kind]:
    """The words of a kind by their keys, in the order in which they stand in the modules of their families.

    Raises ValueError where two have one key.
    """
    found: dict[str, Kind] = {}
    for family in families:
        for one in vars(family).values():
            if not (isinstance(one, type) and issubclass(one, kind) and "key" in vars(one)):
                continue
            if type(found.setdefault(one.key, one())) is not one:
                raise ValueError(f"two words are called {one.key}")
    return found


class OperatorModel(OneOf):
    """A model with a field for every operator of a kind, which `complete` gives it."""

    OPERATORS: ClassVar[Mapping[str, Any]] = {}
    """The operators that may stand here, by their keys."""
    SHORT_FORMS: ClassVar[Mapping[str, ShortForm]] = {}
    """What may stand here for a longer condition, by its key."""


def complete(
    model: type[OperatorModel], table: Mapping[str, Word[Any]], short: Mapping[str, ShortForm] | None = None
) -> None:
    """Gives a model its operators, a field for each and for every short form, before anything is read by it."""
    model.OPERATORS, model.SHORT_FORMS = table, short or {}
    for key, one in (*table.items(), *model.SHORT_FORMS.items()):
        described = Field(default=None, alias=key, description=one.__doc__)
        model.model_fields[key.replace("-", "_")] = FieldInfo.from_annotated_attribute(one.operand, described)
