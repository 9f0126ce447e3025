import "zone.js";
import "@angular/compiler";
import { CommonModule } from "@angular/common";
import { ChangeDetectorRef, Component, inject } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { actions, EMPTY } from "./_orders.js";

class App {
  state = { ...EMPTY };
  view = inject(ChangeDetectorRef);
  constructor() {
    window.model = () => this.state;
    const set = (change) => { this.state = { ...this.state, ...change }; this.view.detectChanges(); };
    Object.assign(this, actions(() => this.state, set));
  }
  get rounds() { return [this.state.round]; }
  idOf(_, row) { return row.id; }
  put(field, event) {
    this.type(field, event.target.value);
    event.target.value = this.state[field];
  }
  submit(event) { event.preventDefault(); this.save(); }
}
const Root = Component({
  selector: "app-root",
  imports: [CommonModule],
  template: `<main>
    <form (submit)="submit($event)" novalidate>
      <label>Title <input [value]="state.title" [attr.aria-invalid]="state.error ? true : null" (input)="put('title', $event)"></label>
      <p *ngIf="state.error" class="field-error">{{ state.error }}</p>
      <label>Phone <input [value]="state.phone" (input)="put('phone', $event)"></label>
      <label>Amount <input [value]="state.amount" (input)="put('amount', $event)"></label>
      <label *ngFor="let round of rounds"><input type="checkbox" [checked]="state.paid" (change)="pay($any($event.target).checked)"> Paid</label>
      <button>Save</button>
    </form>
    <ul><li *ngFor="let row of state.rows; trackBy: idOf">{{ row.title }} <button (click)="remove(row.id)">Delete</button></li></ul>
    <div *ngIf="state.said" role="status" class="toast">{{ state.said }}</div>
  </main>`,
})(App) ?? App;
document.getElementById("root").append(document.createElement("app-root"));
bootstrapApplication(Root);
