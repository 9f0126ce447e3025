"""Protection of private values: masking of graphs, texts and journals, and named secrets."""
