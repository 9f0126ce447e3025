"""Compiled bundles: write, load, sign, and derive their capabilities."""
