"""Flask-AppBuilder with contacts, groups and companies, as its quick start shows."""

from pathlib import Path

from flask import Flask
from flask_appbuilder import AppBuilder, Model, ModelView
from flask_appbuilder.models.sqla.base import SQLA
from flask_appbuilder.models.sqla.interface import SQLAInterface
from flask_appbuilder.views import MasterDetailView
from sqlalchemy import Column, Date, ForeignKey, Integer, String
from sqlalchemy.orm import relationship

app = Flask(__name__)
app.config.update(
    SECRET_KEY="a bench needs no secret",
    SQLALCHEMY_DATABASE_URI="sqlite:///contacts.sqlite3",
    SQLALCHEMY_TRACK_MODIFICATIONS=False,
    FAB_PASSWORD_HASH_METHOD="pbkdf2:sha256:1000",
    APP_NAME="Contacts",
    TALISMAN_ENABLED=False,
    WTF_CSRF_ENABLED=False,
)
db = SQLA()


class ContactGroup(Model):
    __tablename__ = "contact_group"
    id = Column(Integer, primary_key=True)
    name = Column(String(50), unique=True, nullable=False)

    def __repr__(self):
        return self.name


class Company(Model):
    __tablename__ = "company"
    id = Column(Integer, primary_key=True)
    name = Column(String(100), nullable=False)
    city = Column(String(100))

    def __repr__(self):
        return self.name


class Contact(Model):
    __tablename__ = "contact"
    id = Column(Integer, primary_key=True)
    name = Column(String(150), nullable=False)
    address = Column(String(200))
    birthday = Column(Date)
    group_id = Column(Integer, ForeignKey("contact_group.id"), nullable=False)
    group = relationship("ContactGroup")
    company_id = Column(Integer, ForeignKey("company.id"))
    company = relationship("Company")

    def __repr__(self):
        return self.name


class ContactView(ModelView):
    datamodel = SQLAInterface(Contact)
    list_columns = ["name", "address", "group.name"]  # noqa: RUF012
    page_size = 10


class GroupView(ModelView):
    datamodel = SQLAInterface(ContactGroup)
    related_views = [ContactView]  # noqa: RUF012


class CompanyView(ModelView):
    datamodel = SQLAInterface(Company)
    list_columns = ["name", "city"]  # noqa: RUF012


class GroupMasterView(MasterDetailView):
    datamodel = SQLAInterface(ContactGroup)
    related_views = [ContactView]  # noqa: RUF012


with app.app_context():
    db.init_app(app)
    builder = AppBuilder(app, db.session)
    builder.add_view(
        GroupView, "List Groups", icon="fa-folder", category="Contacts", category_icon="fa-users"
    )
    builder.add_view(ContactView, "List Contacts", icon="fa-user", category="Contacts")
    builder.add_separator("Contacts")
    builder.add_view(GroupMasterView, "Contacts by Group", icon="fa-table", category="Contacts")
    builder.add_view(CompanyView, "Companies", icon="fa-building", category="Partners")
    db.create_all()

marks = Path(__file__).with_name("marks.js")
if marks.exists():

    @app.after_request
    def add_marks(response):
        """Add the script of the benchmark that marks each control."""
        if response.mimetype == "text/html":
            script = b"<script>" + marks.read_bytes() + b"</script></body>"
            response.set_data(response.get_data().replace(b"</body>", script))
        return response
