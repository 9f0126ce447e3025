"""Package: the manifest that lists all others. `assembly.package` checks the listed files."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered
from uiap.authoring.paths import path_fault
from uiap.authoring.versions import BadVersion, parse_range, parse_version


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    _version(spec["version"], ("version",), facts)
    compatibility = spec["compatibility"]
    _range(compatibility["uiapCore"], ("compatibility", "uiapCore"), facts)
    for index, extension in numbered(compatibility, "extensions"):
        _range(extension["range"], ("compatibility", "extensions", index, "range"), facts)
    if "web" in compatibility.get("sdk", {}):
        _range(compatibility["sdk"]["web"], ("compatibility", "sdk", "web"), facts)
    _imports(spec, facts)
    _manifests(spec, facts)
    _publish(spec.get("publish") or {}, facts)
    out_dir = (spec.get("build") or {}).get("outDir")
    if out_dir is not None and (fault := path_fault(out_dir)):
        facts.lint("error", "bad_path", ("build", "outDir"), f"`{out_dir}` cannot be written: {fault}")


def _imports(spec: dict[str, Any], facts: FactCollector) -> None:
    aliases: set[str] = set()
    for index, entry in numbered(spec, "imports"):
        _range(entry["versionRange"], ("imports", index, "versionRange"), facts)
        alias = entry["alias"]
        if alias in aliases:
            facts.lint(
                "error",
                "duplicate_alias",
                ("imports", index, "alias"),
                f"the alias `{alias}` is already used",
            )
        if not alias or ":" in alias:
            facts.lint(
                "error",
                "bad_alias",
                ("imports", index, "alias"),
                f"`{alias}` cannot be an alias",
                "use a name without `:`",
            )
        aliases.add(alias)


def _manifests(spec: dict[str, Any], facts: FactCollector) -> None:
    seen: dict[str, set[str]] = {"id": set(), "path": set()}
    for index, entry in numbered(spec, "manifests"):
        for member, values in seen.items():
            if entry[member] in values:
                where = ("manifests", index, member)
                facts.lint("error", "duplicate_id", where, f"the {member} `{entry[member]}` is listed twice")
            values.add(entry[member])
        if ":" in entry["id"]:
            # AUTH-4.1b: ids of imported manifests have the form `alias:id`.
            where = ("manifests", index, "id")
            facts.lint(
                "error", "id_collision", where, f"`{entry['id']}` looks like an imported id", "no `:` in ids"
            )


def _publish(publish: dict[str, Any], facts: FactCollector) -> None:
    names: set[str] = set()
    for index, channel in numbered(publish, "channels"):
        where = ("publish", "channels", index)
        if channel["name"] in names:
            facts.lint("error", "duplicate_id", (*where, "name"), f"channel `{channel['name']}` occurs twice")
        names.add(channel["name"])
        if channel["name"] == "prod":
            _prod(channel, where, facts)
    default = publish.get("defaultChannel")
    if default is not None and default not in names:
        facts.lint(
            "error", "unknown_channel", ("publish", "defaultChannel"), f"no channel `{default}` is declared"
        )


def _prod(channel: dict[str, Any], where: tuple[str | int, ...], facts: FactCollector) -> None:
    # AUTH-9.2: production should require approval and refuse content that is only generated.
    if channel.get("requiredReviewState") != "approved":
        hint = "set requiredReviewState: approved"
        facts.lint("warning", "lenient_prod", where, "channel `prod` does not require approved content", hint)
    if channel.get("forbidGeneratedOnly") is not True:
        hint = "set forbidGeneratedOnly: true"
        facts.lint("warning", "lenient_prod", where, "channel `prod` admits generated content", hint)


def _version(text: str, where: tuple[str | int, ...], facts: FactCollector) -> None:
    try:
        parse_version(text)
    except BadVersion as error:
        facts.lint("error", "bad_version", where, str(error))


def _range(text: str, where: tuple[str | int, ...], facts: FactCollector) -> None:
    try:
        parse_range(text)
    except BadVersion as error:
        facts.lint("error", "bad_range", where, str(error))


KIND = ManifestKind("Package", _inspect)
