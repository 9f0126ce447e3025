"""Package: the one manifest that names all others. What it refers to is checked where files are at hand."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered
from uiap.authoring.paths import path_fault
from uiap.authoring.versions import BadVersion, parse_range, parse_version


def _inspect(spec: dict[str, Any], notes: FactCollector) -> None:
    _version(spec["version"], ("version",), notes)
    compatibility = spec["compatibility"]
    _range(compatibility["uiapCore"], ("compatibility", "uiapCore"), notes)
    for index, extension in numbered(compatibility, "extensions"):
        _range(extension["range"], ("compatibility", "extensions", index, "range"), notes)
    if "web" in compatibility.get("sdk", {}):
        _range(compatibility["sdk"]["web"], ("compatibility", "sdk", "web"), notes)
    _imports(spec, notes)
    _manifests(spec, notes)
    _publish(spec.get("publish") or {}, notes)
    out_dir = (spec.get("build") or {}).get("outDir")
    if out_dir is not None and (fault := path_fault(out_dir)):
        notes.lint("error", "bad_path", ("build", "outDir"), f"nothing is written to `{out_dir}`: {fault}")


def _imports(spec: dict[str, Any], notes: FactCollector) -> None:
    aliases: set[str] = set()
    for index, entry in numbered(spec, "imports"):
        _range(entry["versionRange"], ("imports", index, "versionRange"), notes)
        alias = entry["alias"]
        if alias in aliases:
            notes.lint(
                "error", "duplicate_alias", ("imports", index, "alias"), f"the alias `{alias}` is taken"
            )
        if not alias or ":" in alias:
            notes.lint(
                "error", "bad_alias", ("imports", index, "alias"), f"`{alias}` cannot be an alias", "no `:`"
            )
        aliases.add(alias)


def _manifests(spec: dict[str, Any], notes: FactCollector) -> None:
    seen: dict[str, set[str]] = {"id": set(), "path": set()}
    for index, entry in numbered(spec, "manifests"):
        for member, values in seen.items():
            if entry[member] in values:
                where = ("manifests", index, member)
                notes.lint("error", "duplicate_id", where, f"the {member} `{entry[member]}` is listed twice")
            values.add(entry[member])
        if ":" in entry["id"]:
            # AUTH-4.1b: `alias:id` is the space of imported manifests.
            where = ("manifests", index, "id")
            notes.lint(
                "error", "id_collision", where, f"`{entry['id']}` looks like an imported id", "no `:` in ids"
            )


def _publish(publish: dict[str, Any], notes: FactCollector) -> None:
    names: set[str] = set()
    for index, channel in numbered(publish, "channels"):
        where = ("publish", "channels", index)
        if channel["name"] in names:
            notes.lint("error", "duplicate_id", (*where, "name"), f"channel `{channel['name']}` stands twice")
        names.add(channel["name"])
        if channel["name"] == "prod":
            _prod(channel, where, notes)
    default = publish.get("defaultChannel")
    if default is not None and default not in names:
        notes.lint(
            "error", "unknown_channel", ("publish", "defaultChannel"), f"no channel `{default}` is declared"
        )


def _prod(channel: dict[str, Any], where: tuple[str | int, ...], notes: FactCollector) -> None:
    # AUTH-9.2: production should ask for approval and for more than generated content.
    if channel.get("requiredReviewState") != "approved":
        hint = "set requiredReviewState: approved"
        notes.lint("warning", "lenient_prod", where, "channel `prod` does not ask for approved content", hint)
    if channel.get("forbidGeneratedOnly") is not True:
        hint = "set forbidGeneratedOnly: true"
        notes.lint("warning", "lenient_prod", where, "channel `prod` lets generated content through", hint)


def _version(text: str, where: tuple[str | int, ...], notes: FactCollector) -> None:
    try:
        parse_version(text)
    except BadVersion as error:
        notes.lint("error", "bad_version", where, str(error))


def _range(text: str, where: tuple[str | int, ...], notes: FactCollector) -> None:
    try:
        parse_range(text)
    except BadVersion as error:
        notes.lint("error", "bad_range", where, str(error))


KIND = ManifestKind("Package", _inspect)
