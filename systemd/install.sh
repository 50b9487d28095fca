#!/bin/sh
# Installs the table: install.sh [ROOT]. As root; again for an upgrade, as often as you like.
#
# On this machine, or below ROOT: a card or an image that is mounted there and need not be of this architecture.
# Settings and games are never touched.
set -eu
umask 022

here=$(cd "$(dirname "$0")" && pwd -P)
root=${1:-}
root=${root%/}
PYTHON=${PYTHON:-/usr/bin/python3}
export PYTHON

complain() {
    echo "$1" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || complain "To install, run: sudo make install"
[ -d "$root/usr/lib" ] && [ -e "$root/var/lib/dpkg/status" ] || complain "${root:-/}: this is no Debian or Raspberry Pi OS"
[ ! -e "$root/var/lib/dpkg/info/blokus-table.list" ] || [ -z "$(cat "$root/var/lib/dpkg/info/blokus-table.list")" ] ||
    complain "The table is installed as a Debian package here. Upgrade with: sudo apt install ./blokus-table_….deb, or remove that first: sudo apt remove blokus-table"

# What that system is; and whether this one can build for it.
architecture=$(sed -n '/^Package: dpkg$/,/^$/s/^Architecture: //p' "$root/var/lib/dpkg/status")
case $architecture in
arm64 | amd64) ;;
*) complain "The system is $architecture, and the table needs one of 64 bits: arm64 (or amd64)" ;;
esac
their_python=$(readlink "$root/usr/bin/python3") || complain "${root:-/}: python3 is missing. Install with: sudo apt-get install -y python3"
missing=
[ -e "$root/usr/bin/systemd-sysusers" ] || missing="$missing systemd"
[ -e "$root/usr/share/polkit-1" ] || missing="$missing polkitd" # without, the shutdown button has no right to
[ -z "$missing" ] || [ -n "$root" ] || complain "Missing:$missing. Install with: sudo apt-get install -y$missing"
[ -z "$missing" ] || echo "$root lacks$missing: the shutdown button will have no effect there"
[ -x "$PYTHON" ] || complain "Missing: $PYTHON. Install with: sudo apt-get install -y python3 python3-venv"
our_python=$("$PYTHON" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
[ "$our_python" = "$their_python" ] ||
    complain "$root has $their_python and this is $our_python: name a Python of that version with: make install DESTDIR=$root PYTHON=/path/to/$their_python"
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
if [ "$architecture" = arm64 ] && [ "$(dpkg --print-architecture)" = arm64 ]; then # two drivers are compiled
    command -v cc >/dev/null || missing="$missing build-essential"
    "$PYTHON" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
        missing="$missing python3-dev"
fi
[ -z "$missing" ] || [ -n "$root" ] || complain "Missing:$missing. Install with: sudo apt-get install -y$missing"

# Built beside the old one and moved into its place: an installation that fails leaves the table as it was.
new=$root/opt/.blokus-table.new
mkdir -p "$root/opt"
rm -rf "$new"
trap 'rm -rf "$new"' EXIT
echo "Building for $architecture and $their_python; this takes a minute, on a small Pi some."
"$here/stage.sh" "$new" "$architecture"
fresh=yes
[ ! -e "$root/opt/blokus-table" ] || fresh=
rm -rf "$root/opt/.blokus-table.old"
[ -n "$fresh" ] || mv "$root/opt/blokus-table" "$root/opt/.blokus-table.old"
mv "$new/opt/blokus-table" "$root/opt/blokus-table"
cp -RP "$new/usr/." "$root/usr/"
rm -rf "$root/opt/.blokus-table.old"
install -m 755 "$here/configure.sh" "$here/uninstall.sh" "$root/opt/blokus-table/"
"$here/configure.sh" "$root" "$fresh"
echo "Installed. $(if [ -n "$root" ]; then echo "It starts when the machine does."; else echo "How it is: systemctl status blokus-table"; fi)"
