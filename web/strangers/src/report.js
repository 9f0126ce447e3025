import { createApp, h, ref } from "vue";

/** A report that a queue makes: the page asks for its state until it is ready. */
const Report = {
  setup() {
    const state = ref("");
    const poll = async () => {
      state.value = (await (await fetch("reports/9")).json()).state;
      if (state.value !== "ready") setTimeout(poll, 300);
    };
    const start = async () => {
      state.value = (await (await fetch("reports", { method: "POST", body: "march" })).json()).state;
      setTimeout(poll, 300);
    };
    return () => [
      h("h1", "Reports"),
      h("button", { onClick: start, disabled: state.value !== "" }, "Create report"),
      state.value === "ready" ? h("a", { href: "#march.pdf" }, "Download march.pdf") : h("p", state.value),
    ];
  },
};

createApp(Report).mount("#app");
