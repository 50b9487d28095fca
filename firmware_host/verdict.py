"""What a calibration comes to: the map of the sensors, the broken ones, and lines that say what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from firmware_host.calibration import Calibration
from firmware_host.miswiring import exchanged, explain, name_silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Answer = tuple[int, ...]  # the sensors that answered for a cell
NAMED = 6  # cells named in a line before the rest is counted


class Verdict(Struct, frozen=True):
    """What a calibration comes to, and the lines that say so."""

    calibration: Calibration
    lines: tuple[str, ...]


def judge(rows: int, cols: int, answers: Mapping[int, Answer], held: Iterable[int] = ()) -> Verdict:
    """Work out the map, the broken cells and what is wrong, from the sensors that answered for each cell."""
    held = frozenset(held)
    owners: dict[int, list[int]] = {}
    for cell, answer in answers.items():
        for sensor in answer:
            owners.setdefault(sensor, []).append(cell)
    alone = {cell: a[0] for cell, a in answers.items() if len(a) == 1 and len(owners[a[0]]) == 1}
    crossed = {cell for cell, answer in answers.items() if answer and cell not in alone}
    silent = {cell for cell, answer in answers.items() if not answer}
    why = explain(rows, cols, alone, silent)
    stuck = {cell for cell in silent if why.order[cell] in held}
    dead = silent - stuck
    named = name_silent(rows, cols, why.order, silent)
    pairs = exchanged(why.order, alone, why.odd)

    lines = [_headline(why.name, len(answers))]
    lines += [name for name, _ in named]
    lines += [f"crossed wires: {name_cells(pair, cols)} answer for each other" for pair in pairs]
    strange = why.odd - {cell for pair in pairs for cell in pair}
    if strange:
        lines.append(f"on the wrong wire: {name_cells(strange, cols)}")
    in_parts = frozenset().union(*(cells for _, cells in named))
    for text, cells in (
        ("dead, feeling nothing: {}", dead - in_parts),
        ("stuck, always on: {}", stuck - in_parts),
        ("short circuit, answering together or for each other: {}", crossed),
    ):
        if cells:
            lines.append(text.format(name_cells(cells, cols)))
    if len(lines) == 1 and why.is_straight:
        lines = [f"all {len(answers)} sensors answer, each for its own cell"]
    calibration = Calibration(
        rows=rows,
        cols=cols,
        sensors=_sensors(rows * cols, alone, why.order.tolist()),
        dead=_places(dead, cols),
        stuck=_places(stuck, cols),
        crossed=_places(crossed, cols),
        wiring=why.name,
    )
    return Verdict(calibration, tuple(lines))


def _headline(name: str, count: int) -> str:
    if name:
        return f"wrong wiring: {name}; the table reads it so from now on"
    return f"{count} cells were asked"


def _sensors(count: int, alone: Mapping[int, int], order: list[int]) -> tuple[int, ...]:
    """Give every cell the sensor that answered; a silent one its own, if it is free."""
    taken = set(alone.values())
    sensors = [-1] * count
    for cell in range(count):
        if cell in alone:
            sensors[cell] = alone[cell]
        elif order[cell] not in taken:
            sensors[cell] = order[cell]
            taken.add(order[cell])
    return tuple(sensors)


def _places(cells: Iterable[int], cols: int) -> tuple[tuple[int, int], ...]:
    return tuple(divmod(cell, cols) for cell in sorted(cells))


def name_cells(cells: Iterable[int], cols: int) -> str:
    """Name cells as people find them, the first few."""
    places = _places(cells, cols)
    named = ", ".join(f"row {row} column {col}" for row, col in places[:NAMED])
    more = len(places) - NAMED
    return f"{named} and {more} more" if more > 0 else named
