"""How each mode of signing in brings a run into the application."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from uiap.api.discovery_browser import BrowserPageProvider, sign_in_problem
from uiap.api.discovery_options import DiscoveryOptions, Principal, environment
from uiap.discovery.plan.plan import RunPlan, RunTerms
from uiap.errors import Unavailable
from uiap.spec.web import PageGraph, RouteInfo


class RecordedPage:
    """A page and its driver that record what signing in does."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.errors: dict[str, Any] = {}
        """Name of a control to the error of the step on it."""
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
        return SimpleNamespace(error=None)

    async def act(self, **step: Any) -> Any:
        self.done.append(f"act {step['name']}")
        return SimpleNamespace(error=self.errors.get(step["name"]))


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


@pytest.mark.requirement("DISC-8.5d")
async def test_a_failing_sign_in_names_the_step_and_the_reason_without_the_entered_value() -> None:
    page = RecordedPage()
    page.errors["Sign in"] = SimpleNamespace(code="target_not_found", message="no button `Sign in` is there")
    steps = (
        {"action": "ui.enterText", "role": "textbox", "name": "Password", "args": {"text": "canary-9f3"}},
        {"action": "ui.activate", "role": "button", "name": "Sign in"},
    )
    who = Principal(id="admin", url="/login", steps=steps)
    plan = RunPlan(RunTerms(run_id="r", environment=environment("http://app.test/", principals=[who])))
    provider = BrowserPageProvider(plan, DiscoveryOptions(principals=[who]))
    with pytest.raises(Unavailable) as raised:
        await provider._sign_in(page, page, who)  # type: ignore[arg-type]
    assert str(raised.value) == (
        "signing in `admin` failed at step 2 of 2 (ui.activate on button `Sign in`): no button `Sign in` is there"
    )
    assert "canary" not in sign_in_problem(who, 1, "it is disabled")
    assert "could not be opened" in sign_in_problem(who, 0, "it does not answer")
