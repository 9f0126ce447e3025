"""`python -m bench` lists and runs the cases; each is a module here with `SUMMARY` and `run() -> bool`.

What begins with `--` after a case is given to its `run`: `python -m bench discovery --apps=jupyterlab`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import bench


def cases() -> dict[str, str]:
    """Case by name, with its one line. A module without SUMMARY is a part of another case."""
    found = {}
    for module in pkgutil.iter_modules(bench.__path__):
        if module.name.startswith("_"):
            continue
        summary = getattr(importlib.import_module(f"bench.{module.name}"), "SUMMARY", None)
        if summary is not None:
            found[module.name] = str(summary)
    return found


def main(arguments: list[str]) -> int:
    known = cases()
    if arguments and arguments[0] in ("-l", "--list", "-h", "--help"):
        for name, summary in known.items():
            print(f"{name:12} {summary}")
        return 0
    names = [one for one in arguments if not one.startswith("--")]
    options = [one for one in arguments if one.startswith("--")]
    unknown = [name for name in names if name not in known]
    if options and len(names) != 1:
        print(f"bench: `{options[0]}` is for one case; name it", file=sys.stderr)
        return 2
    if unknown:
        print(f"bench: no case `{unknown[0]}`; the cases are {', '.join(known)}", file=sys.stderr)
        return 2
    kept = [importlib.import_module(f"bench.{name}").run(*options) for name in names or known]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
