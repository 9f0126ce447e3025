#!/bin/sh
# Installs the requirements of the appium driver tests with npm into .uiap/appium: Appium and its fake driver. Versions
# are locked in tests/support/appium. It starts nothing.
set -eu
cd "$(dirname "$0")/.."
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  echo "the tests of the appium driver need Node 20.19 or newer and npm"
  exit 0
fi
to=.uiap/appium
mkdir -p "$to"
if [ ! -f "$to/.done" ] || ! cmp -s tests/support/appium/package-lock.json "$to/package-lock.json"; then
  cp tests/support/appium/package.json tests/support/appium/package-lock.json "$to/"
  (cd "$to" && npm ci --silent --no-audit --no-fund --ignore-scripts --omit=optional)
  touch "$to/.done"
fi
