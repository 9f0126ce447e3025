"""The API without async."""

from __future__ import annotations

import inspect

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


def test_every_session_method_has_the_same_signature_without_async():
    different = {"explore", "begin", "request", "person", "session", "run", "workflows"}
    names = {name for name in dir(uiap.Ui) if not name.startswith("_")} - different
    for name in names:
        ours = inspect.signature(getattr(uiap.sync.SyncUi, name))
        assert ours == inspect.signature(getattr(uiap.Ui, name)), name


@pytest.mark.parametrize("opener", ["open", "connect"])
def test_opening_takes_the_same_arguments_without_async(opener: str):
    ours, theirs = (inspect.signature(getattr(module, opener)) for module in (uiap.sync, uiap))
    assert ours.parameters == theirs.parameters


@pytest.mark.browser
def test_a_begun_action_reports_its_progress_and_its_result_without_async():
    page = "data:text/html,<button onclick=\"this.textContent='Paid'\">Pay now</button>"
    with uiap.sync.open(page) as ui:
        begun = ui.begin("click", "Pay now")
        assert begun.result().status == "succeeded"
        assert begun.done and [one.stage for one in begun.progress][-1] == "verifying"
