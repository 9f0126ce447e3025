"""The verbs of a session without async; see `uiap.api.verbs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack

from uiap.api.begun import BegunAction
from uiap.api.loop_thread import thread
from uiap.api.result import Result
from uiap.api.ui import Ui
from uiap.api.verbs import Target, TargetOptions, VerbOptions
from uiap.spec.action import ActionConfirmationRequestPayload, ActionProgressPayload


class SyncBegunAction:
    """A running action, without async; see `BegunAction`."""

    def __init__(self, begun: BegunAction) -> None:
        self._begun = begun
        self.handle = begun.handle

    @property
    def progress(self) -> list[ActionProgressPayload]:
        """The stages so far."""
        return self._begun.progress

    @property
    def question(self) -> ActionConfirmationRequestPayload | None:
        """The confirmation request, if the action waits for a person."""
        return self._begun.question

    @property
    def done(self) -> bool:
        return self._begun.done

    def result(self, *, check: bool = True) -> Result:
        """Wait for the result; raise `ActionFailed` if the effect was not observed, unless `check` is False."""
        return thread.run(self._begun.result(check=check))

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the action; its question to a person is withdrawn."""
        thread.run(self._begun.cancel(reason))


class SyncVerbs:
    """The verbs. An action whose effect was not observed raises `uiap.ActionFailed`, with the result inside."""

    _ui: Ui

    def click(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Press a button, follow a link or pick a menu item."""
        return thread.run(self._ui.click(target, **options))

    def double_click(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Press an element twice in a row."""
        return thread.run(self._ui.double_click(target, **options))

    def right_click(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Press an element with the secondary button."""
        return thread.run(self._ui.right_click(target, **options))

    def fill(
        self,
        target: Target,
        text: str | None = None,
        *,
        secret: str | None = None,
        **options: Unpack[VerbOptions],
    ) -> Result:
        """Replace the text of a field."""
        return thread.run(self._ui.fill(target, text, secret=secret, **options))

    def clear(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Empty a field."""
        return thread.run(self._ui.clear(target, **options))

    def select(self, target: Target, *choices: str, **options: Unpack[VerbOptions]) -> Result:
        """Choose options of a list by text or value; without choices, choose the target option itself."""
        return thread.run(self._ui.select(target, *choices, **options))

    def check(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Switch a checkbox or switch on."""
        return thread.run(self._ui.check(target, **options))

    def uncheck(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Switch a checkbox or switch off."""
        return thread.run(self._ui.uncheck(target, **options))

    def set(self, target: Target, value: float | str, **options: Unpack[VerbOptions]) -> Result:
        """Set a slider, number, date, time or colour."""
        return thread.run(self._ui.set(target, value, **options))

    def press(self, key: str, target: Target | None = None, **options: Unpack[VerbOptions]) -> Result:
        """Press a key or chord, on an element or where the focus is."""
        return thread.run(self._ui.press(key, target, **options))

    def hover(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Move the pointer over an element."""
        return thread.run(self._ui.hover(target, **options))

    def drag(self, target: Target, onto: Target, **options: Unpack[VerbOptions]) -> Result:
        """Drag an element onto another."""
        return thread.run(self._ui.drag(target, onto, **options))

    def upload(self, target: Target, *files: str | Path, **options: Unpack[VerbOptions]) -> Result:
        """Give files to a file input, or to the chooser that a button opens."""
        return thread.run(self._ui.upload(target, *files, **options))

    def submit(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Submit a form, named by itself, one of its fields or its button."""
        return thread.run(self._ui.submit(target, **options))

    def expand(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Open a section, tree item or accordion."""
        return thread.run(self._ui.expand(target, **options))

    def collapse(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Close a section, tree item or accordion."""
        return thread.run(self._ui.collapse(target, **options))

    def focus(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Move the focus to an element."""
        return thread.run(self._ui.focus(target, **options))

    def invoke(self, action: str, *, options: VerbOptions | None = None, **args: Any) -> Result:
        """Run an action that the application declared."""
        return thread.run(self._ui.invoke(action, options=options, **args))

    def do(self, steps: str | Sequence[Mapping[str, Any]], *, check: bool = True) -> list[Result]:
        """Do several steps in one call. Each is verified, and the first that is not ends the call."""
        return thread.run(self._ui.do(steps, check=check))

    def fill_form(self, fields: Mapping[str, Any], *, check: bool = True) -> list[Result]:
        """Fill in several fields in one call; the role of each field decides how."""
        return thread.run(self._ui.fill_form(fields, check=check))

    def goto(self, url: str, **options: Unpack[VerbOptions]) -> Result:
        """Go to a URL and wait for the page."""
        return thread.run(self._ui.goto(url, **options))

    def back(self, **options: Unpack[VerbOptions]) -> Result:
        """Go back to the page before."""
        return thread.run(self._ui.back(**options))

    def forward(self, **options: Unpack[VerbOptions]) -> Result:
        """Go forward again after `back`."""
        return thread.run(self._ui.forward(**options))

    def reload(self, **options: Unpack[VerbOptions]) -> Result:
        """Load the page again."""
        return thread.run(self._ui.reload(**options))

    def read(
        self,
        target: Target,
        what: Literal["text", "value", "description", "state"] = "text",
        **options: Unpack[TargetOptions],
    ) -> Any:
        """Return the text, value, description or state of an element."""
        return thread.run(self._ui.read(target, what, **options))

    def text(self, target: Target, **options: Unpack[TargetOptions]) -> str:
        """Return the text of an element and of everything in it."""
        return thread.run(self._ui.text(target, **options))

    def table(self, target: Target | None = None, **options: Unpack[TargetOptions]) -> list[dict[str, str]]:
        """Return the rows of a table or list, each as a dictionary by column name."""
        return thread.run(self._ui.table(target, **options))

    def request(self, payload: Mapping[str, Any]) -> SyncBegunAction:
        """Send an `action.request` as the protocol writes it, and return the running action."""
        return SyncBegunAction(thread.run(self._ui.request(payload)))

    def begin(
        self, verb: str, target: Target | None = None, value: Any = None, **options: Unpack[VerbOptions]
    ) -> SyncBegunAction:
        """Begin a verb and return at once; the returned object has its progress, its result and `cancel`."""
        return SyncBegunAction(thread.run(self._ui.begin(verb, target, value, **options)))
