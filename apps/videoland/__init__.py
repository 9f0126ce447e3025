"""Videoland, the example application of the UIAP specs, as a real small web app.

It knows nothing of UIAP except its annotation attributes: agents act on it.
"""

from apps.videoland.app import create_app
from apps.videoland.server import Server, serving
from apps.videoland.settings import Settings

__all__ = ["Server", "Settings", "create_app", "serving"]
