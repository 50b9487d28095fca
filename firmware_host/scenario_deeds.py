"""What is done at a table: the verbs of a story for hands, buttons, faults and power.

A verb takes the words that follow it and gives a deed. `VERBS` names them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from firmware_host.scenario import DeedError
from firmware_host.scenario_words import WordError
from hardware.motions import after, in_turn, together
from hardware.protocol import BUTTONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from firmware_host.layout import GridCell
    from firmware_host.scenario import Deed, GridCells
    from firmware_host.scenario_play import Lying, Play
    from firmware_host.scenario_words import Words
    from hardware.virtual_board import VirtualBoard

PRESS_MS = 120
FINGER_MS = 1000
TAP_MS = 150  # a key is down, and between two keys
PACK_MS = 120  # between two pieces that are packed away
NOTICE_MS = 300  # until a hand notices that a piece lies beside its place
FLICKER_MS = 100


@dataclass(frozen=True, slots=True)
class Act:
    """A deed as a function of the play; it goes on for `least_ms` or longer."""

    act: Callable[[Play], int | None]
    least_ms: int = 0

    def do(self, play: Play) -> int:
        """Do it."""
        return max(self.least_ms, self.act(play) or 0)


# Pieces.


def _place(words: Words) -> Deed:
    piece = words.piece()
    return Act(lambda play: play.perform(play.hands.place(play.lay(piece))))


def _slide(words: Words) -> Deed:
    piece = words.piece()
    if not words.accept("from"):
        raise WordError("it does not say where it slides from", "add such as: from left 3")
    offset = words.direction()
    return Act(lambda play: play.perform(play.hands.slide(play.lay(piece), offset)))


def _overshoot(words: Words) -> Deed:
    piece = words.piece()
    row, col = words.direction()

    def act(play: Play) -> int:
        cells = play.lay(piece)
        beside = [(r + row, c + col) for r, c in cells]
        laid = play.hands.place(beside)
        pushed = play.hands.push(beside, (-row, -col))
        return play.perform(in_turn(laid, pushed, pause_ms=NOTICE_MS))

    return Act(act)


def _hover(words: Words) -> Deed:
    piece = words.piece()
    for_ms = words.lasting_ms("for")
    return Act(lambda play: play.perform(play.hands.hover(play.find(piece), for_ms)), for_ms)


def _half_seat(words: Words) -> Deed:
    piece = words.piece()
    up = _without(words)

    def act(play: Play) -> int:
        cells = play.lay(piece)
        if not up:
            return play.perform(play.hands.half_seat(cells))
        low = _rest(play, cells, up)
        return play.perform(play.hands.place(low))

    return Act(act)


def _seat(words: Words) -> Deed:
    cell = words.cell()
    return Act(lambda play: play.perform(play.hands.seat(play.at(cell).cells)))


def _tip(words: Words) -> Deed:
    cell = words.cell()
    up = _without(words)
    if not up:
        raise WordError("it does not say which cells come up", "add such as: without b20 c20")

    def act(play: Play) -> int:
        _rest(play, play.at(cell).cells, up)
        return play.perform(play.hands.lift(up))

    return Act(act)


def _without(words: Words) -> GridCells:
    return words.cells() if words.accept("without") else ()


def _rest(play: Play, cells: GridCells, up: GridCells) -> GridCells:
    """Return a piece's cells without those that are up; they must be some of it and not all."""
    rest = tuple(cell for cell in cells if cell not in up)
    if not rest or not set(up) <= set(cells):
        raise DeedError(f"{play.names(up)} are not some of the piece's cells; it has {play.names(cells)}")
    return rest


def _rock(words: Words) -> Deed:
    cell = words.cell()
    return Act(lambda play: play.perform(play.hands.bump(play.present(play.at(cell)))))


def _lift(words: Words) -> Deed:
    cell = None if words.accept("last") else words.cell()

    def act(play: Play) -> int:
        if cell is None and not play.lying:
            raise DeedError("no piece lies there; place one first")
        return play.perform(play.take(play.lying[-1] if cell is None else play.at(cell)))

    return Act(act)


def _set_back(words: Words) -> Deed:  # noqa: ARG001 - every verb takes the words behind it
    def act(play: Play) -> int:
        if not play.lifted:
            raise DeedError("no piece has been lifted; lift one first")
        lying = play.lifted.pop()
        play.lying.append(lying)
        return play.perform(play.hands.place(lying.cells))

    return Act(act)


def _push(words: Words) -> Deed:
    cell = words.cell()
    row, col = words.direction()

    def act(play: Play) -> int:
        lying = play.at(cell)
        motion = play.hands.push(play.present(lying), (row, col))
        lying.cells = tuple((r + row, c + col) for r, c in lying.cells)
        return play.perform(motion)

    return Act(act)


def _pack(words: Words) -> Deed:
    if not words.accept("away"):
        raise WordError(
            f"{words.next!r} cannot be packed", "write: pack away, and perhaps cells of some pieces"
        )
    cells = words.cells_if_any()
    every_ms = words.lasting_ms("every", PACK_MS)

    def act(play: Play) -> int:
        packed: list[Lying] = [play.at(cell) for cell in cells] if cells else play.lying[::-1]
        motions = [after(play.take(lying), number * every_ms) for number, lying in enumerate(packed)]
        return play.perform(together(*motions))

    return Act(act)


# What is no piece.


def _finger(words: Words) -> Deed:
    cell = words.cell()
    for_ms = words.lasting_ms("for", FINGER_MS)
    return Act(lambda play: play.perform(play.hands.point([cell], for_ms)), for_ms)


def _hand(words: Words) -> Deed:
    cells = words.cells()
    for_ms = words.lasting_ms("for", FINGER_MS)
    return Act(lambda play: play.perform(play.hands.point(cells, for_ms)), for_ms)


def _tap(words: Words) -> Deed:
    cells = words.cells()
    for_ms = words.lasting_ms("for", TAP_MS)

    def act(play: Play) -> int:
        taps = (play.hands.point([cell], for_ms) for cell in cells)
        return play.perform(in_turn(*taps, pause_ms=TAP_MS))

    return Act(act, for_ms)


def _sleeve(words: Words) -> Deed:
    cells = words.cells_if_any() or None
    for_ms = words.lasting_ms("for")
    return Act(lambda play: play.perform(play.hands.sleeve(cells, for_ms)), for_ms)


def _cover(words: Words) -> Deed:
    cells = words.cells()
    return Act(lambda play: play.set(cells, covered=True))


def _clear(words: Words) -> Deed:
    cells = words.cells()
    return Act(lambda play: play.set(cells, covered=False))


def _answer(words: Words) -> Deed:
    piece = words.piece() if words.next and not _is_name(words.next) else None
    name = words.pop() if piece is None else ""
    for_ms = words.lasting_ms("for", FINGER_MS)
    if piece is None and not name:
        raise WordError("it does not say which piece", "write its name, or the cells where it lies")

    def act(play: Play) -> int:
        wanted = None if piece is None else set(play.find(piece))
        asked = play.asked()
        for option in asked:
            if option["piece"] == name or set(play.grid(option["cells"])) == wanted:
                return play.perform(play.hands.point([min(play.grid(option["picture"]))], for_ms))
        offered = ", ".join(
            f"{option['piece']} on {play.names(play.grid(option['cells']))}" for option in asked
        )
        raise DeedError(f"the table does not ask about this piece; it asks about {offered or 'none'}")

    return Act(act, for_ms)


def _is_name(word: str) -> bool:
    return len(word) == 2 and word[0].isupper()


# Buttons.


def _press(words: Words) -> Deed:
    button = _button(words)
    return Act(partial(_hold_down, button, PRESS_MS), PRESS_MS)


def _hold(words: Words) -> Deed:
    button = _button(words)
    for_ms = words.lasting_ms("for")
    return Act(partial(_hold_down, button, for_ms), for_ms)


def _button(words: Words) -> str:
    if words.accept("take", "back"):
        return "take_back"
    return words.one_of(BUTTONS, "button")


def _hold_down(button: str, for_ms: int, play: Play) -> None:
    play.stage.press(button, for_ms)


# Sensors.


def _stuck(words: Words) -> Deed:
    height = int(words.one_of(("on", "off"), "state of a stuck sensor") == "on")
    cells = words.cells()
    return _to_board(lambda board: board.faults.stuck.update(dict.fromkeys(cells, height)))


def _flicker(words: Words) -> Deed:
    cells = words.cells()
    every_ms = max(1, words.lasting_ms("every", FLICKER_MS))
    return _to_board(lambda board: board.faults.flickering.update(dict.fromkeys(cells, every_ms)))


def _ghost(words: Words) -> Deed:
    axis, number = words.line_of()
    every_ms = words.lasting_ms("every", 0)
    return _to_board(lambda board: board.faults.ghosts.update({(axis, number): every_ms}))


def _heal(words: Words) -> Deed:
    cells = set(words.cells_if_any())

    def act(board: VirtualBoard) -> None:
        faults = board.faults
        for broken in (faults.stuck, faults.flickering):
            for cell in cells or set(broken):
                broken.pop(cell, None)
        for line in list(faults.ghosts):
            if not cells or any(_is_on(cell, line) for cell in cells):
                del faults.ghosts[line]

    return _to_board(act)


def _is_on(cell: GridCell, line: tuple[str, int]) -> bool:
    return cell[line[0] == "column"] == line[1]


def _to_board(action: Callable[[VirtualBoard], object]) -> Deed:
    """Do something to the board itself; its sensors are read anew."""

    def act(play: Play) -> None:
        def change(board: VirtualBoard) -> None:
            action(board)
            board.look()

        play.stage.at(play.stage.now_ms, change)

    return Act(act)


# The line and the power.


def _unplug(words: Words) -> Deed:  # noqa: ARG001
    return Act(lambda play: play.stage.unplug())


def _plug(words: Words) -> Deed:
    if not words.accept("in"):
        raise WordError("what is plugged", "write: plug in")
    return Act(lambda play: play.stage.plug_in())


def _line(words: Words) -> Deed:
    state = words.one_of(("silent", "corrupt", "drop", "good"), "state of the line")
    chance = words.percent() if state in ("corrupt", "drop") else 0.0

    def act(play: Play) -> None:
        line = play.stage.line
        line.silent, line.corrupt, line.drop = state == "silent", 0.0, 0.0
        if state in ("corrupt", "drop"):
            setattr(line, state, chance)

    return Act(act)


def _garbage(words: Words) -> Deed:
    count = words.number("number of bytes")
    return Act(lambda play: play.stage.send(play.stage.line.garbage(count)))


def _lose(words: Words) -> Deed:
    count = _frames(words)
    return Act(lambda play: play.stage.line.lose(count))


def _damage(words: Words) -> Deed:
    count = _frames(words)
    return Act(lambda play: play.stage.line.damage(count))


def _frames(words: Words) -> int:
    count = words.number("number of frames")
    if not (words.accept("frames") or words.accept("frame")):
        raise WordError("what is counted", f"write: {count} frames")
    return count


def _power(words: Words) -> Deed:
    if words.one_of(("off", "on"), "state of the power") == "off":
        return Act(_power_off)
    return Act(_power_on)


def _power_off(play: Play) -> None:
    play.stage.stop(in_order=False)
    play.stage.unplug()


def _power_on(play: Play) -> None:
    play.stage.plug_in()
    play.stage.start()


def _crash(words: Words) -> Deed:  # noqa: ARG001
    return Act(partial(_begin_again, in_order=False))


def _restart(words: Words) -> Deed:  # noqa: ARG001
    return Act(partial(_begin_again, in_order=True))


def _begin_again(play: Play, *, in_order: bool) -> None:
    play.stage.stop(in_order=in_order)
    play.stage.start()


def _wait(words: Words) -> Deed:
    for_ms = words.duration_ms()
    return Act(lambda _play: for_ms, for_ms)


VERBS: dict[str, Callable[[Words], Deed]] = {
    "place": _place,
    "slide": _slide,
    "overshoot": _overshoot,
    "hover": _hover,
    "half-seat": _half_seat,
    "seat": _seat,
    "tip": _tip,
    "rock": _rock,
    "bump": _rock,
    "lift": _lift,
    "set-back": _set_back,
    "push": _push,
    "pack": _pack,
    "finger": _finger,
    "hand": _hand,
    "tap": _tap,
    "sleeve": _sleeve,
    "cover": _cover,
    "clear": _clear,
    "answer": _answer,
    "press": _press,
    "hold": _hold,
    "stuck": _stuck,
    "flicker": _flicker,
    "ghost": _ghost,
    "heal": _heal,
    "unplug": _unplug,
    "plug": _plug,
    "line": _line,
    "garbage": _garbage,
    "lose": _lose,
    "damage": _damage,
    "power": _power,
    "crash": _crash,
    "restart": _restart,
    "wait": _wait,
}
