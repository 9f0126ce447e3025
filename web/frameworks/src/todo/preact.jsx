/** @jsxImportSource preact */
import { Component, render } from "preact";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

let nextId = 1;
class App extends Component {
  state = { todos: [], fresh: "", edited: null, draft: "", filter: filterNow() };
  componentDidMount() {
    addEventListener("hashchange", () => this.setState({ filter: filterNow() }));
    window.todos = () => this.state.todos;
  }
  add = (event) => {
    if (event.keyCode !== 13) return;
    event.preventDefault();
    const title = this.state.fresh.trim();
    if (title) this.setState({ todos: [...this.state.todos, { id: nextId++, title, completed: false }], fresh: "" });
  };
  put(id, change) { this.setState({ todos: this.state.todos.map((one) => (one.id === id ? { ...one, ...change } : one)) }); }
  remove(id) { this.setState({ todos: this.state.todos.filter((one) => one.id !== id) }); }
  commit(todo) {
    if (this.state.edited !== todo.id) return;
    const title = this.state.draft.trim();
    this.setState({ edited: null });
    if (title) this.put(todo.id, { title });
    else this.remove(todo.id);
  }
  item(todo) {
    const { edited, draft } = this.state;
    return (
      <li key={todo.id} class={[todo.completed && "completed", edited === todo.id && "editing"].filter(Boolean).join(" ")}>
        <div class="view">
          <input class="toggle" type="checkbox" checked={todo.completed} onChange={() => this.put(todo.id, { completed: !todo.completed })} />
          <label onDblClick={() => this.setState({ edited: todo.id, draft: todo.title })}>{todo.title}</label>
          <button class="destroy" onClick={() => this.remove(todo.id)} />
        </div>
        {edited === todo.id && (
          <input class="edit" value={draft} ref={(el) => el && document.activeElement !== el && el.focus()} onInput={(event) => this.setState({ draft: event.target.value })}
            onBlur={() => this.commit(todo)} onKeyDown={(event) => { if (event.keyCode === 13) this.commit(todo); if (event.keyCode === 27) this.setState({ edited: null }); }} />
        )}
      </li>
    );
  }
  render(_props, { todos, fresh, filter }) {
    const left = todos.filter((one) => !one.completed).length;
    return (
      <section class="todoapp">
        <header><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?" value={fresh} onInput={(event) => this.setState({ fresh: event.target.value })} onKeyDown={this.add} autoFocus /></header>
        <ul class="todo-list">{shownBy(filter, todos).map((todo) => this.item(todo))}</ul>
        {todos.length > 0 && (
          <footer>
            <span class="todo-count">{left} left</span>
            <ul class="filters">{FILTERS.map(([name, hash]) => <li key={hash}><a href={hash} class={hash === filter ? "selected" : ""}>{name}</a></li>)}</ul>
            {todos.length > left && <button class="clear-completed" onClick={() => this.setState({ todos: todos.filter((one) => !one.completed) })}>Clear completed</button>}
          </footer>
        )}
      </section>
    );
  }
}
render(<App />, root());
