"""The four levels of autonomy, the same in every interface: what an agent may do without asking a person.

A level is a name for built-in rules. The person who opens a session chooses it, and `UIAP_AUTONOMY` is the highest
level that any session may have. No message of a session changes it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from uiap.errors import UiapError
from uiap.policy.builtin import BuiltIn, Rules, documents_of

Autonomy: TypeAlias = Literal["observe", "ask", "assist", "trusted"]
LEVELS: tuple[Autonomy, ...] = get_args(Autonomy)
"""From the least to the most that an agent may do by itself."""
RULES: dict[Autonomy, BuiltIn] = {
    "observe": "observe",
    "ask": "standard",
    "assist": "assist",
    "trusted": "trusted",
}


def level_of(word: str) -> Autonomy:
    """Return the level with this name. Raise UiapError for another word."""
    for level in LEVELS:
        if word == level:
            return level
    raise UiapError(f"`{word}` is no level of autonomy; choose {', '.join(LEVELS[:-1])} or {LEVELS[-1]}")


def permitted_level(asked: str | None, ceiling: str | None, default: Autonomy) -> Autonomy:
    """Return the level to use: as asked, else the ceiling, else the default. Raise UiapError above the ceiling."""
    if not ceiling:
        return level_of(asked) if asked else default
    highest = level_of(ceiling)
    level = level_of(asked) if asked else highest
    if LEVELS.index(level) > LEVELS.index(highest):
        raise UiapError(
            f"the level `{level}` is above UIAP_AUTONOMY, which allows `{highest}` at most; choose a lower one"
        )
    return level


def rules_at(level: Autonomy, documents: Rules | None = None) -> Rules:
    """Return the rules of a level. With documents of a person, the stricter of both decides."""
    if documents is None:
        return RULES[level]
    if level == "trusted":
        return documents
    own = documents_of(documents)
    built_in = documents_of(RULES[level])
    return (*built_in, *(one for one in own if one not in built_in))
