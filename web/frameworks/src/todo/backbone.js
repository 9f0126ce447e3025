import Backbone from "backbone";
import $ from "jquery";
import _ from "underscore";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

Backbone.$ = $;
const Todo = Backbone.Model.extend({ defaults: { title: "", completed: false } });
const Todos = Backbone.Collection.extend({ model: Todo });
const todos = new Todos();
window.todos = () => todos.toJSON();

const TodoView = Backbone.View.extend({
  tagName: "li",
  template: _.template(`<div class="view"><input class="toggle" type="checkbox" <%= completed ? "checked" : "" %>><label><%- title %></label><button class="destroy"></button></div><input class="edit" value="<%- title %>">`),
  events: { "click .toggle": "toggle", "dblclick label": "edit", "click .destroy": "clear", "keypress .edit": "onKey", "keydown .edit": "onEscape", "blur .edit": "close" },
  initialize() {
    this.listenTo(this.model, "change", this.render);
    this.listenTo(this.model, "destroy remove", this.remove);
  },
  render() {
    this.$el.html(this.template(this.model.toJSON())).toggleClass("completed", this.model.get("completed"));
    return this;
  },
  toggle() { this.model.set("completed", !this.model.get("completed")); },
  edit() {
    this.$el.addClass("editing");
    this.$(".edit").trigger("focus");
  },
  close() {
    if (!this.$el.hasClass("editing")) return;
    const title = this.$(".edit").val().trim();
    this.$el.removeClass("editing");
    if (title) this.model.set({ title });
    else this.clear();
  },
  onKey(event) { if (event.which === 13) this.close(); },
  onEscape(event) {
    if (event.which !== 27) return;
    this.$el.removeClass("editing");
    this.$(".edit").val(this.model.get("title"));
  },
  clear() { todos.remove(this.model); },
});

const AppView = Backbone.View.extend({
  stats: _.template(`<span class="todo-count"><%= left %> left</span><ul class="filters"><% filters.forEach(([name, hash]) => { %><li><a href="<%= hash %>" class="<%= hash === filter ? "selected" : "" %>"><%= name %></a></li><% }) %></ul><% if (done) { %><button class="clear-completed">Clear completed</button><% } %>`),
  events: { "keypress .new-todo": "create", "click .clear-completed": "clear" },
  initialize() {
    this.$el.html(`<section class="todoapp"><header><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?" autofocus></header><ul class="todo-list"></ul><footer></footer></section>`);
    this.listenTo(todos, "add", (todo) => this.$(".todo-list").append(new TodoView({ model: todo }).render().el));
    this.listenTo(todos, "change:completed filter", this.filterAll);
    this.listenTo(todos, "reset", () => this.$(".todo-list").empty().append(todos.map((todo) => new TodoView({ model: todo }).render().el)));
    this.listenTo(todos, "all", _.debounce(this.render, 0));
    $(window).on("hashchange", () => todos.trigger("filter"));
    this.render();
  },
  render() {
    const done = todos.filter((one) => one.get("completed")).length;
    this.$("footer").toggle(todos.length > 0).html(this.stats({ left: todos.length - done, done, filters: FILTERS, filter: filterNow() }));
    this.filterAll();
  },
  filterAll() {
    const shown = shownBy(filterNow(), todos.toJSON().map((one, index) => ({ ...one, index }))).map((one) => one.index);
    this.$(".todo-list > li").each((index, li) => void $(li).toggleClass("hidden", !shown.includes(index)));
  },
  create(event) {
    const box = this.$(".new-todo");
    if (event.which !== 13 || !box.val().trim()) return;
    todos.add({ title: box.val().trim() });
    box.val("");
  },
  clear() {
    _.invoke(todos.where({ completed: true }), "destroy");
    return false;
  },
});
new AppView({ el: root() });
