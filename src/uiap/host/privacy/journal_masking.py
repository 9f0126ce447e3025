"""What the journal does not keep: what was typed into private fields, and what was read out of a page.

A session only carries messages, so its journal replays as well without their contents: arguments are masked on the way
in, readings left out on the way out, in the event and in the commands alike. An action judges values: where its target
is private, its rows are kept without them, and a replay passes them by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from uiap.host.privacy.private_values import PrivateValues, is_private_name
from uiap.host.privacy.text_masking import MASK
from uiap.instant import Instant
from uiap.protocol import commands as do
from uiap.protocol import events as when
from uiap.runtime.machine import Action, Terms
from uiap.runtime.permission import OPERATIONS
from uiap.spec.action import RuntimeState

ASKS = frozenset(
    {"action.request", "uiap.policy.evaluate"}
    | {f"x.uiap.tools.{one}" for one in ("dialog", "evaluate", "storage")}
)
"""Messages that bring what people type."""
TYPED = frozenset({"args", "text", "value", "expression", "textValue", "numericValue", "content"})
NAMING = frozenset({"target", "scope", "ref"})
"""Which element is meant is no secret, and its ids have a form."""
SAYS_NOTHING = frozenset(
    {"action.accepted", "action.cancelled", "action.confirmation.grant", "action.confirmation.deny", "error"}
    | {"web.state.observing", "web.state.unobserved", "uiap.policy.document", "uiap.policy.changed"}
)
"""Messages of ours that hold nothing of a page, beside those of the session itself."""
KEPT = {
    "actionHandle": "action_handle",
    "status": "status",
    "revision": "revision",
    "tokens": "tokens",
    "subscriptionId": "subscription_id",
}
"""By which a message is known again."""
_AT = ',"payload":'
SEARCHING: tuple[RuntimeState, ...] = ("RECEIVED", "RESOLVING_TARGET", "RECOVERING")


# -- sessions -----------------------------------------------------------------------------------------------


def veiled(event: Any, commands: Sequence[msgspec.Struct]) -> tuple[Any, Sequence[msgspec.Struct]]:
    """A step of a session as it is kept: still the commands that this event gives."""
    if isinstance(event, when.Received) and any(_asks(command) for command in commands):
        masked = msgspec.structs.replace(event, text=_inbound(event.text))
        return masked, [_delivered(command) if _asks(command) else command for command in commands]
    if isinstance(event, when.Published | when.Answered) and _tells(event.type):
        payload = _remains(event.payload)
        body = msgspec.json.encode(payload).decode()
        kept = msgspec.structs.replace(event, payload=payload)
        return kept, [_sent(command, body) for command in commands]
    if isinstance(event, when.Resumed):  # what was missed goes out again
        return event, [_resent(command) for command in commands]
    return event, commands


def _tells(type: str) -> bool:
    spelled = type.replace("uicp.policy.", "uiap.policy.")  # as a peer may want to hear it
    return spelled not in SAYS_NOTHING and not spelled.startswith(("session.", "capabilities."))


def _asks(command: msgspec.Struct) -> bool:
    return isinstance(command, do.Deliver) and command.type in ASKS


def _inbound(text: str) -> str:
    envelope = msgspec.json.decode(text)
    envelope["payload"] = _masked(envelope["payload"])
    return msgspec.json.encode(envelope).decode()


def _delivered(command: Any) -> do.Deliver:
    payload = msgspec.convert(_masked(msgspec.to_builtins(command.payload)), type(command.payload))
    made: do.Deliver = msgspec.structs.replace(command, payload=payload)
    return made


def _masked(value: Any, *, inside: bool = False) -> Any:
    """Everything that was typed; a secret stays a name."""
    if isinstance(value, dict):
        if inside and set(value) == {"secret"}:
            return value
        return {
            key: one if key in NAMING and not inside else _masked(one, inside=inside or key in TYPED)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_masked(one, inside=inside) for one in value]
    if inside and isinstance(value, int | float) and not isinstance(value, bool):
        return 0
    return MASK if inside and isinstance(value, str) else value


def _remains(payload: Any) -> dict[str, Any]:
    """Of a message or of its text; a graph is not taken apart for it."""
    plain = isinstance(payload, dict)
    found = {key: payload.get(key) if plain else getattr(payload, name, None) for key, name in KEPT.items()}
    return {key: value for key, value in found.items() if isinstance(value, str | int)}


def _sent(command: msgspec.Struct, body: str) -> msgspec.Struct:
    if not isinstance(command, do.SendText):
        return command
    return do.SendText(f"{command.text.partition(_AT)[0]}{_AT}{body}}}")


def _resent(command: msgspec.Struct) -> msgspec.Struct:
    if not isinstance(command, do.SendText):
        return command
    envelope = msgspec.json.decode(command.text)
    if not _tells(envelope["type"]):
        return command
    return _sent(command, msgspec.json.encode(_remains(envelope["payload"])).decode())


# -- actions ------------------------------------------------------------------------------------------------


class Keeps(Protocol):
    """The journal, as an action's pages are handed to it."""

    def opened(self, machine: str, kind: str, at: Instant, terms: msgspec.Struct) -> None: ...

    def stepped(
        self,
        machine: str,
        kind: str,
        step: int,
        event: Any,
        commands: Sequence[msgspec.Struct],
        *,
        veil: Callable[[Any], Any] | None = None,
    ) -> None: ...


class Pages:
    """The journal of one action. Held back until its target is known: only then is it known what may be kept."""

    def __init__(self, journal: Keeps, withheld: PrivateValues, terms: Terms, at: Instant) -> None:
        self._journal, self._withheld, self._terms, self._at = journal, withheld, terms, at
        self._held: list[tuple[int, Any, Sequence[msgspec.Struct]]] = []
        self._open = False
        self._private = False

    def stepped(self, step: int, event: Any, commands: Sequence[msgspec.Struct], machine: Action) -> None:
        self._held.append((step, event, commands))
        if machine.target is None and machine.state in SEARCHING:
            return
        if not self._open:
            self._begin(machine)
        held, self._held = self._held, []
        for number, one, wanted in held:
            self._write(number, one, wanted)

    def _begin(self, machine: Action) -> None:
        self._open = True
        target = machine.target
        writes = OPERATIONS.get(machine.primitive.id) == "write"
        # what was to be written into a field that nobody found may have been private
        private = writes if target is None else self._withheld.is_private(target)
        self._private = private or any(is_private_name(name) for name in machine.args)
        terms = _without(self._terms, self._withheld) if self._private else self._terms
        self._journal.opened(self._terms.handle, "action", self._at, terms)

    def _write(self, step: int, event: Any, commands: Sequence[msgspec.Struct]) -> None:
        # a page may repeat elsewhere what it was told in private
        self._private = (
            self._private or self._withheld.records_redaction().text_mask.mask_payload(event) is not event
        )
        self._journal.stepped(
            self._terms.handle,
            "action",
            step,
            event,
            commands,
            veil=self._veil if self._private else None,
        )

    def _veil(self, event: Any) -> Any:
        return self._withheld.records_redaction().text_mask.mask_json(_masked(msgspec.to_builtins(event)))


def _without(terms: Terms, withheld: PrivateValues) -> Terms:
    """The request without what it brings to be written."""
    args = UNSET if terms.request.args is UNSET else _masked(terms.request.args, inside=True)
    request = msgspec.structs.replace(terms.request, args=args)
    made: Terms = msgspec.structs.replace(terms, request=request)
    return withheld.records_redaction().text_mask.mask_payload(made)
