"""A secret is used by name, only on its origin and in a masked field, and is recorded nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from tests.attack.stage import open_stage
from uiap.drivers.errors import NotSupported
from uiap.drivers.scripted.app import Widget
from uiap.host.privacy.secrets import Secrets, variable_name

CANARY = "c4n4ry-p4ssw0rd"
BOUND = {"UIAP_SECRET_CRM_PASSWORD": CANARY, "UIAP_SECRET_CRM_PASSWORD_ORIGIN": "http://bank.test"}
MASKED = Widget(
    "pw", "textbox", "Password", state={"sensitive": True}, node_fields={"data_classes": ("credential",)}
)
VISIBLE = Widget("note", "textbox", "Notes")
SECRET = {"text": {"secret": "crm-password"}}


async def enter_secret(stage: Any, name: str) -> Any:
    """Enter the secret as the person, because an agent may not enter credentials."""
    return await stage.person.act("ui.enterText", role="textbox", name=name, args=SECRET)


async def test_a_secret_is_entered_and_is_in_no_message_journal_audit_or_trace(tmp_path: Path) -> None:
    recorded: list[bytes] = []
    async with open_stage(MASKED, rules="trusted", environ=BOUND, store=tmp_path / "s.sqlite3") as stage:
        stage.person._caller.listen(
            "action.progress", lambda message: recorded.append(msgspec.json.encode(message))
        )
        result = await enter_secret(stage, "Password")
        assert result.ok, result.error
        recorded.append(msgspec.json.encode(result.payload))
        recorded.append((await stage.agent.outline()).encode())
        recorded.append(msgspec.json.encode((await stage.agent.observe()).payload))
        recorded.append(repr(await stage.agent.traces()).encode())
        read = await stage.agent.act("ui.read", role="textbox", name="Password", args={"what": "value"})
        recorded.append(msgspec.json.encode(read.payload))
        value = stage.app.widgets["pw"].state.get("textValue")
    assert value == CANARY
    assert all(CANARY.encode() not in text for text in recorded)
    for file in tmp_path.iterdir():
        assert CANARY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    ("widget", "environ", "url", "why"),
    [
        (VISIBLE, BOUND, "http://bank.test/", "goes only into a field that hides it"),
        (MASKED, BOUND, "http://bank.test.evil.example/", "belongs to http://bank.test"),
        (MASKED, BOUND, "http://bank.test:8080/", "belongs to http://bank.test"),
        (MASKED, BOUND, "data:text/html,x", "goes only to a page with an origin of its own"),
        (MASKED, {}, "http://bank.test/", "no secret `crm-password` is set"),
    ],
    ids=["a visible field", "a look-alike origin", "another port", "an opaque origin", "an unknown secret"],
)
async def test_a_secret_is_not_entered_in_a_wrong_field_or_origin(
    widget: Widget, environ: dict[str, str], url: str, why: str
) -> None:
    async with open_stage(widget, rules="trusted", environ=environ, url=url) as stage:
        result = await enter_secret(stage, str(widget.name))
        assert not result.ok
        assert why in result.error.message
        assert [why in entry.reason for entry in stage.audit_entries if entry.kind == "secret"] == [True]
        assert CANARY not in str(msgspec.to_builtins(result.payload))
        assert "set_text" not in stage.performed and "setText" not in stage.performed


async def test_credentials_are_handed_to_a_person() -> None:
    async with open_stage(MASKED, environ=BOUND) as stage:
        advice = await stage.agent.preflight("ui.enterText", role="textbox", name="Password", args=SECRET)
        assert (advice.effect, advice.reason) == ("handoff", "data_class")


def test_a_secret_without_an_origin_is_bound_to_the_first_one() -> None:
    from tests.support.playbook import button
    from uiap.actions.ops import Guard, Secret, SetText
    from uiap.spec.web import WebElementState

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
    from tests.support.playbook import button
    from uiap.actions.ops import Guard, Secret, SetText
    from uiap.spec.web import WebElementState

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
