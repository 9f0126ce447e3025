"""TiddlyWiki on its server: notes on one page that saves them some time after they changed."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="tiddlywiki",
    npm=("tiddlywiki@5.4.1",),
    start=("{modules}/tiddlywiki/tiddlywiki.js", "wiki", "--listen", "port={port}"),
    tree="wiki/tiddlers",
    half="tuning",
)
