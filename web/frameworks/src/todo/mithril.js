import m from "mithril";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

let nextId = 1;
let todos = [];
let edited = null;
let fresh = "";
let draft = "";
window.todos = () => todos;
addEventListener("hashchange", () => m.redraw());

function add(event) {
  if (event.keyCode !== 13 || !fresh.trim()) return;
  todos.push({ id: nextId++, title: fresh.trim(), completed: false });
  fresh = "";
}
function commit(todo) {
  if (edited !== todo) return;
  edited = null;
  todo.title = draft.trim();
  todos = todos.filter((one) => one.title);
}
const item = (todo) => m("li", { key: todo.id, class: `${todo.completed ? "completed" : ""} ${edited === todo ? "editing" : ""}` },
  m(".view",
    m("input.toggle[type=checkbox]", { checked: todo.completed, onclick: () => { todo.completed = !todo.completed; } }),
    m("label", { ondblclick: () => { edited = todo; draft = todo.title; } }, todo.title),
    m("button.destroy", { onclick: () => { todos.splice(todos.indexOf(todo), 1); } })),
  edited === todo && m("input.edit", {
    value: draft, oncreate: ({ dom }) => dom.focus(), oninput: (event) => { draft = event.target.value; }, onblur: () => commit(todo),
    onkeyup: (event) => { if (event.keyCode === 13) commit(todo); else if (event.keyCode === 27) edited = null; },
  }));
const App = {
  view() {
    const left = todos.filter((one) => !one.completed).length;
    return m("section.todoapp",
      m("header", m("h1", "todos"), m("input.new-todo[placeholder='What needs to be done?']", { value: fresh, oninput: (event) => { fresh = event.target.value; }, onkeypress: add })),
      m("ul.todo-list", shownBy(filterNow(), todos).map(item)),
      todos.length > 0 && m("footer", m("span.todo-count", `${left} left`),
        m("ul.filters", FILTERS.map(([name, hash]) => m("li", m("a", { href: hash, class: hash === filterNow() ? "selected" : "" }, name)))),
        todos.length > left && m("button.clear-completed", { onclick: () => { todos = todos.filter((one) => !one.completed); } }, "Clear completed")));
  },
};
m.mount(root(), App);
