"""What the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.facade.text import InputError, Source, Tree, decoded


def source(text: str | bytes, name: str = "file.yaml") -> Source:
    """The source a file with this text would be."""
    return decoded(name, text.encode() if isinstance(text, str) else text)


def refusal(load: Callable[[Source], Tree], given: Source) -> str:
    """All that is said where a load is refused, as rendered without colour."""
    with pytest.raises(InputError) as caught:
        load(given)
    return str(caught.value)
