"""The script that refuses connections which no request shows: sockets, WebRTC, WebTransport and background fetches.

It runs in every document and worker of a guarded browser before their own code. A refused WebSocket fails as one does
when its server is down, so applications go on without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import translate
from typing import Any

from uiap.drivers.chromium.connection.cdp import CdpSession

WORKER_FILTER = [{"type": "worker"}]
_SOURCE = """(permitted => {
  const scope = globalThis, Real = scope.WebSocket;
  for (const name of ['WebTransport', 'WebSocketStream', 'RTCPeerConnection', 'webkitRTCPeerConnection'])
    delete scope[name];
  if (scope.BackgroundFetchManager)
    scope.BackgroundFetchManager.prototype.fetch = () => Promise.reject(new TypeError('fetching is not permitted'));
  if (!Real || Real.prototype.constructor !== Real) return;
  const matches = url => permitted.some(pattern => new RegExp(pattern).test(url));
  const socketUrl = url => {
    try { return new URL(url, scope.location.href).href.replace(/^http/, 'ws'); } catch { return String(url); }
  };
  class RefusedSocket extends EventTarget {
    CONNECTING = 0; OPEN = 1; CLOSING = 2; CLOSED = 3;
    readyState = 0; bufferedAmount = 0; protocol = ''; extensions = ''; binaryType = 'blob';
    onopen = null; onmessage = null; onerror = null; onclose = null;
    constructor(url) {
      super();
      this.url = url;
      setTimeout(() => {
        this.readyState = 3;
        this.fire(new Event('error'));
        this.fire(new CloseEvent('close', {code: 1006}));
      });
    }
    fire(event) {
      this.dispatchEvent(event);
      const handler = this['on' + event.type];
      if (typeof handler === 'function') handler.call(this, event);
    }
    send() { if (this.readyState === 0) throw new DOMException('still connecting', 'InvalidStateError'); }
    close() {}
  }
  scope.WebSocket = new Proxy(Real, {construct(target, args, created) {
    const url = socketUrl(args[0]);
    return matches(url) ? Reflect.construct(target, args, created) : new RefusedSocket(url);
  }});
  Real.prototype.constructor = scope.WebSocket;
})"""


def connection_script(permitted: Iterable[str]) -> str:
    """Return the script; it permits the sockets whose addresses match one of the patterns."""
    patterns = [translate(pattern).replace(r"(?s:", "^(?:").replace(r"\Z", "$") for pattern in permitted]
    return f"{_SOURCE}({json.dumps(patterns)})"


async def install(session: CdpSession, source: str) -> str:
    """Run the script in every present and future document of a session; return its id for `uninstall`."""
    session.send_and_forget("Page.setPrerenderingAllowed", {"isAllowed": False})
    params = {"source": source, "runImmediately": True}
    return str((await session.send("Page.addScriptToEvaluateOnNewDocument", params))["identifier"])


async def uninstall(session: CdpSession, script_id: str) -> None:
    """Do not run the script in later documents."""
    session.send_and_forget("Page.setPrerenderingAllowed", {"isAllowed": True})
    await session.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script_id})


def install_at_start(session: CdpSession, source: str) -> None:
    """Send the script to a session that has no document yet, without awaiting it: its documents start later."""
    session.send_and_forget("Page.setPrerenderingAllowed", {"isAllowed": False})
    params = {"source": source, "runImmediately": True}
    session.send_and_forget("Page.addScriptToEvaluateOnNewDocument", params)


def start_worker(session: CdpSession, source: str) -> None:
    """Run the script in a worker that waits for us, then let the worker and its own workers start."""
    if source:
        session.on("Target.attachedToTarget", lambda event: _start_nested(session, event, source))
        session.send_and_forget("Runtime.evaluate", {"expression": source})
        session.send_and_forget(
            "Target.setAutoAttach",
            {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": WORKER_FILTER},
        )
    session.send_and_forget("Runtime.runIfWaitingForDebugger")


def _start_nested(parent: CdpSession, event: dict[str, Any], source: str) -> None:
    start_worker(parent.sibling(event["sessionId"]), source)
