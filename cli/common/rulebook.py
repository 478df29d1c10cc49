"""Rulebook that a command line names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from validator.rulebook.loading.rulebook import Rulebook


def open_rulebook(rules: str | None, profile: str | None = None) -> Rulebook:
    """Return the rulebook of a rules folder and profile, by default the shipped one.

    Raises:
        InputError: if the profile cannot be read or does not fit.
        UsageError: if the folder has no document.
    """
    from validator.rulebook.loading.rulebook import Rulebook  # noqa: PLC0415 - some runs need no rulebook

    rulebook = Rulebook(folder=None if rules is None else Path(rules))
    if not rulebook.documents:
        raise click.UsageError(f"`{rules}` is not a rules folder: none of its folders has a document.yaml")
    if profile is None:
        return rulebook
    from validator.rulebook.loading.profile import read_as_chosen  # noqa: PLC0415 - most runs have no profile

    return read_as_chosen(rulebook, profile)
