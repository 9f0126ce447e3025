"""Step 8: check that every reference resolves, on the merged content, so that manifests may refer to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET

from uiap.authoring.assembly.content import Content
from uiap.authoring.diagnostic import Problems
from uiap.authoring.manifest import Manifest
from uiap.spec.authoring import BuildContext
from uiap.spec.capability import PRIMITIVE_ACTIONS, RISK_LEVELS
from uiap.spec.policy import POLICY_EFFECTS
from uiap.workflow.validation import unverified_actions

SECTION_OF = {"route": "routes", "scope": "scopes", "element": "elements", "action": "actions"}

# The kinds that can define an item; if one of them is unreadable, a missing item is not reported.
PROVIDING_KINDS = {
    "route": ("Bindings", "Overlay", "DiscoveryImport"),
    "scope": ("Bindings", "Overlay", "DiscoveryImport"),
    "element": ("Bindings", "Overlay", "DiscoveryImport"),
    "action": ("Actions", "Capabilities", "Overlay", "DiscoveryImport"),
}


def validate_references(
    manifests: Sequence[Manifest], content: Content, context: BuildContext, problems: Problems
) -> None:
    """Report unresolved references: routes, scopes and default actions as errors, others as warnings."""
    here = {kind: content.items[section].keys() for kind, section in SECTION_OF.items()}
    everywhere: dict[str, set[str]] = {}
    described = {a["id"] for a in (content.capabilities or {}).get("actions", ())}
    for manifest in manifests:
        for reference in manifest.facts.references:
            kind, id = reference.kind, reference.id
            if id in here[kind] or (kind == "action" and (id in PRIMITIVE_ACTIONS or id in described)):
                continue
            if kind not in everywhere:  # computed only if something is missing
                everywhere[kind] = _all_ids(manifests, SECTION_OF[kind])
            if id not in everywhere[kind]:
                if (kind == "action" and id.startswith("x.")) or problems.has_unreadable_kind(
                    *PROVIDING_KINDS[kind]
                ):
                    continue
                report = problems.error if reference.severity == "error" else problems.warning
                report("unresolved", f"there is no {kind} `{id}`", manifest.file, reference.pointer)
            else:
                message = f"the {kind} `{id}` is not part of this build context"
                problems.warning("not_in_context", message, manifest.file, reference.pointer)
    if any(r.kind == "action" for m in manifests if m.kind == "Bindings" for r in m.facts.references):
        _check_risks(content, problems)
    _check_workflows(content, problems)
    _check_policies(content, problems)
    _check_context(content, context, problems)


def _all_ids(manifests: Iterable[Manifest], section: str) -> set[str]:
    """Return the ids of a section in all manifests, also those that the context does not select."""
    found: set[str] = set()
    for manifest in manifests:
        found.update(manifest.facts.ids.get(section, ()))
    return found


def _check_risks(content: Content, problems: Problems) -> None:
    # CAP-SEC.3: an element must not declare a lower risk than its default action.
    actions = content.items["actions"]
    for id, item in content.items["elements"].items():
        action = item.value.get("defaultAction")
        if action is None or action not in actions or "risk" not in item.value:
            continue
        levels = item.value["risk"]["level"], actions[action].value["risk"]["level"]
        if RISK_LEVELS.index(levels[0]) < RISK_LEVELS.index(levels[1]):
            message = f"`{id}` is declared {levels[0]}, its default action `{action}` is {levels[1]}"
            problems.warning(
                "risk_laxer_than_evidence", message, item.origins[0].file, "", "the stricter level is used"
            )


def _check_workflows(content: Content, problems: Problems) -> None:
    # A step that is not idempotent should be verified.
    for id, item in content.items["workflows"].items():
        for index, action_id in unverified_actions(item.value["definition"]):
            action = content.items["actions"].get(action_id)
            if (
                action is None
                or action.value.get("idempotency") != "non_idempotent"
                or action.value.get("success")
            ):
                continue
            message = f"step {index + 1} of `{id}` runs `{action_id}` without verification"
            problems.warning("unverified_action", message, item.origins[0].file, "", "add an ensure step")


def _check_policies(content: Content, problems: Problems) -> None:
    # AUTH-5.5: several policies may be active; if their defaults differ, the stricter one wins.
    active = content.items["policies"]
    strictest: dict[str, tuple[str, str]] = {}
    for id, item in active.items():
        for name, effect in item.value["document"]["defaults"].items():
            if effect not in POLICY_EFFECTS:
                continue
            known = strictest.setdefault(name, (effect, id))
            if known[0] != effect:
                stricter = max(known, (effect, id), key=lambda pair: POLICY_EFFECTS.index(pair[0]))
                strictest[name] = stricter
                message = f"`{known[1]}` and `{id}` differ on {name}; the stricter `{stricter[0]}` wins"
                problems.info("policy_conflict", message, item.origins[0].file)


def _check_context(content: Content, context: BuildContext, problems: Problems) -> None:
    """Report context values that the app does not declare; they are probably misspelled."""
    if content.app is None:
        return
    spec: dict[str, Any] = content.app.spec
    known = (
        ("environment", context.environment, [e["id"] for e in spec.get("environments") or ()]),
        ("locale", context.locale, spec.get("supportedLocales") or ()),
        (
            "principal profile",
            context.principal_profile,
            [p["id"] for p in spec.get("principalProfiles") or ()],
        ),
    )
    for name, given, allowed in known:
        if given is not UNSET and allowed and given not in allowed:
            message = f"the app declares no {name} `{given}`"
            problems.warning(
                "unknown_context", message, content.app.file, "/spec", f"declared: {', '.join(allowed)}"
            )
