import { Component, createTextVNode, render } from "inferno";
import { createElement as h } from "inferno-create-element";

class Board extends Component {
  constructor(props) {
    super(props);
    this.state = { items: ["Draft", "Sketch"], text: "" };
  }
  render(_, { items, text }) {
    const add = (event) => {
      event.preventDefault();
      if (text.trim()) this.setState({ items: [...items, text.trim()], text: "" });
    };
    return h("form", { onSubmit: add },
      h("input", { "aria-label": "New card", value: text, onInput: (event) => this.setState({ text: event.target.value }) }),
      h("button", null, "Add card"),
      h("ol", null, items.map((one, i) => h("li", { key: one }, one, h("a", { role: "button", tabIndex: 0, "aria-label": `Duplicate ${one}`, onClick: () => this.setState({ items: [...items, `${one} copy`] }) }, "⧉")))));
  }
}
render(h(Board), document.getElementById("app"));
