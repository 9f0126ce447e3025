import morphdom from "morphdom";

/** A live view: events go to the server over a socket, and it answers with the rendered page, which is morphed in. */
const root = document.getElementById("root");
const query = new URLSearchParams(location.search);
const socket = new WebSocket(`ws://localhost:${query.get("socket")}/?${new URLSearchParams({ trial: query.get("trial"), scenario: location.pathname.split("/").pop() })}`);
socket.onmessage = (message) => morphdom(root, `<div id="root">${message.data}</div>`, { childrenOnly: true });
const send = (event, value) => socket.send(JSON.stringify({ event, value }));
root.addEventListener("submit", (event) => {
  const name = event.target.getAttribute("live-submit");
  event.preventDefault();
  if (name) send(name, Object.fromEntries(new FormData(event.target)));
});
root.addEventListener("click", (event) => {
  const target = event.target.closest("[live-click]");
  if (target) send(target.getAttribute("live-click"), { id: target.dataset.id });
});
root.addEventListener("change", (event) => {
  const name = event.target.getAttribute("live-change");
  if (name) send(name, { paid: event.target.checked });
});
