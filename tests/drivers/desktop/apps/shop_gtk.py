"""A shop with an order button; it counts the orders in a file (needs `python3-gi`)."""

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


class Shop(Gtk.Window):
    def __init__(self, file: str) -> None:
        super().__init__(title="Shop")
        self.connect("destroy", Gtk.main_quit)
        self.file, self.orders, self.status = file, 0, Gtk.Label(label="no order")
        order, dead = Gtk.Button(label="Order"), Gtk.Button(label="Dead")
        order.connect("clicked", self.order)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for one in (order, dead, self.status):
            column.pack_start(one, False, False, 0)
        self.add(column)
        self.show_all()

    def order(self, _button) -> None:
        self.orders += 1
        Path(self.file).write_text(str(self.orders))
        self.status.set_text(f"order {self.orders}")


Shop(sys.argv[1])
Gtk.main()
