import { createSignal, For, onCleanup, Show } from "solid-js";
import { createStore } from "solid-js/store";
import { render } from "solid-js/web";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

let nextId = 1;
function App() {
  const [todos, setTodos] = createStore([]);
  const [edited, setEdited] = createSignal(null);
  const [filter, setFilter] = createSignal(filterNow());
  const onHash = () => setFilter(filterNow());
  addEventListener("hashchange", onHash);
  onCleanup(() => removeEventListener("hashchange", onHash));
  window.todos = () => JSON.parse(JSON.stringify(todos));
  const left = () => todos.filter((one) => !one.completed).length;
  const add = ({ target, code }) => {
    if (code !== "Enter" || !target.value.trim()) return;
    setTodos(todos.length, { id: nextId++, title: target.value.trim(), completed: false });
    target.value = "";
  };
  const remove = (id) => setTodos((all) => all.filter((one) => one.id !== id));
  const commit = (id, { target }) => {
    if (edited() !== id) return;
    const title = target.value.trim();
    setEdited(null);
    if (title) setTodos((one) => one.id === id, "title", title);
    else remove(id);
  };
  return (
    <section class="todoapp">
      <header><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?" onKeyDown={add} /></header>
      <ul class="todo-list">
        <For each={shownBy(filter(), todos)}>
          {(todo) => (
            <li classList={{ completed: todo.completed, editing: edited() === todo.id }}>
              <div class="view">
                <input class="toggle" type="checkbox" checked={todo.completed} onInput={(event) => setTodos((one) => one.id === todo.id, "completed", event.currentTarget.checked)} />
                <label onDblClick={() => setEdited(todo.id)}>{todo.title}</label>
                <button class="destroy" onClick={[remove, todo.id]} />
              </div>
              <Show when={edited() === todo.id}>
                <input class="edit" value={todo.title} ref={(el) => queueMicrotask(() => el.focus())} onFocusOut={[commit, todo.id]}
                  onKeyUp={(event) => { if (event.code === "Enter") commit(todo.id, event); if (event.code === "Escape") setEdited(null); }} />
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show when={todos.length > 0}>
        <footer>
          <span class="todo-count">{left()} left</span>
          <ul class="filters"><For each={FILTERS}>{([name, hash]) => <li><a href={hash} classList={{ selected: hash === filter() }}>{name}</a></li>}</For></ul>
          <Show when={todos.length > left()}><button class="clear-completed" onClick={() => setTodos((all) => all.filter((one) => !one.completed))}>Clear completed</button></Show>
        </footer>
      </Show>
    </section>
  );
}
render(() => <App />, root());
