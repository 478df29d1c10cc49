"""Checks of names and texts: placeholders, duplicates, misspelt words, names without a use or a definition."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fairdeal.validator.audit.examples.example_evidence import BASES_FILE
from fairdeal.validator.evidence.submission_reader import EARLIER
from fairdeal.validator.language.grammar import walk_models
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition, Value
from fairdeal.validator.operators.logic_operators import AllOf, AnyOf
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.submission.submission_operator_table import SUBMISSION_OPERATORS
from fairdeal.validator.rule_checks.check_context import DocumentCheck, DocumentContext, SubmissionKeys
from fairdeal.validator.rulebook.lint.rule_check import CheckedFile, RuleMistake
from fairdeal.validator.rules.document_model import Document
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument

_PLACEHOLDER = re.compile(r"\b(TODO|TBD|FIXME)\b|(?i:lorem ipsum)|^([.]{3,}|…)$")
_BASE_KEYS = frozenset({"base", "under"})


class PlaceholderText(DocumentCheck[CheckedFile]):
    """A text is a placeholder, such as TODO. Readers of a report would see it."""

    code = "placeholder-text"
    severity = "warning"
    on = CheckedFile

    def find(self, context: DocumentContext, part: CheckedFile, here: DataPath) -> Iterator[RuleMistake]:
        for path, value in _walk_data(part.tree.data):
            if isinstance(value, str) and _PLACEHOLDER.search(value):
                yield RuleMistake(
                    path=path,
                    message="this text is a placeholder",
                    help="replace it: readers of a report see it as it is",
                )


class RedundantReading(DocumentCheck[CheckedFile]):
    """An example chooses the option of a reading that the document adopts anyway."""

    code = "redundant"
    severity = "warning"
    on = CheckedFile

    def find(self, context: DocumentContext, part: CheckedFile, here: DataPath) -> Iterator[RuleMistake]:
        if part.model is not None:
            return
        adopted = {name: reading.adopted for name, reading in context.regulation.readings.items()}
        for path, value in _walk_data(part.tree.data):
            is_choice = len(path) == 4 and path[0] == "examples" and path[2] == "readings"
            if is_choice and adopted.get(str(path[3])) == value:
                yield RuleMistake(
                    path=path,
                    message=f"{path[3]} is read as {value} even without this",
                    help="name the other option that the example should show, or remove this",
                )


class UnusedBase(DocumentCheck[CheckedFile]):
    """No example starts from a submission or round in the file of bases."""

    code = "unused"
    severity = "warning"
    on = CheckedFile

    def find(self, context: DocumentContext, part: CheckedFile, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the unused bases, if this is the file of bases."""
        bases = part.tree
        if part.model is not None or not bases.source_name.endswith(BASES_FILE):
            return
        used = _list_used_bases([bases, *context.examples])
        for kind in ("submissions", "rounds"):
            bases_of_kind = bases.data.get(kind) if isinstance(bases.data, dict) else None
            for name in bases_of_kind if isinstance(bases_of_kind, dict) else ():
                if name not in used:
                    yield RuleMistake(
                        path=(kind, name),
                        message=f"no example starts from {name}",
                        help="name it as `base` of an example, or as `under` of a file of examples; otherwise remove "
                        "it",
                    )


def _list_used_bases(trees: Iterable[PositionedDocument]) -> set[str]:
    return {
        value
        for tree in trees
        for path, value in _walk_data(tree.data)
        if path and path[-1] in _BASE_KEYS and isinstance(value, str)
    }


def _walk_data(data: Data) -> Iterator[tuple[DataPath, Data]]:
    pending: list[tuple[DataPath, Data]] = [((), data)]
    while pending:
        path, value = pending.pop()
        yield path, value
        if isinstance(value, dict):
            pending.extend([((*path, key), item) for key, item in value.items()][::-1])
        elif isinstance(value, list):
            pending.extend([((*path, index), item) for index, item in enumerate(value)][::-1])


class SimilarWord(DocumentCheck[Game]):
    """A word of a step differs in one letter from the word of another step, and is used less often.

    The log records these words as they are, so an event with the other word would match no step.
    """

    code = "similar-word"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        words = list(_list_words(part))
        counts = Counter(word for _, word in words)
        for path, word in words:
            near = next((other for other in counts if _is_misspelt(word, other) and counts[word] < counts[other]), None)
            if near is not None:
                yield RuleMistake(
                    path=path,
                    message=f"the word {word} differs in one letter from {near}, which other steps use",
                    help=f"did you mean `{near}`? If both are meant, use words that are easier to distinguish",
                )


def _list_words(game: Game) -> Iterator[tuple[DataPath, str]]:
    for index, step in enumerate(game.procedure):
        if step.what is not None:
            yield ("procedure", index, "what"), step.what
        for nth, word in enumerate(step.what_is or ()):
            yield ("procedure", index, "what-is", nth), word


def _is_misspelt(word: str, other: str) -> bool:
    """Return whether two words differ in one letter: another one, one too many or one missing."""
    start = next((at for at, (own, their) in enumerate(zip(word, other, strict=False)) if own != their), None)
    start = min(len(word), len(other)) if start is None else start
    return word != other and any(
        word[start + more :] == other[start + others :] for more, others in ((1, 1), (1, 0), (0, 1))
    )


NamedContent = tuple[DataPath, str, str]
"""Place, name and content of a part that must differ from others."""


def _find_duplicates(parts: Iterable[NamedContent], message: str, help_: str) -> Iterator[RuleMistake]:
    """Yield a mistake for every part whose content equals that of an earlier one.

    Args:
        parts: The parts.
        message: The message, with fields for the earlier and the later name.
        help_: What the author should do.
    """
    seen: dict[str, str] = {}
    for path, name, content in parts:
        if content in seen:
            yield RuleMistake(path=path, message=message.format(seen[content], name), help=help_)
        seen.setdefault(content, name)


class DuplicateFact(DocumentCheck[Game]):
    """Two facts have the same condition. One may be a copy that should have been changed."""

    code = "duplicate"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        facts: list[NamedContent] = [(("facts", name), name, _normalize(fact)) for name, fact in part.facts.items()]
        help_ = "one may be a copy that should have been changed"
        yield from _find_duplicates(facts, "the facts {} and {} have the same condition", help_)


def _normalize(condition: Condition) -> str:
    """Return a text for a condition that does not depend on the order of the parts of `all` and `any`."""
    connective = OPERATORS.find(condition)
    if isinstance(connective, AllOf | AnyOf):
        parts = sorted(map(_normalize, connective.list_parts(condition.operand)))
        return f"{condition.operator} {parts}"
    return repr(condition)


class DuplicateTitle(DocumentCheck[Game]):
    """Two wagers, hands, decisions or steps have one title. Readers of a report could not distinguish them."""

    code = "duplicate"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        steps: list[NamedContent] = [
            (("procedure", index, "title"), step.step, f"{step.title} {step.stage}")
            for index, step in enumerate(part.procedure)
            if not step.aside
        ]
        titled: dict[str, list[NamedContent]] = {
            "wagers": [
                *((("wagers", name, "title"), name, wager.title) for name, wager in part.wagers.items()),
                *((("bonuses", name, "title"), name, bonus.title) for name, bonus in part.bonuses.items()),
            ],
            "hands": [(("hands", name, "title"), name, hand.title) for name, hand in part.hands.items()],
            "decisions": [
                (("decisions", name, "title"), name, decision.title) for name, decision in part.decisions.items()
            ],
            "steps": steps,
        }
        for kind, parts in titled.items():
            message = f"the {kind} {{}} and {{}} have the same title"
            yield from _find_duplicates(parts, message, "give each a title of its own")


class DuplicateWay(DocumentCheck[Game]):
    """Two ways of dealing are the same. One may be a copy that should have been changed."""

    code = "duplicate"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        ways: list[NamedContent] = [
            (
                ("deal", "stages", 0, "ways", name),
                name,
                repr([stage.ways[name] for stage in part.deal.stages if stage.ways]),
            )
            for name in part.deal.stages[0].ways
        ]
        message = "the ways of dealing {} and {} are the same"
        yield from _find_duplicates(ways, message, "compare the passes of both with the text")


class DuplicateCheck(DocumentCheck[RequirementFile]):
    """Two requirements have the same check. An audit would report one violation twice."""

    code = "duplicate"
    severity = "warning"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        checks: list[NamedContent] = [
            (("requirements", index, "check"), requirement.requirement, repr(requirement.check))
            for index, requirement in enumerate(part.requirements)
        ]
        message = "{} and {} have the same check: a breach is found twice"
        yield from _find_duplicates(checks, message, "remove one, and add its clauses to the other")


class UnusedName(DocumentCheck[Document | Game]):
    """Nothing uses something that a document or game defines."""

    code = "unused"
    severity = "warning"
    on = (Document, Game)

    def find(self, context: DocumentContext, part: Document | Game, here: DataPath) -> Iterator[RuleMistake]:
        if isinstance(part, Document):
            defined: list[tuple[str, DataPath]] = [("list", ("lists", name)) for name in part.lists]
        else:
            defined = list(_list_definitions(context, part))
        for kind, path in defined:
            name = str(path[-1])
            is_start = kind == "position" and context.is_used("first-seat", name)
            if not context.is_used(kind, name) and not is_start:
                yield RuleMistake(
                    path=path,
                    message=f"nothing uses the {kind.replace('-', ' ')} {name}",
                    help="use it where it was meant, or remove it",
                )


def _list_definitions(context: DocumentContext, game: Game) -> Iterator[tuple[str, DataPath]]:
    """Yield the kind and the place of everything in a game that something should use."""
    sections: tuple[tuple[str, DataPath, Iterable[str]], ...] = (
        ("hand", ("hands",), game.hands),
        ("fact", ("facts",), game.facts),
        ("drawing", ("drawing",), game.drawing),
        ("scale", ("scales",), game.scales),
        ("position", ("table", "positions"), () if game.table is None else game.table.positions),
    )
    for kind, path, names in sections:
        yield from ((kind, (*path, name)) for name in names)
    # Settlement pays a line by any table of the line, unless requirements name some of its tables and leave out others.
    lines = {case.due.operand.of for case in game.settlement.cases if case.due.operator == "pay-table"}
    lines -= {table.for_ for name, table in game.pay_tables.items() if context.is_used("pay-table", name)}
    yield from (
        ("pay-table", ("pay-tables", name)) for name, table in game.pay_tables.items() if table.for_ not in lines
    )


class UnknownStatedName(DocumentCheck[CheckedFile]):
    """A condition on submissions expects a name that the rulebook does not define. No valid submission can state it."""

    code = "unknown-name"
    on = CheckedFile

    def find(self, context: DocumentContext, part: CheckedFile, here: DataPath) -> Iterator[RuleMistake]:
        checked: list[DataPath] = []
        for path, condition in () if part.model is None else walk_models(part.model, here):
            if not isinstance(condition, SubmissionCondition) or any(path[: len(outer)] == outer for outer in checked):
                continue
            checked.append(path)
            for look in SUBMISSION_OPERATORS.iterate_lookups(condition, path):
                if look.value is not None:
                    around: tuple[SubmissionKeys, ...] = ()
                    for list_ in look.lists:
                        around = (*around, (*_resolve_keys(list_, around), "*"))
                    yield from _check_value(context, look.value, around, look.at[:-1])


def _check_value(
    context: DocumentContext, value: Value, around: Sequence[SubmissionKeys], here: DataPath
) -> Iterator[RuleMistake]:
    keys = _resolve_keys(value.at, around)
    place = (*keys, "*") if SUBMISSION_OPERATORS.find(value).names_items else keys
    what, names = context.submission_names.get(place, ("", {}))
    if not names:
        return
    several = isinstance(value.operand, list)
    for index, name in enumerate(SUBMISSION_OPERATORS.find(value).list_values(value.operand)):
        if isinstance(name, str) and name not in names.values():
            near = find_similar(name, names)
            yield RuleMistake(
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


class UndefinedRequirement(DocumentCheck[CheckedFile]):
    """A statement of the game names a requirement that no statement of the game defines."""

    code = "unknown-name"
    on = CheckedFile

    def find(self, context: DocumentContext, part: CheckedFile, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the bare names of requirements without a definition, if this is the file of a game."""
        if not isinstance(part.model, Game):
            return
        bare: dict[str, DataPath] = {}
        defined: set[str] = set()
        for path in part.tree.positions:
            if len(path) > 1 and path[-2] == "requirements":
                entry: Any = part.tree.get_value(path)
                if isinstance(entry, str):
                    bare.setdefault(entry, path)
                elif isinstance(entry, dict):
                    defined.add(str(entry.get("requirement")))
        for name, path in bare.items():
            if name not in defined:
                near = find_similar(name, defined)
                yield RuleMistake(
                    path=path,
                    message=f"no statement of the game defines the requirement {name}",
                    help=f"did you mean `{near}`?"
                    if near
                    else "define it here, as a mapping with `requirement` and its other keys",
                )


class SimilarTurn(DocumentCheck[Game]):
    """Only one step has a turn, and its name resembles another turn. A turn of one step has no effect."""

    code = "unknown-name"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        turns = [step.turn for step in part.procedure]
        for index, step in enumerate(part.procedure):
            if step.turn is not None and turns.count(step.turn) == 1:
                near = find_similar(step.turn, {turn for turn in turns if turn not in (None, step.turn)})
                if near is not None:
                    yield RuleMistake(
                        path=("procedure", index, "turn"),
                        message=f"no other step has the turn {step.turn}",
                        help=f"did you mean `{near}`?",
                    )


CHECKS = (
    PlaceholderText,
    RedundantReading,
    UnusedBase,
    SimilarWord,
    DuplicateFact,
    DuplicateTitle,
    DuplicateWay,
    DuplicateCheck,
    UnusedName,
    UnknownStatedName,
    UndefinedRequirement,
    SimilarTurn,
)
"""Checks of names and texts."""
