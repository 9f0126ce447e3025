"""Drivers: the only package that knows whether a UI is a web page, a phone screen or a desktop window."""
