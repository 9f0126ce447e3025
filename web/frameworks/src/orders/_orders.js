/** The requests and rules of the order form. Each framework keeps the state, renders it and handles the events. */

const parameters = new URLSearchParams(location.search);
export const scenario = location.pathname.split("/").pop();
const call = async (path, body) => {
  const query = new URLSearchParams({ trial: parameters.get("trial") ?? "0", scenario });
  const answer = await fetch(`/api/${path}?${query}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  return { status: answer.status, ...(await answer.json()) };
};

export const EMPTY = { title: "", phone: "", amount: "", paid: false, rows: [{ id: 1, title: "First order" }], error: "", said: "", round: 0 };
const phoneOf = (text) => {
  const digits = text.replace(/\D/g, "").slice(0, 10);
  return digits.length > 6 ? `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}` : digits;
};

/** `get` returns the state, `set` changes members of it. */
export function actions(get, set) {
  return {
    type(field, text) {
      if (field === "phone") set({ phone: phoneOf(text) });
      else if (field === "amount") set({ amount: /^\d*$/.test(text) ? text : get().amount });
      else set({ [field]: text });
    },
    async save() {
      const title = get().title.trim();
      if (scenario === "nothing") return;
      if (!title) return set({ error: "Title is required" });
      const row = { id: Date.now(), title };
      const optimistic = ["optimistic", "rollback", "refused"].includes(scenario);
      if (optimistic) set({ rows: [...get().rows, row], title: "", error: "" });
      const answer = await call("save", { title });
      if (answer.status < 300 && answer.ok !== false) {
        if (!optimistic) set({ rows: [...get().rows, row], title: "", error: "", said: "Saved" });
        return;
      }
      if (optimistic) set({ rows: get().rows.filter((one) => one.id !== row.id), title });
      if (answer.status === 422) set({ error: answer.message });
      else if (scenario !== "refused") set({ said: answer.message });
    },
    async pay(paid) {
      set({ paid, round: get().round + 1 });
      const answer = await call("pay", { paid });
      if (answer.status >= 300) set({ paid: !paid, round: get().round + 1, said: answer.message });
    },
    async remove(id) {
      const answer = await call("remove", { id });
      if (answer.status < 300) set({ rows: get().rows.filter((one) => one.id !== id), said: "Deleted" });
    },
  };
}
