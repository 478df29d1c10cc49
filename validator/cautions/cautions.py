"""Every check of `rules check` that goes beyond loading a regulation, run over its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from validator.audit.examples.evidence import BASES
from validator.cards.model import RankingsFile
from validator.cautions.caution import Caution
from validator.cautions.conditions import condition_cautions, rule_cautions
from validator.cautions.documents import beyond_the_text, clause_cautions, document_cautions, period_cautions
from validator.cautions.hands import compared_alike, hand_cautions, ranking_cautions
from validator.cautions.play.house import simulation_cautions
from validator.cautions.play.odds import odds_cautions
from validator.cautions.play.trial import refused_to_play, trial_cautions
from validator.cautions.play.trial_run import TrialRun, trial_run
from validator.cautions.repeated import repeated_checks, repeated_in_game
from validator.cautions.requirements import case_readings, requirement_cautions, unspoken
from validator.cautions.settlement import settlement_cautions
from validator.cautions.stated_names import known_names, stated_names
from validator.cautions.steps.procedure import procedure_cautions
from validator.cautions.steps.telling import event_cautions, telling_cautions
from validator.cautions.steps.turns import order_cautions, side_cautions, visit_cautions
from validator.cautions.steps.wrong_deals import irregularity_cautions
from validator.cautions.tables import table_cautions
from validator.cautions.texts import idle_readings, unused_bases, unwritten
from validator.cautions.unasked import unasked
from validator.cautions.unused import unused, used_in
from validator.engine.compiled.game import prepare
from validator.operators.terms import Terms
from validator.rulebook.loading.game_requirements import with_game_requirements
from validator.rulebook.loading.rule_file import RuleFile
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.library import rules_folder
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import Document
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.rules.simulation.simulation import Simulation
from validator.text.diagnostics import Diagnostic
from validator.text.trees.tree import Tree


def cautions(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile], examples: Sequence[Tree] = ()
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every statement that cannot be meant or seldom is.

    Args:
        rulebook: The rulebook that the regulation belongs to.
        regulation: The loaded regulation.
        files: The files that the regulation was made of, and that of its simulation if it has one.
        examples: The files of its examples.
    """
    # A requirement that a game states appears in two files; report its warnings once.
    yield from dict.fromkeys(_check_files(rulebook, regulation, with_game_requirements(files), examples))


def in_play(rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every problem that appears when the game is played.

    Every deal is enumerated, and a game with a simulation is played for some rounds, which takes seconds. Call it only
    for a regulation without other errors.
    """
    if regulation.game is None:
        return
    simulated = next((file for file in files if isinstance(file.model, Simulation)), None)
    trial = TrialRun()
    if simulated is not None and isinstance(simulated.model, Simulation):
        try:
            trial = trial_run(rulebook, prepare(regulation), simulated.model)
        except ValueError as error:
            yield from _to_diagnostics(simulated.tree, [refused_to_play(str(error))])
    for file in with_game_requirements(files):
        warnings = list(trial_cautions(regulation, trial, file.model))
        if isinstance(file.model, Game):
            warnings += odds_cautions(regulation, file.model)
        yield from _to_diagnostics(file.tree, warnings)


def _check_files(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile], examples: Sequence[Tree]
) -> Iterator[Diagnostic]:
    terms = None if regulation.game is None else Terms(prepare(regulation))
    used = used_in(file.model for file in files)
    known = known_names(rulebook, regulation)
    for file in files:
        warnings = [*unwritten(file.tree), *unused(used, file.model), *stated_names(known, file.model)]
        warnings += _check_model(rulebook, regulation, file)
        if terms is not None:
            warnings += _check_with_game(rulebook, terms, file)
        yield from _to_diagnostics(file.tree, warnings)
    for tree in examples:
        yield from _to_diagnostics(tree, [*unwritten(tree), *idle_readings(regulation, tree)])
        if tree.source_name.endswith(BASES):
            yield from _to_diagnostics(tree, unused_bases(tree, examples))


def _to_diagnostics(tree: Tree, warnings: Iterable[Caution]) -> Iterator[Diagnostic]:
    """Convert the warnings of a file to diagnostics, errors first."""
    for warning in sorted(warnings, key=lambda warning: warning.severity):
        place = tree.positions.get(warning.at)  # of a mapping that begins on its own line, show the key
        at_key = warning.at_key or (place is not None and place.key_line not in (None, place.line))
        diagnostic = tree.diagnostic(warning.at, warning.code, warning.message, help=warning.help, at_key=at_key)
        yield replace(diagnostic, severity=warning.severity)


def _check_model(rulebook: Rulebook, regulation: Regulation, file: RuleFile) -> Iterator[Caution]:
    match file.model:
        case RankingsFile():
            yield from ranking_cautions(file.model)
        case Document():
            yield from document_cautions(regulation, file.model)
            yield from beyond_the_text(file.model, rulebook.folder or rules_folder())
        case RequirementFile():
            yield from period_cautions(regulation, file.model)


def _check_with_game(rulebook: Rulebook, terms: Terms, file: RuleFile) -> Iterator[Caution]:
    regulation = terms.prepared.regulation
    yield from condition_cautions(terms, file.model)
    yield from compared_alike(terms.game, file.model)
    match file.model:
        case Game():
            yield from settlement_cautions(terms)
            yield from procedure_cautions(terms)
            yield from order_cautions(terms.game)
            yield from irregularity_cautions(terms)
            yield from telling_cautions(terms)
            yield from unasked(terms)
            yield from repeated_in_game(file.model)
            yield from unspoken(file.tree)
            yield from table_cautions(regulation, file.model)
            yield from hand_cautions(regulation, file.model)
            yield from clause_cautions(regulation, file.model)
            yield from case_readings(regulation, file.model)
        case RequirementFile():
            yield from rule_cautions(terms, file.model)
            yield from requirement_cautions(regulation, terms, file.model)
            yield from event_cautions(terms.game, file.model)
            yield from visit_cautions(terms.game, file.model)
            yield from repeated_checks(file.model)
        case Simulation():
            yield from simulation_cautions(rulebook, terms, file.tree, file.model)
            yield from side_cautions(regulation, terms.game, file.model)
