import Sortable from "sortablejs";

document.getElementById("app").innerHTML = `<h2>To do</h2><ul id=a style="min-height:60px;border:1px solid"><li>Write<li>Test</ul><h2>Doing</h2><ul id=b style="min-height:60px;border:1px solid"><li>Review</ul>`;
for (const id of ["a", "b"])
  Sortable.create(document.getElementById(id), {
    group: "board",
    animation: 150,
    onEnd: (event) => fetch("move", { method: "POST", body: `${event.item.textContent} ${event.to.id}` }),
  });
