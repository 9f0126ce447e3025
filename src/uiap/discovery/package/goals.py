"""The category of a workflow, from the words of its goal."""

from __future__ import annotations

import re

from uiap.graph.names import normalised
from uiap.spec.workflow import CoreWorkflowCategory

_WORDS: tuple[tuple[CoreWorkflowCategory, str], ...] = (
    (
        "onboarding",
        r"sign (in|up)|log ?in|register|get started|welcome|anmelden|registrieren|connexion|inscri",
    ),
    ("setup", r"settings?|preferences|configur|set up|setup|connect|install|einstellung|einricht|profile?"),
    ("support", r"help|contact|feedback|report a|support|hilfe|kontakt|aide"),
    ("recovery", r"reset|restore|recover|undo|retry|forgot|zurücksetzen|wiederherstell"),
)


def category_of(goal: str, scope: str) -> CoreWorkflowCategory:
    """Return the category that the goal names, else the one that its scope names; `task` for every other goal."""
    for text in (normalised(goal), normalised(re.sub(r"[._/-]", " ", scope))):
        for category, words in _WORDS:
            if re.search(rf"\b(?:{words})", text):
                return category
    return "task"
