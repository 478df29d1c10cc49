"""What a game states as requirements: settlement, pay tables and courses made into what a file of requirements says;
and the requirements that stand beside wagers, decisions and steps.

Every other statement makes the check of its requirement: a case `settled`, a limit `capped`, a pay table
`pay-tables`, a course `phase`. Whatever holds for requirements in files so holds for these, and problems are found at
their places in the game's file.
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

_TOPIC = "What the game states"
_NAME = "requirement"
_BOUNDARIES = ("begins", "of", "at-least-one")
_TABLES = ("match", "when")


class _Statement(Struct, frozen=True, kw_only=True):
    """Something of a game that is a requirement, or a part of one. `place` is its own, `entry` that of what it says of
    the requirement; `words` is what stands there. `check` is the operator and, by the keys of its operand, what this
    statement adds: a list adds to what others say. Of `beside`, keys of the words belong to the check. `fault` is that
    of a requirement which names none."""

    place: Path
    entry: Path
    words: Mapping[str, Data]
    head: Path
    title: str
    clauses: Sequence[str]
    check: tuple[str, Mapping[str, Data]]
    beside: Sequence[str] = ()
    fault: Data = None

    @property
    def name(self) -> str:
        """The name of the requirement."""
        return str(self.words[_NAME])

    @property
    def speaks(self) -> bool:
        """Whether it has words of the requirement, and not just its name."""
        return len(self.words) > 1


def with_game_requirements(files: Sequence[RuleFile]) -> tuple[RuleFile, ...]:
    """The files of a document and, after that of its game, the requirements that its statements are.

    Raises InputError where several statements of one requirement do not go together.
    """
    listed = [one for file in files if isinstance(file.model, RequirementFile) for one in file.model.requirements]
    judged = {
        (operator, name)
        for one in listed
        for operator, key in (("settled", "cases"), ("capped", "cap"))
        if one.check.operator == operator
        for name in _as_list(getattr(one.check.operand, key))
    }
    whole: list[RuleFile] = []
    for file in files:
        whole.append(file)
        if isinstance(file.model, Game):
            statements = [*_tables(file.tree, file.model), *_courses(file.tree, file.model)]
            statements += [*_settlement(file.tree, file.model, judged), *_beside(file.tree)]
            if statements:
                whole.append(_requirements(file, statements))
    return tuple(whole)


def _beside(tree: Tree) -> Iterator[_Statement]:
    """What stands beside wagers, decisions and steps: whole requirements, instances of patterns written out."""
    for key in STATEMENTS:
        part: Any = _inside(tree.data, ()).get(key, {})
        for name in part if isinstance(part, dict) else range(len(part)):
            for entry, words in _entries(tree, (key, name)):
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


def _tables(tree: Tree, game: Game) -> Iterator[_Statement]:
    for name, table in game.pay_tables.items():
        here: Path = ("pay-tables", name)
        for entry, words in _entries(tree, here):
            adds: dict[str, Any] = {"for": table.for_, "match": words.get("match", "exactly"), "one-of": [name]}
            yield _Statement(
                place=here,
                entry=entry,
                words=words,
                head=here,
                title=table_title(game, table),
                clauses=table.clauses,
                check=("pay-tables", adds),
                beside=_TABLES,
            )


def _settlement(tree: Tree, game: Game, judged: set[tuple[str, str]]) -> Iterator[_Statement]:
    cases, caps = game.settlement.cases, game.settlement.caps
    for operator, key, listed in (
        ("settled", "cases", [(one.case, case_title(game, one), one.clauses, _wrongly_paid(one)) for one in cases]),
        ("capped", "caps", [(one.cap, cap_title(game, one), one.clauses, _paid("under")) for one in caps]),
    ):
        for index, (name, title, clauses, fault) in enumerate(listed):
            here: Path = ("settlement", key, index)
            entries = list(_entries(tree, here))
            if not entries and (operator, name) not in judged:
                entries = [(here, {_NAME: name})]
            for entry, words in entries:
                adds: dict[str, Data] = {"cases": [name]} if operator == "settled" else {"cap": name}
                yield _Statement(
                    place=here,
                    entry=entry,
                    words=words,
                    head=("settlement",),
                    title=title,
                    clauses=clauses,
                    check=(operator, adds),
                    fault=fault,
                )


def _wrongly_paid(case: Case) -> Data:
    """How a simulated round can break a case; nohow, where the house may pay what it likes."""
    match case.due.operand:
        case "open":
            return None
        case "lost" | "nothing":
            return _paid("over")
    return _paid("under")


def _paid(how: str) -> dict[str, Data]:
    return {"pay": how}


def _courses(tree: Tree, game: Game) -> Iterator[_Statement]:
    for name, course in game.courses.items():
        here: Path = ("courses", name)
        for (entry, words), asked in zip(_entries(tree, here), course.requirements, strict=True):
            yield _Statement(
                place=entry,
                entry=entry,
                words=words,
                head=here,
                title=course_title(game, course, asked),
                clauses=asked.clauses,
                check=("phase", {"course": name}),
                beside=_BOUNDARIES,
            )


def _entries(tree: Tree, here: Path) -> Iterator[tuple[Path, Mapping[str, Data]]]:
    """What a statement says of its requirements, and where; a bare name is one without words."""
    entries: Any = _inside(tree.data, here).get("requirements", [])
    for index, entry in enumerate(entries):
        yield (*here, "requirements", index), {_NAME: entry} if isinstance(entry, str) else entry


def _inside(data: Any, place: Path) -> dict[str, Any]:
    for part in place:
        data = data[part]
    assert isinstance(data, dict)
    return data


def _requirements(file: RuleFile, statements: Sequence[_Statement]) -> GameRequirements:
    together: dict[str, list[_Statement]] = {}
    for statement in statements:
        together.setdefault(statement.name, []).append(statement)
    groups = list(together.values())
    problems = [one for group in groups for one in _at_odds(file.tree, group)]
    if problems:
        raise InputError(at_most(problems))
    data: dict[str, Data] = {"topic": _TOPIC, "requirements": [_as_one(file.tree, group) for group in groups]}
    tree = Tree(
        data=data, source_name=file.tree.source_name, lines=file.tree.lines, positions=_positions(file.tree, groups)
    )
    return GameRequirements(
        name=file.name,
        sha256=file.sha256,
        tree=tree,
        model=validate(tree, RequirementFile),
        game=file.tree,
        stated={
            name: tuple(dict.fromkeys(one.place for one in (_speaker(group), *group)))
            for name, group in together.items()
        },
    )


def _speaker(group: Sequence[_Statement]) -> _Statement:
    """Of the statements of a requirement the one that has its words; the first, where none has any."""
    return next((one for one in group if one.speaks), group[0])


def _at_odds(tree: Tree, group: Sequence[_Statement]) -> Iterator[Diagnostic]:
    """Statements that cannot be one requirement."""
    first, speaking = group[0], [one for one in group if one.speaks]
    for one in speaking[1:]:
        yield tree.diagnostic(
            one.entry,
            "duplicate-statement",
            f"the words of {one.name} stand at another statement already",
            help="put the name alone here",
        )
    alike = {key: value for key, value in first.check[1].items() if not isinstance(value, list) and key != "match"}
    for one in group[1:]:
        other = {key: value for key, value in one.check[1].items() if key in alike}
        if one.check[0] != first.check[0] or other != alike or not any(_lists(one)):
            yield tree.diagnostic(
                one.entry,
                "semantic-error",
                f"{one.name} is the requirement of another statement, and the two cannot be judged as one",
                help="give this one a name of its own",
            )


def _lists(statement: _Statement) -> Iterator[str]:
    """The keys of its check to which several statements add."""
    return (key for key, value in statement.check[1].items() if isinstance(value, list))


def _as_one(tree: Tree, group: Sequence[_Statement]) -> dict[str, Data]:
    """A requirement as a file of requirements says it, made of its statements."""
    first = _speaker(group)
    operator, operand = first.check[0], dict(first.check[1])
    for key in _lists(first):
        operand[key] = [item for one in group for item in _as_list(one.check[1][key])]
    operand.update({key: first.words[key] for key in first.beside if key in first.words})
    game = _inside(tree.data, ())
    head = {**{key: game[key] for key in ("severity",) if key in game}, **_inside(tree.data, first.head)}
    said: dict[str, Data] = {key: head[key] for key in ("severity", "remedy") if key in head}
    if first.head == ():
        return {**said, **first.words}
    made = {} if "message" in first.words else {"title": "; ".join(dict.fromkeys(one.title for one in group))}
    return {
        **made,
        "clauses": list(dict.fromkeys(label for one in group for label in one.clauses)),
        **said,
        **({} if first.fault is None else {"fault": first.fault}),
        **{key: value for key, value in first.words.items() if key not in first.beside},
        "check": {operator: operand},
    }


def _positions(tree: Tree, groups: Sequence[Sequence[_Statement]]) -> dict[Path, Position]:
    """Where in the game's file everything stands that its requirements are made of."""
    found: dict[Path, Position] = {(): tree.at(()), ("requirements",): tree.at(())}
    moved: dict[Path, Path] = {}
    for number, group in enumerate(groups):
        first, here = _speaker(group), ("requirements", number)
        operator = first.check[0]
        check: Path = (*here, "check", operator)
        moved[first.entry] = here
        moved.update({(*first.entry, key): (*check, key) for key in first.beside})
        found.update({path: tree.at(first.entry) for path in (here, (*here, "check"), check)})
        for key in _lists(first):
            for index, one in enumerate(group):
                found[(*check, key, index)] = tree.at(one.place)
    for path, position in tree.positions.items():
        for length in range(len(path), 0, -1):
            target = moved.get(path[:length])
            if target is not None:
                found.setdefault((*target, *path[length:]), position)
                break
    for number, group in enumerate(groups):  # a fault that is not named is the statement's
        for path in (("fault",), ("fault", "pay")):
            found.setdefault(("requirements", number, *path), tree.at(_speaker(group).entry))
    return found


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]
