"""SVG file of a table layout, drawn as in the report.

The file contains its styles with every colour written out, as most programs other than browsers ignore variables.
"""

from __future__ import annotations

import re
from functools import cache
from typing import BinaryIO

from markupsafe import Markup

from validator.reports.html.layout_drawing import LayoutDrawing, draw
from validator.reports.html.report import environment, own
from validator.reports.wording import counted
from validator.results.layouts import Layout, Per

_COLOUR = re.compile(r"--([a-z-]+): ([^;]+);")
_USED = re.compile(r"var\(--([a-z-]+)\)")


def write_layout(layout: Layout, stream: BinaryIO) -> LayoutDrawing:
    """Write a layout as a standalone SVG in UTF-8 and return the drawing; the same layout gives the same bytes."""
    drawing = draw(layout, {})
    page = environment().get_template("layout.svg.j2")
    stream.write(page.render(drawn=drawing, description=_description(layout), cloth_style=_style()).encode())
    return drawing


def _description(layout: Layout) -> str:
    """Return the areas and signs in words, for readers who cannot see the drawing."""
    positions = "" if layout.positions is None else f" {layout.positions}"
    of_each = [area.legend for area in layout.areas if area.per is Per.POSITION]
    of_table = [area.legend for area in layout.areas if area.per is Per.TABLE]
    parts = [
        f"Positions:{positions or ' not stated'}",
        f"At each position, from the player: {', '.join(of_each) or 'nothing'}",
        f"On the table: {', '.join(of_table) or 'nothing'}",
        f"{counted(len(layout.signage), 'sign')}: {'; '.join(sign.text for sign in layout.signage) or 'none'}",
    ]
    return ". ".join(parts) + "."


@cache
def _style() -> Markup:
    values = dict(_COLOUR.findall(own("report.css").partition("}")[0]))
    return Markup(_USED.sub(lambda match: values[match[1]], own("cloth.css")))
