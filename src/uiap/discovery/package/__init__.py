"""The discovery package: catalogs, transitions, review items and their provenance."""
