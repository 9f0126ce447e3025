import { css, html, LitElement } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { classMap } from "lit/directives/class-map.js";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

let nextId = 1;
class TodoItem extends LitElement {
  static properties = { todo: { attribute: false }, editing: { state: true } };
  static styles = css`
    :host { display: block } .destroy { display: none } :host(:hover) .destroy { display: inline-block } .destroy::after { content: "×" }
    .view { display: flex; gap: 8px } label { padding: 4px; min-width: 200px } .toggle { width: 24px; height: 24px }`;
  send(type, detail) { this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail: { id: this.todo.id, ...detail } })); }
  async edit() {
    this.editing = true;
    await this.updateComplete;
    this.renderRoot.querySelector(".edit").focus();
  }
  commit(event) {
    if (!this.editing) return;
    this.editing = false;
    this.send("todo-rename", { title: event.target.value.trim() });
  }
  onKey(event) {
    if (event.key === "Enter") this.commit(event);
    if (event.key === "Escape") this.editing = false;
  }
  render() {
    if (this.editing) return html`<input class="edit" .value=${this.todo.title} @change=${this.commit} @blur=${this.commit} @keyup=${this.onKey}>`;
    return html`<div class=${classMap({ view: true, completed: this.todo.completed })}>
      <input class="toggle" type="checkbox" .checked=${this.todo.completed} @change=${() => this.send("todo-toggle")}>
      <label @dblclick=${this.edit}>${this.todo.title}</label>
      <button class="destroy" @click=${() => this.send("todo-remove")}></button></div>`;
  }
}
customElements.define("todo-item", TodoItem);

class TodoApp extends LitElement {
  static properties = { todos: { state: true }, filter: { state: true } };
  static styles = css`ul { list-style: none; padding: 0 } .filters { display: flex; gap: 8px }`;
  constructor() {
    super();
    this.todos = [];
    this.filter = filterNow();
    addEventListener("hashchange", () => { this.filter = filterNow(); });
    window.todos = () => this.todos;
  }
  put(id, change) { this.todos = this.todos.map((one) => (one.id === id ? change(one) : one)).filter((one) => one?.title); }
  add(event) {
    const title = event.target.value.trim();
    if (title) this.todos = [...this.todos, { id: nextId++, title, completed: false }];
    event.target.value = "";
  }
  render() {
    const left = this.todos.filter((one) => !one.completed).length;
    return html`<section class="todoapp">
      <header><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?" autofocus @change=${this.add}></header>
      <ul class="todo-list" @todo-toggle=${(event) => this.put(event.detail.id, (one) => ({ ...one, completed: !one.completed }))}
        @todo-rename=${(event) => this.put(event.detail.id, (one) => ({ ...one, title: event.detail.title }))}
        @todo-remove=${(event) => this.put(event.detail.id, () => null)}>
        ${repeat(shownBy(this.filter, this.todos), (one) => one.id, (one) => html`<li><todo-item .todo=${one}></todo-item></li>`)}
      </ul>
      ${this.todos.length ? html`<footer><span class="todo-count">${left} left</span>
        <ul class="filters">${FILTERS.map(([name, hash]) => html`<li><a href=${hash} class=${classMap({ selected: hash === this.filter })}>${name}</a></li>`)}</ul>
        ${this.todos.length > left ? html`<button class="clear-completed" @click=${() => { this.todos = this.todos.filter((one) => !one.completed); }}>Clear completed</button>` : ""}
      </footer>` : ""}</section>`;
  }
}
customElements.define("todo-app", TodoApp);
root().append(document.createElement("todo-app"));
