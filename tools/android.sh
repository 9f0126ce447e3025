#!/bin/sh
# Installs the requirements of the android driver tests: adbd (Android's daemon built for Linux, in the backports of
# Debian 12) and the libraries of its adb. The package source is derived from the machine's own entry and written to a
# temporary folder, so that the sources of other packages do not change. The daemon is unpacked and not installed: the
# package would start it as a service that accepts every connection.
set -eu
cd "$(dirname "$0")/.."
to="${XDG_CACHE_HOME:-$HOME/.cache}/uiap/android"
[ -x "$to/adbd" ] && exit 0
say() { echo "the tests of the android driver need adbd (Debian: package adbd, Debian 12: from backports): $1"; exit 0; }
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || say "this needs root and apt"
. /etc/os-release
own=/etc/apt/sources.list.d/debian.sources
[ "${ID:-}" = debian ] && [ -r "$own" ] || say "there is no $own"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$own" "$folder/"
suite="$VERSION_CODENAME-backports"
awk -v suite="$suite" 'BEGIN { RS = ""; ORS = "\n\n" }
  NR == 1 { gsub(/\nSuites:[^\n]*/, "\nSuites: " suite); print }' "$own" > "$folder/backports.sources"
apt() { apt-get -q -o "Dir::Etc::SourceParts=$folder" -o Dir::Etc::SourceList=/dev/null \
  -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=root "$@"; }
apt update >/dev/null
apt install -y --no-install-recommends -t "$suite" adb >/dev/null
(cd "$folder" && apt download -t "$suite" adbd >/dev/null && dpkg -x adbd_*.deb unpacked)
mkdir -p "$to"
cp "$folder/unpacked/usr/lib/android-sdk/platform-tools/adbd" "$to/adbd"
