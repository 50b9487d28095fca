#!/bin/sh
# Builds the files that a table's machine gets: stage.sh TREE [ARCHITECTURE]
#
#   TREE/opt/blokus-table   a virtual environment with the program and all it needs; PEP 668: the system's own
#                           Python is left alone, but its packages (lgpio) can be seen from here
#   TREE/usr                units, rules, the command `blokus-table`, settings to copy
#
# Without an architecture: for this machine. Another one (arm64) is built from the index's wheels, and what has
# none by a cross compiler; no foreign program is run. $PYTHON is the one to build with, and the machine that
# gets the files needs one of the same version.
set -eu
umask 022

here=$(cd "$(dirname "$0")" && pwd -P)
source=$(dirname "$here")
PYTHON=${PYTHON:-/usr/bin/python3}
own_architecture=$(dpkg --print-architecture)
version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')

tree=$1
architecture=${2:-$own_architecture}
packages=$tree/opt/blokus-table/lib/python$version/site-packages

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv "$work/tools"
pip() {
    "$work/tools/bin/python" -m pip --disable-pip-version-check --quiet "$@"
}

# A copy: building leaves things behind that the source need not have, some of them root's.
mkdir "$work/source"
for part in engine hardware firmware_host pyproject.toml README.md LICENSE; do
    cp -R "$source/$part" "$work/source/"
done
mkdir -p "$packages"
if [ "$architecture" = "$own_architecture" ]; then
    pip install --no-compile --target "$packages" "$work/source[page]"
else
    "$here/cross.sh" "$work/wheels" "$work/tools/bin/python" "$work/source" "$architecture"
    pip install --no-compile --target "$packages" --no-index --no-deps --only-binary=:all: \
        --implementation cp --python-version "$version" \
        $(for platform in $(cat "$work/wheels/platforms"); do echo "--platform $platform"; done) \
        "$work"/wheels/*.whl
fi
rm -rf "$packages/bin" # commands that name the Python they were built with
find "$packages" -depth -type d -name tests -exec rm -rf {} + # a sixth of it all, and nobody runs them there
# Whoever runs the table may not write here. By time: a hash would read every source at every start.
"$PYTHON" -m compileall -q --invalidation-mode timestamp -s "$tree" -p / "$packages"

bin=$tree/opt/blokus-table/bin
mkdir -p "$bin"
ln -s "/usr/bin/python$version" "$bin/python"
printf '%s\n' 'home = /usr/bin' 'include-system-site-packages = true' "version = $version" \
    >"$tree/opt/blokus-table/pyvenv.cfg"
cat >"$bin/blokus-table" <<'END'
#!/opt/blokus-table/bin/python -s
import sys

from firmware_host.cli import main

sys.exit(main())
END
chmod 755 "$bin/blokus-table"

put() {
    install -D -m 644 "$here/$1" "$tree/$2"
}
for unit in "$here"/*.service; do
    put "$(basename "$unit")" "usr/lib/systemd/system/$(basename "$unit")"
done
put blokus-table.sysusers.conf usr/lib/sysusers.d/blokus-table.conf
put blokus-table.journald.conf usr/lib/systemd/journald.conf.d/60-blokus-table.conf
put blokus-table.udev.rules usr/lib/udev/rules.d/60-blokus-table.rules
put blokus-table.polkit.rules usr/share/polkit-1/rules.d/60-blokus-table.rules
put ../docs/blokus-table.example.toml usr/share/doc/blokus-table/blokus-table.example.toml
put page.conf usr/share/doc/blokus-table/page.conf
put ../LICENSE usr/share/doc/blokus-table/copyright
put ../README.md usr/share/doc/blokus-table/README.md
put ../CHANGELOG.md usr/share/doc/blokus-table/CHANGELOG.md
mkdir -p "$tree/usr/bin"
ln -s /opt/blokus-table/bin/blokus-table "$tree/usr/bin/blokus-table"
chmod -R u=rwX,go=rX "$tree"
