"""Assembly: packages, imports, merges, overlays and locale texts become one content."""
