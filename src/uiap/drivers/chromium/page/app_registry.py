"""The registry that a page gets in its own world, so that it can declare actions (see `app_actions`)."""

from __future__ import annotations

from functools import cache
from importlib import resources

from uiap.drivers.chromium.connection.cdp import CdpSession


@cache
def registry() -> str:
    """The script, as it stands in the assets."""
    return resources.files("uiap.drivers.chromium").joinpath("assets/registry.js").read_text("utf-8")


def install_registry(session: CdpSession) -> None:
    """Every present and future document of the session gets it; frames keep out by themselves."""
    session.tell("Page.addScriptToEvaluateOnNewDocument", {"source": registry(), "runImmediately": True})
