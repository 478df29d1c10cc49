"""Values as people write them, and the form that a submission needs, if they can mean nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.forms.yaml_edits import ValueEdit
from fairdeal.validator.rulebook.vocabulary.submission_places import SubmissionPlace, place_from_annotation
from fairdeal.validator.text.closed_model import list_days
from fairdeal.validator.text.money import count_decimals
from fairdeal.validator.text.positioned_document import DataPath
from fairdeal.validator.text.yaml_document import ScalarRefusal, resolve_scalar

_TRUTHS: Mapping[str, bool] = MappingProxyType({"yes": True, "y": True, "no": False, "n": False})
_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NUMBERS: Mapping[str, int] = MappingProxyType({word: at for at, word in enumerate(_NUMBER_WORDS)})
_ODDS = re.compile(r"([0-9][0-9,]*) ?- ?([0-9][0-9,]*)|([0-9][0-9,]*) ?(?i:to) ?([0-9][0-9,]*)")
_COLON_ODDS = re.compile(r"[0-9][0-9,]* ?: ?[0-9][0-9,]*")
_WORD_ODDS = re.compile(r"([a-z]+) to ([a-z]+)", re.IGNORECASE)
_DOLLARS = re.compile(r"([0-9][0-9,]*(?:\.[0-9]{2})?) ?(dollars?|euros?|pounds?)", re.IGNORECASE)
_UNITS: Mapping[str, str] = MappingProxyType({"dollar": "USD", "euro": "EUR", "pound": "GBP"})
_SPLIT = re.compile(r",|;| and | & ")
_BLOCK_STYLES = ("|", ">")


class WrittenValue(Struct, frozen=True, kw_only=True):
    """Value that a file states in another form than submissions have."""

    edit: ValueEdit
    """Its correction."""
    line: int
    """Line of the value, from 1."""
    before: str
    """Value as it is written."""
    after: str
    """Value as it should be written."""


def find_written_values(root: Node, options: Mapping[str, Sequence[Any]]) -> Iterator[WrittenValue]:
    """Yield the values of a submission whose form can be corrected in one way only.

    Args:
        root: The file, composed.
        options: Values that the rules know of each option.
    """
    yield from _find_in(root, place_from_annotation(Submission), (), _find_currency(root), options)


def _find_currency(root: Node) -> str | None:
    for key, value in root.value if isinstance(root, MappingNode) else ():
        if key.value == "currency" and isinstance(value, ScalarNode):
            return str(value.value)
    return None


def _find_in(
    node: Node,
    place: SubmissionPlace | None,
    path: DataPath,
    currency: str | None,
    options: Mapping[str, Sequence[Any]],
) -> Iterator[WrittenValue]:
    if place is None:
        return
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if isinstance(key, ScalarNode):
                yield from _find_in(value, place.get_child(key.value), (*path, key.value), currency, options)
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.value):
            yield from _find_in(item, place.get_item(), (*path, index), currency, options)
    elif isinstance(node, ScalarNode) and node.style not in _BLOCK_STYLES and node.value.strip():
        text = node.value.strip()
        after: Any
        if path[:1] == ("options",):
            after = _correct_option(text, node, options.get(str(path[-1]), ()))
        else:
            after = correct_written(text, place, path, currency, is_plain=node.style is None)
        if after is not None:
            shown = f"[{', '.join(after)}]" if isinstance(after, list) else str(after)
            yield WrittenValue(
                edit=ValueEdit(path=path, value=after),
                line=node.start_mark.line + 1,
                before=text,
                after=shown.lower() if isinstance(after, bool) else shown,
            )


def _correct_option(text: str, node: ScalarNode, known: Sequence[Any]) -> Any:
    """Return the truth value of an option that the rules only test for truth; None for any other."""
    is_truth = bool(known) and all(isinstance(value, bool) for value in known)
    return _TRUTHS.get(text.lower()) if is_truth and node.style is None else None


def correct_written(
    text: str, place: SubmissionPlace, path: DataPath, currency: str | None = None, *, is_plain: bool = True
) -> Any:
    """Return the value that a text means at a place; None if it has its form already, or may mean several.

    Args:
        text: The text, without blanks around it.
        place: Values that the place may have.
        path: The place.
        currency: Currency of the amounts, if the file states one.
        is_plain: True if the text has no quotes.
    """
    kinds, key = place.kinds, path[-1] if path else ""
    if "list" in kinds:
        return _split_list(text, place)
    if kinds == {"yes or no"}:
        return _TRUTHS.get(text.lower())
    if key in find_money_keys():
        return _correct_money(text, currency)
    if kinds == {"number"}:
        resolved = resolve_scalar(text)
        whole = resolved if isinstance(resolved, int) and not isinstance(resolved, bool) and not is_plain else None
        return _NUMBERS.get(text.lower(), whole)
    if "day" in kinds:
        days = list_days(text)
        return days[0].isoformat() if len(days) == 1 and days[0].isoformat() != text else None
    return _correct_odds(text, is_plain=is_plain) if "payout" in kinds else None


def _split_list(text: str, place: SubmissionPlace) -> list[str] | None:
    """Return the texts of a list that is written as one text; None for a list of mappings."""
    item = place.get_item()
    if item is None or item.kinds != {"text"}:
        return None
    if item.choices is None:
        parts = [part.strip() for part in text.split(",")]
    else:
        parts = [part.strip() for part in _SPLIT.split(text)]
    return [part for part in parts if part] or None


def _correct_money(text: str, currency: str | None) -> int | str | None:
    dollars = _DOLLARS.fullmatch(text)
    if dollars is not None:
        unit = _UNITS[dollars[2].lower().removesuffix("s")]
        has_decimals = "." in dollars[1] and count_decimals(currency) == 0
        return None if currency != unit or has_decimals else _write_amount(dollars[1])
    return _NUMBERS.get(text.lower())


def _write_amount(text: str) -> int | str:
    return int(text) if text.isdigit() and not text.startswith("0") else text


def _correct_odds(text: str, *, is_plain: bool) -> str | None:
    """Return odds in words; odds with a colon keep it, and get quotes."""
    if text.lower() in ("even money", "evens"):
        return "1 to 1"
    odds, words = _ODDS.fullmatch(text), _WORD_ODDS.fullmatch(text)
    if odds is not None:
        after = f"{odds[1] or odds[3]} to {odds[2] or odds[4]}"
        return None if after.lower() == text.lower() else after
    if words is not None and words[1].lower() in _NUMBERS and words[2].lower() in _NUMBERS:
        return f"{_NUMBERS[words[1].lower()]} to {_NUMBERS[words[2].lower()]}"
    needs_quotes = is_plain and _COLON_ODDS.fullmatch(text) and isinstance(resolve_scalar(text), ScalarRefusal)
    return text if needs_quotes else None
