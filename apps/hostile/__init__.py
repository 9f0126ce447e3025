"""Pages that lie, hide, patch, forge, flood and hang. A reader must survive them and leak nothing.

They know nothing of UIAP, except names that an attacker could guess.
"""

from apps.hostile.pages import CANARY, PAGES, PLAIN, POLLUTIONS, Hostile
from apps.hostile.server import Server, serving

__all__ = ["CANARY", "PAGES", "PLAIN", "POLLUTIONS", "Hostile", "Server", "serving"]
