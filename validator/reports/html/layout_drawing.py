"""Geometry of a drawn table layout: outline, areas, signs, marks of findings; and its picture as PNG or PDF.

Lengths are in the units of the drawing's view box, rounded to a tenth so that the same layout gives the same bytes.

Typst reads the SVG, and brings fonts for Latin, Greek and Cyrillic script, so that a drawing has the same bytes on
every machine. Only for other scripts does it look for fonts of the system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import cos, dist, radians, sin
from typing import Literal, TypeAlias
from unicodedata import combining, east_asian_width

from msgspec import Struct

from fairdeal.validator.reports.finding_groups import GroupNumbers
from fairdeal.validator.results.findings import WORST_FIRST, Status
from fairdeal.validator.results.results import AreaUnit, Layout, LayoutArea, LayoutMark, TableShape
from fairdeal.validator.text.diagnostics import sanitize

Point = tuple[float, float]


class TableOutline(Struct, frozen=True, kw_only=True):
    """Table seen from above, with the dealer at the top."""

    centre: Point
    """Middle of the ellipse on which players sit."""
    felt: Point
    """Half axes of the ellipse."""
    rail: Point
    """Half axes of the rail around the felt."""
    first: float
    """Angle of the first position."""
    last: float
    """Angle of the last position, less than that of the first."""
    areas: float
    """Distance of the table's own areas from the top."""
    tray: Point
    """Upper left corner of the dealer's rack."""
    pin: Point
    """Place for a mark of the whole table."""
    closed: bool
    """True if the ellipse is the whole outline; else a straight side closes it before the dealer."""

    def list_angles(self, positions: int) -> list[float]:
        """Return the angles of a number of positions."""
        if positions == 1:
            return [90.0]
        span = self.first - self.last
        return [self.first - span * index / (positions - 1) for index in range(positions)]

    def find_point_at(self, angle: float, axes: Point) -> Point:
        """Return a point of an ellipse around the centre, rounded to a tenth."""
        x = self.centre[0] + axes[0] * cos(radians(angle))
        y = self.centre[1] + axes[1] * sin(radians(angle))
        return round(x, 1), round(y, 1)

    def edge(self, grow: float) -> str:
        """Return the outline of the table as an SVG path, `grow` units outside the felt."""
        x, y = self.centre
        rx, ry = self.felt[0] + grow, self.felt[1] + grow
        arc = f"A{rx:g} {ry:g} 0 0 1"
        if self.closed:
            return f"M{x - rx:g} {y:g}{arc} {x + rx:g} {y:g}{arc} {x - rx:g} {y:g}Z"
        top = y - 26 - grow
        return f"M{x - rx:g} {top:g}H{x + rx:g}V{y:g}{arc} {x - rx:g} {y:g}Z"


OUTLINES: Mapping[TableShape, TableOutline] = {
    TableShape.HALF_ROUND: TableOutline(
        centre=(480.0, 56.0),
        felt=(426.0, 440.0),
        rail=(450.0, 464.0),
        first=162.0,
        last=18.0,
        areas=94.0,
        tray=(400.0, 38.0),
        pin=(48.0, 22.0),
        closed=False,
    ),
    TableShape.OVAL: TableOutline(
        centre=(480.0, 264.0),
        felt=(426.0, 226.0),
        rail=(450.0, 250.0),
        first=238.0,
        last=-58.0,
        areas=264.0,
        tray=(400.0, 48.0),
        pin=(162.0, 87.0),
        closed=True,
    ),
}


LETTER = 6.3
"""Estimated width of a letter of a legend, in units of the drawing."""

_LONGEST = 400


def fit_text(text: str, *, width: float, lines: int, letter: float = LETTER) -> tuple[str, ...]:
    """Return a text in a number of lines of a width, cut with `…`, with hostile characters made visible.

    Widths are estimated, not measured, so the drawing should clip the lines as well.
    """
    room = max(int(width / letter), 1)
    broken: list[str] = []
    for word in sanitize(text[:_LONGEST]).split():
        if broken and _wide(broken[-1]) + 1 + _wide(word) <= room:
            broken[-1] += f" {word}"
        else:
            broken.append(word)
    if not broken:
        return ()
    if len(broken) <= lines and len(text) <= _LONGEST:
        return tuple(_cut(line, room) for line in broken)
    *first, last = broken[:lines]
    return (*(_cut(line, room) for line in first), _cut(f"{last} …", room))


def _cut(line: str, room: int) -> str:
    if _wide(line) <= room:
        return line
    kept = ""
    for letter in line:
        if _wide(kept + letter) + 1 > room:
            break
        kept += letter
    return f"{kept}…"


def _wide(text: str) -> int:
    """Return the width of a text in letters of the usual width."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


WIDTH, HEIGHT = 960, 528
SIGN_HEIGHT = 58
"""Height above the table for the signs, if there are any."""

_MARGIN = 24.0
_TITLE_HEIGHT, _CAPTION_LINE = 32.0, 17.0
_MOST_SENTENCES, _LINES_OF_SENTENCE = 40, 4

TABLE_AREA = (84.0, 36.0)
"""Width and height of an area of the whole table."""

_MOST_POSITIONS, _MOST_AREAS, _MOST_OF_TABLE, _MOST_SIGNS = 12, 6, 4, 4
_LARGEST_RADIUS = 34.0
_LARGE = 22.0
"""Radius from which a legend that does not fit is cut instead of replaced by a number."""

_ROOM = 1.62
_LINE = 11.0
_OUTERMOST = 0.87
_BETWEEN = 8.0

Shape: TypeAlias = Literal["round", "square", "wide"]


class TextLine(Struct, frozen=True, kw_only=True):
    """Short text with its place relative to its shape, or to the drawing if it has none."""

    x: float
    """Distance to the right."""
    y: float
    """Distance down."""
    text: str
    """Text, cut to fit."""


class Pointer(Struct, frozen=True, kw_only=True):
    """Mark of a finding on a part of the layout."""

    status: Status
    """Status of the finding."""
    number: int | None
    """Number of the finding in the report; None if it is not listed there."""


class DrawnArea(Struct, frozen=True, kw_only=True):
    """Drawn area of a layout."""

    x: float
    """Distance of its middle from the left."""
    y: float
    """Distance of its middle from the top."""
    shape: Shape
    """Round for a wager at a position, square for another area there, wide for an area of the table."""
    position: int | None
    """Position that the area belongs to, from 1; None for an area of the table."""
    area: LayoutArea
    """Area that is drawn."""
    lines: tuple[TextLine, ...]
    """Lines of its legend."""
    finding: Pointer | None
    """Finding on the area or its legend."""
    on_legend: bool
    """True if the finding is on the legend alone."""
    ghost: bool = False
    """True if the layout lacks this area."""


class DrawnSign(Struct, frozen=True, kw_only=True):
    """Drawn sign at the table."""

    x: float
    """Distance of its left edge from the left."""
    width: float
    """Width of the sign."""
    text: str
    """Text, cut to fit."""
    finding: Pointer | None
    """Finding on the sign."""


class LayoutDrawing(Struct, frozen=True, kw_only=True):
    """Layout with the places of all its parts.

    A drawing has room for twelve positions with six areas each, four areas of the table and four signs.
    """

    layout: Layout
    """Layout that is drawn."""
    form: TableOutline
    """Outline of the table."""
    top: int
    """Upper edge of the view box."""
    radius: float
    """Radius of every round area."""
    seats: tuple[TextLine, ...]
    """Numbers of the positions along the arc."""
    spots: tuple[DrawnArea, ...]
    """Areas of positions and of the table."""
    plates: tuple[DrawnSign, ...]
    """Signs above the table."""
    finding: Pointer | None
    """Finding on the layout as a whole."""
    positions: int
    """Number of drawn positions."""
    areas: int
    """Number of drawn kinds of area, missing ones included."""

    @property
    def whole(self) -> bool:
        """True if the whole layout is drawn."""
        return (
            self.positions == (self.layout.positions or 1)
            and self.areas == len(self.layout.areas) + len(self.layout.lacks)
            and len(self.plates) == len(self.layout.signage)
        )


class LayoutCaption(Struct, frozen=True, kw_only=True):
    """Text below a drawn layout."""

    title: str
    """Name of the game."""
    lines: tuple[TextLine, ...]
    """Lines on limits and odds."""
    height: float
    """Height of the whole text."""


def draw_caption(title: str, sentences: Sequence[str]) -> LayoutCaption:
    """Set a title and sentences below a layout, the sentences in as many lines as they need."""
    texts = [
        text
        for sentence in sentences[:_MOST_SENTENCES]
        for text in fit_text(sentence, width=WIDTH - 2 * _MARGIN, lines=_LINES_OF_SENTENCE)
    ]
    if len(sentences) > _MOST_SENTENCES:
        texts.append(f"and {len(sentences) - _MOST_SENTENCES} more")
    lines = tuple(
        TextLine(x=_MARGIN, y=HEIGHT + _TITLE_HEIGHT + _CAPTION_LINE * (at + 1), text=text)
        for at, text in enumerate(texts)
    )
    (shown,) = fit_text(title, width=WIDTH - 2 * _MARGIN, lines=1, letter=2 * LETTER) or ("",)
    return LayoutCaption(title=shown, lines=lines, height=_TITLE_HEIGHT + _CAPTION_LINE * (len(texts) + 1.5))


def draw_layout(layout: Layout, numbers: GroupNumbers) -> LayoutDrawing:
    """Lay the positions along the table's edge and stack their areas from the edge towards the dealer."""
    positions = min(max(1 if layout.positions is None else layout.positions, 0), _MOST_POSITIONS)
    numbered = list(enumerate((*layout.areas, *layout.lacks), 1))
    own = [(at, area) for at, area in numbered if area.per is AreaUnit.POSITION][:_MOST_AREAS]
    shared = [(at, area) for at, area in numbered if area.per is AreaUnit.TABLE][:_MOST_OF_TABLE]
    ghosts = range(len(layout.areas) + 1, len(numbered) + 1)
    form = OUTLINES[layout.shape]
    angles = form.list_angles(positions)
    step = (0.46 if shared else 0.6) / max(len(own), 3)
    rings = [_OUTERMOST - step * ring for ring in range(len(own))]
    radius = _radius(form, angles, rings)
    spots = [
        _spot(at, area, _on_ring(form, angle, ring), radius, position, numbers, ghost=at in ghosts)
        for position, angle in enumerate(angles, 1)
        for (at, area), ring in zip(own, rings, strict=True)
    ]
    spots += [
        _spot(at, area, middle, radius, None, numbers, ghost=at in ghosts)
        for (at, area), middle in zip(shared, _in_a_row(form, len(shared)), strict=True)
    ]
    return LayoutDrawing(
        layout=layout,
        form=form,
        top=-SIGN_HEIGHT if layout.signage else 0,
        radius=radius,
        seats=tuple(
            TextLine(x=x, y=round(y + 4, 1), text=str(seat))
            for seat, angle in enumerate(angles, 1)
            for x, y in [
                form.find_point_at(angle, ((form.felt[0] + form.rail[0]) / 2, (form.felt[1] + form.rail[1]) / 2))
            ]
        ),
        spots=tuple(spots),
        plates=_plates(layout, numbers),
        finding=find_pointer(layout.marks, numbers),
        positions=positions,
        areas=len(own) + len(shared),
    )


def find_pointer(marks: Sequence[LayoutMark], numbers: GroupNumbers) -> Pointer | None:
    """Return the worst of some marks, None without any."""
    if not marks:
        return None
    worst = min(marks, key=lambda mark: WORST_FIRST.index(mark.status))
    return Pointer(status=worst.status, number=numbers.get((worst.status, worst.requirement)))


def _on_ring(form: TableOutline, angle: float, ring: float) -> tuple[float, float]:
    """Return a point at an angle, at the share `ring` of the way from the middle to the edge of the felt."""
    return form.find_point_at(angle, (form.felt[0] * ring, form.felt[1] * ring))


def _in_a_row(form: TableOutline, count: int) -> list[tuple[float, float]]:
    """Return the middles of the areas of the table, side by side before the dealer."""
    width, _ = TABLE_AREA
    first = form.centre[0] - (count - 1) * (width + _BETWEEN) / 2
    return [(round(first + at * (width + _BETWEEN), 1), form.areas) for at in range(count)]


def _radius(form: TableOutline, angles: list[float], rings: list[float]) -> float:
    """Return the largest radius at which no two neighbouring areas touch."""
    points = {(a, r): _on_ring(form, angle, ring) for a, angle in enumerate(angles) for r, ring in enumerate(rings)}
    neighbours = [dist(points[a, r], points[b, r]) for a, b in pairwise(range(len(angles))) for r in range(len(rings))]
    neighbours += [dist(points[a, r], points[a, s]) for r, s in pairwise(range(len(rings))) for a in range(len(angles))]
    return round(min(_LARGEST_RADIUS, 0.45 * min(neighbours, default=WIDTH)), 1)


def _spot(
    at: int,
    area: LayoutArea,
    middle: tuple[float, float],
    radius: float,
    position: int | None,
    numbers: GroupNumbers,
    *,
    ghost: bool,
) -> DrawnArea:
    """Return an area drawn around a point.

    Args:
        at: number of the area in the layout, shown if the area is too small for its legend.
        middle: the point.
        position: position of the area; None for an area of the table.
    """
    if position is None:
        texts = fit_text(area.legend, width=TABLE_AREA[0] - 8, lines=2)
    else:
        texts = fit_text(area.legend, width=_ROOM * radius, lines=3 if radius >= _LARGE else 1)
        if radius < _LARGE and any("…" in text for text in texts):
            texts = ()
    texts = texts or (str(at),)
    top = 3.2 - _LINE * (len(texts) - 1) / 2
    marks = (*area.marks, *area.legend_marks)
    return DrawnArea(
        x=middle[0],
        y=middle[1],
        shape="wide" if position is None else "round" if area.wager else "square",
        position=position,
        area=area,
        lines=tuple(TextLine(x=0, y=round(top + _LINE * row, 1), text=text) for row, text in enumerate(texts)),
        finding=find_pointer(marks, numbers),
        on_legend=bool(area.legend_marks) and not area.marks,
        ghost=ghost,
    )


def _plates(layout: Layout, numbers: GroupNumbers) -> tuple[DrawnSign, ...]:
    """Return the signs side by side above the table."""
    signs = layout.signage[:_MOST_SIGNS]
    width = min(300.0, (WIDTH - 48 - 16 * (len(signs) - 1)) / max(len(signs), 1))
    first = (WIDTH - len(signs) * width - (len(signs) - 1) * 16) / 2
    return tuple(
        DrawnSign(
            x=round(first + at * (width + 16), 1),
            width=round(width, 1),
            text=" ".join(fit_text(sign.text, width=width - 28, lines=1, letter=7.4)),
            finding=find_pointer(sign.marks, numbers),
        )
        for at, sign in enumerate(signs)
    )


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
    import typst  # noqa: PLC0415 - only the extra `layout` has it

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
