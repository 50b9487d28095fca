#!/bin/sh
# Builds the Debian package: package.sh DIRECTORY [ARCHITECTURE [VERSION]]; prints where it is.
#
# It holds all that the program needs but Python itself, so it goes with one Python: that of the Debian or
# Raspberry Pi OS it was built on. $TREE names files that `stage.sh` has built already.
set -eu
umask 022

here=$(cd "$(dirname "$0")" && pwd -P)
PYTHON=${PYTHON:-/usr/bin/python3}
export PYTHON
directory=$1
architecture=${2:-$(dpkg --print-architecture)}
version=${3:-$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/../pyproject.toml")}

[ -x "$PYTHON" ] && "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || {
    echo "Missing: $PYTHON with venv. Install with: sudo apt-get install -y python3 python3-venv" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
if [ -n "${TREE:-}" ]; then
    cp -a "$TREE" "$tree"
else
    "$here/stage.sh" "$tree" "$architecture"
fi
chmod 755 "$tree"
minor=$("$PYTHON" -c 'import sys; print(sys.version_info[1])')
lgpio=
if [ "$architecture" = arm64 ] && [ "$minor" -ge 13 ]; then
    lgpio=", python3-lgpio" # the index has no wheel of it for this Python
fi
install -m 755 "$here/configure.sh" "$tree/opt/blokus-table/"
mkdir "$tree/DEBIAN"
cat >"$tree/DEBIAN/control" <<END
Package: blokus-table
Version: $version
Architecture: $architecture
Maintainer: The makers of the Blokus table <root@localhost>
Installed-Size: $(du -sk "$tree" | cut -f1)
Depends: python3 (>= 3.$minor), python3 (<< 3.$((minor + 1))~), libc6 (>= 2.36), libgcc-s1, libstdc++6, zlib1g, systemd, udev, polkitd, dbus$lgpio
Section: games
Priority: optional
Description: game table for Blokus with light feedback
 The daemon of a table that reads the pieces on its board, knows the rules, and answers with an LED under
 every cell; and the command blokus-table to build, check and try out such a table.
END
for script in preinst postinst prerm postrm; do
    install -m 755 "$here/package/$script" "$tree/DEBIAN/$script"
done
mkdir -p "$directory"
file=$directory/blokus-table_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zzstd --build "$tree" "$file" >/dev/null
echo "$file"
