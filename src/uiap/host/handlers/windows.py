"""x.uiap.tools: the tabs of a session, and the dialogs its pages put up. Going somewhere is an action, not this."""

from __future__ import annotations

from msgspec import UNSET

from uiap.drivers.driver import TabInfo
from uiap.drivers.errors import DriverError
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.observation.page import Page
from uiap.spec.tools import (
    TabDescription,
    ToolsDialogPayload,
    ToolsDialogToldPayload,
    ToolsTabsListedPayload,
    ToolsTabsPayload,
)


class WindowHandler:
    def __init__(self, page: Page) -> None:
        self._page = page

    async def tabs(self, call: Call) -> Outcome:
        asked: ToolsTabsPayload = call.payload
        tabs = self._page.driver.tabs
        if asked.do in ("show", "close") and asked.tab is UNSET:
            return decline("invalid_payload", "say which tab; list them first", path="/payload/tab")
        try:
            if asked.do == "open":
                await tabs.activate(await tabs.open())
            elif asked.do == "show":
                await tabs.activate(str(asked.tab))
            elif asked.do == "close":
                if len(tabs.all()) == 1:
                    return decline("invalid_state", "the last tab stays; end the session to close it")
                await tabs.close(str(asked.tab))
        except DriverError as error:
            return decline("not_found", error.message)
        return Reply("x.uiap.tools.tabs.listed", ToolsTabsListedPayload(tabs=tuple(map(_told, tabs.all()))))

    async def dialog(self, call: Call) -> Outcome:
        """An agent may dismiss; saying yes in the page's name is the person's (robustness F6)."""
        asked: ToolsDialogPayload = call.payload
        dialogs = self._page.driver.dialog
        standing = dialogs.current()
        if standing is not None and asked.accept is not UNSET:
            principal = call.connection.session.principal
            person = principal is not None and principal.type == "user"
            if asked.accept and standing.kind != "alert" and not person:
                return decline("forbidden", f"only a person may accept a {standing.kind} dialog; dismiss it")
            text = None if asked.text is UNSET else asked.text
            try:
                await dialogs.answer(asked.accept, text)
            except DriverError as error:
                return decline("invalid_state", error.message)
            standing = dialogs.current()
        if standing is None:
            return Reply("x.uiap.tools.dialog.told", ToolsDialogToldPayload())
        told = ToolsDialogToldPayload(kind=standing.kind, message=standing.message)
        return Reply("x.uiap.tools.dialog.told", told)


def _told(info: TabInfo) -> TabDescription:
    return TabDescription(
        tab=info.tab,
        url=info.url,
        title=info.title,
        active=info.active,
        opener=info.opener or UNSET,
        crashed=info.crashed or UNSET,
    )
