"""A tab with the injected publisher, and the driver's side of its protocol: messages in, acknowledgements out."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import copy
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.web.cdp import BINDING, SDK, WAIT, WORLD, Browser

SECRET = "test-secret"
BOOT = """
;globalThis.__uiap_boot(JSON.stringify(Object.assign({
  frameKey: window === window.top ? "f0" : "f" + (1 + [...Array(window.parent.length).keys()]
    .findIndex((i) => window.parent[i] === window)),
  root: window === window.top,
}, CONFIG)));
"""
KEYS = {
    "documents": "documentId",
    "scopes": "scopeId",
    "elements": "instanceId",
    "collections": "collectionId",
    "opaqueRegions": "regionId",
}
Message = dict[str, Any]


class Tab:
    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.messages: list[Message] = []
        self.worlds: dict[str, int] = {}
        self.acknowledging = True
        self._changed = asyncio.Event()
        self._loaded = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.graph: Message = {}
        self.children: dict[str | None, list[str]] = {}

    async def open(self, page_world: str = "", **config: Any) -> None:
        """Open the tab. The script `page_world` runs in the page's own world, before the page script."""
        context = await self.browser.send("Target.createBrowserContext")
        self.context = context["browserContextId"]
        target = await self.browser.send(
            "Target.createTarget", url="about:blank", browserContextId=self.context
        )
        self.target = target["targetId"]
        attached = await self.browser.send("Target.attachToTarget", targetId=self.target, flatten=True)
        self.session = attached["sessionId"]
        self.browser.listen(self.session, self._event)
        await self.send("Page.enable")
        await self.send("Runtime.enable")
        await self.send("Emulation.setFocusEmulationEnabled", enabled=True)
        await self.send("Runtime.addBinding", name=BINDING, executionContextName=WORLD)
        if page_world:
            await self.send("Page.addScriptToEvaluateOnNewDocument", source=page_world)
        settings = {"rootOrigin": None, "bridgedOrigins": [], "binding": BINDING, "secret": SECRET} | config
        source = SDK.read_text() + BOOT.replace("CONFIG", json.dumps(settings))
        await self.send("Page.addScriptToEvaluateOnNewDocument", source=source, worldName=WORLD)

    async def send(self, method: str, **params: Any) -> Message:
        return await self.browser.send(method, self.session, **params)

    def _event(self, method: str, params: Message) -> None:
        try:
            self._handle(method, params)
        finally:
            self._changed.set()

    def _handle(self, method: str, params: Message) -> None:
        if method == "Runtime.bindingCalled":
            self._take(json.loads(params["payload"]), params["executionContextId"])
        elif method == "Runtime.executionContextCreated" and params["context"]["name"] == WORLD:
            self.worlds[params["context"]["auxData"]["frameId"]] = params["context"]["id"]
        elif method == "Page.loadEventFired":
            self._loaded.set()

    def _take(self, message: Message, context: int) -> None:
        assert message["t"] == "hello" or message.pop("key") == SECRET
        assert message["t"] != "error", message
        message["context"] = context
        if message["t"] == "graph":
            message["graph"]["elements"][:0] = self._parts_of(message)
        self.messages.append(message)
        if message.get("frame", "f0") == "f0" and message["t"] == "graph":
            self.adopt(message)
        if message["t"] == "delta" and context == self.world:
            self.apply(message)
        if message["t"] == "delta" and self.acknowledging:
            self._spawn(self.call(f"__uiap.ack({message['seq']})", context))

    def _parts_of(self, graph: Message) -> list[Any]:
        """Return the elements that a large graph sent in parts before it."""
        mine = (graph["context"], graph["seq"])
        parts = [m for m in self.messages if m["t"] == "part" and (m["context"], m["seq"]) == mine]
        return [element for part in parts for element in part["elements"]]

    def _spawn(self, work: Any) -> None:
        async def quietly() -> None:
            with contextlib.suppress(RuntimeError):  # the document may already be gone
                await work

        task = asyncio.create_task(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def world(self) -> int:
        return self.worlds[self.target]

    def adopt(self, message: Message) -> None:
        graph = message["graph"]
        self.graph = {
            "seq": message["seq"],
            **{kind: {node[key]: node for node in graph[kind]} for kind, key in KEYS.items()},
            **{part: graph[part] for part in ("route", "viewport", "focus", "modalStack")},
        }
        self.graph = copy.deepcopy(self.graph)
        self.children = {}
        for node in graph["elements"]:
            self.children.setdefault(node.get("parentInstanceId"), []).append(node["instanceId"])

    def apply(self, message: Message) -> None:
        """Apply a delta: removed, then added, then merge patches."""
        assert message["base"] == self.graph["seq"], "a delta must build on the revision before it"
        self.graph["seq"] = message["seq"]
        delta = message["delta"]
        for part in ("route", "viewport", "focus", "modalStack"):
            if part in delta:
                self.graph[part] = delta[part]
        for kind, key in KEYS.items():
            change, nodes = delta.get(kind, {}), self.graph[kind]
            for gone in change.get("removed", []):
                if kind == "elements":
                    self.children[nodes[gone].get("parentInstanceId")].remove(gone)
                del nodes[gone]
            for node in copy.deepcopy(change.get("added", [])):
                assert node[key] not in nodes
                nodes[node[key]] = node
                if kind == "elements":
                    self._place(node)
            for update in change.get("updated", []):
                nodes[update["key"]] = merge(nodes[update["key"]], update["patch"])

    def _place(self, node: Message) -> None:
        """Insert an element after its siblings, or where `after` says."""
        siblings = self.children.setdefault(node.get("parentInstanceId"), [])
        after = node.get("metadata", {}).pop("after", "")
        if after == "":
            siblings.append(node["instanceId"])
        else:
            siblings.insert(0 if after is None else siblings.index(after) + 1, node["instanceId"])
        if node.get("metadata") == {}:
            del node["metadata"]

    def order(self) -> list[str]:
        """Return the element ids in document order, parents first."""
        found: list[str] = []
        stack = list(reversed(self.children.get(None, [])))
        while stack:
            found.append(stack.pop())
            stack.extend(reversed(self.children.get(found[-1], [])))
        return found

    async def load(self, html: str, *, wait_graph: bool = True) -> None:
        data = base64.b64encode(html.encode()).decode()
        await self.visit(f"data:text/html;charset=utf-8;base64,{data}", wait_graph=wait_graph)

    async def visit(self, url: str, *, wait_graph: bool = True) -> None:
        self.messages.clear()
        self._loaded.clear()
        await self.send("Page.navigate", url=url)
        await asyncio.wait_for(self._loaded.wait(), WAIT)
        if wait_graph:
            await self.until(lambda: any(message["t"] == "graph" for message in self.messages))
            await self.settle()

    async def until(self, holds: Callable[[], bool]) -> None:
        async def wait() -> None:
            while not holds():
                if self.browser.broken:
                    raise self.browser.broken
                self._changed.clear()
                await self._changed.wait()

        await asyncio.wait_for(wait(), WAIT)

    async def evaluate(self, script: str, **options: Any) -> Any:
        """Evaluate in the page's own world."""
        return await self._run(script, **options)

    async def call(self, script: str, context: int | None = None) -> Any:
        """Call the publisher in its world; the answer is a JSON string."""
        value = await self._run(script, contextId=context or self.world, awaitPromise=True)
        return json.loads(value) if isinstance(value, str) else value

    async def ask(self, method: str, request: Any, context: int | None = None) -> Any:
        return await self.call(f"__uiap.{method}({json.dumps(json.dumps(request))})", context)

    async def _run(self, script: str, **options: Any) -> Any:
        reply = await self.send("Runtime.evaluate", expression=script, returnByValue=True, **options)
        if "exceptionDetails" in reply:
            raise RuntimeError(str(reply["exceptionDetails"].get("exception", {}).get("description")))
        return reply["result"].get("value")

    def _holds(self, seq: int) -> bool:
        return bool(self.graph["seq"] >= seq)

    async def settle(self) -> None:
        """Wait until the script has read everything and every delta has arrived."""
        while True:
            answer = await self.call("__uiap.flush()")
            await self.until(partial(self._holds, answer["seq"]))
            if not answer.get("pending"):
                return

    async def snapshot(self, **options: Any) -> Message:
        """Take a fresh snapshot. Later deltas build on it, so it replaces the graph of this tab."""
        message = dict(await self.ask("snapshot", options))
        self.adopt(message)
        return message

    def found(self, role: str, name: str | None = None) -> Message:
        matching = [
            node
            for node in self.graph["elements"].values()
            if node["role"] == role and (name is None or node.get("name") == name)
        ]
        assert len(matching) == 1, f"{len(matching)} elements with role {role} and name {name}"
        return dict(matching[0])

    def signals(self, kind: str) -> list[Message]:
        return [m["signal"] for m in self.messages if m["t"] == "signal" and m["signal"]["kind"] == kind]

    async def close(self) -> None:
        await self.browser.send("Target.disposeBrowserContext", browserContextId=self.context)


def merge(node: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(node) if isinstance(node, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result
