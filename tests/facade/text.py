"""Reading text: sources, trees with positions, models, diagnostics, odds and money."""

from __future__ import annotations

from validator.text.diagnostics import MAX_PROBLEMS, Diagnostic, InputError, render_diagnostic
from validator.text.models.model import ClosedModel, OneOperatorModel, to_key
from validator.text.models.validate import validate
from validator.text.source import Source, decode_source, read_source
from validator.text.trees.json_tree import load_json
from validator.text.trees.load import load_document
from validator.text.trees.toml_tree import load_toml
from validator.text.trees.tree import Data, DataPath, PositionedDocument, SourcePosition, parse_pointer
from validator.text.trees.yaml_tree import load_yaml
from validator.text.truth import NO, UNKNOWN, YES
from validator.text.values.money import format_money
from validator.text.values.odds import OddsText, Payout, PayoutText, PayoutWording, parse_odds, parse_payout
from validator.text.visible import quote, sanitize

__all__ = [
    "MAX_PROBLEMS",
    "NO",
    "UNKNOWN",
    "YES",
    "ClosedModel",
    "Data",
    "DataPath",
    "Diagnostic",
    "InputError",
    "OddsText",
    "OneOperatorModel",
    "Payout",
    "PayoutText",
    "PayoutWording",
    "PositionedDocument",
    "Source",
    "SourcePosition",
    "decode_source",
    "format_money",
    "load_document",
    "load_json",
    "load_toml",
    "load_yaml",
    "parse_odds",
    "parse_payout",
    "parse_pointer",
    "quote",
    "read_source",
    "render_diagnostic",
    "sanitize",
    "to_key",
    "validate",
]
