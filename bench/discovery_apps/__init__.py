"""Third-party applications for measuring discovery: each from its package, on its own port, with its own data."""
