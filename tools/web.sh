#!/bin/sh
# Builds the page script, or compares the committed build with a fresh one. Without Node nothing is compared.
set -eu
cd "$(dirname "$0")/../web"
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  [ "${1:-check}" = check ] && { echo "web: Node is not installed, so the committed build was not compared with a fresh one"; exit 0; }
  echo "web: building needs Node 20 or newer and npm" >&2
  exit 1
fi
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --silent --no-audit --no-fund
fi
npm run --silent "${1:-check}"
