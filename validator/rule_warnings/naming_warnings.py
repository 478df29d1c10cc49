"""Warnings about names and texts: placeholders, duplicates, names that nothing uses, names that nothing defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import BaseModel

from fairdeal.validator.audit.submissions.submission_names import Names, list_name_places
from fairdeal.validator.evidence.submission_reader import EARLIER
from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.language.name_references import iterate_references, walk_models
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition, Value
from fairdeal.validator.operators.logic_operators import AllOf, AnyOf
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.submission.submission_operator_table import SUBMISSION_OPERATORS
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.rules.document_model import Document, ReadingFile
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument

_PLACEHOLDER = re.compile(r"\b(TODO|TBD|FIXME)\b|(?i:lorem ipsum)|^([.]{3,}|…)$")
_BASE_KEYS = frozenset({"base", "under"})


def find_placeholder_texts(tree: PositionedDocument) -> Iterator[RuleWarning]:
    """Yield a warning for every text of a file that is a placeholder, such as TODO."""
    for path, value in _walk(tree.data):
        if isinstance(value, str) and _PLACEHOLDER.search(value):
            yield RuleWarning(
                code="placeholder-text",
                path=path,
                severity="warning",
                message="this text is a placeholder",
                help="replace it: readers of a report see it as it is",
            )


def find_redundant_readings(regulation: Regulation, examples: PositionedDocument) -> Iterator[RuleWarning]:
    """Yield warnings about readings that an example chooses as the document already does."""
    adopted = {name: reading.adopted for name, reading in regulation.readings.items()}
    for path, value in _walk(examples.data):
        if len(path) == 4 and path[0] == "examples" and path[2] == "readings" and adopted.get(str(path[3])) == value:
            yield RuleWarning(
                code="redundant",
                path=path,
                severity="warning",
                message=f"{path[3]} is read as {value} even without this",
                help="name the other option that the example should show, or remove this",
            )


def find_unused_bases(bases: PositionedDocument, examples: Sequence[PositionedDocument]) -> Iterator[RuleWarning]:
    """Yield warnings about submissions and rounds in the file of bases that no example starts from."""
    used = {
        value
        for tree in (bases, *examples)
        for path, value in _walk(tree.data)
        if path and path[-1] in _BASE_KEYS and isinstance(value, str)
    }
    for kind in ("submissions", "rounds"):
        bases_of_kind = bases.data.get(kind) if isinstance(bases.data, dict) else None
        for name in bases_of_kind if isinstance(bases_of_kind, dict) else ():
            if name not in used:
                yield RuleWarning(
                    code="unused",
                    path=(kind, name),
                    severity="warning",
                    message=f"no example starts from {name}",
                    help="name it as `base` of an example, or as `under` of a file of examples; otherwise remove it",
                )


def _walk(data: Data) -> Iterator[tuple[DataPath, Data]]:
    pending: list[tuple[DataPath, Data]] = [((), data)]
    while pending:
        path, value = pending.pop()
        yield path, value
        if isinstance(value, dict):
            pending.extend([((*path, key), item) for key, item in value.items()][::-1])
        elif isinstance(value, list):
            pending.extend([((*path, index), item) for index, item in enumerate(value)][::-1])


def find_duplicates_in_game(game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about names of a game that mean the same."""
    facts = [(("facts", name), name, _normalize(fact)) for name, fact in game.facts.items()]
    yield from _find_duplicates(
        facts, "the facts {} and {} have the same condition", "one may be a copy that should have been changed"
    )
    for key, named in (("wagers", game.wagers | game.bonuses), ("hands", game.hands), ("decisions", game.decisions)):
        titled = [
            ((key if name in getattr(game, key) else "bonuses", name, "title"), name, named_part.title)
            for name, named_part in named.items()
        ]
        yield from _find_duplicates(
            titled, f"the {key} {{}} and {{}} have the same title", "give each a title of its own"
        )
    steps = [
        (("procedure", index, "title"), step.step, f"{step.title} {step.stage}")
        for index, step in enumerate(game.procedure)
        if not step.aside
    ]
    yield from _find_duplicates(steps, "the steps {} and {} have the same title", "give each a title of its own")
    ways = [
        (
            ("deal", "stages", 0, "ways", name),
            name,
            repr([stage.ways[name] for stage in game.deal.stages if stage.ways]),
        )
        for name in game.deal.stages[0].ways
    ]
    yield from _find_duplicates(
        ways, "the ways of dealing {} and {} are the same", "compare the passes of both with the text"
    )


def find_duplicate_checks(file: RequirementFile) -> Iterator[RuleWarning]:
    """Yield warnings about requirements with the same check, which report one breach twice."""
    checks = [
        (("requirements", index, "check"), requirement.requirement, repr(requirement.check))
        for index, requirement in enumerate(file.requirements)
    ]
    yield from _find_duplicates(
        checks, "{} and {} have the same check: a breach is found twice", "remove one, and add its clauses to the other"
    )


def _normalize(condition: Condition) -> str:
    """Return a text for a condition that does not depend on the order of the parts of `all` and `any`."""
    connective = OPERATORS.find(condition)
    if isinstance(connective, AllOf | AnyOf):
        parts = sorted(map(_normalize, connective.list_parts(condition.operand)))
        return f"{condition.operator} {parts}"
    return repr(condition)


def _find_duplicates(items: Iterable[tuple[DataPath, str, str]], message: str, help_: str) -> Iterator[RuleWarning]:
    """Yield a warning for every item whose content equals that of an earlier one.

    Args:
        items: Place, name and content of each item.
        message: The message, with fields for the earlier and the later name.
        help_: What the author should do.
    """
    seen: dict[str, str] = {}
    for place, name, content in items:
        if content in seen:
            yield RuleWarning(
                code="duplicate",
                path=place,
                severity="warning",
                message=message.format(seen[content], name),
                help=help_,
            )
        seen.setdefault(content, name)


UsedNames = Mapping[str, frozenset[str]]
"""The names that files use, by the kind of thing they name."""

_REMEDY = "use it where it was meant, or remove it"


OPTIONS_PREFIX = "options of "
"""Prefix of the kind under which the options of a reading that rules use are listed."""


def collect_used_names(models: Iterable[BaseModel]) -> UsedNames:
    """Return the names that files use, and the options of readings that rules distinguish."""
    names_by_kind: dict[str, set[str]] = {}
    for model in models:
        for _, kind, name in iterate_references(model, ()):
            names_by_kind.setdefault(kind, set()).add(name)
        for _, part in walk_models(model, ()):
            if isinstance(part, ReadingIs):
                names_by_kind.setdefault(f"{OPTIONS_PREFIX}{part.name}", set()).add(part.is_)
    return {kind: frozenset(names) for kind, names in names_by_kind.items()}


def find_unused_names(used: UsedNames, model: ClosedModel) -> Iterator[RuleWarning]:
    """Yield a warning for everything that a file defines and no file uses."""
    match model:
        case Game():
            yield from _check_game(used, model)
        case ReadingFile():
            yield from _check_readings(used, model)
        case Document():
            for name in model.lists:
                if name not in used.get("list", frozenset()):
                    yield _build_unused_warning("list", name, ("lists", name))


def _check_game(used: UsedNames, game: Game) -> Iterator[RuleWarning]:
    defined: list[tuple[str, str, DataPath]] = []
    for kind, key, names in (
        ("hand", "hands", game.hands),
        ("fact", "facts", game.facts),
        ("drawing", "drawing", game.drawing),
        ("scale", "scales", game.scales),
        ("pay-table", "pay-tables", game.pay_tables),
        ("position", "table", {} if game.table is None else game.table.positions),
    ):
        parent: DataPath = ("table", "positions") if kind == "position" else (key,)
        defined += [(kind, name, (*parent, name)) for name in names]
    # Settlement pays a line by any table of the line, unless requirements name some of its tables and leave out others.
    lines = {case.due.operand.of for case in game.settlement.cases if case.due.operator == "pay-table"}
    lines -= {table.for_ for name, table in game.pay_tables.items() if name in used.get("pay-table", frozenset())}
    paid_by = {name for name, table in game.pay_tables.items() if table.for_ in lines}
    for kind, name, here in defined:
        if kind == "pay-table" and name in paid_by:
            continue
        also = used.get("first-seat", frozenset()) if kind == "position" else frozenset()
        if name not in used.get(kind, frozenset()) | also:
            yield _build_unused_warning(kind.replace("-", " "), name, here)


def _check_readings(used: UsedNames, file: ReadingFile) -> Iterator[RuleWarning]:
    """Yield warnings about options of readings.

    At most one option may be unused by rules: the one that holds if no condition names another. Something must depend
    on a reading whose options rules distinguish.
    """
    for index, reading in enumerate(file.readings):
        distinguished = used.get(f"{OPTIONS_PREFIX}{reading.reading}", frozenset())
        undistinguished = [option for option in reading.options if option not in distinguished]
        if len(undistinguished) > 1 and reading.changes != "nothing":
            yield RuleWarning(
                code="unused",
                path=("readings", index, "alternatives", undistinguished[1]),
                at_key=True,
                severity="warning",
                message=f"no rule distinguishes the options {' and '.join(undistinguished)} of {reading.reading}, "
                "although "
                f"`changes` is {reading.changes}",
                help="use the option in a `reading` condition where it matters, or write `changes: nothing`",
            )
        if distinguished and reading.changes == "nothing":
            yield RuleWarning(
                code="reading-has-effect",
                path=("readings", index, "changes"),
                severity="warning",
                message=f"`changes` of {reading.reading} is `nothing`, but rules distinguish whether it is read as "
                f"{' or '.join(sorted(distinguished))}",
                help="write `changes: money` if payments depend on it, otherwise `changes: verdict`",
            )


def _build_unused_warning(kind: str, name: str, here: DataPath) -> RuleWarning:
    return RuleWarning(
        code="unused", path=here, severity="warning", message=f"nothing uses the {kind} {name}", help=_REMEDY
    )


SubmissionKeys = tuple[str, ...]
"""Keys that lead to a place of a submission, `*` for each item of a list."""
KnownNames = Mapping[SubmissionKeys, tuple[str, Names]]
"""For each place of a submission that takes names: the kind of name, and the names by alias."""


def collect_known_names(rulebook: Rulebook, regulation: Regulation) -> KnownNames:
    """Return the places of a submission that take names of the rulebook, except places whose names the rules list
    themselves."""
    return {
        place.keys: (place.what, place.names())
        for place in list_name_places(rulebook, regulation)
        if place.what not in ("notice", "use of an area", "kind of rake")
    }


def find_unknown_stated_names(known: KnownNames, model: BaseModel) -> Iterator[RuleWarning]:
    """Yield a warning for every undefined name that a condition on submissions expects."""
    checked: list[DataPath] = []
    for path, part in walk_models(model, ()):
        if isinstance(part, SubmissionCondition) and not any(path[: len(outer)] == outer for outer in checked):
            checked.append(path)
            for look in SUBMISSION_OPERATORS.iterate_lookups(part, path):
                if look.value is not None:
                    around: tuple[SubmissionKeys, ...] = ()
                    for list_ in look.lists:
                        around = (*around, (*_resolve_keys(list_, around), "*"))
                    yield from _check_value(known, look.value, around, look.at[:-1])


def _check_value(
    known: KnownNames, value: Value, around: Sequence[SubmissionKeys], here: DataPath
) -> Iterator[RuleWarning]:
    keys = _resolve_keys(value.at, around)
    what, names = known.get((*keys, "*") if SUBMISSION_OPERATORS.find(value).names_items else keys, ("", {}))
    if not names:
        return
    several = isinstance(value.operand, list)
    for index, name in enumerate(SUBMISSION_OPERATORS.find(value).list_values(value.operand)):
        if isinstance(name, str) and name not in names.values():
            near = find_similar(name, names)
            yield RuleWarning(
                code="unknown-name",
                path=(*here, value.operator, index) if several else (*here, value.operator),
                message=f"there is no {what} `{name}`, so no valid submission can state it",
                help=f"did you mean `{names[near]}`?"
                if near
                else f"name one of {', '.join(sorted(set(names.values())))}",
            )


def _resolve_keys(path: str, around: Sequence[SubmissionKeys]) -> SubmissionKeys:
    """Return the keys of a dotted path, relative to the list items it is used in."""
    dots = len(path) - len(path.lstrip("."))
    if dots > len(around):
        return ()
    rest = path.lstrip(".").removeprefix("" if dots else f"{EARLIER}.")
    return (*(around[-dots] if dots else ()), *(rest.split(".") if rest else ()))
