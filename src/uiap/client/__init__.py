"""The agent's side of a session: typed calls over a transport."""
