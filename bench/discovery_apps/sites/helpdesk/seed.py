"""Two queues, 30 tickets with follow-ups, two categories of the knowledge base, a template and a saved search."""

import os

import django
from django.core.management import call_command


def people():
    from django.contrib.auth.models import User

    User.objects.create_user("agent", "agent@example.test", "agent-password", is_staff=True)
    return User.objects.create_superuser("admin", "admin@example.test", "admin-password")


def tickets(admin):
    from helpdesk.models import FollowUp, Queue, Ticket, TicketCC

    queues = [
        Queue.objects.create(title=title, slug=title.lower(), allow_public_submission=True)
        for title in ("Support", "Repairs")
    ]
    for n in range(1, 31):
        ticket = Ticket.objects.create(
            title=f"Ticket {n:02}",
            queue=queues[n % 2],
            submitter_email="customer@example.test",
            description=f"Description {n}",
            status=(Ticket.OPEN_STATUS, Ticket.RESOLVED_STATUS, Ticket.CLOSED_STATUS)[n % 3],
            priority=1 + n % 5,
            assigned_to=admin if n % 4 else None,
        )
        FollowUp.objects.create(
            ticket=ticket, title="A comment", comment=f"Comment {n}", public=True, user=admin
        )
        TicketCC.objects.create(ticket=ticket, email="copy@example.test")


def others(admin):
    from helpdesk.models import ChecklistTemplate, IgnoreEmail, KBCategory, KBItem, SavedSearch

    for title in ("Printers", "Lamps"):
        category = KBCategory.objects.create(name=title, title=title, slug=title.lower(), description=title)
        for n in range(1, 4):
            KBItem.objects.create(category=category, title=f"{title} {n}", question="How?", answer="So.")
    ChecklistTemplate.objects.create(name="Opening", task_list=["Greet", "Ask"])
    IgnoreEmail.objects.create(name="Robots", email_address="robot@example.test")
    SavedSearch.objects.create(user=admin, title="Everything", shared=True, query="e30=")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "desk.settings")
    django.setup()
    call_command("migrate", verbosity=0)
    who = people()
    tickets(who)
    others(who)
