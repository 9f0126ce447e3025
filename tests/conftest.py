"""What every test needs of the interpreter it runs in; what a room needs stands in that room's conftest."""

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


# CPython before 3.11.8 and 3.12.2 counts the depth of `ast.parse` in one place for all calls (gh-106905). A collection
# in the middle of one may run a finaliser whose warning is an error here, and to show its traceback Python parses the
# line: the outer call, pytest rewriting assertions or a test reading source, then fails with `AST constructor
# recursion depth mismatch`. With no collection inside a call nothing else can run inside it.
if sys.version_info < (3, 11, 8) or (3, 12) <= sys.version_info < (3, 12, 2):
    ast.parse = _parse_unbroken  # type: ignore[assignment]
