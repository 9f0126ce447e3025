"""What people import. `uiap.open` and the rest are re-exported from here by the package itself."""
