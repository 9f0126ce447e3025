"""Codec, negotiation and session as pure machines: text and events in, commands out. No clock, no socket."""
