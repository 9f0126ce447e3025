"""Message handlers: one module per message family. Each takes a call and returns its answer."""
