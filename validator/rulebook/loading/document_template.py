"""A document of one's own, begun as a copy of a shipped template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fairdeal.validator.rules.rule_files import list_templates

__all__ = ["copy_template"]

_YAML_ID = r"(\b(?:document|game|style): ){}(?![\w-])"
_JSON_ID = r'("(?:document|game|style)": ?"){}(?=")'


def copy_template(template: str, document: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the text of every file of a template, under the id of the new document.

    Only the values of `document`, `game` and `style` change, so that comments and layout remain.

    Args:
        template: The id of a shipped template.
        document: The id of the new document.
    """
    home = list_templates()[template]
    for path in sorted(home.rglob("*")):
        if path.is_file():
            yield path.relative_to(home).as_posix(), _rename(path, template, document)


def _rename(path: Path, template: str, document: str) -> bytes:
    if path.suffix not in (".yaml", ".jsonl"):
        return path.read_bytes()
    identifier = (_YAML_ID if path.suffix == ".yaml" else _JSON_ID).format(re.escape(template))
    return re.sub(identifier, rf"\g<1>{document}", path.read_text("utf-8")).encode()
