"""The protocol server: many sessions over the network, each in a browser context of its own. Needs `uiap[server]`."""
