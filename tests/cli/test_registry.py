"""Hostile registries: names, links, sizes and repetitions are refused before any use.

A package is published as one JSON object of texts, so there is no archive to unpack.
"""

from __future__ import annotations

import gzip
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.authoring.bad_paths import BAD
from tests.authoring.folders import built, codes, manifest, package
from uiap.authoring.canonical import files_digest
from uiap.cli import registry
from uiap.cli.registry import (
    FolderRegistry,
    HttpRegistry,
    InvalidRegistry,
    PackageIndex,
    PackageLibrary,
    PackageRelease,
    read_index,
    read_source,
)
from uiap.errors import Unavailable

pytestmark = pytest.mark.usefixtures("own_cache")

WANTED = {"packageId": "lib", "versionRange": "*", "alias": "l"}
SOUND = package(packageId="lib", app=False)


def shelf(root: Path, files: dict[str, str], text: str | None = None) -> PackageLibrary:
    """Return a registry folder that lists these files as `lib` 1.0.0, with a matching index."""
    release = {"digest": files_digest(files), "bundles": {}}
    (root / "lib/1.0.0").mkdir(parents=True)
    (root / "lib/index.json").write_text(json.dumps({"packageId": "lib", "versions": {"1.0.0": release}}))
    (root / "lib/1.0.0/source.json").write_text(json.dumps(files) if text is None else text)
    return PackageLibrary({}, (FolderRegistry(root),))


def taken(shelves: PackageLibrary) -> list[str]:
    return codes(built(package(packageId="user", imports=[WANTED]), imports=shelves))


def test_a_valid_package_is_imported(tmp_path: Path) -> None:
    assert taken(shelf(tmp_path, SOUND)) == []


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("name", BAD)
def test_a_name_that_leads_outside_is_refused_before_any_use(tmp_path: Path, name: str) -> None:
    shelves = shelf(tmp_path / "r", {**SOUND, name: "x: 1"})
    before = sorted(tmp_path.rglob("*"))
    assert "bad_path" in taken(shelves)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("name", ["PACKAGE.uiap.yaml", "Package.UIAP.yaml"])
def test_two_names_for_one_file_on_some_systems_are_refused(tmp_path: Path, name: str) -> None:
    assert "case_collision" in taken(shelf(tmp_path, {**SOUND, name: "x: 1"}))


@pytest.mark.requirement("AUTH-SEC.1")
def test_a_file_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    """Two JSON parsers could choose different ones."""
    harmless = json.dumps(SOUND["package.uiap.yaml"])
    text = f'{{"package.uiap.yaml": "x", "package.uiap.yaml": {harmless}}}'
    with pytest.raises(InvalidRegistry, match="twice"):
        taken(shelf(tmp_path, SOUND, text))


@pytest.mark.requirement("AUTH-SEC.1")
def test_more_than_ten_thousand_files_are_refused(tmp_path: Path) -> None:
    many = {**SOUND, **{f"f{n}.json": "{}" for n in range(registry.MAX_FILES)}}
    with pytest.raises(InvalidRegistry, match="more than 10,000 files"):
        taken(shelf(tmp_path, many))


@pytest.mark.requirement("AUTH-SEC.1")
def test_more_than_a_hundred_megabytes_are_refused(tmp_path: Path) -> None:
    shelves = shelf(tmp_path, SOUND)
    with (tmp_path / "lib/1.0.0/source.json").open("wb") as file:
        file.truncate(registry.MAX_BYTES + 1)  # a sparse file, so nothing is written
    with pytest.raises(InvalidRegistry, match="larger than"):
        taken(shelves)


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("link", ["lib/1.0.0/source.json", "lib/index.json", "lib/1.0.0", "lib"])
def test_a_link_out_of_the_registry_is_not_followed(tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    shelf(outside, SOUND)
    shelves = shelf(tmp_path / "r", SOUND)
    inside = tmp_path / "r" / link
    inside.rename(tmp_path / "gone")
    inside.symlink_to(outside / link)
    with pytest.raises(InvalidRegistry, match="link to a file outside"):
        taken(shelves)


@pytest.mark.parametrize("text", ["[]", '{"a": 1}', '{"a": ', "", "[" * 100_000])
def test_a_source_that_is_not_an_object_of_texts_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidRegistry, match="damaged"):
        taken(shelf(tmp_path, SOUND, text))


@pytest.mark.parametrize("id", ["../lib", "a/b", "/lib", "..", "lib\\x", "C:", "nul"])
def test_a_package_id_never_becomes_a_path(tmp_path: Path, id: str) -> None:
    with pytest.raises(InvalidRegistry):
        read_index(FolderRegistry(tmp_path), id)


def test_a_version_never_becomes_a_path(tmp_path: Path) -> None:
    """Only valid versions are requested, so a name with `..` never is."""
    (tmp_path / "lib").mkdir()
    versions = {"../../x": {"digest": "sha256:0"}}
    (tmp_path / "lib/index.json").write_text(json.dumps({"packageId": "lib", "versions": versions}))
    assert taken(PackageLibrary({}, (FolderRegistry(tmp_path),))) == ["import_range"]


# -- over HTTP --------------------------------------------------------------------------------------------------


class _Bad(http.server.BaseHTTPRequestHandler):
    """Answers with invalid responses."""

    def do_GET(self) -> None:
        kind = self.path.strip("/").partition("/")[0]
        body = b"0" * 1_000_000
        if kind == "gzip":
            body = gzip.compress(body * 50)
        self.send_response({"redirect": 302, "error": 500}.get(kind, 200))
        if kind == "gzip":
            self.send_header("Content-Encoding", "gzip")
        if kind == "redirect":
            self.send_header("Location", "http://127.0.0.1:9/")
        if kind != "endless":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            for _ in range(1_000 if kind == "endless" else 1):
                self.wfile.write(body)
        except OSError:
            pass  # the client closed the connection

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def bad() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Bad)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [
        ("gzip", InvalidRegistry, "compressed"),
        ("endless", InvalidRegistry, "larger than"),
        ("redirect", Unavailable, "302"),
        ("error", Unavailable, "500"),
    ],
)
def test_a_hostile_server_is_refused_in_bounded_time_and_memory(
    bad: str, kind: str, error: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MAX_BYTES", 10_000_000)
    with pytest.raises(error, match=words):
        HttpRegistry(f"{bad}/{kind}").read("lib/index.json")


def test_a_source_that_differs_from_its_index_is_refused(tmp_path: Path) -> None:
    shelf(tmp_path, SOUND)
    index = PackageIndex(package_id="lib", versions={"1.0.0": PackageRelease(digest="sha256:0")})
    with pytest.raises(InvalidRegistry, match="does not match its digest in the index"):
        read_source(FolderRegistry(tmp_path), index, "1.0.0")


def test_imported_manifests_have_the_same_checks_as_local_ones(tmp_path: Path) -> None:
    acts = manifest("Actions", "acts", {"actions": [{"id": "x"}]})
    assert taken(shelf(tmp_path, package(acts, packageId="lib", app=False)))
