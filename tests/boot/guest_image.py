"""Builds what the guest boots: a Debian root with the table's package, its kernel, and an initial RAM disk.

No program of the guest runs for that: packages are only unpacked, and what their scripts would do is done
by hand.
The root is that of the Debian this machine runs, from this machine's package sources.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import textwrap
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PACKAGES = """
    base-files base-passwd bash dash coreutils findutils grep sed util-linux mount login passwd libc-bin
    hostname procps systemd systemd-sysv udev dbus kmod python3 python3-minimal tar gzip linux-image-arm64
    busybox-static libstdc++6 libgcc-s1 zlib1g
"""
# In the order in which they are loaded; the rest comes by itself when the root is there.
MODULES = """
    crc16 libcrc32c crc32c_generic mbcache jbd2 ext4 virtio virtio_ring virtio_pci_legacy_dev
    virtio_pci_modern_dev virtio_pci virtio_blk
"""
INIT = """\
    #!/bin/busybox sh
    B=/bin/busybox
    $B mount -t proc p /proc; $B mount -t sysfs s /sys; $B mount -t devtmpfs d /dev
    for module in /modules/*.ko; do $B insmod $module 2>/dev/null; done
    while [ ! -b /dev/vda ]; do $B sleep 0.1; done
    $B mount -t ext4 -o noatime /dev/vda /newroot || exec $B sh
    $B mount --move /dev /newroot/dev; $B umount /proc; $B umount /sys
    exec $B switch_root /newroot /lib/systemd/systemd
"""
# Lets the host see what `blokus-table status` sees: each status is a line on a channel of the emulator.
TELLER = """\
    import os, socket, time
    port = os.open("/dev/virtio-ports/table", os.O_WRONLY)  # one program may have it open, once
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as table:
                table.connect("/run/blokus-table/control")
                table.sendall(b'{"cmd": "watch"}\\n')
                for line in table.makefile("rb"):
                    os.write(port, line)
        except OSError:
            pass
        time.sleep(0.2)
"""
TELLER_UNIT = """\
    [Service]
    ExecStart=/usr/bin/python3 /opt/teller.py
    Restart=always
    RestartSec=1
    [Unit]
    StartLimitIntervalSec=0
    [Install]
    WantedBy=multi-user.target
"""


def run(*command: object, **fields: object) -> None:
    subprocess.run([str(word) for word in command], check=True, **fields)


def build(place: Path, settings: str) -> None:
    """Make `place`/kernel, initrd and image, as far as they are not there."""
    root = place / "root"
    if not (place / "image").exists():
        shutil.rmtree(root, ignore_errors=True)
        env = os.environ | {"TMPDIR": str(place)}
        run(
            PROJECT / "systemd/debian.sh",
            root,
            "arm64",
            "extract",
            *PACKAGES.split(),
            env=env,
            stderr=subprocess.DEVNULL,
        )
        _finish(root)
        _install(root, place, settings)
        (kernel,) = (root / "boot").glob("vmlinuz-*")
        shutil.copy(kernel, place / "kernel")
        _build_initrd(root, place)
        shutil.rmtree(root / "boot", ignore_errors=True)
        (root / "boot/firmware").mkdir(parents=True)
        (root / "boot/firmware/blokus-table.toml").write_text(settings)
        run("mke2fs", "-q", "-t", "ext4", "-d", root, place / "image.new", "1400M", stdout=subprocess.DEVNULL)
        shutil.rmtree(root)
        (place / "image.new").rename(place / "image")


def _finish(root: Path) -> None:
    """Do what the scripts of the packages would have done."""
    masters = root / "usr/share/base-passwd"
    shutil.copy(masters / "group.master", root / "etc/group")
    passwd = (masters / "passwd.master").read_text()
    (root / "etc/passwd").write_text(passwd.replace("root:*:", "root::"))
    run("systemd-sysusers", f"--root={root}", stderr=subprocess.DEVNULL)
    for name in ("sh", "awk"):
        if not os.path.lexists(root / "bin" / name) and name == "sh":
            (root / "bin/sh").symlink_to("dash")
    run("systemctl", f"--root={root}", "preset-all", stderr=subprocess.DEVNULL)
    (root / "etc/machine-id").write_text("")
    (root / "etc/hostname").write_text("table\n")
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults,noatime 0 1\n")
    for directory in ("root", "tmp", "var/tmp"):
        (root / directory).mkdir(parents=True, exist_ok=True)
    python = next((root / "usr/lib").glob("python3.*"))
    run(
        "/usr/bin/python3", "-m", "compileall", "-q", "-s", root, "-p", "/", python, stdout=subprocess.DEVNULL
    )


def _install(root: Path, place: Path, settings: str) -> None:
    """Unpack the package, and configure it as for a card that is mounted here."""
    env = os.environ | {"TMPDIR": str(place)}
    done = subprocess.run(
        [PROJECT / "systemd/package.sh", place / "dist", "arm64"],
        env=env,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    run("dpkg-deb", "--extract", done.stdout.strip(), root)
    run(PROJECT / "systemd/configure.sh", root, "fresh", stderr=subprocess.DEVNULL)
    (root / "opt/teller.py").write_text(textwrap.dedent(TELLER))
    (root / "etc/systemd/system/teller.service").write_text(textwrap.dedent(TELLER_UNIT))
    run("systemctl", f"--root={root}", "enable", "teller", stderr=subprocess.DEVNULL)


def _build_initrd(root: Path, place: Path) -> None:
    """Make a RAM disk that loads what the kernel needs to see its disk, and goes on there."""
    directory = place / "initrd.d"
    shutil.rmtree(directory, ignore_errors=True)
    for name in ("bin", "proc", "sys", "dev", "newroot", "modules"):
        (directory / name).mkdir(parents=True)
    shutil.copy(root / "usr/bin/busybox", directory / "bin")
    (modules,) = (root / "usr/lib/modules").iterdir()
    run("depmod", "-b", root, modules.name)
    for number, name in enumerate(MODULES.split()):
        for found in modules.rglob(f"{name}.ko*"):
            target = directory / "modules" / f"{number:02}-{name}.ko"
            if found.suffix == ".xz":
                target.write_bytes(
                    subprocess.run(["xz", "-dc", found], check=True, capture_output=True).stdout
                )
            else:
                shutil.copy(found, target)
    (directory / "init").write_text(textwrap.dedent(INIT))
    (directory / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(directory)) for path in sorted(directory.rglob("*")))
    with (place / "initrd").open("wb") as out:
        run("cpio", "-o", "-H", "newc", "--quiet", cwd=directory, input=names.encode(), stdout=out)
    shutil.rmtree(directory)
