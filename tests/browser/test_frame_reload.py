"""A form in a frame that comes back after it was sent: its words decide, as those of a whole page do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import uiap
from tests.drivers.chromium.site import Site

FORM = "<form method=post action=/sent><label>Mail <input name=m></label><button>Subscribe</button></form>"
REFUSED = f"{FORM.replace('name=m', 'name=m value=x')}<p>That address is taken.</p>"
PAGE = "<!doctype html><title>News</title><h1>News</h1><iframe src=/box title=News width=400 height=150></iframe>"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("answer", "words"),
    [("<!doctype html><p>Thank you</p>", None), (REFUSED, "That address is taken.")],
    ids=["accepted", "refused"],
)
async def test_a_frame_is_read_after_it_has_loaded_again(site: Site, answer: str, words: str | None) -> None:
    site.page("/box", FORM)
    site.page("/sent", answer)
    async with uiap.open(site.page("/", PAGE)) as ui:
        (await ui.act("ui.enterText", role="textbox", name="Mail", args={"text": "x"})).check()
        sent = await ui.act("ui.activate", role="button", name="Subscribe")
        assert (sent.error is None) is (words is None), sent
        assert words is None or (sent.error is not None and words in sent.error.message)
