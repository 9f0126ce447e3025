"""The connection to a browser: the DevTools Protocol over a pipe or a WebSocket."""
