import htmx from "htmx.org";

/** The server renders the list and holds the to-dos; this page has no model of its own. */
window.htmx = htmx;
const trial = new URLSearchParams(location.search).get("trial") ?? "0";
window.todos = () => fetch(`/htmx/todos.json?trial=${trial}`).then((answer) => answer.json());
htmx.config.defaultSettleDelay = 0;
htmx.config.defaultSwapDelay = 0;
const root = document.getElementById("root");
root.innerHTML = `<section class="todoapp" hx-target="#list" hx-vals='{"trial": "${trial}"}'>
  <header><h1>todos</h1><form hx-post="/htmx/add" hx-on::after-request="this.reset()"><input name="title" class="new-todo" placeholder="What needs to be done?"></form></header>
  <div id="list" hx-get="/htmx/list" hx-trigger="load"></div></section>`;
htmx.process(root);
