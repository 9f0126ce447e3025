"""Input to a page: guarded gestures, pointer, keyboard, and controls that need several gestures."""
