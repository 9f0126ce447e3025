"""Everything that touch screens have in common: reading a hierarchy into a graph, element ids, gestures and checks.

It knows no connection to a device. A driver brings a way to read the screen and a `TouchInput`: the package `android`
has those of adb, the package `appium` those of Appium.
"""
