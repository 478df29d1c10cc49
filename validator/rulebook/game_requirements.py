"""Rule files as read, and the requirements that a game states in its own file.

Every such statement makes the check of its requirement: a case `settled`, a cap `capped`, a pay table `pay-tables`,
milestones `order`. Problems are reported at their place in the game's file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from fairdeal.validator.language.submission_conditions import join_names
from fairdeal.validator.rulebook.pattern_instances import list_statements
from fairdeal.validator.rulebook.rule_check import CheckedFile
from fairdeal.validator.rules.check_model import CHECK_KEYS, BoundedMilestone, Check
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import VOID_KEY, Cap, Case, PayTable
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.rules.requirement_model import Milestone, MilestoneRequirement, Requirement, RequirementFile
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument, SourcePosition


class RuleFile(Struct, frozen=True, kw_only=True):
    """A rule file as read."""

    name: str
    """Path in the rules folder."""
    sha256: str
    """SHA-256 of the text."""
    tree: PositionedDocument
    """Positioned data, patterns and matrices expanded."""
    model: ClosedModel
    """Validated model of the data."""

    def to_checked(self) -> CheckedFile:
        """Return the file as checks examine it."""
        return CheckedFile(tree=self.tree, model=self.model)


class GameRequirements(RuleFile, frozen=True, kw_only=True):
    """Requirements that a game states, as a file of requirements. Name, hash and positions are those of the game's
    file."""

    game: PositionedDocument
    """Positioned data of the game's file."""
    stated: Mapping[str, tuple[DataPath, ...]]
    """Places of the statements of each requirement, by name; the defining statement first."""


_OUTCOMES = {
    "lost": ("is lost", "are lost"),
    "returned": ("is returned", "are returned"),
    "stays": ("stays on the table", "stay on the table"),
    "nothing": ("is not paid", "are not paid"),
    "open": ("is paid as the house sees fit", "are paid as the house sees fit"),
}


def format_case_title(game: Game, case: Case) -> str:
    """Return the title of a case of settlement: `Folded hand: Main wager is lost`."""
    if case.due.operator == "outcome":
        singular, plural = _OUTCOMES[case.due.operand]
    elif case.due.operator == "loses":
        taken, of = case.due.operand.value.as_integer_ratio()
        singular, plural = (f"{verb} {taken} of every {of} staked" for verb in ("loses", "lose"))
    else:
        payout = str(case.due.operand) if case.due.operator == "odds" else "by the pay table"
        if case.due.commission is not None:
            payout += " less " if case.due.commission.owed is None else " with a debt of "
            payout += f"{case.due.commission.percent} % commission"
        payout += " and stays" if case.due.stays else ""
        singular, plural = f"is paid {payout}", f"are paid {payout}"
    return f"{_format_name(case.case)}: {_join_lines(game, case.lines)} {singular if len(case.lines) == 1 else plural}"


def format_cap_title(game: Game, cap: Cap) -> str:
    """Return the title of a cap: `Payout limit: Main wager and Raise are paid up to it`."""
    verb = "is" if len(cap.lines) == 1 else "are"
    return f"{_format_name(cap.cap)}: {_join_lines(game, cap.lines)} {verb} paid up to it"


def format_table_title(game: Game, table: PayTable) -> str:
    """Return the title of a pay table: `Main wager is paid by a printed table`."""
    return f"{line_title(game, table.of)} is paid by a printed table"


def format_milestone_title(game: Game, milestone: Milestone, requirement: MilestoneRequirement) -> str:
    """Return the title of a requirement at a milestone: `The player folds only before the dealer shows the hand`."""
    known, at = set(game.all_acts), milestone.at.acts
    if not known.issuperset((*at, *requirement.before, *requirement.after)):
        return requirement.requirement  # an unknown act, which is reported elsewhere
    phrase = game.describe_milestone(
        BoundedMilestone(at=milestone.at, before=requirement.before, after=requirement.after)
    )
    return f"{phrase[:1].upper()}{phrase[1:]}"


def _format_name(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _join_lines(game: Game, lines: Sequence[str]) -> str:
    return join_names([line_title(game, line) for line in lines])


_TOPIC_TITLE = "What the game states"
_NAME_KEY = "requirement"
_MILESTONE_KEYS = ("each", "when")
_BOUNDED_ACTS_KEYS = ("before", "again-after", "after", "must-happen")
_BOUNDARY_KEYS = ("begins", "of")
_TABLE_KEYS = ("match", "when")


class _Statement(Struct, frozen=True, kw_only=True):
    """A statement of a game that is a requirement or a part of one."""

    place: DataPath
    """Place of the statement in the file of the game."""
    entry: DataPath
    """Place of the entry that names the requirement."""
    words: Mapping[str, Data]
    """Content of the entry: the name of the requirement and its other keys."""
    head: DataPath
    """Place of the mapping that supplies defaults such as `severity`."""
    title: str
    """Title of the requirement if the entry has none."""
    clauses: Sequence[str]
    """Clauses of the statement."""
    check: tuple[str, Mapping[str, Data]]
    """Operator of the check, and its operand; lists are joined with those of other statements."""
    own_keys: Sequence[str] = ()
    """Keys of the entry that belong to the check."""
    head_keys: Sequence[str] = ()
    """Keys of the head that belong to the check."""
    item_keys: Sequence[str] = ()
    """Keys of the entry that belong to its item in the list of the check."""
    fault: Data = None
    """Fault of the requirement if the entry has none."""

    @property
    def name(self) -> str:
        """Name of the requirement."""
        return str(self.words[_NAME_KEY])

    @property
    def is_of_cause(self) -> bool:
        """True for a requirement of a cause of `void`, which comes before those of other cases."""
        return self.place[0] == VOID_KEY and len(self.place) > 1

    @property
    def is_defining(self) -> bool:
        """True if the entry defines the requirement, and does not only name it."""
        return len(self.words.keys() - {*self.item_keys}) > 1


def add_game_requirements(files: Sequence[RuleFile]) -> tuple[RuleFile, ...]:
    """Return the files of a document, and after its game the requirements that the game states.

    Raises InputError if several statements of one requirement contradict each other.
    """
    listed: list[Requirement] = []
    for file in files:
        if isinstance(file.model, RequirementFile):
            listed += file.model.requirements
        elif isinstance(file.model, Game) and file.model.void is not None:
            listed += file.model.void.list_requirements()
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
            inline = list(_list_inline_requirements(file.tree))
            statements = [
                *_list_pay_table_statements(file.tree, file.model),
                *_list_milestone_statements(file.tree, file.model),
                *(statement for statement in inline if statement.is_of_cause),
                *_list_settlement_statements(file.tree, file.model, judged),
                *(statement for statement in inline if not statement.is_of_cause),
            ]
            if statements:
                complete.append(_build_requirements(file, statements))
    return tuple(complete)


def _list_inline_requirements(tree: PositionedDocument) -> Iterator[_Statement]:
    """Yield the complete requirements of wagers, decisions and steps, with patterns expanded."""
    for place, _ in list_statements(tree.data):
        for entry, words in _list_entries(tree, place):
            check: Any = {key: part for key, part in words.items() if key in CHECK_KEYS}
            ((operator, operand),) = Check.write_out(check).items()
            yield _Statement(
                place=place,
                entry=entry,
                words=words,
                head=(),
                title="",
                clauses=(),
                check=(operator, operand),
            )


def _list_pay_table_statements(tree: PositionedDocument, game: Game) -> Iterator[_Statement]:
    for name, table in game.pay_tables.items():
        here: DataPath = ("pay-tables", name)
        for entry, words in _list_entries(tree, here):
            operand: dict[str, Any] = {"of": table.of, "match": words.get("match", "exactly"), "one-of": [name]}
            yield _Statement(
                place=here,
                entry=entry,
                words=words,
                head=here,
                title=format_table_title(game, table),
                clauses=table.clauses,
                check=("pay-tables", operand),
                own_keys=_TABLE_KEYS,
            )


def _list_settlement_statements(
    tree: PositionedDocument, game: Game, judged: set[tuple[str, str]]
) -> Iterator[_Statement]:
    cases, caps = game.settlement.cases, game.settlement.caps
    for operator, key, listed in (
        (
            "settled",
            "cases",
            [(case.case, format_case_title(game, case), case.clauses, _build_payment_fault(case)) for case in cases],
        ),
        (
            "capped",
            "caps",
            [(cap.cap, format_cap_title(game, cap), cap.clauses, _build_pay_fault("under")) for cap in caps],
        ),
    ):
        for index, (name, title, clauses, fault) in enumerate(listed):
            here: DataPath = ("settlement", key, index)
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


def _list_milestone_statements(tree: PositionedDocument, game: Game) -> Iterator[_Statement]:
    for index, milestone in enumerate(game.milestones):
        here: DataPath = ("milestones", index)
        head = _get_mapping(tree.data, here)
        for (entry, words), requirement in zip(_list_entries(tree, here), milestone.requirements, strict=True):
            item = {"at": head["at"], **{key: words[key] for key in _BOUNDED_ACTS_KEYS if key in words}}
            yield _Statement(
                place=entry,
                entry=entry,
                words=words,
                head=here,
                title=format_milestone_title(game, milestone, requirement),
                clauses=requirement.clauses,
                check=("order", {**{key: head[key] for key in _MILESTONE_KEYS if key in head}, "milestones": [item]}),
                head_keys=_MILESTONE_KEYS,
                item_keys=_BOUNDED_ACTS_KEYS,
            )


def _list_entries(tree: PositionedDocument, here: DataPath) -> Iterator[tuple[DataPath, Mapping[str, Data]]]:
    """Yield the requirement entries of a statement with their places; a bare name becomes a mapping."""
    entries: Any = _get_mapping(tree.data, here).get("requirements", [])
    for index, entry in enumerate(entries):
        yield (*here, "requirements", index), {_NAME_KEY: entry} if isinstance(entry, str) else entry


def _get_mapping(data: Any, place: DataPath) -> dict[str, Any]:
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
        raise InputError(limit_diagnostics(problems))
    data: dict[str, Data] = {
        "title": _TOPIC_TITLE,
        "requirements": [_merge_statements(file.tree, group) for group in groups],
    }
    tree = PositionedDocument(
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


def _find_conflicts(tree: PositionedDocument, group: Sequence[_Statement]) -> Iterator[Diagnostic]:
    """Yield diagnostics for statements that cannot form one requirement."""
    first, speaking = group[0], [statement for statement in group if statement.is_defining]
    for statement in speaking[1:]:
        yield tree.build_diagnostic(
            statement.entry,
            "duplicate-statement",
            f"another statement already defines {statement.name}",
            help="give only the name here",
        )
    listed = {*_list_shared_keys(first), "match"}
    shared = {key: value for key, value in first.check[1].items() if key not in listed}
    for statement in group[1:]:
        other = {key: value for key, value in statement.check[1].items() if key in shared}
        if statement.check[0] != first.check[0] or other != shared or not any(_list_shared_keys(statement)):
            yield tree.build_diagnostic(
                statement.entry,
                "semantic-error",
                f"{statement.name} is the requirement of another statement, and the two cannot be judged as one",
                help="give this one a name of its own",
            )


def _list_shared_keys(statement: _Statement) -> Iterator[str]:
    """Yield the keys of the check to which several statements add; a list under `when` is a condition."""
    return (key for key, value in statement.check[1].items() if isinstance(value, list) and key != "when")


def _merge_statements(tree: PositionedDocument, group: Sequence[_Statement]) -> dict[str, Data]:
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
        **{key: value for key, value in first.words.items() if key not in (*first.own_keys, *first.item_keys)},
        operator: operand,
    }


def _map_positions(tree: PositionedDocument, groups: Sequence[Sequence[_Statement]]) -> dict[DataPath, SourcePosition]:
    """Return the positions of all requirements, mapped to the game's file."""
    mapped: dict[DataPath, SourcePosition] = {(): tree.get_position(()), ("requirements",): tree.get_position(())}
    targets: dict[DataPath, DataPath] = {}
    by_start: dict[int, dict[DataPath, list[DataPath]]] = {}
    for number, group in enumerate(groups):
        first, here = _select_defining(group), ("requirements", number)
        operator = first.check[0]
        check: DataPath = (*here, operator)
        targets[first.entry] = here
        targets.update({(*first.entry, key): (*check, key) for key in first.own_keys})
        for index, statement in enumerate(group if first.item_keys else ()):
            item: DataPath = (*check, "milestones", index)
            moved = {(*statement.head, key): (*check, key) for key in first.head_keys}
            moved |= {(*statement.head, "at"): (*item, "at")}
            moved |= {(*statement.entry, key): (*item, key) for key in first.item_keys}
            for start, end in moved.items():
                size = len(start)
                if size not in by_start:
                    by_start[size] = _group_paths(tree, size)
                for path in by_start[size].get(start, ()):
                    if size <= len(statement.head) + 1 or path[: len(statement.head) + 1] not in moved:
                        mapped[*end, *path[size:]] = tree.positions[path]
        mapped.update({path: tree.get_position(first.entry) for path in (here, *([check] if first.head else []))})
        for key in _list_shared_keys(first):
            for index, statement in enumerate(group):
                mapped[(*check, key, index)] = tree.get_position(statement.place)
    for path, position in tree.positions.items():
        for length in range(len(path), 0, -1):
            target = targets.get(path[:length])
            if target is not None:
                mapped.setdefault((*target, *path[length:]), position)
                break
    for number, group in enumerate(groups):  # a fault that is not stated comes from the statement
        first = _select_defining(group)
        for path in (("fault",), ("fault", "pay")) if first.fault is not None and "fault" not in first.words else ():
            mapped.setdefault(("requirements", number, *path), tree.get_position(first.entry))
    return mapped


def _group_paths(tree: PositionedDocument, size: int) -> dict[DataPath, list[DataPath]]:
    """Return the paths of a file by their first parts."""
    groups: dict[DataPath, list[DataPath]] = {}
    for path in tree.positions:
        groups.setdefault(path[:size], []).append(path)
    return groups


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]
