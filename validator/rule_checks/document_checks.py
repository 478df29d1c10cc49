"""Checks of documents: clauses and readings without effect, duplicates, names without a use or a definition."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any, get_args

from fairdeal.validator.audit.rule_review.example_evidence import BASES_FILE
from fairdeal.validator.evidence.submission_reader import EARLIER
from fairdeal.validator.language.grammar import Grain, iterate_references
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition, Value
from fairdeal.validator.operators.logic_operators import AllOf, AnyOf
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.rule_checks.check_context import OPTIONS_PREFIX, DocumentContext, GameContext, SubmissionKeys
from fairdeal.validator.rulebook.dependencies import Namespace
from fairdeal.validator.rulebook.rule_check import CheckedFile, Mistakes, error, warning
from fairdeal.validator.rulebook.short_forms import list_places
from fairdeal.validator.rules.check_model import Check
from fairdeal.validator.rules.document_model import Clause, Document, Reading
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import Requirement, RequirementFile
from fairdeal.validator.rules.rule_files import rules_folder
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument
from fairdeal.validator.text.source import read_source

_NUMBERED_LABEL = re.compile(r"(.*)\(([0-9]{1,3})\)")
_GRAINS = get_args(Grain)
_CORRECT_DAYS = "correct the days: the first must not be after the last"


@error("never-in-force", _CORRECT_DAYS)
def find_document_never_in_force(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a document that ends before it begins. None of its requirements would ever apply."""
    if document.from_ is not None and document.until is not None and document.until < document.from_:
        yield ("until",), "the document ends before it begins"


@error("never-in-force", _CORRECT_DAYS)
def find_requirement_never_in_force(context: DocumentContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a requirement that ends before it begins. It would never apply."""
    first, last = context.regulation.find_period(requirement)
    has_days = requirement.until is not None or requirement.from_ is not None
    if first is not None and last is not None and last < first and has_days:
        key = "until" if requirement.until is not None else "from"
        yield (*here, key), f"never in force: it would begin on {first.isoformat()} and end on {last.isoformat()}"


@warning("duplicate", "state what this clause regulates")
def find_duplicate_gist(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a clause with the gist of an earlier one. One may be a copy that should have been changed.

    The parts of one passage may share a gist.
    """
    gists: dict[str, str] = {}
    for index, clause in enumerate(document.clauses):
        if clause.gist in gists and clause.lines != document.clauses[index - 1].lines:
            message = f"the clauses {gists[clause.gist]} and {clause.clause} have the same gist"
            yield ("clauses", index, "gist"), message
        gists.setdefault(clause.gist, clause.clause)


@warning("unused", "name under `used-by` what it defines in the game, or cite it there")
def find_unused_definition(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a clause that defines something or leaves a choice, but that nothing uses or cites."""
    game = context.regulation.game
    cited = {label for requirement in context.regulation.requirements for label in requirement.clauses}
    if game is not None:
        cited |= {name for _, kind, name in iterate_references(game, ()) if kind == "clause"}
    for index, clause in enumerate(document.clauses):
        if clause.status in ("definition", "option") and not clause.used_by and clause.clause not in cited:
            message = f"clause {clause.clause} has the status {clause.status}, but nothing uses or cites it"
            yield ("clauses", index, "status"), message


@error("unknown-name", "name what uses the clause: a wager, hand, fact, decision, step, pay table or the like")
def find_unknown_use(context: GameContext, clause: Clause, here: DataPath) -> Mistakes:
    """Find a clause that names something under `used-by` that the game does not have."""
    names = Namespace.from_regulation(context.regulation).names.values() if clause.used_by else ()
    known = {name for names_of_kind in names for name in names_of_kind} | {*_GRAINS}
    for index, name in enumerate(clause.used_by):
        if name not in known:
            yield (*here, "used-by", index), f"the game has nothing called `{name}`"


@warning("line-mismatch", "list clauses in the order of the text, and compare the lines of both with it")
def find_overlapping_lines(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a clause that begins before the clause that precedes it, or within its lines.

    Two clauses may share a line. Clauses on exactly the same lines are parts of one passage.
    """
    for index, (earlier, later) in enumerate(pairwise(document.clauses), 1):
        is_within = later.lines[0] < earlier.lines[1] and later.lines != earlier.lines
        if later.lines[0] < earlier.lines[0] or is_within:
            yield (
                ("clauses", index, "lines"),
                f"clause {later.clause} begins on line {later.lines[0]}, and {earlier.clause} before it is "
                f"on lines {earlier.lines[0]} to {earlier.lines[1]}",
            )


@warning("line-mismatch", "compare the lines of both with the text; lines count from 1")
def find_clauses_on_one_line(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find two clauses on one and the same single line, although other clauses have lines of their own.

    A line number may have been copied from the clause before. One clause may be a part of the other.
    """
    for index, (earlier, later) in enumerate(pairwise(document.clauses), 1):
        is_part = later.clause.startswith(earlier.clause)
        if later.lines == earlier.lines and later.lines[0] == later.lines[1] and not is_part:
            message = f"the clauses {earlier.clause} and {later.clause} are both on line {later.lines[0]}"
            yield ("clauses", index, "lines"), message


@warning("missing-entry", "list every clause of the text in order, or correct the label")
def find_missing_clause(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find a number that is missing between the labels of two clauses."""
    for index, (earlier, later) in enumerate(pairwise(document.clauses), 1):
        before, after = (_NUMBERED_LABEL.fullmatch(clause.clause) for clause in (earlier, later))
        if before and after and before[1] == after[1] and int(after[2]) != int(before[2]) + 1:
            yield ("clauses", index, "clause"), f"clause {later.clause} comes after {earlier.clause}"


@warning("line-mismatch", "compare the lines with the text; lines count from 1")
def find_lines_beyond_text(context: DocumentContext, document: Document, here: DataPath) -> Mistakes:
    """Find lines of a clause that do not exist in the text, or that end in the middle of a sentence.

    The check needs the text in the rules folder.
    """
    path = (context.rulebook.folder or rules_folder()) / FilePath(document.source.file).name
    if not path.is_file():
        return
    text = read_source(str(path)).text.rstrip().splitlines()
    covered = {line for clause in document.clauses for line in range(clause.lines[0], clause.lines[1] + 1)}
    for index, clause in enumerate(document.clauses):
        last = max(clause.lines)
        ending = f"clause {clause.clause} ends on line {last}, but"
        if last > len(text):
            yield ("clauses", index, "lines"), f"{ending} the text has {len(text)} lines"
        elif last + 1 not in covered and last < len(text) and text[last].lstrip()[:1].islower():
            yield ("clauses", index, "lines"), f"{ending} line {last + 1} of the text continues the sentence"


@warning("clause-mismatch", "cite the clause that requires it, or correct the status in document.yaml")
def find_cites_idle_clause(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a part of the game that cites a clause which requires nothing by its status."""
    for path, kind, name in iterate_references(game, here):
        if kind == "clause" and context.regulation.find_clause(name).status in ("informative", "external"):
            yield path, f"this cites clause {name}, whose status is {context.regulation.find_clause(name).status}"


@warning("unused", "use the option in a `reading` condition where it matters, or write `changes: nothing`")
def find_unused_option(context: DocumentContext, reading: Reading, here: DataPath) -> Mistakes:
    """Find two options of a reading that no rule distinguishes, although the reading is said to change something.

    One option may lack a rule: the one that holds if no condition names another.
    """
    distinguished = context.used_names.get(f"{OPTIONS_PREFIX}{reading.reading}", frozenset())
    others = [option for option in reading.options if option not in distinguished]
    if len(others) > 1 and reading.changes != "nothing":
        yield (
            (*here, "alternatives", others[1]),
            f"no rule distinguishes the options {' and '.join(others)} of {reading.reading}, although `changes` is "
            f"{reading.changes}",
        )


@warning("reading-has-effect", "write `changes: money` if payments depend on it, otherwise `changes: verdict`")
def find_reading_has_effect(context: DocumentContext, reading: Reading, here: DataPath) -> Mistakes:
    """Find a reading that is said to change nothing, although rules distinguish its options."""
    distinguished = context.used_names.get(f"{OPTIONS_PREFIX}{reading.reading}", frozenset())
    if distinguished and reading.changes == "nothing":
        yield (
            (*here, "changes"),
            f"`changes` of {reading.reading} is `nothing`, but rules distinguish whether it is read as "
            f"{' or '.join(sorted(distinguished))}",
        )


_PLACEHOLDER = re.compile(r"\b(TODO|TBD|FIXME)\b|(?i:lorem ipsum)|^([.]{3,}|…)$")
_PLACEHOLDER_WORDS = ("todo", "tbd", "fixme", "lorem ipsum", "...", "…")
"""Words of which every placeholder has one, without regard to case; a search for them takes a tenth of the time."""
_BASE_KEYS = frozenset({"base", "under"})


@warning("placeholder-text", "replace it: readers of a report see it as it is")
def find_placeholder_text(context: DocumentContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find a text that is a placeholder, such as TODO. Readers of a report would see it."""
    texts = {part for part in _list_parts(file.tree.data) if isinstance(part, str)}
    whole = "\n".join(texts).casefold()
    if not any(word in whole for word in _PLACEHOLDER_WORDS):
        return
    placeholders = {text for text in texts if _PLACEHOLDER.search(text)}
    for path in list_places(file.tree.data) if placeholders else ():
        value = file.tree.get_value(path)
        if isinstance(value, str) and value in placeholders:
            yield path, "this text is a placeholder"


@warning("redundant", "name the other option that the example should show, or remove this")
def find_redundant_reading(context: DocumentContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find an example that chooses the option of a reading which the document adopts anyway."""
    if file.model is not None or not isinstance(file.tree.data, dict):
        return
    adopted = {name: reading.adopted for name, reading in context.regulation.readings.items()}
    examples: Any = file.tree.data.get("examples")
    for nth, example in _iterate_entries(examples):
        for name, option in _iterate_entries(example.get("readings") if isinstance(example, dict) else None):
            if adopted.get(str(name)) == option:
                yield ("examples", nth, "readings", name), f"{name} is read as {option} even without this"


@warning("unused", "name it as `base` of an example, or as `under` of a file of examples; otherwise remove it")
def find_unused_base(context: DocumentContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find a submission or round in the file of bases from which no example starts."""
    if file.model is not None or not file.tree.source_name.endswith(BASES_FILE):
        return
    used = _list_used_bases([file.tree, *context.examples])
    for kind in ("submissions", "rounds"):
        bases = file.tree.data.get(kind) if isinstance(file.tree.data, dict) else None
        for name in bases if isinstance(bases, dict) else ():
            if name not in used:
                yield (kind, name), f"no example starts from {name}"


def _list_used_bases(trees: Iterable[PositionedDocument]) -> set[str]:
    return {
        base
        for tree in trees
        for path in tree.positions
        if path and path[-1] in _BASE_KEYS and isinstance(base := tree.get_value(path), str)
    }


def _list_parts(data: Data) -> list[Data]:
    """Return some data and every value within it, in no certain order."""
    parts = [data]
    for part in parts:  # which grows meanwhile
        if isinstance(part, dict):
            parts += part.values()
        elif isinstance(part, list):
            parts += part
    return parts


def _iterate_entries(data: Data) -> Iterable[tuple[str | int, Data]]:
    """Return the entries of a mapping or the numbered items of a list; nothing for other data."""
    if isinstance(data, dict):
        return data.items()
    return enumerate(data) if isinstance(data, list) else ()


@warning("similar-word")
def find_similar_word(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a word of a step that differs in one letter from the word of another step, and is used less often.

    The log records these words as they are, so an event with the other word would match no step.
    """
    words = list(_list_words(game))
    counts = Counter(word for _, word in words)
    for path, word in words:
        near = next((other for other in counts if _is_misspelt(word, other) and counts[word] < counts[other]), None)
        if near is not None:
            yield (
                path,
                f"the word {word} differs in one letter from {near}, which other steps use",
                f"did you mean `{near}`? If both are meant, use words that are easier to distinguish",
            )


def _list_words(game: Game) -> Iterator[tuple[DataPath, str]]:
    for name, act in game.all_acts.items():
        here = game.locate_act(name)
        for nth, word in enumerate(act.words):
            yield (*here, "what") if word == act.word else (*here, "what", nth), word


def _is_misspelt(word: str, other: str) -> bool:
    """Return whether two words differ in one letter: another one, one too many or one missing."""
    start = next((at for at, (own, their) in enumerate(zip(word, other, strict=False)) if own != their), None)
    start = min(len(word), len(other)) if start is None else start
    return word != other and any(
        word[start + more :] == other[start + others :] for more, others in ((1, 1), (1, 0), (0, 1))
    )


NamedContent = tuple[DataPath, str, object]
"""Place, name and content of a part that must differ from others."""


def find_duplicates(parts: Iterable[NamedContent], message: str) -> Iterator[tuple[DataPath, str]]:
    """Yield a mistake for every part whose content equals that of an earlier one.

    Args:
        parts: The parts.
        message: The message, with fields for the earlier and the later name.
    """
    seen: dict[str, str] = {}
    for path, name, content in parts:
        earlier = seen.setdefault(content if isinstance(content, str) else repr(content), name)
        if earlier != name:
            yield path, message.format(earlier, name)


@warning("duplicate", "one may be a copy that should have been changed")
def find_duplicate_fact(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find two facts with the same condition. One may be a copy that should have been changed."""
    facts = ((("facts", name), name, _normalize(fact)) for name, fact in game.facts.items())
    yield from find_duplicates(facts, "the facts {} and {} have the same condition")


def _normalize(condition: Condition) -> str:
    """Return a text for a condition that does not depend on the order of the parts of `all` and `any`."""
    connective = OPERATORS.find(condition)
    if isinstance(connective, AllOf | AnyOf):
        parts = sorted(map(_normalize, connective.list_parts(condition.operand)))
        return f"{condition.operator} {parts}"
    return repr(condition)


@warning("duplicate", "give each a title of its own")
def find_duplicate_title(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find two wagers, hands, decisions or acts with one title. Readers of a report could not distinguish them."""
    acts = ((("acts", name, "title"), name, f"{act.title} {act.stage}") for name, act in game.acts.items())
    yield from find_duplicates(acts, "the acts {} and {} have the same title")
    for kind, sections in (("wagers", ("wagers", "bonuses")), ("hands", ("hands",)), ("decisions", ("decisions",))):
        titled = [
            ((section, name, "title"), name, part.title)
            for section in sections
            for name, part in getattr(game, section).items()
        ]
        yield from find_duplicates(titled, f"the {kind} {{}} and {{}} have the same title")


@warning("duplicate", "compare the passes of both with the text")
def find_duplicate_way(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find two ways of dealing that are the same. One may be a copy that should have been changed."""
    ways = [
        (
            ("deal", "stages", 0, "ways", name),
            name,
            [stage.ways[name] for stage in game.deal.stages if stage.ways],
        )
        for name in dict.fromkeys(way for stage in game.deal.stages[:1] for way in stage.ways)
    ]
    yield from find_duplicates(ways, "the ways of dealing {} and {} are the same")


@warning("duplicate", "remove one, and add its clauses to the other")
def find_duplicate_check(context: DocumentContext, file: RequirementFile, here: DataPath) -> Mistakes:
    """Find two requirements with the same check. An audit would report one violation twice."""
    checks = [
        (
            ("requirements", index, *_find_check(requirement.check)),
            requirement.requirement,
            requirement.check.identity.hex(),
        )
        for index, requirement in enumerate(file.requirements)
    ]
    yield from find_duplicates(checks, "{} and {} have the same check: a breach is found twice")


def _find_check(check: Check) -> DataPath:
    """Return the place of a check in its requirement: of its operator, or of the condition of a rule."""
    return "check", check.operator, *(("must",) if check.operator == "rule" else ())


@warning("duplicate", "state what is wrong if this requirement fails")
def find_duplicate_message(context: DocumentContext, file: RequirementFile, here: DataPath) -> Mistakes:
    """Find two requirements with the same message. Readers of a report could not know which one failed."""
    messages = [
        (("requirements", index, "message"), requirement.requirement, requirement.message)
        for index, requirement in enumerate(file.requirements)
    ]
    yield from find_duplicates(messages, "{} has the same message: readers cannot know which one failed")


@warning("unused", "use it where it was meant, or remove it")
def find_unused_name(context: DocumentContext, part: Document | Game, here: DataPath) -> Mistakes:
    """Find something that a document or game defines, but that nothing uses."""
    if isinstance(part, Document):
        defined: list[tuple[str, DataPath]] = [("list", ("lists", name)) for name in part.lists]
    else:
        defined = list(_list_definitions(context, part))
    for kind, path in defined:
        name = str(path[-1])
        is_start = kind == "position" and context.is_used("first-seat", name)
        if not context.is_used(kind, name) and not is_start:
            yield path, f"nothing uses the {kind.replace('-', ' ')} {name}"


def _list_definitions(context: DocumentContext, game: Game) -> Iterator[tuple[str, DataPath]]:
    """Yield the kind and the place of everything in a game that something should use."""
    sections: tuple[tuple[str, DataPath, Iterable[str]], ...] = (
        ("hand", ("hands",), game.hands),
        ("outcome", ("outcomes",), game.outcomes),
        ("fact", ("facts",), game.facts),
        ("drawing", ("drawing",), game.drawing),
        ("scale", ("scales",), game.scales),
        ("position", ("table", "positions"), () if game.table is None else game.table.positions),
    )
    for kind, path, names in sections:
        yield from ((kind, (*path, name)) for name in names)
    # Settlement pays a line by any table of the line, unless requirements name some of its tables and leave out others.
    lines = {case.due.operand.of for case in game.settlement.cases if case.due.operator == "pay-table"}
    lines -= {table.of for name, table in game.pay_tables.items() if context.is_used("pay-table", name)}
    yield from (("pay-table", ("pay-tables", name)) for name, table in game.pay_tables.items() if table.of not in lines)


@error("unknown-name")
def find_unknown_stated_name(context: DocumentContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find a name that a condition on submissions expects, but that the rulebook does not define.

    No valid submission can state it.
    """
    checked: list[DataPath] = []
    for path, condition in file.parts:
        if not isinstance(condition, SubmissionCondition) or any(path[: len(outer)] == outer for outer in checked):
            continue
        checked.append(path)
        for look in SUBMISSION_OPERATORS.iterate_lookups(condition, path):
            if look.value is not None:
                around: tuple[SubmissionKeys, ...] = ()
                for list_ in look.lists:
                    around = (*around, (*_resolve_keys(list_, around), "*"))
                yield from _check_value(context, look.value, around, look.at[:-1])


def _check_value(context: DocumentContext, value: Value, around: Sequence[SubmissionKeys], here: DataPath) -> Mistakes:
    operator, keys = SUBMISSION_OPERATORS.find(value), _resolve_keys(value.at, around)
    what, names = context.submission_names.get((*keys, "*") if operator.names_items else keys, ("", {}))
    several = isinstance(value.operand, list)
    for index, name in enumerate(operator.list_values(value.operand) if names else ()):
        if isinstance(name, str) and name not in names.values():
            near = find_similar(name, names)
            yield (
                (*here, *value.bound_path, index) if several else (*here, *value.bound_path),
                f"there is no {what} `{name}`, so no valid submission can state it",
                f"did you mean `{names[near]}`?" if near else f"name one of {', '.join(sorted(set(names.values())))}",
            )


def _resolve_keys(path: str, around: Sequence[SubmissionKeys]) -> SubmissionKeys:
    """Return the keys of a dotted path, relative to the list items it is used in."""
    dots = len(path) - len(path.lstrip("."))
    if dots > len(around):
        return ()
    rest = path.lstrip(".").removeprefix("" if dots else f"{EARLIER}.")
    return (*(around[-dots] if dots else ()), *(rest.split(".") if rest else ()))


@error("unknown-name")
def find_undefined_requirement(context: DocumentContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find a requirement that a statement of the game names, but that no statement of the game defines."""
    if not isinstance(file.model, Game):
        return
    bare: dict[str, DataPath] = {}
    defined: set[str] = set()
    for path in file.tree.positions:
        if len(path) > 1 and path[-2] == "requirements":
            entry: Any = file.tree.get_value(path)
            if isinstance(entry, str):
                bare.setdefault(entry, path)
            elif isinstance(entry, dict):
                defined.add(str(entry.get("requirement")))
    for name, path in bare.items():
        if name not in defined:
            near = find_similar(name, defined)
            remedy = "define it here, as a mapping with `requirement` and its other keys"
            message = f"no statement of the game defines the requirement {name}"
            yield path, message, f"did you mean `{near}`?" if near else remedy


@warning("unknown-name")
def find_similar_turn(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a turn of only one step whose name resembles another turn. A turn of one step has no effect."""
    turns = [act.turn for act in game.all_acts.values()]
    for name, act in game.all_acts.items():
        if act.turn is not None and turns.count(act.turn) == 1:
            near = find_similar(act.turn, {turn for turn in turns if turn not in (None, act.turn)})
            if near is not None:
                at = (*game.locate_act(name), "turn")
                yield at, f"no other act has the turn {act.turn}", f"did you mean `{near}`?"
