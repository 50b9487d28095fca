#!/bin/sh
# Gathers the wheels for another architecture: cross.sh WHEELS PIPS_PYTHON SOURCE ARCHITECTURE
#
# The index has most of them. What it has as source only is built here: plain Python as it is, the drivers in C
# by a cross compiler against the Python headers of that architecture, which come from Debian's archive.
set -eu

wheels=$1
python=$2
source=$3
architecture=$4
case $architecture in
arm64) machine=aarch64 ;;
amd64) machine=x86_64 ;;
*)
    echo "$architecture: the table runs on arm64 and amd64" >&2
    exit 1
    ;;
esac
triplet=$machine-linux-gnu
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
pip() {
    "$python" -m pip --disable-pip-version-check --quiet "$@"
}

missing=
command -v "$triplet-gcc" >/dev/null || missing="gcc-$triplet libc6-dev-$architecture-cross"
command -v mmdebstrap >/dev/null || missing="$missing mmdebstrap"
[ -z "$missing" ] || {
    echo "Missing for $architecture. Install with: sudo apt-get install -y $missing" >&2
    exit 1
}

mkdir -p "$wheels"
platforms="linux_$machine manylinux2014_$machine"
for minor in $(seq 17 36); do # of glibc; Debian 12 has 2.36
    platforms="$platforms manylinux_2_${minor}_$machine"
done
echo "$platforms" >"$wheels/platforms"

# The requirements as that machine would read them.
"$python" - "$source/pyproject.toml" "$machine" >"$wheels/requirements" <<'END'
import sys
import tomllib

from pip._vendor.packaging.requirements import Requirement

path, machine = sys.argv[1:]
with open(path, "rb") as file:
    project = tomllib.load(file)["project"]
for line in [*project["dependencies"], *project["optional-dependencies"]["page"]]:
    requirement = Requirement(line)
    if requirement.marker is None or requirement.marker.evaluate({"platform_machine": machine}):
        requirement.marker = None
        print(requirement)
END

pip wheel --no-deps --wheel-dir "$wheels" "$source" "$(grep -i '^sdnotify' "$wheels/requirements")"

drivers=$(grep -iE '^(spidev|rpi.ws281x)' "$wheels/requirements") || true
if [ -n "$drivers" ]; then
    pip install setuptools wheel
    "$(dirname "$0")/debian.sh" "$wheels/headers" "$architecture" extract "libpython$version-dev"
    (
        export PYTHONPATH="$wheels/headers/usr/lib/python$version:$wheels/sysconfig"
        export _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__$triplet
        export _PYTHON_HOST_PLATFORM=linux-$machine
        export CFLAGS="-I$wheels/headers/usr/include -I$wheels/headers/usr/include/python$version"
        mkdir "$wheels/sysconfig"
        cp "$wheels/headers/usr/lib/python$version/$_PYTHON_SYSCONFIGDATA_NAME.py" "$wheels/sysconfig/"
        PYTHONPATH=$wheels/sysconfig # that file alone: the rest is this machine's
        # Build isolation would lose PYTHONPATH.
        # shellcheck disable=SC2086
        pip wheel --no-deps --no-build-isolation --wheel-dir "$wheels" $drivers
    )
    rm -rf "$wheels/headers" "$wheels/sysconfig"
fi

# shellcheck disable=SC2046
pip download --only-binary=:all: --find-links "$wheels" --dest "$wheels" --implementation cp --python-version "$version" \
    $(for platform in $platforms; do echo "--platform $platform"; done) \
    --requirement "$wheels/requirements"
