"""Reads the grid. Each class has `scan(cells)`: every cell into a buffer, row by row, lowest bit first.

How a row is driven and a line of inputs comes in is `lines`' affair: `select(row)` and `read(line)`, the
latter with one bit an input, lowest first. Nothing is debounced: the host judges stillness by time stamps.
"""

from array import array

import loops


def packed_bytes(inputs):
    """Bytes that hold so many bits."""
    return (inputs + 7) // 8


class Matrix:
    """Rows are driven one after the other, the columns of each are read."""

    def __init__(self, rows, cols, lines, active_low):
        self._lines = lines
        self._rows = rows
        self._line = bytearray(packed_bytes(cols))
        self._job = array("i", [0, cols, 255 if active_low else 0])

    def scan(self, cells):
        """Read every cell; as long as nothing is in between, all of them belong to one moment."""
        lines, line, job = self._lines, self._line, self._job
        job[0] = 0
        for row in range(self._rows):
            lines.select(row)
            lines.read(line)
            loops.gather(cells, line, job)
        lines.select(-1)


class Chain:
    """Every cell has an input of its own; all are read at once."""

    def __init__(self, cells, lines, active_low):
        self._lines = lines
        self._line = bytearray(packed_bytes(cells))
        self._job = array("i", [0, cells, 255 if active_low else 0])

    def scan(self, cells):
        """Read every cell."""
        self._lines.read(self._line)
        self._job[0] = 0
        loops.gather(cells, self._line, self._job)
