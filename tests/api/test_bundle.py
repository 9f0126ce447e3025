"""A bundle that a program loads into an open session, and hints of a bundle on a live page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import uiap
from tests.drivers.chromium.site import Site
from tests.support.bundled_videos import videos_bundle
from uiap.errors import UiapError
from uiap.host.bundles.bundle import Bundle

pytestmark = pytest.mark.browser
PAGE = """<button data-acme-id=note.save data-part=left>Save</button>
<div class=tools><span><button>Drop</button></span><button>Copy</button></div>"""


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    site = Site()
    yield site.page("/notes", PAGE)
    site.close()


def _bundle(*elements: dict[str, Any], **app: Any) -> Bundle:
    made = videos_bundle(
        bindings={"elements": list(elements)},
        actions=[],
        workflows=[],
        app={"appId": "notes", "displayName": "Notes", **app},
    )
    return Bundle(made.content, made.bindings)


def _button(id: str, *match: dict[str, str]) -> dict[str, Any]:
    return {"id": id, "role": "button", "match": list(match)}


@pytest.mark.requirement("RUN-36", "RUN-31")
async def test_a_bundle_is_loaded_and_unloaded_while_the_page_is_open(page: str) -> None:
    left = _button("left", {"by": "annotation", "attr": "data-part", "value": "left"})
    async with uiap.open(page) as ui:
        assert all(one.stable_id is None for one in await ui.observe())
        await ui.use_bundle(_bundle(left, sdk={"annotationPrefix": "data-acme-"}))
        assert "note.save" in {one.stable_id for one in await ui.observe()}
        read = await ui.act("ui.read", stable_id="left")
        assert read.ok and read.payload.resolved_target.name == "Save", read.payload
        assert (await ui.bundle()).bundle is not None
        await ui.navigate(page)  # a later document reads the same annotations
        assert "note.save" in {one.stable_id for one in await ui.observe()}
        await ui.use_bundle(None)
        assert all(one.stable_id is None for one in await ui.observe())
        assert not (await ui.act("ui.read", stable_id="left", timeout_ms=500)).ok


async def test_a_session_that_another_program_opened_takes_no_bundle(page: str) -> None:
    async with uiap.open(page, principal="agent:bot", autonomy="assist") as ui:
        assert ui.person is not None
        with pytest.raises(UiapError, match="takes no bundle"):
            await ui.person.use_bundle(_bundle())


@pytest.mark.requirement("RUN-17", "AUTH-5.3c")
async def test_css_and_xpath_of_a_binding_find_its_element_as_the_last_resort(page: str) -> None:
    known = _bundle(
        _button("drop", {"by": "runtimeHint", "css": "div.tools > span > button"}),
        _button("copy", {"by": "label", "text": "Gone"}, {"by": "runtimeHint", "xpath": "//div/button"}),
        _button("save", {"by": "runtimeHint", "css": "div.tools button"}, {"by": "label", "text": "Save"}),
        _button("both", {"by": "runtimeHint", "css": "div.tools button"}),
        {**_button("field", {"by": "runtimeHint", "css": "div.tools button"}), "role": "textbox"},
    )
    async with uiap.open(page, bundle=known) as ui:
        found = {}
        for id in ("drop", "copy", "save", "both", "field"):
            read = await ui.act("ui.read", stable_id=id, timeout_ms=1500)
            meant = read.payload.resolved_target
            found[id] = (meant.name, meant.by) if read.ok else read.payload.error.code
    assert found == {
        "drop": ("Drop", "runtimeHint"),
        "copy": ("Copy", "runtimeHint"),
        "save": ("Save", "semantic"),
        "both": "target_ambiguous",
        "field": "target_not_found",
    }
