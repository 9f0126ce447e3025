"""The protocol server: many sessions over the network, each in its own browser context. Needs `uiap[server]`."""
