"""`uiap publish`: gates and versions are checked, and a published version never changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.authoring.folders import action
from tests.cli.packages import run, shop
from uiap.cli import publish


@pytest.mark.requirement("AUTH-9", "AUTH-11")
def test_publish_checks_gates_and_versions_and_never_changes_a_published_version(tmp_path: Path) -> None:
    registry = tmp_path / "registry"
    to = ("--channel", "prod", "--to", registry)
    assert run(publish.command, shop(tmp_path), *to).code == 0
    index = json.loads((registry / "shop.uiap/index.json").read_bytes())
    assert list(index["versions"]) == ["1.0.0"]
    assert run(publish.command, shop(tmp_path), *to, "--json").json["fate"] == "already there"
    changed = run(publish.command, shop(tmp_path, "1.0.0", action("cart.save", title="New")), *to)
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
