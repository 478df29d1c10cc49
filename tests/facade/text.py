"""Reading text: sources, trees with positions, models, diagnostics, odds and money."""

from __future__ import annotations

from fairdeal.validator.schemas.configuration import load_toml
from fairdeal.validator.text.closed_model import AbbreviatedModel, ClosedModel, OneOperatorModel, to_key
from fairdeal.validator.text.diagnostics import MAX_PROBLEMS, Diagnostic, InputError, quote, render_diagnostic, sanitize
from fairdeal.validator.text.document_loader import load_document, validate
from fairdeal.validator.text.json_document import load_json
from fairdeal.validator.text.plain_values import (
    NO,
    UNKNOWN,
    YES,
    OddsText,
    Payout,
    PayoutText,
    PayoutWording,
    format_money,
    parse_odds,
    parse_payout,
)
from fairdeal.validator.text.positioned_document import (
    Data,
    DataPath,
    PositionedDocument,
    SourcePosition,
    parse_pointer,
)
from fairdeal.validator.text.source import Source, decode_source, read_source
from fairdeal.validator.text.yaml_document import load_yaml

__all__ = [
    "MAX_PROBLEMS",
    "NO",
    "UNKNOWN",
    "YES",
    "AbbreviatedModel",
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
