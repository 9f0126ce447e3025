"""An administrator, 3 groups, 4 companies and 36 contacts. With `other`, all names and numbers differ."""

import shutil
import sys
from datetime import date

from contacts import Company, Contact, ContactGroup, app, builder, db

OTHER = "other" in sys.argv[1:]
for given in sys.argv[1:]:
    if given.startswith("marks="):
        shutil.copy(given[6:], "marks.js")
with app.app_context():
    security = builder.sm
    security.add_user(
        "admin", "Ada", "Admin", "admin@example.test", security.find_role("Admin"), password="admin-password"
    )
    groups = [
        ContactGroup(name=name)
        for name in (("Sports", "Music", "School") if OTHER else ("Friends", "Work", "Family"))
    ]
    companies = [Company(name=f"{'Firm' if OTHER else 'Company'} {n}", city="Zurich") for n in range(1, 5)]
    db.session.add_all([*groups, *companies])
    for n in range(1, 34 if OTHER else 37):
        db.session.add(
            Contact(
                name=f"{'Member' if OTHER else 'Person'} {n:02}",
                address=f"{'Road' if OTHER else 'Street'} {n}",
                birthday=date(1970, 1 + n % 12, 3),
                group=groups[n % 3],
                company=companies[n % 4],
            )
        )
    db.session.commit()
