"""Analysis of builds and bundles: differences, provenance, explanations and healing proposals."""
