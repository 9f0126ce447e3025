"""Duties of the runtime that only a live page shows: states, ways to a target, hints, reads, added text, drawings."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import UNSET

import uiap
from tests.browser.trial import Stage, describe_result
from tests.drivers.chromium.site import Site
from uiap.spec.action import FINAL_STATES, PROGRESS_STAGES, RESOLVED_BY, PresentationHints
from uiap.spec.capability import CustomRef, InstanceIdRef, SemanticRef, StableIdRef, WebTargetRef

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = """<title>Notes</title>
<button data-uiap-id="note.save">Save</button>
<button data-uiap-meaning="note.archive">Box</button>
<button data-uiap-action="note.publish">Globe</button>
<div class=tools><button id=drop>Drop</button><button>Copy</button></div>
<input aria-label=Title aria-description="Shown in lists" value=Draft>
<input aria-label=Echo value=abc oninput="if (event.data) this.value = event.data">
<div role=textbox aria-label=Fake>no field</div>
<p role=status id=out></p><script>
document.onclick = (e) => { if (e.target.tagName === "BUTTON") out.textContent += e.target.textContent + " " };
</script>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


async def open_page(stage: Stage, site: Site) -> None:
    result = await stage.act("nav.navigate", args={"url": site.page("/notes", PAGE)})
    assert result.status == "succeeded", describe_result(result)


async def pressed(stage: Stage, ref: WebTargetRef) -> tuple[Any, str]:
    """Press the target; return how it was resolved, and the button that the page saw."""
    await stage.driver.evaluate("out.textContent = ''")
    result = await stage.act("ui.activate", ref=ref)
    assert result.status == "succeeded" and result.resolved_target is not UNSET, describe_result(result)
    return result.resolved_target.by, (await stage.driver.evaluate("out.textContent")).strip()


@pytest.mark.requirement("ACT-6.1b", "ACT-8.1c", "ACT-8.1d")
async def test_each_way_to_a_target_finds_it_on_a_live_page(stage: Stage, site: Site) -> None:
    await open_page(stage, site)
    ways: list[tuple[WebTargetRef, str, str]] = [
        (StableIdRef(value="note.save"), "stableId", "Save"),
        (InstanceIdRef(value=stage.button("Copy")), "instanceId", "Copy"),
        (SemanticRef(role="button", name="Drop"), "semantic", "Drop"),
        (StableIdRef(value="note.archive"), "annotation", "Box"),
        (StableIdRef(value="note.publish"), "annotation", "Globe"),
        (CustomRef(value="css:#drop"), "runtimeHint", "Drop"),
        (CustomRef(value="xpath://div[@class='tools']/button[2]"), "runtimeHint", "Copy"),
    ]
    for ref, by, name in ways:
        assert await pressed(stage, ref) == (by, name), ref
    assert {by for _, by, _ in ways} == set(RESOLVED_BY)
    gone = await stage.act("ui.activate", ref=CustomRef(value="css:#nowhere"), timeout_ms=500)
    assert gone.error is not UNSET and gone.error.code == "target_not_found"


@pytest.mark.requirement("ACT-11.1b", "ACT-11.5b", "ACT-9.3b")
async def test_a_field_is_read_as_it_is_and_text_is_added_to_it(stage: Stage, site: Site) -> None:
    await open_page(stage, site)

    async def read(what: str) -> Any:
        result = await stage.act("ui.read", role="textbox", name="Title", args={"what": what})
        assert result.return_value is not UNSET, describe_result(result)
        return result.return_value

    assert await read("value") == {"value": "Draft"} and await read("text") == {"text": "Draft"}
    assert await read("description") == {"description": "Shown in lists"}
    assert (await read("state"))["state"]["textValue"] == "Draft"
    await stage.driver.evaluate("document.querySelector('[aria-label=Title]').value = 'Second'")
    assert await read("value") == {"value": "Second"}, "a script changed it without an event"
    more = {"text": " edition", "clear": False}
    added = await stage.act("ui.enterText", role="textbox", name="Title", args=more)
    assert added.status == "succeeded", describe_result(added)
    assert await read("value") == {"value": "Second edition"}
    lost = await stage.act("ui.enterText", role="textbox", name="Echo", args=more, timeout_ms=900)
    assert lost.error is not UNSET and lost.error.code == "verification_failed", describe_result(lost)
    fake = await stage.act("ui.enterText", role="textbox", name="Fake", args={"text": "a"})
    assert fake.error is not UNSET and "focus" in fake.error.message, describe_result(fake)


async def drawn(stage: Stage, **hints: Any) -> dict[str, bool]:
    """Press a button with these hints, and return what the overlay shows."""
    stage.present = PresentationHints(**hints)
    session, moves = stage.driver.context.tab(None).session, list[Any]()
    await session.send("Animation.enable")
    unsubscribe = session.on("Animation.animationStarted", moves.append)
    assert (await stage.act("ui.activate", ref=StableIdRef(value="note.save"))).status == "succeeded"
    unsubscribe()
    tree = await session.send("DOM.getDocument", {"depth": -1, "pierce": True})
    text = str([one for node in _shadow_roots(tree["root"]) for one in node.get("children", [])])
    return {
        "cursor": "polygon" in text,
        "outline": "0 0 0 2px" in text or "0px 0px 0px 2px" in text,
        "spotlight": "200vmax" in text,
        "narration": "Now I save it" in text,
        "pace": bool(moves),
    }


def _shadow_roots(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for root in node.get("shadowRoots", []):
        if root.get("shadowRootType") == "closed":
            yield root
    for child in node.get("children", []):
        yield from _shadow_roots(child)


@pytest.mark.requirement("ACT-5.1g")
async def test_each_hint_draws_what_it_names_and_nothing_else(stage: Stage, site: Site) -> None:
    await open_page(stage, site)
    plain = dict.fromkeys(("cursor", "outline", "spotlight", "narration", "pace"), False)
    assert await drawn(stage, ghost_cursor=True, pace="instant") == plain | {"cursor": True}
    assert await drawn(stage, highlight="outline") == plain | {"outline": True}
    assert await drawn(stage, highlight="spotlight") == plain | {"spotlight": True}
    assert await drawn(stage, narration="Now I save it", highlight="none") == plain | {"narration": True}
    moved = await drawn(stage, ghost_cursor=True, pace="humanized")
    assert moved == plain | {"cursor": True, "pace": True}


STATES_PAGE = """<title>States</title><button id=save>Save</button><button id=late disabled>Late</button>
<button id=ask>Ask</button><button id=again>Inform</button><p role=status id=out></p><script>
save.onclick = late.onclick = () => { out.textContent += "done " };
again.onclick = () => { alert("Hello"); out.textContent += "informed " };
ask.onclick = () => { confirm("Really?"); out.textContent += "asked " };
</script>"""


@pytest.mark.requirement("ACT-4b", "ACT-14b")
async def test_each_state_is_reached_on_a_live_page(stage: Stage, site: Site) -> None:
    reached: set[str] = set()
    address = site.page("/states", STATES_PAGE)
    async with uiap.open(address, rules="standard", principal="agent:bot") as ui, asyncio.timeout(20):
        assert ui.person is not None
        questions = asyncio.Queue[Any]()
        ui.on_confirmation(questions.put_nowait)
        for answer in (ui.person.grant, ui.person.deny):
            pressing = asyncio.create_task(
                ui.act(
                    "ui.activate", role="button", name="Save", on_progress=lambda one: reached.add(one.stage)
                )
            )
            await answer((await questions.get()).action_handle)
            reached.add((await pressing).status)

    async def press(name: str) -> Any:
        result = await stage.act("ui.activate", role="button", name=name)
        reached.update(one.stage for kind, one in stage.messages if kind == "action.progress")  # type: ignore[attr-defined]
        reached.add(result.status)
        return result

    assert (await stage.act("nav.navigate", args={"url": address})).status == "succeeded"
    await stage.driver.evaluate("void setTimeout(() => { late.disabled = false }, 300)")
    assert (await press("Late")).status == "succeeded"
    assert (await press("Ask")).error.code == "user_activation_required"
    await stage.driver.dialog.answer(True)
    informing = asyncio.create_task(press("Inform"))
    await stage.until(lambda: stage.driver.dialog.current() is not None)
    await stage.driver.dialog.answer(True)
    assert (await informing).status == "succeeded", "the same action went on after the answer"
    # an accepted action was in RECEIVED, which emits no progress
    assert reached == {*PROGRESS_STAGES, *(state.lower() for state in FINAL_STATES)}
