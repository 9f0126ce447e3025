#!/bin/sh
# Creates .venv with the pinned dependencies. make runs it; it can be repeated.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'uiap: %s\n' "$*" >&2; }
new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
  for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14; do
    if command -v "$candidate" >/dev/null 2>&1 && new_enough "$candidate"; then command -v "$candidate"; return 0; fi
  done
  return 1
}

if [ ! -x .venv/bin/python ] || ! new_enough .venv/bin/python; then
  python=$(find_python) || { say "Python 3.11 or newer is needed and was not found; install it, or name it with PYTHON=/path/to/python3 make …"; exit 1; }
  say "creating .venv with $("$python" --version)"
  if ! "$python" -m venv .venv 2>.venv-error; then
    rm -rf .venv
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
      say "this Python has no venv module; installing python3-venv"
      { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv; } >.venv-error 2>&1 ||
        { say "python3-venv could not be installed:"; cat .venv-error >&2; rm -f .venv-error; exit 1; }
      "$python" -m venv .venv
    else
      say "this Python cannot create a virtual environment; install its venv module (Debian, Ubuntu: sudo apt install python3-venv)"
      rm -f .venv-error
      exit 1
    fi
  fi
  rm -f .venv-error
fi

extras=${1:-dev}
say "installing pinned dependencies ($extras)"
log=.venv/install.log
.venv/bin/python -m pip install --disable-pip-version-check --quiet --no-compile --constraint constraints.txt --editable ".[$extras]" >"$log" 2>&1 ||
  { cat "$log" >&2; say "the dependencies could not be installed; the lines above give the reason"; exit 1; }
