"""The command that says where the companion page is."""

from __future__ import annotations

from pathlib import Path

import click

from firmware_host.cli_options import config_option, read_settings


@click.command()
@click.option("--no-qr", "plain", is_flag=True, help="Print the address alone.")
@config_option
def address(plain: bool, config: Path | None) -> None:
    """Print the address of the companion page.

    And the same as a code for a phone's camera. Whoever opens it so may control the table: the address holds
    a code that is good once, for some minutes.
    """
    from firmware_host.ask import ask

    found = ask(Path(read_settings(config).state.socket), {"cmd": "address"})
    first, *others = [f"{url}#code={found['code']}" for url in found["urls"]]
    if not plain:
        from segno import make_qr

        make_qr(first).terminal(compact=True)
    click.echo("\n".join([first, *others]))
