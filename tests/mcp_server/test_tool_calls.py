"""The tools over one real browser: failures name the next step, and page text is marked as untrusted."""

from __future__ import annotations

import asyncio
import functools
import http.server
import inspect
import json
import os
import re
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import pytest_asyncio
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from apps.videoland import Server
from tests.mcp_server.journey import ask
from tests.mcp_server.payloads import PAYLOADS
from tests.mcp_server.test_catalogue import paths
from uiap import settings
from uiap.cli.approve import grant, list_pending
from uiap.cli.socket_client import SocketClient
from uiap.host.sessions.session_folder import SessionFolder
from uiap.mcp_server.catalogue import TOOLS
from uiap.mcp_server.server import server
from uiap.mcp_server.session import AgentSession, OwnBrowserOptions, own_browser
from uiap.mcp_server.tool_calls import ToolCalls

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = "<!doctype html><title>{}</title><h1>Hello</h1>{}".format(
    escape(PAYLOADS[0]), "".join(f"<button title='{escape(p)}'>{escape(p)}</button>" for p in PAYLOADS)
)

COOKIE = "cookie-value-9031"
FILES = (
    "<!doctype html><title>files</title><h1>Files</h1><label>Picture <input type=file></label>"
    "<a href=/report>Report</a><a href=/files>Again</a>"
)

HOSTILE_PATHS = [
    "../secret.txt",
    "in/../../secret.txt",
    "/etc/passwd",
    "/dev/zero",
    "/proc/self/environ",
    "link",
    "hard",
    "pipe",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "..\\secret.txt",
    "C:\\Windows\\win.ini",
    "file:///etc/passwd",
    "fine.txt\0.png",
    "",
    ".",
    "~/secret.txt",
    "x" * 256,
    "CON",
    "nowhere.txt",
]


class _Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/report":
            self.send_header("Content-Disposition", 'attachment; filename="report.txt"')
        elif self.path == "/files":
            self.send_header("Set-Cookie", f"sid={COOKIE}")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write((FILES if self.path == "/files" else PAGE).encode())

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def hostile() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}/"
        site.shutdown()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="uiap-") as name:
        for part in ("in", "out", "states"):
            (Path(name) / part).mkdir()
        yield Path(name)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def calls(folder: Path) -> AsyncIterator[ToolCalls]:
    known = settings.read({**settings.read().environ, "UIAP_HOME": str(folder)})
    options = OwnBrowserOptions(
        settings=known,
        folder=SessionFolder(known.runtime, "mcp"),
        allow=("localhost",),
        uploads=(folder / "in",),
        downloads=folder / "out",
        states=folder / "states",
    )
    opened = ToolCalls(
        AgentSession(own_browser(options), approve="uiap approve --session mcp"), confirmation_wait_s=0.05
    )
    yield opened
    await opened.close()
    assert list(folder.glob("run/*.sock")) == []


def grant_all(folder: Path) -> None:
    """Grant everything that waits, as the person."""
    secret = (folder / "run" / "mcp.approve").read_text()
    approver = SocketClient(folder / "run" / "mcp.sock", token=secret)
    for one in list_pending(approver)["details"]:
        grant(approver, secret, one)
    approver.close()


def with_client(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Run a test with its own client; the SDK's scopes must be left by the task that entered them."""

    @functools.wraps(test)
    async def run(calls: ToolCalls, **given: Any) -> None:
        async with Client(server(calls, "full")) as client:
            await test(client, **given)

    signature = inspect.signature(test)
    parameters = [p for p in signature.parameters.values() if p.name != "client"]
    calls_parameter = inspect.Parameter("calls", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    run.__signature__ = signature.replace(parameters=[calls_parameter, *parameters])  # type: ignore[attr-defined]
    return run


@with_client
async def test_before_a_page_is_open_every_tool_asks_to_open_one(client: Client):
    for tool, given in {
        "observe": {},
        "find": {"text": "x"},
        "act": {"do": "ui.activate"},
        "tabs": {},
    }.items():
        reply = await ask(client, tool, **given)
        assert (reply["ok"], reply["code"]) == (False, "no_page")
        assert "call open" in reply["say"]
    with pytest.raises(MCPError, match="call open"):
        await client.read_resource("uiap://outline")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "about:blank",
        "chrome://version",
        "",
        "a b",
    ],
)
@with_client
async def test_an_agent_can_open_only_web_pages(client: Client, url: str):
    reply = await ask(client, "open", url=url)
    assert (reply["ok"], reply["code"]) == (False, "invalid_payload")


@with_client
async def test_page_text_stays_between_marks_that_a_page_cannot_guess(client: Client, hostile: str):
    fixed = (await client.list_tools()).model_dump_json() + (await client.list_prompts()).model_dump_json()
    fixed += client.instructions or ""
    results = [
        await client.call_tool("open", {"url": hostile}),
        await client.call_tool("observe", {"budget": 20_000}),
        await client.call_tool("find", {"text": "instructions", "limit": 50}),
        await client.call_tool("tabs", {}),
        await client.call_tool("act", {"do": "ui.activate", "role": "button"}),
        await client.call_tool("read", {"role": "button", "name": PAYLOADS[3]}),
    ]
    assert fixed == (await client.list_tools()).model_dump_json() + (
        await client.list_prompts()
    ).model_dump_json() + (client.instructions or "")
    assert results[0].structured_content["ok"], results[0].content[0].text
    seen = 0
    for result in results:
        text = result.content[0].text
        head, _, rest = text.partition("\n<untrusted ")
        mark, _, rest = rest.partition(">\n")
        inside, _, after = rest.partition(f"</untrusted {mark}>")
        ours = json.dumps({k: v for k, v in result.structured_content.items() if k != "untrusted"})
        for payload in PAYLOADS:
            word = payload.splitlines()[0]
            assert word not in fixed and word not in head and word not in after and word not in ours
        assert mark not in json.dumps(result.structured_content)
        seen += "instructions" in inside
    assert seen >= 3


@with_client
async def test_wrong_arguments_are_reported_before_the_session_is_asked(client: Client):
    for tool, given, part in (
        ("find", {}, "text"),
        ("act", {"do": 1}, "do"),
        ("observe", {"budget": 1}, "budget"),
        ("observe", {"bugdet": 100}, "bugdet"),
        ("tabs", {"do": "steal"}, "do"),
    ):
        reply = await ask(client, tool, **given)
        assert (reply["ok"], reply["code"]) == (False, "invalid_payload")
        assert part in reply["untrusted"]["detail"]
    with pytest.raises(MCPError, match="no tool `approve`; the tools are open"):
        await client.call_tool("approve", {})


@with_client
async def test_failures_name_the_next_step_and_the_side_effect(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/videos?as=admin&lang=en")
    several = await ask(client, "act", do="ui.activate", role="button", name="Delete")
    assert several["code"] == "target_ambiguous"
    assert several["sideEffect"] == "none"
    candidates = several["untrusted"]["candidates"]
    assert len(candidates) > 1 and all(candidate["ref"] for candidate in candidates)
    none = await ask(client, "find", text="zzzzqqqq")
    assert none["ok"] is False
    wrong = await ask(client, "act", do="ui.activate", ref="d1e1", expect=[{"kind": "toast.contains"}])
    assert wrong["code"] == "invalid_payload"
    assert "signal 1" in wrong["untrusted"]["detail"]
    unknown = await ask(client, "act", do="ui.explode", ref="d1e1")
    assert unknown["code"] == "action_unsupported"


@with_client
async def test_a_replayed_result_says_that_nothing_was_done_now(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/videos/new?as=admin&lang=en")
    title = {"role": "textbox", "name": "Title"}
    draft = {"do": "ui.enterText", **title, "args": {"text": "cat"}, "key": "k1"}
    first = await ask(client, "act", **draft)
    again = await ask(client, "act", **draft)
    assert first["ok"] and "replayed" not in first
    assert again["replayed"] is True
    assert "nothing was done now" in again["say"]
    assert "observed" not in again["say"]


@pytest.mark.requirement("ACT-SEC.2")
@with_client
async def test_an_action_that_waits_for_a_person_reports_it_and_can_be_waited_for(
    client: Client, videoland: Server
):
    await ask(client, "open", url=f"{videoland.url}/videos/new?as=admin&lang=en")
    reply = await ask(client, "act", do="ui.activate", role="button", name="Create video")
    assert reply["code"] == "confirmation_pending"
    assert "uiap approve --session mcp" in reply["say"]
    still = await ask(client, "wait", action=reply["action"], timeout=0.01)
    assert still["code"] == "confirmation_pending"
    (waiting,) = (await ask(client, "pending"))["untrusted"]["pending"]
    assert waiting["action"] == reply["action"]
    assert (await ask(client, "wait", action="act_unknown"))["code"] == "not_found"


@with_client
async def test_signals_are_checked_and_waited_for_without_acting(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/videos/new?as=admin&lang=en")
    title = {"role": "textbox", "name": "Title"}
    holds = await ask(client, "expect", signals=[{"kind": "value.equals", "value": "", **title}])
    assert holds["ok"], holds
    wrong = [{"kind": "value.equals", "value": "x", **title}]
    missing = await ask(client, "expect", signals=wrong, timeout=0.05)
    assert (missing["ok"], missing["code"]) == (False, "verification_failed")
    assert missing["untrusted"]["missing"][0]["value"] == "x"
    written = await ask(client, "act", do="ui.enterText", args={"text": "Hello"}, **title)
    assert written["ok"], written
    changed = await ask(client, "wait", since=holds["revision"])
    assert changed["ok"] and "Hello" in changed["untrusted"]["page"]
    late = await ask(client, "wait", signals=wrong, timeout=0.05)
    assert (late["ok"], late["code"]) == (False, "timeout")
    assert (await ask(client, "wait", timeout=30))["ok"]
    latest = (await ask(client, "trace"))["untrusted"]["actions"]
    assert latest[0]["actionId"] == "ui.enterText"
    assert "succeeded" in (await ask(client, "trace", action=latest[0]["actionHandle"]))["say"]


@with_client
async def test_tabs_are_opened_shown_and_closed(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/team?as=admin&lang=en")
    opened = await ask(client, "tabs", do="open", url=f"{videoland.url}/team?as=admin&lang=de")
    first, second = opened["untrusted"]["tabs"]
    assert (first["active"], second["active"]) == (False, True)
    assert "Übersicht" in (await ask(client, "observe"))["untrusted"]["page"]
    await ask(client, "tabs", do="show", tab=first["tab"])
    assert "Übersicht" not in (await ask(client, "observe"))["untrusted"]["page"]
    closed = await ask(client, "tabs", do="close", tab=second["tab"])
    assert len(closed["untrusted"]["tabs"]) == 1
    assert (await ask(client, "tabs", do="close", tab=first["tab"]))["ok"] is False
    assert (await ask(client, "tabs", do="show", tab="t99"))["code"] == "not_found"


@with_client
async def test_prompts_and_resources_can_be_read(client: Client, videoland: Server):
    filled = await client.get_prompt("task", {"url": "http://x", "task": "make a video"})
    assert "make a video" in filled.messages[0].content.text
    with pytest.raises(MCPError, match="needs task"):
        await client.get_prompt("task", {"url": "http://x"})
    with pytest.raises(MCPError, match="no prompt `x`"):
        await client.get_prompt("x")
    await ask(client, "open", url=f"{videoland.url}/team?as=admin&lang=en")
    document = json.loads((await client.read_resource("uiap://capabilities")).contents[0].text)
    assert "ui.activate" in {action["id"] for action in document["actions"]}
    with pytest.raises(MCPError, match="no such resource"):
        await client.read_resource("uiap://secrets")


@with_client
async def test_downloads_states_and_previews_work_by_name_only(client: Client, hostile: str):
    await ask(client, "open", url=f"{hostile}files")
    reply = await ask(client, "preview", do="ui.activate", role="link", name="Report")
    assert (reply["ok"], reply.get("code")) == (True, None), reply
    asked = await ask(client, "preview", do="ui.upload", role="fileinput", args={"files": ["x"]})
    assert asked.get("code") == "confirm", asked
    await ask(client, "act", do="ui.activate", role="link", name="Report", timeout=2)
    (got,) = (await ask(client, "downloads", after=0, timeout=20))["untrusted"]["downloads"]
    assert got["name"] == "report.txt"
    assert (await ask(client, "storage"))["say"] == "0 saved states"
    assert (await ask(client, "storage", do="save"))["code"] == "invalid_payload"
    kept = await client.call_tool("storage", {"do": "save", "state": "work"})
    assert kept.structured_content["ok"], kept
    assert COOKIE not in kept.model_dump_json()
    assert (await ask(client, "storage"))["untrusted"]["states"] == ["work"]
    assert (await ask(client, "storage", do="load", state="work"))["ok"]
    assert (await ask(client, "storage", do="load", state="other"))["code"] == "not_found"
    for name in ("../in/x", "/etc/passwd", "a/b", "..", "", "x" * 65, "a\0b"):
        assert (await ask(client, "storage", do="save", state=name))["code"] == "invalid_payload", name


@with_client
async def test_the_open_application_can_be_discovered(client: Client, hostile: str):
    await ask(client, "open", url=f"{hostile}files")
    found = await ask(client, "discover", states=2, seconds=60)
    assert found["ok"], found
    (run,) = re.findall(r"uiap://discovery/(\S+)", found["say"])
    content = (await client.read_resource(f"uiap://discovery/{run}")).contents[0]
    assert json.loads(content.text)["untrusted"]["coverage"]["routesDiscovered"] >= 1
    assert content.meta == {"untrusted": True}
    again = await ask(client, "discover", run=run)
    assert again["say"] == found["say"]
    assert (await ask(client, "discover", run="disc_unknown"))["code"] == "not_found"
    assert (await ask(client, "discover", run=run, hold=True))["code"] == "not_found"  # it is over
    await ask(client, "open", url=f"{hostile}files")
    acted = await ask(client, "read", role="link", name="Again")
    assert acted["ok"]
    (latest,) = (await ask(client, "trace"))["untrusted"]["actions"][:1]
    trace = json.loads(
        (await client.read_resource(f"uiap://trace/{latest['actionHandle']}")).contents[0].text
    )
    assert trace["untrusted"]["actionId"] == "ui.read"
    assert json.loads((await client.read_resource("uiap://bundle")).contents[0].text) == {}
    page = (await client.read_resource("uiap://outline")).contents[0].text
    assert page.startswith("<untrusted ") and page.splitlines()[-1].startswith("</untrusted ")


@with_client
async def test_no_tool_reads_a_path_outside_the_declared_folder(client: Client, hostile: str, folder: Path):
    """Find the tools that take a path by their marks, and try each with every hostile path."""
    secret, inside = folder / "secret.txt", folder / "in"
    secret.write_text("mine")
    (inside / "link").symlink_to(secret)
    (inside / "hard").hardlink_to(secret)
    (inside / "fine.txt").write_text("yours")
    os.mkfifo(inside / "pipe")

    async def upload(tool: str, path: str) -> dict[str, Any]:
        reply = await ask(client, tool, role="fileinput", name="Picture", files=[path])
        if reply.get("code") == "confirmation_pending":
            await asyncio.to_thread(grant_all, folder)
            reply = await ask(client, "wait", action=reply["action"], timeout=30)
        return reply

    await ask(client, "open", url=f"{hostile}files")
    takers = [tool.name for tool in TOOLS if any(paths(schema) for schema in tool.members.values())]
    assert takers == ["upload"]
    for tool in takers:
        for path in (*HOSTILE_PATHS, str(secret), str(inside / "link"), str(inside)):
            reply = await upload(tool, path)
            assert (reply["ok"], reply.get("sideEffect", "none")) == (False, "none"), (path, reply)
        fine = await upload(tool, "fine.txt")
        assert fine["ok"], fine


@with_client
async def test_an_action_that_waits_for_a_person_can_be_cancelled(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/videos/new?as=admin&lang=en")
    asked = await ask(client, "act", do="ui.activate", role="button", name="Create video")
    assert asked["code"] == "confirmation_pending"
    reply = await ask(client, "wait", action=asked["action"], cancel=True, timeout=20)
    assert (reply["ok"], reply["code"]) == (False, "cancelled")
    assert (await ask(client, "pending"))["say"] == "nothing waits for a person"


@with_client
async def test_find_scrolls_and_act_takes_a_mode_and_a_policy(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/videos/new?as=admin&lang=en")
    assert (await ask(client, "find", text="Title", role="textbox", scroll=True))["ok"]
    seen = {"kind": "value.equals", "value": "A title", "role": "textbox", "name": "Title"}
    never = {"kind": "toast.contains", "text": "never said"}
    asked = {"do": "ui.enterText", "role": "textbox", "name": "Title", "args": {"text": "A title"}}
    reply = await ask(client, "act", **asked, expect=[seen, never], policy="any", mode="semanticUi")
    assert reply["ok"], reply


@with_client
async def test_verbs_and_steps_need_one_call_and_reply_with_one_delta(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/videos/new?as=admin&lang=en")
    filled = await ask(client, "act", do="fill", target="Title", value=321)
    assert filled["ok"] and '"321"' in filled["untrusted"]["page"]
    steps = [
        {"do": "fill", "target": "Title", "value": "One call"},
        {"do": "fill", "target": "Description", "value": "Six fields"},
        {"do": "select", "target": "Category", "value": "Tutorial"},
        {"do": "check", "target": "Generate subtitles"},
    ]
    done = await ask(client, "act", steps=steps)
    assert done["say"] == "all 4 steps are done, and their effects were observed"
    assert all(word in done["untrusted"]["page"] for word in ("One call", "Six fields", "Tutorial"))
    looked = await ask(
        client, "act", steps=[{"do": "text", "target": "Create video"}, {"do": "find", "target": "Title"}]
    )
    read = {one["step"]: one["value"] for one in looked["untrusted"]["read"]}
    assert read["1 (text Create video)"] == "Create video" and '"Title"' in read["2 (find Title)"]
    wrong = await ask(
        client, "act", steps=[steps[0], {"do": "fill", "target": "Titel", "value": "x"}, steps[1]]
    )
    assert (wrong["ok"], wrong["code"]) == (False, "target_not_found")
    assert wrong["say"].startswith("step 2 of 3 failed, the steps before it are done: ")
    assert "“Title”" in wrong["untrusted"]["detail"]
    asked = await ask(client, "act", steps=[steps[0], {"do": "click", "target": "Create video"}, steps[1]])
    assert (asked["code"], asked["untrusted"]["waits"]) == (
        "confirmation_pending",
        "activate the button “Create video”",
    )
    assert asked["say"].startswith("step 2 of 3 waits, the steps before it are done: a person has to")
    assert asked["say"].endswith("; then call act with the steps after it, which are not begun")
    shown = await ask(client, "act", steps=[{"do": "goto", "value": "/videos"}, {"do": "observe"}])
    assert "page" not in shown["untrusted"] and "Videos" in shown["untrusted"]["read"][0]["value"]
    nothing = await ask(client, "act", target="Title")
    assert nothing["untrusted"]["detail"] == "give do, or steps"
    assert "the verbs are click" in (await ask(client, "act", do="jump"))["untrusted"]["detail"]


@with_client
async def test_a_step_that_is_handed_to_a_person_is_reported_at_once(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/settings?as=admin&lang=en")
    await ask(client, "act", do="click", target="Security", role="tab")
    handed = await ask(client, "act", do="fill", target="New password", value="x")
    assert handed["code"] == "confirmation_pending"
    assert (
        "has to do this themselves in the page, and then reports it with: uiap handoff done" in handed["say"]
    )
    assert (await ask(client, "wait", action=handed["action"], cancel=True))["code"] == "cancelled"


@with_client
async def test_the_rows_of_a_table_are_read_by_column(client: Client, videoland: Server):
    await ask(client, "open", url=f"{videoland.url}/videos?as=admin&lang=en")
    read = await ask(client, "read", role="table", what="rows")
    assert set(read["untrusted"]["value"]["rows"][0]) >= {"Title", "Category", "Status"}


FIELD = {"role": "textbox", "name": "Title"}
EVERY_TOOL: dict[str, dict[str, Any]] = {
    "open": {}, "observe": {}, "find": {"text": "Title"}, "read": FIELD, "act": {"do": "ui.focus", **FIELD},
    "expect": {"signals": [{"kind": "route.changed", "pattern": "/videos/new"}]}, "wait": {"timeout": 0.2},
    "tabs": {}, "screenshot": {}, "pending": {}, "trace": {}, "dialog": {}, "upload": {"files": ["no"], **FIELD},
    "downloads": {}, "log": {}, "storage": {}, "preview": {"do": "ui.focus", **FIELD}, "discover": {"run": "no"},
    "workflow": {"run": "no"},
}  # fmt: skip
REFUSED_HERE = {"upload", "discover", "workflow", "wait"}
"""The tools that have nothing to do with these arguments, and say so."""


@pytest.mark.requirement("MDM-P2b")
@with_client
@pytest.mark.requirement("MDM-P2")
async def test_every_listed_tool_can_be_called_and_its_answer_fits_its_schema(
    client: Client, videoland: Server
):
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == list(EVERY_TOOL)
    for tool in listed:
        given = EVERY_TOOL[tool.name]
        if tool.name == "open":
            given = {"url": f"{videoland.url}/videos/new?as=admin&lang=en"}
        answer = (await client.call_tool(tool.name, given)).structured_content
        assert answer is not None, tool.name
        jsonschema_rs.validator_for(tool.output_schema).validate(answer)
        assert answer["ok"] or tool.name in REFUSED_HERE, (tool.name, answer)
        assert answer["ok"] or answer["code"] not in ("internal_error", "internal_runtime_error"), answer
