#!/bin/sh
# What an installation does when the files are in place: configure.sh ROOT FRESH. Also run by the Debian package.
#
# ROOT is empty for this machine. FRESH is not empty if the table was not installed before: then it is enabled;
# later it stays as whoever runs the machine wants it.
set -eu

root=$1
fresh=$2

if [ -n "$root" ]; then
    systemd-sysusers --root="$root" "$root/usr/lib/sysusers.d/blokus-table.conf"
    [ -z "$fresh" ] || systemctl --quiet --root="$root" enable blokus-table.service
    exit 0
fi

systemd-sysusers blokus-table.conf
# Settings of an earlier version are rewritten, and kept beside. That is no reason to fail: the daemon reads them
# as they are.
/opt/blokus-table/bin/blokus-table migrate-config || true
[ -z "$fresh" ] || systemctl --quiet enable blokus-table.service
[ -d /run/systemd/system ] || exit 0 # an image that is being built, not a machine that runs
systemctl daemon-reload
if [ -S /run/udev/control ]; then
    udevadm control --reload
    udevadm trigger --subsystem-match=tty --action=change
fi
systemctl reset-failed 'blokus-table*' 2>/dev/null || true
if [ -n "$fresh" ]; then
    systemctl --no-block start blokus-table.service
else
    systemctl --no-block try-restart blokus-table-leds.service blokus-table.service
fi
