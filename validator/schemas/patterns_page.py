"""The shipped patterns of requirements as a table of the documentation."""

from __future__ import annotations

from collections.abc import Iterator

from validator.rulebook.vocabulary.pattern_model import KINDS, Parameter, Pattern, PatternsFile
from validator.rules.core.library import PATTERNS_FILE, rules_folder
from validator.schemas.reference import table_of
from validator.text.models.validate import validate
from validator.text.source import read_source
from validator.text.trees.yaml_tree import load_yaml

_DEFAULT_TEXTS = {
    "document": "the document's id",
    "deck": "the cards of the game's deck",
    "decks": "how many decks the game has",
    "lines": "all wagers and bonuses of the game",
    "lines-with-a-table": "those that have a pay table",
    "ways-of-dealing": "the ways of dealing of the game",
}


def pattern_reference() -> str:
    """Render every shipped pattern: name, text of an instance, parameters, whether it has a fault."""
    source = read_source(str(rules_folder() / "vocabulary" / PATTERNS_FILE))
    patterns = validate(load_yaml(source), PatternsFile).patterns
    return table_of(
        ("pattern", "what an instance says", "parameters"), (_render_row(*item) for item in patterns.items())
    )


def _render_row(name: str, pattern: Pattern) -> Iterator[str]:
    yield f"`{name}`"
    texts = [pattern.title, *([] if pattern.message is None else [pattern.message])]
    yield ". ".join(text.rstrip(".") for text in texts) + "." + (" With a fault." if pattern.fault else "")
    yield "<br>".join(f"`{key}`: {_describe_parameter(parameter)}" for key, parameter in pattern.parameters.items())


def _describe_parameter(parameter: Parameter) -> str:
    if parameter.optional:
        rest = "; may be left out"
    elif parameter.left_out is not None:
        rest = f"; left out, {_DEFAULT_TEXTS[parameter.left_out]}"
    elif parameter.usually is not None:
        rest = f"; left out, `{parameter.usually}`"
    else:
        rest = f", such as `{parameter.such_as}`" if parameter.such_as is not None else ""
    return f"{KINDS[parameter.kind].words}: {parameter.for_[:1].lower()}{parameter.for_[1:].rstrip('.')}{rest}"
