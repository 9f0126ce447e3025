import "ember-source/dist/ember.debug.js";
import compiler from "ember-source/dist/ember-template-compiler.js";
import { filterNow, FILTERS, shownBy } from "./_filters.js";

const Ember = window.Ember;
const compile = (text) => Ember.HTMLBars.template(new Function(`return ${compiler.precompile(text)}`)());
const App = Ember.Application.create({ rootElement: "#root", LOG_TRANSITIONS: false });
App.Router.reopen({ location: "none" });
let nextId = 1;
App.ApplicationController = Ember.Controller.extend({
  init() {
    this._super(...arguments);
    this.setProperties({ all: Ember.A(), fresh: "", filter: filterNow(), filters: FILTERS.map(([name, hash]) => ({ name, hash })) });
    addEventListener("hashchange", () => Ember.run(() => this.set("filter", filterNow())));
    window.todos = () => this.all.map((one) => ({ title: one.get("title"), completed: one.get("completed") }));
  },
  shown: Ember.computed("filter", "all.@each.completed", function () {
    const plain = this.all.map((one) => ({ completed: one.get("completed"), one }));
    return shownBy(this.filter, plain).map(({ one }) => one);
  }),
  left: Ember.computed("all.@each.completed", function () { return this.all.filter((one) => !one.get("completed")).length; }),
  done: Ember.computed("left", "all.length", function () { return this.all.length - this.left; }),
  actions: {
    add(title) {
      if (title.trim()) this.all.pushObject(Ember.Object.create({ id: nextId++, title: title.trim(), completed: false, editing: false }));
      this.set("fresh", "");
    },
    toggle(todo) { todo.toggleProperty("completed"); },
    edit(todo) {
      todo.set("editing", true);
      Ember.run.schedule("afterRender", () => document.querySelector(".edit").focus());
    },
    commit(todo, title) {
      if (!todo.get("editing")) return;
      todo.setProperties({ editing: false, title: title.trim() });
      if (!title.trim()) this.all.removeObject(todo);
    },
    remove(todo) { this.all.removeObject(todo); },
    clear() { this.set("all", Ember.A(this.all.filter((one) => !one.get("completed")))); },
  },
});
Ember.TEMPLATES.application = compile(`<section class="todoapp">
  <header><h1>todos</h1>{{input class="new-todo" placeholder="What needs to be done?" value=fresh enter=(action "add")}}</header>
  <ul class="todo-list">{{#each shown as |todo|}}
    <li class="{{if todo.completed 'completed'}} {{if todo.editing 'editing'}}">
      {{#if todo.editing}}{{input class="edit" value=(readonly todo.title) enter=(action "commit" todo) focus-out=(action "commit" todo)}}{{else}}
      <div class="view"><input class="toggle" type="checkbox" checked={{todo.completed}} onchange={{action "toggle" todo}}>
      <label ondblclick={{action "edit" todo}}>{{todo.title}}</label><button class="destroy" onclick={{action "remove" todo}}></button></div>{{/if}}
    </li>{{/each}}</ul>
  {{#if all.length}}<footer><span class="todo-count">{{left}} left</span>
    <ul class="filters">{{#each filters as |one|}}<li><a href={{one.hash}}>{{one.name}}</a></li>{{/each}}</ul>
    {{#if done}}<button class="clear-completed" onclick={{action "clear"}}>Clear completed</button>{{/if}}</footer>{{/if}}
</section>`);
