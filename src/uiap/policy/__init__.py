"""What may happen: decided here, before anything does. Pure."""
