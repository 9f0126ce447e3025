"""Masking of the journal: values typed into private fields and values read from a page are not stored.

A session only carries messages, so its journal replays without their contents: arguments are masked in the event and in
the commands alike. An action judges values: where its target is private, its steps are stored without them, and a
replay skips them.
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
from uiap.runtime import commands as action_commands
from uiap.runtime.action import ActionTerms
from uiap.runtime.permission import OPERATIONS
from uiap.spec.action import ActionProgressPayload
from uiap.spec.web import ElementNode

INPUT_MESSAGES = frozenset(
    {"action.request", "uiap.policy.evaluate"}
    | {f"x.uiap.tools.{one}" for one in ("dialog", "evaluate", "storage")}
)
"""Messages that carry typed values."""
QUESTIONS = frozenset(f"x.uiap.tools.{one}" for one in ("expect", "wait", "find", "outline", "log"))
"""Messages that ask for something. A question may contain the value it asks for."""
ASKED = frozenset(
    {"text", "value", "textValue", "name", "near", "contains", "pattern", "urlPattern", "query"}
)
TYPED = frozenset({"args", "text", "value", "expression", "textValue", "numericValue", "content"})
NAMING = frozenset({"target", "scope", "ref"})
"""Members that name an element. They are not secret."""
WITHOUT_CONTENTS = frozenset(
    {"action.accepted", "action.cancelled", "action.confirmation.grant", "action.confirmation.deny", "error"}
    | {"web.state.observing", "web.state.unobserved", "uiap.policy.document", "uiap.policy.changed"}
)
"""Messages of the host that hold nothing of a page, besides the session messages."""
KEPT = {
    "actionHandle": "action_handle",
    "status": "status",
    "revision": "revision",
    "tokens": "tokens",
    "subscriptionId": "subscription_id",
}
"""Members of a message that are stored."""
_AT = ',"payload":'
SEARCHING = frozenset({"resolving_target", "recovering"})
"""The stages in which the target of an action is not known yet."""


# -- sessions -----------------------------------------------------------------------------------------------


def mask_session_step(event: Any, commands: Sequence[msgspec.Struct]) -> tuple[Any, Sequence[msgspec.Struct]]:
    """Return a session step without private contents. The masked event still leads to the masked commands."""
    if isinstance(event, when.Received) and any(_brings_input(command) for command in commands):
        masked = msgspec.structs.replace(event, text=_inbound(event.text))
        return masked, [_delivered(command) if _brings_input(command) else command for command in commands]
    if isinstance(event, when.Published | when.Answered) and _has_contents(event.type):
        payload = _stored_members(event.payload)
        body = msgspec.json.encode(payload).decode()
        kept = msgspec.structs.replace(event, payload=payload)
        return kept, [_sent(command, body) for command in commands]
    if isinstance(event, when.Resumed):  # messages that the peer missed are sent again
        return event, [_resent(command) for command in commands]
    return event, commands


def _has_contents(type: str) -> bool:
    spelled = type.replace("uicp.policy.", "uiap.policy.")  # the alias a peer may use
    return spelled not in WITHOUT_CONTENTS and not spelled.startswith(("session.", "capabilities."))


def _brings_input(command: msgspec.Struct) -> bool:
    return isinstance(command, do.Deliver) and command.type in INPUT_MESSAGES | QUESTIONS


def _inbound(text: str) -> str:
    envelope = msgspec.json.decode(text)
    envelope["payload"] = _masked_payload(envelope["type"], envelope["payload"])
    return msgspec.json.encode(envelope).decode()


def _masked_payload(type: str, payload: Any) -> Any:
    return _masked_question(payload) if type in QUESTIONS else _masked(payload)


def _masked_question(value: Any, *, asked: bool = False) -> Any:
    """Return a question without the texts and values it asks for."""
    if isinstance(value, dict):
        return {key: _masked_question(one, asked=key in ASKED) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_masked_question(one, asked=asked) for one in value]
    if asked and isinstance(value, int | float) and not isinstance(value, bool):
        return 0
    return MASK if asked and isinstance(value, str) else value


def _delivered(command: Any) -> do.Deliver:
    plain = _masked_payload(command.type, msgspec.to_builtins(command.payload))
    payload = msgspec.convert(plain, type(command.payload))
    made: do.Deliver = msgspec.structs.replace(command, payload=payload)
    return made


def _masked(value: Any, *, inside: bool = False) -> Any:
    """Return the value with everything typed masked. A named secret stays a name."""
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


def _stored_members(payload: Any) -> dict[str, Any]:
    """Return the stored members of a payload."""
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
    if not _has_contents(envelope["type"]):
        return command
    return _sent(command, msgspec.json.encode(_stored_members(envelope["payload"])).decode())


# -- actions ------------------------------------------------------------------------------------------------


class StepJournal(Protocol):
    """The journal, as the steps of an action are handed to it."""

    def opened(self, machine: str, kind: str, at: Instant, terms: msgspec.Struct) -> None: ...

    def stepped(
        self,
        machine: str,
        kind: str,
        step: int,
        event: Any,
        commands: Sequence[msgspec.Struct],
        *,
        mask: Callable[[Any], Any] | None = None,
    ) -> None: ...


class ActionJournal:
    """The journal of one action. Steps are held back until the target shows which values may be stored."""

    def __init__(self, journal: StepJournal, values: PrivateValues, terms: ActionTerms, at: Instant) -> None:
        self._journal, self._values, self._terms, self._at = journal, values, terms, at
        values.learn_args({} if terms.request.args is UNSET else terms.request.args, None)
        self._held: list[tuple[int, Any, Sequence[msgspec.Struct]]] = []
        self._target: ElementNode | None = None
        self._opened = False
        self._private = False

    def stepped(self, step: int, event: Any, commands: Sequence[msgspec.Struct]) -> None:
        self._held.append((step, event, commands))
        if not self._opened:
            if not self._learn_target(commands):
                return
            self._open()
        held, self._held = self._held, []
        for number, one, wanted in held:
            self._write(number, one, wanted)

    def _learn_target(self, commands: Sequence[msgspec.Struct]) -> bool:
        """Return whether the search for the target is over, found or not."""
        over = False
        for command in commands:
            if isinstance(command, action_commands.UseTarget):
                self._target = command.element
            progress = command.payload if isinstance(command, action_commands.Emit) else None
            if isinstance(progress, ActionProgressPayload) and progress.stage not in SEARCHING:
                over = True
            over = over or isinstance(command, action_commands.Finish)
        return over

    def _open(self) -> None:
        self._opened = True
        request = self._terms.request
        args = {} if request.args is UNSET else request.args
        writes = OPERATIONS.get(request.action_id) == "write"
        # a field that was not found may have been private, so what was to be written into it is masked
        private = writes if self._target is None else self._values.is_private(self._target)
        mask = self._values.records_redaction().text_mask
        self._private = (
            private
            or any(is_private_name(name) for name in args)
            or mask.mask_payload(self._terms) is not self._terms  # an expectation may name a private value
        )
        terms = _without_args(self._terms, self._values) if self._private else self._terms
        self._journal.opened(self._terms.handle, "action", self._at, terms)

    def _write(self, step: int, event: Any, commands: Sequence[msgspec.Struct]) -> None:
        # a page may repeat a private value anywhere
        self._private = (
            self._private or self._values.records_redaction().text_mask.mask_payload(event) is not event
        )
        self._journal.stepped(
            self._terms.handle,
            "action",
            step,
            event,
            commands,
            mask=self._mask if self._private else None,
        )

    def _mask(self, event: Any) -> Any:
        return self._values.records_redaction().text_mask.mask_json(_masked(msgspec.to_builtins(event)))


def _without_args(terms: ActionTerms, values: PrivateValues) -> ActionTerms:
    """Return the terms with their arguments masked."""
    args = UNSET if terms.request.args is UNSET else _masked(terms.request.args, inside=True)
    request = msgspec.structs.replace(terms.request, args=args)
    made: ActionTerms = msgspec.structs.replace(terms, request=request)
    return values.records_redaction().text_mask.mask_payload(made)
