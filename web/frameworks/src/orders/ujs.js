import Rails from "@rails/ujs";

/** The server answers with a script that changes the page, as Rails views for `format.js` do. */
document.addEventListener("ajax:error", (event) => {
  const message = event.detail[0]?.message ?? event.detail[1] ?? "Request failed";
  document.getElementById("flash").innerHTML = `<p class="flash alert">${message}</p>`;
});
Rails.start();
