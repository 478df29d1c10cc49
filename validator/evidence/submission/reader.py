"""Submissions from files, by a validator that is kept for the next run.

To build the validator of a submission takes pydantic ten times as long as to use it; what it is built from, its
core schema, is plain data that can be kept.
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
    """The submission in a file. Raises InputError."""
    key = key_of("submission")
    found = _read(fetch(key, trusted=_TRUSTED), tree)
    if found is None:
        # Whatever was wrong, with the file or with what was kept: the ordinary way says it, or does not mind.
        found = validate(tree, Submission)
        keep(key, _kept(Submission.__pydantic_core_schema__))
    return found


def _read(schema: object, tree: Tree) -> Submission | None:
    """The submission in a file as a kept core schema takes it; None where it does not."""
    if isinstance(schema, dict):
        with suppress(Exception):
            found = SchemaValidator(schema).validate_json(as_json(tree.data))
            return found if isinstance(found, Submission) else None
    return None


def _kept(schema: object) -> object:
    """A core schema without what only documents it: that is code, and cannot be kept."""
    if isinstance(schema, dict):
        return {key: _kept(part) for key, part in schema.items() if not str(key).startswith(_DOCUMENTING)}
    if isinstance(schema, (list, tuple)):
        return type(schema)(map(_kept, schema))
    return schema
