"""Find code in `src/` that nothing in `src/` uses. `make check` runs it.

Usage: python tools/unused.py

Prints `file:line: kind name` for each finding and exits with 1 if there is one. Code that only tests use is unused
too. Delete it, or add it to `ALLOWED` with the reason why it stays. An entry that allows nothing is reported as well,
so that the list stays short. Definitions in `spec/` mirror the specification and may stay.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from vulture import Vulture  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parent.parent
MIN_CONFIDENCE = 60

ALLOWED: dict[str, str] = {
    # called by a library or the interpreter
    "*:__*__": "Python calls it",
    "*:_repr_html_": "notebooks call it",
    "api/pytest_plugin.py:pytest_*": "pytest calls it",
    "cli/*.py:*_options": "a decorator registers it",
    "cli/page_files.py:eval": "the command table names it",
    "cli/policy.py:init": "a decorator registers it",
    "cli/commands.py:format_commands": "click calls it",
    "cli/workflow.py:list_": "a decorator registers it",
    "cli/workflow.py:from_discovery": "a decorator registers it",
    "host/workflows/run_store.py:_durable": "SQLAlchemy calls it",
    "cli/approval_page.py:*": "http.server calls it",
    "transports/stdio.py:_get_close_waiter": "asyncio calls it",
    "transports/uvicorn_limits.py:*": "uvicorn reads it",
    # part of a document or of the wire
    "errors.py:*": "one class for each error code; `UiapError.__init_subclass__` registers it",
    "spec/*.py:*": "mirrors the specification",
    "authoring/assembly/imports.py:lock_version": "written to the lock file",
    "authoring/bundles/signature.py:algorithm": "written to the signature",
    "conformance/ledger.py:breaker": "read from the ledger, used by tools/prove.py",
    # public, or used by examples, docs and tests
    "api/trace_compare.py:side_by_side": "public; examples/calculator.py uses it",
    "drivers/errors.py:cdp_code": "public attribute of an error",
    "drivers/events.py:redirected_from": "public member of an event",
    "drivers/scripted/*.py:*": "the scripted driver is for tests of applications and of this project",
    "graph/nested.py:flatten": "the nested form of a graph is part of the specification",
    "graph/store.py:needs_resync": "public state of a store",
    "host/clock.py:FakeClock": "the clock of tests",
    "host/clock.py:jump_wall": "the clock of tests",
    "host/consent/grant_signature.py:sign_denial": "for programs that answer a webhook",
    "host/records/store.py:is_intact": "tests of durability call it",
    "runtime/lifecycle.py:mermaid": "writes a diagram of the docs",
    "runtime/*.py:*_table": "writes a table of the docs",
    "workflow/lifecycle.py:mermaid": "writes a diagram of the docs",
    "transports/local.py:connect_tcp": "a public transport",
    "transports/local.py:TcpListener": "a public transport",
    "transports/stdio.py:from_stdio": "a public transport",
}


def unused_code(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield position, kind and `file:name` of each unused definition, with the file relative to `src/uiap`."""
    scan = Vulture()
    scan.scavenge([str(root / "src")])
    for item in scan.get_unused_code(min_confidence=MIN_CONFIDENCE):
        file = Path(item.filename)
        position = f"{file.relative_to(root)}:{item.first_lineno}"
        yield position, item.typ, f"{file.relative_to(root / 'src' / 'uiap')}:{item.name}"


def problems(root: Path, allowed: dict[str, str]) -> Iterator[str]:
    """Yield a line for each unused definition that is not allowed, and for each entry that allows nothing."""
    stale = set(allowed)
    for position, kind, name in unused_code(root):
        matching = {pattern for pattern in allowed if fnmatchcase(name, pattern)}
        stale -= matching
        if not matching:
            yield f"{position}: unused {kind} `{name.partition(':')[2]}`; delete it, or allow it in tools/unused.py"
    for pattern in sorted(stale):
        yield f"tools/unused.py: `{pattern}` allows nothing; delete the entry"


def main(root: Path = ROOT) -> int:
    found = list(problems(root, ALLOWED))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
