"""A driver for tests: an application in memory behind the driver protocol, with injected faults."""

from uiap.drivers.scripted.app import App as App
from uiap.drivers.scripted.app import ScriptedPage as ScriptedPage
from uiap.drivers.scripted.app import ScriptedScope as ScriptedScope
from uiap.drivers.scripted.app import Widget as Widget
from uiap.drivers.scripted.driver import SCRIPTED_FACTS as SCRIPTED_FACTS
from uiap.drivers.scripted.driver import ScriptedDriver as ScriptedDriver
from uiap.drivers.scripted.fault import ScriptedFault as ScriptedFault
