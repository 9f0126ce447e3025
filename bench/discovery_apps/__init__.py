"""Applications of others that discovery is measured on: each from its package, on its own port, with its own data."""
