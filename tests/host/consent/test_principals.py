"""Principals under a profile of the application."""

from __future__ import annotations

import msgspec
import pytest

import uiap
from tests.host.bundles.test_session_terms import profiled
from uiap.errors import UiapError
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.host.bundles.session_terms import running_context
from uiap.host.consent.principals import principal_under
from uiap.spec.policy import PolicyPrincipal


@pytest.mark.requirement("RUN-28")
def test_a_session_under_a_profile_has_its_roles_and_never_more_than_its_grants() -> None:
    agent = PolicyPrincipal(type="agent", id="bot")
    as_guest = profiled().within(running_context(profile="guest"))
    under = principal_under(as_guest, agent)
    assert (under.roles, under.grants) == (("reader",), ("observe", "guide"))
    few = principal_under(as_guest, msgspec.structs.replace(agent, grants=("observe", "act")))
    assert few.grants == ("observe",)
    assert principal_under(profiled(), agent) is agent
    with pytest.raises(UiapError, match="declares no principal profile `admin`; it declares: guest"):
        profiled().within(running_context(profile="admin"))


@pytest.mark.browser
@pytest.mark.requirement("RUN-28")
async def test_an_agent_that_opens_the_application_under_a_profile_cannot_do_more_than_it() -> None:
    page = "data:text/html,<button onclick=\"document.title='pressed'\">Help</button>"
    bundle = msgspec.structs.replace(profiled().content, policies=msgspec.UNSET)
    known = Bundle(bundle, Bindings(bundle))
    for profile, effect in ((None, "allow"), ("guest", "deny")):
        async with uiap.open(page, bundle=known, profile=profile, principal="agent:bot") as ui:
            done = await ui.act("ui.activate", role="button", name="Help", timeout_ms=2000)
            assert done.ok is (effect == "allow"), (profile, done.payload)
