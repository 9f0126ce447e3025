"""All primitive actions, in alphabetical order. To add one: a module, and a line in each list here."""

from __future__ import annotations

from uiap.actions import (
    activate,
    choose,
    clear_text,
    close,
    collapse,
    double_activate,
    drag,
    enter_text,
    expand,
    focus,
    highlight,
    hover,
    invoke,
    long_press,
    navigate,
    open,
    pinch,
    press,
    read,
    scroll,
    scroll_into_view,
    secondary_activate,
    set_value,
    submit,
    toggle,
    upload,
)
from uiap.actions.primitive import Primitive
from uiap.spec.capability import ActionId

ACTIONS: dict[ActionId, Primitive] = {
    primitive.id: primitive
    for primitive in (
        activate.ACTION,
        choose.ACTION,
        clear_text.ACTION,
        close.ACTION,
        collapse.ACTION,
        double_activate.ACTION,
        drag.ACTION,
        enter_text.ACTION,
        expand.ACTION,
        focus.ACTION,
        highlight.ACTION,
        hover.ACTION,
        invoke.ACTION,
        long_press.ACTION,
        navigate.ACTION,
        open.ACTION,
        pinch.ACTION,
        press.ACTION,
        read.ACTION,
        scroll.ACTION,
        scroll_into_view.ACTION,
        secondary_activate.ACTION,
        set_value.ACTION,
        submit.ACTION,
        toggle.ACTION,
        upload.ACTION,
    )
}
