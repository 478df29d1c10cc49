"""The scanner compiled as its wheel does it, or so that it stops at what C leaves undefined."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

_HOOK = Path(__file__).parents[2] / "native" / "hatch_build.py"
_TRAPS = ("-fsanitize=undefined", "-fsanitize-trap=undefined")


def compile_scanner(library: Path, *, sanitized: bool = False) -> None:
    """Compile it into a shared library. Raises ImportError where hatchling is not there, CalledProcessError where it
    cannot be compiled."""
    spec = importlib.util.spec_from_file_location("hatch_build", _HOOK)
    assert spec is not None and spec.loader is not None
    hook: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    hook.compiled(library, *(_TRAPS if sanitized else ()))
