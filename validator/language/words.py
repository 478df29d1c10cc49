"""Keywords of the rule language, and the models with a field for each of them."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field
from pydantic.fields import FieldInfo

from validator.text.models.model import OneOperatorModel

Operand = TypeVar("Operand")


class Keyword(Generic[Operand]):
    """A keyword of the rule language. Schemas and reference pages show the docstring of its class."""

    key: ClassVar[str]
    """The keyword as rule files write it."""
    operand: ClassVar[Any]
    """The annotated type of the operand."""
    sample: ClassVar[str]
    """An example as flow YAML. Its names belong to no real game: wagers `main`, `raise` and `side`, a bonus `bonus`,
    hands `player` and `dealer`."""


class ShortForm(Keyword[str]):
    """An abbreviation of a longer condition, with a text as operand.

    The reader of rule files expands it first, so all other code sees only the full form.
    """

    def expand(self, operand: str) -> dict[str, Any]:
        """Return the full condition."""
        raise NotImplementedError


def expand_short_form(forms: Mapping[str, ShortForm], value: object) -> object:
    """Return the full form of a short form; any other value unchanged."""
    key = find_short_form(forms, value)
    return value if key is None or not isinstance(value, dict) else forms[key].expand(value[key])


def find_short_form(forms: Mapping[str, ShortForm], value: object) -> str | None:
    """Return the key of a short form; None for any other value."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, operand),) = value.items()
        if key in forms and isinstance(operand, str):
            return str(key)
    return None


AnyKeyword = TypeVar("AnyKeyword", bound=Keyword[Any])


def collect_operators(kind: type[AnyKeyword], families: Sequence[ModuleType]) -> Mapping[str, AnyKeyword]:
    """Return one object for each keyword of a kind, by key, in the order of definition in the modules.

    Raises:
        ValueError: if two keywords have the same key.
    """
    keywords: dict[str, AnyKeyword] = {}
    for family in families:
        for member in vars(family).values():
            if not (isinstance(member, type) and issubclass(member, kind) and "key" in vars(member)):
                continue
            if type(keywords.setdefault(member.key, member())) is not member:
                raise ValueError(f"two keywords are called {member.key}")
    return keywords


class OperatorModel(OneOperatorModel):
    """A model with one field for every operator of a kind. `install_operators` adds the fields."""

    OPERATORS: ClassVar[Mapping[str, Any]] = {}
    """The operators that the model accepts, by key."""
    SHORT_FORMS: ClassVar[Mapping[str, ShortForm]] = {}
    """The short forms that the model accepts, by key."""


def install_operators(
    model: type[OperatorModel], table: Mapping[str, Keyword[Any]], short: Mapping[str, ShortForm] | None = None
) -> None:
    """Add one field to a model for each operator and short form. Call it before the model reads anything."""
    model.OPERATORS, model.SHORT_FORMS = table, short or {}
    for key, keyword in (*table.items(), *model.SHORT_FORMS.items()):
        described = Field(default=None, alias=key, description=keyword.__doc__)
        model.model_fields[key.replace("-", "_")] = FieldInfo.from_annotated_attribute(keyword.operand, described)
