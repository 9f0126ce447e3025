import { css, html, LitElement } from "lit";

class Address extends LitElement {
  static properties = { state: { state: true } };
  async save(event) {
    event.preventDefault();
    this.state = "Guardando";
    const answer = await fetch("direccion", { method: "PUT", body: new FormData(event.target).get("a") });
    this.state = (await answer.json()).guardada ? "La dirección está guardada" : "";
  }
  render() {
    return html`<form @submit=${this.save}><label>Dirección <input name="a" /></label> <button ?disabled=${this.state === "Guardando"}>Guardar</button></form>
      <slot></slot><p>${this.state}</p>`;
  }
}
customElements.define("direccion-envio", Address);

class Shop extends LitElement {
  static styles = css`.nota { position: fixed; bottom: 0; background: #222; color: #fff; padding: 8px }`;
  static properties = { note: { state: true }, lines: { state: true } };
  lines = 0;
  async add(name) {
    const { righe, nota } = await (await fetch("carrello", { method: "POST", body: name })).json();
    this.lines = righe;
    this.note = nota;
    setTimeout(() => { this.note = ""; }, 2500);
  }
  render() {
    return html`<header>Carrello (${this.lines})</header>
      ${["Teiera", "Tazza"].map((name) => html`<article><h3>${name}</h3><button @click=${() => this.add(name)}>Aggiungi al carrello</button></article>`)}
      ${this.note ? html`<div class="nota">${this.note}</div>` : ""}`;
  }
}
customElements.define("negozio-vetrina", Shop);
