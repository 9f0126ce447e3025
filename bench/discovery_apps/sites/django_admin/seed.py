"""Rows to explore: 3 publishers, 12 authors, 60 books with copies, and two users."""

import os
import shutil
import sys
from datetime import UTC, date, datetime

import django
from django.core.management import call_command

HOUSES = {False: ("Limmat", "Aare", "Rhone"), True: ("Danube", "Elbe", "Oder")}


def people():
    from django.contrib.auth.models import Group, User

    User.objects.create_superuser("admin", "admin@example.test", "admin-password")
    User.objects.create_user("reader", "reader@example.test", "reader-password", is_staff=True)
    Group.objects.create(name="Librarians")


def books(other):
    """Create the books. With `other`, all names and numbers differ."""
    from library.models import Author, Book, Copy, Publisher

    houses = [Publisher.objects.create(name=name, country="CH") for name in HOUSES[other]]
    authors = [
        Author.objects.create(name=f"{'Writer' if other else 'Author'} {n:02}", born=date(1900 + n, 1, 1))
        for n in range(1, 13)
    ]
    for n in range(1, 45 if other else 61):
        book = Book.objects.create(
            title=f"{'Volume' if other else 'Book'} {n:02}",
            author=authors[n % 12],
            publisher=houses[n % 3],
            status=("held", "ordered", "lost")[n % 3],
            published=datetime(2000 + n % 20, 1 + n % 12, 3, tzinfo=UTC),
        )
        Copy.objects.create(book=book, shelf=f"S{n % 5}")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "library.settings")
    django.setup()
    call_command("migrate", "--run-syncdb", verbosity=0)
    people()
    books("other" in sys.argv[1:])
    for marks in (given[6:] for given in sys.argv[1:] if given.startswith("marks=")):
        shutil.copy(marks, "marks.js")
