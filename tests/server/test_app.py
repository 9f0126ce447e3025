"""The protocol server over WebSocket and HTTP, with real browsers."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from pathlib import Path

import httpx
import pytest

import uiap
from apps.videoland import Server
from tests.host.bundles.test_bundle import DATA, KEY, compiled, written
from tests.server.conftest import AGENT, LOCAL, OTHER, PERSON
from uiap import settings
from uiap.authoring.bundles.signature import public_key_of
from uiap.cli.main import main
from uiap.errors import Busy, Forbidden, Timeout, TransportClosed, Unauthorized, Unavailable
from uiap.host.bundles.bundle import BundleNotApplicable, open_app_bundle
from uiap.server.app import RunningServer, ServerOptions, serve
from uiap.server.session_pool import SessionDefaults
from uiap.server.tokens import Tokens

pytestmark = pytest.mark.browser


def videos(server: Server) -> int:
    with urllib.request.urlopen(f"{server.url}/__truth", timeout=10) as answer:
        return int(json.load(answer)["videos"])


async def read_metrics(running: RunningServer) -> dict[str, float]:
    async with httpx.AsyncClient(trust_env=False) as client:
        got = await client.get(
            f"{running.listener.address}/metrics", headers={"Authorization": f"Bearer {AGENT}"}
        )
    assert got.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in got.text.splitlines() if line[0] != "#")
    }


@pytest.mark.requirement("ACT-SEC.2")
async def test_sessions_are_isolated_and_a_person_answers_only_for_their_agent(
    videoland: Server, config: settings.Settings, tokens: Tokens
):
    before = videos(videoland)
    async with serve(ServerOptions(tokens=tokens, allow=LOCAL, browsers=1), config) as running:
        url, http = running.listener.websocket_url, running.listener.address
        async with uiap.connect(url, token=AGENT) as bot, uiap.connect(http, token=OTHER) as rival:
            await bot.navigate(f"{videoland.url}/videos/new?as=admin&lang=en")
            arrived = await rival.navigate(f"{videoland.url}/videos?lang=en")
            assert arrived, arrived
            assert "/login" in (await rival.observe()).url  # the session has no cookie of the bot
            await bot.act("ui.enterText", stable_id="video.title", args={"text": "Served"})
            asked: asyncio.Queue[object] = asyncio.Queue()
            bot.on_confirmation(asked.put_nowait)
            pressed = asyncio.create_task(bot.act("ui.activate", role="button", name="Create video"))
            async with asyncio.timeout(60):
                await asked.get()
            (question,) = await bot.pending()
            assert await rival.pending() == ()
            await bot.grant(question.action_handle)
            await rival.grant(question.action_handle)
            assert await bot.pending() == (question,)  # neither answer had an effect
            async with uiap.connect(url, token=PERSON) as person:
                assert await person.pending() == (question,)
                await person.grant(question.action_handle)
                async with asyncio.timeout(60):
                    assert (await pressed).ok
                assert await person.pending() == ()
            metrics = await read_metrics(running)
            assert (metrics["uiap_sessions"], metrics["uiap_contexts"], metrics["uiap_browsers"]) == (2, 2, 1)
            assert metrics['uiap_messages_total{type="action.request"}'] == 4
        assert videos(videoland) == before + 1


async def test_a_full_server_is_busy_until_a_session_ends(config: settings.Settings, tokens: Tokens):
    async with serve(ServerOptions(tokens=tokens, allow=LOCAL, browsers=1, contexts=1), config) as running:
        url = running.listener.websocket_url
        async with uiap.connect(url, token=AGENT) as first:
            await first.observe()
            with pytest.raises(Busy, match="too many sessions"):
                await uiap.connect(url, token=OTHER)
        async with uiap.connect(url, token=OTHER) as second:
            assert (await second.observe()).url == "about:blank"


async def test_a_dead_browser_ends_its_sessions_and_the_next_session_gets_a_new_one(
    videoland: Server, config: settings.Settings, tokens: Tokens
):
    async with serve(ServerOptions(tokens=tokens, allow=LOCAL, browsers=1), config) as running:
        url = running.listener.websocket_url
        async with uiap.connect(url, token=AGENT) as ui:
            await ui.navigate(f"{videoland.url}/login")
            running.pool.browsers[0].process.kill()
            with pytest.raises((TransportClosed, Timeout, uiap.UiapError)):
                async with asyncio.timeout(60):
                    while True:
                        await ui.observe()
        async with uiap.connect(url, token=AGENT) as again:
            assert await again.navigate(f"{videoland.url}/login")
        assert running.pool.launched == 2


async def test_browsers_are_recycled_and_every_session_has_the_bundle(
    config: settings.Settings, tokens: Tokens, tmp_path: Path
):
    at = [{"id": "dev", "baseUrls": ["http://localhost"]}]
    file = written(tmp_path, compiled(environments=at))
    bundle = open_app_bundle(file, trust=public_key_of(KEY))
    options = ServerOptions(
        tokens=tokens, allow=LOCAL, browsers=1, recycle=2, session_defaults=SessionDefaults(bundle=bundle)
    )
    async with serve(options, config) as running:
        for _ in range(3):
            async with uiap.connect(running.listener.websocket_url, token=AGENT) as ui:
                served = await ui.bundle()
                assert served.bundle and served.bundle["packageId"] == bundle.content.package_id
                assert served.signed_by == bundle.signed_by
        assert running.pool.launched == 2


def test_a_bundle_is_verified_before_the_server_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = written(tmp_path, compiled(), key=None)
    for command in ("serve", "mcp"):
        for words, code in (
            (["--bundle", str(file), "--trust", public_key_of(KEY)], 3),
            (["--bundle", str(tmp_path / "nowhere.json")], 1),
            (["--trust", public_key_of(KEY)], 2),
        ):
            assert main([command, *words]) == code
    assert "signed" in capsys.readouterr().err
    with pytest.raises(BundleNotApplicable, match="names no origin"):
        open_app_bundle(written(tmp_path, DATA))


async def test_stopping_finishes_every_action_and_ends_every_session(
    videoland: Server, config: settings.Settings, tokens: Tokens
):
    async with serve(ServerOptions(tokens=tokens, allow=LOCAL, browsers=1), config) as running:
        ui = await uiap.connect(running.listener.websocket_url, token=AGENT)
        await ui.navigate(f"{videoland.url}/videos/new?as=admin&lang=en")
        asked: asyncio.Queue[object] = asyncio.Queue()
        ui.on_confirmation(asked.put_nowait)
        pressed = asyncio.create_task(ui.act("ui.activate", role="button", name="Create video"))
        async with asyncio.timeout(60):
            await asked.get()
        browser = running.pool.browsers[0]
    async with asyncio.timeout(30):
        result = await pressed
    assert result.status == "cancelled"
    assert result.side_effect_state == "none"
    assert browser.session.ended is not None
    await ui.close()


async def test_health_needs_no_token_but_metrics_and_documents_do(config: settings.Settings, tokens: Tokens):
    async with serve(ServerOptions(tokens=tokens, allow=LOCAL, browsers=1), config) as running:
        async with httpx.AsyncClient(trust_env=False, base_url=running.listener.address) as client:
            assert (await client.get("/health")).json() == {"status": "ok"}
            assert (await client.get("/metrics")).status_code == 401
            token = {"Authorization": f"Bearer {AGENT}"}
            for kind in ("openapi", "asyncapi"):
                assert (await client.get(f"/{kind}.json")).status_code == 401
                assert (await client.get(f"/{kind}.json", headers=token)).json()[kind].startswith("3.")
        with pytest.raises(Unauthorized):
            await uiap.connect(running.listener.websocket_url)
        with pytest.raises((Unauthorized, Forbidden)):
            await uiap.connect(running.listener.websocket_url, token="guess")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
async def test_a_server_that_is_not_on_loopback_needs_tokens(config: settings.Settings, host: str):
    with pytest.raises(Unavailable, match="without tokens"):
        async with serve(ServerOptions(host=host), config):
            pass
