"""Loader of files in YAML or JSON, and their validation: a typed model, or every problem with its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from msgspec.json import Encoder
from pydantic import BaseModel, ValidationError

from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from fairdeal.validator.text.plain_values import written_in, written_with_zeros
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument
from fairdeal.validator.text.source import Source

if TYPE_CHECKING:
    from fairdeal.validator.text.model_problems import ModelProblem


def is_json(source: Source) -> bool:
    """Return whether a source is JSON, by the ending of its name, or else by its first character."""
    suffix = PurePath(source.name).suffix.lower()
    return suffix == ".json" or (suffix not in (".yaml", ".yml") and source.text.lstrip()[:1] in ("{", "["))


def load_document(source: Source, problems: list[Diagnostic] | None = None) -> PositionedDocument:
    """Return the tree of a source; refused values are added to `problems` if that is given.

    The ending of the name decides between JSON and YAML. For other names, a text that starts with a bracket or brace is
    JSON, and any other text YAML.

    Raises InputError as `load_json` and `load_yaml` do.
    """
    if is_json(source):
        from fairdeal.validator.text.json_document import load_json  # noqa: PLC0415 - neither format needs the other's parser

        return load_json(source, problems)
    from fairdeal.validator.text.yaml_document import load_yaml  # noqa: PLC0415

    return load_yaml(source, problems)


_MAX_EXPLAINED = 200
"""Number of pydantic's errors that are explained: each may be compared with every key of its model."""

_ENCODER = Encoder(decimal_format="number")
Model = TypeVar("Model", bound=BaseModel)


def validate(tree: PositionedDocument, model: type[Model], *, at: DataPath = ()) -> Model:
    """Return the part of a file at a path as a model.

    Raises InputError with the problems in the order of the file, twenty at most, and the number of others. Raises
    KeyError if there is nothing at the path.
    """
    data = tree.get_value(at)
    try:
        with use_currency(model, data), written_with_zeros(list_decimals(tree, data)):
            return model.model_validate_json(to_json(data))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
    from fairdeal.validator.text.model_problems import explain_errors  # noqa: PLC0415 - only invalid input needs explanations

    explained = explain_errors(errors[:_MAX_EXPLAINED], model, data, at)
    diagnostics = dict.fromkeys(_to_diagnostic(tree, problem) for problem in explained)
    raise InputError(
        limit_diagnostics(sorted(diagnostics, key=_get_place), unnamed=max(0, len(errors) - _MAX_EXPLAINED))
    )


def list_decimals(tree: PositionedDocument, data: Data) -> Iterator[Decimal]:
    """Yield the decimal numbers of a part of a file; none if no line of the file has three zeros after a point."""
    waiting = [data] if any(".000" in line for line in tree.lines) else []
    while waiting:
        match waiting.pop():
            case Decimal() as number:
                yield number
            case dict() as mapping:
                waiting += mapping.values()
            case list() as items:
                waiting += items


def use_currency(model: type[BaseModel], data: Data) -> AbstractContextManager[None]:
    """Return a context in which amounts are in the currency that the data of a model name."""
    keys = model.CURRENCY_AT if issubclass(model, ClosedModel) else ()
    if not keys:
        return nullcontext()
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return written_in(data)


def _to_diagnostic(tree: PositionedDocument, problem: ModelProblem) -> Diagnostic:
    said = problem.text
    return tree.build_diagnostic(
        problem.path, said.code, said.message, expected=said.expected, help=said.help, at_key=problem.at_key
    )


def _get_place(diagnostic: Diagnostic) -> tuple[int, int]:
    return diagnostic.line or 0, diagnostic.column or 0


def to_json(value: Data) -> bytes:
    """Return a value as JSON text, numbers digit for digit as in the file. The loaders bound its depth."""
    return _ENCODER.encode(value)
