#!/bin/sh
# Builds the pages of real frameworks and component libraries into .uiap/fixtures, and the same to-do list with each
# framework into .uiap/frameworks, and the applications of strangers into .uiap/strangers. None of their files are committed.
set -eu
cd "$(dirname "$0")/../web"
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  echo "fixtures: building needs Node 20 or newer and npm" >&2
  exit 1
fi
for part in fixtures frameworks strangers; do
  (
    cd "$part"
    if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
      npm ci --silent --no-audit --no-fund
    fi
    npm run --silent build
    touch "../../.uiap/$part/.built"
  )
done
