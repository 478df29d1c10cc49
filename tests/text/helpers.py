"""Functions that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.facade.text import InputError, PositionedDocument, Source, decode_source


def source(text: str | bytes, name: str = "file.yaml") -> Source:
    """Build the source of a file with this text."""
    return decode_source(name, text.encode() if isinstance(text, str) else text)


def refusal(load: Callable[[Source], PositionedDocument], given: Source) -> str:
    """Return all messages of a refused load, rendered without colour."""
    with pytest.raises(InputError) as caught:
        load(given)
    return str(caught.value)
