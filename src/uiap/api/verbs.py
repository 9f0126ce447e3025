"""The verbs of a session in Python: `await ui.click("Create video")`, `fill`, `select`, `table`, …

Each method builds the request of its row in `uiap.client.verbs`. `Ui` sends it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, Unpack

from uiap.api.begun import BegunAction
from uiap.api.found import ElementMatch, clear_match
from uiap.api.result import Result
from uiap.api.steps import Looks, StepFailed, field_steps, run_steps
from uiap.client.steps import Step, parse_steps
from uiap.client.verbs import VERBS, VerbError, action_request, element_ref, verb_named
from uiap.errors import InvalidPayload
from uiap.spec.capability import SuccessSignal


class HasRef(Protocol):
    """An element of a snapshot or a match of `find`."""

    @property
    def instance_id(self) -> str: ...


Target: TypeAlias = str | HasRef
"""An element: its name, its ref such as `e53`, or a result of `find`."""


class TargetOptions(TypedDict, total=False):
    """Options that narrow the target of a verb."""

    role: str
    """Only an element with this role, such as `button`."""
    near: str
    """Only the element in the row, card or section with this text."""
    within: str
    """Only an element inside this part of the page: the name of a form, dialog or region."""


class VerbOptions(TargetOptions, total=False):
    """Options of every verb that acts."""

    expect: Sequence[SuccessSignal | Mapping[str, Any]]
    """The effects that must be observed; without them the action's own proof counts."""
    timeout_ms: float
    """End after this time, with or without a person's answer. Without it: 15,000, and an action that waits for a person
    raises `PersonNeeded` at once."""
    idempotency_key: str
    """A name for this request; with the same name it happens at most once."""
    on_progress: Callable[[Any], None]
    """A function that gets every `action.progress`."""
    check: bool
    """Raise `ActionFailed` if the effect was not observed (default); False returns the result."""


class UiVerbs(ABC):
    """The verbs. An action whose effect was not observed raises `uiap.ActionFailed`, with the result inside.

    An action that waits for a person raises `uiap.PersonNeeded` at once, with the running action inside.
    """

    @abstractmethod
    async def _run_request(self, request: dict[str, Any], options: VerbOptions) -> Result:
        """Send the request of a verb and return its result."""

    @abstractmethod
    async def _begin_request(self, request: dict[str, Any], options: VerbOptions) -> BegunAction:
        """Send the request of a verb and return the running action."""

    @abstractmethod
    def _page(self) -> Looks:
        """Return the methods that look at the page."""

    @abstractmethod
    async def find(
        self,
        text: str,
        *,
        role: Any = None,
        scope: str | None = None,
        near: str | None = None,
        limit: int = 10,
        scroll: bool = False,
    ) -> list[ElementMatch]:
        """Return the matching elements, best first."""

    async def begin(
        self, verb: str, target: Target | None = None, value: Any = None, **options: Unpack[VerbOptions]
    ) -> BegunAction:
        """Begin a verb and return at once; the returned object has its progress, its result and `cancel`.

        Args:
            verb: The name of the verb, such as `click`.
            target: The element, by name, ref or a result of `find`.
            value: The value of the verb, such as the text of `fill`.
            options: See `VerbOptions`.
        """
        return await self._begin_request(await self._request(verb, target, value, options), options)

    # -- acting ---------------------------------------------------------------------------------------------

    async def click(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Press a button, follow a link or pick a menu item.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("click", target, None, options)

    async def double_click(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Press an element twice in a row.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("double_click", target, None, options)

    async def right_click(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Press an element with the secondary button.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("right_click", target, None, options)

    async def fill(
        self,
        target: Target,
        text: str | None = None,
        *,
        secret: str | None = None,
        **options: Unpack[VerbOptions],
    ) -> Result:
        """Replace the text of a field.

        Args:
            target: The field, by name, ref or a result of `find`.
            text: The text.
            secret: The name of a secret to type instead; its value never passes the agent.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        value = {"secret": secret} if secret is not None else text
        return await self._run("fill", target, value, options)

    async def clear(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Empty a field.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("clear", target, None, options)

    async def select(self, target: Target, *choices: str, **options: Unpack[VerbOptions]) -> Result:
        """Choose options of a list by text or value; without choices, choose the target option itself.

        Args:
            target: The list, combobox or option, by name, ref or a result of `find`.
            choices: The options to choose.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("select", target, choices or None, options)

    async def check(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Switch a checkbox or switch on.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("check", target, None, options)

    async def uncheck(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Switch a checkbox or switch off.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("uncheck", target, None, options)

    async def set(self, target: Target, value: float | str, **options: Unpack[VerbOptions]) -> Result:
        """Set a slider, number, date, time or colour.

        Args:
            target: The element, by name, ref or a result of `find`.
            value: The value; a date, time or colour as text.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("set", target, value, options)

    async def press(self, key: str, target: Target | None = None, **options: Unpack[VerbOptions]) -> Result:
        """Press a key or chord, on an element or where the focus is.

        Args:
            key: `Enter`, `a`, `Control+Shift+K`.
            target: The element, by name, ref or a result of `find`; without it, the focused one.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("press", target, key, options)

    async def hover(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Move the pointer over an element.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("hover", target, None, options)

    async def drag(self, target: Target, onto: Target, **options: Unpack[VerbOptions]) -> Result:
        """Drag an element onto another.

        Args:
            target: The element, by name, ref or a result of `find`.
            onto: The element to drop it on, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("drag", target, await self._ref(onto), options)

    async def upload(self, target: Target, *files: str | Path, **options: Unpack[VerbOptions]) -> Result:
        """Give files to a file input, or to the chooser that a button opens.

        Args:
            target: The file input or button, by name, ref or a result of `find`.
            files: Paths in a folder that the session declares for uploads.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("upload", target, files or None, options)

    async def submit(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Submit a form, named by itself, one of its fields or its button.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("submit", target, None, options)

    async def expand(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Open a section, tree item or accordion.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("expand", target, None, options)

    async def collapse(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Close a section, tree item or accordion.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("collapse", target, None, options)

    async def focus(self, target: Target, **options: Unpack[VerbOptions]) -> Result:
        """Move the focus to an element.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("focus", target, None, options)

    async def invoke(self, action: str, *, options: VerbOptions | None = None, **args: Any) -> Result:
        """Run an action that the application declared.

        Args:
            action: Its id, such as `video.create`.
            options: `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
            args: The arguments of the action by name.
        """
        request = action_request("invoke", None, action, args={"args": args} if args else {})
        return _checked(await self._run_request(request, options or {}), options or {})

    # -- several steps --------------------------------------------------------------------------------------

    async def do(self, steps: str | Sequence[Mapping[str, Any]], *, check: bool = True) -> list[Result]:
        """Do several steps in one call. Each is verified, and the first that is not ends the call.

        Args:
            steps: `"fill Title=Hello; select Category=Tutorial; click Create video"`, or a list of objects such as
                `{"do": "click", "target": "Delete", "near": "user-7"}`. `find`, `observe`, `wait` and `expect` may
                stand between the verbs; what they and `text` and `table` read is the return value of their result.
            check: Raise `StepFailed`, an `ActionFailed`, at the first step that is not verified; otherwise return the
                results so far.
        """
        try:
            return await self._run_steps(parse_steps(steps), check)
        except VerbError as error:
            raise InvalidPayload(str(error)) from None

    async def fill_form(self, fields: Mapping[str, Any], *, check: bool = True) -> list[Result]:
        """Fill in several fields in one call; the role of each field decides how.

        Args:
            fields: Values by the names of the fields: text, numbers, True or False for checkboxes, the text of an
                option for lists and radio groups, a list of texts for several options.
            check: Raise `StepFailed`, an `ActionFailed`, at the first field that does not hold its value.
        """
        return await self._run_steps(await field_steps(fields, self.find), check)

    async def _run_steps(self, steps: list[Step], check: bool) -> list[Result]:
        async def send(_step: Step, request: dict[str, Any]) -> Result:
            return await self._run_request(request, {})

        results = await run_steps(steps, send, self._page())
        if check and results and not results[-1]:
            number = len(results)
            raise StepFailed(number, steps[number - 1], results)
        return results

    # -- navigating -----------------------------------------------------------------------------------------

    async def goto(self, url: str, **options: Unpack[VerbOptions]) -> Result:
        """Go to a URL and wait for the page.

        Args:
            url: Absolute, from the root of the current site, or the id of a route of the bundle.
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("goto", None, url, options)

    async def back(self, **options: Unpack[VerbOptions]) -> Result:
        """Go back to the page before.

        Args:
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("back", None, None, options)

    async def forward(self, **options: Unpack[VerbOptions]) -> Result:
        """Go forward again after `back`.

        Args:
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("forward", None, None, options)

    async def reload(self, **options: Unpack[VerbOptions]) -> Result:
        """Load the page again.

        Args:
            options: `role`, `near`, `within`, `expect`, `timeout_ms`, `check` and others; see `VerbOptions`.
        """
        return await self._run("reload", None, None, options)

    # -- reading --------------------------------------------------------------------------------------------

    async def read(
        self,
        target: Target,
        what: Literal["text", "value", "description", "state"] = "text",
        **options: Unpack[TargetOptions],
    ) -> Any:
        """Return the text, value, description or state of an element.

        Args:
            target: The element, by name, ref or a result of `find`.
            what: Which of them.
            options: `role`, `near` and `within`.
        """
        request = await self._request("read", target, None, options)
        request["args"] = {"what": what}
        found = (await self._run_request(request, {})).check().return_value
        return found.get(what)

    async def text(self, target: Target, **options: Unpack[TargetOptions]) -> str:
        """Return the text of an element and of everything in it.

        Args:
            target: The element, by name, ref or a result of `find`.
            options: `role`, `near` and `within`.
        """
        return str(await self._reading("text", target, options))

    async def table(
        self, target: Target | None = None, **options: Unpack[TargetOptions]
    ) -> list[dict[str, str]]:
        """Return the rows of a table or list, each as a dictionary by column name.

        Args:
            target: The table, by name, ref or a result of `find`; without it, the only table of the page.
            options: `role`, `near` and `within`.
        """
        rows: list[dict[str, str]] = await self._reading("table", target, options)
        return rows

    # -- requests -------------------------------------------------------------------------------------------

    async def _run(self, verb: str, target: Target | None, value: Any, options: VerbOptions) -> Result:
        request = await self._request(verb, target, value, options)
        return _checked(await self._run_request(request, options), options)

    async def _reading(self, verb: str, target: Target | None, options: TargetOptions) -> Any:
        request = await self._request(verb, target, None, options)
        result = (await self._run_request(request, {})).check()
        return result.return_value[VERBS[verb].returns]

    async def _request(
        self, verb: str, target: Target | None, value: Any, options: TargetOptions
    ) -> dict[str, Any]:
        words = target if target is None or isinstance(target, str) else target.instance_id
        try:
            if verb_named(verb).kind == "element" and value is not None:
                value = await self._ref(value)
            return action_request(
                verb,
                words,
                value,
                role=options.get("role"),
                near=options.get("near"),
                within=options.get("within"),
            )
        except VerbError as error:
            raise InvalidPayload(str(error)) from None

    async def _ref(self, target: Target) -> str:
        """Return the ref of an element that is an argument."""
        if not isinstance(target, str):
            return target.instance_id
        ref = element_ref(target)
        return ref if ref is not None else clear_match(await self.find(target, limit=5), target).instance_id


def _checked(result: Result, options: VerbOptions) -> Result:
    return result.check() if options.get("check", True) else result
