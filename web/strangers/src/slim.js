import SlimSelect from "slim-select";
import "slim-select/styles";

document.getElementById("app").innerHTML = `<label for=land>Country</label><select id=land aria-label=Country><option>Austria<option>Belgium<option>Chile<option>Denmark</select><p id=out></p>`;
window.slim = new SlimSelect({
  select: "#land",
  events: { afterChange: ([one]) => { document.getElementById("out").textContent = `Shipping to ${one.text}`; } },
});
