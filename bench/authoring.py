"""The authoring compiler at size: cold builds of growing packages, and a rebuild after one edit.

Prints seconds and the ratio to a floor measured in the same run: parsing the same texts with the YAML parser alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import ryaml

from uiap.authoring import Built
from uiap.authoring.documents import Cache
from uiap.cli.authoring import Options, run_build
from uiap.spec.authoring import BuildContext

API = "uiap.authoring/v0.1"
SIZES = ((125, 50), (250, 50), (500, 50), (1_000, 50))


def package(manifests: int, items: int) -> dict[str, str]:
    """`manifests` binding files of `items` elements each, in block YAML as people write it."""
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
    built = run_build(folder, Options(BuildContext()), cache)
    assert built.data, [str(d) for d in built.diagnostics[:5]]
    return built


def measure(manifests: int, items: int) -> dict[str, float]:
    """From the folder to the bytes of the bundle, as the command does it."""
    files = package(manifests, items)
    cache: Cache = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        floor, _ = timed(lambda: [ryaml.loads(text) for text in files.values()])
        cold, first = timed(lambda: _build(folder, cache))
        edited = folder / "bindings/m0.uiap.yaml"
        edited.write_text(edited.read_text("utf-8").replace("Button 0", "Knob 0"), "utf-8")
        again, second = timed(lambda: _build(folder, cache))
    assert first.data != second.data
    return {
        "manifests": manifests,
        "items": manifests * items,
        "floor": floor,
        "cold": cold,
        "rebuild": again,
    }


def main() -> int:
    print("authoring: seconds of one core (floor = the YAML parser alone on the same texts)")
    print(
        f"{'manifests':>9} {'items':>7} {'floor':>7} {'cold':>7} {'x floor':>8} {'us/item':>8} {'rebuild':>8}"
    )
    for manifests, items in SIZES:
        row = measure(manifests, items)
        print(
            f"{manifests:>9,} {row['items']:>7,.0f} {row['floor']:>7.2f} {row['cold']:>7.2f} "
            f"{row['cold'] / row['floor']:>8.2f} {row['cold'] / row['items'] * 1e6:>8.1f} {row['rebuild']:>8.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
