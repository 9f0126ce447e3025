"""Android devices through adb. Needs the extra `[android]`."""

from uiap.drivers.android.driver import ANDROID_FACTS as ANDROID_FACTS
from uiap.drivers.android.driver import AndroidDriver as AndroidDriver
