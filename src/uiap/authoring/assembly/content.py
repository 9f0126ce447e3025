"""The effective content of a build: the items of every kind, merged and filtered for the context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from uiap.authoring.assembly.merge import ItemFilter, MergedItem, merge_capabilities, merge_items
from uiap.authoring.diagnostic import Problems
from uiap.authoring.manifest import Manifest, Package
from uiap.authoring.selector import any_matches, matches
from uiap.spec.authoring import BuildContext, ManifestSelector
from uiap.spec.capability import RISK_LEVELS

SECTIONS = (
    ("Bindings", "routes"),
    ("Bindings", "scopes"),
    ("Bindings", "elements"),
    ("Actions", "actions"),
    ("PolicySet", "policies"),
    ("WorkflowCatalog", "workflows"),
)


class Content(NamedTuple):
    """The merged content; steps 8 to 10 of a build use it."""

    app: Manifest | None
    capabilities: dict[str, Any] | None
    items: dict[str, dict[str, MergedItem]]  # section -> id -> item


def merge_content(
    package: Package, manifests: Sequence[Manifest], context: BuildContext, problems: Problems
) -> Content:
    """Return the only App, the capabilities, and the items that the context selects."""
    keep: dict[str, ItemFilter] = {
        "actions": lambda item: "selectors" not in item or _any_selected(item["selectors"], context),
        "policies": lambda item: "selector" not in item or _may_be_selected(item["selector"], context),
        "workflows": lambda item: "selector" not in item or _selected(item["selector"], context),
    }
    items = {
        section: merge_items(manifests, kind, section, keep.get(section), problems)
        for kind, section in SECTIONS
    }
    capabilities = merge_capabilities(manifests, problems)
    if capabilities is not None:
        capabilities = _reconcile_risks(capabilities, items["actions"], manifests, problems)
    return Content(_app(package, manifests, problems), capabilities, items)


def _selected(selector: dict[str, Any], context: BuildContext) -> bool:
    return matches(msgspec.convert(selector, ManifestSelector), context)


def _may_be_selected(selector: dict[str, Any], context: BuildContext) -> bool:
    """Return whether a selector matches, apart from tenant and profile that only a session knows (RUN-27)."""
    unknown = {
        member
        for member, given in (
            ("tenantIds", context.tenant_id),
            ("principalProfiles", context.principal_profile),
        )
        if given is UNSET
    }
    return _selected({name: value for name, value in selector.items() if name not in unknown}, context)


def _any_selected(selectors: list[dict[str, Any]], context: BuildContext) -> bool:
    return any_matches(msgspec.convert(selectors, tuple[ManifestSelector, ...]), context)


def _app(package: Package, manifests: Sequence[Manifest], problems: Problems) -> Manifest | None:
    # AUTH-4.1a: exactly one effective App.
    apps = [manifest for manifest in manifests if manifest.kind == "App"]
    if len(apps) == 1:
        return apps[0]
    if not apps and problems.has_unreadable_kind("App"):
        return None
    if not apps:
        message = "the package has no App manifest"
        problems.error(
            "app_count", message, package.manifest.file, "/spec/manifests", "add one, or import one"
        )
    else:
        names = " and ".join(f"`{app.id}` ({app.file})" for app in apps)
        message = f"a package has exactly one App, not {names}"
        problems.error(
            "app_count", message, package.manifest.file, "/spec/manifests", "keep one, and filter the imports"
        )
    return None


def _reconcile_risks(
    capabilities: dict[str, Any],
    actions: dict[str, MergedItem],
    manifests: Sequence[Manifest],
    problems: Problems,
) -> dict[str, Any]:
    """Return the capabilities with the stricter risk where they differ from the actions (AUTH-5.2)."""
    file = next(manifest.file for manifest in manifests if manifest.kind == "Capabilities")
    agreed: list[dict[str, Any]] = []
    for index, described in enumerate(capabilities["actions"]):
        known = actions.get(described["id"])
        if known is not None:
            pointer = f"/spec/document/actions/{index}/risk"
            described = _reconcile_risk(described, known, actions, file, pointer, problems)
        agreed.append(described)
    return {**capabilities, "actions": agreed}


def _reconcile_risk(
    described: dict[str, Any],
    known: MergedItem,
    actions: dict[str, MergedItem],
    file: str,
    pointer: str,
    problems: Problems,
) -> dict[str, Any]:
    id, here, there = described["id"], described["risk"]["level"], known.value["risk"]["level"]
    laxer = RISK_LEVELS.index(here) - RISK_LEVELS.index(there)
    if laxer < 0:
        message = f"`{id}` is {here} here but {there} in `{known.origins[0].id}` ({known.origins[0].file})"
        problems.error("capability_conflict", message, file, pointer, "declare the stricter level")
        return {**described, "risk": known.value["risk"]}
    if laxer > 0:
        message = f"`{id}` is {here} here and {there} in `{known.origins[0].id}`; the stricter level wins"
        problems.warning("capability_conflict", message, file, pointer)
        actions[id] = MergedItem({**known.value, "risk": described["risk"]}, known.origins)
    return described
