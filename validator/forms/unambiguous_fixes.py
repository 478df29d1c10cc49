"""Corrections of YAML that leave all else unchanged: edits of values, indents, values that mean one thing only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.forms.form_entries import format_flow, format_inline
from fairdeal.validator.rulebook.submission_places import SubmissionPlace, place_from_annotation
from fairdeal.validator.text.closed_model import list_days
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.plain_values import count_decimals
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument
from fairdeal.validator.text.source import Source, decode_source
from fairdeal.validator.text.yaml_document import ScalarRefusal, load_yaml, resolve_scalar

_QUOTES = ("'", '"')


class ValueEdit(Struct, frozen=True, kw_only=True):
    """Replacement of a scalar, or of a key."""

    path: DataPath
    """Path of the value."""
    value: Any
    """The new scalar."""
    at_key: bool = False
    """True to replace the key at the path instead of the value."""


class EntryEdit(Struct, frozen=True, kw_only=True):
    """Insertion of a flat mapping into a list."""

    path: DataPath
    """Path of the list."""
    before_index: int
    """Index of the entry before which it is inserted; at the end if there is none."""
    values: Mapping[str, Any]
    """Content of the new entry."""


YamlEdit = ValueEdit | EntryEdit


class _Replacement(Struct, frozen=True, kw_only=True):
    start: int
    end: int
    text: str


def apply_edits(text: str, splices: Sequence[YamlEdit]) -> str:
    """Apply edits to the text of a YAML file. Their paths must exist."""
    root = YAML().compose(text)
    replacements: list[_Replacement] = []
    extended_lists: set[DataPath] = set()
    for splice in splices:
        if isinstance(splice, ValueEdit):
            replacements.append(_replace_value(text, root, splice))
        else:
            replacements.append(_insert_entry(text, root, splice, first=splice.path not in extended_lists))
            extended_lists.add(splice.path)
    replacements.sort(key=lambda cut: cut.start)  # entries inserted at the same place keep their order
    parts: list[str] = []
    position = 0
    for cut in replacements:
        parts += [text[position : cut.start], cut.text]
        position = cut.end
    return "".join((*parts, text[position:]))


def _replace_value(text: str, root: Node, splice: ValueEdit) -> _Replacement:
    node = _find_key_node(root, splice.path) if splice.at_key else _find_node(root, splice.path)
    assert isinstance(node, ScalarNode)
    start, end = node.start_mark.index, node.end_mark.index
    written = format_inline(splice.value)
    if isinstance(splice.value, str) and node.style in _QUOTES:
        quote = str(node.style)
        if splice.value.isprintable() and not set("'\"\\") & set(splice.value):
            written = f"{quote}{splice.value}{quote}"
    old = text[start:end]
    return _Replacement(start=start, end=end, text=written + old[len(old.rstrip()) :])


def _insert_entry(text: str, root: Node, splice: EntryEdit, *, first: bool) -> _Replacement:
    """Build the insertion of an entry, in the style of its neighbours.

    In a list with brackets it goes between them, otherwise on its own lines after the preceding entry. Comments above
    the next entry thus stay in place. `first` is whether it is the first entry added to the list.
    """
    node = _find_node(root, splice.path)
    assert isinstance(node, SequenceNode)
    entries = list(node.value)
    if node.flow_style:
        if splice.before_index < len(entries):
            at = entries[splice.before_index].start_mark.index
            return _Replacement(start=at, end=at, text=f"{format_flow(splice.values)}, ")
        at = entries[-1].end_mark.index if entries else node.start_mark.index + 1
        return _Replacement(
            start=at, end=at, text=f"{', ' if entries or not first else ''}{format_flow(splice.values)}"
        )
    is_first_entry = splice.before_index == 0
    neighbour = entries[max(splice.before_index - 1, 0)]
    column = neighbour.start_mark.column
    line = text.rindex("\n", 0, neighbour.start_mark.index) + 1
    before = text[line : neighbour.start_mark.index]
    newline = "\r\n" if "\r\n" in text else "\n"
    if neighbour.flow_style:
        inserted = f"{before}{format_flow(splice.values)}"
    else:
        rows = [format_inline(key) + ": " + format_inline(value) for key, value in splice.values.items()]
        inserted = before + f"{newline}{' ' * column}".join(rows)
    if is_first_entry:
        return _Replacement(start=line, end=line, text=f"{inserted}{newline}")
    end = text.find("\n", _find_end(neighbour))
    if end < 0:
        return _Replacement(start=len(text), end=len(text), text=f"{newline}{inserted}")
    return _Replacement(start=end + 1, end=end + 1, text=f"{inserted}{newline}")


def _find_end(node: Node) -> int:
    """Return where a node ends, without the blanks and comments after a block mapping or list."""
    if not isinstance(node, (MappingNode, SequenceNode)) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return max(map(_find_end, last)) if isinstance(last, tuple) else _find_end(last)


def _find_node(root: Node, path: DataPath) -> Node:
    for step in path:
        if isinstance(root, MappingNode):
            root = next(value for key, value in root.value if key.value == step)
        else:
            root = root.value[step]
    return root


def _find_key_node(root: Node, path: DataPath) -> Node:
    parent = _find_node(root, path[:-1])
    return next(key for key, _ in parent.value if key.value == path[-1])


MOST_LINES = 20
"""Limit of the lines of a file that are moved."""
_INDENT = re.compile(r"[ \t]*")
_ENTRY = re.compile(r"[ ]*(- +)?(?=\S)")
_SYNTAX = "syntax"


class MovedLine(Struct, frozen=True, kw_only=True):
    """Line whose indent is corrected."""

    line: int
    """Line, from 1."""
    before: str
    """The line before."""
    after: str
    """The line after."""


def fix_indents(source: Source, count_unknown: Callable[[PositionedDocument], int]) -> tuple[Source, list[MovedLine]]:
    """Return a YAML file with the indents of lines that cannot be read corrected, and these lines.

    A line moves to the indent of a line above it. Nothing is changed if several indents make the file readable with
    the fewest unknown keys.

    Args:
        source: The file.
        count_unknown: Function that counts the keys and words that a submission does not have.
    """
    moved: list[MovedLine] = []
    current = source
    for _ in range(MOST_LINES):
        line = _find_unreadable(current)
        if line is None:
            return current, moved
        better = _move_lines(current, line, count_unknown)
        if better is None:
            return source, []
        current, change = better
        moved.append(change)
    return (source, []) if _find_unreadable(current) is not None else (current, moved)


def _find_unreadable(source: Source) -> int | None:
    """Return the line, from 1, at which YAML cannot be read; None if it can."""
    try:
        load_yaml(source, [])
    except InputError as error:
        syntax = [problem for problem in error.diagnostics if problem.code == _SYNTAX]
        return syntax[0].line if syntax else None
    return None


def _move_lines(
    source: Source, problem: int, count_unknown: Callable[[PositionedDocument], int]
) -> tuple[Source, MovedLine] | None:
    """Return the file with the line of a problem, or the line before it, at the only indent that can be meant."""
    for at in (problem - 1, problem - 2):
        tries = list(_list_moves(source, at)) if 0 < at < len(source.split_text()) else []
        measured = [(_measure(changed, problem, last, count_unknown), changed, line) for changed, line, last in tries]
        best = min((unknown for unknown, _, _ in measured if unknown is not None), default=None)
        chosen = [(changed, line) for unknown, changed, line in measured if unknown == best and best is not None]
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            return None
    return None


def _measure(source: Source, problem: int, last: int, count_unknown: Callable[[PositionedDocument], int]) -> int | None:
    """Return the unknown keys down to the last line that moved; None if the problem is still there."""
    line = _find_unreadable(source)
    if line is not None and line <= problem:
        return None
    start = "".join(source.text.splitlines(keepends=True)[: max(last, problem)])
    try:
        return count_unknown(load_yaml(decode_source(source.name, start.encode()), []))
    except InputError:
        return None


def _list_moves(source: Source, at: int) -> Iterator[tuple[Source, MovedLine, int]]:
    """Yield the file with a line, and the deeper lines below it, at each other indent of the lines above.

    The number is that of the last line that moved.
    """
    lines = source.text.splitlines(keepends=True)
    old = _measure_indent(lines[at])
    last = at + 1
    while last < len(lines) and (not lines[last].strip() or _measure_indent(lines[last]) > old):
        last += 1
    for indent in sorted(_list_indents(lines[:at]) - ({old} if "\t" not in _find_blanks(lines[at]) else set())):
        moved = [_indent(line, max(0, _measure_indent(line) + indent - old)) for line in lines[at:last]]
        text = "".join((*lines[:at], *moved, *lines[last:]))
        bom = source.data[:3] if source.data.startswith(b"\xef\xbb\xbf") else b""
        change = MovedLine(line=at + 1, before=lines[at].rstrip("\r\n"), after=moved[0].rstrip("\r\n"))
        yield decode_source(source.name, bom + text.encode()), change, last


def _list_indents(lines: list[str]) -> set[int]:
    """Return the columns at which lines above begin, and at which the entries of their lists begin."""
    indents = {0}
    for line in lines[-50:]:
        if line.strip() and not line.lstrip().startswith("#"):
            entry = _ENTRY.match(line)
            indents |= {_measure_indent(line), *(() if entry is None else (entry.end(),))}
    return indents


def _find_blanks(line: str) -> str:
    match = _INDENT.match(line)
    return "" if match is None else match[0]


def _measure_indent(line: str) -> int:
    return len(_find_blanks(line).expandtabs(2))


def _indent(line: str, width: int) -> str:
    return f"{' ' * width}{line[len(_find_blanks(line)) :]}" if line.strip() else line


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
