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

import click
import pytest
from click.testing import CliRunner

from tests.authoring.folders import PACKAGES, action, discovery_run, folder, manifest, package
from uiap.authoring.canonical import files_digest
from uiap.cli import build, diff, explain, init, publish, validate
from uiap.cli.authoring import BuildOptions, read_folder, run_build, watch
from uiap.cli.registry import HttpRegistry, InvalidRegistry, read_index, read_source, registry_at
from uiap.errors import UiapError, Unavailable
from uiap.spec.authoring import BuildContext

pytestmark = pytest.mark.usefixtures("own_cache")

EXAMPLE, SHARED = PACKAGES / "videoland-example", PACKAGES / "shared-base"
AT = ("--at", "2026-06-01T00:00:00Z")


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(command: click.Command, *arguments: str | Path) -> Ran:
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if isinstance(result.exception, UiapError):
        code = 3 if result.exception.code == "forbidden" else 1
        return Ran(code, result.stdout, result.exception.message)
    if isinstance(result.exception, click.UsageError):
        return Ran(2, result.stdout, str(result.exception))
    if result.exception is not None:
        raise result.exception
    return Ran(result.return_value or 0, result.stdout, result.stderr)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def shop(root: Path, version: str = "1.0.0", *actions: dict[str, Any], **spec: Any) -> Path:
    acts = manifest("Actions", "acts", {"actions": list(actions) or [action("save")]})
    publishing = spec.pop(
        "publish",
        {"channels": [{"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": True}]},
    )
    return write(root / f"v{version}", package(acts, version=version, publish=publishing, **spec))


@pytest.mark.requirement("AUTH-14")
def test_init_creates_the_recommended_folders_and_they_build(tmp_path: Path) -> None:
    made = run(init.command, tmp_path / "uiap", "--app", "shop", "--json").json
    assert set(made["files"]) == {
        ".uiap/authoring.schema.json",
        "package.uiap.yaml",
        "app.uiap.yaml",
        "bindings/routes.uiap.yaml",
        "bindings/elements.uiap.yaml",
        "actions/core.uiap.yaml",
        "policies/default.uiap.yaml",
        "workflows/onboarding.uiap.yaml",
        "locales/common.uiap.yaml",
        "overlays/prod.uiap.yaml",
        "reviews/approvals.uiap.yaml",
    }
    checked = run(validate.command, tmp_path / "uiap", "--json")
    assert (checked.code, checked.json["diagnostics"]) == (0, [])
    assert run(build.command, tmp_path / "uiap").code == 0
    assert run(build.command, tmp_path / "uiap", "--channel", "prod").code == 3


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "app.uiap.yaml").write_text("mine", "utf-8")
    refused = run(init.command, tmp_path)
    assert (refused.code, list(tmp_path.iterdir())) == (1, [tmp_path / "app.uiap.yaml"])
    assert "nothing was written" in refused.err


@pytest.mark.requirement("AUTH-14", "AUTH-5.10")
def test_init_starts_from_a_discovery_run(tmp_path: Path) -> None:
    seen = {"discoveredBy": [], "confidence": "high"}
    found = discovery_run(
        "run 1",
        routes=[{"routeId": "home", "urls": ["http://x/home"], **seen}],
        actions=[{"id": "a.b", "kind": "domain", **seen}],
    )
    (tmp_path / "package.json").write_text(found, "utf-8")
    assert run(init.command, tmp_path / "uiap", "--from-discovery", tmp_path / "package.json").code == 0
    result = run_build(tmp_path / "uiap", BuildOptions(BuildContext()))
    assert result.bundle is not None, result.diagnostics
    assert [r.id for r in result.bundle.bindings.routes] == ["home"]  # type: ignore[union-attr]
    assert "review_needed" in [d.code for d in result.diagnostics]
    (tmp_path / "bad.json").write_text("{}", "utf-8")
    assert run(init.command, tmp_path / "other", "--from-discovery", tmp_path / "bad.json").code == 1


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


def test_build_writes_the_bundle_its_lock_and_nothing_when_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "p", folder("videoland-example"))
    out = tmp_path / "b.json"
    done = run(build.command, root, "--channel", "staging", "--import", SHARED, "--out", out, "--json", *AT)
    assert done.code == 0
    assert json.loads(out.read_bytes())["digest"] == done.json["digest"]
    lock = json.loads((root / "uiap.lock.json").read_bytes())
    assert [p["packageId"] for p in lock["packages"]] == ["uiap.shared.base"]
    other = tmp_path / "prod.json"
    refused = run(build.command, root, "--channel", "prod", "--import", SHARED, "--out", other, "--json", *AT)
    assert (refused.code, other.exists()) == (3, False)
    assert {d["code"] for d in refused.json["diagnostics"] if d["severity"] == "refusal"} == {
        "gate_review_state"
    }


@pytest.mark.requirement("AUTH-8")
def test_build_all_makes_one_bundle_for_each_declared_context(tmp_path: Path) -> None:
    channels = {"channels": [{"name": "dev"}, {"name": "prod", "requiredReviewState": "approved"}]}
    root = shop(tmp_path, publish=channels)
    assert run(build.command, root, "--all").code == 0
    names = ["shop.uiap-dev.bundle.json", "shop.uiap-prod.bundle.json"]
    assert sorted(p.name for p in (root / "dist").iterdir()) == names
    own = shop(
        tmp_path,
        "2.0.0",
        build={"contexts": [{"locale": "de-CH"}, {"channel": "prod", "tenantId": "a/b"}]},
        publish=channels,
    )
    assert [b["ok"] for b in run(build.command, own, "--all", "--json").json] == [True, True]
    assert sorted(p.name for p in (own / "dist").iterdir()) == [
        "shop.uiap-de_CH.bundle.json",
        "shop.uiap-prod-a_b.bundle.json",
    ]
    draft = shop(tmp_path, "3.0.0", publish=channels, state="draft")
    assert run(build.command, draft, "--all").code == 3
    assert run(build.command, draft, "--all", "--out", tmp_path / "x").code == 2


def test_a_lock_is_enforced_until_it_is_updated(tmp_path: Path) -> None:
    root = write(tmp_path / "p", folder("videoland-example"))
    base = write(tmp_path / "base", folder("shared-base"))
    build_it = (root, "--channel", "staging", "--import", base, "--out", tmp_path / "b.json", *AT)
    assert run(build.command, *build_it).code == 0
    actions = base / "actions/core.uiap.yaml"
    actions.write_text(actions.read_text("utf-8").replace("/login", "/bye"), "utf-8")
    assert run(build.command, *build_it).code == 1
    assert run(build.command, *build_it, "--update-lock").code == 0
    assert run(build.command, *build_it).code == 0


def test_build_signs_and_a_rebuild_without_key_leaves_no_stale_signature(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    from uiap.authoring.bundles.signature import TrustedKey, key_id_of, public_key_of, verify

    key = tmp_path / "key"
    key.write_text(bytes(range(32)).hex(), "ascii")
    out = tmp_path / "b.json"
    assert run(build.command, shop(tmp_path), "--out", out, "--sign", key).code == 0
    public = public_key_of(bytes(range(32)))
    trusted = {key_id_of(public): TrustedKey(public_key=public)}
    signature = (tmp_path / "b.json.sig").read_bytes()
    assert verify(out.read_bytes(), signature, trusted, now="2026-06-01T00:00:00Z").version == "1.0.0"
    assert run(build.command, shop(tmp_path), "--out", out).code == 0
    assert not (tmp_path / "b.json.sig").exists()
    key.write_text("zz", "ascii")
    assert run(build.command, shop(tmp_path), "--out", out, "--sign", key).code == 1


@pytest.mark.requirement("AUTH-10")
def test_build_writes_provenance_on_request(tmp_path: Path) -> None:
    origins = tmp_path / "o.json"
    run(build.command, shop(tmp_path), "--out", tmp_path / "b.json", "--provenance", origins)
    assert json.loads(origins.read_bytes())["actions/save"][0]["source"] == "manual"


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


@pytest.mark.requirement("AUTH-9", "AUTH-11")
def test_publish_checks_gates_and_versions_and_never_changes_a_published_version(tmp_path: Path) -> None:
    registry = tmp_path / "registry"
    to = ("--channel", "prod", "--to", registry)
    assert run(publish.command, shop(tmp_path), *to).code == 0
    index = json.loads((registry / "shop.uiap/index.json").read_bytes())
    assert list(index["versions"]) == ["1.0.0"]
    assert run(publish.command, shop(tmp_path), *to, "--json").json["fate"] == "already there"
    changed = run(publish.command, shop(tmp_path, "1.0.0", action("save", title="New")), *to)
    assert (changed.code, "raise the version" in changed.err) == (3, True)
    small = run(publish.command, shop(tmp_path, "1.0.1", action("other")), *to)
    assert (small.code, "use 2.0.0" in small.out) == (3, True)
    assert run(publish.command, shop(tmp_path, "2.0.0", action("other")), *to).code == 0
    older = run(publish.command, shop(tmp_path, "1.5.0", action("other"), action("more")), *to)
    assert older.code == 3
    draft = shop(tmp_path, "3.0.0", action("other"), state="draft")
    assert run(publish.command, draft, *to).code == 3
    assert list(json.loads((registry / "shop.uiap/index.json").read_bytes())["versions"]) == [
        "1.0.0",
        "2.0.0",
    ]


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


def test_explain_uses_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE)
    asked = run(explain.command, "/actions/video.create/risk/level", "--import", SHARED)
    assert asked.code == 0 and "<- decided" in asked.out


def test_explain_answers_with_file_and_line(tmp_path: Path) -> None:
    asked = run(explain.command, EXAMPLE, "/actions/video.create/risk/level", "--import", SHARED)
    assert asked.code == 0
    assert "actions/core.uiap.yaml:17:" in asked.out and "<- decided" in asked.out
    reply = run(
        explain.command, EXAMPLE, "/actions/video.create/risk/level", "--import", SHARED, "--json"
    ).json
    assert reply["value"] == "confirm"
    assert run(explain.command, EXAMPLE, "/nope", "--import", SHARED).code == 1


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


def test_watching_builds_again_when_a_file_changes(tmp_path: Path) -> None:
    pytest.importorskip("watchfiles")
    root = shop(tmp_path)
    stop, seen = threading.Event(), []

    def act() -> None:
        seen.append(run_build(root, BuildOptions(BuildContext())).data)
        if len(seen) > 1:
            stop.set()

    watcher = threading.Thread(target=watch, args=(root, act, stop), daemon=True)
    watcher.start()
    file = root / "acts.uiap.yaml"
    text = file.read_text("utf-8")
    for attempt in range(100):  # the watcher may not be ready for the first edit
        if stop.wait(0.2):
            break
        file.write_text(text.replace("app.save", f"app.keep{attempt}"), "utf-8")
    watcher.join(20)
    assert not watcher.is_alive()
    assert seen[0] != seen[-1]


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
