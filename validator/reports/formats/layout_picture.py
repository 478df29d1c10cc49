"""Drawing of a table layout as PNG or PDF, from its SVG.

Typst reads the SVG, and brings fonts for Latin, Greek and Cyrillic script, so that a drawing has the same bytes on
every machine. Only for other scripts does it look for fonts of the system.
"""

from __future__ import annotations

import typst

_PICTURE = "#set page(width: 29cm, height: auto, margin: 0pt)"
_SHEET = '#set page("a4", flipped: true, margin: 1cm)'
_DOCUMENT = """#set document(title: sys.inputs.title, date: none)
{page}
#image(bytes(sys.inputs.svg), format: "svg", width: 100%, height: {height}, fit: "contain", alt: sys.inputs.title)
"""
_DOTS_PER_INCH = 200
_OWN_SCRIPTS = "\u052f"
"""Last letter of the scripts of the fonts that Typst brings."""
_SIGNS = range(0x2000, 0x2E80)
"""Punctuation and symbols, which these fonts have too, mostly."""


def draw_picture(svg: str, *, is_sheet: bool, title: str) -> bytes:
    """Return a drawing as PNG, or as PDF on a sheet of A4.

    Args:
        svg: the drawing.
        is_sheet: True for PDF.
        title: title of the document.
    """
    document = _DOCUMENT.format(page=_SHEET if is_sheet else _PICTURE, height="100%" if is_sheet else "auto")
    drawn = typst.compile(
        document.encode(),
        format="pdf" if is_sheet else "png",
        ppi=_DOTS_PER_INCH,
        ignore_system_fonts=all(letter <= _OWN_SCRIPTS or ord(letter) in _SIGNS for letter in svg),
        sys_inputs={"svg": svg, "title": title},
    )
    if not isinstance(drawn, bytes):
        raise TypeError(f"a drawing of one page is bytes, not {type(drawn).__name__}")
    return drawn
