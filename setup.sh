#!/bin/sh
# Sets up the environment for `make`: setup.sh VENV STAMP. The Python to use is $PYTHON.
# What is missing on this machine is named in one line, with the one command that installs it.
set -eu

venv=$1
stamp=$2
PYTHON=${PYTHON:-python3}

complain() {
    echo "$1" >&2
    exit 1
}

has_headers() {
    "$PYTHON" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
}

missing=
packages=
need() {
    missing="${missing:+$missing and }$1"
    packages="$packages $2"
}

if ! command -v "$PYTHON" >/dev/null; then
    need "$PYTHON" "python3 python3-venv"
elif ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    complain "$("$PYTHON" -V) is too old, 3.11 or newer is needed; name one with: make PYTHON=/path/to/python3"
else
    "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || need "Python's venv" python3-venv
    # On a Pi the drivers are compiled when they are installed.
    [ "$(uname -m)" != aarch64 ] || has_headers || need "Python's headers" python3-dev
fi
command -v cc >/dev/null || command -v gcc >/dev/null || need "a C compiler" build-essential
[ -z "$missing" ] || complain "Missing: $missing. Install with: sudo apt-get install -y$packages"

# The stamp goes first and comes back last: a set-up that was interrupted leaves none and is begun afresh.
if [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(pwd -P)" ]; then
    echo "Setting up $venv again: pyproject.toml has changed."
    rm "$stamp"
else
    echo "Setting up $venv, once; this takes a minute."
    rm -f "$stamp"
    "$PYTHON" -m venv --clear "$venv"
fi
pip() {
    "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"
}
pip install --use-pep517 --editable '.[dev]'

# Off a Pi the libraries of its pins are only tested: a machine that cannot compile them goes without.
if ! has_headers; then
    echo "Without rpi_ws281x, spidev and their tests, for want of Python's headers (Debian: python3-dev)"
elif ! pip install --use-pep517 --editable '.[pins]' >/dev/null 2>&1; then
    echo "Without rpi_ws281x, spidev and their tests; to see why: $venv/bin/pip install rpi_ws281x spidev"
fi
pwd -P >"$stamp"
