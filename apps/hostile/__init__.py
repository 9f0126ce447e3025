"""Pages that lie, hide, patch, forge, flood and hang: whatever reads them must stay whole and leak nothing.

They know nothing of UIAP but the names an attacker could guess.
"""

from apps.hostile.pages import CANARY, PAGES, PLAIN, POLLUTIONS, Hostile
from apps.hostile.server import Server, serving

__all__ = ["CANARY", "PAGES", "PLAIN", "POLLUTIONS", "Hostile", "Server", "serving"]
