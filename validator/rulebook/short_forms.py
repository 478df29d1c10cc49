"""Expansion of short forms in rule files: matrices of pay tables, printed tables, and `void` of a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import NO_ROW, VOID_FOR_A_CAUSE, VOID_KEY, PayMatrix, Void
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument, SourcePosition


class FilePart(Struct, frozen=True, kw_only=True):
    """A part of the file, with the positions of everything within it."""

    path: DataPath
    """Its place in the file."""
    key: DataPath | None = None
    """Place in the file of the part whose key is its key; None for its own key."""


class NewPart(Struct, frozen=True, kw_only=True):
    """Data that is written from a part of the file. Everything in it but parts of the file has one position."""

    data: Any
    """The data, which may contain parts of the file."""
    at: DataPath
    """Place in the file of what it is written from."""


def rewrite_document(tree: PositionedDocument, data: Any, at: DataPath) -> PositionedDocument:
    """Return a document with other data, which may contain parts of the file.

    Mappings and lists outside of new parts have the position of the same path in the file, or else of the path `at`.
    """
    positions: dict[DataPath, SourcePosition] = {}

    def write(node: Any, target: DataPath, source: DataPath | None) -> Any:
        if isinstance(node, NewPart):
            return write(node.data, target, node.at)
        if isinstance(node, FilePart):
            value = tree.get_value(node.path)
            positions.update({(*target, *path): tree.positions[*node.path, *path] for path in list_places(value)})
            if node.key is not None:
                line = tree.positions[node.key]
                positions[target] = replace(positions[target], key_line=line.key_line, key_column=line.key_column)
            return value
        positions[target] = tree.positions[source or (target if target in tree.positions else at)]
        if isinstance(node, dict):
            return {key: write(value, (*target, key), source) for key, value in node.items()}
        if isinstance(node, list):
            return [write(value, (*target, index), source) for index, value in enumerate(node)]
        return node

    return replace(tree, data=write(data, (), None), positions=positions)


def list_places(value: Data) -> list[DataPath]:
    """Return the places of a value and of everything within it, in the order of the file."""
    places: list[DataPath] = []
    waiting: list[tuple[DataPath, Data]] = [((), value)]
    while waiting:
        here, part = waiting.pop()
        places.append(here)
        if isinstance(part, dict):
            waiting.extend([((*here, key), item) for key, item in part.items()][::-1])
        elif isinstance(part, list):
            waiting.extend([((*here, index), item) for index, item in enumerate(part)][::-1])
    return places


def keep_parts(tree: PositionedDocument, *path: str | int) -> Any:
    """Return a mapping or a list of the file as its parts; an empty mapping if the file has nothing there."""
    value: Any = tree.get_value(path) if path in tree.positions else {}
    if isinstance(value, list):
        return [FilePart(path=(*path, index)) for index in range(len(value))]
    return {key: FilePart(path=(*path, key)) for key in value}


_MATRICES_KEY = "pay-matrices"
_TABLES_KEY = "pay-tables"
_MATRIX_KEYS = ("tables", "rows")


def expand_pay_matrices(tree: PositionedDocument) -> PositionedDocument:
    """Return a game in which every table of a matrix is an entry of `pay-tables`, positioned at its part of the matrix.

    Raises InputError for a matrix that breaks its model, whose rows do not have one entry for each table, or which
    repeats a table.
    """
    data = tree.data
    if not isinstance(data, dict) or not isinstance(data.get(_MATRICES_KEY), list):
        return tree
    matrices = data[_MATRICES_KEY]
    assert isinstance(matrices, list)
    tables = data.get(_TABLES_KEY, {})
    all_tables = keep_parts(tree, _TABLES_KEY) if isinstance(tables, dict) else {}
    problems: list[Diagnostic] = []
    for number, matrix in enumerate(matrices):
        here = (_MATRICES_KEY, number)
        model = validate(tree, PayMatrix, at=here)
        assert isinstance(matrix, dict)
        problems += _find_uneven_rows(tree, model, here)
        for name in model.tables:
            if name in all_tables:
                message = f"the pay table {name} is defined twice"
                problems.append(tree.build_diagnostic((*here, "tables", name), "semantic-error", message, at_key=True))
        if not problems:
            for column, name in enumerate(model.tables):
                all_tables[name] = _extract_table(tree, here, name, column)
    if problems:
        raise InputError(limit_diagnostics(problems))
    rest = {key: part for key, part in keep_parts(tree).items() if key != _MATRICES_KEY}
    return rewrite_document(tree, {**rest, _TABLES_KEY: all_tables}, (_MATRICES_KEY,))


def _find_uneven_rows(tree: PositionedDocument, matrix: PayMatrix, here: DataPath) -> Iterator[Diagnostic]:
    """Yield diagnostics for rows that do not have one entry for each table."""
    for row, cells in matrix.rows.items():
        if len(cells) != len(matrix.tables):
            message = f"the row {row} has {len(cells)} entries, but there are {len(matrix.tables)} tables"
            help_ = f"write `{NO_ROW}` for a table that does not have the row"
            yield tree.build_diagnostic((*here, "rows", row), "semantic-error", message, help=help_)


def _extract_table(tree: PositionedDocument, here: DataPath, name: str, column: int) -> NewPart:
    """Return a table of the matrix at `here`."""
    place = (*here, "tables", name)
    parts: dict[str, Any] = keep_parts(tree, *here) | keep_parts(tree, *place)
    rows = [(*here, "rows", row) for row in keep_parts(tree, *here, "rows")]
    payouts = {
        str(row[-1]): FilePart(path=(*row, column), key=row) for row in rows if tree.get_value((*row, column)) != NO_ROW
    }
    requirements = (*here, "requirements")
    if column and requirements in tree.positions and (*place, "requirements") not in tree.positions:
        stated = keep_parts(tree, *requirements)  # the first table defines them
        names = [(*part.path, "requirement") for part in stated]
        parts["requirements"] = [
            FilePart(path=path) if path in tree.positions else part for path, part in zip(names, stated, strict=True)
        ]
    parts = {key: part for key, part in parts.items() if key not in _MATRIX_KEYS}
    return NewPart(data={**parts, "rows": payouts}, at=place)


_PAY_TABLES_KEY = "pay-tables"


def expand_printed_tables(tree: PositionedDocument, game: Game | None, inside: DataPath = ()) -> PositionedDocument:
    """Return a submission, or a file with one `inside`, in which named printed pay tables have their rows.

    Names that the game does not define are left as they are. Raises InputError if a table has both a name and rows of
    its own.
    """
    if game is None or (*inside, _PAY_TABLES_KEY) not in tree.positions:
        return tree
    return replace(tree, data=_fill_rows(tree, game, tree.data, inside, ()))


def _fill_rows(tree: PositionedDocument, game: Game, data: Data, inside: DataPath, here: DataPath) -> Data:
    """Return data with all tables below a place filled in; `inside` is the path from there to the submission."""
    if not isinstance(data, dict):
        return data
    if inside:
        key = str(inside[0])
        return {**data, key: _fill_rows(tree, game, data[key], inside[1:], (*here, key))}
    tables = data[_PAY_TABLES_KEY]
    if not isinstance(tables, list):
        return data
    return {
        **data,
        _PAY_TABLES_KEY: [
            _fill_table(tree, game, table, (*here, _PAY_TABLES_KEY, at)) for at, table in enumerate(tables)
        ],
    }


def _fill_table(tree: PositionedDocument, game: Game, table: Data, here: DataPath) -> Data:
    if not isinstance(table, dict) or (name := table.get("printed")) not in game.pay_tables:
        return table
    if "rows" in table:
        message = "a pay table has either its own `rows` or the name of a `printed` one, not both"
        help_ = "remove the rows if they are those of the printed table, otherwise the name"
        raise InputError(
            (tree.build_diagnostic((*here, "printed"), "semantic-error", message, help=help_, at_key=True),)
        )
    rows: list[Data] = [{"hand": hand, "odds": str(payout)} for hand, payout in game.pay_tables[str(name)].rows.items()]
    return {**table, "rows": rows}


_MOVED_KEYS = ("when", "cases")


def expand_void(tree: PositionedDocument) -> PositionedDocument:
    """Return a game with the facts, cases, requirements and miscounts of its `void`, positioned at its lines.

    Conditions move to the facts, and cases to the head of the settlement. Requirements stay in `void`; those without
    clauses or severity have the ones of their cause or of the section.

    Raises InputError if `void` breaks its model, or writes a fact that the game states.
    """
    here: DataPath = (VOID_KEY,)
    data: Any = tree.data
    if here not in tree.positions or not _has_form(data):
        return tree
    void = validate(tree, Void, at=here)
    section = _build_rest(tree, here) | {"causes": []}
    facts: dict[str, Any] = {}
    cases, miscounts = _build_cases(tree, here), list[NewPart]()
    causes = [(cause, (*here, "causes", index)) for index, cause in enumerate(void.causes)]
    if void.without_a_cause is not None:
        causes.append((void.without_a_cause, (*here, "without-a-cause")))
    for cause, place in causes:
        if cause.when is not None:
            facts[cause.cause] = FilePart(path=(*place, "when"))
        cases += _build_cases(tree, place, cause.cause)
        words = {"voids": cause.voids} | _find_defaults(tree, place, ("declared", "voids"))
        parts = keep_parts(tree, *place, "miscounts")
        miscounts += [NewPart(data={"place": miscounted, **words}, at=place) for miscounted in parts]
        rest = _build_rest(tree, place)
        if cause is void.without_a_cause:
            section["without-a-cause"] = rest
        else:
            section["causes"].append(rest)
    seats = [cause.cause for cause in void.causes if cause.voids == "seat"]
    rounds: list[Any] = [cause.cause for cause in void.causes if cause.voids == "round"]
    facts[VOID_KEY] = NewPart(data={"any": [cause.cause for cause, _ in causes]}, at=here)
    any_cause = [*rounds, *([{"some-seat": {"any": seats}}] if seats else [])]
    facts[VOID_FOR_A_CAUSE] = NewPart(data={"any": any_cause}, at=here)
    if twice := [fact for fact in facts if ("facts", fact) in tree.positions]:
        message, help_ = "`void` also states the fact {}", "give one of the two another name"
        raise InputError(
            limit_diagnostics(
                tree.build_diagnostic(("facts", fact), "semantic-error", message.format(fact), help=help_, at_key=True)
                for fact in twice
            )
        )
    written = {
        VOID_KEY: section,
        "facts": keep_parts(tree, "facts") | facts,
        "settlement": keep_parts(tree, "settlement") | {"cases": [*cases, *keep_parts(tree, "settlement", "cases")]},
        "miscounts": [*keep_parts(tree, "miscounts"), *miscounts],
    }
    return rewrite_document(tree, keep_parts(tree) | written, here)


def _has_form(game: Any) -> bool:
    """Return whether the sections that are added to are mappings and lists."""
    facts, settlement, miscounts = game.get("facts", {}), game.get("settlement", {}), game.get("miscounts", [])
    return (
        isinstance(facts, dict)
        and isinstance(settlement, dict)
        and isinstance(settlement.get("cases", []), list)
        and isinstance(miscounts, list)
    )


def _build_rest(tree: PositionedDocument, place: DataPath) -> dict[str, Any]:
    """Build what stays in `void` of the section or of a cause: all but conditions and cases."""
    rest = {key: part for key, part in keep_parts(tree, *place).items() if key not in _MOVED_KEYS}
    defaults = _find_defaults(tree, place, ("clauses", "severity"))
    shared = [*keep_parts(tree, VOID_KEY, "readings")]
    requirements: list[NewPart] = []
    for part in keep_parts(tree, *place, "requirements"):
        readings = [*shared, *keep_parts(tree, *part.path, "readings")]
        data = defaults | keep_parts(tree, *part.path) | {"readings": readings}
        requirements.append(NewPart(data=data, at=part.path))
    return rest | ({"requirements": requirements} if requirements else {})


def _find_defaults(tree: PositionedDocument, place: DataPath, keys: Iterable[str]) -> dict[str, Any]:
    """Return what a cause, or else the section, states for all its parts."""
    holders = (place[:1], place)  # the cause has the last word
    paths = [(key, (*holder, key)) for key in keys for holder in holders if (*holder, key) in tree.positions]
    return {key: FilePart(path=path) for key, path in paths}


def _build_cases(tree: PositionedDocument, place: DataPath, cause: str | None = None) -> list[NewPart]:
    """Build the cases of settlement of a cause; those of the section if there is no cause."""
    defaults = _find_defaults(tree, place, ("clauses",))
    holds = {} if cause is None else {"when": cause}
    cases: list[NewPart] = []
    for part in keep_parts(tree, *place, "cases"):
        own = keep_parts(tree, *part.path)
        both = {"when": [holds["when"], own["when"]]} if holds and "when" in own else {}
        cases.append(NewPart(data={"case": own["case"]} | defaults | holds | own | both, at=part.path))
    lines = _find_defaults(tree, place, ("returned",))
    if cause is not None and lines:
        returned = {"case": cause, "lines": lines["returned"], **holds, "due": "returned"}
        cases.append(NewPart(data=returned | defaults, at=place))
    return cases
