"""Create the files of a new package: the recommended folders (AUTH-14) with minimal manifests.

It returns texts by path, optionally with an import of a discovery run. The caller writes the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from uiap.authoring.documents.schema import editor_schema
from uiap.authoring.from_discovery.accepted import IMPORT_TARGETS, accepted_by
from uiap.authoring.from_discovery.items import CATALOGS
from uiap.spec.authoring import API_VERSION

SCHEMA_FILE = ".uiap/authoring.schema.json"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def starter_files(
    app_id: str, discovery: Mapping[str, Any] | None = None, discovery_file: str = ""
) -> dict[str, str]:
    """Return the files of a new package for an app, by path."""
    documents = dict(_documents(app_id, discovery))
    if discovery is not None:
        documents["discovery/promoted.uiap.yaml"] = _import(discovery, discovery_file)
    files = {path: yaml_file(path, document) for path, document in documents.items()}
    files["package.uiap.yaml"] = yaml_file("package.uiap.yaml", _package(app_id, documents))
    files[SCHEMA_FILE] = msgspec.json.format(msgspec.json.encode(editor_schema()), indent=1).decode() + "\n"
    return files


def _documents(app_id: str, discovery: Mapping[str, Any] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    app: dict[str, Any] = {
        "appId": app_id,
        "displayName": app_id,
        "defaultLocale": "en",
        "supportedLocales": ["en"],
    }
    if discovery is not None:
        environment = discovery["environment"]
        app["environments"] = [{"id": environment["environmentId"], "baseUrls": [environment["baseUrl"]]}]
    else:
        app["environments"] = [{"id": "dev", "baseUrls": ["http://localhost"]}, {"id": "prod"}]
    policy = {
        "modelVersion": "0.1",
        "id": "policy.default",
        "defaults": {"onUnknownAction": "deny", "onUnknownTarget": "confirm"},
        "rules": [
            {
                "id": "no-billing",
                "match": {"riskTags": ["billing"]},
                "effect": "handoff",
                "handoff": {"reason": "payment"},
            }
        ],
    }
    yield "app.uiap.yaml", _manifest("App", "app.core", app)
    yield "bindings/routes.uiap.yaml", _manifest("Bindings", "bindings.routes", {"routes": [], "scopes": []})
    yield "bindings/elements.uiap.yaml", _manifest("Bindings", "bindings.elements", {"elements": []})
    yield "actions/core.uiap.yaml", _manifest("Actions", "actions.core", {"actions": []})
    yield (
        "policies/default.uiap.yaml",
        _manifest("PolicySet", "policies.default", {"policies": [{"id": "default", "document": policy}]}),
    )
    yield (
        "workflows/onboarding.uiap.yaml",
        _manifest("WorkflowCatalog", "workflows.onboarding", {"workflows": []}),
    )
    yield (
        "locales/common.uiap.yaml",
        _manifest(
            "LocalePack",
            "locales.common",
            {"namespaces": {"common": {"messages": {"ok": {"default": "OK"}}}}},
        ),
    )
    yield (
        "overlays/prod.uiap.yaml",
        _manifest("Overlay", "overlays.prod", {"selector": {"channels": ["prod"]}, "patches": []}),
    )
    yield (
        "reviews/approvals.uiap.yaml",
        _manifest(
            "ReviewSet", "reviews.approvals", {"decisions": list(accepted_by(discovery)), "waivers": []}
        ),
    )


def _manifest(kind: str, id: str, spec: dict[str, Any], source: str = "manual") -> dict[str, Any]:
    metadata = {"id": id, "source": source, "reviewState": "draft"}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def _import(discovery: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Return a DiscoveryImport with one rule for each kind of finding; an author can limit them with `ids`."""
    accept = [
        {"kind": kind, "targetManifestId": target, "mode": mode}
        for kind, (target, mode) in IMPORT_TARGETS.items()
        if (discovery.get(CATALOGS[kind][0]) or {}).get(CATALOGS[kind][1])
    ]
    source = {"runId": discovery["run"]["runId"], "ref": file}
    return _manifest(
        "DiscoveryImport", "discovery.promoted", {"source": source, "accept": accept}, "generated"
    )


def _package(app_id: str, documents: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    spec = {
        "packageId": f"{app_id}.uiap",
        "version": "0.1.0",
        "compatibility": {"uiapCore": ">=0.1 <0.2"},
        "manifests": [
            {"id": document["metadata"]["id"], "kind": document["kind"], "path": path}
            for path, document in documents.items()
        ],
        "publish": {
            "defaultChannel": "dev",
            "channels": [
                {"name": "dev", "requiredReviewState": "draft", "allowWaivers": True},
                {"name": "staging", "requiredReviewState": "in_review", "allowWaivers": True},
                {
                    "name": "prod",
                    "requiredReviewState": "approved",
                    "allowWaivers": False,
                    "forbidGeneratedOnly": True,
                    "requireDigest": True,
                },
            ],
        },
    }
    document = _manifest("Package", f"package.{app_id}", spec)
    document["metadata"]["version"] = "0.1.0"
    return document


def yaml_file(path: str, document: dict[str, Any]) -> str:
    """Return a document as YAML text, with a comment that names the schema for editors."""
    up = "../" * path.count("/")
    return f"# yaml-language-server: $schema={up}{SCHEMA_FILE}\n" + yaml_text(document)


def yaml_text(document: dict[str, Any]) -> str:
    """Return a document as block YAML."""
    return "\n".join(_yaml(document, 0)) + "\n"


def _yaml(value: dict[str, Any], indent: int) -> Iterator[str]:
    """Yield the lines of a document as block YAML; ambiguous values are quoted."""
    for key, item in value.items():
        head = " " * indent + _scalar(key) + ":"
        if isinstance(item, dict) and item:
            yield head
            yield from _yaml(item, indent + 2)
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            yield head
            for entry in item:
                first, *rest = _yaml(entry, indent + 4)
                yield f"{' ' * (indent + 2)}- {first.strip()}"
                yield from rest
        elif isinstance(item, list):
            yield f"{head} [{', '.join(_scalar(entry) for entry in item)}]"
        else:
            yield f"{head} {_scalar(item)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return msgspec.json.encode(value).decode()
