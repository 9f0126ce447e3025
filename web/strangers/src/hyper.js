import { app, h, text } from "hyperapp";

const send = (dispatch, value) =>
  fetch("rate", { method: "POST", body: String(value) }).then(async (answer) => dispatch(Answered, await answer.json()));
const Rate = (state, value) => [{ ...state, mine: value, busy: true }, [send, value]];
const Answered = (state, answer) => ({ ...state, busy: false, mean: answer.mean ?? state.mean, mine: answer.mean ? state.mine : 0 });

app({
  init: { mine: 0, mean: 3.4, busy: false },
  view: (state) =>
    h("section", {}, [
      h("p", {}, text(`Mean ${state.mean}, yours ${state.mine || "none"}`)),
      ...[1, 2, 3, 4, 5].map((value) => h("button", { "aria-label": `${value} stars`, class: { on: value <= state.mine }, onclick: [Rate, value] }, text("★"))),
    ]),
  node: document.getElementById("app").appendChild(document.createElement("div")),
});
