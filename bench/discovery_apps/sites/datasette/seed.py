"""Three tables, one of which refers to another, and a view."""

import sqlite3

with sqlite3.connect("museum.db") as db:
    db.executescript(
        """
        create table room (id integer primary key, name text, floor integer);
        create table work (id integer primary key, title text, year integer, room integer references room(id));
        create table visit (day text primary key, visitors integer);
        create view old_work as select * from work where year < 1900;
        """
    )
    db.executemany("insert into room values (?, ?, ?)", [(n, f"Room {n}", n % 3) for n in range(1, 7)])
    works = [(n, f"Work {n}", 1800 + 3 * n, 1 + n % 6) for n in range(1, 151)]
    db.executemany("insert into work values (?, ?, ?, ?)", works)
    db.executemany("insert into visit values (?, ?)", [(f"2026-01-{n:02}", 40 + n) for n in range(1, 29)])
