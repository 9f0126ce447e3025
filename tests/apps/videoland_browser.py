"""A real Chromium for the tests of Videoland: one page, driven over the debugging pipe by plain CDP.

It does not use UIAP on purpose: the app must be correct before UIAP is tested with it.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = (
    "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--window-size=1366,900",
    "--disable-dev-shm-usage", "--lang=en",
)  # fmt: skip
# CDP over a pipe reads from descriptor 3 and writes to 4. Our descriptors are moved away first, then put there.
_LAUNCH = """
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3])
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
_SECONDS = 60.0


@contextmanager
def browsing() -> Iterator[Page]:
    assert CHROMIUM is not None
    to_browser, from_browser = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(prefix="videoland-", ignore_cleanup_errors=True) as profile:
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        process = subprocess.Popen(
            [
                sys.executable, "-c", _LAUNCH, str(to_browser[0]), str(from_browser[1]),
                CHROMIUM, *_FLAGS, *root, f"--user-data-dir={profile}", "about:blank",
            ],
            pass_fds=(to_browser[0], from_browser[1]),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(to_browser[0])
        os.close(from_browser[1])
        try:
            yield Page(to_browser[1], from_browser[0])
        finally:
            os.close(to_browser[1])
            os.close(from_browser[0])
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Page:
    def __init__(self, writes: int, reads: int) -> None:
        self._writes, self._reads, self._buffer, self._next = writes, reads, b"", 0
        self.events: list[dict[str, Any]] = []
        targets = self.browser("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session: str = self.browser("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "DOM", "Log"):
            self.send(f"{domain}.enable")

    def browser(self, method: str, **params: Any) -> dict[str, Any]:
        return self._call({"method": method, "params": params})

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self._call({"method": method, "params": params, "sessionId": self._session})

    def open(self, url: str) -> None:
        self.send("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && document.querySelector('h1') !== null")

    def evaluate(self, expression: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, condition: str, seconds: float = 20.0) -> None:
        """Wait in the page, with a timeout; a navigation restarts the check."""
        script = f"""new Promise((done, failed) => {{
          const end = performance.now() + {seconds * 1000};
          const look = () => {{
            let holds = false;
            try {{ holds = Boolean({condition}); }} catch {{}}
            if (holds) done(true);
            else if (performance.now() > end) failed(new Error("the condition was never met"));
            else setTimeout(look, 10);
          }};
          look();
        }})"""
        for _ in range(5):
            answer = self._call(
                {
                    "method": "Runtime.evaluate",
                    "params": {"expression": script, "awaitPromise": True, "returnByValue": True},
                    "sessionId": self._session,
                },
                tolerant=True,
            )
            if "error" in answer:
                continue
            assert "exceptionDetails" not in answer["result"], f"the condition was never met: {condition}"
            return
        raise AssertionError(f"the page kept navigating before: {condition}")

    def eventually(self, check: Callable[[], bool], seconds: float = 20.0) -> None:
        """Wait, with a timeout, for a fact that only the browser knows; the page's clock sets the interval."""
        for _ in range(int(seconds * 50)):
            if check():
                return
            self.evaluate("new Promise((done) => setTimeout(done, 20))")
        raise AssertionError("the condition was never met")

    def text(self, selector: str = "body") -> str:
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def fill(self, selector: str, text: str) -> None:
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        self.send("Input.insertText", text=text)

    def key(self, name: str) -> None:
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "End": 35, "Enter": 13, "Escape": 27}
        text = {"text": "\r"} if name == "Enter" else {}
        key = {"key": name, "code": name, "windowsVirtualKeyCode": codes[name]}
        self.send("Input.dispatchKeyEvent", type="keyDown", **key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", **key)

    def click(self, selector: str, x: float = 0.5, y: float = 0.5) -> None:
        """Send a trusted click to a point of the element, given as shares of its box."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.until(f"{found} !== null")
        box = self.evaluate(
            f"(() => {{ const e = {found}; e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()"
        )
        self.press(box[0] + box[2] * x, box[1] + box[3] * y)

    def press(self, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def problems(self) -> list[str]:
        """Return the uncaught errors and error lines of the page until now."""
        thrown = [e["params"] for e in self.events if e["method"] == "Runtime.exceptionThrown"]
        logged = [
            e["params"]["entry"]
            for e in self.events
            if e["method"] == "Log.entryAdded" and e["params"]["entry"]["level"] == "error"
        ]
        return [json.dumps(one)[:500] for one in [*thrown, *logged]]

    def _call(self, message: dict[str, Any], tolerant: bool = False) -> dict[str, Any]:
        self._next += 1
        os.write(self._writes, json.dumps({"id": self._next, **message}).encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") == self._next:
                assert tolerant or "error" not in message, message
                found: dict[str, Any] = message if tolerant else message["result"]
                return found
            if "method" in message:
                self.events.append(message)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._reads], [], [], _SECONDS)
            assert ready, f"chromium sent nothing for {_SECONDS:g} s"
            chunk = os.read(self._reads, 1 << 16)
            assert chunk, "chromium ended"
            self._buffer += chunk
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message
