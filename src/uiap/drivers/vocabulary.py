"""The words that a driver can publish, and the signals that it can show.

A capability document declares exactly these (CAP-2.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from uiap.spec.capability import (
    SUCCESS_SIGNAL_KINDS,
    UI_AFFORDANCES,
    UI_ROLES,
    UI_STATE_KEYS,
    RoleName,
    UIAffordance,
    UIStateKey,
)


@dataclass(frozen=True, slots=True)
class GraphVocabulary:
    """Roles, state keys and affordances, each in the order of the specification. Roles may end with vendor words."""

    roles: tuple[RoleName, ...] = UI_ROLES
    state_keys: tuple[UIStateKey, ...] = UI_STATE_KEYS
    affordances: tuple[UIAffordance, ...] = UI_AFFORDANCES
    signal_kinds: tuple[str, ...] = SUCCESS_SIGNAL_KINDS


WHOLE_VOCABULARY = GraphVocabulary()


def graph_vocabulary(
    *,
    roles: Iterable[str],
    state_keys: Iterable[str],
    affordances: Iterable[str],
    no_signals: Iterable[str] = (),
) -> GraphVocabulary:
    """Return the vocabulary of these words, ordered, and all signals but those named."""
    missing = set(no_signals)
    words, keys, offered = set(roles), set(state_keys), set(affordances)
    return GraphVocabulary(
        roles=(*(one for one in UI_ROLES if one in words), *sorted(words - set(UI_ROLES))),
        state_keys=tuple(one for one in UI_STATE_KEYS if one in keys),
        affordances=tuple(one for one in UI_AFFORDANCES if one in offered),
        signal_kinds=tuple(one for one in SUCCESS_SIGNAL_KINDS if one not in missing),
    )
