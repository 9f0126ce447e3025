"""How each mode of signing in brings a run into the application."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from uiap.api.discovery_browser import BrowserPageProvider
from uiap.api.discovery_options import DiscoveryOptions, Principal, environment
from uiap.discovery.plan.plan import RunPlan, RunTerms
from uiap.spec.web import PageGraph, RouteInfo


class RecordedPage:
    """A page and its driver that record what signing in does."""

    def __init__(self) -> None:
        self.done: list[str] = []
        storage = SimpleNamespace(load=self._load)
        driver = SimpleNamespace(storage=storage, observe=self._observe)
        self.page = SimpleNamespace(driver=driver)

    async def _load(self, state: Any) -> None:
        self.done.append(f"load {state['cookies']}")

    async def _observe(self) -> PageGraph:
        return PageGraph(
            model_version="0.1", profile="web@0.1", revision="r", seq=1, captured_at="2026-01-01T00:00:00.000Z",
            route=RouteInfo(url="http://app.test/"), documents=(), scopes=(), elements=(),
        )  # fmt: skip

    async def navigate(self, url: str) -> Any:
        self.done.append(f"navigate {url}")
        return SimpleNamespace(check=lambda: None)

    async def act(self, **step: Any) -> Any:
        self.done.append(f"act {step['name']}")
        return SimpleNamespace(error=None, check=lambda: None)


@contextmanager
def saved_login(folder: Path) -> Iterator[Path]:
    path = folder / "login.json"
    path.write_text('{"cookies": ["sid"], "origins": []}')
    yield path


@pytest.mark.requirement("DISC-8.5d")
async def test_each_mode_of_signing_in_brings_the_run_into_the_application_in_its_own_way(
    tmp_path: Path,
) -> None:
    waited: list[str] = []

    async def ready(principal: Principal) -> None:
        waited.append(principal.id)

    steps = ({"action": "ui.enterText", "role": "textbox", "name": "Email"},)
    with saved_login(tmp_path) as state:
        people = {
            "seeded": Principal(id="a", url="/login", steps=steps),
            "session_reuse": Principal(id="b", storage_state=state),
            "manual": Principal(id="c", manual=True),
        }
        done = {}
        for mode, principal in people.items():
            asked = environment("http://app.test/", principals=[principal])
            assert asked.auth_mode == mode
            plan = RunPlan(RunTerms(run_id="r", environment=asked))
            page = RecordedPage()
            provider = BrowserPageProvider(plan, DiscoveryOptions(principals=[principal], ready=ready))
            notes = await provider._sign_in(page, page, principal)  # type: ignore[arg-type]
            assert principal.id in notes[0]
            done[mode] = page.done
    assert done == {
        "seeded": ["navigate http://app.test/login", "act Email"],
        "session_reuse": ["load ['sid']"],
        "manual": ["navigate http://app.test/"],
    }
    assert waited == ["c"]
