"""The application of the contract suite in GTK 3, for Debian's own Python (`python3-gi`)."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


class Notes(Gtk.Window):
    def __init__(self) -> None:
        super().__init__(title="Notes")
        self.connect("destroy", Gtk.main_quit)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.add(column)
        for name, pressed in (
            ("Save", self.save),
            ("Locked", None),
            ("Ask", self.ask),
            ("Reset", self.reset),
        ):
            button = Gtk.Button(label=name, sensitive=pressed is not None)
            if pressed is not None:
                button.connect("clicked", pressed)
            column.pack_start(button, False, False, 0)
        hold = Gtk.Button(label="Hold")
        self.long_press = Gtk.GestureLongPress(widget=hold)
        self.long_press.connect("pressed", lambda *_: self.status.set_text("Held"))
        column.pack_start(hold, False, False, 0)
        self.title_field, self.agree = Gtk.Entry(), Gtk.CheckButton(label="Agree")
        self.colour, self.status = Gtk.ComboBoxText(), Gtk.Label()
        for word in ("Red", "Blue"):
            self.colour.append_text(word)
        for name, control in (("Title", self.title_field), ("Colour", self.colour)):
            row = Gtk.Box()
            row.pack_start(Gtk.Label(label=name), False, False, 4)
            row.pack_start(control, True, True, 0)
            column.pack_start(row, False, False, 0)
        self.rounds, self.round = 0, Gtk.Label()
        for control in (self.agree, self.status, self.round):
            column.pack_start(control, False, False, 0)
        self.reset()
        self.show_all()

    def reset(self, _button=None) -> None:
        self.title_field.set_text("old")
        self.agree.set_active(False)
        self.colour.set_active(0)
        self.status.set_text("Idle")
        self.rounds += 1
        self.round.set_text(f"round {self.rounds}")

    def save(self, _button) -> None:
        self.status.set_text("Saved")

    def ask(self, _button) -> None:
        dialog = Gtk.MessageDialog(
            transient_for=self, modal=True, buttons=Gtk.ButtonsType.NONE, text="Really?", title="Question"
        )
        dialog.add_button("Leave it", 1)
        dialog.connect("response", lambda one, _: one.destroy())
        dialog.show_all()


Notes()
Gtk.main()
