"""`uiap open` saves and restores a login, and reports a bad state before it starts a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.videoland import Server, Settings, serving
from tests.cli.conftest import Run
from tests.host.bundles.orders import compiled
from uiap.authoring.bundles.bundle import with_digest
from uiap.cli.open import _rules


@pytest.fixture(scope="module")
def videoland() -> Iterator[Server]:
    with serving(Settings(rows=10, auto_login=True)) as server:
        yield server


@pytest.mark.browser
def test_a_saved_login_is_restored(uiap: Run, videoland: Server, tmp_path: Path):
    begun = uiap("open", f"{videoland.url}/videos?as=admin&lang=en", "--save-state", "login.json")
    assert begun.returncode == 0, begun.stderr
    assert "uiap close" in begun.stdout.splitlines()[-1]
    assert uiap("close").returncode == 0
    state = tmp_path / "login.json"
    assert state.stat().st_mode & 0o077 == 0
    assert json.loads(state.read_text())["cookies"]
    again = uiap("open", f"{videoland.url}/videos?lang=en", "--state", "login.json", "--json")
    assert again.returncode == 0, again.stderr
    shown = uiap("observe").stdout
    uiap("close")
    assert "/login" not in shown.splitlines()[0], shown


def test_an_unreadable_state_is_reported_before_a_browser_starts(uiap: Run, tmp_path: Path):
    missing = uiap("open", "http://localhost:1", "--state", "nowhere.json")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "cannot read the state `nowhere.json`" in missing.stderr


def test_a_level_above_the_ceiling_is_refused_before_a_browser_starts(uiap: Run):
    above = uiap("open", "http://localhost:1", "--autonomy", "trusted", UIAP_AUTONOMY="ask")
    assert above.returncode == 1
    assert "the level `trusted` is above UIAP_AUTONOMY, which allows `ask` at most" in above.stderr
    both = uiap("open", "http://localhost:1", "--autonomy", "ask", "--trusted")
    assert both.returncode == 2 and "choose one" in both.stderr


@pytest.mark.requirement("RUN-5")
def test_a_bundle_for_another_context_is_refused_before_a_browser_starts(uiap: Run, tmp_path: Path):
    built = compiled(environments=[{"id": "staging", "baseUrls": ["http://localhost"]}])
    bundle = {**json.loads(built), "buildContext": {"environment": "staging"}}
    bundle.pop("digest")
    (tmp_path / "b.json").write_bytes(with_digest(bundle))
    given = ("open", "http://localhost:1", "--bundle", "b.json", "--context")
    refused = uiap(*given, "environment=prod")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "built for environment `staging`, this is `prod`" in refused.stderr
    wrong = uiap(*given, "env=prod")
    assert wrong.returncode == 2 and "write KEY=VALUE; keys: profile, tenant" in wrong.stderr


@pytest.mark.parametrize(
    ("autonomy", "policy", "ceiling", "words"),
    [
        (None, None, "", ["--autonomy", "assist"]),
        ("ask", None, "", ["--autonomy", "ask"]),
        (None, None, "observe", ["--autonomy", "observe"]),
        (None, "standard", "", ["--policy"]),
        ("observe", "standard", "", ["--policy", "--autonomy", "observe"]),
    ],
)
def test_a_session_gets_the_rules_that_were_asked_for(
    autonomy: str | None,
    policy: str | None,
    ceiling: str,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("UIAP_AUTONOMY", ceiling)
    given = _rules(autonomy, policy)
    assert [word for word in given if "/" not in word] == words
