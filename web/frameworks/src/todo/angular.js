import "zone.js";
import "@angular/compiler";
import { CommonModule } from "@angular/common";
import { Component } from "@angular/core";
import { FormsModule } from "@angular/forms";
import { bootstrapApplication } from "@angular/platform-browser";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

let nextId = 1;
class App {
  todos = [];
  fresh = "";
  edited = null;
  draft = "";
  filter = filterNow();
  filters = FILTERS;
  constructor() {
    addEventListener("hashchange", () => { this.filter = filterNow(); });
    window.todos = () => this.todos.map(({ title, completed }) => ({ title, completed }));
  }
  get shown() { return shownBy(this.filter, this.todos); }
  get left() { return this.todos.filter((one) => !one.completed).length; }
  idOf(_, todo) { return todo.id; }
  add() {
    if (this.fresh.trim()) this.todos.push({ id: nextId++, title: this.fresh.trim(), completed: false });
    this.fresh = "";
  }
  edit(todo) {
    this.edited = todo;
    this.draft = todo.title;
    setTimeout(() => document.querySelector(".edit")?.focus());
  }
  commit(todo) {
    if (this.edited !== todo) return;
    this.edited = null;
    todo.title = this.draft.trim();
    if (!todo.title) this.remove(todo);
  }
  remove(todo) { this.todos = this.todos.filter((one) => one !== todo); }
  clear() { this.todos = this.todos.filter((one) => !one.completed); }
}
const Root = Component({
  selector: "app-root",
  imports: [CommonModule, FormsModule],
  template: `<section class="todoapp">
    <header><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?" autofocus [(ngModel)]="fresh" (keyup.enter)="add()"></header>
    <ul class="todo-list">
      <li *ngFor="let todo of shown; trackBy: idOf" [class.completed]="todo.completed" [class.editing]="todo === edited">
        <div class="view">
          <input class="toggle" type="checkbox" [checked]="todo.completed" (change)="todo.completed = !todo.completed">
          <label (dblclick)="edit(todo)">{{ todo.title }}</label>
          <button class="destroy" (click)="remove(todo)"></button>
        </div>
        <input class="edit" *ngIf="todo === edited" [(ngModel)]="draft" (blur)="commit(todo)" (keyup.enter)="commit(todo)" (keyup.escape)="edited = null">
      </li>
    </ul>
    <footer *ngIf="todos.length">
      <span class="todo-count">{{ left }} left</span>
      <ul class="filters"><li *ngFor="let one of filters"><a [href]="one[1]" [class.selected]="one[1] === filter">{{ one[0] }}</a></li></ul>
      <button class="clear-completed" *ngIf="todos.length > left" (click)="clear()">Clear completed</button>
    </footer>
  </section>`,
})(App) ?? App;
root().append(document.createElement("app-root"));
bootstrapApplication(Root);
