"""Rule files: loading them, the models that stand in them, examples and what they prove."""

from __future__ import annotations

from validator.audit.examples.evidence import BASES, Sample, load_samples, tree_of
from validator.audit.examples.proof import Proof, prove
from validator.rules.conditions.submission import PublicationsCheck, SignsCheck, SubmissionCondition, Value
from validator.rules.core.library import documents, games, rules_folder, schemas_folder
from validator.rules.core.regulation import Regulation, with_profile
from validator.rules.lint.other_readings import asked_under
from validator.rules.loading.load import RuleFile, load_regulation, read_rule_files, regulation_from
from validator.rules.loading.rulebook import Rulebook
from validator.rules.model.document import Document, Profile, ReadingFile
from validator.rules.model.game import Decision, Game, Step, Wager
from validator.rules.model.requirement import Repeat, Requirement, RequirementFile, SequenceStep

__all__ = [
    "BASES",
    "Decision",
    "Document",
    "Game",
    "Profile",
    "Proof",
    "PublicationsCheck",
    "ReadingFile",
    "Regulation",
    "Repeat",
    "Requirement",
    "RequirementFile",
    "RuleFile",
    "Rulebook",
    "Sample",
    "SequenceStep",
    "SignsCheck",
    "Step",
    "SubmissionCondition",
    "Value",
    "Wager",
    "asked_under",
    "documents",
    "games",
    "load_regulation",
    "load_samples",
    "prove",
    "read_rule_files",
    "regulation_from",
    "rules_folder",
    "schemas_folder",
    "tree_of",
    "with_profile",
]
