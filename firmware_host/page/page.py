"""The page behind the port: tells browsers what changes, carries out what those that are paired ask for.

What it says, each a JSON object with `t` (a frame is binary: 1, rows, cols, then R, G, B of every cell):

    hello     once: whether this browser may steer, whether the table is simulated, the rule sets there are
    rules     what the game is played with, see `facts`
    game      how far it is
    status    as `blokus-table status --json` prints it
    virtual   what lies on a simulated table, see `virtual_hands`
    answer    to a command, with its `id`
"""

from __future__ import annotations

import asyncio
import logging
import socket
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

import engine
from firmware_host.config_checks import check_room
from firmware_host.errors import HostError
from firmware_host.journal import read_game, read_games
from firmware_host.layout import Layout
from firmware_host.page import commands
from firmware_host.page.facts import describe_game, describe_rules
from firmware_host.page.gate import Gate, GateError
from firmware_host.page.hand_line import HandLine
from firmware_host.page.keys import KeyFile
from firmware_host.page.server import PageServer
from firmware_host.page.site import Site
from firmware_host.replay import replay

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import numpy as np
    from numpy.typing import NDArray

    from firmware_host.config import Settings
    from firmware_host.page.viewer import Viewer
    from firmware_host.table import Table

FRAME = 1
STATUS_S = 0.05
"""No more often than this are browsers told how things stand."""
MOST_GAMES = 200

log = logging.getLogger("blokus-table")


class House(Protocol):
    """What the page needs of the daemon."""

    @property
    def table(self) -> Table:
        """The table's state machine, to look at."""

    def press(self, button: str) -> None:
        """Press a button for a moment."""

    def hold(self, button: str, *, down: bool) -> None:
        """Push a button down, or let it go."""

    def begin_game(self, rules: str, options: dict[str, str], names: tuple[str, ...]) -> None:
        """Begin a game."""

    def end_game(self) -> None:
        """End the game as it stands."""

    def shut_down(self) -> None:
        """Stop in order and switch the machine off."""

    def show_code(self, code: str) -> None:
        """Show the pairing code at the table."""


class Page:
    """The companion page of one table. Every method is called in the loop's thread."""

    def __init__(self, settings: Settings, house: House) -> None:
        page = settings.page
        self._settings = settings
        self._house = house
        self._key_file = KeyFile(Path(settings.state.directory))
        self._gate = Gate(_names(page.names), SystemRandom(), self._key_file.load())
        self._server = PageServer(
            page.host, page.port, site=Site(), gate=self._gate, desk=self, open_view=page.view == "open"
        )
        self._viewers: set[Viewer] = set()
        self._hands = None if page.virtual is None else HandLine(page.virtual, self._lies)
        self._lying = ""  # on a virtual table, as the hands tell it
        self._frame = b""
        self._told = ("", -1)  # the game and its entries, as browsers know them
        self._due: asyncio.TimerHandle | None = None
        self._published_s = float("-inf")
        self._carry_out: dict[type, Callable[[Any], Awaitable[Any]]] = {
            commands.Press: self._press,
            commands.Hold: self._hold,
            commands.Hand: self._hand,
            commands.NewGame: self._begin_game,
            commands.EndGame: self._end_game,
            commands.ShutDown: self._shut_down,
            commands.Games: self._list_games,
            commands.ShowGame: self._show_game,
            commands.ReadGame: self._read_game,
        }

    async def start(self) -> list[str]:
        """Listen; returns lines that say where, or why not: the table plays all the same."""
        page = self._settings.page
        self._loop = asyncio.get_running_loop()
        try:
            await self._server.start()
        except (OSError, ModuleNotFoundError) as error:
            why = getattr(error, "strerror", None) or str(error)
            return [f"there is no page: it cannot listen at {page.host}, port {page.port}: {why}"]
        if self._hands is not None:
            self._hands.start()
        return [f"the page is at http://{page.host}:{self._server.port}/"]

    @property
    def port(self) -> int:
        """The port it listens at."""
        return self._server.port

    def invite(self) -> dict[str, Any]:
        """Return where the page is and the code, for who may use the control socket; or why not."""
        if not self._server.is_open:
            return {"error": "there is no page: see the log for why"}
        try:
            code = self._gate.show_code(self._loop.time())
        except GateError as error:
            return {"error": str(error)}
        return {"urls": [f"http://{host}:{self.port}/" for host in self._hosts()], "code": code}

    def _hosts(self) -> list[str]:
        """Return the names by which it is reached, the best first."""
        host = self._settings.page.host
        if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
            return [f"{socket.gethostname()}.local", *own_addresses()]
        return ["localhost" if host in ("127.0.0.1", "::1") else host]

    async def close(self) -> None:
        """Hang up on everybody."""
        if self._due is not None:
            self._due.cancel()
        if self._hands is not None:
            await self._hands.close()
        await self._server.close()

    # -- what the daemon tells

    def show(self, frame: NDArray[np.uint8]) -> None:
        """The lights show this: (rows, cols, 3) uint8 sRGB."""
        rows, cols, _ = frame.shape
        content = bytes((FRAME, rows, cols)) + frame.tobytes()
        if content == self._frame:
            return
        self._frame = content
        for viewer in self._viewers:
            viewer.show(content)

    def changed(self) -> None:
        """Something about the table is otherwise now."""
        if self._viewers and self._due is None:
            at_s = max(self._loop.time(), self._published_s + STATUS_S)
            self._due = self._loop.call_at(at_s, self._publish)

    def _publish(self) -> None:
        self._due = None
        self._published_s = self._loop.time()
        record = self._house.table.record
        game, told = (record.game_id, record.seq), self._told
        self._told = game
        if game[0] != told[0]:
            self._tell("rules", self._rules())
        if game != told:
            self._tell("game", self._game())
        self._tell("status", self._status())

    def _lies(self, picture: str) -> None:
        """Tell browsers what lies on the virtual table."""
        self._lying = picture
        self._tell("virtual", picture)

    def _tell(self, kind: str, text: str) -> None:
        for viewer in self._viewers:
            viewer.tell(kind, text)

    def _rules(self) -> str:
        table = self._house.table
        return _json({"t": "rules"} | describe_rules(table.game, table.layout))

    def _game(self) -> str:
        table = self._house.table
        return _json({"t": "game"} | describe_game(table.game, table.record.game_id))

    def _status(self) -> str:
        return _json({"t": "status"} | self._house.table.status())

    # -- what browsers do

    def welcome(self, viewer: Viewer) -> None:
        """Tell a new browser how things stand."""
        hello = {
            "t": "hello",
            "v": 1,
            "paired": viewer.paired,
            "virtual": self._settings.page.virtual is not None,
            "sets": {
                name: {
                    "summary": rules.summary,
                    "players": len(rules.players),
                    "options": {
                        key: {"summary": option.summary, "values": option.values, "default": option.default}
                        for key, option in rules.options.items()
                    },
                }
                for name, rules in engine.rule_sets().items()
            },
        }
        self._viewers.add(viewer)
        viewer.tell("hello", _json(hello))
        viewer.tell("rules", self._rules())
        viewer.tell("game", self._game())
        viewer.tell("status", self._status())
        if self._lying:
            viewer.tell("virtual", self._lying)
        if self._frame:
            viewer.show(self._frame)

    def leave(self, viewer: Viewer) -> None:
        """A browser is gone."""
        self._viewers.discard(viewer)

    async def obey(self, viewer: Viewer, message: str | bytes) -> str | None:
        """Carry out a command; returns the answer."""
        number = 0
        try:
            command = commands.read_command(message)
            number = command.id
            if command.steers and not viewer.paired:
                raise commands.CommandError("pair this browser first")
            done = await self._carry_out[type(command)](command)
        except (HostError, engine.EngineError) as error:
            number = number or commands.command_id(message)
            return _json({"t": "answer", "id": number, "error": str(error)})
        return _json({"t": "answer", "id": number, "ok": True} | ({} if done is None else {"data": done}))

    def show_code(self) -> None:
        """Show the pairing code at the table. Raises GateError."""
        self._house.show_code(self._gate.show_code(self._loop.time()))

    def pair(self, code: str) -> str:
        """Return a token for a browser that knows the code. Raises GateError."""
        token = self._gate.pair(code, self._loop.time())
        log.info("page: another browser is paired now")
        self._key_file.save(self._gate.keys)
        return token

    async def game_file(self, game_id: str) -> str | None:
        """Return a recorded game as .blksgf, None if there is none."""
        try:
            return await asyncio.to_thread(self._dump_game, game_id)
        except HostError:
            return None

    def _dump_game(self, game_id: str) -> str:
        return engine.notation.dump(self._recorded(game_id)[0])

    def _recorded(self, game_id: str) -> tuple[engine.Game, str]:
        """Return a recorded game and its whole id. Reads and replays: not for the loop's thread."""
        saved = read_game(Path(self._settings.state.directory), game_id)
        return replay(saved), saved.game_id

    async def _press(self, command: commands.Press) -> None:
        self._house.press(commands.known_button(command.button))

    async def _hold(self, command: commands.Hold) -> None:
        self._house.hold(commands.known_button(command.button), down=command.down)

    async def _hand(self, command: commands.Hand) -> None:
        if self._hands is None:
            raise commands.CommandError("this is a real table: use your own hands")
        await self._hands.ask(command.what)

    async def _begin_game(self, command: commands.NewGame) -> None:
        check_room(self._settings, commands.wanted_game(command))
        self._house.begin_game(command.rules, command.options, tuple(command.names))

    async def _end_game(self, _command: commands.EndGame) -> None:
        self._house.end_game()

    async def _shut_down(self, _command: commands.ShutDown) -> None:
        self._house.shut_down()

    async def _list_games(self, _command: commands.Games) -> list[dict[str, Any]]:
        rows = await asyncio.to_thread(read_games, Path(self._settings.state.directory))
        return [msgspec.structs.asdict(row) for row in rows[:MOST_GAMES]]

    async def _show_game(self, command: commands.ShowGame) -> dict[str, Any]:
        return _whole(*await asyncio.to_thread(self._recorded, command.game))

    async def _read_game(self, command: commands.ReadGame) -> dict[str, Any]:
        return _whole(await asyncio.to_thread(engine.notation.load, command.text), "")


def _whole(game: engine.Game, game_id: str) -> dict[str, Any]:
    layout = Layout(game.lattice, game.lattice.rows, game.lattice.cols)
    return {"rules": describe_rules(game, layout), "game": describe_game(game, game_id)}


def own_addresses() -> list[str]:
    """Return the address of this machine in its network, if it is in one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # for documents only: nobody is there
        except OSError:
            return []
        return [str(probe.getsockname()[0])]


def _names(names: tuple[str, ...]) -> list[str]:
    """The names by which a browser may call this table."""
    machine = socket.gethostname()
    return ["localhost", "127.0.0.1", "::1", machine, f"{machine}.local", *names]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
