"""Codec, negotiation and session state machine. Pure: text and events in, commands out, no clock and no socket."""
