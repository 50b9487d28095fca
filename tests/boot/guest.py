"""The emulated machine: power, its USB port, and what the table in it says."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 300.0
MACHINE = """
    qemu-system-aarch64 -M virt -cpu cortex-a53 -smp 2 -m 1024 -accel tcg,thread=multi
    -nodefaults -display none -no-reboot -serial file:console -kernel kernel -initrd initrd
    -drive file=disk,if=none,id=disk,format=raw,cache=writeback -device virtio-blk-pci,drive=disk
    -device virtio-rng-pci -device qemu-xhci,id=usb
    -device virtio-serial-pci -chardev socket,id=teller,path=teller,server=on,wait=off
    -device virtserialport,chardev=teller,name=table
    -qmp unix:qmp,server=on,wait=off -append
"""
KERNEL = (
    "console=ttyAMA0 root=/dev/vda rw loglevel=4 systemd.show_status=0 systemd.journald.forward_to_console=1"
)
USB_SERIAL = "BLOKUS01"
BY_ID = f"/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_{USB_SERIAL}-if00-port0"


class Guest:
    """From switching on to switching off, or to pulling the plug."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.console = place / "console"
        self.status: dict | None = None
        self._news = threading.Condition()
        self._plugs = 0

    def switch_on(self) -> None:
        for name in ("qmp", "teller"):
            (self._place / name).unlink(missing_ok=True)
        self.console.write_bytes(b"")
        command = MACHINE.split()
        self._process = subprocess.Popen([*command, KERNEL], cwd=self._place, stdin=subprocess.DEVNULL)
        self._qmp = self._connect("qmp").makefile("rw")
        self._qmp.readline()
        self._order("qmp_capabilities")
        self._teller = self._connect("teller")
        threading.Thread(target=self._listen, args=(self._teller,), daemon=True).start()

    def pull_the_plug(self) -> None:
        """No orderly end: the emulator is killed."""
        self._process.kill()
        self._process.wait()
        self.status = None

    def press_power_button(self) -> None:
        self._order("system_powerdown")
        self._process.wait(PATIENCE_S)

    def kill(self) -> None:
        if getattr(self, "_process", None) is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def plug_in(self, terminal: Path) -> None:
        """Plug in a USB serial adapter whose other end is a terminal here."""
        self._plugs += 1
        name = f"board{self._plugs}"
        self._order("chardev-add", id=name, backend={"type": "serial", "data": {"device": str(terminal)}})
        self._order("device_add", driver="usb-serial", id=name, chardev=name, bus="usb.0", serial=USB_SERIAL)

    def unplug(self) -> None:
        name = f"board{self._plugs}"
        self._order("device_del", id=name)
        deadline_s = time.monotonic() + 20
        while "error" in self._order("chardev-remove", id=name, check=False):
            assert time.monotonic() < deadline_s
            threading.Event().wait(0.1)

    def until(self, wanted, what: str) -> float:
        """Wait until the table's status is as wanted; returns how long it took, in seconds."""
        began_s = time.monotonic()
        with self._news:
            while self.status is None or not wanted(self.status):
                waited_s = time.monotonic() - began_s
                assert self._process.poll() is None, f"the machine went off, and never: {what}"
                assert waited_s < PATIENCE_S, f"never: {what}; {self.status}; {self.last_lines()}"
                self._news.wait(1)
        return time.monotonic() - began_s

    def until_logged(self, pattern: str) -> float:
        began_s = time.monotonic()
        while not re.search(pattern, self.console.read_text(errors="replace")):
            assert time.monotonic() - began_s < PATIENCE_S, f"never logged: {pattern}; {self.last_lines()}"
            threading.Event().wait(0.05)
        return time.monotonic() - began_s

    def last_lines(self) -> str:
        return "\n".join(self.console.read_text(errors="replace").splitlines()[-30:])

    def _connect(self, name: str) -> socket.socket:
        deadline_s = time.monotonic() + 30
        connection = socket.socket(socket.AF_UNIX)
        while True:
            try:
                connection.connect(str(self._place / name))
            except OSError:
                assert time.monotonic() < deadline_s
                assert self._process.poll() is None, "the emulator ended"
                threading.Event().wait(0.05)
            else:
                return connection

    def _order(self, command: str, *, check: bool = True, **arguments: object) -> dict:
        self._qmp.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._qmp.flush()
        while True:
            answer = json.loads(self._qmp.readline())
            if "return" in answer or "error" in answer:
                assert not check or "return" in answer, answer
                return answer

    def _listen(self, teller: socket.socket) -> None:
        buffer = b""
        while data := teller.recv(65536):
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                try:
                    status = json.loads(line)
                except ValueError:
                    continue  # the end of a line that was begun before a power cut
                with self._news:
                    self.status = status
                    self._news.notify_all()
