"""Drivers: the only room that knows whether a UI is a web page, a phone screen or a desktop window."""
