"""Automatic correction of submissions: misspelt words, and values of which the rules allow only one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode

from fairdeal.validator.audit.submissions.submission_summary import find_unknown_names
from fairdeal.validator.engine.core.house_terms import PrintedTable, read_printed_table
from fairdeal.validator.evidence.submission_model import Submission, SubmittedPayTable
from fairdeal.validator.evidence.submission_reader import find_money_keys, parse_submission
from fairdeal.validator.forms import unambiguous_fixes
from fairdeal.validator.language.submission_conditions import PayTablesCheck
from fairdeal.validator.operators.submission_value_operators import is_same_value
from fairdeal.validator.rulebook.rule_catalogue import collect_option_values
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.submission_places import (
    EACH_ITEM,
    SoleValue,
    SubmissionPlace,
    find_sole_values,
    may_apply,
    place_from_annotation,
)
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import to_key
from fairdeal.validator.text.diagnostics import InputError, find_nearest_names
from fairdeal.validator.text.plain_values import parse_money, written_in
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument
from fairdeal.validator.text.source import Source, decode_source
from fairdeal.validator.text.yaml_document import load_yaml

_BOM = b"\xef\xbb\xbf"
_WORD = re.compile(r"[^\W_]+")


class AppliedFix(Struct, frozen=True, kw_only=True):
    """A correction in a submission."""

    line: int
    """Line in the file before the correction, from 1."""
    before: str
    """Text before the correction."""
    after: str
    """Text after the correction."""
    reason: str
    """Reason for the correction."""


class _Fix(Struct, frozen=True, kw_only=True):
    splice: unambiguous_fixes.YamlEdit
    was: str
    now: str
    why: str


def autofix(source: Source, rulebook: Rulebook, as_of: date | None = None) -> tuple[Source, list[AppliedFix]]:
    """Return a submission in YAML with everything corrected that has only one possible meaning, and the corrections.

    First the indents of lines that cannot be read and the forms of values are corrected, such as `yes` for true, then
    misspelt words. Then, in a readable submission, values and rows of pay tables are corrected if
    the law leaves no choice: the law of `as_of`, or of the day on which the submission takes effect. Nothing is added
    except missing rows of pay tables. A file that is no submission for a document of the rulebook is left unchanged.

    Raises InputError if the file is no YAML, or if the document cannot be loaded.
    """
    original = source
    fixes: list[AppliedFix] = []
    source = _fix_forms(source, rulebook, fixes)
    tree = load_yaml(source)
    while True:  # a corrected key may have misspelt keys of its own
        count_before = len(fixes)
        source, tree = _apply_fixes(source, tree, _find_misspelt(tree, rulebook), fixes)
        if len(fixes) == count_before:
            break
    if not _is_submission(tree, rulebook):
        return original, []
    if find_unknown_names(tree, rulebook):
        return source, fixes
    try:
        submission = parse_submission(tree)
    except InputError:
        return source, fixes  # the check reports what is wrong
    if submission.document in rulebook.documents:
        regulation = rulebook.regulation(submission.document)
        day = as_of or submission.effective
        with written_in(submission.currency):
            corrections = [*_find_unlawful_values(tree, regulation, day), *_fix_pay_tables(submission, regulation, day)]
        source, tree = _apply_fixes(source, tree, corrections, fixes)
    return source, fixes


def _fix_forms(source: Source, rulebook: Rulebook, applied: list[AppliedFix]) -> Source:
    """Return a file with indents and forms of values corrected that can only be meant in one way."""

    def count_unknown(tree: PositionedDocument) -> int:
        return sum(1 for _ in _list_unknown_words(tree.data, place_from_annotation(Submission), ()))

    source, moved = unambiguous_fixes.fix_indents(source, count_unknown)
    applied += [
        AppliedFix(line=line.line, before=line.before.strip() or "a line", after=line.after, reason="indent")
        for line in moved
    ]
    try:
        root = YAML().compose(source.text)
    except YAMLError:
        return source  # reading it again reports the reason
    entries = root.value if isinstance(root, MappingNode) else ()
    document = next((value.value for key, value in entries if key.value == "document"), None)
    options: Mapping[str, Sequence[bool | str]] = {}
    if isinstance(document, str) and document in rulebook.documents:
        options = collect_option_values(rulebook.regulation(document))
    written = list(unambiguous_fixes.find_written_values(root, options))
    if not written:
        return source
    applied += [
        AppliedFix(line=value.line, before=value.before, after=value.after, reason="another form of the same value")
        for value in written
    ]
    return _replace_text(source, unambiguous_fixes.apply_edits(source.text, [value.edit for value in written]))


def _replace_text(source: Source, text: str) -> Source:
    """Return a source with another text, and with its byte-order mark if it has one."""
    bom = _BOM if source.data.startswith(_BOM) else b""
    return decode_source(source.name, bom + text.encode())


def _is_submission(tree: PositionedDocument, rulebook: Rulebook) -> bool:
    """Return whether a file is meant as a submission: other files may have similar keys."""
    keys = tree.data if isinstance(tree.data, dict) else {}
    submission_id, document = keys.get("submission"), keys.get("document")
    return submission_id is not None and not isinstance(submission_id, (dict, list)) and document in rulebook.documents


def _apply_fixes(
    source: Source, tree: PositionedDocument, fixes: list[_Fix], applied: list[AppliedFix]
) -> tuple[Source, PositionedDocument]:
    if not fixes:
        return source, tree
    fixed = _replace_text(source, unambiguous_fixes.apply_edits(source.text, [fix.splice for fix in fixes]))
    applied += [
        AppliedFix(line=tree.get_position(fix.splice.path).line, before=fix.was, after=fix.now, reason=fix.why)
        for fix in fixes
    ]
    return fixed, load_yaml(fixed)


def _find_misspelt(tree: PositionedDocument, rulebook: Rulebook) -> list[_Fix]:
    """Return corrections of words with only one possible meaning: names, keys and words of the format.

    A key is not corrected if the mapping would then have it twice.
    """
    fixes = list(_list_misspelt(tree, rulebook))
    keys = Counter((fix.splice.path[:-1], fix.now) for fix in fixes if _changes_key(fix))
    return [
        fix
        for fix in fixes
        if not _changes_key(fix)
        or (keys[fix.splice.path[:-1], fix.now] == 1 and (*fix.splice.path[:-1], fix.now) not in tree.positions)
    ]


def _changes_key(fix: _Fix) -> bool:
    return isinstance(fix.splice, unambiguous_fixes.ValueEdit) and fix.splice.at_key


def _list_misspelt(tree: PositionedDocument, rulebook: Rulebook) -> Iterator[_Fix]:
    seen: set[tuple[DataPath, bool]] = set()
    for unknown in find_unknown_names(tree, rulebook):
        seen.add((unknown.path, unknown.at_key))
        yield from _suggest_fix(unknown.path, unknown.word, dict(unknown.names), at_key=unknown.at_key)
    for path, word, names, at_key in _list_unknown_words(tree.data, place_from_annotation(Submission), ()):
        if (path, at_key) not in seen:
            yield from _suggest_fix(path, word, {name: name for name in names}, at_key=at_key)


def _suggest_fix(path: DataPath, word: str, names: dict[str, str], *, at_key: bool) -> Iterator[_Fix]:
    candidates = find_nearest_names(word, names)
    if len(candidates) == 1:
        now = candidates[0]
        value: Any = now == "true" if now in ("true", "false") and not at_key else now
        yield _Fix(
            splice=unambiguous_fixes.ValueEdit(path=path, value=value, at_key=at_key), was=word, now=now, why="misspelt"
        )


def _list_unknown_words(
    data: Data, place: SubmissionPlace, here: DataPath
) -> Iterator[tuple[DataPath, str, list[str], bool]]:
    """Yield unknown keys and words with the possible ones."""
    if isinstance(data, dict) and place.fields is not None:
        keys = [to_key(name) for name in place.fields.model_fields]
        for key, value in data.items():
            inner = place.get_child(key)
            if inner is None:
                yield (*here, key), key, keys, True
            else:
                yield from _list_unknown_words(value, inner, (*here, key))
    elif isinstance(data, list) and (item := place.get_item()) is not None:
        for index, value in enumerate(data):
            yield from _list_unknown_words(value, item, (*here, index))
    elif isinstance(data, str) and place.choices is not None and data not in place.choices:
        yield here, data, sorted(place.choices), False


def _find_unlawful_values(tree: PositionedDocument, regulation: Regulation, day: date) -> Iterator[_Fix]:
    """Yield corrections of stated values that differ from the only lawful ones."""
    for lawful in find_sole_values(regulation, day):
        for path in _list_stated_places(tree.data, lawful):
            stated = tree.get_value(path)
            scalars = isinstance(stated, (str, int, bool, Decimal)) and not isinstance(lawful.value, list)
            read = parse_money if lawful.place[-1] in find_money_keys() else _keep
            if scalars and not is_same_value(read(stated), read(lawful.value)):
                requirement = lawful.requirement
                why = f"{requirement.message} ({', '.join(regulation.qualify_clauses(requirement.clauses))})"
                splice = unambiguous_fixes.ValueEdit(path=path, value=lawful.value)
                yield _Fix(splice=splice, was=_format_value(stated), now=_format_value(lawful.value), why=why)


def _keep(value: object) -> object:
    return value


def _format_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _list_stated_places(data: Data, lawful: SoleValue) -> Iterator[DataPath]:
    """Yield the places of a file where a sole lawful value must be, if something is stated there."""
    if lawful.list_item is None:
        yield from _list_existing(data, lawful.place)
        return
    at = lawful.place.index(EACH_ITEM)
    key, name = lawful.list_item
    for list_ in _list_existing(data, lawful.place[:at]):
        entries = _get_at(data, list_)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and entry.get(key) == name:
                yield from ((*list_, index, *path) for path in _list_existing(entry, lawful.place[at + 1 :]))


def _list_existing(data: Data, path: DataPath) -> Iterator[DataPath]:
    if _get_at(data, path) is not None:
        yield path


def _get_at(data: Data, path: DataPath) -> Data:
    for step in path:
        data = data.get(step) if isinstance(data, dict) and isinstance(step, str) else None
    return data


def _fix_pay_tables(submission: Submission, regulation: Regulation, day: date) -> Iterator[_Fix]:
    """Yield corrections of rows of pay tables in use that differ from the one printed table that is meant."""
    in_force = [
        requirement.check.operand for requirement in regulation.requirements if regulation.is_in_force(requirement, day)
    ]
    checks = [check for check in in_force if isinstance(check, PayTablesCheck) and _applies_to_all(regulation, check)]
    worded = {check.of for check in checks if check.match == "wording"}
    for check in checks:
        if check.match != "exactly" or regulation.game is None:
            continue
        printed = [read_printed_table(regulation, regulation.game, name) for name in check.one_of]
        for index, table in submission.list_tables_in_use():
            # Only the licensee knows which table it meant if it names one that is not permitted.
            if table.pays == check.of and table.printed is None:
                meant_for = _match_printed_table(table, printed, worded=check.of in worded)
                if meant_for is not None:
                    wrong = _list_wrong_rows(table, meant_for, worded=check.of in worded)
                    yield from _fix_rows(table, meant_for, wrong, ("pay-tables", index, "rows"))


def _applies_to_all(regulation: Regulation, check: PayTablesCheck) -> bool:
    """Return whether a check applies to every submission under the readings in force."""
    return check.when is None or (check.when.operator == "reading" and may_apply(regulation, check.when))


def _match_printed_table(table: SubmittedPayTable, printed: list[PrintedTable], *, worded: bool) -> PrintedTable | None:
    """Return the printed table that a posted table is meant to be; None if it already equals one, or if it is unclear.

    It is the only printed table, or the one that the posted table is named after. Otherwise it is the table with the
    fewest differences, if they concern at most half of its rows.
    """
    off = [(len(_list_wrong_rows(table, candidate, worded=worded)), candidate) for candidate in printed]
    if any(not wrong and not _count_extra_rows(table, candidate) for wrong, candidate in off):
        return None
    if len(printed) == 1:
        return printed[0]
    words = set(_WORD.findall((table.name or "").casefold()))
    named = [table_option for table_option in printed if set(_WORD.findall(table_option.name)) <= words]
    if named:
        return named[0] if len(named) == 1 else None
    least = min(wrong + _count_extra_rows(table, candidate) for wrong, candidate in off)
    nearest = [candidate for wrong, candidate in off if wrong + _count_extra_rows(table, candidate) == least]
    return nearest[0] if len(nearest) == 1 and 2 * least <= len(nearest[0].rows) else None


def _count_extra_rows(table: SubmittedPayTable, printed: PrintedTable) -> int:
    return sum(row.hand not in printed.rows for row in table.rows)


def _list_wrong_rows(table: SubmittedPayTable, printed: PrintedTable, *, worded: bool) -> frozenset[str]:
    """Return the printed rows that a posted table lacks, pays differently, or words differently if wording matters."""
    posted = {row.hand: row.odds for row in table.rows}
    worth = printed.compute_posted_worth(posted, None)
    return frozenset(
        hand
        for hand, payout in printed.rows.items()
        if hand not in posted or worth[hand] != printed.worth[hand] or (worded and posted[hand].form != payout.form)
    )


def _fix_rows(table: SubmittedPayTable, printed: PrintedTable, wrong: frozenset[str], here: DataPath) -> Iterator[_Fix]:
    """Yield corrections of the rows of a table, except amounts that depend on the size of a wager, which are a
    choice."""
    why = f"pay table {printed.name}, {', '.join(printed.table.clauses)}"
    if printed.table.wager is not None:
        return
    places: dict[str, int] = {}
    for index, row in enumerate(table.rows):
        is_repeated = row.hand in places
        places.setdefault(row.hand, index)
        payout = printed.rows.get(row.hand)
        if payout is None or is_repeated or row.hand not in wrong:
            continue
        splice = unambiguous_fixes.ValueEdit(path=(*here, index, "odds"), value=str(payout))
        yield _Fix(splice=splice, was=f"{row.hand} {row.odds}", now=f"{row.hand} {payout}", why=why)
    before = len(table.rows)
    missing: list[_Fix] = []
    for hand, payout in reversed(list(printed.rows.items())):
        if hand in places:
            before = places[hand]
        else:
            entry = unambiguous_fixes.EntryEdit(
                path=here, before_index=before, values={"hand": hand, "odds": str(payout)}
            )
            missing.append(_Fix(splice=entry, was="no such row", now=f"{hand} {payout}", why=why))
    yield from reversed(missing)
