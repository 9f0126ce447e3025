"""The API without async."""

from __future__ import annotations

import pytest

import uiap
from uiap.errors import UiapError

PAGE = "data:text/html,<title>t</title><label>Name <input></label><button>Pay now</button>"


@pytest.mark.browser
def test_a_script_without_async_observes_writes_and_gets_true_results():
    with uiap.sync.open(PAGE) as ui:
        assert 'button "Pay now"' in ui.observe().outline()
        assert ui.act("ui.enterText", role="textbox", name="Name", args={"text": "Ada"})
        dead = ui.act("ui.activate", role="button", name="Pay now", verify_ms=500)
        assert dead.error is not None
        assert dead.error.code == "verification_failed"
        assert ui.find("Name")[0].role == "textbox"
        assert ui.evaluate("document.querySelector('input').value") == "Ada"


def test_a_failure_to_open_is_raised_in_the_calling_thread():
    with pytest.raises(UiapError, match="web page"):
        uiap.sync.open("not a url")


def test_every_session_method_exists_without_async():
    def offered(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert offered(uiap.Ui) - offered(uiap.sync.SyncUi) == set()
