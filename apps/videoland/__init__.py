"""Videoland, the UIAP specs' example application as a real small web app.

It knows nothing of UIAP but its annotation attributes: it is what agents act on, not part of what acts.
"""

from apps.videoland.app import create_app
from apps.videoland.server import Server, serving
from apps.videoland.settings import Settings

__all__ = ["Server", "Settings", "create_app", "serving"]
