"""The browser process: find, install, launch, and its profile folder."""
