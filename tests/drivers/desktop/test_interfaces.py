"""A desktop application through the MCP server and the session server: only allowed applications are opened."""

from __future__ import annotations

from pathlib import Path

import pytest

import uiap
from uiap import settings
from uiap.drivers.address import check_allowed, is_application
from uiap.errors import Forbidden
from uiap.host.sessions.session_folder import SessionFolder
from uiap.mcp_server.session import AgentSession, OwnBrowserOptions, own_browser
from uiap.mcp_server.tool_calls import ToolCalls
from uiap.server.app import ServerOptions, serve

ALLOWED = ("desktop:galculator",)
TWELVE = {"kind": "value.equals", "value": "12", "role": "textarea"}


@pytest.fixture
def environ_settings(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> settings.Settings:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("UIAP_HOME", str(Path(environ["HOME"]) / "uiap"))
    return settings.read()


def test_only_named_applications_are_allowed_and_a_star_is_a_wildcard():
    assert is_application("desktop:galculator") and is_application("android:com.example")
    assert not is_application("http://desktop:80/")
    assert check_allowed("android:com.example@5554", ("android:*",))
    for address in ("desktop:galculator --help", "desktop:sh -c id", "android:com.example"):
        with pytest.raises(Forbidden, match="may not be opened here; allowed are desktop:galc"):
            check_allowed(address, ALLOWED)


async def test_agent_uses_an_allowed_application_by_mcp_tools_and_opens_no_other(
    environ_settings: settings.Settings,
):
    options = OwnBrowserOptions(
        settings=environ_settings,
        folder=SessionFolder(environ_settings.runtime, "mcp-desk"),
        rules="trusted",
        applications=ALLOWED,
    )
    calls = ToolCalls(AgentSession(own_browser(options), approve="uiap approve"))
    try:
        refused = await calls.call("open", {"url": "desktop:zenity --info"})
        assert (refused.ok, refused.code) == (False, "forbidden")
        opened = await calls.call("open", {"url": "desktop:galculator"})
        assert opened.ok and "galculator" in opened.untrusted["page"]
        pressed = {"kind": "element.state", "state": {"focused": True}, "role": "button", "name": "+"}
        for key, expected in {"7": [], "+": [pressed], "5": [], "=": [TWELVE]}.items():
            done = await calls.call(
                "act", {"do": "ui.activate", "role": "button", "name": key, "expect": expected}
            )
            assert done.ok and done.say == "done, and the effect was observed", key
        assert (await calls.call("screenshot", {})).image
    finally:
        await calls.close()


async def test_client_of_a_server_opens_an_allowed_application(environ_settings: settings.Settings):
    options = ServerOptions(applications=ALLOWED, store=False)
    async with serve(options, environ_settings) as running:
        address = running.listener.websocket_url
        async with uiap.connect(address, application="desktop:galculator") as ui:
            assert (await ui.observe()).payload.profile == "x.uiap.desktop@0.1"
            assert (await ui.find("7", role="button"))[0].name == "7"
        with pytest.raises(Forbidden):
            await uiap.connect(address, application="desktop:zenity --info")
