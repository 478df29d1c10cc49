"""Command lines run in this process or as the program itself."""

from __future__ import annotations

from cli.generate import ROOT, generated
from cli.main import main

__all__ = [
    "ROOT",
    "generated",
    "main",
]
