"""Each breaker names a test that cites the requirement it breaks, and the action runtime has one for each."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.broken.breakers import BREAKERS, Breaker
from uiap.conformance.ledger import find_root, read

ROOT = find_root(Path(__file__).resolve().parent)


def test_every_requirement_of_the_action_runtime_and_of_the_roadmap_has_a_breaker() -> None:
    wanted = [id for id in read(ROOT).requirements if id.startswith(("ACT-", "MDM-"))]
    broken = {breaker.requirement for breaker in BREAKERS.values()}
    assert len(wanted) > 100
    assert [id for id in wanted if id not in broken] == []


@pytest.mark.parametrize("breaker", BREAKERS.values(), ids=BREAKERS)
def test_a_breaker_names_a_test_that_cites_the_broken_requirement(breaker: Breaker) -> None:
    path, _, rest = breaker.test.partition("::")
    tree = _read(path)
    name = rest.partition("[")[0]
    found = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    assert found, f"{path} has no {name}"
    own = [one for mark in found[0].decorator_list for one in _ids(mark)]
    everywhere = [one for node in tree.body if isinstance(node, ast.Assign) for one in _ids(node.value)]
    assert breaker.requirement in own + everywhere, f"{name} cites {own + everywhere}"


def test_a_breaker_names_a_case_that_pytest_finds() -> None:
    named = [one.test for one in BREAKERS.values() if "[" in one.test]
    assert named
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *named]
    found = subprocess.run(collect, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_every_requirement_that_counts_as_broken_has_a_breaker_that_runs() -> None:
    """Two breakers with one name would leave one of them out of `make prove`, and the ledger reads both."""
    ledger = read(ROOT)
    assert ledger.broken & ledger.requirements.keys() == {one.requirement for one in BREAKERS.values()}


def test_every_breaker_still_finds_what_it_breaks() -> None:
    """A breaker that raises proves nothing: its requirement would count as proved without a proof."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:  # the patches stay in the child
        stale = [name for name, breaker in BREAKERS.items() if not _applies(breaker)]
        os.write(writer, ",".join(stale).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        stale = answer.read()
    assert os.waitpid(child, 0)[1] == 0
    assert stale == ""


def _applies(breaker: Breaker) -> bool:
    try:
        breaker.apply()
    except Exception:
        return False
    return True


@cache
def _read(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text("utf-8"))


def _ids(node: ast.expr) -> list[str]:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    cited = [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "requirement"]
    return [
        a.value for one in cited for a in one.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
    ]
