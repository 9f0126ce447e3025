"""x.uiap.tools: the tabs of a session, their size, and the dialogs of its pages. Navigation is an action."""

from __future__ import annotations

from msgspec import UNSET

from uiap.drivers.driver import TabInfo
from uiap.drivers.errors import DriverError
from uiap.host.consent.principals import effective_principal
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.observation.page import Page
from uiap.policy.builtin import Rules
from uiap.spec.tools import (
    TabDescription,
    ToolsDialogPayload,
    ToolsDialogToldPayload,
    ToolsTabsListedPayload,
    ToolsTabsPayload,
    ToolsViewportPayload,
    ToolsViewportSetPayload,
)


class WindowHandler:
    """Answers tab and dialog requests for one page."""

    def __init__(self, page: Page, rules: Rules = "standard") -> None:
        self._page, self._rules = page, rules

    async def tabs(self, call: Call) -> Outcome:
        request: ToolsTabsPayload = call.payload
        tabs = self._page.driver.tabs
        if request.do in ("show", "close") and request.tab is UNSET:
            return decline(
                "invalid_payload", "name a tab; list the tabs to see their names", path="/payload/tab"
            )
        try:
            if request.do == "open":
                await tabs.activate(await tabs.open())
            elif request.do == "show":
                await tabs.activate(str(request.tab))
            elif request.do == "close":
                if len(tabs.all()) == 1:
                    return decline("invalid_state", "the last tab cannot be closed; end the session instead")
                await tabs.close(str(request.tab))
        except DriverError as error:
            return decline("not_found", error.message)
        return Reply(
            "x.uiap.tools.tabs.listed", ToolsTabsListedPayload(tabs=tuple(map(_tab_description, tabs.all())))
        )

    async def viewport(self, call: Call) -> Outcome:
        request: ToolsViewportPayload = call.payload
        try:
            await self._page.driver.tabs.resize(request.width, request.height)
        except DriverError as error:
            return decline("invalid_state", error.message)
        size = ToolsViewportSetPayload(width=request.width, height=request.height)
        return Reply("x.uiap.tools.viewport.set", size)

    async def dialog(self, call: Call) -> Outcome:
        """Report the open dialog, or answer it. An agent may dismiss a dialog; only a person may accept one."""
        request: ToolsDialogPayload = call.payload
        dialogs = self._page.driver.dialog
        dialog = dialogs.current()
        if dialog is not None and request.accept is not UNSET:
            is_person = effective_principal(call.connection.session.principal, self._rules).type == "user"
            if request.accept and dialog.kind != "alert" and not is_person:
                return decline("forbidden", f"only a person may accept a {dialog.kind} dialog; dismiss it")
            text = None if request.text is UNSET else request.text
            try:
                await dialogs.answer(request.accept, text)
            except DriverError as error:
                return decline("invalid_state", error.message)
            dialog = dialogs.current()
        if dialog is None:
            return Reply("x.uiap.tools.dialog.told", ToolsDialogToldPayload())
        payload = ToolsDialogToldPayload(kind=dialog.kind, message=dialog.message)
        return Reply("x.uiap.tools.dialog.told", payload)


def _tab_description(info: TabInfo) -> TabDescription:
    return TabDescription(
        tab=info.tab,
        url=info.url,
        title=info.title,
        active=info.active,
        opener=info.opener or UNSET,
        crashed=info.crashed or UNSET,
    )
