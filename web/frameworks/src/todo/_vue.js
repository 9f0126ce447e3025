import { filterNow, FILTERS, shownBy } from "./_filters.js";

let nextId = 1;
export const template = `<section class="todoapp">
    <header><h1>todos</h1><input class="new-todo" autofocus placeholder="What needs to be done?" v-model="fresh" @keyup.enter="add"></header>
    <ul class="todo-list">
      <li v-for="todo in shown" :key="todo.id" :class="{ completed: todo.completed, editing: todo === edited }">
        <div class="view">
          <input class="toggle" type="checkbox" v-model="todo.completed">
          <label @dblclick="edit(todo)">{{ todo.title }}</label>
          <button class="destroy" @click="remove(todo)"></button>
        </div>
        <input v-if="todo === edited" class="edit" type="text" v-model="todo.title" v-todo-focus @blur="done(todo)" @keyup.enter="done(todo)" @keyup.esc="cancel(todo)">
      </li>
    </ul>
    <footer v-show="all.length">
      <span class="todo-count">{{ left }} left</span>
      <ul class="filters"><li v-for="[name, hash] in filters" :key="hash"><a :href="hash" :class="{ selected: hash === filter }">{{ name }}</a></li></ul>
      <button class="clear-completed" @click="clear" v-show="all.length > left">Clear completed</button>
    </footer>
  </section>`;
export const options = {
  data: () => ({ all: [], fresh: "", edited: null, before: "", filter: filterNow(), filters: FILTERS }),
  computed: {
    shown() { return shownBy(this.filter, this.all); },
    left() { return this.all.filter((one) => !one.completed).length; },
  },
  mounted() {
    addEventListener("hashchange", () => { this.filter = filterNow(); });
    window.todos = () => this.all.map(({ title, completed }) => ({ title, completed }));
  },
  methods: {
    add() {
      const title = this.fresh.trim();
      if (title) this.all.push({ id: nextId++, title, completed: false });
      this.fresh = "";
    },
    remove(todo) { this.all.splice(this.all.indexOf(todo), 1); },
    edit(todo) { this.before = todo.title; this.edited = todo; },
    done(todo) {
      if (!this.edited) return;
      this.edited = null;
      todo.title = todo.title.trim();
      if (!todo.title) this.remove(todo);
    },
    cancel(todo) { this.edited = null; todo.title = this.before; },
    clear() { this.all = this.all.filter((one) => !one.completed); },
  },
};
