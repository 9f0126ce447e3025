"""The event loop of the host: connections, message dispatch, and the process settings it needs."""
