"""Two queues, 30 tickets with follow-ups, two categories of the knowledge base, a template and a saved search.

With `other`, all names and numbers differ.
"""

import os
import shutil
import sys

import django
from django.core.management import call_command


def people():
    from django.contrib.auth.models import User

    User.objects.create_user("agent", "agent@example.test", "agent-password", is_staff=True)
    return User.objects.create_superuser("admin", "admin@example.test", "admin-password")


def tickets(admin, other):
    from helpdesk.models import FollowUp, Queue, Ticket, TicketCC

    queues = [
        Queue.objects.create(title=title, slug=title.lower(), allow_public_submission=True)
        for title in (("Sales", "Returns") if other else ("Support", "Repairs"))
    ]
    for n in range(1, 27 if other else 31):
        ticket = Ticket.objects.create(
            title=f"{'Request' if other else 'Ticket'} {n:02}",
            queue=queues[n % 2],
            submitter_email="customer@example.test",
            description=f"{'Report' if other else 'Description'} {n}",
            status=(Ticket.OPEN_STATUS, Ticket.RESOLVED_STATUS, Ticket.CLOSED_STATUS)[n % 3],
            priority=1 + n % 5,
            assigned_to=admin if n % 4 else None,
        )
        FollowUp.objects.create(
            ticket=ticket, title="A comment", comment=f"Comment {n}", public=True, user=admin
        )
        TicketCC.objects.create(ticket=ticket, email="copy@example.test")


def others(admin, other):
    from helpdesk.models import ChecklistTemplate, IgnoreEmail, KBCategory, KBItem, SavedSearch

    for title in ("Phones", "Desks") if other else ("Printers", "Lamps"):
        category = KBCategory.objects.create(name=title, title=title, slug=title.lower(), description=title)
        for n in range(1, 4):
            KBItem.objects.create(category=category, title=f"{title} {n}", question="How?", answer="So.")
    ChecklistTemplate.objects.create(name="Closing" if other else "Opening", task_list=["Greet", "Ask"])
    IgnoreEmail.objects.create(name="Machines" if other else "Robots", email_address="robot@example.test")
    SavedSearch.objects.create(
        user=admin, title="All of it" if other else "Everything", shared=True, query="e30="
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "desk.settings")
    django.setup()
    call_command("migrate", verbosity=0)
    who, other = people(), "other" in sys.argv[1:]
    tickets(who, other)
    others(who, other)
    for marks in (given[6:] for given in sys.argv[1:] if given.startswith("marks=")):
        shutil.copy(marks, "marks.js")
