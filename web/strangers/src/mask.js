import IMask from "imask";

document.getElementById("app").innerHTML = `<label>Card <input id=card></label><label>Expires <input id=until></label>`;
window.card = IMask(document.getElementById("card"), { mask: "0000 0000 0000 0000" });
window.until = IMask(document.getElementById("until"), {
  mask: "MM/YY",
  lazy: false,
  blocks: { MM: { mask: IMask.MaskedRange, from: 1, to: 12 }, YY: { mask: IMask.MaskedRange, from: 26, to: 40 } },
});
