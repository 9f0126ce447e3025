import { useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { actions, EMPTY } from "./_orders.js";

function Form() {
  const [state, setState] = useState(EMPTY);
  const latest = useRef(state);
  const set = (change) => setState((before) => (latest.current = { ...before, ...change }));
  const act = useRef(null);
  act.current ??= actions(() => latest.current, (change) => { latest.current = { ...latest.current, ...change }; set(change); });
  window.model = () => latest.current;
  const { type, save, pay, remove } = act.current;
  return (
    <main>
      <form onSubmit={(event) => { event.preventDefault(); save(); }} noValidate>
        <label>Title <input value={state.title} aria-invalid={state.error ? true : undefined} onChange={(event) => type("title", event.target.value)} /></label>
        {state.error && <p className="field-error">{state.error}</p>}
        <label>Phone <input value={state.phone} onChange={(event) => type("phone", event.target.value)} /></label>
        <label>Amount <input value={state.amount} onChange={(event) => type("amount", event.target.value)} /></label>
        <label key={state.round}><input type="checkbox" checked={state.paid} onChange={(event) => pay(event.target.checked)} /> Paid</label>
        <button>Save</button>
      </form>
      <ul>{state.rows.map((row) => <li key={row.id}>{row.title} <button onClick={() => remove(row.id)}>Delete</button></li>)}</ul>
      {state.said && <div role="status" className="toast">{state.said}</div>}
    </main>
  );
}
createRoot(document.getElementById("root")).render(<Form />);
