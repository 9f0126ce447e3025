"""A shop with customers, orders and items, two indexes and a trigger."""

import sqlite3

with sqlite3.connect("shop.sqlite3") as db:
    db.executescript(
        """
        create table customers (id integer primary key, name text not null, city text);
        create table orders (id integer primary key, customer integer references customers(id), day text, total real);
        create table items (id integer primary key, "order" integer references orders(id), article text,
            pieces integer);
        create index orders_by_day on orders(day);
        create index items_by_article on items(article);
        create trigger count_items after insert on items
            begin update orders set total = total where id = new."order"; end;
        """
    )
    db.executemany(
        "insert into customers (name, city) values (?, ?)",
        [(f"Customer {n}", ("Bonn", "Lyon", "Turin")[n % 3]) for n in range(40)],
    )
    db.executemany(
        "insert into orders (customer, day, total) values (?, ?, ?)",
        [(n % 40 + 1, f"2026-0{n % 9 + 1}-11", n * 3.5) for n in range(130)],
    )
    db.executemany(
        'insert into items ("order", article, pieces) values (?, ?, ?)',
        [(n % 130 + 1, f"Article {n % 17}", n % 5 + 1) for n in range(200)],
    )
