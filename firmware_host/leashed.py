"""`python -m firmware_host.leashed PARENT PLACE WORD...` is `blokus-table WORD...` on behalf of a process.

It ends in order when that process is gone, even killed, and then removes the directory PLACE, which nobody
would remove any more. So a simulation that is killed leaves no daemon behind.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys

from firmware_host.cli import main

_PR_SET_PDEATHSIG = 1


def run(parent: int, place: str, words: list[str]) -> None:
    """Run a command for as long as `parent` lives."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        if os.getppid() == parent:  # otherwise it was gone before it could be noticed
            main(words)
    finally:
        if os.getppid() != parent:
            shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
