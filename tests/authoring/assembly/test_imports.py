"""Imports: namespaced, pinned and filtered, without cycles and without implicit changes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import action, built, codes, manifest, messages, package
from uiap.authoring.assembly.imports import MAX_IMPORTS, Lock


def library(*packages: tuple[str, str, dict[str, str]]) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = {}
    for id, version, files in packages:
        found.setdefault(id, {})[version] = files
    return found


def lib(
    id: str = "lib", version: str = "1.0.0", *manifests: dict[str, Any], **spec: Any
) -> tuple[str, str, dict[str, str]]:
    return id, version, package(*manifests, packageId=id, version=version, app=False, **spec)


def wants(id: str = "lib", wanted: str = "^1", alias: str = "l", **include: Any) -> dict[str, Any]:
    return {
        "packageId": id,
        "versionRange": wanted,
        "alias": alias,
        **({"include": include} if include else {}),
    }


SAVE = manifest("Actions", "actions", {"actions": [action("save")]})


@pytest.mark.requirement("AUTH-4.1b", "AUTH-6")
def test_ids_of_imported_manifests_have_their_alias_and_never_collide_with_local_ids() -> None:
    local = manifest("Actions", "actions", {"actions": [action("open")]})
    result = built(package(local, imports=[wants()]), imports=library(lib("lib", "1.0.0", SAVE)))
    assert result.bundle is not None, messages(result)
    assert result.bundle.manifest_index == ("l:actions", "app.core", "actions")
    assert [a.id for a in result.bundle.actions or ()] == ["open", "save"]


@pytest.mark.requirement("AUTH-4.1b")
def test_a_local_id_that_looks_imported_is_refused() -> None:
    local = manifest("Actions", "l:actions", {"actions": []})
    files = package(local, imports=[wants()])
    files["x.uiap.yaml"] = files.pop("l:actions.uiap.yaml")
    files["package.uiap.yaml"] = files["package.uiap.yaml"].replace("l:actions.uiap.yaml", "x.uiap.yaml")
    assert "id_collision" in codes(built(files, imports=library(lib("lib", "1.0.0", SAVE))))


@pytest.mark.requirement("AUTH-6")
def test_a_repeated_alias_is_refused() -> None:
    files = package(imports=[wants("lib"), wants("lib2")])
    assert "duplicate_alias" in codes(built(files, imports=library(lib("lib"), lib("lib2"))))


@pytest.mark.requirement("AUTH-6c")
@pytest.mark.requirement("AUTH-6")
@pytest.mark.parametrize(
    "change", [{"title": "Another"}, {"risk": {"level": "blocked"}}, {"metadata": {"x": 1}}]
)
def test_a_local_manifest_never_changes_imported_content_implicitly(change: dict[str, Any]) -> None:
    local = manifest("Actions", "mine", {"actions": [action("save", **change)]})
    result = built(package(local, imports=[wants()]), imports=library(lib("lib", "1.0.0", SAVE)))
    (error,) = result.errors
    assert error.code == "implicit_override"
    assert "`l:actions`" in error.message and "`mine`" in error.message


@pytest.mark.requirement("AUTH-6", "AUTH-5.8b")
def test_an_overlay_changes_imported_content_by_its_full_id() -> None:
    patch = {"manifestId": "l:actions", "path": "/spec/actions/0/title", "op": "replace", "value": "Store"}
    named = manifest("Actions", "actions", {"actions": [action("save", title="Save")]})
    overlay = manifest("Overlay", "o", {"selector": {}, "patches": [patch]})
    result = built(package(overlay, imports=[wants()]), imports=library(lib("lib", "1.0.0", named)))
    assert result.bundle is not None, messages(result)
    assert [a.title for a in result.bundle.actions or ()] == ["Store"]
    unqualified = manifest("Overlay", "o", {"selector": {}, "patches": [{**patch, "manifestId": "actions"}]})
    result = built(package(unqualified, imports=[wants()]), imports=library(lib("lib", "1.0.0", named)))
    assert codes(result) == ["unknown_manifest"]


def test_the_highest_version_in_range_is_imported() -> None:
    held = library(lib("lib", "1.2.0"), lib("lib", "1.10.0"), lib("lib", "2.0.0"), lib("lib", "1.11.0-rc"))
    result = built(package(imports=[wants()]), imports=held)
    assert result.lock is not None
    assert [p.version for p in result.lock.packages] == ["1.10.0"]


@pytest.mark.requirement("AUTH-4.1f")
@pytest.mark.parametrize(
    ("held", "code"),
    [(library(), "import_missing"), (library(lib("lib", "2.0.0")), "import_range")],
)
def test_an_import_that_is_not_available_is_an_error(held: Any, code: str) -> None:
    assert codes(built(package(imports=[wants()]), imports=held)) == [code]


def test_a_package_with_another_id_than_in_the_library_is_refused() -> None:
    held = {"lib": {"1.0.0": lib("other", "1.0.0")[2]}}
    assert codes(built(package(imports=[wants()]), imports=held)) == ["import_differs"]


@pytest.mark.requirement("AUTH-4.1e")
@pytest.mark.requirement("AUTH-4.1b")
def test_include_filters_by_kind_and_by_id() -> None:
    texts = manifest("LocalePack", "texts", {"namespaces": {}})
    held = library(lib("lib", "1.0.0", SAVE, texts))
    kinds = built(package(imports=[wants(kinds=["LocalePack"])]), imports=held)
    assert [m.id for m in kinds.manifests] == ["l:texts", "app.core"]
    ids = built(package(imports=[wants(manifestIds=["actions"])]), imports=held)
    assert [m.id for m in ids.manifests] == ["l:actions", "app.core"]
    wrong = built(package(imports=[wants(manifestIds=["actons"])]), imports=held)
    assert codes(wrong) == ["import_filter"]


@pytest.mark.requirement("AUTH-4.1a")
def test_an_app_may_come_from_an_import_but_only_one() -> None:
    app = manifest("App", "app", {"appId": "lib", "displayName": "Lib"})
    held = {"lib": {"1.0.0": package(app, packageId="lib")}}
    alone = built(package(app=False, imports=[wants()]), imports=held)
    assert alone.bundle is not None and alone.bundle.app.app_id == "lib"
    assert codes(built(package(imports=[wants()]), imports=held)) == ["app_count"]


@pytest.mark.requirement("AUTH-6")
@pytest.mark.parametrize("length", [1, 2, 100])
def test_an_import_cycle_is_reported_with_its_packages(length: int) -> None:
    ids = [f"p{n}" for n in range(length)]
    held = library(
        *(lib(id, "1.0.0", imports=[wants(ids[(n + 1) % length], alias="n")]) for n, id in enumerate(ids))
    )
    result = built(package(imports=[wants("p0")]), imports=held)
    (error,) = result.errors
    assert error.code == "import_cycle"
    assert error.message.endswith("imports `p0`")


def test_a_package_that_imports_itself_is_refused() -> None:
    files = package(imports=[wants("shop.uiap")])
    assert codes(built(files, imports={"shop.uiap": {"1.0.0": files}})) == ["import_cycle"]


def test_a_diamond_of_imports_gives_its_content_once() -> None:
    held = library(
        lib("left", "1.0.0", imports=[wants("base", alias="b")]),
        lib("right", "1.0.0", imports=[wants("base", alias="b")]),
        lib("base", "1.0.0", SAVE),
    )
    result = built(package(imports=[wants("left", alias="l"), wants("right", alias="r")]), imports=held)
    assert result.bundle is not None, messages(result)
    assert result.bundle.manifest_index == ("l:b:actions", "r:b:actions", "app.core")
    assert [a.id for a in result.bundle.actions or ()] == ["save"]


def test_nested_diamonds_of_imports_are_limited() -> None:
    levels = [
        lib(f"n{n}", "1.0.0", imports=[wants(f"n{n + 1}", alias="a"), wants(f"n{n + 1}", alias="b")])
        for n in range(30)
    ]
    result = built(package(imports=[wants("n0")]), imports=library(*levels, lib("n30", "1.0.0", SAVE)))
    assert "too_many_imports" in codes(result)
    assert len(result.manifests) <= MAX_IMPORTS


def test_a_lock_pins_version_and_content() -> None:
    files, held = package(imports=[wants()]), library(lib("lib", "1.0.0", SAVE))
    lock = built(files, imports=held).lock
    assert lock is not None
    newer = {"lib": {**held["lib"], **library(lib("lib", "1.1.0", SAVE))["lib"]}}
    again = built(files, imports=newer, lock=lock)
    assert (codes(again), again.lock) == ([], lock)
    changed = library(lib("lib", "1.0.0", manifest("Actions", "actions", {"actions": [action("delete")]})))
    assert codes(built(files, imports=changed, lock=lock)) == ["lock_mismatch"]
    assert codes(built(files, imports=held, lock=Lock()), "warning") == ["not_locked"]


def test_problems_of_an_import_name_its_alias() -> None:
    held = library(lib("lib", "1.0.0", manifest("Actions", "actions", {"actions": [{"id": "x"}]})))
    errors = built(package(imports=[wants()]), imports=held).errors
    assert {(d.file, d.line) for d in errors} == {("l:actions.uiap.yaml", 1)}


def test_hostile_names_inside_an_import_are_refused_before_anything_is_read() -> None:
    id, version, files = lib("lib", "1.0.0", SAVE)
    for name in ("../evil.uiap.yaml", "/abs.uiap.yaml", "ACTIONS.uiap.yaml"):
        result = built(package(imports=[wants()]), imports={id: {version: {**files, name: "a: 1"}}})
        assert codes(result)[0] in ("bad_path", "case_collision"), name
