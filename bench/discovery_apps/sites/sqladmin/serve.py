"""An administration of authors, books and orders. The port is the argument; `seed` creates the rows instead."""

import sys

import uvicorn
from sqladmin import Admin, ModelView
from sqlalchemy import Column, ForeignKey, Integer, String, create_engine
from sqlalchemy.orm import Session, declarative_base, relationship
from starlette.applications import Starlette

Base = declarative_base()
engine = create_engine("sqlite:///books.sqlite3", connect_args={"check_same_thread": False})


class Author(Base):
    __tablename__ = "author"
    id = Column(Integer, primary_key=True)
    name = Column(String)
    country = Column(String)
    books = relationship("Book", back_populates="author")

    def __str__(self):
        return self.name


class Book(Base):
    __tablename__ = "book"
    id = Column(Integer, primary_key=True)
    title = Column(String)
    year = Column(Integer)
    author_id = Column(ForeignKey("author.id"))
    author = relationship("Author", back_populates="books")

    def __str__(self):
        return self.title


class Order(Base):
    __tablename__ = "orders"
    id = Column(Integer, primary_key=True)
    customer = Column(String)
    state = Column(String)


class AuthorAdmin(ModelView, model=Author):
    column_list = (Author.id, Author.name, Author.country)
    column_searchable_list = (Author.name,)


class BookAdmin(ModelView, model=Book):
    column_list = (Book.id, Book.title, Book.year, Book.author)
    column_sortable_list = (Book.title, Book.year)


class OrderAdmin(ModelView, model=Order):
    column_list = (Order.id, Order.customer, Order.state)
    can_delete = False


app = Starlette()
admin = Admin(app, engine)
for view in (AuthorAdmin, BookAdmin, OrderAdmin):
    admin.add_view(view)


def seed() -> None:
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        for n, name in enumerate(("Ada", "Ben", "Cleo"), 1):
            author = Author(name=name, country="Peru")
            session.add(author)
            session.add_all(Book(title=f"{name} {k}", year=2000 + k, author=author) for k in range(9))
            session.add(Order(customer=f"Shop {n}", state="open"))
        session.commit()


if __name__ == "__main__":
    if sys.argv[1] == "seed":
        seed()
    else:
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]))
