// The canvas editor: its buttons are painted. The effect of a hit is shown outside the canvas and in the server's log.

import { post } from "../api.js";
import { isAdmin, studio, t } from "../boot.js";
import { h } from "../dom.js";
import { toast } from "../toast.js";

const INK = "#1c2333";

export async function render() {
  const canvas = h("canvas.studio-canvas", { width: studio.canvas.width, height: studio.canvas.height,
    "aria-label": t("studio.canvas") });
  const last = h("output", { "data-studio-last": "" }, t("studio.nothing"));
  const scene = { trims: 0, captions: 0, pressed: null };
  paint(canvas, scene);

  canvas.addEventListener("click", async (event) => {
    const name = hit(canvas, event);
    if (!name) return;
    flash(canvas, scene, name);
    if (!isAdmin()) return toast("error.forbidden", {}, "failed");
    try {
      await post("/api/studio", { command: name });
      if (name === "trim") scene.trims += 1;
      if (name === "caption") scene.captions += 1;
      last.value = t("studio.did", { name: studio.buttons[name].label });
      last.dataset.studioLast = name;
      toast(`studio.${name}`);
    } catch {
      toast("error.server", {}, "failed");
    }
    paint(canvas, scene);
  });
  return h("section.page", {}, h("h1", { tabindex: "-1" }, t("nav.studio")), h("p.muted", {}, t("studio.intro")),
    h("div.card.studio", {}, canvas, h("p", {}, t("studio.last"), " ", last)));
}

function hit(canvas, event) {
  const box = canvas.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * canvas.width;
  const y = ((event.clientY - box.top) / box.height) * canvas.height;
  const inside = ([, b]) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + b.height;
  return Object.entries(studio.buttons).find(inside)?.[0];
}

function flash(canvas, scene, name) {
  scene.pressed = name;
  paint(canvas, scene);
  scene.pressed = null;
}

function paint(canvas, scene) {
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#f4f6fb";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  preview(pen, scene);
  timeline(pen, scene);
  for (const [name, button] of Object.entries(studio.buttons)) paintButton(pen, button, name === "export", scene.pressed === name);
}

function preview(pen, scene) {
  pen.fillStyle = INK;
  pen.beginPath();
  pen.roundRect(32, 24, 816, 200, 12);
  pen.fill();
  pen.fillStyle = "#ffffff";
  pen.beginPath();
  pen.moveTo(426, 98);
  pen.lineTo(466, 122);
  pen.lineTo(426, 146);
  pen.fill();
  if (scene.captions) text(pen, `Caption ${scene.captions}`, 440, 200, "#ffffff", 18);
}

function timeline(pen, scene) {
  pen.fillStyle = "#dfe4f2";
  pen.beginPath();
  pen.roundRect(32, 252, 816, 56, 8);
  pen.fill();
  const width = Math.max(80, 784 - scene.trims * 96);
  for (let at = 0; at * 98 < width; at += 1) {
    pen.fillStyle = at % 2 ? "#8fa2e8" : "#6d84dd";
    pen.beginPath();
    pen.roundRect(48 + at * 98, 260, Math.min(92, width - at * 98), 40, 6);
    pen.fill();
  }
}

function paintButton(pen, button, strong, pressed) {
  pen.fillStyle = pressed ? "#1d3fae" : strong ? "#2f54d6" : "#ffffff";
  pen.strokeStyle = strong ? "#2f54d6" : "#b7c0d8";
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.roundRect(button.x, button.y, button.width, button.height, 10);
  pen.fill();
  pen.stroke();
  text(pen, button.label, button.x + button.width / 2, button.y + button.height / 2, strong || pressed ? "#ffffff" : INK, 18);
}

function text(pen, words, x, y, colour, size) {
  pen.fillStyle = colour;
  pen.font = `600 ${size}px "Liberation Sans", Arial, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(words, x, y);
}
