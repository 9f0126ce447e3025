"""Thirty tasks on five applications that we did not write. Trac and I Hate Money are only measured with."""

# ruff: noqa: E501 (one task reads best on one line)
from __future__ import annotations

from bench.agent_tasks.task import AgentTask, Press, Stage, TaskField, fills, form

MEASURING = frozenset({"trac", "ihatemoney"})
"""The applications whose failures were not studied before the first run."""


def _one(table: str, where: str) -> str:
    return f"select count(*) = 1 from {table} where {where}"


def _any(table: str, where: str) -> str:
    return f"select count(*) > 0 from {table} where {where}"


ADMIN, FAB, DESK, TRAC, MONEY = "django_admin", "flask_appbuilder", "helpdesk", "trac", "ihatemoney"
SUPPORT = TaskField("select", "Queue", "Support")
TASKS: tuple[AgentTask, ...] = (
    form(ADMIN, "/admin/library/publisher/add/", fills(Name="Harbour"), "Save", _one("library_publisher", "name = 'Harbour'")),
    form(ADMIN, "/admin/library/publisher/add/", fills(Name="Meadow", Country="Chile"), "Save", _one("library_publisher", "name = 'Meadow' and country = 'Chile'")),
    form(ADMIN, "/admin/library/author/add/", fills(Name="Ida Roe", Born="1970-01-02", Biography="Wrote."), "Save", _one("library_author", "name = 'Ida Roe' and born = '1970-01-02' and biography = 'Wrote.'")),
    form(ADMIN, "/admin/library/author/1/change/", fills(Name="Ada Two"), "Save", _one("library_author", "id = 1 and name = 'Ada Two'")),
    form(ADMIN, "/admin/auth/group/add/", fills(Name="Editors"), "Save", _one("auth_group", "name = 'Editors'")),
    form(ADMIN, "/admin/auth/user/1/change/", fills(First_name="Ann", Last_name="Lee"), "Save", _one("auth_user", "id = 1 and first_name = 'Ann' and last_name = 'Lee'")),
    form(ADMIN, "/admin/library/book/1/change/", fills(Title="Renamed"), "Save", _one("library_book", "id = 1 and title = 'Renamed'")),
    form(ADMIN, "/admin/auth/group/add/", fills(Name="Librarians"), "Save", "select count(*) > 1 from auth_group where name = 'Librarians'", refused=True),
    form(FAB, "/companyview/add", fills(Name="Harbour Ltd", City="Oslo"), "Save", _one("company", "name = 'Harbour Ltd' and city = 'Oslo'")),
    form(FAB, "/groupview/add", fills(Name="Choir"), "Save", _one("contact_group", "name = 'Choir'")),
    form(FAB, "/contactview/add", fills(Name="Ida Roe", Address="Quay 7"), "Save", _one("contact", "name = 'Ida Roe' and address = 'Quay 7'")),
    form(FAB, "/companyview/edit/1", fills(City="Bergen"), "Save", _one("company", "id = 1 and city = 'Bergen'")),
    form(FAB, "/contactview/edit/2", fills(Address="Quay 9"), "Save", _one("contact", "id = 2 and address = 'Quay 9'")),
    form(FAB, "/groupview/add", fills(Name="Friends"), "Save", "select count(*) > 1 from contact_group where name = 'Friends'", refused=True),
    form(DESK, "/tickets/submit/", (SUPPORT, *fills(Summary_of_the_problem="Lamp is dark", Description_of_your_issue="It does not burn.")), "Submit Ticket", _one("helpdesk_ticket", "title = 'Lamp is dark' and description like '%not burn%'")),
    form(DESK, "/tickets/3/edit/", fills(Title="Ticket three"), "Save Changes", _one("helpdesk_ticket", "id = 3 and title = 'Ticket three'")),
    form(DESK, "/tickets/5/edit/", (TaskField("select", "Priority", "2. High"),), "Save Changes", _one("helpdesk_ticket", "id = 5 and priority = 2")),
    form(DESK, "/ignore/add/", fills(**{"Name": "Noise", "E-Mail Address": "noise@example.test"}), "Save", _one("helpdesk_ignoreemail", "name = 'Noise' and email_address = 'noise@example.test'")),
    form(DESK, "/tickets/submit/", (SUPPORT, *fills(Summary_of_the_problem="Without a description")), "Submit Ticket", _any("helpdesk_ticket", "title = 'Without a description'"), refused=True),
    form(TRAC, "/newticket", (*fills(Summary="Gate squeaks", Keywords="gate"), TaskField("select", "Type", "task"), TaskField("select", "Priority", "minor")), "Create ticket", _one("ticket", "summary = 'Gate squeaks' and keywords = 'gate' and type = 'task' and priority = 'minor'")),
    form(TRAC, "/newticket", (*fills(Summary="Hose leaks", Cc="ada"), TaskField("select", "Component", "component2")), "Create ticket", _one("ticket", "summary = 'Hose leaks' and cc = 'ada' and component = 'component2'")),
    form(TRAC, "/ticket/3", fills(You_may_use_WikiFormatting_here="Seen on Monday."), "Submit changes", _any("ticket_change", "ticket = 3 and newvalue = 'Seen on Monday.'")),
    form(TRAC, "/admin/ticket/components", fills(Name="fence"), "Add", _one("component", "name = 'fence'")),
    form(TRAC, "/admin/ticket/versions", fills(Name="3.0"), "Add", _one("version", "name = '3.0'")),
    form(TRAC, "/admin/ticket/components", fills(Name="component1"), "Add", "select count(*) > 1 from component where name = 'component1'", refused=True),
    form(MONEY, "/trip/add", (*fills(**{"What?": "Ferry", "How much?": "84"}), TaskField("select", "Who paid?", "Bela")), "Submit", _one("bill", "what = 'Ferry' and amount = 84")),
    form(MONEY, "/trip/add", (*fills(**{"What?": "Museum", "How much?": "30"}), TaskField("select", "Who paid?", "Ada"), TaskField("uncheck", "Dora")), "Submit", "select count(*) = 3 from billowers join bill on bill.id = bill_id where what = 'Museum'"),
    form(MONEY, "/trip/", fills(Add_participant="Emil"), "Add", _one("person", "name = 'Emil'")),
    AgentTask(MONEY, "ihatemoney rename Bill 5", "/trip/", (Stage(Press("edit", "link", "Bill 5")), Stage(Press("Submit"), fills(**{"What?": "Bill five"}))), _one("bill", "what = 'Bill five'")),
    form(MONEY, "/trip/add", (*fills(**{"What?": "Without an amount"}), TaskField("select", "Who paid?", "Ada")), "Submit", _any("bill", "what = 'Without an amount'"), refused=True),
)  # fmt: skip
SIGN_IN: dict[str, tuple[str, Stage] | None] = {
    ADMIN: ("/admin/login/", Stage(Press("Log in"), fills(Username="admin", Password="admin-password"))),
    FAB: ("/login/", Stage(Press("Sign In"), fills(Username="admin", Password="admin-password"))),
    DESK: ("/login/", Stage(Press("Login"), fills(Username="admin", Password="admin-password"))),
    TRAC: None,
    MONEY: (
        "/authenticate",
        Stage(Press("submit"), fills(Project_identifier="trip", Private_code="trip-code")),
    ),
}
