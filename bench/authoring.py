"""Measure the authoring compiler: cold builds of growing packages, and a rebuild after one edit.

Prints seconds and the ratio to a floor measured in the same run: parsing the same texts with the YAML parser
alone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import ryaml

from uiap.authoring import Built
from uiap.authoring.documents.document import Cache
from uiap.cli.authoring import BuildOptions, run_build
from uiap.spec.authoring import BuildContext

SUMMARY = "authoring compiler: cold builds of up to 50,000 items, and a rebuild after one edit"
API = "uiap.authoring/v0.1"
SIZES = ((125, 50), (250, 50), (500, 50), (1_000, 50))


def package(manifests: int, items: int) -> dict[str, str]:
    """Return `manifests` binding files with `items` elements each, in block YAML as people write it."""
    listed = [{"id": "app.core", "kind": "App", "path": "app.uiap.yaml"}]
    files = {
        "app.uiap.yaml": _document("App", "app.core", "  appId: shop\n  displayName: Shop\n"),
        "routes.uiap.yaml": _document("Bindings", "routes", _routes()),
    }
    listed.append({"id": "routes", "kind": "Bindings", "path": "routes.uiap.yaml"})
    for number in range(manifests):
        path = f"bindings/m{number}.uiap.yaml"
        files[path] = _document("Bindings", f"m{number}", _elements(number, items))
        listed.append({"id": f"m{number}", "kind": "Bindings", "path": path})
    spec = {
        "packageId": "shop.uiap",
        "version": "1.0.0",
        "compatibility": {"uiapCore": ">=0.1 <0.2"},
        "manifests": listed,
    }
    head = {"id": "package", "version": "1.0.0"}
    root = {"apiVersion": API, "kind": "Package", "metadata": head, "spec": spec}
    files["package.uiap.yaml"] = msgspec.json.encode(root).decode()
    return files


def _elements(number: int, items: int) -> str:
    return "  elements:\n" + "".join(_element(f"el.{number}.{n}", n) for n in range(items))


def _document(kind: str, id: str, spec: str) -> str:
    return f"apiVersion: {API}\nkind: {kind}\nmetadata:\n  id: {id}\n  reviewState: approved\nspec:\n{spec}"


def _routes() -> str:
    match = "\n      match:\n        - kind: path\n          value: /r/"
    routes = "".join(f"    - id: r.{n}{match}{n}\n" for n in range(7))
    scopes = "".join(f"    - id: s.{n}\n      kind: form\n" for n in range(10))
    return f"  routes:\n{routes}  scopes:\n{scopes}"


def _element(id: str, n: int) -> str:
    return f"""    - id: {id}
      scopeId: s.{n % 10}
      routeIds: [r.{n % 7}]
      role: button
      name: Button {n}
      meaning: shop.thing
      match:
        - by: annotation
          attr: data-uiap-id
          value: {id}
        - by: semantic
          role: button
          name: Button {n}
      risk: confirm
      success:
        - kind: route.changed
          pattern: /thing/:id
"""


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    value = act()
    return time.process_time() - start, value


def _build(folder: Path, cache: Cache) -> Built:
    built = run_build(folder, BuildOptions(BuildContext()), cache)
    assert built.data, [str(d) for d in built.diagnostics[:5]]
    return built


def measure(manifests: int, items: int) -> dict[str, float]:
    """Measure from the folder to the bytes of the bundle, as the command does."""
    files = package(manifests, items)
    cache: Cache = {}
    with TemporaryDirectory() as name, TemporaryDirectory() as home:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        floor, _ = timed(lambda: [ryaml.loads(text) for text in files.values()])
        cold, first = timed(lambda: _build(folder, cache))
        edited = folder / "bindings/m0.uiap.yaml"
        edited.write_text(edited.read_text("utf-8").replace("Button 0", "Knob 0"), "utf-8")
        again, second = timed(lambda: _build(folder, cache))
        command = measure_command(folder, Path(home))
    assert first.data != second.data
    return {
        "manifests": manifests,
        "items": manifests * items,
        "floor": floor,
        "cold": cold,
        "rebuild": again,
        "command": command,
    }


def measure_command(folder: Path, home: Path) -> float:
    """Return the processor time of `uiap build` after one edit: a new process with a document cache on disk."""
    env = {**os.environ, "UIAP_HOME": str(home)}
    command = [sys.executable, "-m", "uiap.cli.main", "build", str(folder), "--out", str(home / "out.json")]
    spent: list[float] = []
    for number in range(4):
        edited = folder / "bindings/m0.uiap.yaml"
        edited.write_text(
            re.sub(r"(?:Button|Knob[0-9]*) 0", f"Knob{number} 0", edited.read_text("utf-8")), "utf-8"
        )
        before = os.times()
        subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        spent.append(
            after.children_user + after.children_system - before.children_user - before.children_system
        )
    return min(spent[1:])  # the first run fills the cache


def run() -> bool:
    """Return whether a cold build takes less than 5 s, a rebuild less than 500 ms, and growth is linear."""
    print("authoring: seconds of one core (floor = the YAML parser alone on the same texts)")
    names = ("manifests", "items", "floor", "cold", "x floor", "us/item", "rebuild", "command")
    print(" ".join(f"{name:>{width}}" for name, width in zip(names, (9, 7, 7, 7, 8, 8, 8, 8), strict=True)))
    rows = []
    for manifests, items in SIZES:
        row = measure(manifests, items)
        rows.append(row)
        print(
            f"{manifests:>9,} {row['items']:>7,.0f} {row['floor']:>7.2f} {row['cold']:>7.2f} "
            f"{row['cold'] / row['floor']:>8.2f} {row['cold'] / row['items'] * 1e6:>8.1f} {row['rebuild']:>8.3f} "
            f"{row['command']:>8.3f}"
        )
    largest, smallest = rows[-1], rows[0]
    growth = (largest["cold"] / largest["items"]) / (smallest["cold"] / smallest["items"])
    print(
        f"cost of an item, largest to smallest package: {growth:.2f}; `rebuild` is --watch, `command` a new process"
    )
    return largest["cold"] < 5 and largest["rebuild"] < 0.5 and growth < 1.5


if __name__ == "__main__":
    sys.exit(0 if run() else 1)
