"""A page on the public names of the package: signatures and docstrings, read from the code."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from enum import Enum
from itertools import pairwise
from types import FunctionType
from typing import Any

import fairdeal
from fairdeal.validator.text.closed_model import unwrap_paragraphs
from tools.site.markdown import bullets, code, page, plain

_INTRODUCTION = """
    import fairdeal

    rulebook = fairdeal.load_rulebook()
    results = fairdeal.check(rulebook, "submission.yaml")
    for finding in results.findings:
        print(finding.requirement, finding.where.line, finding.observed)

These names are the public interface. Everything else below `fairdeal` may change with any version.
""".strip("\n")

_SECTIONS = ("Args:", "Returns:", "Yields:", "Raises:")
"""Headings of a docstring whose entries are a list."""
_LONGEST_LINE = 90
"""Length from which a signature has a line for each parameter."""


def write_api_page() -> str:
    """Return the page: functions first, then classes, each in the order of the alphabet."""
    public = {name: getattr(fairdeal, name) for name in fairdeal.__all__ if not name.startswith("_")}
    functions = [_describe_function(name, value) for name, value in public.items() if isinstance(value, FunctionType)]
    classes = [_describe_class(name, value) for name, value in public.items() if isinstance(value, type)]
    if len(functions) + len(classes) != len(public):
        raise ValueError("a public name is neither a function nor a class")
    return page("Python API", _INTRODUCTION, "## Functions", *functions, "## Classes", *classes)


def _describe_function(name: str, function: FunctionType) -> str:
    return "\n\n".join([f"### {name}", _quote(f"fairdeal.{_format_signature(name, function)}"), _describe(function)])


def _describe_class(name: str, kind: type) -> str:
    blocks = [f"### {name}", _describe(kind)]
    if issubclass(kind, Enum):
        blocks.append(bullets(code(str(member.value)) for member in kind))
        return "\n\n".join(blocks)
    fields = [(code(f"{field}: {type_}"), _inline(text)) for field, type_, text in _read_fields(kind)]
    if fields:
        blocks.append(bullets(f"{field}: {text}" if text else field for field, text in fields))
    for method, value in _list_methods(kind):
        if isinstance(value, property):
            blocks.append(f"`{method}`: {_describe(value)}")
        else:
            blocks += [_quote(_format_signature(method, value)), _describe(value)]
    return "\n\n".join(blocks)


def _list_methods(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the documented methods and properties that the class itself defines."""
    for name, value in vars(kind).items():
        if not name.startswith("_") and isinstance(value, FunctionType | property) and inspect.getdoc(value):
            yield name, value


def _read_fields(kind: type) -> Iterator[tuple[str, str, str]]:
    """Yield the name, type and docstring of each public field of a class."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    for statement, following in pairwise([*definition.body, ast.Pass()]):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=name)), _ if name.startswith("_"):
                continue
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, ast.unparse(statement.annotation), unwrap_paragraphs(text)
            case ast.AnnAssign(target=ast.Name(id=name)), _:
                yield name, ast.unparse(statement.annotation), ""


def _format_signature(name: str, function: FunctionType) -> str:
    """Return a signature as it is written, each parameter on its own line if it is long."""
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=_Annotation(parameter.annotation))
        for key, parameter in signature.parameters.items()
        if key != "self"
    ]
    signature = signature.replace(parameters=parameters, return_annotation=_Annotation(signature.return_annotation))
    if len(f"{name}{signature}") <= _LONGEST_LINE:
        return f"{name}{signature}"
    lines: list[str] = []
    for at, parameter in enumerate(parameters):
        kinds = {earlier.kind for earlier in parameters[:at]}
        if parameter.kind is parameter.KEYWORD_ONLY and kinds.isdisjoint(
            {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL}
        ):
            lines.append("    *,")
        lines.append(f"    {parameter},")
    return "\n".join([f"{name}(", *lines, f") -> {signature.return_annotation}"])


class _Annotation(str):
    """Annotation that a signature shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _describe(value: Any) -> str:
    """Return a docstring as Markdown, with a list for each section."""
    blocks: list[str] = []
    for paragraph in (inspect.getdoc(value) or "").split("\n\n"):
        head, *lines = paragraph.split("\n")
        if head.strip() in _SECTIONS:
            entries = textwrap.dedent("\n".join(lines)).replace("\n ", " ").split("\n")
            blocks += [f"*{head.strip(':')}*", bullets(_describe_entry(" ".join(entry.split())) for entry in entries)]
        else:
            blocks.append(_inline(" ".join(paragraph.split())))
    return "\n\n".join(blocks)


def _describe_entry(entry: str) -> str:
    name, colon, text = entry.partition(": ")
    return f"{code(name)}: {_inline(text)}" if colon and name.isidentifier() else _inline(entry)


def _inline(text: str) -> str:
    """Return a text in which only code between backticks is Markdown."""
    parts = text.split("`")
    return "".join(code(part) if at % 2 else plain(f"x{part}x")[1:-1] for at, part in enumerate(parts))


def _quote(text: str) -> str:
    return textwrap.indent(text, "    ")
