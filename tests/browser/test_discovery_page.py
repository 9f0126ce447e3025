"""Discovery of one page in a browser: its frames, shadow roots, messages and fields, and its review items."""

from __future__ import annotations

import asyncio
import http.server
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import pytest

from uiap.api.discovery import DiscoveryOptions, discover, environment
from uiap.spec.discovery import DiscoveryPackage
from uiap.spec.web import PageGraph

SECRET = "never stored"
HOME = """<!doctype html><title>Home</title>
<nav aria-label=Main><a href="/team">Team</a> <a href="/prices">Prices</a></nav>
<button>Show more</button><button>Show more</button><button>Save</button>
<iframe title=Own src="/inner"></iframe>
<iframe title=Foreign src="{foreign}/foreign"></iframe>
<x-open></x-open>
<x-closed data-uiap-id="chat.open" data-uiap-role="button" data-uiap-name="Open chat"
  style="display:block;width:80px;height:30px"></x-closed>
<form aria-label=Contact><label>Name <input name=name></label>
<label>Password <input type=password></label><label>Card <input autocomplete=cc-number></label>
<button>Send</button></form>
<button id=show>Show notice</button><button id=facts>Facts</button>
<script>
customElements.define('x-open', class extends HTMLElement {{ constructor() {{ super();
  this.attachShadow({{mode: 'open'}}).innerHTML = '<button>Show inside shadow</button>'; }} }});
customElements.define('x-closed', class extends HTMLElement {{ constructor() {{ super();
  this.attachShadow({{mode: 'closed'}}).innerHTML = '<button>{secret}</button>'; }} }});
show.onclick = () => {{ const toast = document.createElement('div'); toast.setAttribute('role', 'status');
  toast.className = 'toast'; toast.textContent = 'Short notice'; document.body.append(toast);
  setTimeout(() => toast.remove(), 60); }};
facts.textContent = `Facts ${{navigator.language}} ${{innerWidth}} ${{document.cookie}}`;
</script>"""
PAGES = {
    "/team": "<!doctype html><title>Team</title><h1>Team</h1><a href='/'>Home</a>",
    "/inner": "<button>Show inside frame</button>",
    "/foreign": f"<button>{SECRET}</button>",
}


class Handler(http.server.BaseHTTPRequestHandler):
    home = ""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/prices":  # the address of the link leads elsewhere
            self.send_response(302)
            self.send_header("location", "/team")
            self.end_headers()
            return
        text = self.home if path == "/" else PAGES.get(path)
        self.send_response(200 if text else 404)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write((text or "").encode())

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DiscoveryPackage, Path]]:
    """One run that all tests inspect."""
    out = tmp_path_factory.mktemp("page")
    with ExitStack() as stack:
        own, foreign = stack.enter_context(served()), stack.enter_context(served())
        Handler.home = HOME.format(foreign=f"http://127.0.0.1:{foreign}", secret=SECRET)
        asked = environment(
            f"http://127.0.0.1:{own}/",
            max_states=6,
            max_runtime_s=90,
            locale="de-CH",
            viewport=(900, 700),
            feature_flags={"beta": True},
            flags_in="cookie",
        )
        options = DiscoveryOptions(out=out, screenshots=True, sitemap=False)
        yield asyncio.run(discover(asked, options=options)), out


def names(package: DiscoveryPackage) -> set[str]:
    return {name for one in package.element_catalog.elements for name in one.names or ()}


@pytest.mark.requirement("DISC-12.1", "DISC-12.4")
def test_own_frames_and_open_shadow_roots_are_explored(
    found: tuple[DiscoveryPackage, Path],
) -> None:
    package, _ = found
    assert {"Show inside frame", "Show inside shadow"} <= names(package)
    pressed = {one.metadata["label"] for one in package.transition_graph.edges}
    assert {"Show inside frame", "Show inside shadow"} <= pressed


@pytest.mark.requirement("DISC-12.5b")
def test_the_host_of_a_closed_shadow_root_publishes_a_control_and_its_inside_stays_closed(
    found: tuple[DiscoveryPackage, Path],
) -> None:
    package, out = found
    chat = next(one for one in package.element_catalog.elements if one.stable_id == "chat.open")
    assert chat.role == "button" and chat.names == ("Open chat",) and chat.confidence == "high"
    assert "closed_shadow" in {one.kind for one in package.review_queue.items}
    stored = b"".join(path.read_bytes() for path in out.rglob("*.json*"))
    assert SECRET.encode() not in stored


@pytest.mark.requirement("DISC-16b")
def test_the_seven_obligations_of_a_review_hold_on_a_live_page(found: tuple[DiscoveryPackage, Path]) -> None:
    package, _ = found
    items = [(one.kind, one.description) for one in package.review_queue.items]

    def is_asked(kind: str, words: str) -> bool:
        return any(kind == one and words in text for one, text in items)

    assert is_asked("ambiguous_target", "Show more")
    assert is_asked("inferred_only", "save")
    assert is_asked("opaque_frame", "cannot be read") and is_asked("closed_shadow", "cannot be read")
    assert is_asked("workflow_uncertain", "send")
    assert is_asked("missing_stable_id", "route `/`")
    assert is_asked("unsafe_action_candidate", "Password") and is_asked("unsafe_action_candidate", "Card")
    assert is_asked("custom", "contradiction: `Prices`")


@pytest.mark.requirement("DISC-11.4c")
def test_passwords_and_cards_have_data_classes_and_risky_controls_a_risk(
    found: tuple[DiscoveryPackage, Path],
) -> None:
    package, _ = found
    elements = {(one.names or ("",))[0]: one for one in package.element_catalog.elements}
    assert elements["Password"].data_classes == ("credential",) and elements["Card"].data_classes == (
        "payment",
    )
    assert elements["Save"].risk is not None and elements["Save"].risk.level == "confirm"
    assert elements["Show notice"].risk is not None and elements["Show notice"].risk.level == "safe"


@pytest.mark.requirement("DISC-11.2d")
def test_a_message_that_is_gone_before_the_next_capture_is_recorded(
    found: tuple[DiscoveryPackage, Path],
) -> None:
    package, _ = found
    edge = next(one for one in package.transition_graph.edges if one.metadata["label"] == "Show notice")
    texts = [getattr(signal, "text", "") for signal in edge.observed_signals or ()]
    assert "Short notice" in texts


@pytest.mark.requirement("DISC-6.6")
def test_the_references_of_a_state_open_its_graph_and_its_picture(
    found: tuple[DiscoveryPackage, Path],
) -> None:
    package, out = found
    assert package.evidence_index is not None
    files = {one.ref_id: out / str(one.uri) for one in package.evidence_index.items if one.uri}
    for state in package.transition_graph.states:
        graph = msgspec.json.decode(files[str(state.page_graph_ref)].read_bytes(), type=PageGraph)
        assert graph.elements
        assert files[str(state.screenshot_ref)].read_bytes().startswith(b"\x89PNG")


def test_locale_viewport_and_flags_are_in_force_on_the_page(found: tuple[DiscoveryPackage, Path]) -> None:
    package, _ = found
    assert any(name.startswith("Facts de-CH 900 ") and "beta=true" in name for name in names(package))
