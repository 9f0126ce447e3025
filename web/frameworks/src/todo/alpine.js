import Alpine from "alpinejs";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

let nextId = 1;
root().innerHTML = `<section class="todoapp" x-data="todo" @hashchange.window="filter = now()">
  <header><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?" x-model="fresh" @keyup.enter="add"></header>
  <ul class="todo-list">
    <template x-for="todo in shown" :key="todo.id">
      <li :class="{ completed: todo.completed, editing: todo.id === edited }">
        <div class="view">
          <input class="toggle" type="checkbox" x-model="todo.completed">
          <label @dblclick="edit(todo)" x-text="todo.title"></label>
          <button class="destroy" @click="all = all.filter((one) => one.id !== todo.id)"></button>
        </div>
        <template x-if="todo.id === edited">
          <input class="edit" x-model="draft" x-init="$nextTick(() => $el.focus())" @blur="commit(todo)" @keyup.enter="commit(todo)" @keyup.escape="edited = null">
        </template>
      </li>
    </template>
  </ul>
  <footer x-show="all.length">
    <span class="todo-count" x-text="left + ' left'"></span>
    <ul class="filters"><template x-for="[name, hash] in filters" :key="hash"><li><a :href="hash" :class="{ selected: hash === filter }" x-text="name"></a></li></template></ul>
    <button class="clear-completed" x-show="all.length > left" @click="all = all.filter((one) => !one.completed)">Clear completed</button>
  </footer>
</section>`;
Alpine.data("todo", () => ({
  all: [], fresh: "", edited: null, draft: "", filter: filterNow(), filters: FILTERS, now: filterNow,
  init() { window.todos = () => JSON.parse(JSON.stringify(this.all)); },
  get shown() { return shownBy(this.filter, this.all); },
  get left() { return this.all.filter((one) => !one.completed).length; },
  add() {
    if (this.fresh.trim()) this.all.push({ id: nextId++, title: this.fresh.trim(), completed: false });
    this.fresh = "";
  },
  edit(todo) { this.draft = todo.title; this.edited = todo.id; },
  commit(todo) {
    if (this.edited !== todo.id) return;
    this.edited = null;
    todo.title = this.draft.trim();
    this.all = this.all.filter((one) => one.title);
  },
}));
Alpine.start();
