"""Where the boxes of a graph go: columns from left to right, wrapped into bands as lines of a text are.

Boxes of a column do not depend on each other. Edges to the next column are curves; all others leave through the gap
beside their column, run in a lane below the band, and come back through the gap before the column that they go to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

WIDTH = 1012.0
MARGIN = 16.0
GAP = 24.0
HEIGHT = 38.0
PITCH = 50.0
_HIGHEST = 7
"""Boxes above each other; a column with more is split."""
_LANE = 5.0
_MOST_LANES = 9
_SPACE = 20.0
_HEAD = 18.0
"""Room above a band for the name of a block."""


@dataclass
class Placed:
    """A box's place; `band` and `column` count from 0."""

    x: float
    y: float
    width: float
    band: int
    column: int


@dataclass
class Layout:
    """Places by box, paths by edge, the frames of blocks as (x, y, width, height, name), and the picture's size."""

    places: list[Placed] = field(default_factory=list)
    curves: list[str] = field(default_factory=list)
    lanes: list[str] = field(default_factory=list)
    frames: list[tuple[float, float, float, float, str]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def arrange(widths: list[float], blocks: list[str], edges: set[tuple[int, int]]) -> Layout:
    """Place boxes of these widths. Every edge must go from a lower to a higher number."""
    before: list[list[int]] = [[] for _ in widths]
    for source, target in sorted(edges):
        before[target].append(source)
    columns = _columns(before)
    bands = _bands(columns, widths)
    framed = any(blocks)
    return _Picture(widths, blocks, before, bands, head=_HEAD if framed else 4.0).drawn(edges)


def _columns(before: list[list[int]]) -> list[list[int]]:
    """Boxes by their longest way from a beginning, in the order of what leads to them."""
    rank: list[int] = []
    for sources in before:
        rank.append(max((rank[source] + 1 for source in sources), default=0))
    for box in range(len(rank) - 1, -1, -1):  # what has nothing before it stands right before what it goes to
        if not before[box]:
            after = [rank[target] for target, sources in enumerate(before) if box in sources]
            rank[box] = max(0, min(after, default=1) - 1)
    found: list[list[int]] = [[] for _ in range(max(rank, default=-1) + 1)]
    for box, column in enumerate(rank):
        found[column].append(box)
    row: dict[int, float] = {}
    for stack in found:
        stack.sort(key=lambda box: (sum(row.get(one, 0.0) for one in before[box]) / max(1, len(before[box])), box))
        row.update({box: place - (len(stack) - 1) / 2 for place, box in enumerate(stack)})
    return [column[at : at + _HIGHEST] for column in found for at in range(0, len(column), _HIGHEST)]


def _bands(columns: list[list[int]], widths: list[float]) -> list[list[list[int]]]:
    bands: list[list[list[int]]] = []
    left = WIDTH
    for column in columns:
        size = max(widths[box] for box in column)
        if not bands or left + size + MARGIN > WIDTH:
            bands.append([])
            left = MARGIN
        bands[-1].append(column)
        left += size + GAP
    return bands


class _Picture:
    """Draws bands one below the other."""

    def __init__(
        self, widths: list[float], blocks: list[str], before: list[list[int]], bands: list[list[list[int]]], head: float
    ) -> None:
        self._widths, self._blocks, self._before, self._bands, self._head = widths, blocks, before, bands, head
        self._layout = Layout(places=[Placed(0, 0, width, 0, 0) for width in widths])
        self._gap_before: dict[tuple[int, int], float] = {}
        self._gap_after: dict[tuple[int, int], float] = {}

    def drawn(self, edges: set[tuple[int, int]]) -> Layout:
        layout = self._layout
        for number, band in enumerate(self._bands):
            self._columns(number, band)
        near = {edge for edge in edges if self._is_near(*edge)}
        far: dict[int, list[int]] = {}
        for source, target in sorted(edges - near):
            far.setdefault(source, []).append(target)
        lanes = self._lanes(far)
        top = 4.0
        bottoms: list[float] = []
        for number, band in enumerate(self._bands):
            tall = max(len(column) for column in band)
            middle = top + self._head + tall * PITCH / 2
            for column in band:
                for row, box in enumerate(column):
                    layout.places[box].y = middle + (row - len(column) / 2) * PITCH + (PITCH - HEIGHT) / 2
            bottom = top + self._head + tall * PITCH
            self._frames(band, top, bottom)
            bottoms.append(bottom)
            count = 1 + max((lane for (at, _), lane in lanes.items() if at == number), default=-1)
            top = bottom + (_SPACE + count * _LANE if count else 8.0)
        layout.height = top + 4.0
        layout.width = max((place.x + place.width for place in layout.places), default=0.0) + MARGIN
        layout.curves = [self._curve(*edge) for edge in sorted(near)]
        layout.lanes = [self._lane(source, targets, lanes, bottoms) for source, targets in far.items()]
        return layout

    def _columns(self, number: int, band: list[list[int]]) -> None:
        left = MARGIN
        for at, column in enumerate(band):
            size = max(self._widths[box] for box in column)
            self._gap_before[number, at] = left
            self._gap_after[number, at] = left + size
            for box in column:
                width = self._widths[box]
                self._layout.places[box] = Placed(left + (size - width) / 2, 0, width, number, at)
            left += size + GAP

    def _is_near(self, source: int, target: int) -> bool:
        one, other = self._layout.places[source], self._layout.places[target]
        return one.band == other.band and other.column == one.column + 1

    def _lanes(self, far: dict[int, list[int]]) -> dict[tuple[int, int], int]:
        """A lane for each box with far edges, in the space below its band: the first one that is free there."""
        taken: dict[int, list[list[tuple[float, float]]]] = {}
        found: dict[tuple[int, int], int] = {}
        for source, targets in far.items():
            place = self._layout.places[source]
            ends = [
                self._exit(source),
                *(
                    self._enter(target) if self._layout.places[target].band <= place.band + 1 else 0
                    for target in targets
                ),
            ]
            low, high = min(ends) - 4, max(ends) + 4
            lanes = taken.setdefault(place.band, [])
            free = (at for at, lane in enumerate(lanes) if all(high < start or low > end for start, end in lane))
            number = next(free, len(lanes) if len(lanes) < _MOST_LANES else source % _MOST_LANES)
            if number == len(lanes):
                lanes.append([])
            lanes[number].append((low, high))
            found[place.band, source] = number
        return found

    def _exit(self, box: int) -> float:
        place = self._layout.places[box]
        return self._gap_after[place.band, place.column] + 5 + 2.5 * (box % 3)

    def _enter(self, box: int) -> float:
        place = self._layout.places[box]
        return self._gap_before[place.band, place.column] - 12 + 2.5 * (box % 2)

    def _curve(self, source: int, target: int) -> str:
        one, other = self._layout.places[source], self._layout.places[target]
        x, y, end, stop = one.x + one.width, one.y + HEIGHT / 2, other.x - 1, other.y + HEIGHT / 2
        if abs(y - stop) < 0.5:  # noqa: PLR2004 - half a pixel
            return f"M{x:.0f} {y:.1f}H{end:.0f}"
        bend = max(8.0, (end - x) / 2)
        return f"M{x:.0f} {y:.1f}C{x + bend:.0f} {y:.1f} {end - bend:.0f} {stop:.1f} {end:.0f} {stop:.1f}"

    def _lane(self, source: int, targets: list[int], lanes: dict[tuple[int, int], int], bottoms: list[float]) -> str:
        one = self._layout.places[source]
        number = lanes[one.band, source]
        lane = bottoms[one.band] + 8 + number * _LANE
        start = one.x + one.width, one.y + HEIGHT / 2
        paths = []
        for target in targets:
            other = self._layout.places[target]
            end = other.x - 1, other.y + HEIGHT / 2
            points = [start, (self._exit(source), start[1]), (self._exit(source), lane)]
            if other.band > one.band + 1:  # around the bands between, at the left edge
                edge, above = 3.0 + 1.5 * (number % 6), bottoms[other.band - 1] + 8 + number * _LANE
                points += [(edge, lane), (edge, above), (self._enter(target), above)]
            else:
                points += [(self._enter(target), lane)]
            paths.append(_rounded([*points, (self._enter(target), end[1]), end]))
        return "".join(paths)

    def _frames(self, band: list[list[int]], top: float, bottom: float) -> None:
        """Frames around neighbouring columns that are all of one block of the model."""
        start = 0
        names = [self._block(column) for column in band]
        for at in range(1, len(band) + 1):
            if at < len(band) and names[at] == names[start]:
                continue
            if names[start] and at - start > 1:
                places = [self._layout.places[box] for column in band[start:at] for box in column]
                left = min(place.x for place in places) - 8
                right = max(place.x + place.width for place in places) + 8
                self._layout.frames.append((left, top, right - left, bottom - top, names[start]))
            start = at

    def _block(self, column: list[int]) -> str:
        names = {self._blocks[box] for box in column}
        return names.pop() if len(names) == 1 else ""


def _rounded(points: list[tuple[float, float]], radius: float = 4.0) -> str:
    """A path through points with square turns, their corners rounded."""
    parts = [f"M{points[0][0]:.0f} {points[0][1]:.1f}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        arrive, leave = _toward(corner, before, radius), _toward(corner, after, radius)
        parts.append(f"L{arrive[0]:.1f} {arrive[1]:.1f}Q{corner[0]:.1f} {corner[1]:.1f} {leave[0]:.1f} {leave[1]:.1f}")
    return "".join([*parts, f"L{points[-1][0]:.0f} {points[-1][1]:.1f}"])


def _toward(start: tuple[float, float], end: tuple[float, float], most: float) -> tuple[float, float]:
    """The point that is at most `most` from `start` on the way to the middle between both."""
    away = abs(end[0] - start[0]) + abs(end[1] - start[1])
    share = min(most, away / 2) / away if away else 0.0
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share
