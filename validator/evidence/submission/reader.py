"""Reader of submissions, with a validator that is cached on disk for the next run.

Pydantic takes ten times as long to build the validator as to use it. The core schema that it is built from is plain
data and can be cached.
"""

from __future__ import annotations

from contextlib import suppress

from pydantic_core import SchemaValidator

from validator.disk_cache import fetch, keep, key_of
from validator.evidence.submission.model import Submission
from validator.text.models.validate import as_json, validate
from validator.text.trees.tree import Tree

_TRUSTED = (
    "validator.evidence.submission.layout",
    "validator.evidence.submission.model",
    "validator.evidence.submission.money",
    "validator.text.models.model",
    "validator.text.values.odds",
    "validator.text.models.scalars",
)
_DOCUMENTING = "pydantic_js_"


def submission_in(tree: Tree) -> Submission:
    """Return the submission in a file. Raises InputError."""
    key = key_of("submission")
    submission = _validate_with(fetch(key, trusted=_TRUSTED), tree)
    if submission is None:
        # The file or the cached schema may be wrong: the ordinary validation reports the first and ignores the second.
        submission = validate(tree, Submission)
        keep(key, _strip_documentation(Submission.__pydantic_core_schema__))
    return submission


def _validate_with(schema: object, tree: Tree) -> Submission | None:
    """Return the submission, validated with a cached core schema; None if that fails."""
    if isinstance(schema, dict):
        with suppress(Exception):
            submission = SchemaValidator(schema).validate_json(as_json(tree.data))
            return submission if isinstance(submission, Submission) else None
    return None


def _strip_documentation(schema: object) -> object:
    """Return a core schema without its documentation: that is code and cannot be cached."""
    if isinstance(schema, dict):
        return {
            key: _strip_documentation(part) for key, part in schema.items() if not str(key).startswith(_DOCUMENTING)
        }
    if isinstance(schema, (list, tuple)):
        return type(schema)(map(_strip_documentation, schema))
    return schema
