"""The HTML of the to-do application: the page around each build, and the fragments that htmx swaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from itertools import count

from apps.frameworks.builds import FRAMEWORKS

STYLE = """\
<style>
body{font:16px sans-serif;margin:16px}ul{list-style:none;padding:0}.filters{display:flex;gap:8px}
.todo-list li{padding:4px;width:500px}.view{display:flex;gap:8px}.view label{padding:4px;min-width:200px}
.toggle{width:24px;height:24px}.destroy{display:none}.todo-list li:hover .destroy{display:inline-block}
.destroy::after{content:"×"}.todo-list li .edit{display:none}.editing .view{display:none!important}
.todo-list li.editing .edit{display:block}.hidden{display:none}.completed label{text-decoration:line-through}
</style>
"""


def index() -> str:
    """Return an index page for people."""
    links = "".join(f'<li><a href="/todo/{name}">{name}</a>' for name in FRAMEWORKS)
    return f"<!doctype html><html lang=en><meta charset=utf-8><title>Frameworks</title><ul>{links}</ul>"


def page(framework: str) -> str:
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{framework} todos</title>{STYLE}"
        f"<body><div id=root></div><script src='/built/todo/{framework}.js'></script>"
    )


@dataclass
class TodoList:
    """The to-dos of one trial, as the server of the htmx application stores them."""

    todos: dict[int, tuple[str, bool]] = field(default_factory=dict)
    filter: str = "all"
    _ids: count[int] = field(default_factory=lambda: count(1))

    def add(self, title: str) -> None:
        if title.strip():
            self.todos[next(self._ids)] = (title.strip(), False)

    def rename(self, id: int, title: str) -> None:
        if title.strip():
            self.todos[id] = (title.strip(), self.todos[id][1])
        else:
            self.todos.pop(id, None)

    def toggle(self, id: int) -> None:
        title, completed = self.todos[id]
        self.todos[id] = (title, not completed)

    def clear(self) -> None:
        self.todos = {id: todo for id, todo in self.todos.items() if not todo[1]}

    def plain(self) -> list[dict[str, object]]:
        return [{"title": title, "completed": completed} for title, completed in self.todos.values()]


def fragment(todos: TodoList, editing: int | None = None) -> str:
    """Return the list with its footer; one to-do may be in its edit state."""
    items = "".join(
        _item(id, title, completed, id == editing)
        for id, (title, completed) in todos.todos.items()
        if todos.filter == "all" or completed == (todos.filter == "completed")
    )
    return f'<ul class="todo-list">{items}</ul>{_footer(todos) if todos.todos else ""}'


def _item(id: int, title: str, completed: bool, editing: bool) -> str:
    if editing:
        return (
            f'<li class="editing"><input class="edit" name="title" value="{escape(title)}" autofocus '
            f'hx-post="/htmx/rename/{id}" hx-trigger="blur, keyup[key==\'Enter\']"></li>'
        )
    return (
        f'<li class="{"completed" if completed else ""}"><div class="view">'
        f'<input class="toggle" type="checkbox" {"checked" if completed else ""} hx-post="/htmx/toggle/{id}">'
        f'<label hx-get="/htmx/edit/{id}" hx-trigger="dblclick">{escape(title)}</label>'
        f'<button class="destroy" hx-post="/htmx/remove/{id}"></button></div></li>'
    )


def _footer(todos: TodoList) -> str:
    left = sum(not completed for _, completed in todos.todos.values())
    links = "".join(
        f'<li><a href="#/{name}" hx-get="/htmx/list?filter={name}">{name.capitalize()}</a></li>'
        for name in ("all", "active", "completed")
    )
    clear = '<button class="clear-completed" hx-post="/htmx/clear">Clear completed</button>'
    return (
        f'<footer><span class="todo-count">{left} left</span><ul class="filters">{links}</ul>'
        f"{clear if left < len(todos.todos) else ''}</footer>"
    )
