"""Shift registers read bit by bit: right wiring reads right, and what wrong wiring looks like."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.ports import GridFound, GridLost, HardwareError, Notice, SensorFrame
from hardware.shift_register_chips import ChipBoard, ChipWiring, mirrored, shifted, without_chip
from hardware.shift_register_grid import (
    EchoError,
    Scanner,
    ShiftRegisterError,
    ShiftRegisterGrid,
    ShiftRegisterSettings,
)

ROWS, COLS = 14, 20


def scanner(board, **settings):
    rows, cols = board.covered.shape
    wanted = ShiftRegisterSettings(rows=rows, cols=cols, **settings)
    rows = board.open(1, wanted.row_select, wanted.spi_hz) if wanted.layout == "matrix" else None
    inputs = board.open(1, wanted.read_select, wanted.spi_hz, not wanted.load_inverted)
    return Scanner(wanted, rows, inputs)


def read(board, **settings):
    chips = scanner(board, **settings)
    return chips.heights(chips.scan())


def laid(board, seed=1):
    board.covered[:] = np.random.default_rng(seed).random(board.covered.shape) < 0.3
    return board.covered


def matrix(**wiring):
    return ChipBoard(ROWS, COLS, ChipWiring.matrix(ROWS, COLS, **wiring))


def chain(**wiring):
    return ChipBoard(ROWS, COLS, ChipWiring.chain(ROWS * COLS, **wiring))


# -- right wiring

variants = st.fixed_dictionaries(
    {"active": st.sampled_from(["low", "high"]), "load_inverted": st.booleans(), "echo": st.booleans()}
)


@given(variants, st.integers(1, 20), st.integers(1, 20), st.booleans(), st.integers(0, 99))
def test_whatever_lies_there_is_read(variant, rows, cols, is_matrix, seed):
    wires = {"active_high": variant["active"] == "high"}
    wires |= {name: variant[name] for name in ("load_inverted", "echo")}
    wiring = ChipWiring.matrix(rows, cols, **wires) if is_matrix else ChipWiring.chain(rows * cols, **wires)
    board = ChipBoard(rows, cols, wiring)
    covered = laid(board, seed)
    heights = read(board, layout="matrix" if is_matrix else "chain", **variant)
    assert heights.dtype == np.uint8
    assert np.array_equal(heights, covered)


def test_chips_that_begin_with_pin_h():
    by_chip = [place for chip in range(3) for place in reversed(range(8 * chip, 8 * chip + 8))]
    board = ChipBoard(
        ROWS,
        COLS,
        ChipWiring(
            rows=[row if row < ROWS else None for row in by_chip[:16]],
            inputs=[col if col < COLS else None for col in by_chip],
        ),
    )
    covered = laid(board)
    assert np.array_equal(read(board, first_pin="H"), covered)
    assert not np.array_equal(read(board, first_pin="A"), covered)


def test_a_matrix_whose_columns_are_driven():
    board = matrix()
    turned = ChipBoard(COLS, ROWS, ChipWiring.matrix(COLS, ROWS))
    turned.covered[:] = laid(board).T
    wired = ShiftRegisterSettings(rows=ROWS, cols=COLS, direction="columns")
    chips = Scanner(wired, turned.open(1, 0, 1), turned.open(1, 1, 1, True))
    assert np.array_equal(chips.heights(chips.scan()), board.covered)


def test_a_chain_that_runs_to_and_fro():
    board = chain()
    covered = laid(board).copy()
    board.covered[1::2] = covered[1::2, ::-1]
    assert np.array_equal(read(board, layout="chain", serpentine=True), covered)


@pytest.mark.parametrize("layout", ["matrix", "chain"])
def test_cells_by_a_list_of_inputs(layout):
    board = ChipBoard(3, 3, ChipWiring.matrix(3, 3) if layout == "matrix" else ChipWiring.chain(9))
    covered = laid(board).copy()
    width = 8 if layout == "matrix" else 3
    turned = tuple(width * (2 - row) + 2 - col for row in range(3) for col in range(3))
    assert np.array_equal(read(board, layout=layout, inputs=turned), covered[::-1, ::-1])
    bare = (-1, *turned[1:])
    board.covered[:] = 1
    assert read(board, layout=layout, inputs=bare).ravel().tolist() == [0] + [1] * 8


def test_many_closed_contacts_do_not_ghost():
    board = matrix()
    board.covered[2:5, 3:9] = 1
    board.covered[3, 4] = 0
    assert np.array_equal(read(board), board.covered)


# -- wrong wiring


def test_mirrored_columns_and_rows_are_told_apart_by_their_picture():
    covered = laid(matrix())
    for wires, seen in (
        ({"inputs": mirrored(range(COLS))}, covered[:, ::-1]),
        ({"rows": mirrored(range(ROWS))}, covered[::-1]),
    ):
        board = matrix(**wires)
        board.covered[:] = covered
        assert np.array_equal(read(board), seen)
    board = matrix(inputs=mirrored(range(COLS)))
    board.covered[:] = covered
    assert np.array_equal(read(board, start="top_right"), covered), "a setting puts it right"


def test_columns_shifted_by_one():
    board = matrix(inputs=shifted(range(COLS)))
    covered = laid(board)
    assert np.array_equal(read(board)[:, 1:], covered[:, :-1])
    assert not read(board)[:, 0].any()


def test_a_missing_chip_moves_what_is_behind_it_by_eight():
    board = chain(inputs=without_chip(range(ROWS * COLS), 2))
    covered = laid(board).ravel()
    seen = read(board, layout="chain").ravel()
    assert np.array_equal(seen[:16], covered[:16])
    assert np.array_equal(seen[16:-8], covered[24:])


@pytest.mark.parametrize(("active", "looks"), [("low", 1), ("high", 0)])
def test_a_dead_chip_hides_itself_and_all_that_is_behind_it(active, looks):
    board = chain(dead=3, active_high=active == "high")
    covered = laid(board).ravel()
    seen = read(board, layout="chain", active=active).ravel()
    assert np.array_equal(seen[:24], covered[:24])
    assert (seen[24:] == looks).all()


@pytest.mark.parametrize(
    "wiring",
    [
        {"dead": 0},
        {"dead": 34},
        {"inputs": without_chip(range(ROWS * COLS), 7)},
        {"inputs": [*range(ROWS * COLS), *[None] * 8]},  # one chip too many
    ],
)
def test_with_an_echo_a_broken_chain_is_noticed(wiring):
    with pytest.raises(EchoError, match="a chip is missing, dead or not powered") as caught:
        read(chain(**{"echo": True} | wiring), layout="chain", echo=True)
    assert isinstance(caught.value, HardwareError)


def test_a_load_pin_of_the_wrong_polarity_reads_nothing_of_the_board():
    board = chain()
    board.covered[0, :7] = 1
    for covered in (0, 1):
        board.covered[0, 7] = covered  # input H, the only one that is seen
        assert (read(board, layout="chain", load_inverted=True) == covered).all()


# -- the driver


class Bench:
    def __init__(self, board, steps, reports, **settings):
        rows, cols = board.covered.shape
        self.board, self.steps, self.reports = board, steps, reports
        self.grid = ShiftRegisterGrid(
            ShiftRegisterSettings(rows=rows, cols=cols, **settings),
            open_device=board.open,
            clock=lambda: steps.now_s,
            stopping=steps,
        )

    async def found(self):
        self.grid.start(asyncio.get_running_loop(), self.reports.emit)
        return await self.reports.next(GridFound)

    def pass_s(self, seconds):
        self.steps.now_s += seconds
        self.steps.step()


@pytest.fixture
def play(steps, reports_class):
    def run(scenario, board, **settings):
        async def whole():
            bench = Bench(board, steps, reports_class(), **settings)
            try:
                await asyncio.wait_for(scenario(bench), 20)
            finally:
                bench.grid.close()

        asyncio.run(whole())

    return run


def test_it_says_what_it_found(play):
    async def scenario(bench):
        assert (await bench.found()).description == "14 x 20, 2 x 74HC595, 3 x 74HC165 on SPI 1"

    play(scenario, matrix())


def test_a_reading_is_reported_when_it_changes_and_every_heartbeat(play):
    async def scenario(bench):
        await bench.found()
        bench.pass_s(0.02)
        assert not (await bench.reports.next(SensorFrame)).heights.any()
        for _ in range(9):
            bench.pass_s(0.02)
        bench.board.covered[3, 4] = 1
        bench.pass_s(0.01)
        frame = await bench.reports.next(SensorFrame)
        assert np.argwhere(frame.heights).tolist() == [[3, 4]]
        assert frame.t_s == pytest.approx(100.21)
        bench.pass_s(0.19)
        bench.pass_s(0.02)
        assert (await bench.reports.next(SensorFrame)).t_s == pytest.approx(100.42)
        assert len(bench.reports.of(SensorFrame)) == 3

    play(scenario, matrix())


def test_it_reads_as_often_as_it_is_told(play):
    async def scenario(bench):
        await bench.found()
        bench.pass_s(0)
        assert bench.steps.waits_s == [0.01, 0.01]

    play(scenario, matrix(), scan_hz=100)


def test_one_wrong_echo_is_passed_over_and_a_second_of_them_is_a_lost_grid(play):
    async def scenario(bench):
        await bench.found()
        bench.board._inputs._dead = 2
        for _ in range(3):
            bench.pass_s(0.3)
        bench.board._inputs._dead = None
        bench.pass_s(0.2)
        await bench.reports.next(SensorFrame)
        bench.board._inputs._dead = 2
        for _ in range(4):
            bench.pass_s(0.3)
        why = (await bench.reports.next(GridLost)).why
        assert why.startswith("the chain of 74HC165 returns 0x00 for 0xa5; a chip is missing, dead or not ")
        assert len(bench.reports.of(SensorFrame)) == 1
        bench.pass_s(9)
        bench.board._inputs._dead = None
        bench.pass_s(9)
        await bench.reports.next(GridFound)
        assert len(bench.reports.of(GridLost)) == 1

    play(scenario, chain(echo=True), layout="chain", echo=True)


def test_no_bus_is_one_line_and_pauses_grow(play):
    async def scenario(bench):
        bench.board.plugged = False
        bench.grid.start(asyncio.get_running_loop(), bench.reports.emit)
        why = (await bench.reports.next(GridLost)).why
        assert why == (
            "there is no /dev/spidev1.1; put dtoverlay=spi1-2cs into /boot/firmware/config.txt and reboot"
        )
        for _ in range(6):
            bench.steps.step()
        assert bench.steps.waits_s == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
        assert len(bench.reports.all) == 1

    play(scenario, matrix())


def test_inputs_that_look_covered_while_no_row_is_driven(play):
    class Shorted(ChipBoard):
        def _felt(self):
            return [felt or col in (9, 10) for col, felt in enumerate(super()._felt())]

    async def scenario(bench):
        await bench.found()
        (notice,) = bench.reports.of(Notice)
        assert notice == Notice(
            "sensors: input B of chip 1, C of chip 1 looks covered while no row is driven: a short?",
            warning=True,
        )

    play(scenario, Shorted(ROWS, COLS, ChipWiring.matrix(ROWS, COLS)))


def test_a_matrix_without_power_is_no_board_full_of_pieces(play):
    async def scenario(bench):
        bench.grid.start(asyncio.get_running_loop(), bench.reports.emit)
        why = (await bench.reports.next(GridLost)).why
        assert why.startswith("every input of the 74HC165 looks covered while no row is driven; look at ")

    play(scenario, matrix(dead=0))


def test_a_fault_of_the_program_ends_the_daemon_and_not_only_the_thread(play):
    async def scenario(bench):
        faults = asyncio.Queue()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: faults.put_nowait(context["exception"]))
        bench.board.set_select = None
        bench.grid.start(loop, bench.reports.emit)
        assert isinstance(await faults.get(), TypeError)

    play(scenario, matrix())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layout": "star"}, "layout = 'star': one of matrix, chain"),
        ({"active": "both"}, "active = 'both': one of low, high"),
        ({"first_pin": "B"}, "first_pin = 'B': one of A, H"),
        ({"spi_bus": 2}, "bus 2: the header of a Pi has 0 and 1"),
        ({"spi_bus": 0, "read_select": 2}, "read_select 2: bus 0 has 0 to 1"),
        ({"row_select": 3}, "row_select 3: bus 1 has 0 to 2"),
        ({"row_select": 1}, "read_select = 1: the rows have that one already"),
        ({"spi_hz": 9}, "spi_hz = 9: from 10000 to 10000000"),
        ({"scan_hz": 0}, "scan_hz = 0: from 1 to 1000"),
        ({"inputs": (1, 2, 3)}, "inputs: the list names 3, 2 x 2 cells need 4"),
        ({"inputs": (1, 2, 3, 1)}, "inputs: 1 stands under two cells"),
        ({"inputs": (1, 2, 3, -2)}, "inputs: an input's number is 0 or more, or -1 for a cell without"),
        ({"inputs": (-1,) * 4}, "inputs: an input's number is 0 or more, or -1 for a cell without"),
    ],
)
def test_settings_that_cannot_be(settings, message):
    with pytest.raises(ShiftRegisterError) as caught:
        ShiftRegisterSettings(rows=2, cols=2, **settings)
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)
