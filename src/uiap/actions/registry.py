"""All primitive actions, in alphabetical order. Adding one is one file and one line here."""

from __future__ import annotations

from uiap.actions import (
    activate,
    choose,
    clear_text,
    collapse,
    enter_text,
    expand,
    focus,
    navigate,
    read,
    scroll_into_view,
    set_value,
    toggle,
)
from uiap.actions.primitive import Primitive
from uiap.spec.capability import ActionId

ACTIONS: dict[ActionId, Primitive] = {
    primitive.id: primitive
    for primitive in (
        activate.ACTION,
        choose.ACTION,
        clear_text.ACTION,
        collapse.ACTION,
        enter_text.ACTION,
        expand.ACTION,
        focus.ACTION,
        navigate.ACTION,
        read.ACTION,
        scroll_into_view.ACTION,
        set_value.ACTION,
        toggle.ACTION,
    )
}
