"""The verified action: one lifecycle, decided purely. Nothing here is web-shaped, and nothing here waits."""
