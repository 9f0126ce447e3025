"""Packages for tests: read from `packages/`, or made from a few manifests."""

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
    """Return the texts of a package in `packages/`, by path, without the cache that `uiap build` leaves there."""
    root = PACKAGES / name
    files = (p for p in sorted(root.rglob("*")) if p.is_file() and ".uiap" not in p.relative_to(root).parts)
    return {p.relative_to(root).as_posix(): p.read_text("utf-8") for p in files}


def text(document: Mapping[str, Any]) -> str:
    """Return a document as file text; JSON is valid YAML."""
    return msgspec.json.encode(document).decode()


def manifest(
    kind: str, id: str, spec: Any, *, state: str | None = "approved", **metadata: Any
) -> dict[str, Any]:
    head = {"id": id, **metadata}
    if state is not None:
        head["reviewState"] = state
    return {"apiVersion": API, "kind": kind, "metadata": head, "spec": spec}


def package(*manifests: dict[str, Any], **spec: Any) -> dict[str, str]:
    """Return the files of a package of these manifests; an App is added if there is none."""
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


def discovery_run(run_id: str, **catalogs: Any) -> str:
    """Return a discovery package; catalogs by list name: routes=[...], elements=[...], workflows=[...]."""
    counts = "seedsTotal seedsVisited routesDiscovered scopesDiscovered elementsDiscovered actionsDiscovered"
    counts += " workflowCandidatesDiscovered opaqueRegions unresolvedTransitions reviewItems"
    return text(
        {
            "modelVersion": "0.1",
            "spec": "uiap.discovery",
            "run": {"runId": run_id, "startedAt": NOW, "status": "completed", "environmentId": "dev"},
            "environment": {"environmentId": "dev", "baseUrl": "http://localhost"},
            "routeCatalog": {"routes": catalogs.get("routes", [])},
            "scopeCatalog": {"scopes": catalogs.get("scopes", [])},
            "elementCatalog": {"elements": catalogs.get("elements", [])},
            "actionCatalog": {"actions": catalogs.get("actions", [])},
            "transitionGraph": {"states": [], "edges": []},
            "workflowCandidates": {"workflows": catalogs.get("workflows", [])},
            "reviewQueue": {"items": catalogs.get("items", [])},
            "coverage": dict.fromkeys(counts.split(), 0),
        }
    )


def action(id: str, level: str = "safe", **members: Any) -> dict[str, Any]:
    return {
        "id": id,
        "kind": "domain",
        "targetKinds": ["none"],
        "executionModes": ["appAction"],
        "risk": {"level": level},
        "success": [{"kind": "toast.contains", "text": "a"}, {"kind": "status.contains", "text": "b"}],
        "implementation": {"kind": "sdkHandler", "ref": f"app.{id}"},
        **members,
    }


def workflow(id: str, **members: Any) -> dict[str, Any]:
    definition = {
        "id": id,
        "version": "1.0.0",
        "title": "T",
        "category": "task",
        "startMode": "manual",
        "interactionModes": ["guide", "assist"],
        "initialStepId": "a",
        "steps": [{"id": "a", "type": "instruction", "text": "x"}, {"id": "z", "type": "complete"}],
    }
    return {"definition": {**definition, **members}}


def policy(id: str, **members: Any) -> dict[str, Any]:
    return {"id": id, "document": {"modelVersion": "0.1", "id": f"p.{id}", "defaults": {}, **members}}
