"""`python -m firmware_host` is `blokus-table`."""

from __future__ import annotations

from firmware_host.cli import main

main()
