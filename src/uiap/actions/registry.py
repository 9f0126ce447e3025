"""All primitive actions, in alphabetical order. Adding one is one file and one line here."""

from __future__ import annotations

from uiap.actions import activate, choose, clear_text, enter_text, focus, navigate, read, toggle
from uiap.actions.primitive import Primitive
from uiap.spec.capability import ActionId

ACTIONS: dict[ActionId, Primitive] = {
    primitive.id: primitive
    for primitive in (
        activate.ACTION,
        choose.ACTION,
        clear_text.ACTION,
        enter_text.ACTION,
        focus.ACTION,
        navigate.ACTION,
        read.ACTION,
        toggle.ACTION,
    )
}
