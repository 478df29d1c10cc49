"""Requirements that a game states in its own file, converted to a file of requirements.

Every statement makes the check of its requirement: a case `settled`, a cap `capped`, a pay table `pay-tables`, a course
`phase`. Wagers, decisions and steps may have complete requirements of their own. All are treated like requirements in
files, and problems are reported at their place in the game's file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from validator.rulebook.loading.rule_file import GameRequirements, RuleFile
from validator.rulebook.loading.statement_titles import cap_title, case_title, course_title, table_title
from validator.rulebook.vocabulary.patterns import STATEMENTS
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.rules.model.settlement import Case
from validator.text.diagnostics import Diagnostic, InputError, at_most
from validator.text.models.validate import validate
from validator.text.trees.tree import Data, Path, Position, Tree

_TOPIC_TITLE = "What the game states"
_NAME_KEY = "requirement"
_BOUNDARY_KEYS = ("begins", "of", "at-least-one")
_TABLE_KEYS = ("match", "when")


class _Statement(Struct, frozen=True, kw_only=True):
    """A statement of a game that is a requirement or a part of one."""

    place: Path
    """Place of the statement in the file of the game."""
    entry: Path
    """Place of the entry that names the requirement."""
    words: Mapping[str, Data]
    """Content of the entry: the name of the requirement and its other keys."""
    head: Path
    """Place of the mapping that supplies defaults such as `severity`."""
    title: str
    """Title of the requirement if the entry has none."""
    clauses: Sequence[str]
    """Clauses of the statement."""
    check: tuple[str, Mapping[str, Data]]
    """Operator of the check, and its operand; lists are joined with those of other statements."""
    own_keys: Sequence[str] = ()
    """Keys of the entry that belong to the check."""
    fault: Data = None
    """Fault of the requirement if the entry has none."""

    @property
    def name(self) -> str:
        """Name of the requirement."""
        return str(self.words[_NAME_KEY])

    @property
    def is_defining(self) -> bool:
        """True if the entry defines the requirement, and does not only name it."""
        return len(self.words) > 1


def with_game_requirements(files: Sequence[RuleFile]) -> tuple[RuleFile, ...]:
    """Return the files of a document, and after its game the requirements that the game states.

    Raises InputError if several statements of one requirement contradict each other.
    """
    listed = [
        requirement
        for file in files
        if isinstance(file.model, RequirementFile)
        for requirement in file.model.requirements
    ]
    judged = {
        (operator, name)
        for requirement in listed
        for operator, key in (("settled", "cases"), ("capped", "cap"))
        if requirement.check.operator == operator
        for name in _as_list(getattr(requirement.check.operand, key))
    }
    complete: list[RuleFile] = []
    for file in files:
        complete.append(file)
        if isinstance(file.model, Game):
            statements = [
                *_list_pay_table_statements(file.tree, file.model),
                *_list_course_statements(file.tree, file.model),
            ]
            statements += [
                *_list_settlement_statements(file.tree, file.model, judged),
                *_list_inline_requirements(file.tree),
            ]
            if statements:
                complete.append(_build_requirements(file, statements))
    return tuple(complete)


def _list_inline_requirements(tree: Tree) -> Iterator[_Statement]:
    """Yield the complete requirements of wagers, decisions and steps, with patterns expanded."""
    for key in STATEMENTS:
        part: Any = _get_mapping(tree.data, ()).get(key, {})
        for name in part if isinstance(part, dict) else range(len(part)):
            for entry, words in _list_entries(tree, (key, name)):
                check: Any = words["check"]
                ((operator, operand),) = check.items()
                yield _Statement(
                    place=(key, name),
                    entry=entry,
                    words=words,
                    head=(),
                    title="",
                    clauses=(),
                    check=(operator, operand),
                )


def _list_pay_table_statements(tree: Tree, game: Game) -> Iterator[_Statement]:
    for name, table in game.pay_tables.items():
        here: Path = ("pay-tables", name)
        for entry, words in _list_entries(tree, here):
            operand: dict[str, Any] = {"for": table.for_, "match": words.get("match", "exactly"), "one-of": [name]}
            yield _Statement(
                place=here,
                entry=entry,
                words=words,
                head=here,
                title=table_title(game, table),
                clauses=table.clauses,
                check=("pay-tables", operand),
                own_keys=_TABLE_KEYS,
            )


def _list_settlement_statements(tree: Tree, game: Game, judged: set[tuple[str, str]]) -> Iterator[_Statement]:
    cases, caps = game.settlement.cases, game.settlement.caps
    for operator, key, listed in (
        (
            "settled",
            "cases",
            [(case.case, case_title(game, case), case.clauses, _build_payment_fault(case)) for case in cases],
        ),
        ("capped", "caps", [(cap.cap, cap_title(game, cap), cap.clauses, _build_pay_fault("under")) for cap in caps]),
    ):
        for index, (name, title, clauses, fault) in enumerate(listed):
            here: Path = ("settlement", key, index)
            entries = list(_list_entries(tree, here))
            if not entries and (operator, name) not in judged:
                entries = [(here, {_NAME_KEY: name})]
            for entry, words in entries:
                operand: dict[str, Data] = {"cases": [name]} if operator == "settled" else {"cap": name}
                yield _Statement(
                    place=here,
                    entry=entry,
                    words=words,
                    head=("settlement",),
                    title=title,
                    clauses=clauses,
                    check=(operator, operand),
                    fault=fault,
                )


def _build_payment_fault(case: Case) -> Data:
    """Return how a simulated round can break a case; None if the house may pay what it likes."""
    match case.due.operand:
        case "open":
            return None
        case "lost" | "nothing":
            return _build_pay_fault("over")
    return _build_pay_fault("under")


def _build_pay_fault(how: str) -> dict[str, Data]:
    return {"pay": how}


def _list_course_statements(tree: Tree, game: Game) -> Iterator[_Statement]:
    for name, course in game.courses.items():
        here: Path = ("courses", name)
        for (entry, words), requirement in zip(_list_entries(tree, here), course.requirements, strict=True):
            yield _Statement(
                place=entry,
                entry=entry,
                words=words,
                head=here,
                title=course_title(game, course, requirement),
                clauses=requirement.clauses,
                check=("phase", {"course": name}),
                own_keys=_BOUNDARY_KEYS,
            )


def _list_entries(tree: Tree, here: Path) -> Iterator[tuple[Path, Mapping[str, Data]]]:
    """Yield the requirement entries of a statement with their places; a bare name becomes a mapping."""
    entries: Any = _get_mapping(tree.data, here).get("requirements", [])
    for index, entry in enumerate(entries):
        yield (*here, "requirements", index), {_NAME_KEY: entry} if isinstance(entry, str) else entry


def _get_mapping(data: Any, place: Path) -> dict[str, Any]:
    for part in place:
        data = data[part]
    assert isinstance(data, dict)
    return data


def _build_requirements(file: RuleFile, statements: Sequence[_Statement]) -> GameRequirements:
    by_name: dict[str, list[_Statement]] = {}
    for statement in statements:
        by_name.setdefault(statement.name, []).append(statement)
    groups = list(by_name.values())
    problems = [problem for group in groups for problem in _find_conflicts(file.tree, group)]
    if problems:
        raise InputError(at_most(problems))
    data: dict[str, Data] = {
        "topic": _TOPIC_TITLE,
        "requirements": [_merge_statements(file.tree, group) for group in groups],
    }
    tree = Tree(
        data=data, source_name=file.tree.source_name, lines=file.tree.lines, positions=_map_positions(file.tree, groups)
    )
    return GameRequirements(
        name=file.name,
        sha256=file.sha256,
        tree=tree,
        model=validate(tree, RequirementFile),
        game=file.tree,
        stated={
            name: tuple(dict.fromkeys(statement.place for statement in (_select_defining(group), *group)))
            for name, group in by_name.items()
        },
    )


def _select_defining(group: Sequence[_Statement]) -> _Statement:
    """Return the statement that defines a requirement; the first, if none does."""
    return next((statement for statement in group if statement.is_defining), group[0])


def _find_conflicts(tree: Tree, group: Sequence[_Statement]) -> Iterator[Diagnostic]:
    """Yield diagnostics for statements that cannot form one requirement."""
    first, speaking = group[0], [statement for statement in group if statement.is_defining]
    for statement in speaking[1:]:
        yield tree.diagnostic(
            statement.entry,
            "duplicate-statement",
            f"another statement already defines {statement.name}",
            help="give only the name here",
        )
    shared = {key: value for key, value in first.check[1].items() if not isinstance(value, list) and key != "match"}
    for statement in group[1:]:
        other = {key: value for key, value in statement.check[1].items() if key in shared}
        if statement.check[0] != first.check[0] or other != shared or not any(_list_shared_keys(statement)):
            yield tree.diagnostic(
                statement.entry,
                "semantic-error",
                f"{statement.name} is the requirement of another statement, and the two cannot be judged as one",
                help="give this one a name of its own",
            )


def _list_shared_keys(statement: _Statement) -> Iterator[str]:
    """Yield the keys of the check to which several statements add."""
    return (key for key, value in statement.check[1].items() if isinstance(value, list))


def _merge_statements(tree: Tree, group: Sequence[_Statement]) -> dict[str, Data]:
    """Build the entry of a requirement, as in a file of requirements, from its statements."""
    first = _select_defining(group)
    operator, operand = first.check[0], dict(first.check[1])
    for key in _list_shared_keys(first):
        operand[key] = [item for statement in group for item in _as_list(statement.check[1][key])]
    operand.update({key: first.words[key] for key in first.own_keys if key in first.words})
    game = _get_mapping(tree.data, ())
    head = {**{key: game[key] for key in ("severity",) if key in game}, **_get_mapping(tree.data, first.head)}
    inherited: dict[str, Data] = {key: head[key] for key in ("severity", "remedy") if key in head}
    if first.head == ():
        return {**inherited, **first.words}
    titles = (
        {} if "message" in first.words else {"title": "; ".join(dict.fromkeys(statement.title for statement in group))}
    )
    return {
        **titles,
        "clauses": list(dict.fromkeys(label for statement in group for label in statement.clauses)),
        **inherited,
        **({} if first.fault is None else {"fault": first.fault}),
        **{key: value for key, value in first.words.items() if key not in first.own_keys},
        "check": {operator: operand},
    }


def _map_positions(tree: Tree, groups: Sequence[Sequence[_Statement]]) -> dict[Path, Position]:
    """Return the positions of all requirements, mapped to the game's file."""
    mapped: dict[Path, Position] = {(): tree.at(()), ("requirements",): tree.at(())}
    targets: dict[Path, Path] = {}
    for number, group in enumerate(groups):
        first, here = _select_defining(group), ("requirements", number)
        operator = first.check[0]
        check: Path = (*here, "check", operator)
        targets[first.entry] = here
        targets.update({(*first.entry, key): (*check, key) for key in first.own_keys})
        mapped.update({path: tree.at(first.entry) for path in (here, (*here, "check"), check)})
        for key in _list_shared_keys(first):
            for index, statement in enumerate(group):
                mapped[(*check, key, index)] = tree.at(statement.place)
    for path, position in tree.positions.items():
        for length in range(len(path), 0, -1):
            target = targets.get(path[:length])
            if target is not None:
                mapped.setdefault((*target, *path[length:]), position)
                break
    for number, group in enumerate(groups):  # a fault that is not stated comes from the statement
        for path in (("fault",), ("fault", "pay")):
            mapped.setdefault(("requirements", number, *path), tree.at(_select_defining(group).entry))
    return mapped


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]
