"""The authoring commands, run as a shell would run them, with real folders and a real static server."""

from __future__ import annotations

import functools
import http.server
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.authoring.folders import action, folder, manifest, package
from tests.cli.packages import SHARED, run, shop, write
from uiap.authoring.canonical import files_digest
from uiap.cli import build, diff, publish, validate
from uiap.cli.authoring import read_folder
from uiap.cli.registry import HttpRegistry, InvalidRegistry, read_index, read_source, registry_at
from uiap.errors import Unavailable

pytestmark = pytest.mark.usefixtures("own_cache")


def test_validate_reports_all_problems_with_positions_and_exits_with_1(tmp_path: Path) -> None:
    files = folder("videoland-example")
    files["actions/core.uiap.yaml"] = files["actions/core.uiap.yaml"].replace(
        "level: confirm", "level: confrm"
    )
    files["app.uiap.yaml"] = files["app.uiap.yaml"].replace("displayName", "displayNam")
    checked = run(validate.command, write(tmp_path, files), "--import", SHARED, "--json")
    assert checked.code == 1
    places = {
        (d["file"], d["line"], d["column"], d["pointer"], d["code"])
        for d in checked.json["diagnostics"]
        if d["severity"] == "error"
    }
    assert places >= {
        ("actions/core.uiap.yaml", 17, 15, "/spec/actions/0/risk/level", "unknown_word"),
        ("app.uiap.yaml", 9, 3, "/spec/displayNam", "unknown_member"),
    }
    words = run(validate.command, tmp_path, "--import", SHARED)
    assert "did you mean `confirm`?" in words.err
    assert "errors" in words.err.splitlines()[-1]


@pytest.mark.requirement("AUTH-11")
def test_diff_refuses_a_version_step_that_is_too_small(tmp_path: Path) -> None:
    for version, name in (("1.0.0", "save"), ("1.0.1", "store"), ("2.0.0", "store")):
        run(build.command, shop(tmp_path, version, action(name)), "--out", tmp_path / f"{version}.json")
    small = run(diff.command, tmp_path / "1.0.0.json", tmp_path / "1.0.1.json")
    assert small.code == 3
    assert "use 2.0.0" in small.out
    fine = run(diff.command, tmp_path / "1.0.0.json", tmp_path / "2.0.0.json", "--json")
    assert (fine.code, fine.json["needed"]) == (0, "major")
    edited = tmp_path / "edited.json"
    edited.write_bytes((tmp_path / "2.0.0.json").read_bytes().replace(b"Shop", b"Shup"))
    assert run(diff.command, tmp_path / "1.0.0.json", edited).code == 1


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Serve a registry folder over HTTP on loopback."""
    root = tmp_path / "registry"
    root.mkdir()
    handler = functools.partial(_Quiet, directory=str(root))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", root
    server.shutdown()
    thread.join(10)
    server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.mark.requirement("AUTH-4.1b")
def test_imports_come_from_a_registry_folder_and_from_the_same_folder_over_http(
    tmp_path: Path, served: tuple[str, Path]
) -> None:
    url, root = served
    app = manifest("App", "app", {"appId": "lib", "displayName": "L"})
    lib = package(
        app,
        manifest("Actions", "acts", {"actions": [action("lib")]}),
        packageId="lib",
        publish={"channels": [{"name": "prod"}]},
    )
    assert run(publish.command, write(tmp_path / "lib", lib), "--channel", "prod", "--to", root).code == 0
    wanted = {"packageId": "lib", "versionRange": "^1", "alias": "l", "include": {"kinds": ["Actions"]}}
    user = write(tmp_path / "user", package(packageId="user", imports=[wanted]))
    digests = set()
    for registry in (str(root), url):
        done = run(build.command, user, "--registry", registry, "--out", tmp_path / "b.json", "--json")
        assert done.code == 0, done.out
        digests.add(done.json["digest"])
    assert len(digests) == 1
    assert run(build.command, user, "--out", tmp_path / "b.json").code == 1


def test_a_registry_with_wrong_content_is_refused(tmp_path: Path, served: tuple[str, Path]) -> None:
    url, root = served
    write(
        root,
        {"lib/index.json": json.dumps({"packageId": "lib", "versions": {"1.0.0": {"digest": "sha256:0"}}})},
    )
    index = read_index(registry_at(url), "lib")
    assert index is not None
    with pytest.raises(InvalidRegistry, match="does not hold"):
        read_source(registry_at(url), index, "1.0.0")
    write(root, {"lib/1.0.0/source.json": json.dumps({"package.uiap.yaml": "x"})})
    with pytest.raises(InvalidRegistry, match="does not match its digest in the index"):
        read_source(registry_at(str(root)), index, "1.0.0")
    write(root, {"lib/index.json": "[]", "other/index.json": json.dumps({"packageId": "lib"})})
    for name in ("lib", "other", "../lib", "a/b"):
        with pytest.raises(InvalidRegistry):
            read_index(HttpRegistry(url), name)
    assert read_index(registry_at(url), "nobody") is None


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize(
    "name",
    ["../evil.uiap.yaml", "/abs.uiap.yaml", "a/../../b.uiap.yaml", "PACKAGE.uiap.yaml", "C:\\x.uiap.yaml"],
)
def test_a_published_source_with_hostile_names_is_refused_before_any_use(tmp_path: Path, name: str) -> None:
    """A package is published as one JSON object of texts, so zip-slip attacks are bad names."""
    files = {**package(packageId="lib", app=False), name: "x: 1"}
    release = {"digest": files_digest(files), "bundles": {}}
    write(
        tmp_path / "r",
        {
            "lib/index.json": json.dumps({"packageId": "lib", "versions": {"1.0.0": release}}),
            "lib/1.0.0/source.json": json.dumps(files),
        },
    )
    wanted = {"packageId": "lib", "versionRange": "*", "alias": "l"}
    user = write(tmp_path / "user", package(packageId="user", imports=[wanted]))
    before = sorted(tmp_path.rglob("*"))
    done = run(build.command, user, "--registry", tmp_path / "r", "--out", tmp_path / "b.json", "--json")
    assert done.code == 1
    assert {d["code"] for d in done.json["diagnostics"] if d["severity"] == "error"} <= {
        "bad_path",
        "case_collision",
    }
    assert sorted(tmp_path.rglob("*")) == before


def test_unreachable_registries_are_reported_in_one_sentence(tmp_path: Path) -> None:
    user = write(tmp_path, package(imports=[{"packageId": "lib", "versionRange": "*", "alias": "l"}]))
    for where in ("http://127.0.0.1:9", "ftp://x", str(tmp_path / "nowhere")):
        failed = run(build.command, user, "--registry", where, "--out", tmp_path / "b.json")
        assert failed.code == 1 and len(failed.err.splitlines()) == 1


@pytest.mark.requirement("AUTH-SEC.1")
def test_links_inside_a_package_are_refused_and_not_followed(tmp_path: Path) -> None:
    root = shop(tmp_path)
    (tmp_path / "secret.uiap.yaml").write_text("password: topsecret", "utf-8")
    (root / "link.uiap.yaml").symlink_to(tmp_path / "secret.uiap.yaml")
    (root / "folder").symlink_to(tmp_path)
    read = read_folder(root)
    assert [f.file for f in read.faults] == ["folder", "link.uiap.yaml"]
    checked = run(validate.command, root, "--json")
    assert checked.code == 1
    assert [d["code"] for d in checked.json["diagnostics"]] == ["link", "link"]
    assert "topsecret" not in checked.out


@pytest.mark.requirement("AUTH-SEC.1")
def test_a_huge_file_is_refused_without_reading_it_completely(tmp_path: Path) -> None:
    root = shop(tmp_path)
    with (root / "huge.uiap.yaml").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    assert max(map(len, read_folder(root).files.values())) < 2 * 1024 * 1024
    codes = [d["code"] for d in run(validate.command, root, "--json").json["diagnostics"]]
    assert codes == ["file_too_large"]


def test_a_fifo_in_a_package_does_not_hang_the_reader(tmp_path: Path) -> None:
    root = shop(tmp_path)
    os.mkfifo(root / "pipe.uiap.yaml")
    assert "pipe.uiap.yaml" not in read_folder(root).files


def test_missing_folders_and_unknown_channels_are_reported(tmp_path: Path) -> None:
    assert run(validate.command, tmp_path / "nowhere").code == 1
    assert run(build.command, tmp_path, "--channel", "production").code == 2
    assert run(publish.command, tmp_path).code == 2
    assert run(validate.command, tmp_path, "--at", "yesterday").code == 2
    with pytest.raises(Unavailable):
        read_folder(tmp_path / "nowhere")


@pytest.mark.requirement("AUTH-SEC.3")
def test_authoring_imports_no_driver_and_no_network_code() -> None:
    """The packages below import neither drivers nor sockets."""
    import subprocess
    import sys

    code = "import uiap.authoring.build, uiap.authoring.analysis.diff, uiap.authoring.analysis.explain, sys;"
    code += "far = ('asyncio', 'ssl', 'http', 'httpx', 'websockets', 'uiap.drivers', 'uiap.transports', 'uiap.cli');"
    code += "print([m for m in sys.modules if m in far])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_problems_of_a_broken_package_fit_one_screen(tmp_path: Path) -> None:
    files = folder("videoland-example")
    for name, right, wrong in (
        ("app.uiap.yaml", "displayName", "displayNam"),
        ("actions/core.uiap.yaml", "level: confirm", "level: confrm"),
        ("bindings/elements.uiap.yaml", "scopeId: video.form", "scopeId: video.from"),
        ("workflows/onboarding.uiap.yaml", "next: done", "next: dnoe"),
        ("locales/common.uiap.yaml", "route:", "workflow:"),
        ("policies/default.uiap.yaml", "kind: PolicySet", "kind: !!python/object PolicySet"),
    ):
        assert right in files[name]
        files[name] = files[name].replace(right, wrong, 1)
    shown = run(validate.command, write(tmp_path, files), "--import", SHARED).err.splitlines()
    assert len(shown) <= 30, "\n".join(shown)
    words = "\n".join(shown)
    for file in (
        "app.uiap.yaml",
        "actions/core",
        "workflows/onboarding",
        "locales/common",
        "policies/default",
    ):
        assert file in words
    assert "occurs twice" in words and "a tag (`!`)" in words and "there is no step `dnoe`" in words
