"""nav.navigate: an agent goes to http(s) addresses only, in every spelling that a browser accepts."""

from __future__ import annotations

import pytest

from tests.support.playbook import Playbook, action, request, started
from uiap.actions.navigate import address_fault
from uiap.spec.policy import PolicyPrincipal

EVE = PolicyPrincipal(type="agent", id="eve")
REFUSED = [
    "data:text/html,x",
    "DATA:text/html,x",
    "blob:https://a/b",
    "view-source:https://a",
    "javascript:x()",
]
REFUSED += [
    "java\nscript:x()",
    " \x01javascript:x()",
    "file:///etc/passwd",
    "about:blank",
    "chrome://settings",
]
REFUSED += ["ftp://a/", "filesystem:https://a/b", "ws://a/"]


@pytest.mark.parametrize("url", REFUSED)
def test_an_agent_opens_no_other_scheme(url: str) -> None:
    assert address_fault(url, "agent") is not None
    play = Playbook(action(request("nav.navigate", None, args={"url": url}), principal=EVE)) >> started
    assert play.result.error.code == "action_unsupported" and "URL cannot be opened" in play.message


@pytest.mark.parametrize(
    "url", ["https://a/", "http://a:8080/x", "/videos", "videos?x=1:2", "//a/b", "history:back"]
)
def test_an_agent_opens_http_addresses_and_paths(url: str) -> None:
    assert address_fault(url, "agent") is None


@pytest.mark.parametrize("url", ["view-source:https://a", "blob:https://a/b", "javascript:x()"])
def test_not_even_a_person_opens_a_script_or_a_foreign_document(url: str) -> None:
    assert address_fault(url, "user") is not None and address_fault("data:text/html,x", "user") is None
