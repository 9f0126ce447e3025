"""A project with 4 people and 12 bills, and the demonstration project that every visited site has.

With `other`, all names and numbers differ.
"""

import shutil
import sys
from datetime import date

from ihatemoney.models import Bill, Person, Project, db
from ihatemoney.run import create_app
from werkzeug.security import generate_password_hash

OTHER = "other" in sys.argv[1:]
for given in sys.argv[1:]:
    if given.startswith("marks="):
        shutil.copy(given[6:], "marks.js")
NAMES = ("Emil", "Finn", "Gina") if OTHER else ("Ada", "Bela", "Cora", "Dora")
app = create_app("settings")
with app.test_request_context():
    trip = Project(
        id="trip",
        name="Winter in the hills" if OTHER else "Trip to the sea",
        password=generate_password_hash("trip-code"),
        contact_email="trip@example.test",
        default_currency="XXX",
    )
    db.session.add(trip)
    people = [Person(name=name, project=trip, weight=1) for name in NAMES]
    db.session.add_all(people)
    db.session.commit()
    for n in range(1, 9 if OTHER else 13):
        db.session.add(
            Bill(
                amount=10 * n,
                date=date(2026, 1 + n % 6, n),
                external_link="",
                original_currency="XXX",
                owers=people,
                payer_id=people[n % len(people)].id,
                project_default_currency="XXX",
                what=f"{'Ticket' if OTHER else 'Bill'} {n}",
            )
        )
    db.session.commit()
    Project.create_demo_project()
