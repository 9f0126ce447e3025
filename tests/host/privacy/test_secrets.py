"""A secret is bound to one origin, and its value comes from the environment or the keyring."""

from __future__ import annotations

from typing import ClassVar

import pytest

from tests.support.playbook import button
from uiap.actions.ops import Guard, Secret, SetText
from uiap.drivers.errors import NotSupported
from uiap.host.privacy.secrets import Secrets, variable_name
from uiap.spec.web import WebElementState

CANARY = "c4n4ry-p4ssw0rd"


def test_a_secret_without_an_origin_is_bound_to_the_first_one() -> None:
    secrets = Secrets({variable_name("crm password"): CANARY}, keyring=False)
    op = SetText(guard=Guard(node="el_1"), text=Secret(name="crm-password"))
    field = button(role="textbox", state=WebElementState(sensitive=True))
    assert secrets.refusal(op, field, "https://crm.example") is None
    assert "belongs to https://crm.example" in str(secrets.refusal(op, field, "https://evil.example"))
    assert "the origin that would get the secret `crm-password` is unknown" in str(
        secrets.refusal(op, field, None)
    )
    assert secrets.reveal("crm-password") == CANARY


@pytest.mark.parametrize("bound", [{}, {"UIAP_SECRET_CRM_PASSWORD_ORIGIN": "null"}], ids=["unbound", "bound"])
def test_an_opaque_origin_gets_no_secret(bound: dict[str, str]) -> None:
    secrets = Secrets({variable_name("crm-password"): CANARY, **bound}, keyring=False)
    op = SetText(guard=Guard(node="el_1"), text=Secret(name="crm-password"))
    field = button(role="textbox", state=WebElementState(sensitive=True))
    refusal = (
        "the secret `crm-password` goes only to a page with an origin of its own; open the page by its URL"
    )
    assert secrets.refusal(op, field, "null") == refusal
    assert secrets.revealed_values() == ()
    assert secrets.origin_of_secret("crm-password") == bound.get("UIAP_SECRET_CRM_PASSWORD_ORIGIN")


def test_a_secret_comes_from_the_keyring_if_the_environment_has_none() -> None:
    keyring = pytest.importorskip("keyring", reason="the extra `keyring` is not installed")
    from keyring.backend import KeyringBackend

    class MemoryKeyring(KeyringBackend):  # type: ignore[misc]
        """A backend of the real keyring package that keeps passwords in memory."""

        priority = 1.0
        passwords: ClassVar = {
            ("uiap", "crm-password"): CANARY,
            ("uiap", "crm-password@origin"): "http://bank.test",
        }

        def get_password(self, service: str, username: str) -> str | None:
            return self.passwords.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.passwords[service, username] = password

    before = keyring.get_keyring()
    keyring.set_keyring(MemoryKeyring())
    try:
        secrets = Secrets({})
        assert secrets.reveal("crm-password") == CANARY
        assert secrets.origin_of_secret("crm-password") == "http://bank.test"
        assert Secrets({variable_name("crm-password"): "nearer"}).reveal("crm-password") == "nearer"
        with pytest.raises(NotSupported, match="no secret `other` is set"):
            secrets.reveal("other")
        assert CANARY not in repr(secrets) and CANARY not in str(vars(secrets).get("_bound"))
    finally:
        keyring.set_keyring(before)
