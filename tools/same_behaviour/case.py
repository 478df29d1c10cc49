"""Cases that are run in both checkouts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FORMATS = {
    "json": "json",
    "html": "html",
    "concise": "txt",
    "markdown": "md",
    "sarif": "sarif",
    "junit": "xml",
    "github": "github",
    "gitlab": "gitlab",
    "csv": "csv",
    "xlsx": "xlsx",
    "sqlite": "sqlite",
}
"""The formats of results other than text, each with the suffix of its file."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A command. It runs in a folder of its own, with what it reads at `in/`; every file it leaves is compared."""

    name: str
    arguments: tuple[str, ...]
    copies: Mapping[str, str] = field(default_factory=dict)
    """Files of `in/` to copy into the folder, by the name they get: what the command itself changes."""
    stdin: str | None = None
    """A file of `in/`."""
    quick: bool = False
    """Run in a fork of a program that has loaded its modules. For commands of which there are many."""
    makes: bool = False
    """True if later cases read the output of the old checkout."""


def case(name: str, *arguments: str, quick: bool = False, makes: bool = False) -> Case:
    """Build a plain case, named by its arguments if `name` is empty."""
    return Case(name=name or " ".join(arguments), arguments=arguments, quick=quick, makes=makes)


def outputs(stem: str = "results") -> tuple[str, ...]:
    """Options that write text to standard output and every other format to a file."""
    files = [f"{form}:{stem}.{ending}" for form, ending in FORMATS.items()]
    return tuple(word for output in ("text", *files) for word in ("-o", output))
