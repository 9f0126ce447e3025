"""`uiap build`: bundles, locks, signatures and provenance."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from tests.authoring.folders import folder
from tests.cli.packages import SHARED, run, shop, write
from uiap.cli import build
from uiap.cli.authoring import BuildOptions, run_build, watch
from uiap.spec.authoring import BuildContext

AT = ("--at", "2026-06-01T00:00:00Z")


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
    assert json.loads(origins.read_bytes())["actions/cart.save"][0]["source"] == "manual"


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
        file.write_text(text.replace("app.cart.save", f"app.keep{attempt}"), "utf-8")
    watcher.join(20)
    assert not watcher.is_alive()
    assert seen[0] != seen[-1]
