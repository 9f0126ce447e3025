"""The application of the contract suite in Qt 5, for Debian's own Python (`python3-pyqt5`)."""

import sys

from PyQt5.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QSlider,
    QWidget,
)


class Notes(QWidget):
    def __init__(self) -> None:
        super().__init__(windowTitle="Notes")
        form = QFormLayout(self)
        for name, pressed in (
            ("Save", self.save),
            ("Locked", None),
            ("Ask", self.ask),
            ("Reset", self.reset),
        ):
            button = QPushButton(name, enabled=pressed is not None)
            if pressed is not None:
                button.clicked.connect(pressed)
            form.addRow(button)
        self.title, self.agree = QLineEdit(), QCheckBox("Agree")
        self.colour, self.status = QComboBox(), QLabel()
        self.colour.addItems(["Red", "Blue"])
        self.volume = QSlider(1, maximum=40, singleStep=2)
        form.addRow("Title", self.title)
        form.addRow("Colour", self.colour)
        form.addRow("Volume", self.volume)
        form.addRow(self.agree)
        form.addRow(self.status)
        self.rounds, self.round = 0, QLabel()
        form.addRow(self.round)
        self.reset()

    def reset(self) -> None:
        self.title.setText("old")
        self.agree.setChecked(False)
        self.colour.setCurrentIndex(0)
        self.volume.setValue(10)
        self.status.setText("Idle")
        self.rounds += 1
        self.round.setText(f"round {self.rounds}")

    def save(self) -> None:
        self.status.setText("Saved")

    def ask(self) -> None:
        self.question = QMessageBox(self, windowTitle="Question", text="Really?")
        self.question.addButton("Leave it", QMessageBox.AcceptRole)
        self.question.open()


application = QApplication(sys.argv)
notes = Notes()
notes.show()
application.exec()
