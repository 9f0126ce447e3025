import ko from "knockout";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

const keyBinding = (keyCode) => ({
  init(element, value, _bindings, data, context) {
    const handler = () => (_data, event) => {
      if (event.keyCode === keyCode) value().call(data, data, event);
      return true;
    };
    ko.bindingHandlers.event.init(element, () => ({ keyup: handler() }), _bindings, data, context);
  },
});
ko.bindingHandlers.enterKey = keyBinding(13);
ko.bindingHandlers.escapeKey = keyBinding(27);
ko.bindingHandlers.selectAndFocus = {
  init(element, value, bindings) {
    ko.bindingHandlers.hasFocus.init(element, value, bindings);
    ko.utils.registerEventHandler(element, "focus", () => element.focus());
  },
  update(element, value) {
    ko.utils.unwrapObservable(value());
    setTimeout(() => ko.bindingHandlers.hasFocus.update(element, value), 0);
  },
};

class Todo {
  constructor(title) {
    this.title = ko.observable(title);
    this.completed = ko.observable(false);
    this.editing = ko.observable(false);
  }
}
class App {
  todos = ko.observableArray();
  current = ko.observable();
  filter = ko.observable(filterNow());
  filters = FILTERS;
  constructor() {
    addEventListener("hashchange", () => this.filter(filterNow()));
    const plain = () => this.todos().map((one) => ({ title: one.title(), completed: one.completed(), one }));
    this.shown = ko.computed(() => shownBy(this.filter(), plain()).map(({ one }) => one));
    this.left = ko.computed(() => this.todos().filter((one) => !one.completed()).length);
    window.todos = () => plain().map(({ title, completed }) => ({ title, completed }));
  }
  add = () => {
    const title = (this.current() ?? "").trim();
    if (!title) return;
    this.todos.push(new Todo(title));
    this.current("");
  };
  remove = (todo) => this.todos.remove(todo);
  clear = () => this.todos.remove((one) => one.completed());
  edit = (todo) => { todo.before = todo.title(); todo.editing(true); };
  save = (todo) => {
    if (!todo.editing()) return;
    todo.editing(false);
    todo.title(todo.title().trim());
    if (!todo.title()) this.remove(todo);
  };
  cancel = (todo) => { todo.editing(false); todo.title(todo.before); };
}
root().innerHTML = `<section class="todoapp">
  <header><h1>todos</h1><input class="new-todo" data-bind="value: current, valueUpdate: 'afterkeydown', enterKey: add" placeholder="What needs to be done?" autofocus></header>
  <ul class="todo-list" data-bind="foreach: shown">
    <li data-bind="css: { completed: completed, editing: editing }">
      <div class="view">
        <input class="toggle" data-bind="checked: completed" type="checkbox">
        <label data-bind="text: title, event: { dblclick: $root.edit }"></label>
        <button class="destroy" data-bind="click: $root.remove"></button>
      </div>
      <input class="edit" data-bind="value: title, valueUpdate: 'afterkeydown', enterKey: $root.save, escapeKey: $root.cancel, selectAndFocus: editing, event: { blur: $root.save }">
    </li>
  </ul>
  <footer data-bind="visible: todos().length">
    <span class="todo-count" data-bind="text: left() + ' left'"></span>
    <ul class="filters" data-bind="foreach: filters"><li><a data-bind="text: $data[0], attr: { href: $data[1] }, css: { selected: $data[1] === $root.filter() }"></a></li></ul>
    <button class="clear-completed" data-bind="visible: todos().length > left(), click: clear">Clear completed</button>
  </footer>
</section>`;
ko.applyBindings(new App(), root());
