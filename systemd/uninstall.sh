#!/bin/sh
# Takes away what install.sh has put there: uninstall.sh [ROOT]. As root. Settings and games stay.
set -eu

root=${1:-}
root=${root%/}
[ "$(id -u)" = 0 ] || {
    echo "To uninstall, run: sudo make uninstall" >&2
    exit 1
}
[ ! -e "$root/var/lib/dpkg/info/blokus-table.list" ] || [ -z "$(cat "$root/var/lib/dpkg/info/blokus-table.list")" ] || {
    echo "The table is installed as a Debian package here. Remove it with: sudo apt remove blokus-table" >&2
    exit 1
}

units=
for unit in "$root"/usr/lib/systemd/system/blokus-table*; do
    [ ! -e "$unit" ] || units="$units $(basename "$unit")"
done
if [ -n "$units" ]; then
    # shellcheck disable=SC2086
    if [ -z "$root" ] && [ -d /run/systemd/system ]; then
        systemctl --quiet disable --now $units
    else
        systemctl --quiet --root="${root:-/}" disable $units
    fi
fi
rm -rf "$root/opt/blokus-table" "$root/usr/share/doc/blokus-table"
rm -f "$root"/usr/lib/systemd/system/blokus-table* \
    "$root/usr/lib/systemd/journald.conf.d/60-blokus-table.conf" \
    "$root/usr/lib/sysusers.d/blokus-table.conf" \
    "$root/usr/lib/udev/rules.d/60-blokus-table.rules" \
    "$root/usr/share/polkit-1/rules.d/60-blokus-table.rules" \
    "$root/usr/bin/blokus-table"
if [ -z "$root" ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload
fi

for kept in /var/lib/blokus-table /etc/blokus-table.toml /boot/firmware/blokus-table.toml; do
    [ ! -e "$root$kept" ] || echo "Kept: $root$kept"
done
