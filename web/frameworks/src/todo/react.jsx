import { useEffect, useReducer, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { filterNow, FILTERS, root, shownBy } from "./_filters.js";

let nextId = 1;
function reduce(todos, action) {
  switch (action.type) {
    case "add": return [...todos, { id: nextId++, title: action.title, completed: false }];
    case "rename": return todos.map((one) => (one.id === action.id ? { ...one, title: action.title } : one));
    case "toggle": return todos.map((one) => (one.id === action.id ? { ...one, completed: !one.completed } : one));
    case "remove": return todos.filter((one) => one.id !== action.id);
    case "clear": return todos.filter((one) => !one.completed);
  }
  return todos;
}

function Item({ todo, dispatch }) {
  const [editing, setEditing] = useState(false);
  const box = useRef(null);
  useEffect(() => { if (editing) box.current.focus(); }, [editing]);
  const commit = (title) => {
    setEditing(false);
    if (title.trim()) dispatch({ type: "rename", id: todo.id, title: title.trim() });
    else dispatch({ type: "remove", id: todo.id });
  };
  return (
    <li className={[todo.completed && "completed", editing && "editing"].filter(Boolean).join(" ")}>
      {editing ? (
        <input ref={box} className="edit" defaultValue={todo.title} onBlur={(event) => commit(event.target.value)}
          onKeyDown={(event) => { if (event.key === "Enter") commit(event.target.value); else if (event.key === "Escape") setEditing(false); }} />
      ) : (
        <div className="view">
          <input className="toggle" type="checkbox" checked={todo.completed} onChange={() => dispatch({ type: "toggle", id: todo.id })} />
          <label onDoubleClick={() => setEditing(true)}>{todo.title}</label>
          <button className="destroy" onClick={() => dispatch({ type: "remove", id: todo.id })} />
        </div>
      )}
    </li>
  );
}

function App() {
  const [todos, dispatch] = useReducer(reduce, []);
  const [filter, setFilter] = useState(filterNow());
  useEffect(() => {
    const onHash = () => setFilter(filterNow());
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  window.todos = () => todos;
  const onKeyDown = (event) => {
    if (event.key !== "Enter" || !event.target.value.trim()) return;
    dispatch({ type: "add", title: event.target.value.trim() });
    event.target.value = "";
  };
  const left = todos.filter((one) => !one.completed).length;
  return (
    <section className="todoapp">
      <header><h1>todos</h1><input className="new-todo" autoFocus placeholder="What needs to be done?" onKeyDown={onKeyDown} /></header>
      <ul className="todo-list">{shownBy(filter, todos).map((todo) => <Item key={todo.id} todo={todo} dispatch={dispatch} />)}</ul>
      {todos.length > 0 && (
        <footer>
          <span className="todo-count">{left} left</span>
          <ul className="filters">{FILTERS.map(([name, hash]) => <li key={hash}><a href={hash} className={hash === filter ? "selected" : ""}>{name}</a></li>)}</ul>
          {todos.length > left && <button className="clear-completed" onClick={() => dispatch({ type: "clear" })}>Clear completed</button>}
        </footer>
      )}
    </section>
  );
}
createRoot(root()).render(<App />);
