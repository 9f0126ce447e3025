"""`uiap init`: a package in the recommended folders, empty or from a discovery run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.authoring.folders import discovery_run
from tests.cli.packages import run
from uiap.cli import build, init, validate
from uiap.cli.authoring import BuildOptions, run_build
from uiap.spec.authoring import BuildContext


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
