"""Desktop applications on Linux, through AT-SPI and X11. Needs the extra `[desktop]`."""

from uiap.drivers.desktop.driver import DESKTOP_FACTS as DESKTOP_FACTS
from uiap.drivers.desktop.driver import DesktopDriver as DesktopDriver
