"""The agent's side: typed calls over a transport."""
