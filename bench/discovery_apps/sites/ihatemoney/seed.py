"""A project with 4 people and 12 bills, and the demonstration project that every visited site has."""

from datetime import date

from ihatemoney.models import Bill, Person, Project, db
from ihatemoney.run import create_app
from werkzeug.security import generate_password_hash

app = create_app("settings")
with app.test_request_context():
    trip = Project(
        id="trip",
        name="Trip to the sea",
        password=generate_password_hash("trip-code"),
        contact_email="trip@example.test",
        default_currency="XXX",
    )
    db.session.add(trip)
    people = [Person(name=name, project=trip, weight=1) for name in ("Ada", "Bela", "Cora", "Dora")]
    db.session.add_all(people)
    db.session.commit()
    for n in range(1, 13):
        db.session.add(
            Bill(
                amount=10 * n,
                date=date(2026, 1 + n % 6, n),
                external_link="",
                original_currency="XXX",
                owers=people,
                payer_id=people[n % 4].id,
                project_default_currency="XXX",
                what=f"Bill {n}",
            )
        )
    db.session.commit()
    Project.create_demo_project()
