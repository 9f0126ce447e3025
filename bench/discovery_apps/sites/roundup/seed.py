"""A tracker of the classic template with three people, two keywords and 20 issues."""

import re
import subprocess
import sys
from pathlib import Path

import roundup.instance

ADMIN = (sys.executable, "-m", "roundup.scripts.roundup_admin", "-i", "tracker")
subprocess.run([*ADMIN, "install", "classic", "sqlite"], check=True)
config = Path("tracker/config.ini")
text = config.read_text()
for name, value in {"web": "http://localhost/", "domain": "example.test", "host": "localhost"}.items():
    text = re.sub(rf"(?m)^#{name} = .*$", f"{name} = {value}", text)
text = re.sub(r"(?m)^debug = $", "debug = mail.txt", text)
config.write_text(text)
subprocess.run([*ADMIN, "initialise", "admin-password"], check=True)
db = roundup.instance.open("tracker").open("admin")
db.user.set(db.user.lookup("anonymous"), roles="Admin")  # the fields of its sign-in have no names
people = [
    db.user.create(username=name, address=f"{name}@example.test", roles="User")
    for name in ("ada", "bea", "cleo")
]
keywords = [db.keyword.create(name=name) for name in ("roof", "cellar")]
for n in range(1, 21):
    said = db.msg.create(author=people[n % 3], content=f"Message {n}", summary=f"Message {n}")
    db.issue.create(
        title=f"Issue {n:02}",
        status=db.status.list()[n % 4],
        priority=db.priority.list()[n % 3],
        assignedto=people[n % 3],
        keyword=[keywords[n % 2]],
        messages=[said],
    )
db.commit()
db.close()
