"""Packages for tests: read from the folders beside this file, or made from a few words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from uiap.authoring import Built, build
from uiap.spec.authoring import BuildContext

PACKAGES = Path(__file__).parent / "packages"
NOW = "2026-06-01T00:00:00Z"
API = "uiap.authoring/v0.1"


def folder(name: str) -> dict[str, str]:
    """The texts of one package, by path."""
    root = PACKAGES / name
    return {
        p.relative_to(root).as_posix(): p.read_text("utf-8") for p in sorted(root.rglob("*")) if p.is_file()
    }


def text(document: Mapping[str, Any]) -> str:
    """A document as a file would hold it; JSON is YAML."""
    return msgspec.json.encode(document).decode()


def manifest(
    kind: str, id: str, spec: Any, *, state: str | None = "approved", **metadata: Any
) -> dict[str, Any]:
    head = {"id": id, **metadata}
    if state is not None:
        head["reviewState"] = state
    return {"apiVersion": API, "kind": kind, "metadata": head, "spec": spec}


def package(*manifests: dict[str, Any], **spec: Any) -> dict[str, str]:
    """A package of these manifests, with an App unless they bring one."""
    listed = list(manifests)
    if spec.pop("app", True) and not any(m["kind"] == "App" for m in listed):
        listed.insert(0, manifest("App", "app.core", {"appId": "shop", "displayName": "Shop"}))
    version, state = spec.pop("version", "1.0.0"), spec.pop("state", "approved")
    root = {
        "packageId": spec.pop("packageId", "shop.uiap"),
        "version": version,
        "compatibility": spec.pop("compatibility", {"uiapCore": ">=0.1 <0.2"}),
        "manifests": [
            {"id": m["metadata"]["id"], "kind": m["kind"], "path": f"{m['metadata']['id']}.uiap.yaml"}
            for m in listed
        ],
        **spec,
    }
    files = {f"{m['metadata']['id']}.uiap.yaml": text(m) for m in listed}
    files["package.uiap.yaml"] = text(manifest("Package", "package", root, state=state, version=version))
    return files


def built(files: Mapping[str, str | bytes], *, now: str = NOW, imports: Any = None, **options: Any) -> Built:
    """Build with a context from keywords: built(files, channel="prod", locale="de")."""
    kept = {name: options.pop(name) for name in ("lock", "discovery", "cache") if name in options}
    return build(files, context=BuildContext(**options), now=now, imports=imports, **kept)


def codes(result: Built, *severities: str) -> list[str]:
    wanted = severities or ("error",)
    return [d.code for d in result.diagnostics if d.severity in wanted]


def messages(result: Built) -> str:
    return "\n".join(map(str, result.diagnostics))
