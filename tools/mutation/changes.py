"""A mutant: one change to the plain data of one rule file, and where it was made."""

from __future__ import annotations

from dataclasses import dataclass

from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument, SourcePosition


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """Change of one value: in `file`, the data at `target` becomes `value`.

    `place` is the path to the change, in names rather than numbers, so that it outlives entries added before it. `line`
    and `column` are its position in the file, both from 1.
    """

    file: str
    place: str
    change: str
    line: int
    column: int
    target: DataPath
    value: Data

    @property
    def name(self) -> str:
        """Name that distinguishes it from every other mutant."""
        return f"{self.file} {self.place}: {self.change}"

    @property
    def where(self) -> str:
        """Its place as compilers print it."""
        return f"{self.file}:{self.line}:{self.column}"


def make_mutant(
    file: str, tree: PositionedDocument, place: DataPath, change: str, *, target: DataPath, value: Data
) -> Mutant:
    """Build a mutant of a file, with its place from the tree."""
    position = tree.get_position(place)
    line, column = _spot(position)
    named = "/".join(_names(tree.data, place))
    return Mutant(file=file, place=named, change=change, line=line, column=column, target=target, value=value)


def _spot(position: SourcePosition) -> tuple[int, int]:
    return position.key_line or position.line, position.key_column or position.column


def _names(data: Data, place: DataPath) -> list[str]:
    """Return the parts of a path, with items of lists named by their content."""
    names: list[str] = []
    for part in place:
        inside = data[part]  # type: ignore[index]  # the path leads through the data
        if isinstance(data, list):
            called = [_name_item(item) for item in data]
            own, twins = called[int(part)], [index for index, call in enumerate(called) if call == called[int(part)]]
            names.append(own if len(twins) == 1 else f"{own}#{twins.index(int(part)) + 1}")
        else:
            names.append(str(part))
        data = inside
    return names


def _name_item(item: Data) -> str:
    """Return a short name of an item of a list: its first entry, of a list that of its first item."""
    if isinstance(item, list) and item:
        return _name_item(item[0])
    if not isinstance(item, dict) or not item:
        return str(item)
    key, value = next(iter(item.items()))
    return f"{key}={value}" if isinstance(value, str | int) else key


def replace_at(data: Data, target: DataPath, value: Data) -> Data:
    """Return the data with `value` at `target`, all else shared with the original."""
    if not target:
        return value
    first, *rest = target
    if isinstance(data, list):
        return [replace_at(item, tuple(rest), value) if index == first else item for index, item in enumerate(data)]
    assert isinstance(data, dict)
    return {key: replace_at(item, tuple(rest), value) if key == first else item for key, item in data.items()}
