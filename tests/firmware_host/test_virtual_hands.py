"""Hands at the virtual table, asked over a real socket, with a real virtual table behind them."""

import asyncio
import json

import pytest

from firmware_host.page.hand_line import HandLine, HandLineError
from firmware_host.virtual_hands import HandsServer, VirtualHands
from hardware.hands import STYLES, Hands
from hardware.simulator import VirtualTable
from hardware.virtual_board import VirtualBoard

V3 = [[0, 0], [1, 0], [1, 1]]


@pytest.fixture
def make_people(tmp_path):
    opened = []

    def make(depth=1):
        table = VirtualTable(VirtualBoard(6, 6, depth=depth), tmp_path / "dev" / "table", 50.0)
        people = VirtualHands(table.__enter__(), Hands(6, 6, STYLES["calm"], seed=3))
        server = HandsServer(people, tmp_path / "hands").__enter__()
        opened.extend([table, server])
        return people

    yield make
    for one in reversed(opened):
        one.__exit__(None, None, None)


@pytest.fixture
def tell(make_people, tmp_path):
    """Have hands do things over the line; returns the last picture after as many."""

    def tell(*deeds, depth=1, people=None):
        people = people or make_people(depth)

        async def talk():
            pictures = asyncio.Queue()
            line = HandLine(str(tmp_path / "hands"), pictures.put_nowait)
            line.start()
            try:
                picture = json.loads(await pictures.get())
                for deed in deeds:
                    await line.ask(deed)
                    picture = json.loads(await pictures.get())
                return picture
            finally:
                await line.close()

        async def within():
            async with asyncio.timeout(10):
                return await talk()

        return asyncio.run(within())

    return tell


def test_a_piece_that_is_laid_lies_there_and_is_felt(make_people, tell):
    people = make_people()
    picture = tell({"do": "lay", "colour": "blue", "piece": "V3", "cells": V3}, people=people)
    assert picture["pieces"] == [
        {"colour": "blue", "piece": "V3", "cells": [[0, 0, 0], [1, 0, 0], [1, 1, 0]]}
    ]
    assert people.virtual.rests_ms > 0
    assert set(people.hands.lying) == {(0, 0), (1, 0), (1, 1)}


def test_a_piece_that_is_lifted_is_gone(make_people, tell):
    people = make_people()
    deeds = [{"do": "lay", "colour": "blue", "cells": V3}, {"do": "lift", "at": [1, 1]}]
    assert tell(*deeds, people=people)["pieces"] == []
    assert people.hands.lying == {}


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        ({"do": "lay", "colour": "red", "cells": [[1, 1], [2, 1]]}, "a piece lies there already"),
        ({"do": "lay", "colour": "red", "cells": [[5, 5], [5, 6]]}, "outside"),
        ({"do": "lay", "colour": "red", "cells": []}, "length"),
        ({"do": "lift", "at": [4, 4]}, "nothing lies there"),
        ({"do": "sensor", "at": [6, 0], "fault": "on"}, "6 x 6"),
        ({"do": "sensor", "at": [0, 0], "fault": "melts"}, "melts"),
        ({"do": "dance"}, "dance"),
        ({"do": "watch"}, "watch"),
    ],
)
def test_what_hands_cannot_do_is_said_in_one_line(make_people, tell, deed, why):
    people = make_people()
    tell({"do": "lay", "colour": "blue", "cells": V3}, people=people)
    with pytest.raises(HandLineError, match=why) as caught:
        tell(deed, people=people)
    assert "\n" not in str(caught.value)
    assert len(people.pieces) == 1


def test_blocks_are_stacked_and_the_lower_one_cannot_be_lifted(make_people, tell):
    people = make_people(depth=4)
    lower = {"do": "lay", "colour": "blue", "cells": [[0, 0], [0, 1]]}
    upper = {"do": "lay", "colour": "red", "cells": [[0, 1], [0, 1]]}
    picture = tell(lower, upper, people=people)
    assert picture["pieces"][1]["cells"] == [[0, 1, 1], [0, 1, 2]]
    with pytest.raises(HandLineError, match="another piece lies on it"):
        tell({"do": "lift", "at": [0, 0]}, people=people)
    assert tell({"do": "clear"}, people=people)["pieces"] == []
    assert people.hands.lying == {}


def test_a_sensor_is_broken_and_healed(make_people, tell):
    people = make_people()
    broken = [{"do": "sensor", "at": [2, 3], "fault": fault} for fault in ("off", "flicker", "on")]
    assert tell(*broken, people=people)["broken"] == [[2, 3, "on"]]
    assert people.virtual.board.sensed[2, 3] == 1
    assert tell({"do": "sensor", "at": [2, 3], "fault": "none"}, people=people)["broken"] == []
    assert people.virtual.board.sensed[2, 3] == 0


def test_the_cable_is_pulled_and_put_back(make_people, tell):
    people = make_people()
    assert not tell({"do": "cable", "plugged": False}, people=people)["plugged"]
    assert not people.virtual.link.exists()
    assert tell({"do": "cable", "plugged": True}, people=people)["plugged"]
    assert people.virtual.link.exists()


def test_while_simulated_people_play_nobody_else_has_the_pieces(make_people, tell):
    people = make_people()
    people.hand_over(list)
    with pytest.raises(HandLineError, match="stop the auto-play"):
        tell({"do": "lay", "colour": "blue", "cells": V3}, people=people)
    assert not tell({"do": "play", "on": False}, people=people)["playing"]


def test_without_hands_the_page_says_so(tmp_path):
    line = HandLine(str(tmp_path / "nobody"), print)
    with pytest.raises(HandLineError, match="does not answer"):
        asyncio.run(line.ask({"do": "clear"}))
