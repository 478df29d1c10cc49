"""Everything that `rules check` asks of a regulation beyond what it must fulfil to be loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from validator.cautions.caution import Caution
from validator.cautions.conditions import condition_cautions, rule_cautions
from validator.cautions.settlement import settlement_cautions
from validator.cautions.terms import Terms
from validator.engine.compiled.game import prepare
from validator.rules.core.regulation import Regulation
from validator.rules.loading.load import RuleFile
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.text.diagnostics import Diagnostic


def cautions(regulation: Regulation, files: Sequence[RuleFile]) -> Iterator[Diagnostic]:
    """A diagnostic for everything that cannot be meant or seldom is; the files are those the regulation was made of."""
    terms = None if regulation.game is None else Terms(prepare(regulation))
    for file in files:
        found = list(_of_file(regulation, terms, file))
        for one in found:
            told = file.tree.diagnostic(one.at, one.code, one.message, help=one.help)
            yield replace(told, severity=one.severity)


def _of_file(regulation: Regulation, terms: Terms | None, file: RuleFile) -> Iterator[Caution]:
    if terms is None:
        return
    yield from condition_cautions(terms, file.model)
    match file.model:
        case Game():
            yield from settlement_cautions(terms)
        case RequirementFile():
            yield from rule_cautions(terms, file.model)
