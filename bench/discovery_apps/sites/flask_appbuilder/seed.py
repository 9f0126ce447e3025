"""An administrator, 3 groups, 4 companies and 36 contacts."""

from datetime import date

from contacts import Company, Contact, ContactGroup, app, builder, db

with app.app_context():
    security = builder.sm
    security.add_user(
        "admin", "Ada", "Admin", "admin@example.test", security.find_role("Admin"), password="admin-password"
    )
    groups = [ContactGroup(name=name) for name in ("Friends", "Work", "Family")]
    companies = [Company(name=f"Company {n}", city="Zurich") for n in range(1, 5)]
    db.session.add_all([*groups, *companies])
    for n in range(1, 37):
        db.session.add(
            Contact(
                name=f"Person {n:02}",
                address=f"Street {n}",
                birthday=date(1970, 1 + n % 12, 3),
                group=groups[n % 3],
                company=companies[n % 4],
            )
        )
    db.session.commit()
