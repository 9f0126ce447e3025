import "@vaadin/date-picker";
import "@vaadin/select";

document.getElementById("app").innerHTML = `<vaadin-select label="Priority"></vaadin-select> <vaadin-date-picker label="Due"></vaadin-date-picker><p id=out></p>`;
const select = document.querySelector("vaadin-select"), date = document.querySelector("vaadin-date-picker");
select.items = [{ label: "Low", value: "1" }, { label: "High", value: "3" }];
select.addEventListener("value-changed", (event) => { document.getElementById("out").textContent = `priority ${event.detail.value}`; });
date.min = "2026-01-01";
