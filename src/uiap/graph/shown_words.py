"""The words of an application that its elements show: its own roles, and the actions that it names at them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import UNSET

from uiap.spec.web import ElementNode


class ShownWords(NamedTuple):
    roles: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()


def shown_words(elements: Iterable[ElementNode]) -> ShownWords:
    """Return the custom roles and the ids of actions that these elements show."""
    roles: set[str] = set()
    actions: set[str] = set()
    for one in elements:
        if one.custom_role is not UNSET:
            roles.add(one.custom_role)
        if one.default_action is not UNSET:
            actions.add(one.default_action)
        if one.supported_actions is not UNSET:
            actions.update(one.supported_actions)
    return ShownWords(frozenset(roles), frozenset(actions))
