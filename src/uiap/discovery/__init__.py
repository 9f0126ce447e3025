"""The discovery mapper: explores an application within bounds and says what it saw, with evidence (sans-IO)."""
