"""Compiled bundles at run time: verified, loaded, and bound to the live page."""
