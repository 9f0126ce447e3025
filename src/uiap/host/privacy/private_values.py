"""Private values of one page: found in its fields, typed into them, or given as named secrets.

They are remembered while the page is open, so that a toast, heading, URL or error that repeats one is masked too. They
are held in memory only. A reader who may read the field may also read its repetitions.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote

import msgspec
from msgspec import UNSET

from uiap.drivers import events as seen
from uiap.host.observation.page import Page
from uiap.host.privacy.echoes import is_distinctive
from uiap.host.privacy.redaction import RECORDS_READER, Redaction
from uiap.host.privacy.text_masking import TextMask
from uiap.policy import inference
from uiap.spec.policy import PolicyDocument, PolicyPrincipal
from uiap.spec.web import ElementNode

MAX_VALUES = 200
MAX_ADDRESS = 2_000
_USER_INFO = re.compile(r"://[^/?#@\s:]{0,200}:([^/?#@\s]{1,200})@")
"""The password in an address."""


class PrivateValues:
    """The private values of one page under one set of policies."""

    def __init__(
        self, documents: Iterable[PolicyDocument], secrets: Callable[[], Iterable[str]] = lambda: ()
    ) -> None:
        self._secrets = secrets
        self._values: OrderedDict[str, ElementNode | None] = OrderedDict()
        self._typed: OrderedDict[str, ElementNode | None] = OrderedDict()
        self._redactions: dict[bytes, tuple[tuple[str, ...], Redaction]] = {}
        """The redaction of each reader, until another value is learned."""
        self.use_policies(documents)

    def use_policies(self, documents: Iterable[PolicyDocument]) -> None:
        """Use these policies from now on."""
        self._documents = tuple(documents)
        self._records_rules = Redaction(self._documents, RECORDS_READER)
        self._redactions.clear()

    # -- learning -------------------------------------------------------------------------------------------

    def follow(self, page: Page) -> None:
        """Learn from every graph and every change of a page."""
        page.preparations.append(self.learn_graph)
        page.listen(
            lambda event: (
                self.on_event(event, page.tab(event.tab).store.element)
                if isinstance(event, seen.GraphChanged)
                else None
            )
        )

    def on_event(self, event: seen.AnyEvent, element: Callable[[str], ElementNode | None]) -> None:
        """Learn the private fields of a change."""
        if not isinstance(event, seen.GraphChanged):
            return
        if event.delta is not None and event.delta.elements is not UNSET:
            nodes = event.delta.elements
            self.learn_elements(nodes.added or ())
            changed = (element(patch.key) for patch in nodes.updated or () if "state" in patch.patch)
            self.learn_elements(one for one in changed if one is not None)

    def learn_graph(self, event: seen.GraphChanged) -> None:
        """Learn the private fields of a graph before any reader gets it. The caller may run this in a thread."""
        if event.graph is not None:
            self.learn_elements(event.graph.elements)

    def learn_elements(self, elements: Iterable[ElementNode]) -> None:
        """Learn the values of the private fields among these elements."""
        for element in elements:
            self._learn_passwords_of(element)
            state = element.state
            for value in (state.text_value, state.numeric_value):
                if value is not UNSET and self.is_private(element):
                    self.learn(str(value), element)

    def learn_args(self, args: dict[str, Any], element: ElementNode | None) -> None:
        """Learn action arguments that go into a private field or have a private name, such as `password`."""
        hidden = element is not None and self.is_private(element)
        for text in _strings(args):
            self._learn_password_in(text)
        for name, value in args.items():
            if hidden or is_private_name(name):
                for one in _strings(value):
                    self.learn(one, element, typed=True)

    def _learn_passwords_of(self, element: ElementNode) -> None:
        """Learn passwords in addresses such as https://ann:secret@example.com/, which any reader would see."""
        metadata = element.metadata
        address = metadata.get("href") if isinstance(metadata, dict) else None
        for text in (address, element.name, element.text):
            if isinstance(text, str) and "@" in text:
                self._learn_password_in(text)

    def _learn_password_in(self, text: str) -> None:
        if "@" in text and "://" in text:
            for found in _USER_INFO.finditer(text[:MAX_ADDRESS]):
                self.learn(unquote(found.group(1)), None)
                self.learn(found.group(1), None)

    def learn(self, value: str, element: ElementNode | None, *, typed: bool = False) -> None:
        """Remember a private value and the element it belongs to.

        Typed values are kept apart: a page with many private fields cannot make us forget what was typed into it.
        """
        values = self._typed if typed else self._values
        if not is_distinctive(value) or values.get(value, self) is element:
            return
        self._redactions.clear()
        values[value] = element
        values.move_to_end(value)
        if len(values) > MAX_VALUES:
            values.popitem(last=False)

    def is_private(self, element: ElementNode) -> bool:
        """Return whether records must not hold the element's value. Personal names alone do not count."""
        redaction = self._records_rules.redaction_of(element)
        return (
            redaction is not None and redaction.data_class != "personal"
        ) or element.state.sensitive is True

    # -- readers --------------------------------------------------------------------------------------------

    def redaction_for(self, principal: PolicyPrincipal) -> Redaction:
        """Return the redaction of one reader, with a text mask of all values it may not read."""
        reader, secrets = msgspec.msgpack.encode(principal), tuple(self._secrets())
        known = self._redactions.get(reader)
        if known is not None and known[0] == secrets:
            return known[1]
        mask = self._text_mask_for(Redaction(self._documents, principal), principal)
        made = Redaction(self._documents, principal, mask)
        self._redactions[reader] = secrets, made
        return made

    def records_redaction(self) -> Redaction:
        """Return the redaction of stored records."""
        return self.redaction_for(RECORDS_READER)

    def _text_mask_for(self, redaction: Redaction, principal: PolicyPrincipal) -> TextMask:
        trusted = "read.secret" in (principal.grants or ())
        values = [
            v
            for v, element in [*self._typed.items(), *self._values.items()]
            if not _may_read(redaction, element, trusted)
        ]
        return TextMask([*values, *(() if trusted else self._secrets())])


def _may_read(redaction: Redaction, element: ElementNode | None, trusted: bool) -> bool:
    if element is None or element.state.sensitive is True:
        return trusted
    return redaction.redaction_of(element) is None


def is_private_name(name: str) -> bool:
    """Return whether an argument of this name holds a private value, as `password` or `cardNumber` does."""
    return bool(inference.data_class_hints(inference.identifier_words(name)))


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        if set(value) != {"secret"}:
            for one in value.values():
                yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)
