"""An administration of studios, directors and films. The port is the argument; `seed` creates the rows instead."""

import asyncio
import sys

import uvicorn
from piccolo.apps.user.tables import BaseUser
from piccolo.columns import Boolean, ForeignKey, Integer, Text, Varchar
from piccolo.engine.sqlite import SQLiteEngine
from piccolo.table import Table, create_db_tables
from piccolo_admin.endpoints import create_admin
from piccolo_api.session_auth.tables import SessionsBase

DB = SQLiteEngine(path="films.sqlite3")


class User(BaseUser, tablename="piccolo_user", db=DB):
    pass


class Sessions(SessionsBase, tablename="sessions", db=DB):
    pass


class Director(Table, db=DB):
    name = Varchar(length=120)
    country = Varchar(length=60)


class Film(Table, db=DB):
    title = Varchar(length=200)
    year = Integer(default=2000)
    director = ForeignKey(Director)
    restored = Boolean(default=False)
    notes = Text(default="", required=False)


TABLES = (User, Sessions, Director, Film)


async def seed() -> None:
    await create_db_tables(*TABLES, if_not_exists=True)
    await User.create_user(username="ada", password="ada-password", admin=True, active=True, superuser=True)
    for n, name in enumerate(("Akerman", "Bresson", "Campion")):
        director = Director(name=name, country=("Belgium", "France", "New Zealand")[n])
        await director.save()
        for k in range(5):
            await Film(title=f"{name} {k}", year=1960 + 7 * k + n, director=director.id).save()


if __name__ == "__main__":
    if sys.argv[1] == "seed":
        asyncio.run(seed())
    else:
        app = create_admin([Director, Film], auth_table=User, session_table=Sessions)
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]))
