"""The small pictures of docs/rules.md, drawn as SVG: `python -m firmware_host.rulepictures docs/rules`.

A picture is a lattice, or a cut-out of one, with some cells filled and some marked. Squares and triangles are
polygons of their corners; nothing else differs between boards.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import engine
from engine.pieces import POLYIAMONDS, POLYOMINOES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from engine.lattice import Cell

SIZE = 16  # px of a cell's side
HALF_HEIGHT = SIZE * 0.866  # of a triangle's row
PLASTIC = {"blue": "#2a60f0", "yellow": "#e8b400", "red": "#d01c38", "green": "#2ab870", "purple": "#7a3fd0"}
PLASTIC |= {"orange": "#f08a24", "white": "#ffffff"}
GROUND, LINE, WRONG, INK = "#f3f1ec", "#cfcac0", "#d01c38", "#3a3833"

Point = tuple[float, float]


@dataclass(frozen=True)
class Picture:
    """`cells` are drawn, `filled` in a colour.

    `dots` mark start cells, `crosses` wrong ones, `ticks` good ones.
    """

    cells: Iterable[Cell]
    filled: Mapping[str, Iterable[Cell]] = field(default_factory=dict)
    dots: Iterable[Cell] = ()
    crosses: Iterable[Cell] = ()
    ticks: Iterable[Cell] = ()
    triangles: bool = False
    upward: Callable[[Cell], bool] = lambda _cell: True


def draw(picture: Picture) -> str:
    """Return the picture as SVG."""
    shapes: list[str] = []
    colours = {cell: PLASTIC[name] for name, cells in picture.filled.items() for cell in cells}
    corners = {cell: _corners(picture, cell) for cell in picture.cells}
    for cell, points in corners.items():
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        fill = colours.get(cell, GROUND)
        shapes.append(f'<polygon points="{path}" fill="{fill}" stroke="{LINE}" stroke-width="1"/>')
    marks = ((picture.dots, _dot), (picture.crosses, _cross), (picture.ticks, _tick))
    shapes += [mark(_middle(corners[cell])) for cells, mark in marks for cell in cells]
    xs = [x for points in corners.values() for x, _ in points]
    ys = [y for points in corners.values() for _, y in points]
    left, top = min(xs) - 2, min(ys) - 2
    width, height = max(xs) - left + 2, max(ys) - top + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}">\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def _corners(picture: Picture, cell: Cell) -> list[Point]:
    row, col = cell[:2]
    if not picture.triangles:
        left, top = col * SIZE, row * SIZE
        return [(left, top), (left + SIZE, top), (left + SIZE, top + SIZE), (left, top + SIZE)]
    x, y = col * SIZE / 2, row * HALF_HEIGHT
    if picture.upward(cell):
        return [(x, y + HALF_HEIGHT), (x + SIZE, y + HALF_HEIGHT), (x + SIZE / 2, y)]
    return [(x, y), (x + SIZE, y), (x + SIZE / 2, y + HALF_HEIGHT)]


def _middle(points: list[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _dot(at: Point) -> str:
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="3" fill="{INK}"/>'


def _cross(at: Point) -> str:
    x, y = at
    path = f"M{x - 4:.1f} {y - 4:.1f}L{x + 4:.1f} {y + 4:.1f}M{x + 4:.1f} {y - 4:.1f}L{x - 4:.1f} {y + 4:.1f}"
    strokes = (("#fff", 4), (WRONG, 2))
    return "".join(f'<path d="{path}" stroke="{ink}" stroke-width="{width}"/>' for ink, width in strokes)


def _tick(at: Point) -> str:
    return (
        f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="3.5" fill="#fff" stroke="{INK}" stroke-width="1.5"/>'
    )


# -- the pictures


def _area(rows: int, cols: int) -> list[Cell]:
    return [(row, col) for row in range(rows) for col in range(cols)]


def _starts(name: str, **options: Any) -> Picture:  # noqa: ANN401 - whatever an option takes
    game = engine.new_game(name, **options)
    starts = {colour: game.start_cells(colour) for colour in game.colours}
    own = {str(colour): cells for colour, cells in starts.items() if len(cells) == 1}
    dots = {cell for cells in starts.values() for cell in cells}
    triangles = name.startswith("trigon")
    return Picture(
        game.lattice.cells, own, dots, triangles=triangles, upward=lambda cell: _is_upward(game, cell)
    )


def _is_upward(game: engine.Game, cell: Cell) -> bool:
    """Whether a triangle stands on its side: then the cell below it shares that side."""
    return (cell[0] + 1, cell[1]) in {
        game.lattice.cells[i] for i in game.lattice.edge_neighbours(game.lattice.index(cell))
    } or (cell[0] - 1, cell[1]) not in {
        game.lattice.cells[i] for i in game.lattice.edge_neighbours(game.lattice.index(cell))
    }


def _pieces(drawn: Mapping[str, str], colour: str, across: int, *, triangles: bool = False) -> Picture:
    """All pieces side by side, each on a patch of its own; only their own cells are drawn."""
    cells: list[Cell] = []
    pitch = 9 if triangles else 6
    depth = 4
    for number, rows in enumerate(drawn.values()):
        top, left = number // across * depth, number % across * pitch
        for row, text in enumerate(rows.split()):
            cells += [(top + row, left + col) for col, mark in enumerate(text) if mark == "X"]
    return Picture(
        cells, {colour: cells}, triangles=triangles, upward=lambda cell: (cell[0] + cell[1]) % 2 == 0
    )


SQUARE_OF_FOUR = ((0, 0), (0, 1), (1, 0), (1, 1))
TRIANGLE_PATCH = tuple((row, col) for row in range(4) for col in range(11))
STRAIGHT_SIDE = ((1, 2), (1, 3), (1, 4), (1, 5), (1, 6))


def pictures() -> dict[str, Picture]:
    """Return every picture by its name."""
    example = ((2, 2), (2, 3), (2, 4), (3, 2))
    wrong = ((2, 1), (2, 2), (2, 3), (3, 3))
    up = lambda cell: (cell[0] + cell[1]) % 2 == 1  # noqa: E731
    return {
        "corner-good": Picture(_area(5, 6), {"blue": (*SQUARE_OF_FOUR, *example)}, ticks=[(2, 2)]),
        "side-bad": Picture(_area(5, 6), {"blue": (*SQUARE_OF_FOUR, *wrong)}, crosses=[(2, 1)]),
        "others-good": Picture(
            _area(4, 6), {"blue": SQUARE_OF_FOUR, "yellow": ((0, 2), (0, 3), (1, 2), (0, 4))}, ticks=[(0, 2)]
        ),
        "starts-classic": _starts("classic", start="fixed"),
        "starts-danish14": _starts("danish14"),
        "starts-duo": _starts("duo"),
        "starts-trigon": _starts("trigon"),
        "pieces": _pieces(POLYOMINOES, "blue", 7),
        "pieces-trigon": _pieces(POLYIAMONDS, "red", 8, triangles=True),
        "trigon-straight-side": Picture(
            TRIANGLE_PATCH, {"red": (*STRAIGHT_SIDE, (2, 4))}, ticks=[(2, 4)], triangles=True, upward=up
        ),
        "stack-good": Picture(
            _area(3, 5), {"blue": ((2, 1), (2, 2), (1, 1)), "red": ((1, 2), (1, 3), (2, 3))}
        ),
        "stack-bad": Picture(
            _area(3, 5), {"blue": ((2, 1), (1, 1)), "red": ((1, 2), (1, 3), (2, 3))}, crosses=[(2, 2)]
        ),
    }


def main(directory: Path) -> None:
    """Draw all pictures into a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures().items():
        (directory / f"{name}.svg").write_text(draw(picture), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
