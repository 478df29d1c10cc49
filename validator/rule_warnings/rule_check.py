"""Every check of `rules check` that goes beyond loading a regulation, run over its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from fairdeal.validator.audit.examples.example_evidence import BASES_FILE
from fairdeal.validator.cards.ranking_models import RankingsFile
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rule_warnings.coverage_warnings import (
    find_clause_warnings,
    find_document_warnings,
    find_period_warnings,
    find_source_line_warnings,
    find_unenforced_terms,
)
from fairdeal.validator.rule_warnings.event_warnings import (
    find_event_warnings,
    find_irregularity_warnings,
    find_step_event_warnings,
)
from fairdeal.validator.rule_warnings.hand_warnings import (
    find_comparison_warnings,
    find_hand_warnings,
    find_pay_table_warnings,
    find_ranking_warnings,
)
from fairdeal.validator.rule_warnings.logic_warnings import (
    find_condition_warnings,
    find_settlement_warnings,
    find_vacuous_rules,
)
from fairdeal.validator.rule_warnings.naming_warnings import (
    collect_known_names,
    collect_used_names,
    find_duplicate_checks,
    find_duplicates_in_game,
    find_placeholder_texts,
    find_redundant_readings,
    find_unknown_stated_names,
    find_unused_bases,
    find_unused_names,
)
from fairdeal.validator.rule_warnings.procedure_warnings import (
    find_direction_warnings,
    find_procedure_warnings,
    find_settlement_order_warnings,
    find_visit_warnings,
)
from fairdeal.validator.rule_warnings.requirement_warnings import (
    find_requirement_warnings,
    find_undefined_requirements,
    find_unnamed_readings,
)
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rule_warnings.simulation_warnings import find_simulation_warnings
from fairdeal.validator.rulebook.loading.game_requirements import RuleFile, add_game_requirements
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.rules.document_model import Document
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.rules.rule_files import rules_folder
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import PositionedDocument


def find_warnings(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile], examples: Sequence[PositionedDocument] = ()
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every statement that cannot be meant or seldom is.

    Args:
        rulebook: The rulebook that the regulation belongs to.
        regulation: The loaded regulation.
        files: The files that the regulation was made of, and that of its simulation if it has one.
        examples: The files of its examples.
    """
    # A requirement that a game states appears in two files; report its warnings once.
    yield from dict.fromkeys(_check_files(rulebook, regulation, add_game_requirements(files), examples))


def find_warnings_in_play(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every problem that appears when the game is played.

    Every deal is enumerated, and a game with a simulation is played for some rounds, which takes seconds. Call it only
    for a regulation without other errors.
    """
    if regulation.game is None:
        return
    from fairdeal.validator.rule_warnings.trial_warnings import (  # noqa: PLC0415 - playing needs NumPy
        TrialRun,
        build_unplayable_warning,
        find_odds_warnings,
        find_trial_warnings,
        run_trial,
    )

    simulated = next((file for file in files if isinstance(file.model, Simulation)), None)
    trial = TrialRun()
    if simulated is not None and isinstance(simulated.model, Simulation):
        try:
            trial = run_trial(rulebook, compile_game(regulation), simulated.model)
        except ValueError as error:
            yield from _to_diagnostics(simulated.tree, [build_unplayable_warning(str(error))])
    for file in add_game_requirements(files):
        warnings = list(find_trial_warnings(regulation, trial, file.model))
        if isinstance(file.model, Game):
            warnings += find_odds_warnings(regulation, file.model)
        yield from _to_diagnostics(file.tree, warnings)


def _check_files(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile], examples: Sequence[PositionedDocument]
) -> Iterator[Diagnostic]:
    terms = None if regulation.game is None else PropositionBuilder(compile_game(regulation))
    used = collect_used_names(file.model for file in files)
    known = collect_known_names(rulebook, regulation)
    for file in files:
        warnings = [
            *find_placeholder_texts(file.tree),
            *find_unused_names(used, file.model),
            *find_unknown_stated_names(known, file.model),
        ]
        warnings += _check_model(rulebook, regulation, file)
        if terms is not None:
            warnings += _check_with_game(rulebook, terms, file)
        yield from _to_diagnostics(file.tree, warnings)
    for tree in examples:
        yield from _to_diagnostics(tree, [*find_placeholder_texts(tree), *find_redundant_readings(regulation, tree)])
        if tree.source_name.endswith(BASES_FILE):
            yield from _to_diagnostics(tree, find_unused_bases(tree, examples))


def _to_diagnostics(tree: PositionedDocument, warnings: Iterable[RuleWarning]) -> Iterator[Diagnostic]:
    """Convert the warnings of a file to diagnostics, errors first."""
    for warning in sorted(warnings, key=lambda warning: warning.severity):
        place = tree.positions.get(warning.path)  # of a mapping that begins on its own line, show the key
        at_key = warning.at_key or (place is not None and place.key_line not in (None, place.line))
        diagnostic = tree.build_diagnostic(
            warning.path, warning.code, warning.message, help=warning.help, at_key=at_key
        )
        yield replace(diagnostic, severity=warning.severity)


def _check_model(rulebook: Rulebook, regulation: Regulation, file: RuleFile) -> Iterator[RuleWarning]:
    match file.model:
        case RankingsFile():
            yield from find_ranking_warnings(file.model)
        case Document():
            yield from find_document_warnings(regulation, file.model)
            yield from find_source_line_warnings(file.model, rulebook.folder or rules_folder())
        case RequirementFile():
            yield from find_period_warnings(regulation, file.model)


def _check_with_game(rulebook: Rulebook, terms: PropositionBuilder, file: RuleFile) -> Iterator[RuleWarning]:
    regulation = terms.prepared.regulation
    yield from find_condition_warnings(terms, file.model)
    yield from find_comparison_warnings(terms.game, file.model)
    match file.model:
        case Game():
            yield from find_settlement_warnings(terms)
            yield from find_procedure_warnings(terms)
            yield from find_settlement_order_warnings(terms.game)
            yield from find_irregularity_warnings(terms)
            yield from find_step_event_warnings(terms)
            yield from find_unenforced_terms(terms)
            yield from find_duplicates_in_game(file.model)
            yield from find_undefined_requirements(file.tree)
            yield from find_pay_table_warnings(regulation, file.model)
            yield from find_hand_warnings(regulation, file.model)
            yield from find_clause_warnings(regulation, file.model)
            yield from find_unnamed_readings(regulation, file.model)
        case RequirementFile():
            yield from find_vacuous_rules(terms, file.model)
            yield from find_requirement_warnings(regulation, terms, file.model)
            yield from find_event_warnings(terms.game, file.model)
            yield from find_visit_warnings(terms.game, file.model)
            yield from find_duplicate_checks(file.model)
        case Simulation():
            yield from find_simulation_warnings(rulebook, terms, file.tree, file.model)
            yield from find_direction_warnings(regulation, terms.game, file.model)
