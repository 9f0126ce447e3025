"""`python -m bench [--list] [case ...] [--option ...]` lists and runs the benchmarks.

Each case is a module of this package with `SUMMARY` and `run() -> bool`. Options after a case are passed to its
`run`: `python -m bench discovery --apps=jupyterlab`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from types import ModuleType

import bench

FORMER_NAMES = {"doors": "interfaces"}
"""Cases that were renamed: the former name still works."""


def cases() -> dict[str, str]:
    """Return the summary of each case by name. A module without SUMMARY is part of another case."""
    found = {}
    for module in pkgutil.iter_modules(bench.__path__):
        if module.name.startswith("_"):
            continue
        summary = getattr(_load(module.name), "SUMMARY", None)
        if summary is not None:
            found[module.name] = str(summary)
    return found


def _load(name: str) -> ModuleType:
    """Import a module of this package. Some need packages that `make test` does not install."""
    try:
        return importlib.import_module(f"bench.{name}")
    except ModuleNotFoundError as missing:
        raise SystemExit(
            f"bench: the package `{missing.name}` is missing; run `make .venv/.bench` first"
        ) from None


def main(arguments: list[str]) -> int:
    known = cases()
    if arguments and arguments[0] in ("-l", "--list", "-h", "--help"):
        for name, summary in known.items():
            print(f"{name:13} {summary}")
        return 0
    names = [FORMER_NAMES.get(one, one) for one in arguments if not one.startswith("--")]
    options = [one for one in arguments if one.startswith("--")]
    unknown = [name for name in names if name not in known]
    if options and len(names) != 1:
        print(f"bench: `{options[0]}` is an option of one case; give the name of that case", file=sys.stderr)
        return 2
    if unknown:
        print(f"bench: there is no case `{unknown[0]}`; use one of {', '.join(known)}", file=sys.stderr)
        return 2
    met = [_load(name).run(*options) for name in names or known]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
