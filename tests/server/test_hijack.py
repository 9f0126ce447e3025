"""A session id is no credential (robustness P10): it opens nothing for another principal, nothing after the end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.server import guesses
from tests.server.conftest import AGENT, OTHER
from tests.support.host_loops import AGENT as WHO
from tests.support.host_loops import make_host_loop
from uiap.client.caller import Caller
from uiap.errors import SessionNotFound, Unauthorized
from uiap.host.loop.loop import HostLoop
from uiap.server.admission import RequestAdmission
from uiap.server.tokens import Tokens
from uiap.spec.core import SessionResume
from uiap.spec.policy import PolicyPrincipal
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.websocket import connect

GUESSES = 300


@pytest.fixture
async def served(tokens: Tokens) -> AsyncIterator[tuple[AsgiListener, HostLoop]]:
    made = make_host_loop(
        admit=lambda _request, peer, _token: PolicyPrincipal(type="agent", id=peer.principal_id)
    )
    knock = RequestAdmission(tokens)
    listener = AsgiListener(application(made.accept, admit=knock))
    await listener.start()
    knock.port = listener.port
    yield listener, made
    await made.close()
    await listener.stop()


async def entered(listener: AsgiListener, token: str, url: str | None = None, **terms: object) -> Caller:
    transport = await connect(url or listener.websocket_url, token=token)
    return await Caller.open(transport, participant=WHO, profiles=("web@0.1",), **terms)


async def test_a_session_that_waits_is_resumed_by_its_own_principal_alone(
    served: tuple[AsgiListener, HostLoop],
):
    listener, made = served
    caller = await entered(listener, AGENT)
    assert caller.session is not None
    id = caller.session.session_id
    connection = made.connections[id]
    await caller.close()
    async with asyncio.timeout(20):
        while connection.session.state != "suspended":
            await asyncio.sleep(0)
    with pytest.raises(SessionNotFound):
        await entered(listener, OTHER, resume=SessionResume(session_id=id))
    with pytest.raises(Unauthorized):
        await entered(listener, "guess", resume=SessionResume(session_id=id))
    again = await entered(listener, AGENT, resume=SessionResume(session_id=id))
    assert again.session is not None and again.session.session_id == id
    await again.terminate()
    with pytest.raises(SessionNotFound):  # it was left: there is nothing to come back to
        await entered(listener, AGENT, resume=SessionResume(session_id=id))


async def test_an_id_in_the_address_is_not_taken_and_guesses_open_nothing(
    served: tuple[AsgiListener, HostLoop],
):
    listener, made = served
    chosen = "sess_chosen_by_an_attacker"
    caller = await entered(listener, AGENT, url=f"{listener.websocket_url}?sessionId={chosen}")
    assert caller.session is not None
    id = caller.session.session_id
    assert id != chosen
    assert len(re.sub(r"^[a-z]+_", "", id)) >= 20  # far beyond what can be guessed
    bearer = {"Authorization": f"Bearer {OTHER}", "Content-Type": "application/uiap+json"}
    async with httpx.AsyncClient(base_url=listener.address, headers=bearer, trust_env=False) as client:
        tried = [id, *(f"{id[:-4]}{number:04d}" for number in range(GUESSES))]
        told = {(await client.delete(f"/uiap/sessions/{one}")).status_code for one in tried}
    assert told == {404}
    assert set(made.connections) == {id}
    await caller.terminate()


async def test_tokens_that_are_nearly_right_open_nothing():
    """A few; `make soak CASE=P10` makes a million."""
    assert guesses.inside(3_000)["let in"] == 0
    assert guesses.wrong(await guesses.over_http(40)) == []
