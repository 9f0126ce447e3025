"""The device of these tests, and a session with an application on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.drivers.recorder import Recorder
from tests.support.android_apps import LiveDump, notes
from tests.support.android_bridge import Bridge
from tests.support.android_handset import Handset
from uiap.actions.ops import AnyOp, Guard
from uiap.drivers.android import AndroidDriver
from uiap.drivers.driver import PerformOutcome
from uiap.spec.web import ElementNode, PageGraph

DUMPS = Path(__file__).parents[4] / "shared" / "data" / "android-dumps"


def recorded(name: str) -> str:
    """Return a recorded dump of a real application; skip the test if there are no recordings."""
    import pytest

    path = DUMPS / f"{name}.xml"
    if not path.exists():
        pytest.skip("there are no recorded dumps")
    return path.read_text("utf-8")


def alive(name: str, component: str = "com.example.recorded/.Main", **on: Any) -> LiveDump:
    """Return a recorded screen whose controls react."""
    return LiveDump(recorded(name), component, on)


class Phone:
    """One device behind one adb server; the test sets its screen and its behaviour."""

    def __init__(self, opened: Bridge) -> None:
        self.bridge = opened
        self.handset = Handset(notes())
        self.serial = opened.add(self.handset)

    def reset(self) -> None:
        initial = vars(Handset(notes()))
        preserved = ("_server", "_closed", "_lock", "_log_changed", "folder", "server")
        for name, value in initial.items():
            if name not in preserved:
                setattr(self.handset, name, value)
        self.handset.server.reset()

    @property
    def environ(self) -> dict[str, str]:
        return self.bridge.environ

    def show(self, app: Any) -> str:
        """Put the application on the screen and return its address."""
        package = app.component.partition("/")[0]
        self.handset.app, self.handset.package = app, package
        self.handset.installed.add(package)
        return f"android:{app.component}@{self.serial}"

    def running(self, name: str) -> list[int]:
        """Return the processes of the device that run this program."""
        return self.bridge.running(self.serial, name)

    async def start(self, app: Any, address: str = "", **environ: str) -> Stage:
        default_address, environ = self.show(app), self.environ | environ
        driver, recorder = await AndroidDriver.open(address or default_address, environ=environ), Recorder()
        await driver.start(recorder)
        return Stage(driver, recorder, self.handset)


class Stage:
    """One open session."""

    def __init__(self, driver: AndroidDriver, recorder: Recorder, handset: Handset) -> None:
        self.driver, self.recorder, self.handset = driver, recorder, handset

    async def element(self, name: str, role: str | None = None) -> ElementNode:
        graph = await self.driver.observe()
        matches = [one for one in graph.elements if one.name == name and (role or one.role) == one.role]
        (found,) = [one for one in matches if one.role != "label"] or matches
        return found

    async def guard(self, name: str, role: str | None = None) -> Guard:
        element = await self.element(name, role)
        return Guard(node=element.instance_id, role=element.role, name=name)

    async def perform(self, op: AnyOp) -> PerformOutcome:
        return await self.driver.perform(op)

    async def eventually(self, condition: Callable[[PageGraph], bool]) -> PageGraph:
        async with asyncio.timeout(30):
            while not condition(graph := await self.driver.observe()):
                await asyncio.sleep(0.01)
        return graph


def holds(name: str, member: str, value: object) -> Callable[[PageGraph], bool]:
    return lambda graph: any(
        one.name == name and getattr(one.state, member) == value for one in graph.elements
    )


def texts(graph: PageGraph) -> set[object]:
    return {one.text for one in graph.elements} | {one.name for one in graph.elements}
