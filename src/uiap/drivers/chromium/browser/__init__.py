"""One browser and its contexts: files, storage and the network guard."""
