"""Check that content uses only what the App and the Capabilities of the package declare (AUTH-5.1b, AUTH-5.2b)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from uiap.authoring.assembly.content import Content
from uiap.authoring.diagnostic import Problems
from uiap.authoring.manifest import Manifest
from uiap.spec.capability import PRIMITIVE_ACTIONS

_SELECTED = (
    ("environments", "environment", "environments"),
    ("locales", "locale", "supportedLocales"),
    ("principalProfiles", "principal profile", "principalProfiles"),
)
"""The member of a selector, its name in words, and the member of the App that declares its values."""
SIGNAL_MEMBERS = ("success", "successSignals", "signals")


class UsedWord(NamedTuple):
    """A word that content uses, and the member of a capability document that should declare it."""

    member: str
    word: str
    manifest: Manifest
    pointer: str


def check_selectors(
    package: Manifest, manifests: Sequence[Manifest], content: Content, problems: Problems
) -> None:
    """Report selectors that name an environment, locale or principal profile which the App does not declare."""
    if content.app is None:
        return
    declared = {member: _declared(content.app.spec, of_app) for member, _, of_app in _SELECTED}
    for manifest in (package, *manifests):
        for selector, pointer in _selectors(manifest.spec, "/spec"):
            for member, name, _ in _SELECTED:
                known = declared[member]
                for value in selector.get(member) or () if known else ():
                    if value not in known:
                        message = f"a selector names the {name} `{value}`, which the app does not declare"
                        hint = f"declared: {', '.join(known)}"
                        problems.warning(
                            "unknown_selector", message, manifest.file, f"{pointer}/{member}", hint
                        )


def check_hints(manifests: Sequence[Manifest], profile: str, problems: Problems) -> None:
    """Report css and xpath hints in a bundle that is not for the web: nothing evaluates them there (RUN-18)."""
    if profile.startswith("web@"):
        return
    for manifest in manifests:
        for at, element in enumerate(
            manifest.spec.get("elements") or () if manifest.kind == "Bindings" else ()
        ):
            if any(one.get("by") == "runtimeHint" for one in element["match"]):
                message = f"the matcher `runtimeHint` of `{element['id']}` finds nothing on `{profile}`"
                pointer = f"/spec/elements/{at}/match"
                problems.warning(
                    "matcher_without_effect", message, manifest.file, pointer, "use a semantic matcher"
                )


def _declared(spec: dict[str, Any], member: str) -> list[str]:
    return [one["id"] if isinstance(one, dict) else one for one in spec.get(member) or ()]


def _selectors(value: Any, pointer: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every selector in a spec with its pointer."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _selectors(item, f"{pointer}/{index}")
    elif isinstance(value, dict):
        for name, item in value.items():
            at = f"{pointer}/{name}"
            if name == "selector" and isinstance(item, dict):
                yield item, at
            elif name == "selectors" and isinstance(item, list):
                yield from ((one, f"{at}/{index}") for index, one in enumerate(item))
            else:
                yield from _selectors(item, at)


def check_capabilities(manifests: Sequence[Manifest], content: Content, problems: Problems) -> None:
    """Report words that Bindings or Actions use and an authored capability document lacks."""
    document = content.capabilities
    if document is None:
        return
    known = {name: set(document.get(name) or ()) for name in ("roles", "affordances", "successSignalKinds")}
    known["actions"] = {one["id"] for one in document["actions"]} | set(PRIMITIVE_ACTIONS)
    reported: set[tuple[str, str]] = set()
    for used in _used_words(manifests):
        if used.word in known[used.member] or (used.member, used.word) in reported:
            continue
        reported.add((used.member, used.word))
        message = f"`{used.word}` is used here, and the capabilities do not declare it in `{used.member}`"
        hint = "add it to the Capabilities manifest"
        problems.warning("not_in_capabilities", message, used.manifest.file, used.pointer, hint)


def _used_words(manifests: Sequence[Manifest]) -> Iterator[UsedWord]:
    for manifest in manifests:
        if manifest.kind == "Bindings":
            yield from _of_bindings(manifest)
        elif manifest.kind in ("Actions", "Capabilities"):
            yield from _of_actions(manifest)


def _of_bindings(manifest: Manifest) -> Iterator[UsedWord]:
    for index, element in enumerate(manifest.spec.get("elements") or ()):
        at = f"/spec/elements/{index}"
        if "role" in element:
            yield UsedWord("roles", element["role"], manifest, f"{at}/role")
        if "defaultAction" in element:
            yield UsedWord("actions", element["defaultAction"], manifest, f"{at}/defaultAction")
        yield from _signal_words(element, manifest, at)
    for index, route in enumerate(manifest.spec.get("routes") or ()):
        yield from _signal_words(route, manifest, f"/spec/routes/{index}")


def _of_actions(manifest: Manifest) -> Iterator[UsedWord]:
    is_document = manifest.kind == "Capabilities"
    actions = manifest.spec["document"]["actions"] if is_document else manifest.spec["actions"]
    for index, action in enumerate(actions):
        at = f"/spec/{'document/' if is_document else ''}actions/{index}"
        if not is_document:
            yield UsedWord("actions", action["id"], manifest, f"{at}/id")
        for word in action.get("requiredAffordances") or ():
            yield UsedWord("affordances", word, manifest, f"{at}/requiredAffordances")
        yield from _signal_words(action, manifest, at)


def _signal_words(item: dict[str, Any], manifest: Manifest, at: str) -> Iterator[UsedWord]:
    for member in SIGNAL_MEMBERS:
        for signal in item.get(member) or ():
            yield UsedWord("successSignalKinds", signal["kind"], manifest, f"{at}/{member}")
