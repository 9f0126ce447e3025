"""A Trac environment with components, milestones, 20 tickets and two wiki pages; visitors may do everything."""

from datetime import datetime

from trac.admin.console import TracAdmin
from trac.env import Environment
from trac.ticket.model import Ticket
from trac.util.datefmt import utc
from trac.wiki.model import WikiPage

TracAdmin("env").onecmd("initenv Garden sqlite:db/trac.db")
TracAdmin("env").onecmd("permission add anonymous TRAC_ADMIN")
TracAdmin("env").onecmd("version add 2.1")
env = Environment("env")
when = datetime(2024, 5, 1, 12, tzinfo=utc)
for n in range(1, 21):
    ticket = Ticket(env)
    ticket["summary"], ticket["description"] = f"Ticket {n:02}", f"Description {n}"
    ticket["reporter"], ticket["owner"] = "gardener", "gardener"
    ticket["status"], ticket["type"] = "new", ("defect", "task")[n % 2]
    ticket["component"], ticket["milestone"] = f"component{1 + n % 2}", f"milestone{1 + n % 4}"
    ticket["priority"] = "major"
    ticket.insert(when)
for name in ("Roses", "Tulips"):
    page = WikiPage(env, name)
    page.text = f"= {name} =\nAbout {name.lower()}."
    page.save("gardener", "first text", when)
env.shutdown()
