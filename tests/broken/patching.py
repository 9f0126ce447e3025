"""Ways to break one thing in this process. The breakers use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from uiap.runtime import events as when
from uiap.runtime import lifecycle
from uiap.runtime.result import ResultBuilder
from uiap.spec.action import RuntimeState


def patch(owner: Any, name: str, value: Any) -> None:
    """Replace an attribute that exists. A renamed one would leave the lie without effect."""
    assert hasattr(owner, name), f"{owner!r} has no `{name}`"
    setattr(owner, name, value)


def handle(state: str, event: type[when.Event], handler: Any) -> None:
    """Replace the handler of one row of the table; the new one may move anywhere."""
    row = lifecycle.Row(handler, frozenset(get_args(RuntimeState)))
    lifecycle.TABLE = {**lifecycle.TABLE, (state, event): row}  # type: ignore[dict-item]


def after(module: Any, name: str, then: Callable[[Any], Any]) -> None:
    """Run the function, then do this to its action."""
    original = getattr(module, name)

    def broken(action: Any, *args: Any, **members: Any) -> Any:
        commands = original(action, *args, **members)
        then(action)
        return commands

    setattr(module, name, broken)


def before(module: Any, name: str, first: Callable[[Any], Any]) -> None:
    """Do this to the action, then run the function."""
    original = getattr(module, name)

    def broken(action: Any, *args: Any, **members: Any) -> Any:
        first(action)
        return original(action, *args, **members)

    setattr(module, name, broken)


def change_result(edit: Callable[[Any], Any]) -> None:
    """Change every result before it is sent."""
    original = ResultBuilder.build
    ResultBuilder.build = lambda self, *args, **members: edit(original(self, *args, **members))  # type: ignore[method-assign]
