"""The agent's side of http@0.1 as a Transport: it sends POSTs, and receives answers and Server-Sent Events.

It reads only the members that decide the route. `session.initialize` goes to the session path, every other envelope to
the path of its session. A normal close sends DELETE.
"""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx
import msgspec

from uiap.spec.http import HTTPBindingConfig
from uiap.transports.address import require_safe_token
from uiap.transports.binding import (
    MEDIA_TYPE,
    SEQUENCE_HEADER,
    HttpBinding,
    Routing,
    assigned_session,
    read_routing,
    retry_delay,
)
from uiap.transports.events import CLOSE_EVENT, EventReader, SseEvent, StreamEnd
from uiap.transports.pipe import Pipe
from uiap.transports.transport import (
    CLOSE_ABNORMAL,
    CLOSE_NORMAL,
    CLOSE_RESYNC,
    CLOSE_TOO_BIG,
    CLOSE_UNAUTHORIZED,
    MAX_MESSAGE_BYTES,
    Peer,
    TransportClosed,
)

RESYNC_MESSAGE = "events were lost; resume or open a session and read the state again"


class HttpTransport:
    binding = "http@0.1"

    def __init__(
        self,
        base_url: str,
        config: HttpBinding | HTTPBindingConfig | None = None,
        *,
        token: str | None = None,
        max_bytes: int = MAX_MESSAGE_BYTES,
        max_pending: int = 32,
        answer_timeout: float = 60.0,
        silence_timeout: float = 45.0,
        ssl_context: ssl.SSLContext | None = None,
        proxy: str | None = None,
    ) -> None:
        require_safe_token(base_url, token)
        self.peer = Peer(base_url)
        self._paths = HttpBinding.of(config)
        self._max_bytes = max_bytes
        self._silence_timeout = silence_timeout  # three keep-alive intervals of the server
        self._inbox: Pipe[str] = Pipe(256)
        self._pending = asyncio.Semaphore(max_pending)
        self._tasks: set[asyncio.Task[None]] = set()
        self._events_task: asyncio.Task[None] | None = None
        self._session = ""
        self._sequence = 0
        self._last_event = ""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        no_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if base_url.startswith("http://") else True
        self._client = httpx.AsyncClient(
            base_url=base_url,
            headers=headers,
            verify=ssl_context or no_tls,
            trust_env=False,
            proxy=proxy,
            timeout=httpx.Timeout(answer_timeout, connect=10.0),
            limits=httpx.Limits(
                max_connections=max_pending + 4, max_keepalive_connections=max_pending, keepalive_expiry=5.0
            ),
        )

    @property
    def closed(self) -> bool:
        return self._inbox.closed

    async def send(self, text: str) -> None:
        """POST one envelope without waiting for its answer, which `receive` returns."""
        if self.closed:
            raise self._inbox.end()
        routing = read_routing(text)
        if not self._session or (routing is not None and routing.type == "session.initialize"):
            await self._open_session(text, routing)
            return
        await self._pending.acquire()
        if self._inbox.closed:  # it closed while we waited
            self._pending.release()
            raise self._inbox.end()
        self._sequence += 1
        path = self._paths.message_path_template.replace("{sessionId}", self._session)
        task = asyncio.ensure_future(self._post(path, text, routing, self._sequence))
        self._tasks.add(task)
        task.add_done_callback(self._on_posted)
        if routing is None or routing.kind != "request":
            await asyncio.shield(
                task
            )  # the server accepts it at once (202), so sending one at a time is fastest

    def _on_posted(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._pending.release()

    async def _open_session(self, text: str, routing: Routing | None) -> None:
        answer = await self._exchange(self._paths.session_path, text, routing, {})
        if answer is None:
            raise self._inbox.end()
        answered = read_routing(answer)
        if answered is not None and answered.type == "session.initialized":
            self._session, self._sequence, self._last_event = assigned_session(answer), 0, ""
            if self._events_task is not None:
                self._events_task.cancel()
            self._events_task = asyncio.ensure_future(self._read_events())
        await self._inbox.put(answer)

    async def _post(self, path: str, text: str, routing: Routing | None, number: int) -> None:
        answer = await self._exchange(path, text, routing, {SEQUENCE_HEADER: str(number)})
        if answer:
            with suppress(TransportClosed):
                await self._inbox.put(answer)

    async def _exchange(
        self, path: str, text: str, routing: Routing | None, headers: dict[str, str]
    ) -> str | None:
        """POST and return the answer, "" if there is none, or None if the transport ended."""
        sent = {"Content-Type": MEDIA_TYPE, "Accept": MEDIA_TYPE, **headers}
        attempt = 0
        while True:
            try:
                async with self._client.stream("POST", path, content=text.encode(), headers=sent) as response:
                    body = await self._read_body(response)
                break
            except (httpx.ConnectError, httpx.ConnectTimeout):  # nothing was sent, so a retry is safe
                attempt += 1
                if not self._session or not await self._wait_before_retry(attempt):
                    self._finish(CLOSE_ABNORMAL, f"cannot reach `{self.peer.address}`")
                    return None
            except (httpx.HTTPError, httpx.StreamError):
                self._finish(CLOSE_ABNORMAL, "the connection broke before the answer")
                return None
            except ValueError as too_big:
                self._finish(CLOSE_TOO_BIG, str(too_big))
                return None
        if response.status_code in (401, 404) and self._session:
            with suppress(TransportClosed):
                await self._inbox.put(_with_correlation(body, routing))
            code = CLOSE_NORMAL if response.status_code == 404 else CLOSE_UNAUTHORIZED
            self._finish(code, "the session is gone" if code == CLOSE_NORMAL else "")
            return None
        return _with_correlation(body, routing) if response.status_code != 202 else ""

    async def _read_body(self, response: httpx.Response) -> str:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self._max_bytes:
                raise ValueError(f"an answer may have at most {self._max_bytes} bytes")
        return body.decode()

    async def _wait_before_retry(self, attempt: int) -> bool:
        seconds = retry_delay(self._paths.reconnect, attempt, random.uniform(0, 1))
        if seconds is None:
            return False
        await asyncio.sleep(seconds)
        return True

    # event stream -------------------------------------------------------------------------------------

    async def _read_events(self) -> None:
        attempt = 0
        while not self.closed:
            try:
                async for event in self._events():
                    attempt = 0
                    await self._on_event(event)
            except TransportClosed:
                return
            except (httpx.HTTPError, httpx.StreamError):
                pass  # reconnect with Last-Event-ID, as after a clean end
            except ValueError as too_big:
                self._finish(CLOSE_TOO_BIG, str(too_big))
            attempt += 1
            if not self.closed and not await self._wait_before_retry(attempt):
                self._finish(CLOSE_ABNORMAL, "the event stream cannot be reopened")

    async def _events(self) -> AsyncIterator[SseEvent]:
        path = self._paths.event_stream_path_template.replace("{sessionId}", self._session)
        headers = {b"accept": b"text/event-stream", b"cache-control": b"no-store"}
        if self._last_event:
            headers[b"last-event-id"] = self._last_event.encode()
        timeout = httpx.Timeout(10.0, read=self._silence_timeout)
        reader = EventReader(self._max_bytes)
        async with self._client.stream("GET", path, headers=headers, timeout=timeout) as response:
            if response.status_code != 200:
                await self._on_stream_refused(response.status_code)
                return
            async for chunk in response.aiter_bytes():
                for event in reader.feed(chunk):
                    yield event

    async def _on_event(self, event: SseEvent) -> None:
        if event.name == CLOSE_EVENT:
            end = msgspec.json.decode(event.data, type=StreamEnd)
            await self._wait_for_answers()
            self._finish(end.code, end.reason)
            return
        await self._inbox.put(event.data)
        self._last_event = event.id

    async def _on_stream_refused(self, status: int) -> None:
        ends = {
            401: (CLOSE_UNAUTHORIZED, "the token is not accepted"),
            403: (CLOSE_UNAUTHORIZED, "the server refused the event stream"),
            404: (CLOSE_NORMAL, "the session is gone"),
            410: (CLOSE_RESYNC, RESYNC_MESSAGE),
        }
        if status in ends:
            await self._wait_for_answers()
            self._finish(*ends[status])

    async def _wait_for_answers(self) -> None:
        """Wait up to 5 s for the answers to open requests: the end of the event stream may arrive before them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)

    # closing ------------------------------------------------------------------------------------------

    async def receive(self) -> str:
        return await self._inbox.get()

    def _finish(self, code: int, reason: str) -> None:
        """End the transport for an outside reason; `receive` still returns what has arrived."""
        self._inbox.close(code, reason)

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        """End the transport. A normal close also ends the session; after any other code it can be resumed."""
        was_open = not self.closed
        self._inbox.close(code, reason, discard=True)
        if was_open and self._session and code == CLOSE_NORMAL:
            await self._delete()
        tasks = [*self._tasks, *([self._events_task] if self._events_task else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.aclose()

    async def _delete(self) -> None:
        headers = {SEQUENCE_HEADER: str(self._sequence + 1), "Accept": MEDIA_TYPE}
        try:
            await self._client.delete(
                f"{self._paths.session_path}/{self._session}", headers=headers, timeout=5.0
            )
        except (httpx.HTTPError, httpx.StreamError):
            return  # the server has ended the session, or will end it as idle


def _with_correlation(body: str, routing: Routing | None) -> str:
    """Return the body with the id of our request, if it is a refusal that does not name the request."""
    answered = read_routing(body)
    if routing is None or routing.kind != "request" or answered is None or answered.correlationId is not None:
        return body
    envelope: dict[str, Any] = msgspec.json.decode(body)
    return msgspec.json.encode(envelope | {"kind": "response", "correlationId": routing.id}).decode()
