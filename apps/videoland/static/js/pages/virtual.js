// A virtual list of all videos: a few row nodes are recycled while scrolling, for any number of rows.

import { get } from "../api.js";
import { badge } from "../badge.js";
import { isAdmin, number, t } from "../boot.js";
import { h } from "../dom.js";
import { rowButtons } from "./videos.js";

const ROW = 48;
const CHUNK = 100;
const SHOWN = 14;

export async function render({ signal }) {
  const rows = new Rows(await get(`/api/videos/window?offset=0&limit=${CHUNK}`, signal));
  const count = h("p.muted", {}, t("videos.count", { count: number(rows.total) }));
  const spacer = h("div.virtual-space", { role: "rowgroup" });
  const port = h("div.virtual.card", { role: "table", "aria-label": t("virtual.title"), "aria-rowcount": rows.total, tabindex: "0",
    "data-uiap-collection": "videos.virtual", "data-uiap-scope": "videos.virtual.table", "data-uiap-scope-kind": "table" }, spacer);
  const pool = Array.from({ length: SHOWN }, () => h("div.virtual-row", { role: "row" }));
  spacer.append(...pool);

  function draw() {
    spacer.style.height = `${rows.total * ROW}px`;
    const first = Math.min(Math.floor(port.scrollTop / ROW), Math.max(0, rows.total - SHOWN));
    for (let at = first; at < first + SHOWN; at += 1) place(pool[at % SHOWN], at);
    rows.want(first, first + SHOWN, signal).then((came) => came && draw(), () => {});
  }

  function place(node, at) {
    const video = rows.at(at);
    node.hidden = at >= rows.total;
    node.style.transform = `translateY(${at * ROW}px)`;
    const key = video ? `${video.id}:${video.status}` : "";
    node.setAttribute("aria-rowindex", at + 1);
    if (node.dataset.key === key) return;
    node.dataset.key = key;
    if (!video) return blank(node);
    node.dataset.id = video.id;
    node.setAttribute("data-uiap-entity", `video:${video.id}`);
    fill(node, video, () => vanish(video));
  }

  function vanish(video) {
    const back = rows.drop(video);
    refresh();
    return () => {
      back();
      refresh();
    };
  }

  function refresh() {
    count.textContent = t("videos.count", { count: number(rows.total) });
    port.setAttribute("aria-rowcount", rows.total);
    draw();
  }

  port.addEventListener("scroll", draw);
  draw();
  return h("div.page", {}, h("header.page-head", {}, h("div", {}, h("h1", { tabindex: "-1" }, t("virtual.title")), count),
    h("a.button", { href: "/videos" }, t("virtual.back"))), port);
}

function blank(node) {
  delete node.dataset.id;
  node.removeAttribute("data-uiap-entity");
  node.replaceChildren(h("span.muted", { role: "cell" }, t("app.loading")));
}

function fill(node, video, vanish) {
  node.replaceChildren(
    h("span", { role: "rowheader" }, h("a", { href: `/videos/${video.id}` }, video.title)),
    h("span", { role: "cell" }, badge(video.status)),
    h("span.number", { role: "cell" }, number(video.views)),
    h("span.number", { role: "cell" }, isAdmin() ? rowButtons(video, vanish) : ""),
  );
}

// Rows by position, fetched in chunks when a part of the window is missing.
class Rows {
  #known = new Map();
  #coming = new Set();

  constructor({ items, total }) {
    this.total = total;
    this.#keep(0, items);
  }

  at(position) {
    return this.#known.get(position);
  }

  // Returns whether rows arrived; a failed chunk is requested again by the next scroll.
  async want(from, to, signal) {
    const missing = new Set();
    for (let at = from; at < Math.min(to, this.total); at += 1) {
      const start = at - (at % CHUNK);
      if (!this.#known.has(at) && !this.#coming.has(start)) missing.add(start);
    }
    for (const start of missing) this.#coming.add(start);
    await Promise.all([...missing].map((start) => this.#fetch(start, signal)));
    return missing.size > 0;
  }

  async #fetch(start, signal) {
    try {
      this.#keep(start, (await get(`/api/videos/window?offset=${start}&limit=${CHUNK}`, signal)).items);
    } finally {
      this.#coming.delete(start);
    }
  }

  drop(video) {
    const before = { known: this.#known, total: this.total };
    const at = [...this.#known].find(([, one]) => one.id === video.id)[0];
    this.#known = new Map([...this.#known].filter(([key]) => key !== at).map(([key, one]) => [key > at ? key - 1 : key, one]));
    this.total -= 1;
    return () => {
      this.#known = before.known;
      this.total = before.total;
    };
  }

  #keep(start, items) {
    items.forEach((item, at) => this.#known.set(start + at, item));
  }
}
