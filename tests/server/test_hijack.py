"""A session id is not a credential: it is useless to another principal, and after the session ends."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.server import token_guesses
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
    host_loop = make_host_loop(
        admit=lambda _request, peer, _token: PolicyPrincipal(type="agent", id=peer.principal_id)
    )
    admission = RequestAdmission(tokens)
    listener = AsgiListener(application(host_loop.accept, admit=admission))
    await listener.start()
    admission.port = listener.port
    yield listener, host_loop
    await host_loop.close()
    await listener.stop()


async def open_session(listener: AsgiListener, token: str, url: str | None = None, **terms: object) -> Caller:
    transport = await connect(url or listener.websocket_url, token=token)
    return await Caller.open(transport, participant=WHO, profiles=("web@0.1",), **terms)


async def test_only_its_own_principal_resumes_a_suspended_session(
    served: tuple[AsgiListener, HostLoop],
):
    listener, host_loop = served
    caller = await open_session(listener, AGENT)
    assert caller.session is not None
    id = caller.session.session_id
    connection = host_loop.connections[id]
    await caller.close()
    async with asyncio.timeout(20):
        while connection.session.state != "suspended":
            await asyncio.sleep(0)
    with pytest.raises(SessionNotFound):
        await open_session(listener, OTHER, resume=SessionResume(session_id=id))
    with pytest.raises(Unauthorized):
        await open_session(listener, "guess", resume=SessionResume(session_id=id))
    again = await open_session(listener, AGENT, resume=SessionResume(session_id=id))
    assert again.session is not None and again.session.session_id == id
    await again.terminate()
    with pytest.raises(SessionNotFound):  # the session was terminated, so there is nothing to resume
        await open_session(listener, AGENT, resume=SessionResume(session_id=id))


async def test_a_session_id_in_the_url_is_ignored_and_guessed_ids_are_404(
    served: tuple[AsgiListener, HostLoop],
):
    listener, host_loop = served
    chosen = "sess_chosen_by_an_attacker"
    caller = await open_session(listener, AGENT, url=f"{listener.websocket_url}?sessionId={chosen}")
    assert caller.session is not None
    id = caller.session.session_id
    assert id != chosen
    assert len(re.sub(r"^[a-z]+_", "", id)) >= 20  # too long to be guessed
    bearer = {"Authorization": f"Bearer {OTHER}", "Content-Type": "application/uiap+json"}
    async with httpx.AsyncClient(base_url=listener.address, headers=bearer, trust_env=False) as client:
        tried = [id, *(f"{id[:-4]}{number:04d}" for number in range(GUESSES))]
        statuses = {(await client.delete(f"/uiap/sessions/{one}")).status_code for one in tried}
    assert statuses == {404}
    assert set(host_loop.connections) == {id}
    await caller.terminate()


async def test_tokens_that_are_almost_right_are_refused():
    """This makes a few guesses; `make soak CASE=P10` makes a million."""
    assert token_guesses.guess_in_process(3_000)["let in"] == 0
    assert token_guesses.failures(await token_guesses.guess_over_http(40)) == []
