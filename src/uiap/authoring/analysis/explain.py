"""Explain a value of a bundle: the file, import, overlay, discovery run or locale pack that set it.

The last step decides the value. It works on a finished build; array items are named by index or by item id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from uiap.authoring.build import Built
from uiap.authoring.documents.position import SourceMap
from uiap.authoring.kinds import KINDS
from uiap.authoring.manifest import Manifest
from uiap.authoring.pointer import MISSING, BadPointer, Tokens, covers, find, get, parse, render
from uiap.spec.base import Struct

# bundle member (three of them below `bindings`) -> kind of the manifests that have this section
SECTIONS = {
    "routes": "Bindings",
    "scopes": "Bindings",
    "elements": "Bindings",
    "actions": "Actions",
    "policies": "PolicySet",
    "workflows": "WorkflowCatalog",
}


class ExplanationStep(Struct):
    """One manifest or change that set a value."""

    by: Literal["manifest", "import", "overlay", "discovery", "locale", "package", "context", "computed"]
    manifest_id: str = ""
    file: str = ""
    pointer: str = ""
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    note: str = ""


class Explanation(Struct):
    pointer: str
    value: Any
    steps: tuple[ExplanationStep, ...]


def explain(built: Built, pointer: str) -> Explanation:
    """Return the steps that led to a value; raise BadPointer if the bundle has no such value."""
    if not built.preview or built.package is None:
        raise BadPointer("there is no bundle to explain; fix the errors of the package first")
    bundle = msgspec.json.decode(built.preview)
    tokens = _with_indices(parse(pointer), bundle)
    value = get(bundle, tokens)
    return Explanation(
        pointer=render(tokens),
        value=value,
        steps=tuple(_with_position(built, step) for step in _steps(built, tokens, bundle)),
    )


def _with_indices(tokens: Tokens, bundle: Any) -> Tokens:
    """Replace item ids by indices: `/actions/video.create/risk` -> `/actions/0/risk`."""
    found: list[str] = []
    value = bundle
    for token in tokens:
        if isinstance(value, list) and not token.isdigit():
            token = next(
                (str(i) for i, v in enumerate(value) if isinstance(v, dict) and v.get("id") == token), token
            )
        value = get(value, (token,))
        found.append(token)
    return tuple(found)


def _steps(built: Built, tokens: Tokens, bundle: Any) -> Iterator[ExplanationStep]:
    assert built.package is not None and built.content is not None
    head = tokens[0] if tokens else ""
    inner = tokens[1:] if head == "bindings" else tokens
    package = built.package.manifest
    if inner and inner[0] in SECTIONS and len(inner) > 1:
        id = find(bundle, tokens[: len(tokens) - len(inner) + 2])["id"]
        yield from _item_steps(built, inner[0], id, inner[2:])
    elif head == "app" and built.content.app is not None:
        yield from _document_steps(built.content.app, ("spec", *tokens[1:]))
    elif head == "capabilities":
        for manifest in built.manifests:
            if manifest.kind == "Capabilities":
                yield from _document_steps(manifest, ("spec", "document", *tokens[1:]))
    elif head == "locales" and len(tokens) > 1:
        yield from _locale_steps(built, tokens[1])
    elif head in ("packageId", "version", "compatibility"):
        yield ExplanationStep(
            by="package", manifest_id=package.id, file=package.file, pointer=render(("spec", *tokens))
        )
    elif head == "buildContext":
        yield ExplanationStep(by="context", note="given to the build, or the default channel of the package")
    else:
        yield ExplanationStep(by="computed", file=package.file, note="computed by the build")


def _item_steps(built: Built, section: str, id: str, rest: Tokens) -> Iterator[ExplanationStep]:
    assert built.content is not None
    item = built.content.items[section][id]
    inside = ("definition", *rest) if section == "workflows" else rest
    for origin in item.origins:
        manifest = next(m for m in built.manifests if m.id == origin.id)
        yield from _source_step(manifest, section, id, inside)
        for change in manifest.changes:
            of_item = (change.section, change.item_id) == (section, id) and _overlap(change.rest, inside)
            of_section = not change.item_id and covers(change.rest, ("spec", section))
            if of_item or of_section:
                note = f"{change.op} (run {change.run})" if change.run else change.op
                yield ExplanationStep(
                    by=change.by,
                    manifest_id=change.manifest_id,
                    file=change.file,
                    pointer=change.pointer,
                    note=note,
                )
        yield from _text_step(built, manifest, section, id, inside)


def _overlap(left: Tokens, right: Tokens) -> bool:
    """Return whether one pointer contains the other."""
    return covers(left, right) or covers(right, left)


def _source_step(manifest: Manifest, section: str, id: str, inside: Tokens) -> Iterator[ExplanationStep]:
    """Yield the file of a manifest that has the item, if it has the member at `inside` or the parent of it."""
    at = _index(manifest.source, manifest.kind, section, id)
    if at is None:
        return
    tokens = ("spec", section, str(at), *inside)
    parent = tokens[:-1]
    if any(find(manifest.source, pointer) is not MISSING for pointer in (tokens, parent)):
        yield _from_file(manifest, tokens)


def _text_step(
    built: Built, manifest: Manifest, section: str, id: str, inside: Tokens
) -> Iterator[ExplanationStep]:
    """Yield the locale pack of a text that was a reference."""
    at = _index(manifest.source, manifest.kind, section, id)
    if at is None:
        return
    for end in range(1, len(inside) + 1):
        text = find(manifest.source, ("spec", section, str(at), *inside[:end]))
        if isinstance(text, dict) and isinstance(text.get("ref"), str):
            yield from _locale_steps(built, text["ref"])
            return


def _locale_steps(built: Built, reference: str) -> Iterator[ExplanationStep]:
    for manifest in built.manifests:
        if manifest.kind != "LocalePack":
            continue
        for namespace, body in manifest.spec["namespaces"].items():
            key = reference.removeprefix(f"{namespace}.")
            if key != reference and key in body["messages"]:
                pointer = render(("spec", "namespaces", namespace, "messages", key))
                yield ExplanationStep(
                    by="locale", manifest_id=manifest.id, file=manifest.file, pointer=pointer, note=reference
                )


def _document_steps(manifest: Manifest, tokens: Tokens) -> Iterator[ExplanationStep]:
    if find(manifest.source, tokens) is not MISSING:
        yield _from_file(manifest, tokens)
    for change in manifest.changes:
        if _overlap(change.rest, tokens):
            yield ExplanationStep(
                by=change.by,
                manifest_id=change.manifest_id,
                file=change.file,
                pointer=change.pointer,
                note=change.op,
            )


def _from_file(manifest: Manifest, tokens: Tokens) -> ExplanationStep:
    origin = manifest.origin
    note = f"{origin.package_id} {origin.version}" if origin.imported else ""
    return ExplanationStep(
        by="import" if origin.imported else "manifest",
        manifest_id=manifest.id,
        file=manifest.file,
        pointer=render(tokens),
        note=note,
    )


def _index(document: dict[str, Any], kind: str, section: str, id: str) -> int | None:
    described = KINDS[kind].section(section)
    assert described is not None
    items = document["spec"].get(section) or ()
    return next((i for i, item in enumerate(items) if described.id_of(item) == id), None)


def _with_position(built: Built, step: ExplanationStep) -> ExplanationStep:
    """Return the step with line and column, if its file is part of the build."""
    for package in built.packages:
        alias = package.origin.alias
        name = step.file.removeprefix(f"{alias}:") if alias else step.file
        if name in package.files and (not alias or name != step.file):
            content = package.files[name]
            text = content if isinstance(content, str) else content.decode(errors="replace")
            position = SourceMap(text).position(parse(step.pointer))
            if position is not None:
                return msgspec.structs.replace(step, line=position.line, column=position.column)
    return step
