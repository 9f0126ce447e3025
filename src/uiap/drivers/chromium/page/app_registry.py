"""The script that gives a page the registry where it can declare actions (see `input/app_actions.py`)."""

from __future__ import annotations

from functools import cache
from importlib import resources

from uiap.drivers.chromium.connection.cdp import CdpSession


@cache
def registry_script() -> str:
    """Return the source of the registry script."""
    return resources.files("uiap.drivers.chromium").joinpath("assets/registry.js").read_text("utf-8")


def install_registry(session: CdpSession) -> None:
    """Run the script in every present and future document of the session; it does nothing in frames."""
    session.send_and_forget(
        "Page.addScriptToEvaluateOnNewDocument", {"source": registry_script(), "runImmediately": True}
    )
