"""Interpreter settings for every test; each package has its own conftest for the rest."""

from __future__ import annotations

import ast
import functools
import gc
import sys
import threading
from typing import Any

import hypothesis  # noqa: F401 (else its plug-in imports it at the very end, where its own warning is an error)

_parse = ast.parse
_alone = threading.RLock()


@functools.wraps(_parse)
def _parse_unbroken(*arguments: Any, **named: Any) -> ast.AST:
    with _alone:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return _parse(*arguments, **named)
        finally:
            if collecting:
                gc.enable()


# CPython before 3.11.8 and 3.12.2 counts the depth of `ast.parse` in one place for all calls (gh-106905). A garbage
# collection during a call may run a finaliser whose warning is an error here. To show its traceback, Python parses
# the source line, and the outer call then fails with `AST constructor recursion depth mismatch`. Without a collection
# inside a call, no other code can run inside it.
if sys.version_info < (3, 11, 8) or (3, 12) <= sys.version_info < (3, 12, 2):
    ast.parse = _parse_unbroken  # type: ignore[assignment]
