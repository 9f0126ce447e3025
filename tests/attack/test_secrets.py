"""H12: a secret goes by name, to its own origin, into a field that hides it, and is nowhere else afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from tests.attack.stage import staged
from uiap.drivers.errors import NotSupported
from uiap.drivers.scripted.app import Widget
from uiap.host.privacy.secrets import Secrets, variable_name

CANARY = "c4n4ry-p4ssw0rd"
HOME = {"UIAP_SECRET_CRM_PASSWORD": CANARY, "UIAP_SECRET_CRM_PASSWORD_ORIGIN": "http://bank.test"}
HIDDEN = Widget(
    "pw", "textbox", "Password", state={"sensitive": True}, node_fields={"data_classes": ("credential",)}
)
SHOWN = Widget("note", "textbox", "Notes")
SECRET = {"text": {"secret": "crm-password"}}


async def typed(stage: Any, name: str) -> Any:
    """As the person: what the agent may not type at all is tested elsewhere."""
    return await stage.person.act("ui.enterText", role="textbox", name=name, args=SECRET)


async def test_a_secret_is_typed_and_is_in_no_message_journal_audit_or_trace(tmp_path: Path) -> None:
    heard: list[bytes] = []
    async with staged(HIDDEN, rules="trusted", environ=HOME, store=tmp_path / "s.sqlite3") as stage:
        stage.person._caller.listen("action.progress", lambda said: heard.append(msgspec.json.encode(said)))
        result = await typed(stage, "Password")
        assert result.ok, result.error
        heard.append(msgspec.json.encode(result.payload))
        heard.append((await stage.agent.outline()).encode())
        heard.append(msgspec.json.encode((await stage.agent.observe()).payload))
        heard.append(repr(await stage.agent.traces()).encode())
        read = await stage.agent.act("ui.read", role="textbox", name="Password", args={"what": "value"})
        heard.append(msgspec.json.encode(read.payload))
        held = stage.app.widgets["pw"].state.get("textValue")
    assert held == CANARY
    assert all(CANARY.encode() not in said for said in heard)
    for file in tmp_path.iterdir():
        assert CANARY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    ("widget", "environ", "url", "why"),
    [
        (SHOWN, HOME, "http://bank.test/", "goes only into a field that hides it"),
        (HIDDEN, HOME, "http://bank.test.evil.example/", "belongs to http://bank.test"),
        (HIDDEN, HOME, "http://bank.test:8080/", "belongs to http://bank.test"),
        (HIDDEN, {}, "http://bank.test/", "no secret `crm-password` is set"),
    ],
    ids=["a visible field", "a look-alike origin", "another port", "an unknown secret"],
)
async def test_a_secret_is_not_typed_where_it_does_not_belong(
    widget: Widget, environ: dict[str, str], url: str, why: str
) -> None:
    async with staged(widget, rules="trusted", environ=environ, url=url) as stage:
        result = await typed(stage, str(widget.name))
        assert not result.ok
        assert why in result.error.message
        assert [why in entry.reason for entry in stage.trail if entry.kind == "secret"] == [True]
        assert CANARY not in str(msgspec.to_builtins(result.payload))
        assert "set_text" not in stage.performed and "setText" not in stage.performed


async def test_an_agent_is_not_the_one_who_types_credentials() -> None:
    async with staged(HIDDEN, environ=HOME) as stage:
        advice = await stage.agent.preflight("ui.enterText", role="textbox", name="Password", args=SECRET)
        assert (advice.effect, advice.reason) == ("handoff", "data_class")


def test_a_secret_without_a_recorded_origin_stays_with_the_first_one() -> None:
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


def test_a_secret_comes_from_the_keyring_where_the_environment_has_none() -> None:
    keyring = pytest.importorskip("keyring", reason="the extra `keyring` is not installed")
    from keyring.backend import KeyringBackend

    class Drawer(KeyringBackend):  # type: ignore[misc]
        """The real package with a keyring of its own."""

        priority = 1.0
        kept: ClassVar = {
            ("uiap", "crm-password"): CANARY,
            ("uiap", "crm-password@origin"): "http://bank.test",
        }

        def get_password(self, service: str, username: str) -> str | None:
            return self.kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.kept[service, username] = password

    before = keyring.get_keyring()
    keyring.set_keyring(Drawer())
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
