"""One page: its tab, frames, documents, script world, graph feed, console and network."""
