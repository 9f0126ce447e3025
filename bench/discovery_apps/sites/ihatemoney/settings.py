"""The settings of a site without TLS, with its database in its own folder."""

from pathlib import Path

SQLALCHEMY_DATABASE_URI = f"sqlite:///{Path(__file__).resolve().parent / 'money.sqlite3'}"
SECRET_KEY = "not a secret"
SESSION_COOKIE_SECURE = False
BABEL_DEFAULT_LOCALE = "en"
