"""Reading text: sources, trees with positions, models, diagnostics, odds and money."""

from __future__ import annotations

from validator.text.diagnostics import MAX_PROBLEMS, Diagnostic, InputError, render
from validator.text.models.model import Closed, OneOf, hyphenated
from validator.text.models.validate import validate
from validator.text.source import Source, decoded, read_source
from validator.text.trees.json_tree import load_json
from validator.text.trees.load import load_tree
from validator.text.trees.toml_tree import load_toml
from validator.text.trees.tree import Data, Path, Position, Tree, parse_pointer
from validator.text.trees.yaml_tree import load_yaml
from validator.text.truth import NO, UNKNOWN, YES
from validator.text.values.money import format_money
from validator.text.values.odds import Form, OddsText, Payout, PayoutText, parse_odds, parse_payout
from validator.text.visible import quoted, visible

__all__ = [
    "MAX_PROBLEMS",
    "NO",
    "UNKNOWN",
    "YES",
    "Closed",
    "Data",
    "Diagnostic",
    "Form",
    "InputError",
    "OddsText",
    "OneOf",
    "Path",
    "Payout",
    "PayoutText",
    "Position",
    "Source",
    "Tree",
    "decoded",
    "format_money",
    "hyphenated",
    "load_json",
    "load_toml",
    "load_tree",
    "load_yaml",
    "parse_odds",
    "parse_payout",
    "parse_pointer",
    "quoted",
    "read_source",
    "render",
    "validate",
    "visible",
]
