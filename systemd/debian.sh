#!/bin/sh
# Makes a Debian root: debian.sh ROOT ARCHITECTURE VARIANT PACKAGE...
#
# From the package sources of this machine, whatever they are, and of this machine's release. VARIANT is
# mmdebstrap's; "extract" only unpacks, so that it does for foreign architectures.
set -eu

root=$1
architecture=$2
variant=$3
shift 3
. /etc/os-release
sources=
for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/raspi.sources; do
    [ ! -s "$list" ] || sources="$sources $list"
done
packages=$*
# shellcheck disable=SC2086
exec mmdebstrap --quiet --mode=root --architectures="$architecture" --variant="$variant" \
    --include="$(echo "$packages" | tr ' ' ',')" \
    --skip=check/qemu,check/empty \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --aptopt='Acquire::Languages "none"' \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/blokus-table/*' \
    "$VERSION_CODENAME" "$root" $sources >/dev/null
