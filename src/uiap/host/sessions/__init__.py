"""Sessions: the services of one session, the resident session, and the browser pool."""
