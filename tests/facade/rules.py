"""Rule files: loading them, their models, examples and proofs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fairdeal.validator.audit.rule_review.example_evidence import BASES_FILE, Sample, build_tree, load_samples
from fairdeal.validator.audit.rule_review.example_proof import Proof, prove_samples
from fairdeal.validator.audit.rule_review.requirement_text import describe_rule as rule_text
from fairdeal.validator.audit.rule_review.requirement_text import find_failing_examples, write_requirement_yaml
from fairdeal.validator.audit.wording.check_sentences import DESCRIBED_OPERATORS
from fairdeal.validator.audit.wording.terms import suggest_remedy
from fairdeal.validator.language.submission_conditions import PublicationsCheck, SignsCheck, SubmissionCondition, Value
from fairdeal.validator.rulebook import rule_loader
from fairdeal.validator.rulebook.dependencies import find_needed_readings
from fairdeal.validator.rulebook.game_requirements import RuleFile
from fairdeal.validator.rulebook.pattern_model import PatternsFile
from fairdeal.validator.rulebook.rule_loader import RuleIndex, build_regulation, read_rule_files
from fairdeal.validator.rulebook.rulebook import Rulebook, get_shared_regulation
from fairdeal.validator.rules.check_model import Check, Repeat, SequenceStep
from fairdeal.validator.rules.document_model import Document, Profile, ReadingFile, RulebookEdition
from fairdeal.validator.rules.game_model import Act, Decision, Game, Wager
from fairdeal.validator.rules.regulation import Regulation, apply_profile
from fairdeal.validator.rules.requirement_model import Requirement, RequirementFile
from fairdeal.validator.rules.rule_files import list_documents, list_games, load_bundle, rules_folder, schemas_folder

__all__ = [
    "BASES_FILE",
    "DESCRIBED_OPERATORS",
    "Act",
    "Check",
    "Decision",
    "Document",
    "Game",
    "PatternsFile",
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
    "RulebookEdition",
    "Sample",
    "SequenceStep",
    "SignsCheck",
    "SubmissionCondition",
    "Value",
    "Wager",
    "apply_profile",
    "build_regulation",
    "build_regulation_of",
    "build_tree",
    "expand_text",
    "find_failing_examples",
    "find_needed_readings",
    "list_documents",
    "list_games",
    "load_bundle",
    "load_regulation",
    "load_samples",
    "prove_samples",
    "read_rule_files",
    "rule_text",
    "rules_folder",
    "schemas_folder",
    "suggest_remedy",
]


def load_regulation(document: str, folder: Path | None = None) -> Regulation:
    """Load a document of a rules folder from its files. A document of the shipped rulebook, which does not change, is
    the one that its rulebooks share. Raises InputError as loading does."""
    return _load_shipped(document) if folder is None else rule_loader.load_regulation(document, folder)


@cache
def _load_shipped(document: str) -> Regulation:
    return get_shared_regulation(document)


def expand_text(document: str, name: str) -> str:
    """Return a shipped requirement as YAML, in full."""
    return write_requirement_yaml(_rule_files(document).requirements[name].written_out)


@cache
def _rule_files(document: str) -> RuleIndex:
    return RuleIndex.from_files(document)


def build_regulation_of(
    document: str, files: Mapping[str, Any], *, rankings: Mapping[str, Any] | None = None
) -> Regulation:
    """Build the regulation of a document from its files, by name: text, or data that YAML reads as JSON. The shipped
    vocabulary is added, with further rankings if any are given. Raises InputError if they are invalid.
    """
    further = (f"  {ranking}: {json.dumps(model)}\n" for ranking, model in (rankings or {}).items())
    root = Path(_with_vocabulary("".join(further)).name)
    try:
        for file, content in files.items():
            path = root / document / f"{file}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return load_regulation(document, root)
    finally:
        shutil.rmtree(root / document)


@cache
def _with_vocabulary(rankings: str) -> TemporaryDirectory[str]:
    """Return a folder with the shipped vocabulary and further rankings, which exists until the process ends. An
    unchanged vocabulary in an unchanged place is validated once."""
    folder = TemporaryDirectory()
    shared = Path(folder.name, "vocabulary")
    shutil.copytree(rules_folder() / "vocabulary", shared)
    with (shared / "rankings.yaml").open("a", encoding="utf-8") as stream:
        stream.write(rankings)
    return folder
