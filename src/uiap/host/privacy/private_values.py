"""Values of one interface that not everybody may read: seen in its fields, typed into them, or given by name.

They are remembered while the interface is open, so that a toast, a heading, an address or an error that repeats one is
scrubbed too. Held in memory alone; whoever may read the field may read its echo.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.drivers import events as seen
from uiap.host.privacy.redaction import RECORDS_READER, Redaction
from uiap.host.privacy.text_masking import TextMask, is_distinctive
from uiap.policy import inference
from uiap.spec.policy import PolicyDocument, PolicyPrincipal
from uiap.spec.web import ElementNode

KEPT = 500


class PrivateValues:
    """Of one page under one set of policies."""

    def __init__(
        self, documents: Iterable[PolicyDocument], secrets: Callable[[], Iterable[str]] = lambda: ()
    ) -> None:
        self._secrets = secrets
        self._values: OrderedDict[str, ElementNode | None] = OrderedDict()
        self._redactions: dict[bytes, tuple[tuple[str, ...], Redaction]] = {}
        """For each reader, until another value is learned."""
        self.use_policies(documents)

    def use_policies(self, documents: Iterable[PolicyDocument]) -> None:
        """The policies in force."""
        self._documents = tuple(documents)
        self._records_rules = Redaction(self._documents, RECORDS_READER)
        self._redactions.clear()

    # -- what is learned ------------------------------------------------------------------------------------

    def on_event(self, event: seen.AnyEvent, element: Callable[[str], ElementNode | None]) -> None:
        """The page published something: fields that changed, or all of them."""
        if not isinstance(event, seen.GraphChanged):
            return
        if event.graph is not None:
            self.learn_elements(event.graph.elements)
        elif event.delta is not None and event.delta.elements is not UNSET:
            nodes = event.delta.elements
            self.learn_elements(nodes.added or ())
            changed = (element(patch.key) for patch in nodes.updated or () if "state" in patch.patch)
            self.learn_elements(one for one in changed if one is not None)

    def learn_elements(self, elements: Iterable[ElementNode]) -> None:
        for element in elements:
            state = element.state
            for value in (state.text_value, state.numeric_value):
                if value is not UNSET and self.is_private(element):
                    self.learn(str(value), element)

    def learn_args(self, args: dict[str, Any], element: ElementNode | None) -> None:
        """What somebody wants written into a field, or gives to a function under a telling name."""
        hidden = element is not None and self.is_private(element)
        for name, value in args.items():
            if hidden or is_private_name(name):
                for one in _strings(value):
                    self.learn(one, element)

    def learn(self, value: str, element: ElementNode | None) -> None:
        if not is_distinctive(value) or self._values.get(value, self) is element:
            return
        self._redactions.clear()
        self._values[value] = element
        self._values.move_to_end(value)
        if len(self._values) > KEPT:
            self._values.popitem(last=False)

    def is_private(self, element: ElementNode) -> bool:
        """Its value is withheld from somebody, and is more than a name that stands everywhere anyway."""
        how = self._records_rules.redaction_of(element)
        return (how is not None and how.data_class != "personal") or element.state.sensitive is True

    # -- who may read what ----------------------------------------------------------------------------------

    def redaction_for(self, principal: PolicyPrincipal) -> Redaction:
        """For one reader, with a scrub of everything that it may not read."""
        reader, secrets = msgspec.msgpack.encode(principal), tuple(self._secrets())
        known = self._redactions.get(reader)
        if known is not None and known[0] == secrets:
            return known[1]
        made = Redaction(self._documents, principal)
        made.text_mask = self._text_mask_for(made, principal)
        self._redactions[reader] = secrets, made
        return made

    def records_redaction(self) -> Redaction:
        """For what is written down."""
        return self.redaction_for(RECORDS_READER)

    def _text_mask_for(self, redaction: Redaction, principal: PolicyPrincipal) -> TextMask:
        trusted = "read.secret" in (principal.grants or ())
        values = [v for v, element in self._values.items() if not _may_read(redaction, element, trusted)]
        return TextMask([*values, *(() if trusted else self._secrets())])


def _may_read(redaction: Redaction, element: ElementNode | None, trusted: bool) -> bool:
    if element is None or element.state.sensitive is True:
        return trusted
    return redaction.redaction_of(element) is None


def is_private_name(name: str) -> bool:
    """An argument called `password` or `cardNumber` holds one."""
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
