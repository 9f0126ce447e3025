import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

/** Custom elements with shadow roots, without any library. An item is created again whenever its data changes. */
const style = `<style>.destroy{display:none}:host(:hover) .destroy{display:inline-block}.destroy::after{content:"×"}
.view{display:flex;gap:8px}label{padding:4px;min-width:200px}.toggle{width:24px;height:24px}.edit,.editing .view{display:none}.editing .edit{display:block}</style>`;
class TodoItem extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).innerHTML = `${style}<div class="item"><div class="view"><input class="toggle" type="checkbox"><label></label><button class="destroy"></button></div><input class="edit"></div>`;
    const [item, toggle, label, destroy, edit] = [".item", ".toggle", "label", ".destroy", ".edit"].map((one) => this.shadowRoot.querySelector(one));
    Object.assign(this, { item, toggle, label, edit });
    toggle.addEventListener("click", () => this.send("todo-toggle"));
    destroy.addEventListener("click", () => this.send("todo-remove"));
    label.addEventListener("dblclick", () => { item.classList.add("editing"); edit.value = this.todo.title; edit.focus(); });
    edit.addEventListener("keydown", (event) => { if (event.key === "Enter") edit.blur(); if (event.key === "Escape") item.classList.remove("editing"); });
    edit.addEventListener("blur", () => {
      if (!item.classList.contains("editing")) return;
      item.classList.remove("editing");
      this.send("todo-rename", edit.value.trim());
    });
  }
  connectedCallback() {
    this.label.textContent = this.todo.title;
    this.toggle.checked = this.todo.completed;
  }
  send(type, title) { this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail: { id: this.todo.id, title } })); }
}
customElements.define("todo-item", TodoItem);

let nextId = 1;
let todos = [];
window.todos = () => todos;
root().innerHTML = '<section class="todoapp"><header><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?"></header><ul class="todo-list"></ul><footer></footer></section>';
const [box, list, footer] = [".new-todo", ".todo-list", "footer"].map((one) => document.querySelector(one));
function render() {
  list.replaceChildren(...shownBy(filterNow(), todos).map((todo) => {
    const item = document.createElement("todo-item");
    item.todo = todo;
    const li = document.createElement("li");
    li.append(item);
    return li;
  }));
  const left = todos.filter((one) => !one.completed).length;
  footer.hidden = todos.length === 0;
  footer.innerHTML = `<span class="todo-count">${left} left</span><ul class="filters">${FILTERS.map(([name, hash]) => `<li><a href="${hash}">${name}</a></li>`).join("")}</ul>${todos.length > left ? '<button class="clear-completed">Clear completed</button>' : ""}`;
}
const change = (make) => { todos = todos.map(make).filter((one) => one?.title); render(); };
box.addEventListener("keypress", (event) => {
  if (event.key !== "Enter" || !box.value.trim()) return;
  todos.push({ id: nextId++, title: box.value.trim(), completed: false });
  box.value = "";
  render();
});
list.addEventListener("todo-toggle", ({ detail }) => change((one) => (one.id === detail.id ? { ...one, completed: !one.completed } : one)));
list.addEventListener("todo-rename", ({ detail }) => change((one) => (one.id === detail.id ? { ...one, title: detail.title } : one)));
list.addEventListener("todo-remove", ({ detail }) => change((one) => (one.id === detail.id ? null : one)));
footer.addEventListener("click", (event) => { if (event.target.matches(".clear-completed")) change((one) => (one.completed ? null : one)); });
addEventListener("hashchange", render);
render();
