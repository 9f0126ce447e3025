"""Principals under a profile of the application."""

from __future__ import annotations

import msgspec
import pytest

from tests.host.bundles.test_session_terms import profiled
from uiap.errors import UiapError
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
